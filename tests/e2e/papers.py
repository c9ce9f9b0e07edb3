#!/usr/bin/python3
"""The published experiments in their short form: one seed of the variants that tests/scenario/short names. Each row
that these give is in the band that the file has for it, and met where the file says so. README.md there says how a band is
chosen; `papers.py --measure [NAME...]` does so again. The sanitizers' programs, which give the same numbers, run none of it."""

import json
import sys

import harness
from harness import ROOT, case, has_sanitizers, main, new_folder, right, same, sluice

SHORT = ROOT / "tests/scenario/short"
SEED, SEEDS = "6..6", "6..15"
T9 = 2.2621572  # Student's t at 0.975, nine degrees of freedom: what `ci95` of ten seeds is made with
DEVIATIONS = 4
LEAST_BAND = 0.01  # of the mean, on either side: a row that no seed moves


def table(name):
    """The variants, and {(figure, what): (least, most, is it met)}."""
    variants, rows = [], {}
    for line in (SHORT / f"{name}.txt").read_text().splitlines():
        head, *row = line.split(" | ")
        if head.startswith("variants "):
            variants = head.split()[1:]
        elif row:
            least, _, most, *met = head.split()
            rows[tuple(row)] = float(least), float(most), met == ["met"]
    return variants, rows


def judged(name, variants, seeds):
    """The rows that these runs give."""
    out = new_folder() / "out"
    done = sluice("run", ROOT / f"config/scenarios/{name}.lua", "--out", out, "--seeds", seeds, "--no-page", "--targets",
                  ROOT / f"tests/scenario/{name}.lua", *(word for one in variants for word in ("--variant", one)))
    same(done.returncode, 0, f"{name}: exit status\n{done.stderr}")
    rows = json.loads((out / "targets.json").read_text())["targets"]
    same([row["error"] for row in rows if "error" in row], [], name)
    series = [one for figure in json.loads((out / "figures.json").read_text())["figures"] for one in figure["series"]]
    same([one["error"] for one in series if "error" in one], [], f"{name}: figures")
    right(any(one["points"] and one["kind"] != "exact" for one in series), f"{name}: no point")
    return {(row["figure"], row["what"]): row for row in rows if "mean" in row}


def wrong(row, least, most, met):
    if met and row["verdict"] != "met":
        return [f"{row['what']}: {row['texts']} is not met"]
    return [] if least <= row["mean"] <= most else [f"{row['what']}: {row['mean']} is not from {least} to {most}"]


def check(name):
    variants, bands = table(name)
    rows = judged(name, variants, SEED)
    right(bands, f"{name}: no row")
    same(sorted(rows.keys() ^ bands.keys()), [], f"{name}: rows of one side alone")
    same([fault for key, row in rows.items() for fault in wrong(row, *bands[key])], [], name)


# --- How the files are made -----------------------------------------------------------------------


def limits(row):
    """The ends of what a judged row's target allows."""
    within, published = row.get("within"), row.get("published")
    if within is None:
        return row.get("least", float("-inf")), row.get("most", float("inf"))
    far = abs(published) * float(within.rstrip(" %")) / 100 if isinstance(within, str) else within
    return published - far, published + far


def measure(name):
    harness.TIMEOUT_S = 3600
    path = SHORT / f"{name}.txt"
    comments = [line for line in path.read_text().splitlines() if line.startswith("#")]
    variants, _ = table(name)
    one, ten = (judged(name, variants, seeds) for seeds in (SEED, SEEDS))
    lines = [*comments, f"variants {' '.join(variants)}"]
    for key, row in ten.items():
        deviation = row.get("ci95", 0) * 10 ** 0.5 / T9  # none: no seed moves the row
        far = max(DEVIATIONS * deviation, LEAST_BAND * abs(row["mean"]))
        met = ""
        if one[key]["verdict"] == "met":
            least, most = limits(row)
            met = " met" if least <= row["mean"] - DEVIATIONS * deviation and \
                row["mean"] + DEVIATIONS * deviation <= most else ""
        lines.append(f"{row['mean'] - far:.5g} to {row['mean'] + far:.5g}{met} | {key[0]} | {key[1]}")
    path.write_text("\n".join(lines) + "\n")


NAMES = sorted(path.stem for path in SHORT.glob("*.txt"))


@case("each paper has a short form")
def complete():
    same(NAMES, sorted(path.stem for path in (ROOT / "tests/scenario").glob("*.lua")), "tests/scenario/short")


for paper in () if has_sanitizers() else NAMES:
    case(f"{paper}: with seed 6 each row is in its band, and met where one seed can meet it", paper)(check)

if sys.argv[1:2] == ["--measure"]:
    for paper in sys.argv[2:] or NAMES:
        measure(paper)
else:
    main()
