#!/usr/bin/python3
"""How much of its buffer a BSS needs to keep its radio busy, and how long a packet stands in it: sluice in
front of osmo-pcu 1.1.0 in real time, a flood at 1.5 times the radio rate through both.

    osmopcu.py [--delays LIST] [--pdchs LIST] [--mss LIST] [--octets LIST] [--codel off,on]
               [--seconds N] [--jobs N] [--json FILE]
"""

import argparse
import itertools
import json
import multiprocessing
import os
import pathlib
import shutil
import sys
import traceback

TESTS = pathlib.Path(__file__).resolve().parent.parent
ROOT = TESTS.parent
sys.path[:0] = [str(TESTS / "interop"), str(TESTS / "e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

from harness import Failure, Skip  # noqa: E402
from pcu_chain import Chain, Setting  # noqa: E402

DELAYS = "1 ms,0.1 s,0.2 s,0.3 s,0.4 s,0.6 s,0.8 s,1 s,2 s,as offered"
BUSY = 0.99  # of what the radio carries with all of Bmax
NEEDS = {"osmo-pcu": "osmo-pcu", "ip": "iproute2"}  # programs, and Debian's packages of them
COLUMNS = ("pdchs", "mss", "octets", "codel", "delay", "rate", "share", "start_s", "pcu_p50_s",
           "pcu_p95_s", "pcu_most_s", "pcu_late_s", "lost", "late_ms")


def words(text):
    return [one.strip() for one in text.split(",")]


def numbers(text):
    return [int(one) for one in words(text)]


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--delays", type=words, default=words(DELAYS), help="values of gb.cell_delay")
    parser.add_argument("--pdchs", type=numbers, default=[1, 4, 8])
    parser.add_argument("--mss", type=numbers, default=[1, 8])
    parser.add_argument("--octets", type=numbers, default=[500, 1400], help="of an N-PDU")
    parser.add_argument("--codel", type=words, default=["off", "on"], help="the PCU's")
    parser.add_argument("--aqm", default="tail-drop", help="sluice's")
    parser.add_argument("--seconds", type=int, default=20, help="measured, after ten to fill up")
    parser.add_argument("--jobs", type=int, default=6, help="chains at once")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


def measured(setting):
    """In a process of its own, which has the namespace, the programs and the folders."""
    try:
        with Chain(setting) as chain:
            return setting, chain.run(), ""
    except (Failure, Skip) as why:
        return setting, None, str(why)
    except Exception:
        return setting, None, traceback.format_exc()


def row(values):
    print(" ".join(f"{value:>9}" if not isinstance(value, float) else f"{value:9.3f}"
                   for value in values), flush=True)


def with_share(rows):
    """Of what the same case carries with everything handed over."""
    whole = {one["case"]: one["rate"] for one in rows if one["delay"] == "as offered"}
    for one in rows:
        one["share"] = one["rate"] / whole[one["case"]] if one["case"] in whole else float("nan")
    return rows


def main():
    args = read_arguments()
    missing = [package for program, package in NEEDS.items() if not shutil.which(program)]
    if missing or os.geteuid() != 0:
        sys.exit(f"osmopcu.py needs root and these packages: apt-get install {' '.join(NEEDS.values())}")
    settings = [Setting(*one, args.aqm, args.seconds) for one in itertools.product(
        args.pdchs, args.mss, args.octets, args.codel, args.delays)]
    rows, failed = [], 0
    # spawned, for a forked one does not run what is registered for its exit, and leaves its namespace
    with multiprocessing.get_context("spawn").Pool(args.jobs, maxtasksperchild=1) as pool:
        for setting, figures, why in pool.imap(measured, settings, chunksize=1):
            failed += figures is None
            if figures is None:
                print(f"FAILED  {setting}: {why}", flush=True)
                continue
            rows.append({"case": str(setting[:4]), **setting._asdict(), **figures})
            print(".", end="", flush=True, file=sys.stderr)
        pool.close()
        pool.join()
    row(COLUMNS)
    for one in with_share(rows):
        row(one[name] for name in COLUMNS)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows, indent=1))
    print(f"{len(rows)} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
