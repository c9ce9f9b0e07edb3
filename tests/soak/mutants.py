#!/usr/bin/python3
"""Plants faults, one at a time, in a copy of the tree, and runs the tests near each fault. Lists
each fault that no test finds (the fault "lived"), with file and line: a test is missing there.

    mutants.py                         a sample of dataplane/, lua/, control/ and lab/
    mutants.py control/export          a sample of one folder or file
    mutants.py --only FILE:LINE[:N]... all faults at a line, or the fault with that name in a report
    mutants.py --same-as REPORT        the faults of a --json of another commit: do the tests still catch them?
    mutants.py --list                  lists the faults, plants none
    mutants.py --measure               which test runs which line, for all later runs: half an hour
    mutants.py --check                 self-test: faults with a known verdict

The copies and their builds stay in build/mutants, so that a second run is quicker.
"""

import argparse
import collections
import concurrent.futures
import fcntl
import json
import os
import queue
import resource
import signal
import sys
import time

from planting import choice, faults, judge, reach
from planting.copies import ROOT

FOLDER = ROOT / "build/mutants"
FAULTS = 40
BUDGET_S = 300
DATA_OCTETS = 12 * 2**30  # a program with a fault may allocate without end

# The self-test's faults: OLD becomes NEW in FILE, and the verdict must be VERDICT.
Sample = collections.namedtuple("Sample", "what file old new verdict")
SAMPLES = [
    Sample("a wrong octet of a header", "dataplane/wire/udp.c", "put_be16(b + 2, ",
           "put_be16(b + 3, ", judge.CAUGHT),
    Sample("an endless loop", "dataplane/wire/udp.c", "put_be16(b + 2, ",
           "for (volatile int i = 0; !i;) {}\n    put_be16(b + 2, ", judge.CAUGHT),
    Sample("a skipped step in Lua", "lua/sluice/core/timers.lua", "child = child + 1",
           "child = child + 0", judge.CAUGHT),
    Sample("what only whole runs show", "lab/lab_setup.c", "owner.self = at;", "{}", judge.CAUGHT),
    Sample("C, no effect", "dataplane/wire/udp.c", "return ", "return 0 + ", judge.SAME),
    Sample("Lua, no effect", "lua/sluice/core/timers.lua", "local function", "local  function",
           judge.SAME),
    Sample("invalid C", "dataplane/wire/udp.c", "return ", "return return ", judge.REFUSED),
    Sample("invalid Lua", "lua/sluice/core/timers.lua", "local function", "local local function",
           judge.REFUSED),
]


def limits():
    for what, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_DATA, DATA_OCTETS)):
        hard = resource.getrlimit(what)[1]
        resource.setrlimit(what, (most if hard < 0 else min(most, hard), hard))


# --- A run ----------------------------------------------------------------------------------------


def kept_rows(path):
    """{name and planted line of a fault that an earlier run found caught: verdict}"""
    if path and not path.exists():
        sys.exit(f"--kept: there is no file {path}")
    rows = json.loads(path.read_text())["judged"] if path else []
    return {(row["place"], row["after"]): judge.Verdict(judge.CAUGHT, row["by"], row["run"], [], row["seconds"])
            for row in rows if row["verdict"] == judge.CAUGHT}


def first_that_counts(bench, place, equivalents, passed_over, kept):
    """The verdict on the first fault that compiles, has an effect and is no known equivalent."""
    for fault in place:
        verdict = kept.get((choice.name_of(fault), fault.new_line))
        if verdict:
            return fault, verdict
    for fault in place:
        if (fault.path, fault.function, choice.planted(fault)) in equivalents:
            passed_over.append((fault, "named in equivalents.txt"))
            continue
        verdict = bench.judge(fault)
        if verdict.what in (judge.CAUGHT, judge.LIVED):
            return fault, verdict
        passed_over.append((fault, verdict.what))
    return None


def judged(places, benches, equivalents, passed_over, kept):
    """Yields (fault, verdict) in the order of completion."""
    free = queue.SimpleQueue()
    for bench in benches:
        free.put(bench)

    def one(place):
        bench = free.get()
        try:
            return first_that_counts(bench, place, equivalents, passed_over, kept)
        finally:
            free.put(bench)

    with concurrent.futures.ThreadPoolExecutor(len(benches)) as pool:
        futures = [pool.submit(one, place) for place in places]
        try:
            for future in concurrent.futures.as_completed(futures):
                if future.result():
                    yield future.result()
        except BaseException:
            judge.stopping.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(judge.runner.running):
                judge.runner.kill_group(process)
            raise


def show(number, fault, verdict):
    lived = verdict.what == judge.LIVED
    print(f"{'not ok' if lived else 'ok'} {number} - {choice.name_of(fault)} {fault.function}:"
          f" {fault.kind}, {verdict.what}{' by ' + verdict.by if verdict.by else ''}"
          f" ({len(verdict.ran)} tests, {verdict.seconds:.0f} s)")
    if lived:
        print(f"#   before: {fault.old_line}\n#   after:  {fault.new_line}")
        print(f"#   run: {' '.join(verdict.ran) or 'no test reaches it'}")
    if verdict.left:
        print(f"#   not run, the time is over: {' '.join(verdict.left)}")
    sys.stdout.flush()


def table(results, passed_over):
    whats = (judge.CAUGHT, judge.LIVED, judge.SAME, "named in equivalents.txt", judge.REFUSED)
    counts = collections.Counter((fault.path.split("/")[0], verdict.what)
                                 for fault, verdict in results)
    counts.update((fault.path.split("/")[0], what) for fault, what in passed_over)
    for half in sorted({half for half, _ in counts}):
        row = ", ".join(f"{counts[half, what]} {what}" for what in whats if counts[half, what])
        print(f"# {half}: {row}")
    planted = [v.what for _, v in results]
    if planted:
        print(f"# {100 * planted.count(judge.CAUGHT) / len(planted):.1f} % caught;"
              f" {sum(v.seconds for _, v in results) / len(planted):.0f} s a fault")


def as_json(path, seed, results, passed_over):
    def row(fault):
        return {"place": choice.name_of(fault), "function": fault.function, "kind": fault.kind,
                "before": fault.old_line, "after": fault.new_line}
    path.write_text(json.dumps({
        "seed": seed,
        "judged": [{**row(f), "verdict": v.what, "by": v.by, "run": v.ran, "left": v.left,
                    "seconds": round(v.seconds, 1)} for f, v in results],
        "passed_over": [{**row(f), "why": why} for f, why in passed_over]}, indent=1) + "\n")


def lock(args):
    FOLDER.mkdir(parents=True, exist_ok=True)
    args.lock = (FOLDER / "lock").open("w")
    try:
        fcntl.flock(args.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.exit(f"another run plants in {FOLDER}")


def same_as(path):
    """(the seed of a report, its [[fault]] as far as this tree has the line, {fault: the test that caught it})"""
    report = json.loads(path.read_text())
    rows = report["judged"]
    paths = sorted({row["place"].split(":")[0] for row in rows})
    there = {(fault.path, fault.function, choice.planted(fault)): fault
             for text in choice.texts(path for path in paths if (ROOT / path).exists()) for fault in text.faults()}
    places, catcher = [], {}
    for row in rows:
        fault = there.get((row["place"].split(":")[0], row["function"], f"{row['before']} => {row['after']}"))
        if fault:
            places.append([fault])
            catcher[fault] = row["by"].split(":")[0]
        else:
            print(f"# {row['place']} {row['function']}: not in this tree: {row['before']}")
    return report["seed"], places, catcher


def benches_for(args):
    lock(args)
    whole = judge.Whole(FOLDER, args.build, args.first, args.catcher)
    ninjas = max(1, (os.cpu_count() or 1) // args.jobs)
    return whole, [judge.Bench(FOLDER, str(i + 1), whole, args.budget, ninjas)
                   for i in range(args.jobs)]


def plant_all(args, places):
    start, kept = time.monotonic(), kept_rows(args.kept)
    equivalents = choice.equivalents()
    stale = list(choice.stale(equivalents))
    whole, benches = benches_for(args)
    print(f"# seed {args.seed}, {len(places)} faults, {args.jobs} at a time, build {args.build};"
          f" ready after {time.monotonic() - start:.0f} s", flush=True)
    results, passed_over = [], []
    for number, (fault, verdict) in enumerate(
            judged(places, benches, {} if args.only or args.same_as else equivalents, passed_over, kept), 1):
        results.append((fault, verdict))
        show(number, fault, verdict)
        if args.json:
            as_json(args.json, args.seed, results, passed_over)
    if args.only or args.same_as:
        for fault, why in passed_over:
            print(f"# {choice.name_of(fault)}: {why}: {fault.new_line}")
    table(results, passed_over)
    broken = [f"{name} fails without a fault: {how}" for name, how in whole.known.sound.items()
              if how != "good"]
    for sentence in stale + broken:
        print(f"not ok - {sentence}")
    lived = sum(verdict.what == judge.LIVED for _, verdict in results)
    failed = lived + len(stale) + len(broken)
    print(f"{time.monotonic() - start:.0f} s\n{len(results) - lived} passed, {failed} failed")
    return 1 if failed else 0


# --- The commands ---------------------------------------------------------------------------------


def measure(args):
    lock(args)
    failed = 0
    lines = reach.Reach(FOLDER)
    for number, (name, why) in enumerate(reach.measure(FOLDER, lines, judge.programs_of, judge.run, args.jobs), 1):
        failed += bool(why)
        print(f"{'not ok' if why else 'ok'} {number} - {name}{': ' if why else ''}{why}", flush=True)
    print(f"{number - failed} passed, {failed} failed")
    return 1 if failed else 0


def check(args):
    _, benches = benches_for(args)
    failed = 0
    for number, sample in enumerate(SAMPLES, 1):
        text = (ROOT / sample.file).read_text()
        at = text.index(sample.old)
        fault = faults.Fault(sample.file, "", text.count("\n", 0, at) + 1, "", at,
                             at + len(sample.old), sample.new, "", "")
        verdict = benches[0].judge(fault)
        good = verdict.what == sample.verdict
        failed += not good
        print(f"{'ok' if good else 'not ok'} {number} - {sample.what}: {verdict.what}"
              f" {verdict.by} ({verdict.seconds:.0f} s)", flush=True)
    print(f"{len(SAMPLES) - failed} passed, {failed} failed")
    return 1 if failed else 0


def list_all(places):
    for place in places:
        fault = place[0]
        print(f"{choice.name_of(fault)} {fault.function}: {fault.kind}\n"
              f"    {fault.old_line}\n    {fault.new_line}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", nargs="?", help="plant only in this folder or file")
    parser.add_argument("--seed", default="1", help="seed of the sample (1)")
    parser.add_argument("--faults", type=int, default=FAULTS, help=f"number of faults ({FAULTS})")
    parser.add_argument("--only", nargs="+", metavar="FILE:LINE[:N]")
    parser.add_argument("--same-as", type=lambda name: ROOT / name, metavar="REPORT",
                        help="a --json of another commit; the test that caught a fault there, runs first")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--json", type=lambda name: ROOT / name, metavar="FILE")
    parser.add_argument("--kept", type=lambda name: ROOT / name, metavar="FILE",
                        help="a --json of the same tree and seed: what it says is caught, is not judged again")
    parser.add_argument("--first", nargs="+", default=[], metavar="TEST", help="tests that run before others")
    parser.add_argument("--jobs", type=int, default=2, help="copies that work in parallel (2)")
    parser.add_argument("--budget", type=int, default=BUDGET_S, help=f"seconds a fault ({BUDGET_S})")
    parser.add_argument("--build", choices=judge.BUILDS, default="release")
    parser.add_argument("--deep", action="store_true", help="with all inputs, as `./run test --deep`")
    args = parser.parse_args()
    if args.deep:
        os.environ["TEST_DEEP"] = "1"
    limits()
    args.catcher = {}
    if args.check or args.measure:
        return check(args) if args.check else measure(args)
    if args.same_as:
        args.seed, places, args.catcher = same_as(args.same_as)
    else:
        places = sum(map(choice.at_line, args.only), []) if args.only else choice.places(
            args.folder and args.folder.rstrip("/"), args.seed, args.faults)
    if not places:
        sys.exit("no fault fits there")
    return list_all(places) if args.list else plant_all(args, places)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
