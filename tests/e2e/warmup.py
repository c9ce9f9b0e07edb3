#!/usr/bin/python3
"""run.warmup: the figures of a run without its beginning. They are computed here from packets.csv, which has each
packet's events, and beside that as the difference of two runs: all of it, and one that ends with the warm-up.
Books and time series are of the whole run."""

import collections
import json

from books import table
from harness import ROOT, case, main, new_folder, octets_of, right, run, same, settings, sluice
from measured import (QUICKSTART, QUIET, ROUND, SECOND_NS, SETTINGS, amount, check_whole, ns_of, owners, packets_of,
                      quantile_right, quickstart, round_trips, us_of)

LAB = ROOT / "config/lab.lua"
WHOLE = ["packets.csv", "series_classes.csv", "series_cells.csv", "series_flows.csv", "gi.pcap", "gn.pcap", "gb.pcap"]
QUANTILES = {"p50": 500, "p95": 950, "p99": 990, "max": 1000}


def check_row(row, packets, from_ns, end_ns, what):
    """A row of classes.csv or of a table like it, beside all packets of its group."""
    at = {"sent": [p for p in packets if p.sent_ns >= from_ns],
          "delivered": [p for p in packets if p.fate == "arrived" and p.ended_ns >= from_ns],
          "lost": [p for p in packets if isinstance(p.fate, tuple) and p.ended_ns >= from_ns],
          "under_way": [p for p in packets if p.fate is None]}
    for name, of in at.items():
        same((int(row[f"{name}_packets"]), int(row[f"{name}_octets"])), amount(of), f"{what}: {name}")
    begun = amount(p for p in packets if p.sent_ns < from_ns and (p.ended_ns is None or p.ended_ns >= from_ns))
    for i in range(2):
        same(begun[i] + amount(at["sent"])[i], sum(amount(at[name])[i] for name in ("delivered", "lost", "under_way")),
             f"{what}: under way at the warm-up's end + sent")
    same(int(row["goodput_bit_per_s"]), amount(at["delivered"])[1] * 8 * SECOND_NS // (end_ns - from_ns),
         f"{what}: goodput")
    delays = sorted(p.ended_ns - p.sent_ns for p in at["delivered"])
    if not delays:
        same({row[f"delay_{name}_ms"] for name in ("mean", *QUANTILES)}, {""}, f"{what}: no delay")
        return
    same(us_of(row["delay_mean_ms"]), sum(delays) // len(delays) // 1000, f"{what}: mean delay")
    same(us_of(row["delay_max_ms"]), delays[-1] // 1000, f"{what}: longest delay")
    for name, per_mille in QUANTILES.items():
        quantile_right(us_of(row[f"delay_{name}_ms"]), delays, per_mille, f"{what}: {name}")


def check_drops(done, packets, of, from_ns):
    wanted = collections.defaultdict(lambda: [0, 0])
    for packet in packets:
        if isinstance(packet.fate, tuple) and packet.ended_ns >= from_ns:
            count = wanted[(of[packet.address][0], packet.way, *packet.fate)]
            count[0] += 1
            count[1] += packet.octets
    found = {(row["name"], row["direction"], row["place"], row["reason"]): [int(row["packets"]), int(row["octets"])]
             for row in table(done, "drops") if row["by"] == "class"}
    same(found, dict(wanted), "drops.csv by class")


def check_distribution(done, packets, of, from_ns):
    """delays.csv: as many packets as were delivered, and no delay below that of a packet."""
    for name, way in {(of[p.address][0], p.way) for p in packets}:
        delays = sorted(p.ended_ns - p.sent_ns for p in packets
                        if (of[p.address][0], p.way, p.fate) == (name, way, "arrived") and p.ended_ns >= from_ns)
        seen = 0
        for row in table(done, "delays"):
            if (row["class"], row["direction"]) == (name, way):
                seen += int(row["packets"])
                right(delays[seen - 1] // 1000 <= us_of(row["delay_ms"]) <= delays[seen - 1] / 1000 * 1.008 + 1,
                      f"delays.csv {name} {way}: {row}, packet {seen} had {delays[seen - 1]} ns")
        same(seen, len(delays), f"delays.csv {name} {way}: packets")


def check_summary(done, packets, of, from_ns, end_ns):
    """The downlink of the classes: what arrived, and how it was shared."""
    same(set(done.summary["classes"]), {of[p.address][0] for p in packets if p.ended_ns is None or p.ended_ns >= from_ns},
         "classes of summary.json")
    for name, found in done.summary["classes"].items():
        mine = [p for p in packets if of[p.address][0] == name and p.way == "down"]
        arrived = [p for p in mine if p.fate == "arrived" and p.ended_ns >= from_ns]
        same((found["packets"], found["octets"]), amount(arrived), f"{name}: arrived")
        same(found["goodput_bit_per_s"], amount(arrived)[1] * 8 * SECOND_NS // (end_ns - from_ns), f"{name}: goodput")
        delays = sorted(p.ended_ns - p.sent_ns for p in arrived)
        for quantile, per_mille in QUANTILES.items():
            if delays:
                quantile_right(us_of(str(found["delay_ms"][quantile])), delays, per_mille, f"{name}: {quantile}")
            else:
                same(found["delay_ms"][quantile], None, f"{name}: no delay")
        of_ms = collections.Counter({p.address: 0 for p in mine if p.ended_ns is None or p.ended_ns >= from_ns})
        for packet in arrived:
            of_ms[packet.address] += packet.octets
        same(found["mss"]["count"], len(of_ms), f"{name}: MSs")
        if not of_ms:
            same((found["mss"]["jain"], found["mss"]["least_goodput_bit_per_s"]), (None, None), f"{name}: of no MS")
            continue
        jain = sum(of_ms.values())**2 / (len(of_ms) * sum(octets**2 for octets in of_ms.values()))
        right(abs(found["mss"]["jain"] - jain) < 1e-6, f"{name}: jain {found['mss']['jain']}, and {jain}")
        same(found["mss"]["least_goodput_bit_per_s"], min(of_ms.values()) * 8 * SECOND_NS // (end_ns - from_ns),
             f"{name}: the least")


def check_figures(done, of, from_ns):
    packets, end_ns = packets_of(done), round(done.summary["virtual_s"] * SECOND_NS)
    for file, column, place in ("classes", "class", 0), ("mss", "ms", 1), ("cells", "cell", 2):
        rows = {(row[column], row["direction"]): row for row in table(done, file)}
        groups = collections.defaultdict(list)
        for packet in packets:
            groups[of[packet.address][place], packet.way].append(packet)
        for key, mine in groups.items():
            there = any(p.ended_ns is None or p.ended_ns >= from_ns for p in mine)
            same(key in rows, there, f"{file}.csv: whether {key} has a row")
            if there:
                check_row(rows[key], mine, from_ns, end_ns, f"{file}.csv {key}")
        same(set(rows) - set(groups), set(), f"{file}.csv: rows of nothing")
    check_drops(done, packets, of, from_ns)
    check_distribution(done, packets, of, from_ns)
    check_summary(done, packets, of, from_ns, end_ns)
    check_round_trips(done, of, from_ns)


def check_round_trips(done, of, from_ns):
    """Pings whose request is of the warm-up are none."""
    trips = collections.defaultdict(list)
    for address, begin_ns, end_ns in round_trips(done):
        if begin_ns >= from_ns:
            trips[of[address][1]].append(end_ns - begin_ns)
    all_of = []
    for row in table(done, "applications"):
        if row["application"] != "ping":
            continue
        mine = trips.pop(row["ms"], [])
        same(int(row["round_trips"]), len(mine), f"{row['ms']}: round trips")
        same([row[f"round_trip_{name}_ms"] and us_of(row[f"round_trip_{name}_ms"]) for name in ("min", "mean", "max")],
             [ns // 1000 for ns in (min(mine), sum(mine) // len(mine), max(mine))] if mine else [""] * 3,
             f"{row['ms']}: times")
        all_of += mine
    same(trips, {}, "round trips of no application")
    if not all_of:
        return
    times = done.summary["applications"]["ping"]["round_trip_ms"]
    same((times["n"], us_of(str(times["mean"]))), (len(all_of), sum(all_of) // len(all_of) // 1000), "all round trips")
    for name in "p50", "p95":
        quantile_right(us_of(str(times[name])), sorted(all_of), QUANTILES[name], f"all round trips: {name}")


@case("classes, MSs, cells, drops, delays and round trips are those of packets.csv behind the warm-up", QUIET)
@case("the same where it leaves so little that some MSs only get what was sent before", "119.7 s")
@case("the same where a packet is sent just at its end: it counts", ROUND)
@case("without a warm-up they are those of all packets", "0 s")
def figures(warmup):
    done = quickstart(warmup=warmup)
    check_whole(done)
    check_figures(done, owners(QUICKSTART, *settings(SETTINGS)), ns_of(warmup))
    same(done.summary.get("warmup_s", 0), ns_of(warmup) / SECOND_NS, "warmup_s")
    if warmup == ROUND:
        right(any(packet.sent_ns == ns_of(ROUND) for packet in packets_of(done)), "no packet is sent just then")


# ---- Beside a run that ends with the warm-up ----

COUNTS = {"tcp": ("segments", "data_octets", "retransmitted_segments", "retransmitted_octets", "acked_octets",
                  "received_octets", "duplicate_octets", "timeouts", "fast_recoveries", "tail_probes",
                  "spurious_timeouts", "ce_received", "ecn_reductions", "rtt_samples"),
          "applications": ("host_sent_octets", "host_arrived_octets", "ms_sent_octets", "ms_arrived_octets",
                           "missing", "duplicates", "late", "connections", "aborted"),
          "classes": ("marked_packets",),
          "bss": ("llc_pdus", "llc_octets")}
NAMES = {"tcp": ("flow", "end"), "applications": ("flow",), "classes": ("class", "direction"),
         "bss": ("cell", "direction", "fate")}


def counts(done, name):
    return {tuple(row[key] for key in NAMES[name]): {column: int(row[column]) for column in COUNTS[name]}
            for row in table(done, name)}


def less(whole, beginning):
    """Numbers of two JSON texts, subtracted; what only one has counts as 0 in the other."""
    return {key: less(value, beginning.get(key, {})) if isinstance(value, dict)
            else value - beginning.get(key, 0) for key, value in whole.items()}


def without_zeros(counters):
    return {key: value for key, value in ((key, without_zeros(value) if isinstance(value, dict) else value)
                                          for key, value in counters.items()) if value}


def of_class(summary, name):
    """The SGSN's counters and drops."""
    found = summary["classes"].get(name, {})
    skipped = ("packets", "octets", "goodput_bit_per_s", "delay_ms", "mss")
    return {key: value for key, value in found.items() if key not in skipped}


@case("counters of classes, TCP, applications and the BSS: those of the run less those at the warm-up's end")
def differences():
    whole, done = quickstart(warmup="0 s"), quickstart(warmup=QUIET)
    beginning = quickstart(duration=QUIET)
    for name in COUNTS:
        first, found = counts(beginning, name), counts(done, name)
        wanted = {key: {column: count - first.get(key, {}).get(column, 0) for column, count in row.items()}
                  for key, row in counts(whole, name).items()}
        for key, row in wanted.items():
            if key[-1] == "held": # it is what is there
                row = counts(whole, name)[key]
            same(found.pop(key, dict.fromkeys(row, 0)), row, f"{name}.csv {key}")
        same(found, {}, f"{name}.csv: rows of nothing")
    for name in done.summary["classes"]:
        same(without_zeros(of_class(done.summary, name)),
             without_zeros(less(of_class(whole.summary, name), of_class(beginning.summary, name))), f"SGSN, {name}")
    for kind, found in done.summary["applications"].items():
        for key in "sent_octets", "arrived_octets", "missing", "aborted", "tcp":
            wanted = (part.summary["applications"][kind].get(key, {}) for part in (whole, beginning))
            same({key: found.get(key, {})}, {key: less(*({key: value} for value in wanted))[key]}
                 if key != "tcp" else {key: less(*wanted)}, f"{kind}: {key}")
        octets = sum(found["arrived_octets"].values())
        same(found["goodput_bit_per_s"], octets * 8 * SECOND_NS // (120 * SECOND_NS - ns_of(QUIET)), f"{kind}: goodput")


@case("the largest and the mean times of applications and TCP are of what began behind it", SETTINGS)
@case("the same with connections that end in the warm-up", [*SETTINGS, "lab.http[1].reuse=page", "lab.tcp[1].time_wait=1 s"])
def times(those):
    whole, done = (run(QUICKSTART, "--no-page", *settings([*those, f"run.warmup={warmup}"])) for warmup in ("0 s", "60 s"))
    fewer = collections.Counter()
    for name, kinds in ("applications", ("object", "page", "round_trip")), ("tcp", ("rtt",)):
        before = {tuple(row[key] for key in NAMES[name]): row for row in table(whole, name)}
        for row in table(done, name):
            all_of = before[tuple(row[key] for key in NAMES[name])]
            for kind in kinds:
                if row[f"{kind}_max_ms"]:
                    fewer[kind] += float(row[f"{kind}_max_ms"]) < float(all_of[f"{kind}_max_ms"])
                    right(float(all_of[f"{kind}_min_ms"]) <= float(row[f"{kind}_min_ms"])
                          <= float(row[f"{kind}_mean_ms"]) <= float(row[f"{kind}_max_ms"])
                          <= float(all_of[f"{kind}_max_ms"]), f"{name}.csv: {kind} of {row}, and {all_of}")
    same(sorted(kind for kind, count in fewer.items() if count), ["object", "page", "round_trip", "rtt"],
         "kinds of times whose largest is of the warm-up somewhere")


# ---- What it does not change ----

@case("captures, packets.csv, time series, balance and workers are of the whole run, byte for byte")
def whole_run():
    whole, done = quickstart(warmup="0 s"), quickstart(warmup=QUIET)
    for name in WHOLE:
        right(octets_of(whole.out / name) == octets_of(done.out / name) != b"", f"{name} is another")
    for key in "conservation", "worker", "events", "lines", "from_gb", "sound", "virtual_s":
        same(done.summary[key], whole.summary[key], key)
    right("warmup_s" not in whole.summary, "a run without a warm-up has warmup_s")
    right("warm-up" in done.stdout and "warm-up" not in whole.stdout, f"the text does not say it:\n{done.stdout}")
    page = (done.out / "report.html").read_text()
    right(page.count("Left of the dashed line is the warm-up.") > 4, "the page does not say where it ends")
    right("virtual, warm-up 20.123 s" in page, "the page does not say how long it is")
    right("dashed line" not in (whole.out / "report.html").read_text(), "a page without a warm-up has its line")


@case("the lab's series keep the rows of a flow that sends nothing behind the warm-up", LAB)
def rows(config):
    done, whole = (run(config, "--no-page", *settings([f"run.warmup={warmup}", "lab.step=1 s", "lab.ping[1].stop=5 s"]))
                   for warmup in ("10 s", "0 s"))
    check_whole(done)
    for kind in "classes", "cells", "flows":
        name = f"series_{kind}.csv"
        right(octets_of(done.out / name) == octets_of(whole.out / name) != b"", f"{name} is another")


# ---- Several runs ----

@case("several runs: means are over what came behind it, and --resume runs again for another warm-up")
def several():
    out, options = new_folder() / "out", ("--seeds", "1..2", "--no-page", "--variant", "all")
    def start(warmup, *more):
        done = sluice("run", QUICKSTART, "--out", out, *options, *more, *settings([f"run.warmup={warmup}"]))
        return done, json.loads((out / "summary.json").read_text())
    done, summary = start("30 s")
    same(done.returncode, 0, done.stderr)
    for variant in summary["variants"]:
        of_one = [json.loads((out / one["folder"] / "summary.json").read_text()) for one in summary["runs"]
                  if one["variant"] == variant["variant"]]
        same([one["warmup_s"] for one in of_one], [30, 30], "warmup_s")
        for name, figure in variant["classes"].items():
            same(figure["goodput_bit_per_s"]["mean"],
                 sum(one["classes"][name]["goodput_bit_per_s"] for one in of_one) / 2, f"{name}: the mean")
    times_of = {path: path.stat().st_mtime_ns for path in out.glob("**/run.json")}
    same(start("30 s", "--resume")[0].returncode, 0, "the same again")
    same({path: path.stat().st_mtime_ns for path in out.glob("**/run.json")}, times_of, "runs that were there")
    done = start("40 s", "--resume")[0]
    right(done.returncode != 0 or {path.stat().st_mtime_ns for path in out.glob("**/run.json")}.isdisjoint(
        times_of.values()), "results with another warm-up were taken")


@case("a sweep over it: each point has its own")
def sweep():
    out = new_folder() / "out"
    config = new_folder() / "sweep.lua"
    text = QUICKSTART.read_text().replace('"recommended.lua"', f'"{ROOT}/config/recommended.lua"')
    config.write_text(text + '\nsweep { axis { name = "warmup", key = "run.warmup", '
                      'values = { "0 s", "30 s" } } }\n')
    done = sluice("run", config, "--out", out, "--no-page")
    same(done.returncode, 0, done.stderr)
    found = {json.loads(path.read_text()).get("warmup_s", 0) for path in out.glob("*/*/*/summary.json")}
    same(found, {0, 30}, "warmup_s of the points")


if __name__ == "__main__":
    main()
