#!/usr/bin/python3
"""The first thing that anybody runs, a before and after: what the recommended variant is better in than
the plain SGSN, over ten seeds; and the table that says so has the numbers of the summaries."""

import functools
import json
import re
import shutil
import subprocess
import sys

from harness import ROOT, case, check_sound, has_sanitizers, main, new_folder, right, same, sluice

CONFIG = ROOT / "config/quickstart.lua"
BEFORE, AFTER = "tail-drop", "recommended"
SEEDS = range(1, 11)


@functools.cache
def ten():
    """Both variants with ten seeds: what was printed, and the folder."""
    out = new_folder() / "out"
    done = sluice("run", CONFIG, "--variant", "all", "--seeds", f"{SEEDS[0]}..{SEEDS[-1]}",
                  "--out", out)
    same(done.returncode, 0, done.stderr)
    return done.stdout, out


def summary(variant, seed):
    return json.loads((ten()[1] / variant / str(seed) / "summary.json").read_text())


def both(seed):
    return summary(BEFORE, seed), summary(AFTER, seed)


@case("each run is sound, with web, pings and downloads in it")
def sound():
    for seed in SEEDS:
        for of_run in both(seed):
            check_sound(of_run)
            same(sorted(of_run["applications"]), ["ftp", "http", "ping"], "applications")


@case("pings: the p95 of the round trip is less than a quarter, with each seed")
def pings():
    for seed in SEEDS:
        before, after = (of["applications"]["ping"]["round_trip_ms"]["p95"] for of in both(seed))
        right(after < before / 4, f"seed {seed}: {before} ms, then {after} ms")


@case("pages: they take less time, with each seed")
def pages():
    for seed in SEEDS:
        before, after = (of["applications"]["http"]["page_ms"]["mean"] for of in both(seed))
        right(after < before, f"seed {seed}: {before} ms, then {after} ms")


@case("p95 of the delay of each class is less, with each seed")
def delays():
    for seed in SEEDS:
        before, after = both(seed)
        for name, of_class in after["classes"].items():
            right(of_class["delay_ms"]["p95"] < before["classes"][name]["delay_ms"]["p95"],
                  f"seed {seed}, {name}: {before['classes'][name]['delay_ms']}, {of_class['delay_ms']}")


@case("what arrives of downloads and pages together is not less, with each seed")
def goodput():
    for seed in SEEDS:
        before, after = (sum(of["applications"][kind]["goodput_bit_per_s"] for kind in ("ftp", "http"))
                         for of in both(seed))
        right(after >= before, f"seed {seed}: {before} bit/s, then {after} bit/s")


# --- What is said of it ---------------------------------------------------------------------------

ROWS = {"goodput kbit/s": ("goodput_bit_per_s", 1000), "delay p95 ms": ("delay_p95_ms", 1),
        "page mean ms": ("page_mean_ms", 1), "page p95 ms": ("page_p95_ms", 1),
        "round trip mean ms": ("round_trip_mean_ms", 1), "round trip p95 ms": ("round_trip_p95_ms", 1)}


def side_by_side(stdout):
    """{(class or application, figure): texts of the cells} of the last table."""
    lines = stdout[stdout.index("\n  side by side "):].split("\n\n")[0].splitlines()[1:]
    same(lines[0].split(), ["side", "by", "side", BEFORE, AFTER], "head of the table")
    rows = {}
    for line in lines[1:]:
        name, figure, *cells = re.fullmatch(
            r"  ([\w-]+), (.*?)\s{2,}(\S+(?: \+- \S+)?)\s{2,}(\S+(?: \+- \S+)?)", line).groups()
        rows[name, figure] = cells
    return rows


@case("the table's cells are the means and intervals of the summary")
def table():
    gathered = json.loads((ten()[1] / "summary.json").read_text())
    same([of["variant"] for of in gathered["variants"]], [BEFORE, AFTER], "variants")
    rows = side_by_side(ten()[0])
    same(sorted({name for name, _ in rows}),
         ["background", "ftp", "http", "interactive-1", "ping"], "classes and applications")
    for (name, text), cells in rows.items():
        figure, unit = ROWS[text]
        for cell, of in zip(cells, gathered["variants"]):
            value = {**of["classes"], **of["applications"]}[name][figure]
            same(cell, f"{value['mean'] / unit:.1f} +- {value['ci95'] / unit:.1f}",
                 f"{of['variant']}, {name}, {text}")


@case("a gathered figure is the mean of the runs' own")
def gathered_means():
    gathered = json.loads((ten()[1] / "summary.json").read_text())
    for of in gathered["variants"]:
        own = [summary(of["variant"], seed)["applications"] for seed in SEEDS]
        for kind, figure, found in (
                ("ping", "round_trip_p95_ms", [run["ping"]["round_trip_ms"]["p95"] for run in own]),
                ("http", "page_mean_ms", [run["http"]["page_ms"]["mean"] for run in own]),
                ("ftp", "timeouts", [run["ftp"]["tcp"]["timeouts"] for run in own]),
                ("ftp", "goodput_bit_per_s", [run["ftp"]["goodput_bit_per_s"] for run in own])):
            mean = of["applications"][kind][figure]["mean"]
            right(abs(mean - sum(found) / len(found)) < 1e-5, f"{kind} {figure}: {mean} of {found}")


@case("a summary's applications are what applications.csv and tcp.csv add up to")
def applications():
    for variant in (BEFORE, AFTER):
        check_added_up(variant)


def rows_of(path):
    head, *lines = (line.split(",") for line in path.read_text().splitlines())
    return [dict(zip(head, line)) for line in lines]


def check_times(found, rows, record):
    """The same number and mean; the p95 is above the mean, for most are quick, and not above all."""
    number = sum(int(row[f"{record}s"]) for row in rows)
    same((found or {"n": 0})["n"], number, f"{record}s")
    if number:
        mean = sum(int(row[f"{record}s"]) * float(row[f"{record}_mean_ms"]) for row in rows) / number
        right(abs(found["mean"] - mean) < 0.002, f"{record}: mean {found['mean']}, right is {mean}")
        most = max(float(row[f"{record}_max_ms"]) for row in rows)
        right(mean < found["p95"] <= most, f"{record}: {mean} < {found['p95']} <= {most}")


def check_added_up(variant):
    folder = ten()[1] / variant / "3"
    apps, tcp = rows_of(folder / "applications.csv"), rows_of(folder / "tcp.csv")
    for kind, found in summary(variant, 3)["applications"].items():
        own = [row for row in apps if row["application"] == kind]
        same(found["count"], len(own), f"{kind}: count")
        for end in ("host", "ms"):
            same(found["arrived_octets"][end], sum(int(row[f"{end}_arrived_octets"]) for row in own),
                 f"{kind}: arrived at {end}")
        same(found["goodput_bit_per_s"], sum(found["arrived_octets"].values()) * 8 // 120,
             f"{kind}: goodput")
        for record, plural in (("page", "pages"), ("round_trip", "round_trips")):
            check_times(found.get(f"{record}_ms"), [row for row in own if row[plural] != "0"], record)
        for figure in ("timeouts", "retransmitted_segments"):
            same(found.get("tcp", {}).get(figure, 0),
                 sum(int(row[figure]) for row in tcp if row["application"] == kind), f"{kind}: {figure}")


@case("a flow's round-trip samples over time are within tcp.csv's bounds, and move more than the smoothed")
def samples():
    folder = ten()[1] / BEFORE / "3"
    for flow in rows_of(folder / "tcp.csv"):
        if (flow["application"], flow["end"]) != ("ftp", "host"):
            continue
        steps = [row for row in rows_of(folder / "series_flows.csv")
                 if row["flow"] == flow["flow"] and row["rtt_ms"]]
        rtt, smoothed = ([float(row[column]) for row in steps] for column in ("rtt_ms", "srtt_ms"))
        least, most = float(flow["rtt_min_ms"]), float(flow["rtt_max_ms"])
        right(least <= min(rtt) and max(rtt) <= most, f"{min(rtt)} to {max(rtt)} of {least} to {most}")
        right(max(smoothed) < max(rtt) and 0.9 * most < max(rtt), f"{max(smoothed)}, {max(rtt)} of {most}")


@case("one page has both variants side by side; the runs have none of their own")
def page():
    text = (ten()[1] / "report.html").read_text()
    for name in (BEFORE, AFTER):
        right(name in text, f"no {name} on the page")
    same([str(path) for path in ten()[1].glob("*/*/report.html")], [], "pages of the runs")
    rows = re.findall(r"<tr><td>ping</td><td>(.*?)</td>.*?<td>round trip</td><td class=\"n\">(\d+)</td>",
                      text)
    same(sorted((run, int(n)) for run, n in rows),
         sorted((f"{variant}/{seed}", summary(variant, seed)["applications"]["ping"]["round_trip_ms"]["n"])
                for variant in (BEFORE, AFTER) for seed in SEEDS), "pings of each run on the page")


def figure_of_readme():
    out = new_folder() / "thirty"
    shutil.copytree(ten()[1], out)
    done = sluice("run", CONFIG, "--variant", "all", "--seeds", "1..30", "--no-page", "--resume", "--out", out)
    same(done.returncode, 0, done.stderr)
    drawn = subprocess.run([sys.executable, "-B", ROOT / "tools/figure.py", out], check=True, capture_output=True, text=True).stdout
    same(drawn, (ROOT / "config/quickstart.svg").read_text(), "config/quickstart.svg")
    values = re.findall(r">([\d.]+ (?:s|kbit/s))</text>", drawn)
    same(len(values), 6, "values in the figure")
    text = (ROOT / "README.md").read_text()
    for value in values:
        right(value in text, f"README.md does not say {value}")


if not has_sanitizers():  # with them, the same runs give the same figures
    case("the figure of README.md and the numbers beside it are those of thirty seeds, drawn by tools/figure.py")(figure_of_readme)

main()
