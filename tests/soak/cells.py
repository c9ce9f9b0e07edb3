#!/usr/bin/python3
"""A download while its MS changes between two cells, each with an osmo-pcu: what a move costs.

    cells.py [--attach] [--moves N] [--every SECONDS] [--coding N] [--set KEY=VALUE] [--json FILE]     12 moves, each 10 s

Judged: every octet of TCP, the counts of `sluice bts` and of Sluice, and that Sluice knows of each move within 2 s. A row for
each move: seconds until then, to the first packet, the longest without a packet, the longest without content of TCP.
Then how many N-PDUs ended in a PCU whose MS had left. Needs root and osmo-pcu.

With --attach four MSs in turn: one of the file, one of the file with a key, and a phone that attaches with a card, which
gets its key and its context from the network, in two cells of one routeing area and in cells of two; and their table.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

from bts_chain import Chain, check_books  # noqa: E402
from harness import Failure, Skip, check_sound, right, same  # noqa: E402
from moving import Mover  # noqa: E402
from phone_chain import KEYED, OTHER_AREA, PhoneChain, check_phone, config_of_two  # noqa: E402

OCTETS_A_SLOT = {1: 1000, 2: 1500, 3: 1800, 4: 2500}  # a second
PDCHS = 4
KNOWN_S = 2  # t3313 of the configuration, 1 s, in which the MS answers no page at home, and an answer
COLUMNS = {"known_s": "known", "first_s": "first packet", "packets_s": "without a packet", "content_s": "without content"}


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--attach", action="store_true", help="an MS with a key and a phone that attaches, too")
    parser.add_argument("--moves", type=int, default=12)
    parser.add_argument("--every", type=float, default=10, help="seconds from a move to the next (10)")
    parser.add_argument("--coding", type=int, default=2, choices=OCTETS_A_SLOT, help="CS-N (2)")
    parser.add_argument("--set", action="append", default=[], help="of the configuration")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


KEY = "nse.bvc.ms.cipher=gea4", "nse.bvc.ms.key=000102030405060708090a0b0c0d0e0f"


def configured(*sets):
    return lambda args: Chain("--pdchs", PDCHS, cells=2, mss=8, coding=args.coding, sets=(*args.set, *sets))


def phone(*area):
    return lambda args: PhoneChain(KEYED, 1, "--pdchs", PDCHS, cells=2, of_sluice=config_of_two(*area), coding=args.coding,
                                   sets=args.set)


def measure(args, chain):
    """What `rows` prints."""
    octets = int((args.moves + 1) * args.every * PDCHS * OCTETS_A_SLOT[args.coding])
    is_phone = isinstance(chain, PhoneChain)
    with chain:
        if is_phone:
            chain.until(chain.are_attached, "the phone has an address")
        chain.wait_for_ping()
        mover = Mover(chain, args.every, args.moves, speaks=KEY[0] in chain.sets)
        took_s = chain.transfer(0, octets, True, 60 + 4 * (args.moves + 1) * args.every, mover.progress)
        cells, summary = chain.bts.finish()["cells"], chain.sgsn.finish()
    same(len(mover.moves), args.moves, "moves")
    for cell in cells:
        check_books(cell)
    check_sound(summary)
    mss = [ms for cell in cells for ms in cell["ms"]]
    if is_phone:
        check_phone(*mss)
    out = summary["conservation"]["out"]
    return {"kbit_s": octets * 8 / 1000 / took_s, "known_s": mover.known, "first_s": mover.first(),
            "packets_s": mover.gaps(mover.arrivals.moments), "content_s": mover.gaps(mover.grew),
            "out": out, "lost": out - sum(ms["npdus_down"] for ms in mss), "stale": sum(ms["pdus_stale"] for ms in mss),
            "up_lost": sum(ms["npdus_up"] - ms["pdus_up_waiting"] for ms in mss) - summary["worker"]["up"]["out_packets"]}


def row(name, values):
    print(f"{name:18}" + "".join(f"{value:>18}" for value in values), flush=True)


def rows(figures):
    row("move", COLUMNS.values())
    for number, values in enumerate(zip(*(figures[name] for name in COLUMNS)), 1):
        row(number, (f"{value:.2f} s" for value in values))
    for name, of in ("median", statistics.median), ("most", max):
        row(name, (f"{of(figures[column]):.2f} s" for column in COLUMNS))
    print(f"{figures['kbit_s']:.1f} kbit/s; {figures['lost']} of {figures['out']} N-PDUs down ended in a PCU whose MS had "
          f"left ({figures['stale']} came when it was back, too late for their N(U)), {figures['up_lost']} up in Sluice", flush=True)


def compare(all_figures):
    """Median and most of each MS."""
    row("", (*COLUMNS.values(), "kbit/s", "lost down", "of them stale", "lost up"))
    for name, figures in all_figures.items():
        row(name, (*(f"{statistics.median(figures[column]):.2f}, {max(figures[column]):.2f} s" for column in COLUMNS),
                   f"{figures['kbit_s']:.1f}", f"{figures['lost']} of {figures['out']}", figures["stale"],
                   figures["up_lost"]))


MSS = {"MS of the file": configured(), "the same, keyed": configured(*KEY), "phone with a card": phone(),
       "and into an area": phone(OTHER_AREA)}


def main():
    args = read_arguments()
    figures = {}
    try:
        for name in list(MSS)[:None if args.attach else 1]:
            print(f"{name}:", flush=True)
            figures[name] = measure(args, MSS[name](args))
            rows(figures[name])
            right(max(figures[name]["known_s"]) <= KNOWN_S, f"Sluice knew of a move after more than {KNOWN_S} s")
    except (Failure, Skip) as why:
        sys.exit(f"cells.py: {why}")
    if args.attach:
        compare(figures)
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(figures))


main()
