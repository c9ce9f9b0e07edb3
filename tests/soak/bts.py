#!/usr/bin/python3
"""`sluice bts` for long, with blocks lost both ways: TCP down and up by turns of 40 MSs, and pings between.

    bts.py [--seconds N] [--loss SHARE] [--pcu COMMAND] [--json FILE]     120 s, 10%, osmo-pcu

Judged: every octet of TCP, every ping within 60 s, no LLC PDU refused by an MS, the BTS's counts. Prints
what each download had in kbit/s of TCP's content, and the pings' round trips. Needs root and osmo-pcu.
"""

import argparse
import json
import os
import pathlib
import shlex
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

from bts_chain import MSS, Chain, check_books  # noqa: E402
from harness import Failure, Skip, right  # noqa: E402

OCTETS_DOWN, OCTETS_UP = 40000, 3000
MOST_S = 300  # of a transfer; at half of the blocks lost
PINGS = 5  # after each turn, to as many MSs


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--loss", default="10%", help="of blocks, each way (10%%)")
    parser.add_argument("--pcu", type=shlex.split, default=["osmo-pcu"], help="another osmo-pcu")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


def turns(chain, seconds):
    """kbit/s of each download, and the seconds of each ping."""
    rates, rtts = [], []
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        turn = len(rates)
        took_s = chain.transfer(turn % MSS, OCTETS_DOWN, True, MOST_S)
        rates.append(OCTETS_DOWN * 8 / 1000 / took_s)
        mss = {(turn * PINGS + i) % MSS for i in range(PINGS)}
        answered = chain.pings(mss, 60)
        right(answered.keys() == mss, f"no answer to a ping from MSs {mss - answered.keys()}")
        rtts += answered.values()
        chain.transfer((turn + 1) % MSS, OCTETS_UP, False, MOST_S)
        print(f"turn {turn}: {rates[-1]:.1f} kbit/s down, pings {', '.join(f'{one:.2f}' for one in answered.values())} s",
              flush=True)
    return rates, rtts


def main():
    args = read_arguments()
    try:
        with Chain("--loss-down", args.loss, "--loss-up", args.loss, pcu=args.pcu) as chain:
            chain.wait_for_ping()
            rates, rtts = turns(chain, args.seconds)
            report = chain.bts.finish()
            check_books(report)
    except (Failure, Skip) as why:
        sys.exit(f"bts.py: {why}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps({"rates": rates, "rtts": rtts, "bts": report}))
    print(f"{len(rates)} downloads, {statistics.mean(rates):.1f} kbit/s; {len(rtts)} pings, median "
          f"{statistics.median(rtts):.2f} s, most {max(rtts):.2f} s; {report['down_data_lost']} of "
          f"{report['down_data']} data blocks lost down, {report['up_lost']} up")


main()
