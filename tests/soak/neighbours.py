#!/usr/bin/python3
"""What one who only pings feels of his neighbours' downloads, over a real osmo-pcu: the chain of
tests/interop/bts_chain.py, Linux's TCP, one download for each of n MSs and a ping a second to one more.

    neighbours.py [--seconds N] [--downloads N...] [--variants NAME...] [--ecn] [--set KEY=VALUE]... [--json FILE]

The first that downloads is pinged, too. Each n in each variant of config/osmopcu.lua, 60 s each. Judged, of
`recommended`: the mean of the ping within 0.15 s and its p95 within 0.3 s of those with one download, and all downloads
together get at least 97 % of tail drop's octets of TCP (each that came is counted once, in whatever order); with one
download its own ping's p95 is at most 2 s. Prints what each had, and how many time slots down osmo-pcu gave to the first
that downloads: 33 and 44 kbit/s are what three and four carry, and only runs with equal slots can be compared. Needs root
and osmo-pcu; another process on its processors spoils the figures.
"""

import argparse
import contextlib
import json
import os
import pathlib
import re
import socket
import statistics
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests/interop"), str(ROOT / "tests/e2e")]
os.environ.setdefault("SLUICE", str(ROOT / "build/release/sluice"))

import network  # noqa: E402
from bts_chain import Chain, check_books  # noqa: E402
from harness import Failure, Skip  # noqa: E402
from lab_traffic import Flows, Wire, ask_for_ecn  # noqa: E402

PDCHS, FIRST = 4, 0
SETTLE_S, REST_S = 40, 5  # sluice learns the radio's rate in 25 s
MEAN_WITHIN_S, P95_WITHIN_S, OF_TAIL_DROP, OWN_P95_S = 0.15, 0.3, 0.97, 2
VTY_PORT, VTY_S, PROMPT = 4240, 2, "OsmoPCU> "  # osmo-pcu's, and the most that it takes to answer
SLOTS = re.compile(r"TLLI=0xc0000001[^\n]*DIR=DL(?:[^\n]*\n){2} *TS_alloc=([^\n]*?) *TRX_ID")  # of its first MS


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--downloads", type=int, nargs="+", default=[1, 4, 16, 39])
    parser.add_argument("--variants", nargs="+", default=["recommended", "tail-drop"])
    parser.add_argument("--ecn", action="store_true", help="the MSs ask for it")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="of the configuration")
    parser.add_argument("--json", help="a file for all figures")
    return parser.parse_args()


def slots_of_first(chain):
    """How many time slots down osmo-pcu has given to the first MS; None: no TBF."""
    with network.inside(chain.far):
        vty = socket.create_connection(("127.0.0.1", VTY_PORT), VTY_S)
    with vty:
        vty.sendall(b"show tbf all\r\n")
        said = ""
        while said.count(PROMPT) < 2:  # before and behind the answer
            said += vty.recv(65536).decode(errors="replace").replace("\r", "")
    found = SLOTS.search(said)
    return found and len(re.findall(r"\d", found[1]))


def measured(count, variant, args):
    """Of one that pings beside so many downloads."""
    with Chain("--pdchs", PDCHS, mss=count + 1, variant=variant, sets=args.set) as chain, contextlib.ExitStack() as ends:
        if args.ecn:
            ask_for_ecn(chain)
        chain.wait_for_ping(count)
        pairs = [tuple(map(ends.enter_context, chain.connect(ms))) for ms in range(count)]
        flows, wire = Flows(pairs), Wire(chain, [count, FIRST])
        wire.start()
        flows.drive(SETTLE_S)
        begin, before = time.monotonic(), [each.copy() for each in (wire.carried_to, wire.downloaded)]
        flows.drive(args.seconds)
        took_s, (ip, tcp) = time.monotonic() - begin, [
            each - then for each, then in zip((wire.carried_to, wire.downloaded), before, strict=True)]
        slots = slots_of_first(chain)
        flows.drive(REST_S)  # for the last answers
        wire.ended = True
        wire.join()
        figures, own = (wire.of([ms], begin, begin + took_s) for ms in (count, FIRST))
        trips = [trip for at, trip in wire.pings(count, begin) if 0 <= at < took_s and trip]
        check_books(chain.bts.finish())
    addresses = [socket.inet_aton(Chain.address_of(ms)) for ms in range(count)]
    kbit = 8 / 1000 / took_s
    return {"downloads": count, "variant": variant, "mean_s": statistics.mean(trips), "slots": slots, "own": own,
            "kbit_per_s": tcp.total() * kbit, "least_kbit_per_s": min(tcp[address] for address in addresses) * kbit,
            "ip_kbit_per_s": ip.total() * kbit, "least_ip_kbit_per_s": min(ip[address] for address in addresses) * kbit,
            **figures}


def faults(rows):
    """What is not as it shall be."""
    of = {(row["variant"], row["downloads"]): row for row in rows}
    one = of.get(("recommended", min(row["downloads"] for row in rows)))
    for (variant, count), row in of.items():
        if variant != "recommended":
            continue
        for key, within in ("mean_s", MEAN_WITHIN_S), ("round_trip_p95_s", P95_WITHIN_S):
            if row[key] > one[key] + within:
                yield f"{count} downloads: {key} {row[key]:.2f}, beside {one['downloads']} {one[key]:.2f}"
        if row is one and count == 1 and row["own"]["round_trip_p95_s"] > OWN_P95_S:
            yield f"the ping of the one that downloads: p95 {row['own']['round_trip_p95_s']:.2f} s"
        tail = of.get(("tail-drop", count))
        if tail and row["kbit_per_s"] < OF_TAIL_DROP * tail["kbit_per_s"]:
            yield f"{count} downloads: {row['kbit_per_s']:.1f} kbit/s, with tail drop {tail['kbit_per_s']:.1f}"


def main():
    args = read_arguments()
    rows = []
    try:
        for variant in args.variants:
            for count in args.downloads:
                row = measured(count, variant, args)
                rows.append(row)
                print(f"{variant:12} {count:3} downloads: ping mean {row['mean_s']:.2f}, p50 {row['round_trip_p50_s']:.2f}, p95 "
                      f"{row['round_trip_p95_s']:.2f} s ({row['in_sluice_p50_s']:.2f} s of the median in sluice), "
                      f"{row['unanswered']} of {row['n']} not answered; {row['kbit_per_s']:.1f} kbit/s of TCP ({row['ip_kbit_per_s']:.1f} "
                      f"of IP), the least {row['least_kbit_per_s']:.2f} ({row['least_ip_kbit_per_s']:.2f}); the first: "
                      f"{row['slots']} slots, its ping p50 {row['own']['round_trip_p50_s']:.2f}, p95 "
                      f"{row['own']['round_trip_p95_s']:.2f} s", flush=True)
    except (Failure, Skip) as why:
        sys.exit(f"neighbours.py: {why}")
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(rows))
    wrong = list(faults(rows))
    for one in wrong:
        print(one)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
