#!/usr/bin/python3
"""Every setting of the catalogue on every load: which one do the people of a cell feel least?

    tournament.py [cells|ablation] [--seeds A..B] [--loads WORD...] [--settings WORD...] [--out DIR] [--jobs N]

`cells` prints a table instead: where phones have radios of their own, what users get with the settings that they may have.
`ablation` prints one of what is worse without each setting of recommended.lua.
What there is already of this program, this file, load, setting and seed is not run again. Writes DIR/results.jsonl, a
line a run, and DIR/index.html: the worst regret of each setting, and by load its figures with the regret of each.
The regret of a figure is how many times worse it is than the best of the settings whose goodput is within 5 % of plain's."""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

import ablation
import page
from catalogue import SETTINGS
from judge import Judged, interval, mean
from loads import CELLS, LOADS, NO_ECN, SCENARIOS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
PROGRAM = pathlib.Path(os.environ.get("SLUICE") or ROOT / "build/release/sluice")


# ---- One run ----

def arguments(load, settings_file):
    args = []
    if load.file:
        for change in (*load.changes, f"tcp.ecn={str(load.ecn).lower()}"):
            args += ["--set", change]
    for key in ("variant", "point"):
        if getattr(load, key):
            args += [f"--{key}", getattr(load, key)]
    for file in (SCENARIOS / "recommended.lua", settings_file):
        if file:
            args += ["--set", f"@{file}"]
    return args


def configuration(load, name, seed):
    return (SCENARIOS / load.file).read_text() if load.file else load.cell.of(name, seed).text(name, seed, load.ecn)


def prepared(folder, load, name, seed):
    """The load's file, with those beside it."""
    if load.file:
        return SCENARIOS / load.file
    file = folder / "load.lua"
    file.write_text(configuration(load, name, seed))
    for walk, text in load.cell.walks().items():
        (folder / walk).write_text(text)
    return file


def changes(load, name, setting, seed):
    """The setting's, for this load: a shaper at Gi has 90 % of what the cell, or an MS, carries."""
    kbit = load.kbit or load.cell.of(name, seed).kbit()
    rates = {of: round(900 * rate) for of, rate in zip(("cell", "ms"), kbit)}
    return [change.format(**rates) for change in SETTINGS[setting]]


def written(folder, changed):
    """The file of these changes; None: there are none."""
    if not changed:
        return None
    path = folder / "settings.lua"
    path.write_text("return {\n" + "".join(f'    "{change}",\n' for change in changed) + "}\n")
    return path


def table(folder, name):
    with open(folder / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of_downloads(rows, seconds, cell):
    """Fairness is among those without an end, if there are any: who has all that he wants can have no more. Of a file's
    load what is fetched by HTTP in background is a download, too; what goes up is none."""
    bounded = cell.bounded() if cell else ()
    rows = [row for row in rows if int(row["ms_sent_octets"]) <= int(row["ms_arrived_octets"]) and (
        row["application"] == "ftp" or not cell and row["application"] == "http" and row["class"] == "background")]
    if not rows:
        return {}
    endless = [row for row in rows if row["application"] == "ftp" and row["ms"] not in bounded and not int(row["transfers"])]
    octets = [int(row["ms_arrived_octets"]) for row in endless or rows]
    squares = sum(n * n for n in octets)
    return {"downloads": sum(int(row["ms_arrived_octets"]) for row in rows) * 8 / seconds,
            "least user": min(octets) * 8 / seconds,
            "jain": sum(octets) ** 2 / (len(octets) * squares) if squares else 0}


def of_groups(rows, seconds, groups):
    """Of the phones of each group: what one gets of downloads and pages, and the mean page."""
    out = {}
    for name, phones in groups.items():
        own = [row for row in rows if row["ms"] in phones]
        out[f"goodput, {name}"] = sum(int(row["ms_arrived_octets"]) for row in own) * 8 / seconds / len(phones)
        pages = [(int(row["pages"]), float(row["page_mean_ms"] or 0)) for row in own if row["application"] == "http"]
        if pages:
            count = sum(n for n, _ in pages)
            out[f"page mean, {name}"] = sum(n * ms for n, ms in pages) / count if count else seconds * 1000
    return out


def of_applications(applications, seconds, files=False):
    """Of what never came to an end in the run the times are the run's: nothing is worse."""
    out, tcp = {}, [of["tcp"] for of in applications.values() if "tcp" in of]
    never = {"n": 0, **dict.fromkeys(("p50", "mean", "p95"), seconds * 1000)}
    if "ping" in applications:
        ping = applications["ping"]
        times = ping.get("round_trip_ms", never)
        out |= {"ping p50": times["p50"], "ping p95": times["p95"],
                "pings lost": ping["unanswered"] / ((times["n"] + ping["unanswered"]) or 1)}
    if "http" in applications:
        page_ms = applications["http"].get("page_ms", never)
        out |= {"page mean": page_ms["mean"], "page p95": page_ms["p95"]}
    if files:
        file_ms = applications["ftp"].get("transfer_ms", never)
        out |= {"file mean": file_ms["mean"], "file p95": file_ms["p95"]}
    if tcp:
        out["sent again"] = sum(of["retransmitted_segments"] for of in tcp) / sum(of["segments"] for of in tcp)
        out["time-outs"] = sum(of["timeouts"] for of in tcp) / seconds * 60
    return out


def figures(folder, cell=None):
    """Of a run, by name: see judge.py."""
    summary = json.loads((folder / "summary.json").read_text())
    seconds, rows, of = float(summary["virtual_s"]), table(folder, "applications"), summary["applications"]
    return {
        "sound": summary["sound"] and summary["complete"],
        "browsing": of["http"]["goodput_bit_per_s"] if "http" in of else 0,
        "goodput": sum(each["goodput_bit_per_s"] for each in of.values()),
        **of_downloads(rows, seconds, cell),
        **of_groups(rows, seconds, cell.groups() if cell else {}),
        **of_applications(of, seconds, bool(cell and (cell.files or cell.small))),
        **{f"delay p95, {name}": each["delay_ms"]["p95"] for name, each in summary["classes"].items() if each["packets"]},
    }


def run(load_name, setting, seed):
    load = LOADS[load_name]
    with tempfile.TemporaryDirectory(prefix="tournament_") as folder:
        folder = pathlib.Path(folder)
        settings = written(folder, changes(load, load_name, setting, seed))
        done = subprocess.run(
            [PROGRAM, "run", prepared(folder, load, load_name, seed), "--seed", str(seed), "--no-page", "--no-huge", "--out", folder / "out",
             *arguments(load, settings)], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{load_name}, {setting}, seed {seed}: {done.stderr}")
        return figures(next((folder / "out").rglob("summary.json")).parent, load.cell and load.cell.of(load_name, seed))


# ---- All of them ----

class Store:
    """Results by what they depend on, one line each; a line that was cut off is left out."""

    def __init__(self, path):
        self.path, self.lock, self.known = path, threading.Lock(), {}
        if path.exists():
            text = path.read_text()
            if not text.endswith("\n"):
                path.write_text(text + "\n")
            for line in text.splitlines():
                try:
                    entry = json.loads(line)
                    self.known[entry["key"]] = entry
                except ValueError:
                    pass

    def put(self, entry):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            self.known[entry["key"]] = entry
            file.write(json.dumps(entry) + "\n")


def digest(program):
    """Of the program, of what it becomes (control/program/front.c), in which the dataplane is, and of what measures it."""
    parts = (program, program.with_name("sluice-dpdk"), pathlib.Path(__file__))
    return hashlib.sha256(b"".join(part.read_bytes() for part in parts)).hexdigest()


def key_of(program, load_name, setting, seed):
    load = LOADS[load_name]
    parts = [program, configuration(load, load_name, seed), (SCENARIOS / "recommended.lua").read_text(),
             arguments(load, ""), changes(load, load_name, setting, seed), seed,
             load.cell and [load.cell.walks(), {name: sorted(phones) for name, phones in load.cell.groups().items()}]]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def measured(names, settings, seeds, out, jobs):
    """Of each (load, setting) the figures by seed."""
    program = digest(PROGRAM)
    store = Store(out / "results.jsonl")
    wanted = [(load, setting, seed) for load in names for setting in settings for seed in seeds]
    keys = {what: key_of(program, *what) for what in wanted}
    missing = [what for what in wanted if keys[what] not in store.known]

    def one(what):
        store.put({"key": keys[what], "load": what[0], "setting": what[1], "seed": what[2], "figures": run(*what)})

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for number, done in enumerate(pool.map(one, missing), 1):
            if sys.stderr.isatty() or number % 100 == 0 or number == len(missing):
                print(f"{number} of {len(missing)} runs", end="\r" if sys.stderr.isatty() else "\n",
                      file=sys.stderr, flush=True)
    return {(load, setting): [store.known[keys[load, setting, seed]]["figures"] for seed in seeds]
            for load in names for setting in settings}


def chosen_of(names, words):
    return [name for name in names if not words or any(word in name for word in words)]


# ---- The table of the cells where phones have radios of their own ----

CELLS_SETTINGS = ("recommended", "plain", "tail drop", "no settings", "CAKE by cell")


def cells_rows(cell):
    """(head, figure, divisor) of what a cell's users notice."""
    if not cell.web:
        return ("all, kbit/s", "goodput", 1000), ("each fast one, kbit/s", "goodput, fast", 1000)
    if not cell.downloads:
        return (("mean page of the fast ones, s", "page mean, fast", 1000),)
    return ("all, kbit/s", "goodput", 1000), ("mean page, s", "page mean", 1000)


def with_interval(values):
    half = interval(values)
    return f"{mean(values):.3g}" + (f" ± {half:.2g}" if half is not None else "")


def cells_table(found):
    """In Markdown: the mean over the seeds and half of its 95 % interval."""
    yield f"| a cell | what | {' | '.join(CELLS_SETTINGS)} |"
    yield "| --- | --- |" + " ---: |" * len(CELLS_SETTINGS)
    for name, cell in CELLS.items():
        for head, figure, divisor in cells_rows(cell):
            each = (with_interval([seed[figure] / divisor for seed in found[name + NO_ECN, s]]) for s in CELLS_SETTINGS)
            yield f"| {name} | {head} | {' | '.join(each)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="?", choices=["cells", "ablation"])
    parser.add_argument("--seeds", default="1..3")
    parser.add_argument("--loads", nargs="+", default=[])
    parser.add_argument("--settings", nargs="+", default=[])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/papers/tournament")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    first, last = (int(n) for n in args.seeds.split(".."))
    seeds = range(first, last + 1)
    args.out.mkdir(parents=True, exist_ok=True)
    loads, settings = chosen_of(LOADS, args.loads), [*chosen_of(SETTINGS, args.settings), "plain", "recommended"]
    if args.what == "cells":
        loads, settings = [name + NO_ECN for name in CELLS], CELLS_SETTINGS
    elif args.what == "ablation":
        settings = [*ablation.ABLATED, "plain", "recommended"]
    settings = list(dict.fromkeys(settings))
    found = measured(loads, settings, seeds, args.out, args.jobs)
    judged = Judged(found, loads, settings, {load: LOADS[load].split(load, seeds) for load in loads})
    unsound = judged.unsound()
    if unsound:
        sys.exit(f"not sound: {unsound}")
    if args.what:
        print("\n".join(cells_table(found) if args.what == "cells" else ablation.table(judged)))
        return
    print(judged.text())
    (args.out / "index.html").write_text(page.of(judged, LOADS, first, last))
    print(f"\n  page            {args.out / 'index.html'}")


if __name__ == "__main__":
    main()
