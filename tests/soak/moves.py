#!/usr/bin/python3
"""More of the worlds of e2e/world_moves: random worlds in which every MS moves or has calls, judged by
the replay of flow control.

    moves.py [FIRST [COUNT]]    seeds, from 10000 on, 2000 of them; two at a time"""

import concurrent.futures
import os
import pathlib
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "e2e"), str(TESTS)]
os.environ.setdefault("SLUICE", str(TESTS.parent / "build/release/sluice"))

import gb_judge
from harness import check_sound, run
from worlds import moving


def faults_of(seed):
    """Sentences; and how many LLC PDUs were judged."""
    found, pdus = [], 0
    try:
        done = run(moving(seed).config(), "--pcap", "--no-page")
        check_sound(done.summary)
        for peer, of_nse in gb_judge.records(done).items():
            replay = gb_judge.judge(of_nse)
            pdus += len(replay.pdus)
            found += [f"{peer}: {violation}" for violation in replay.violations[:3]]
    except Exception as error:  # of whatever kind: the seed is what counts
        found.append(f"{type(error).__name__}: {error}")
    return seed, found, pdus


def main():
    first = int(sys.argv[1]) if len(sys.argv) > 1 else 10000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    bad = pdus = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done, (seed, found, of_world) in enumerate(pool.map(faults_of, range(first, first + count)), 1):
            pdus += of_world
            bad += bool(found)
            for text in found:
                print(f"world {seed}: {text}")
            if done % 50 == 0 or done == count:
                print(f"{done} of {count} worlds, {pdus} LLC PDUs judged, {bad} worlds with faults", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
