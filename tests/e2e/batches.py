#!/usr/bin/python3
"""run.batches: each batch's figures, computed here from packets.csv, and beside that as those of a run whose
warm-up ends where the batch begins and that ends where it ends. Their means, intervals and autocorrelations, by
Python's statistics."""

import collections
import json
import math
import shutil
import statistics

from books import table
from harness import case, main, new_folder, right, same, settings, sluice
from measured import (QUICKSTART, QUIET, SECOND_NS, SETTINGS, amount, check_whole, ns_of, owners, packets_of, quantile_right,
                      quickstart, round_trips, us_of)

N, END_NS = 7, 120 * SECOND_NS
T975 = {7: 2.446912, 6: 2.570582, 5: 2.776445, 100: 1.984217}  # Student's t by the number of samples, from a table
PERCENTILES = {"delay_p50_ms": 500, "delay_p95_ms": 950, "delay_p99_ms": 990}
KINDS = {"classes", "applications"}


def rows_of(done):
    """{(batch, set, subject, metric): value}, None: it has none."""
    found = {}
    for row in table(done, "batches"):
        key = int(row["batch"]), row["set"], row["subject"], row["metric"]
        right(key not in found, f"twice: {key}")
        found[key] = float(row["value"]) if row["value"] else None
    return found


def bounds_of(done):
    return {int(row["batch"]): (ns_of(row["start_s"]), ns_of(row["end_s"])) for row in table(done, "batches")}


def equal_parts(warmup, n):
    begin_ns = ns_of(warmup)
    at = [begin_ns + (END_NS - begin_ns) * i // n for i in range(n + 1)]
    return {i + 1: (at[i], at[i + 1]) for i in range(n)}


# ---- Each batch ----

def check_class(found, name, packets, start_ns, end_ns):
    """A class in a batch, by its packets down. What is at the very end of the run is of it, and of the last batch."""
    def during(ns):
        return ns is not None and (start_ns <= ns < end_ns or ns == end_ns == END_NS)

    arrived = [p for p in packets if p.fate == "arrived" and during(p.ended_ns)]
    count, octets = amount(arrived)
    same(found("packets"), count, f"{name}: packets")
    same(found("goodput_bit_per_s"), octets * 8 * SECOND_NS // (end_ns - start_ns), f"{name}: goodput")
    same(found("dropped"), sum(isinstance(p.fate, tuple) and p.fate[0] == "sgsn" and during(p.ended_ns) for p in packets),
         f"{name}: dropped")
    delays = sorted(p.ended_ns - p.sent_ns for p in arrived)
    for metric, per_mille in PERCENTILES.items():
        if delays:
            quantile_right(us_of(str(found(metric))), delays, per_mille, f"{name}: {metric}")
        else:
            same(found(metric), None, f"{name}: {metric}")
    of_ms = collections.Counter({p.address: 0 for p in packets
                                 if p.sent_ns < end_ns and (p.ended_ns is None or p.ended_ns >= start_ns)})
    for packet in arrived:
        of_ms[packet.address] += packet.octets
    if arrived:
        jain = sum(of_ms.values())**2 / (len(of_ms) * sum(octets**2 for octets in of_ms.values()))
        right(abs(found("jain") - jain) < 1e-6, f"{name}: jain {found('jain')}, and {jain}")
        same(found("least_goodput_bit_per_s"), min(of_ms.values()) * 8 * SECOND_NS // (end_ns - start_ns), f"{name}: least")


@case("each batch of a class is what packets.csv has in its time", N)
@case("the same with batches so short that some have nothing", 100)
@case("the same without a warm-up: the first batch begins before there is anything", N, "0 s")
def classes(n, warmup=QUIET):
    done = quickstart(warmup=warmup, batches=n)
    check_whole(done)
    of, packets, rows = owners(QUICKSTART, *settings(SETTINGS)), packets_of(done), rows_of(done)
    same(bounds_of(done), equal_parts(warmup, n), "the batches' times")
    same(done.summary["batches"]["count"], n, "batches")
    names = {of[p.address][0] for p in packets}
    same({key[2] for key in rows if key[1] == "classes"}, names, "classes")
    for number, (start_ns, end_ns) in bounds_of(done).items():
        for name in names:
            check_class(lambda metric, b=number, c=name: rows[b, "classes", c, metric], f"batch {number}, {name}",
                        [p for p in packets if of[p.address][0] == name and p.way == "down"], start_ns, end_ns)
    if n == 100:
        right(None in rows.values(), "each batch has every figure")


@case("it is what a run has with that time alone: classes, and octets and losses of applications")
def alone():
    done = quickstart(warmup=QUIET, batches=N)
    rows, bounds = rows_of(done), bounds_of(done)
    for number in 1, 4, N:
        start_ns, end_ns = bounds[number]
        one = quickstart(warmup=f"{start_ns} ns", duration=f"{end_ns} ns")
        for name, found in one.summary["classes"].items():
            wanted = {"marks": found["marks"], "packets": found["packets"], "jain": found["mss"]["jain"],
                      "goodput_bit_per_s": found["goodput_bit_per_s"],
                      "least_goodput_bit_per_s": found["mss"]["least_goodput_bit_per_s"],
                      "dropped": sum(drop["packets"] for drop in found["drops"].values()),
                      **{metric: found["delay_ms"][metric[6:9]] for metric in PERCENTILES}}
            same({metric: rows[number, "classes", name, metric] for metric in wanted}, wanted, f"batch {number}, {name}")
        for kind, found in one.summary["applications"].items():
            wanted = {"goodput_bit_per_s": found["goodput_bit_per_s"]}
            for metric in "timeouts", "retransmitted_segments":
                if "tcp" in found:
                    wanted[metric] = found["tcp"][metric]
            same({metric: rows[number, "applications", kind, metric] for metric in wanted}, wanted,
                 f"batch {number}, {kind}")


@case("all batches together have what the run has, and the run is the same without them", N)
@case("the same where TCP sends nothing in some: timeouts are 0 there", 100)
def together(n):
    done, without = quickstart(warmup=QUIET, batches=n), quickstart(warmup=QUIET)
    rows = rows_of(done)
    for name, found in done.summary["classes"].items():
        for metric, whole in (("packets", found["packets"]), ("marks", found["marks"]),
                              ("dropped", sum(drop["packets"] for drop in found["drops"].values()))):
            same(sum(rows[number, "classes", name, metric] for number in range(1, n + 1)), whole, f"{name}: {metric}")
    for kind, found in done.summary["applications"].items():
        for metric, whole in found.get("tcp", {}).items():
            if metric in ("timeouts", "retransmitted_segments"):
                same(sum(rows[number, "applications", kind, metric] for number in range(1, n + 1)), whole,
                     f"{kind}: {metric}")
    same({key: value for key, value in done.summary.items() if key not in ("batches", "overrides")},
         {key: value for key, value in without.summary.items() if key != "overrides"}, "summary.json but for its batches")
    for path in without.out.glob("*.csv"):
        right(path.read_bytes() == (done.out / path.name).read_bytes(), f"{path.name} is another")


@case("times of applications: those that ended in the batch and began behind the warm-up")
def times():
    done = quickstart(warmup=QUIET, batches=N)
    rows = rows_of(done)
    for kind, found in done.summary["applications"].items():
        for what, all_of in found.items():
            if not isinstance(all_of, dict) or "p50" not in all_of:
                continue
            means = [rows.get((number, "applications", kind, what.replace("_ms", "_mean_ms"))) for number in range(1, N + 1)]
            right(min(mean for mean in means if mean is not None) <= all_of["mean"]
                  <= max(mean for mean in means if mean is not None), f"{kind}, {what}: {means}, and {all_of}")
    trips = collections.defaultdict(list)
    for _, begin_ns, end_ns in round_trips(done):
        for number, (start_ns, until_ns) in bounds_of(done).items():
            if start_ns <= end_ns < until_ns and begin_ns >= ns_of(QUIET):
                trips[number].append(end_ns - begin_ns)
    for number, ns in trips.items():
        same(us_of(str(rows[number, "applications", "ping", "round_trip_mean_ms"])), sum(ns) // len(ns) // 1000,
             f"batch {number}: mean of the round trips")
        quantile_right(us_of(str(rows[number, "applications", "ping", "round_trip_p95_ms"])), sorted(ns), 950,
                       f"batch {number}: their p95")
        same((rows[number, "applications", "ping", "round_trips"], rows[number, "applications", "ping", "pages"]), (len(ns), 0),
             f"batch {number}: how many; and pages, which pings have none of")
    same(len(trips), N, "batches with round trips")


# ---- Their means ----

def near(found, wanted, what):
    right(math.isclose(found, wanted, rel_tol=1e-6, abs_tol=1e-6), f"{what}: found {found}, right is {wanted}")


def lag1_of(values):
    """Of neighbours that both have a value."""
    there = [value for value in values if value is not None]
    mean = statistics.fmean(there)
    squares = sum((value - mean)**2 for value in there)
    products = sum((a - mean) * (b - mean) for a, b in zip(values, values[1:]) if a is not None and b is not None)
    return products / squares if len(set(there)) > 1 else 0


def check_means(summary, rows, n):
    """Returns how many are too short, and how many are not."""
    verdicts = collections.Counter()
    figures = {key[1:] for key in rows}
    same({(what, subject, metric) for what in KINDS for subject, of in summary["batches"][what].items() for metric in of},
         figures, "figures")
    for what, subject, metric in figures:
        values = [rows[number, what, subject, metric] for number in range(1, n + 1)]
        there = [value for value in values if value is not None]
        found, name = summary["batches"][what][subject][metric], f"{subject}, {metric}"
        same(found["batches"], len(there), f"{name}: batches with a value")
        near(found["mean"], statistics.fmean(there), f"{name}: mean")
        if len(there) in T975:
            near(found["ci95"], T975[len(there)] * statistics.stdev(there) / math.sqrt(len(there)), f"{name}: interval")
            verdicts["interval"] += 1
        near(found["lag1"], lag1_of(values), f"{name}: lag 1")
        same(found["too_short"], found["lag1"] > 2 / math.sqrt(len(there)), f"{name}: too short")
        verdicts[found["too_short"]] += 1
    return verdicts


@case("mean, interval by Student's t, and lag-1 autocorrelation of each figure", N)
@case("with batches so short that neighbours are alike, which text and page say", 100)
def means(n):
    done = quickstart(warmup=QUIET, batches=n)
    verdicts = check_means(done.summary, rows_of(done), n)
    right(verdicts["interval"] > 15, f"intervals checked: {verdicts}")
    right(n == N or (verdicts[True] > 3 and verdicts[False] > 3), f"too short, and not: {verdicts}")
    right(f"  batches         {n} of " in done.stdout, f"the text does not have them:\n{done.stdout}")
    same("BATCHES TOO SHORT" in done.stdout, verdicts[True] > 0, f"the text says so:\n{done.stdout}")
    page = (done.out / "report.html").read_text()
    right("<h2>Over the batches</h2>" in page, "the page does not have them")
    same(page.count(">batches too short<"), verdicts[True], "the page says so")


# ---- Several runs ----

def several(*arguments):
    out = new_folder() / "out"
    done = sluice("run", QUICKSTART, "--variant", "all", "--out", out, *arguments,
                  *settings(["run.warmup=20 s", "run.batches=100"]))
    same(done.returncode, 0, done.stderr)
    return out, json.loads((out / "summary.json").read_text()), done.stdout


@case("one seed: a variant's means are over the batches of its run, and are called so")
def one_seed():
    out, summary, text = several("--seeds", "3..3")
    folder = {run["variant"]: run["folder"] for run in summary["runs"]}
    too_short = 0
    for variant in summary["variants"]:
        batches = json.loads((out / folder[variant["variant"]] / "summary.json").read_text())["batches"]
        for what in KINDS:
            for subject, figures in variant[what].items():
                for metric, found in figures.items():
                    wanted = batches[what].get(subject, {}).get(metric)
                    if not wanted:
                        right("batches" not in found, f"{subject}, {metric}: {found}")
                        continue
                    same(found["runs"], 1, f"{subject}, {metric}: runs")
                    same({key: found[key] for key in ("batches", "too_short")},
                         {key: wanted[key] for key in ("batches", "too_short")}, f"{subject}, {metric}")
                    near(found["mean"], wanted["mean"], f"{subject}, {metric}: mean")
                    near(found["ci95"], wanted["ci95"], f"{subject}, {metric}: interval")
                    too_short += found["too_short"]
    right("one seed; the mean +- its 95 % confidence interval over its batches" in text, f"it says:\n{text}")
    same(text.count("BATCHES TOO SHORT for "), too_short, f"figures whose batches are too short:\n{text}")
    page = (out / "report.html").read_text()
    right("Means over the batches of one seed" in page and "Means over the seeds" not in page, "what the page calls them")
    right(">batches too short<" in page, "the page does not say where they are too short")
    other = new_folder() / "page.html"
    folders = [out / folder[variant["variant"]] for variant in summary["variants"]]
    same(sluice("report", *folders, "--out", other).returncode, 0, "sluice report of the two runs")
    right("Means over the batches of one seed" in other.read_text(), "the page of two single runs")


@case("one variant without batches", "0")
@case("one with fewer", "50")
def uneven(fewer):
    """Counts of batches would be beside those of longer ones, or of a run: the figures are of whole runs."""
    config = new_folder() / "uneven.lua"
    text = QUICKSTART.read_text().replace("seed = 1,", "seed = 1, batches = 100,")
    config.write_text(text.replace('name = "recommended",', f'name = "recommended", set = "run.batches={fewer}",'))
    shutil.copy(QUICKSTART.parent / "recommended.lua", config.parent)
    out = new_folder() / "out"
    done = sluice("run", config, "--variant", "all", "--seeds", "3..3", "--out", out,
                  *settings(["run.warmup=20 s", "run.duration=60 s"]))
    same(done.returncode, 0, done.stderr)
    summary = json.loads((out / "summary.json").read_text())
    folders = [out / run["folder"] for run in summary["runs"]]
    for variant, folder in zip(summary["variants"], folders, strict=True):
        of_run = json.loads((folder / "summary.json").read_text())["classes"]
        for name, figures in variant["classes"].items():
            same((figures["packets"]["mean"], figures["packets"]["ci95"]), (of_run[name]["packets"], None), f"{folder}: {name}")
            right("batches" not in figures["packets"], f"{figures}")
    right("one seed, which gives no interval" in done.stdout, f"it says:\n{done.stdout}")
    page = new_folder() / "page.html"
    same(sluice("report", *folders, "--out", page).returncode, 0, "sluice report of the two runs")
    for path in page, out / "report.html":
        right("<h2>The figures of one seed</h2>" in path.read_text(), f"what {path} calls them")


@case("several seeds: each run counts once, as without batches; --resume finds their file missing")
def seeds():
    out, summary, text = several("--seeds", "1..2")
    for variant in summary["variants"]:
        for what in KINDS:
            for figures in variant[what].values():
                right(all("batches" not in found for found in figures.values()), f"{figures}")
    right("over seeds" in text and "TOO SHORT" not in text, f"it says:\n{text}")
    right("Means over the seeds" in (out / "report.html").read_text(), "what the page calls them")
    lost = out / summary["runs"][0]["folder"] / "batches.csv"
    lost.unlink()
    info = json.loads((lost.parent / "run.json").read_text())
    del info["files"]["batches.csv"]  # and nothing says that it was there
    (lost.parent / "run.json").write_text(json.dumps(info))
    done = sluice("run", QUICKSTART, "--variant", "all", "--out", out, "--seeds", "1..2", "--resume",
                  *settings(["run.warmup=20 s", "run.batches=100"]))
    same(done.returncode, 0, done.stderr)
    right("batches.csv is missing" in done.stderr and lost.exists(), f"it says:\n{done.stderr}")


if __name__ == "__main__":
    main()
