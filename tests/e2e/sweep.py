#!/usr/bin/python3
"""Several runs of one command: variants, points of a sweep and seeds, as child processes. What they leave
does not depend on how many are at work at once; statistics are computed here once more, by other means."""

import collections
import csv
import json
import math
import re
import shlex
import shutil
import statistics
import subprocess

from harness import (CAPTURES, RESULTS, ROOT, case, check_sound, main, new_folder, program, right, same,
                     sluice, written)
from several import SWEEP, VARIANTS, config, many, results, scenario, six, summary_of

RIGHT = (ROOT / "tests/config/mistakes/right.lua").read_text()
FIGURES = {"goodput_bit_per_s": ("goodput_bit_per_s",), "delay_p50_ms": ("delay_ms", "p50"),
           "delay_p95_ms": ("delay_ms", "p95"), "delay_p99_ms": ("delay_ms", "p99"),
           "packets": ("packets",), "marks": ("marks",), "jain": ("mss", "jain"),
           "least_goodput_bit_per_s": ("mss", "least_goodput_bit_per_s")}


@case("two variants x three seeds: a folder each, gathered in the order of the file")
def folders():
    out, done = six()
    summary = summary_of(out)
    runs = [(variant, seed) for variant in ("red", "cobalt") for seed in (1, 2, 3)]
    same([(run["variant"], run["seed"], run["folder"], run["complete"], run["state"])
          for run in summary["runs"]],
         [(variant, seed, f"{variant}/{seed}", True, "complete") for variant, seed in runs], "runs")
    same((summary["complete"], summary["missing"]), (True, []), "complete and missing")
    for variant, seed in runs:
        of_run = summary_of(out / variant / str(seed))
        check_sound(of_run)
        same((of_run["variant"], of_run["seed"]), (variant, seed), "variant and seed")
    same(sorted(path.name for path in (out / "red/1").iterdir()),
         sorted({*RESULTS, "run.json", "run.log"} - {"report.html"}), "files of the first run")
    same(sorted(path.name for path in (out / "red/2").iterdir()),
         sorted({*RESULTS, "run.json", "run.log"} - {*CAPTURES, "report.html"}), "of the second run: no captures")
    same(sorted(path.name for path in out.iterdir()),
         ["cobalt", "red", "report.html", "results.csv", "runs.csv", "summary.json"], "of all: one page")
    for text in ("udp: 6 of 6 runs complete", "red, 3 of 3 runs", "cobalt, 3 of 3 runs"):
        right(text in done.stdout, f"no {text!r} in:\n{done.stdout}")


@case("the same bytes with four at a time")
def jobs():
    out = new_folder() / "out"
    many(config(), out, "--variant", "all", "--seeds", "1..3", "--jobs", "4", "--pcap")
    one, other = results(six()[0]), results(out)
    same(sorted(one), sorted(other), "files")
    same([name for name in one if one[name] != other[name]], [], "files that differ")


@case("a run of many is the run alone: the same summary")
def alone():
    out = new_folder() / "out"
    many(config(), out, "--variant", "cobalt", "--seed", "2")
    same((out / "summary.json").read_bytes(), (six()[0] / "cobalt/2/summary.json").read_bytes(),
         "summary.json")


# --- Statistics, by other means -------------------------------------------------------------------


def t_quantile(freedom):
    """Student's t at 0.975: the density is integrated by Simpson's rule, and the sum is bisected."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)

    def density(x):
        return scale * (1 + x * x / freedom) ** (-(freedom + 1) / 2)

    def half(x, parts=2000):
        step = x / parts
        inner = sum(density(i * step) * (4 if i % 2 else 2) for i in range(1, parts))
        return (density(0) + inner + density(x)) * step / 3
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if half(middle) < 0.475 else (low, middle)
    return low


def figure(of_class, name):
    """Of a run's summary; a class without packets had a goodput of 0, and no delay."""
    if name == "dropped":
        return sum(row["packets"] for row in of_class.get("drops", {}).values())
    value = of_class
    for key in FIGURES[name]:
        value = value.get(key, None if len(FIGURES[name]) > 1 else 0) if value is not None else None
    return value


def check_statistics(out):
    gathered = summary_of(out)
    for group in gathered["variants"]:
        runs = [summary_of(out / run["folder"])["classes"] for run in gathered["runs"]
                if run.get("variant") == group.get("variant")]
        same(sorted(group["classes"]), sorted(set().union(*runs)), "classes")
        for name, of_class in group["classes"].items():
            same(list(of_class), [*list(FIGURES)[:5], "dropped", *list(FIGURES)[5:]], "figures")
            for key, found in of_class.items():
                samples = [value for run in runs
                           if (value := figure(run.get(name, {}), key)) is not None]
                mean = statistics.fmean(samples)
                ci95 = t_quantile(len(samples) - 1) * statistics.stdev(samples) / len(samples) ** 0.5
                same(found["runs"], len(samples), f"{name} {key}: runs")
                for what, value in ("mean", mean), ("ci95", ci95):
                    right(abs(found[what] - value) <= 1e-6 + 1e-6 * value,
                          f"{name} {key} {what}: found {found[what]}, right is {value}")
    for run in gathered["runs"]:
        own = summary_of(out / run["folder"])["classes"]
        same(run["classes"], {name: {key: figure(of_class, key) for key in run["classes"][name]}
                              for name, of_class in own.items()}, run["folder"])


@case("mean and 95 % confidence interval over the seeds, and each run's figures")
def statistics_of():
    check_statistics(six()[0])


@case("a class without packets in a run had a goodput of 0 there, and no delay")
def no_packets():
    out = new_folder() / "out"
    many(written(RIGHT), out, "--seeds", "1..8", "--set", "lab.traffic.pattern=poisson", "--set",
         "run.duration=500 ms")
    found = summary_of(out)["variants"][0]["classes"]["background"]
    same(found["goodput_bit_per_s"]["runs"], 8, "runs of the goodput")
    right(2 <= found["delay_p50_ms"]["runs"] < 8, f"{found['delay_p50_ms']['runs']} runs of the delay")
    check_statistics(out)


def rows_of(out):
    with (out / "runs.csv").open(newline="") as file:
        return list(csv.DictReader(file))


@case("runs.csv: a row for each run and class, with the values of the sweep as the file has them")
def table():
    out, _ = six()
    wanted = [{"folder": run["folder"], "variant": run["variant"], "seed": run["seed"], "class": name}
              | of_class for run in summary_of(out)["runs"] for name, of_class in run["classes"].items()]
    rows = rows_of(out)
    same([list(row) for row in rows], [list(row) for row in wanted], "columns")
    same([[value if key in ("folder", "variant", "class") else float(value) for key, value in row.items()]
          for row in rows], [list(row.values()) for row in wanted], "rows")
    out = new_folder() / "out"
    many(scenario(SWEEP.replace("axis {", 'axis { key = "run.name", name = "n", values = { "a", "a.b" } }, axis {')),
         out)
    found = [tuple(row.values())[:5] for row in rows_of(out) if row["class"] == "background"]
    same(found, [(f"n={name},rate={rate}kbit_s/1", "", name, f"{rate} kbit/s", "1")
                 for name in ("a", "a.b") for rate in (20, 40)], "folder, variant, name, rate, seed")
    same([group["axes"] for group in summary_of(out)["variants"]],
         [{"n": name, "rate": f"{rate} kbit/s"} for name in ("a", "a.b") for rate in (20, 40)], "axes in summary.json")
    right(not any("axes" in group for group in summary_of(six()[0])["variants"]), "axes without a sweep")


KEYS = ("class", "cell", "ms", "flow", "end", "application", "direction")
ENTITIES = {"class": "classes", "cell": "cells", "ms": "mss", "flow": "flows", "application": "applications", "tcp": "tcp"}
SAMPLES = {"delay": "delivered_packets", "transfer": "transfers", "object": "objects", "page": "pages",
           "round_trip": "round_trips", "rtt": "rtt_samples"}


def melted(folder, of_run):
    """The rows of results.csv that the tables of a run give, and those that its summary alone has."""
    for entity, name in ENTITIES.items():
        with (folder / f"{name}.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                for metric, value in row.items():
                    if metric in KEYS or not value:
                        continue
                    samples = next((row[count] for stem, count in SAMPLES.items()
                                    if re.fullmatch(stem + "_(min|mean|max|p50|p95|p99)_ms", metric)), "")
                    yield of_run | {"entity": entity} | {key: row.get(key, "") for key in KEYS} | {
                        "metric": metric, "value": value, "n": samples}
    for kind, figures in summary_of(folder)["applications"].items():
        for name, value in figures.items():
            for member in ("mean", "p50", "p95") if isinstance(value, dict) and "n" in value else ():
                yield of_run | {"entity": "application_kind"} | dict.fromkeys(KEYS, "") | {
                    "application": kind, "metric": f"{name[:-3]}_{member}_ms", "value": f"{value[member]:.3f}",
                    "n": str(value["n"])}


UNITS = {"ms": "ms", "bit_per_s": "bit/s", "octets": "octets", "packets": "packets", "segments": "segments"}


@case("results.csv: each value of each table of each run, with its unit and its samples, and no more")
def tidy():
    out = new_folder() / "out"
    many(ROOT / "config/quickstart.lua", out, "--variant", "all", "--seeds", "3..4", "--set", "run.duration=20 s")
    with (out / "results.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = [row for run in summary_of(out)["runs"] for row in melted(
        out / run["folder"], {"folder": run["folder"], "variant": run["variant"], "seed": str(run["seed"])})]
    for row in rows:
        unit = next((name for ending, name in UNITS.items() if row["metric"].endswith("_" + ending)), "")
        same(row.pop("unit"), unit, f"unit of {row['metric']}")
    same(len(rows), len(wanted), "rows")
    for found, right_one in zip(rows, wanted):
        same(found, right_one, "a row")


@case("an axis that is called like a column of runs.csv or results.csv does not hide it")
def column_of_axis():
    out = new_folder() / "out"
    many(scenario('sweep { axis { key = "run.name", name = "value", values = { "a", "b" } },'
                  ' axis { key = "queue.packets", values = { 77 } },'
                  ' axis { key = "queue.octets", name = "axis_value", values = { "99 kB" } } }'), out)
    for name in "runs.csv", "results.csv":
        with (out / name).open(newline="") as file:
            head, rows = next(csv.reader(file)), list(csv.reader(file))
        same([column for column, times in collections.Counter(head).items() if times > 1], [], f"{name}: columns twice")
        same(sorted({row[head.index("axis_value")] for row in rows}), ["a", "b"], f"{name}: the axis")
        same({row[head.index("axis_axis_value")] for row in rows}, {"99 kB"}, f"{name}: the axis of octets")
        same({row[head.index("axis_packets")] for row in rows}, {"77"}, f"{name}: the axis of packets")


def with_flows(folder, rows):
    """Gives the run's flows.csv that many rows with one value each, as if the run had written them."""
    file, info = folder / "flows.csv", json.loads((folder / "run.json").read_text())
    head = file.read_text().splitlines()[0]
    cells = dict(flow="1", application="traffic", ms="001", direction="down", sent_packets="5") | {"class": "background"}
    row = ",".join(cells.get(name, "") for name in head.split(","))
    file.write_text("\n".join([head, *[row] * rows]) + "\n")
    info["files"]["flows.csv"] = file.stat().st_size
    (folder / "run.json").write_text(json.dumps(info))
    return rows * (len(head.split(",")) - 5)  # all but what the row is of


@case("results.csv has a million values at most: else it is without the largest tables, which are named")
def tidy_bound():
    out = new_folder() / "out"
    words = config(), out, "--seeds", "1..2"
    many(*words)
    same(summary_of(out)["results_without"], [], "tables left out")
    with (out / "results.csv").open(newline="") as file:
        rest = [row for row in csv.reader(file) if row[3] != "flow"]
    for rows, left_out in (40000, []), (70000, ["flows.csv"]):
        values = with_flows(out / "red/2", rows)
        right((values > 10**6) == bool(left_out), values)
        done = many(*words, "--resume")
        same(summary_of(out)["results_without"], left_out, rows)
        found = re.findall(r"\n  left out +of results.csv: (.*); all runs have (\d+) values, it 1000000 at most\n", done.stdout)
        same([(names, int(count) > values) for names, count in found], [(name, True) for name in left_out], done.stdout)
        with (out / "results.csv").open(newline="") as file:
            lines = list(csv.reader(file))
        same([row for row in lines if row[3] != "flow"], rest, "rows of other tables")
        flows = collections.Counter(row[0] for row in lines if row[3] == "flow")
        same(flows["red/2"], 0 if left_out else rows, "rows of flows.csv of the second run")
        same(flows["red/1"] > 0, not left_out, "rows of flows.csv of the first run")


@case("with --targets there is no results.csv, nor is an older one left")
def tidy_of_targets():
    out, targets = new_folder() / "out", new_folder() / "targets.lua"
    many(config(), out, "--variant", "all", "--seeds", "1..2")
    right((out / "results.csv").exists(), "no results.csv")
    targets.write_text('target { figure = "f", what = "w", ours = function() return 1 end }')
    sluice("run", config(), "--variant", "all", "--seeds", "1..2", "--out", out, "--resume", "--targets", targets)
    right((out / "targets.csv").exists() and not (out / "results.csv").exists(), [*out.iterdir()])


@case("Jain's index and the least MS's goodput, by the flows that each class has")
def fairness():
    out = new_folder() / "out"
    many(ROOT / "config/quickstart.lua", out, "--seeds", "5..6", "--set", "run.duration=30 s")
    for run in summary_of(out)["runs"]:
        summary, got = summary_of(out / run["folder"]), collections.defaultdict(collections.Counter)
        with (out / run["folder"] / "flows.csv").open(newline="") as file:
            for row in csv.DictReader(file):
                if row["direction"] == "down" and int(row["sent_packets"]):
                    got[row["class"]][row["ms"]] += int(row["delivered_octets"])
        same(set(got), set(summary["classes"]), "classes")
        for name, mss in got.items():
            found, octets = summary["classes"][name]["mss"], list(mss.values())
            same(found["count"], len(octets), "MSs")
            index = sum(octets) ** 2 / len(octets) / sum(one * one for one in octets)
            right(abs(found["jain"] - index) < 1e-6, f"{found['jain']} for {index}")
            same(found["least_goodput_bit_per_s"], int(min(octets) * 8 / summary["virtual_s"]), "the least")
            right(len(octets) > 2 and index < 1, "MSs that differ")


@case("a single seed has a mean and no interval")
def one_seed():
    out = new_folder() / "out"
    many(config(), out, "--variant", "all")
    for group in summary_of(out)["variants"]:
        found = group["classes"]["background"]["goodput_bit_per_s"]
        same((found["runs"], found["ci95"]), (1, None), "runs and ci95")
        same(found["mean"], summary_of(out / group["variant"] / "1")["classes"]["background"]
             ["goodput_bit_per_s"], "mean")


# --- The runs as commands that another program runs ------------------------------------------------

SIX = "--variant", "all", "--seeds", "1..3", "--pcap"
IN_TURN = [f"{variant}/{seed}" for seed in (1, 2, 3) for variant in ("red", "cobalt")]


def commands_of(here, *words):
    """What --commands prints for the scenario's runs in the folder here/out of it, of which `words` are missing."""
    done = sluice("run", "a scenario.lua", "--out", "out of it", *SIX, "--set", "@its.lua", "--commands", cwd=here)
    same(done.returncode, 0, done.stderr)
    right(re.fullmatch(rf"{len(words)} of 6 runs are missing; memory: \d+ MiB each, in 4 KiB pages\. To gather them, type the"
                       r" same with --resume instead of --commands\n", done.stderr), done.stderr)
    lines = [shlex.split(line) for line in done.stdout.splitlines()]
    same([(*line[:3], line[4], line[line.index("--out") + 1]) for line in lines],
         [("cd", str(here), "&&", "run", f"out of it/{word}") for word in words], done.stdout)
    return done.stdout


@case("--commands: run by other programs from another folder, they leave the bytes of --jobs 2; what is complete is left out")
def commands():
    here = new_folder() / "it's $HOME \"`"
    here.mkdir()
    (here / "a scenario.lua").write_text(config().read_text())
    (here / "its.lua").write_text('return { "queue.packets=77", "class[*].lifetime=7 s" }')
    words = "run", "a scenario.lua", *SIX, "--set", "@its.lua"
    same(sluice(*words, "--jobs", "2", "--out", "two", cwd=here).returncode, 0, "--jobs 2")
    out, printed = here / "out of it", commands_of(here, *IN_TURN)
    same(list(out.iterdir()), [], "what is written before the commands")

    def run_by(program_of_commands, lines):
        done = subprocess.run(program_of_commands, input=lines, cwd=new_folder(), text=True, capture_output=True, check=False)
        same(done.returncode, 0, done.stderr)

    def gather():
        same(commands_of(here), "", "what is printed where nothing is missing")
        done = sluice(*words, "--resume", "--out", "out of it", cwd=here)
        same((done.returncode, done.stderr), (0, ""), "--resume")
        one, other = results(here / "two"), results(out)
        same(sorted(one), sorted(other), "files")
        same([name for name in one if one[name] != other[name]], [], "files that differ")
    run_by(["xargs", "-d", "\n", "-P2", "-n1", "sh", "-c"], printed)
    gather()
    kept = {name: (out / name / "run.json").stat().st_mtime_ns for name in IN_TURN}
    for name in "red/2", "cobalt/3":
        shutil.rmtree(out / name)
        del kept[name]
    before = results(out)
    run_by(["sh"], commands_of(here, "red/2", "cobalt/3"))
    same({name: octets for name, octets in results(out).items() if name in before}, before, "what was there")
    gather()
    same({name: (out / name / "run.json").stat().st_mtime_ns for name in kept}, kept, "runs done again")


@case("--commands: a name that cannot be in a line is refused, and a full disk is a failure")
def no_line():
    here = new_folder() / "a\nb"
    here.mkdir()
    for out, cwd, named in ("a\nb", None, "a?b/red/1"), ("out", here, f"{here.parent}/a?b"):
        done = sluice("run", config(), "--seeds", "1..2", "--commands", "--out", out, cwd=cwd)
        same((done.returncode, done.stdout, done.stderr), (1, "", f"sluice run: --commands: found the end of a line in '{named}',"
             " allowed names and values without, as each command is a line\n"), out)
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([program(), "run", config(), "--seeds", "1..2", "--commands"], cwd=new_folder(), stdout=full,
                              stderr=subprocess.DEVNULL, check=False)
    same(done.returncode, 1, "exit status with a full disk")


# --- What is run ----------------------------------------------------------------------------------


def runs_of(text, *words):
    out = new_folder() / "out"
    many(scenario(text), out, *words)
    return [run["folder"] for run in summary_of(out)["runs"]]


@case("which runs there are: variants, points and seeds, in the order of the file and the command line")
def which():
    rates = ["rate=20kbit_s", "rate=40kbit_s"]
    same(runs_of("", "--seeds", "7..8"), ["7", "8"], "seeds of a plain file")
    same(runs_of(VARIANTS, "--seeds", "3..3"), ["red/3"], "the default variant")
    same(runs_of(VARIANTS, "--variant", "cobalt", "--variant", "red", "--seed", "4"),
         ["cobalt/4", "red/4"], "variants in the order asked for")
    same(runs_of(SWEEP), [f"{rate}/1" for rate in rates], "a sweep")
    same(runs_of(VARIANTS + SWEEP, "--variant", "all", "--set", "run.seed=9"),
         [f"{variant}/{rate}/9" for variant in ("red", "cobalt") for rate in rates], "all")
    same(runs_of(VARIANTS + SWEEP, "--point", rates[1], "--seeds", "1..2"),
         [f"red/{rates[1]}/{seed}" for seed in (1, 2)], "one point")


OWN_AXES = """
variants {
    default = "codel",
    variant { name = "tail", set = "class[*].aqm.name=tail-drop" },
    variant { name = "codel", set = "class[*].aqm.name=codel",
        axis { key = "class[*].aqm.target", values = { "10 ms", "40 ms" } } },
    variant { name = "pie", set = "class[*].aqm.name=pie",
        axis { key = "class[*].aqm.ref", name = "target", values = { "40ms" } },
        axis { key = "class[*].aqm.burst", values = { "0 ms", "150 ms" } } },
}
"""
OF_CODEL, OF_PIE = ("target=10ms", "target=40ms"), ("target=40ms,burst=0ms", "target=40ms,burst=150ms")


@case("a variant's own axes: its points are the sweep's with each of its own values, and no other's")
def own_axes():
    codel, pie = [f"codel/{point}/1" for point in OF_CODEL], [f"pie/{point}/1" for point in OF_PIE]
    same(runs_of(OWN_AXES, "--variant", "all"), ["tail/1", *codel, *pie], "all")
    same(runs_of(OWN_AXES), codel, "the default's")
    same(runs_of(OWN_AXES, "--variant", "pie"), pie, "of one")
    same(runs_of(OWN_AXES, "--variant", "tail", "--variant", "codel"), ["tail/1", *codel], "of two")
    out = new_folder() / "out"
    done = many(scenario(OWN_AXES + SWEEP), out, "--variant", "all")
    rates = "rate=20kbit_s", "rate=40kbit_s"
    runs = ([f"tail/{rate}/1" for rate in rates] + [f"codel/{rate},{own}/1" for rate in rates for own in OF_CODEL]
            + [f"pie/{rate},{own}/1" for rate in rates for own in OF_PIE])
    same([run["folder"] for run in summary_of(out)["runs"]], runs, "with a sweep")
    for folder in runs:
        check_sound(summary_of(out / folder))
    same(summary_of(out / runs[-1])["overrides"],
         ["class[*].aqm.name=pie", "nse.bvc.rate=40 kbit/s", "class[*].aqm.ref=40ms", "class[*].aqm.burst=150 ms"],
         "overrides of the last")
    groups = {group["variant"] + " " + group["point"]: group for group in summary_of(out)["variants"]}
    same([groups["tail rate=20kbit_s"].get(key) for key in ("axes", "own_axes", "own_point")],
         [{"rate": "20 kbit/s"}, None, None], "axes of a variant that has none of its own")
    last = groups["pie rate=40kbit_s,target=40ms,burst=150ms"]
    same((last["axes"], last["own_axes"], last["own_point"]),
         ({"rate": "40 kbit/s"}, {"target": "40 ms", "burst": "150 ms"}, "target=40ms,burst=150ms"), "axes of the last")
    page = (out / "report.html").read_text()
    right("5 variants at 2 points" in page, "what the page compares")
    right("pie target=40ms,burst=150ms" in page and "over rate</h3>" in page and "over target" not in page, "its figures")
    found = [tuple(row.values())[:5] for row in rows_of(out) if row["class"] == "background"]
    same(found, [("tail/rate=20kbit_s/1", "tail", "20 kbit/s", "", ""), ("tail/rate=40kbit_s/1", "tail", "40 kbit/s", "", "")]
         + [(f"codel/rate={rate}kbit_s,target={target}ms/1", "codel", f"{rate} kbit/s", f"{target} ms", "")
            for rate in (20, 40) for target in (10, 40)]
         # labels are names of values: a value that two variants write otherwise is the first's
         + [(f"pie/rate={rate}kbit_s,target=40ms,burst={burst}ms/1", "pie", f"{rate} kbit/s", "40 ms", f"{burst} ms")
            for rate in (20, 40) for burst in (0, 150)], "runs.csv")
    lines = done.stdout.splitlines()
    heads = [i for i, line in enumerate(lines) if line.startswith(("  rate=20kbit_s ", "  rate=40kbit_s "))]
    same([(lines[i].split(), lines[i + 1].split()) for i in heads],
         [([rate, *names], own) for rate in rates for names, own in (
             (["tail", "codel", "codel", "pie"], ["target=10ms", "target=40ms", "target=40ms"]),
             (["pie"], ["target=40ms"]))], "side by side")
    right(lines[heads[0] + 2].split() == ["burst=0ms"], lines[heads[0] + 2])
    alone = new_folder() / "out"
    many(scenario(OWN_AXES + SWEEP), alone, "--variant", "codel", "--point", "rate=40kbit_s,target=40ms", "--seed", "1")
    same((alone / "summary.json").read_bytes(), (out / "codel/rate=40kbit_s,target=40ms/1/summary.json").read_bytes(),
         "a point alone")
    done = sluice("run", scenario(OWN_AXES + SWEEP), "--variant", "tail", "--point", "rate=40kbit_s,target=40ms")
    same((done.returncode, done.stderr), (2, "--point rate=40kbit_s,target=40ms: found 2 values, allowed one for each of"
                                          " 1 axes\n"), "a point that the variant does not have")


@case("what does not go together is said, with exit status 2, and nothing is run")
def refused():
    real = (ROOT / "tests/config/mistakes/real.lua").read_text()
    plain, sweep, not_virtual = scenario(VARIANTS), scenario(SWEEP), written(real)
    real_variant = written(
        real + 'variants { variant { name = "virtual", set = "run.name=x" }, variant { name = "real" } }')
    several = "allowed with several runs only: --seeds, --variant all, a sweep { }"
    for path, words, said in (
            (plain, ("--resume",), f"sluice run: --resume: {several}"),
            (plain, ("--variant", "red", "--commands"), f"sluice run: --commands: {several}"),
            (plain, ("--seeds", "1..3", "--commands", "--jobs", "2"), "sluice run: --commands: found --jobs as well; the"
             " program that runs the commands chooses how many at a time"),
            (plain, ("--seeds", "1..3", "--commands", "--force"), "sluice run: --commands: found --force as well; only what"
             " is missing is printed; give another --out"),
            (plain, ("--seeds", "3..1"), "sluice run: --seeds: found 3..1, allowed A..B, such as 1..10:"
             " whole numbers up to 2^53, from A to B, 100000 at most"),
            (plain, ("--seeds", "1..3", "--seed", "2"), "sluice run: --seeds: found a single seed as"
             " well, run.seed=2; allowed one of them"),
            (plain, ("--jobs", "0"), "sluice run: --jobs: found 0, allowed a whole number, 1 to 4096"),
            (plain, ("--variant", "all", "--variant", "red"),
             "sluice run: --variant: found red, allowed each variant once, or all alone"),
            (plain, ("--variant", "red", "--variant", "cobelt"), "--variant cobelt: unknown variant;"
             " allowed: red, cobalt; did you mean cobalt?"),
            (sweep, ("--variant", "all"), "--variant all: the file has no variants { }"),
            (sweep, ("--point", "rate=2"), '--point rate=2: found "rate=2" for axis 1, allowed'
             " rate=20kbit_s, rate=40kbit_s"),
            (real_variant, ("--variant", "all"),
             'sluice run: several runs: allowed with run.clock = "virtual" only'),
            (not_virtual, ("--seeds", "1..3"),
             'sluice run: several runs: allowed with run.clock = "virtual" only')):
        out = new_folder() / "out"
        done = sluice("run", path, "--out", out, *words)
        same((done.returncode, done.stdout, done.stderr), (2, "", said + "\n"), words)
        right(not out.exists(), f"{words}: it made {out}")
    for text in ("1..", "..3", "a..b", "-1..3", "1...3", "1..3x", "", "1..100001", "1 .. 3"):
        same(sluice("run", plain, "--seeds", text).returncode, 2, f"--seeds {text!r}")


@case("as many --set as one may want reach every run")
def many_sets():
    sets = [word for n in range(63) for word in ("--set", f"queue.packets={500 + n}")]
    out = new_folder() / "out"
    many(config(), out, "--seed", "4", *sets, "--set", "nse.bvc.rate=30 kbit/s", "--variant", "all")
    for variant in "red", "cobalt":
        found = summary_of(out / variant / "4")
        same((found["seed"], found["overrides"][-1]), (4, "nse.bvc.rate=30 kbit/s"), variant)


def refused_by_both(text, words, *lines):
    """check and run say the same, each with its own name in the last line, and nothing is run."""
    path, out = scenario(text), new_folder() / "out"
    every = [word for word in words if word not in ("--variant", "all")]  # check has no `all`: it takes every variant
    for done in sluice("check", path, *every), sluice("run", path, *words, "--out", out):
        same((done.returncode, done.stdout), (2, ""), f"exit status and stdout\n{done.stderr}")
        same([line.replace(str(path), "FILE").replace("sluice check", "sluice run") for line in done.stderr.splitlines()],
             list(lines), f"{done.args[1]}: {text} {words}")
    right(not out.exists(), f"it made {out}")


LAST = len((ROOT / "tests/e2e/udp.lua").read_text().splitlines()) + 1  # the first line of what a scenario adds


@case("a mistake that only one combination has is found by check, and by run before anything runs, with the axes")
def combination():
    refused_by_both('variants { variant { name = "a" }, variant { name = "b", set = "lab.traffic[4].stop=4 s" } }\n'
                    'sweep { axis { key = "lab.traffic[4].start", values = { "3 s", "4200 ms" } } }\n', ("--variant", "all"),
                    f"FILE:{LAST}: lab.traffic[4].stop: found 4 s, allowed more than start, 4200 ms",
                    "sluice run: that is in variant b at point start=4200ms: lab.traffic[4].start=4200 ms")
    contradiction = (f'FILE:{LAST + 1}: class[1].aqm.name: found "codel" with values that contradict each other: '
                     "target must not be above interval")
    refused_by_both('sweep { axis { key = "nse.bvc.rate", values = { "20 kbit/s" } } } variants { variant { name = "a" },\n'
                    'variant { name = "b", set = "class[background].aqm.name=codel", '
                    'axis { key = "class[background].aqm.target", values = { "9 ms", "9 s" } } } }', ("--variant", "all"),
                    contradiction,
                    "sluice run: that is in variant b at point rate=20kbit_s,target=9s: nse.bvc.rate=20 kbit/s, "
                    "class[background].aqm.target=9 s")


FOUR = """
variants {
    variant { name = "red" },
    variant { name = "cobalt", set = { "class.aqm.name=cobalt", "class.aqm.target=20 ms" } },
    variant { name = "target", set = "class[streaming].aqm.target=30 ms" },
    variant { name = "codel", set = "class[*].aqm.name=codel" },
}
"""
EVERY, TWO, CODEL = ("--variant", "all"), ("--variant", "codel", "--variant", "red"), ("--variant", "codel")


@case("--set of what one of several variants sets itself is refused: which key, and whose")
def variant_replaced():
    plain, file = scenario(FOUR + SWEEP), written('return { "queue.packets=9", "class[*].aqm.name=pie" }')
    for words, path, *lines in (
            (EVERY, "class[*].aqm.name=pie", ("aqm.name", "cobalt, codel"), ("aqm.target", "target")),
            (EVERY, "class[background].aqm.name=red", ("aqm.name", "cobalt, codel")),
            (EVERY, "class[streaming].aqm.target=9 ms", ("aqm.target", "target")),
            (TWO, "class[streaming].aqm.name=codel", ("aqm.name", "codel")),
            (TWO, f"@{file}", ("aqm.name", "codel"))):
        out = new_folder() / "out"
        done = sluice("run", plain, *words, "--seeds", "1..2", "--set", "queue.octets=9 kB", "--set", path, "--out", out)
        place = path if path[0] == "@" else path.split("=")[0]
        said = [line for line in done.stderr.splitlines() if ": warning: " not in line]
        same((done.returncode, done.stdout, said),
             (2, "", [f"--set {place}: replaces {key} of variant {names}; choose one variant with --variant, or set it in the file"
                      for key, names in lines]), f"{words} {path}")
        right(not out.exists(), f"{path}: it made {out}")


@case("--set of what a variant sets is done where it runs alone, and the page says it; so is what no variant sets")
def variant_alone():
    for words, path in ((CODEL, "class[*].aqm.name=pie"), ((), "class[*].aqm.name=pie"),
                        (TWO, "class[streaming].aqm.target=9 ms"), (EVERY, "class[*].lifetime=7 s")):
        out = new_folder() / "out"
        many(scenario(FOUR), out, *words, "--seeds", "1..2", "--set", path)
        same({summary_of(out / run["folder"])["overrides"][-1] for run in summary_of(out)["runs"]}, {path}, f"{words} {path}")
        right(f"<code>{path}</code>" in (out / "report.html").read_text(), f"{words}: the page does not say {path}")
    out = new_folder() / "out"
    many(scenario(FOUR), out, *CODEL, "--set", "class[*].aqm.name=pie")
    right("<code>class[*].aqm.name=pie</code>" in (out / "report.html").read_text(), "the page of a single run")


RATES = 'axis { key = "nse.bvc.rate", values = { "20 kbit/s", "40 kbit/s" } }'
AT_FIRST = "sluice run: that is at point rate=20kbit_s: nse.bvc.rate=20 kbit/s"


@case("an axis of which another axis, --set, --seed or --seeds leaves nothing is refused, and both are named")
def overwritten():
    left = "sets all that {} sets; leave one of them out"
    first = left.format("sweep.axis[1] (nse.bvc.rate)")
    for key in "nse.bvc.rate", "bvc.rate", "nse[1].bvc[1].rate":
        refused_by_both(f'sweep {{ {RATES}, axis {{ name = "r", key = "{key}", values = {{ "30 kbit/s" }} }} }}', (),
                        f"FILE:{LAST}: sweep.axis[2].key: {key} {first}",
                        f"sluice run: that is at point rate=20kbit_s,r=30kbit_s: nse.bvc.rate=20 kbit/s, {key}=30 kbit/s")
        refused_by_both(f"sweep {{ {RATES} }}", ("--set", f"{key}=30 kbit/s"), f"--set {key}: {first}", AT_FIRST)
    own = ('variants { variant { name = "v", set = "class[*].aqm.name=codel",\n'
           'axis { key = "class[*].aqm.target", values = { "9 ms" } } } }')
    at_own = "sluice run: that is in variant v at point target=9ms: class[*].aqm.target=9 ms"
    of_own = left.format("variants.variant[1].axis[1] (class[*].aqm.target)")
    refused_by_both(own, ("--variant", "all", "--set", "class[*].aqm.target=8 ms"), f"--set class[*].aqm.target: {of_own}",
                    at_own)
    refused_by_both(own, ("--variant", "all", "--set", "class[*].aqm.name=pie"), f"--set class[*].aqm.name: {of_own}", at_own)
    settings = written('return { "class[*].aqm.target=8 ms" }')
    refused_by_both(own, ("--variant", "all", "--set", f"@{settings}"), f"--set @{settings}: {of_own}", at_own)
    seeds = 'sweep { axis { key = "run.seed", values = { 3, 4 } } }'
    of_seeds = [f"--set run.seed: {left.format('sweep.axis[1] (run.seed)')}", "sluice run: that is at point seed=3: run.seed=3"]
    refused_by_both(seeds, ("--seed", "3"), *of_seeds)
    out = new_folder() / "out"
    done = sluice("run", scenario(seeds), "--seeds", "3..3", "--out", out)
    same((done.returncode, done.stderr.splitlines()), (2, of_seeds), "--seeds")


@case("what only a part of an axis is overwritten by is none: the rest differs from point to point")
def partly_overwritten():
    own = ('variants { variant { name = "v", set = "class[*].aqm.name=codel",\n'
           'axis { key = "class[*].aqm.target", values = { "8 ms", "9 ms" } } } }')
    out = new_folder() / "out"
    many(scenario(own), out, "--set", "class[interactive-1].aqm.target=5 ms")
    same([summary_of(out / run["folder"])["overrides"] for run in summary_of(out)["runs"]],
         [["class[*].aqm.name=codel", f"class[*].aqm.target={target} ms", "class[interactive-1].aqm.target=5 ms"]
          for target in (8, 9)], "overrides")


@case("an axis of run.seed: each point has its seed, as the run alone")
def axis_of_seeds():
    out = new_folder() / "out"
    many(scenario('sweep { axis { key = "run.seed", values = { 3, 4 } } }'), out)
    same([(run["folder"], summary_of(out / run["folder"])["seed"]) for run in summary_of(out)["runs"]],
         [("seed=3/3", 3), ("seed=4/4", 4)], "seeds")


main()
