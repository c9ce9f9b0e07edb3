#!/usr/bin/python3
"""Every setting of the catalogue on every load: which one do the people of a cell feel least?

    tournament.py [--seeds A..B] [--loads WORD...] [--settings WORD...] [--out DIR] [--jobs N]

What there is already of this program, this file, load, setting and seed is not run again. Writes DIR/results.jsonl, a
line a run, and DIR/index.html: by load the figures of each setting and the regret of each figure, then the worst regret of each setting.
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

import page
from catalogue import SETTINGS
from judge import Judged
from loads import LOADS, SCENARIOS

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
    return (SCENARIOS / load.file).read_text() if load.file else load.cell.text(name, seed, load.ecn)


def written(folder, setting):
    """The file of the setting's changes; None: it has none."""
    if not SETTINGS[setting]:
        return None
    path = folder / "settings.lua"
    path.write_text("return {\n" + "".join(f'    "{change}",\n' for change in SETTINGS[setting]) + "}\n")
    return path


def table(folder, name):
    with open(folder / f"{name}.csv", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def of_downloads(folder, seconds, files=False):
    """Fairness is among those without an end, if there are any: who has all that he wants can have no more. files: none
    is without."""
    rows = [row for row in table(folder, "applications")
            if row["application"] == "ftp" or row["application"] == "http" and row["class"] == "background"]
    if not rows:
        return {}
    endless = [row for row in rows if row["application"] == "ftp" and not (files or int(row["transfers"]))] or rows
    octets = [int(row["ms_arrived_octets"]) for row in endless]
    squares = sum(n * n for n in octets)
    return {"downloads": sum(int(row["ms_arrived_octets"]) for row in rows) * 8 / seconds,
            "least user": min(octets) * 8 / seconds,
            "jain": sum(octets) ** 2 / (len(octets) * squares) if squares else 0}


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


def figures(folder, files=False):
    """Of a run, by name: see judge.py. files: all its downloads fetch one after the other."""
    summary = json.loads((folder / "summary.json").read_text())
    seconds = float(summary["virtual_s"])
    return {
        "sound": summary["sound"] and summary["complete"],
        "goodput": sum(of["goodput_bit_per_s"] for of in summary["applications"].values()),
        **of_downloads(folder, seconds, files),
        **of_applications(summary["applications"], seconds, files),
        **{f"delay p95, {name}": of["delay_ms"]["p95"] for name, of in summary["classes"].items() if of["packets"]},
    }


def run(load_name, setting, seed):
    load = LOADS[load_name]
    with tempfile.TemporaryDirectory(prefix="tournament_") as folder:
        folder = pathlib.Path(folder)
        file = SCENARIOS / load.file if load.file else folder / "load.lua"
        if not load.file:
            file.write_text(configuration(load, load_name, seed))
        done = subprocess.run(
            [PROGRAM, "run", file, "--seed", str(seed), "--no-page", "--no-huge", "--out", folder / "out",
             *arguments(load, written(folder, setting))], capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{load_name}, {setting}, seed {seed}: {done.stderr}")
        return figures(next((folder / "out").rglob("summary.json")).parent, bool(getattr(load.cell, "files", None)))


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
             arguments(load, ""), SETTINGS[setting], seed]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", default="1..5")
    parser.add_argument("--loads", nargs="+", default=[])
    parser.add_argument("--settings", nargs="+", default=[])
    parser.add_argument("--out", type=pathlib.Path, default=ROOT / "out/papers/tournament")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    first, last = (int(n) for n in args.seeds.split(".."))
    args.out.mkdir(parents=True, exist_ok=True)
    loads = chosen_of(LOADS, args.loads)
    settings = list(dict.fromkeys([*chosen_of(SETTINGS, args.settings), "plain", "recommended"]))
    judged = Judged(measured(loads, settings, range(first, last + 1), args.out, args.jobs), loads, settings)
    unsound = judged.unsound()
    if unsound:
        sys.exit(f"not sound: {unsound}")
    print(judged.text())
    (args.out / "index.html").write_text(page.of(judged, LOADS, first, last))
    print(f"\n  page            {args.out / 'index.html'}")


if __name__ == "__main__":
    main()
