#!/usr/bin/python3
"""Each test of suite `realtime` again and again while stress-ng holds every processor four times over: none may fail.

    flaky.py [WORD...] [--runs N] [--build NAME]... [--at-once N] [--patience N]

WORDs choose tests by a part of their name or suite; each runs N times (20), in the release and in other trees of
build/ that are named, such as asan and tsan. A failure is shown when it happens and its whole
output stays in build/log/flaky. A table of all tests and one line of runs at the end: N passed, M failed.
"""

import argparse
import collections
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))

import busy  # noqa: E402
import runner  # noqa: E402
import selection  # noqa: E402

SUITE = "realtime"
LOGS = ROOT / "build/log/flaky"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="choose tests by a part of their name or suite")
    parser.add_argument("--runs", type=int, default=20, help="of each test (20)")
    parser.add_argument("--build", action="append", help="a tree of build/, several times for several (release)")
    parser.add_argument("--at-once", type=int, default=runner.AT_ONCE, help="programs at a time")
    parser.add_argument("--patience", type=int, default=2 * busy.TIMES, help="times every time limit")
    return parser.parse_args()


def programs_of(build, words):
    """Those of the suite that a word names, or all."""
    named, ours = ({program.name: program for program in runner.meson_tests(
        ROOT, build, some, lambda entry: build in selection.trees_of(ROOT, entry, deep=True))} for some in (words, [SUITE]))
    return [program for name, program in ours.items() if name in named]


def is_failed(result):
    return runner.counts_of(result)[2] > 0


def judge(result):
    """Shows a failure, and keeps its output; that of others goes."""
    if is_failed(result):
        runner.print_result(result)
    else:
        result.output.unlink()
        result.errors.unlink()


def run_all(programs, args, results):
    for number in range(1, args.runs + 1):
        begin, before = time.monotonic(), len(results)
        folder = LOGS / str(number)
        folder.mkdir(parents=True)
        for result in runner.run_all(programs, folder, args.at_once, args.patience):
            judge(result)
            results.append(result)
        failed = sum(map(is_failed, results[before:]))
        print(f"run {number} of {args.runs}: {len(programs) - failed} passed, {failed} failed, "
              f"{time.monotonic() - begin:.0f} s", flush=True)


def table(results):
    of = collections.defaultdict(list)
    for result in results:
        of[result.program.name, result.program.build].append(result)
    lines = [f"{'test':<28} {'build':<8} {'runs':>5} {'failures':>9} {'median s':>9} {'longest s':>10}"]
    for (name, build), some in sorted(of.items()):
        seconds = [result.seconds for result in some]
        lines.append(f"{name:<28} {build:<8} {len(some):>5} {sum(map(is_failed, some)):>9} "
                     f"{statistics.median(seconds):>9.1f} {max(seconds):>10.1f}")
    skips = {line for result in results for line in runner.skips_of(result)}
    return "\n".join([*lines, *sorted(skips)])


def main():
    args = arguments()
    if not shutil.which("stress-ng"):
        sys.exit("flaky: stress-ng is missing: ./run packages flaky")
    built = subprocess.run([ROOT / "run", "test", "--build", *args.words], check=False)
    if built.returncode != 0:
        return built.returncode
    programs = [program for build in args.build or ["release"] for program in programs_of(build, args.words)]
    if not programs:
        sys.exit(f"flaky: no test of suite {SUITE} has a name with one of {args.words} in {args.build or 'release'}")
    shutil.rmtree(LOGS, ignore_errors=True)
    processors = len(os.sched_getaffinity(0))
    holders, results = busy.hold(processors), []
    print(f"{len(holders)} processes hold {processors} processors; {len(programs)} programs, {args.runs} runs of each")
    try:
        run_all(programs, args, results)
    finally:
        busy.release(holders)
        print(table(results))
        failed = sum(map(is_failed, results))
        print(f"{len(results) - failed} passed, {failed} failed", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
