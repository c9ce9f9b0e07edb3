#!/usr/bin/python3
"""How long `sluice run` takes from SIGINT to its end where twenty others want each processor: 5 s at most.

    ends.py [WORD...] [--runs N] [--others N]

The others are stress-ng's, in sessions of their own; they end after ten minutes at the latest. WORDs choose cases by
a part of their names; each runs N times (5). Prints for each the median and the longest, and the processor's time.
Needs root and /dev/net/tun for the case with taps.
"""

import argparse
import os
import pathlib
import signal
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/e2e"))
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import busy  # noqa: E402
import ending  # noqa: E402
import real_time  # noqa: E402
from harness import json, right, same, until  # noqa: E402
from instance import Instance  # noqa: E402

MOST_S = 5
OTHERS, OTHERS_MOST = 20, "10m"


def in_reload():
    run = real_time.Large(1000000)
    run.process.send_signal(signal.SIGHUP)
    until("the reload is under way", lambda: run.mss_now() > 3, run.said)
    return run


CASES = {
    "300 MSs, a worker that sleeps": Instance,
    "two workers that spin": lambda: Instance("view", "run.idle=spin", "run.workers=2"),
    "frames all the time at both ports": lambda: Instance("view", "gn.device=net_null0", "gb.device=net_null1"),
    "a reload of a million MSs under way": in_reload,
    "10 000 cells, resets of all of them queued": ending.flooded,
}


def seconds_to_end(run):
    """By the clock, and of a processor's time."""
    begin_s, used_s = time.monotonic(), real_time.used_s(run.process)
    run.process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(run.process.pid, 0)
    run.process.returncode = os.waitstatus_to_exitcode(status)
    same(run.process.returncode, 0, f"exit status; it said:\n{run.said()}")
    summary = json.loads((run.out / "summary.json").read_text())
    right(summary["conservation"]["balanced"], "its books do not balance")
    return time.monotonic() - begin_s, usage.ru_utime + usage.ru_stime - used_s


def measured(start, others):
    with start() as run:
        holders = busy.hold(len(os.sched_getaffinity(0)), others, OTHERS_MOST)
        try:
            time.sleep(2)  # for each of them to have a processor
            return seconds_to_end(run)
        finally:
            busy.release(holders)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", help="choose cases by a part of their names")
    parser.add_argument("--runs", type=int, default=5, help="of each case (5)")
    parser.add_argument("--others", type=int, default=OTHERS, help=f"that want each processor ({OTHERS})")
    args = parser.parse_args()
    late, runs = 0, 0
    for name, start in CASES.items():
        if args.words and not any(word in name for word in args.words):
            continue
        found = [measured(start, args.others) for _ in range(args.runs)]
        took, used = zip(*found)
        print(f"{name:<44} median {statistics.median(took):5.2f} s, longest {max(took):5.2f} s, "
              f"of a processor's time {max(used):.2f} s", flush=True)
        late += sum(one > MOST_S for one in took)
        runs += len(found)
    print(f"{runs - late} passed, {late} failed")
    return 1 if late or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
