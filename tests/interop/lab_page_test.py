#!/usr/bin/python3
"""The page and the tables of `./run lab`, of invented figures: whole, in the style of `sluice report`, nothing from elsewhere,
and each ping, row and demand is there. tests/soak/page_look.py looks at it in a browser."""

import pathlib
import random
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "e2e"))
sys.path.insert(0, str(HERE))

import lab_page  # noqa: E402
from harness import case, main, new_folder, right, same  # noqa: E402
from lab_verdict import VARIANTS, Mode, rows, shown, side_by_side, told, verdicts  # noqa: E402
from pages import Page  # noqa: E402

RUNS, PDCHS, SECONDS = 3, (1, 4), 60


def lab_figures(number, variant):
    """Of one run of ./run lab, in their form."""
    chance = random.Random(100 * number + len(variant))
    slow = 8 if variant == "tail-drop" else 1

    def pings(factor):
        names = "round_trip_p50_s", "round_trip_p95_s", "down_p95_s", "in_sluice_p95_s", "uplink_p95_s"
        return {**{name: factor * chance.uniform(0.2, 0.4) for name in names}, "unanswered": number}
    part = {"drops": {"aqm_out": {"packets": 1234567}}, "marks": 17}
    return {"idle": pings(1), "own": pings(slow), "neighbour": pings(slow), "carried_bit_per_s": 42000.0 + number, "goodput_bit_per_s": 38000.0,
            "least_bit_per_s": 4000.0, "up_bit_per_s": 0.0, "stood_p50_octets": 4000, "stood_p95_octets": 12000, "discarded": 0,
            "summary": {"classes": {"background": part}, "conservation": {"balanced": True}}, "up_s": 1.5, "equal": True, "octets": 123456789,
            "flow_control": 77, "acknowledged": 77, "malformed": [], "pcu_errors": ["DLNS ERROR a line of the log that is as long as such a line may be"] * 3,
            "pcu_errors_early": 1, "of_radio": 0.91,
            "pings": [(when / 2, slow * chance.uniform(0.3, 1.5) if chance.random() > 0.1 else None) for when in range(-20, 200)]}


def made_up():
    return {pdchs: {variant: [lab_figures(number, variant) for number in range(RUNS)] for variant in VARIANTS} for pdchs in PDCHS}


def demanded(both, pdchs):
    return verdicts(both, Mode(pdchs, 1, False))


def write(path):
    measured = made_up()
    lab_page.write(path, measured, {pdchs: demanded(both, pdchs) for pdchs, both in measured.items()},
                   {pdchs: f"The conclusion of {pdchs} <PDCHs>." for pdchs in measured}, SECONDS,
                   "3 runs of 60 s; TCP <cubic>, 1 download to each of 8 MSs; the PCU's CoDel off, ECN on, gb.cell_delay=500 ms")
    return measured


@case("whole, with the style of all pages, and nothing from elsewhere")
def whole():
    path = new_folder() / "index.html"
    write(path)
    text = path.read_text("ascii")
    page = Page(text)
    same(page.faults, [], "faults of the page")
    style = (HERE.parent.parent / "control/report/style.css").read_text()
    same(re.search("<style>(.*?)</style>", text, re.DOTALL).group(1), style, "style")
    right("TCP &lt;cubic&gt;" in text and "<script" not in text, "what was measured")
    for name, attribute, value in page.attributes:
        right(attribute not in ("src", "href") and "url(" not in value and "#" not in value, f"<{name} {attribute}={value}>")


@case("each ping is a point that says its variant, its time and how long it took; without an answer it is a ring at the top")
def pings():
    path = new_folder() / "index.html"
    measured = write(path)
    pictures = re.findall("<svg.*?</svg>", path.read_text(), re.DOTALL)
    same(len(pictures), len(PDCHS), "pictures")
    for picture, both in zip(pictures, measured.values()):
        found = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)" r="2.5" stroke="var\(--s(\d)\)" fill="([^"]*)"><title>([^<]*)</title>', picture)
        wanted = [(number, f"{variant}, at {when:.1f} s: " + (f"{took:.2f} s" if took else "no answer"), took)
                  for number, variant in enumerate(VARIANTS) for run in both[variant] for when, took in run["pings"]]
        same([(int(colour), said) for _, _, colour, _, said in found], [(number, said) for number, said, _ in wanted], "what points say")
        tops = {y for (_, y, _, fill, _), (_, _, took) in zip(found, wanted) if took is None and fill == "none"}
        same((len(tops), {fill == "none" for (*_, fill, _), (_, _, took) in zip(found, wanted) if took}), (1, {False}), "rings")
        slower = sorted((took, -float(y)) for (_, y, _, _, _), (_, _, took) in zip(found, wanted) if took)
        right(all(one[1] <= other[1] for one, other in zip(slower, slower[1:])), "a longer round trip is higher")


@case("each row of the terminal's table and each demand; one that does not hold is marked")
def tables():
    path = new_folder() / "index.html"
    measured = write(path)
    page = Page(path.read_text())
    for pdchs, both in measured.items():
        found = page.tables[f"{12 * pdchs} kbit/s: {pdchs} PDCH{'s' if pdchs > 1 else ''} at CS-2"]
        table = [[lines[0][0].strip(), *(f"{shown(values, digits)} {unit}".strip() for _, unit, digits, values in lines)]
                 for lines in zip(*(rows(both[variant]) for variant in VARIANTS))]
        demands = [[one["what"], one["of"], f"{one['runs']} of {RUNS}", "; ".join(one["figures"]), one["limit"]] for one in demanded(both, pdchs)]
        right(f"<p>The conclusion of {pdchs} &lt;PDCHs&gt;.</p>" in path.read_text(), "the conclusion")
        right(all(f"<p>{line}</p>" in path.read_text() for line in told(both)), "what is told")
        same(found[1:1 + len(table)], table, "the table")
        same(found[2 + len(table):], demands, "what is demanded")
    bad = re.findall('<td class="name bad">([^<]*)</td>', path.read_text())
    same(sorted(bad), sorted(one["what"] for pdchs, both in measured.items() for one in demanded(both, pdchs) if not one["holds"]), "marked")
    right(len(bad) > 2, f"{bad}")


@case("two runs side by side: what differs is told in per cent, where that is not chance")
def differences():
    first, second = (lab_figures(0, "recommended") for _ in range(2))
    first["own"]["round_trip_p50_s"], second["own"]["round_trip_p50_s"] = 0.5, 0.525
    first["neighbour"]["in_sluice_p95_s"], second["neighbour"]["in_sluice_p95_s"] = 0.09, 0.1
    first["carried_bit_per_s"], second["carried_bit_per_s"] = 44000, 33000
    head, *lines = side_by_side({"one": first, "other": second})
    found = {line[:48].strip(): line[48:].split("  ") for line in lines}  # of those of three places, the last
    same(head.split(), ["one", "other", "difference"], "the names")
    same(len(lines), len(list(rows([first]))), "rows")
    for name, wanted in (("ping beside its own download, p50", ["0.50 s", "0.53 s", "+5.0%"]),
                         ("IP that came to MSs", ["44.0 kbit/s", "33.0 kbit/s", "-25.0%"]),
                         ("of that in sluice, p95", ["0.09 s", "0.10 s"]), ("upload", ["0.0 kbit/s", "0.0 kbit/s"]), ("sluice: marks", ["17", "17"])):
        same([one.strip() for one in found[name] if one.strip()], wanted, name)


if __name__ == "__main__":
    main()
