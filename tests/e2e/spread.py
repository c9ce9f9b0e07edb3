#!/usr/bin/python3
"""`spread` of the lab's applications: beginnings are uniform behind the start, differ by seed, and draw
nothing that the rest of the run would miss."""

import functools
import math

from books import gi_packets
from harness import case, differing, main, right, run, same, settings, written

MSS, SPREAD_S = 400, 20
# Of n that are uniform, the share that has begun is with a probability of 0.999 never further than this
# from the share of time (Kolmogorov, Smirnov).
FURTHEST = 1.95 / math.sqrt(MSS)
TRAFFIC = "10.1."  # how the others' addresses begin

# A ping to each MS, whose only request leaves the host as it begins, and datagrams to ten others. The BSS
# begins with NS-RESET, so the start of 0 s has passed when the cell is up.
SCENARIO = f"""
run {{ name = "spread", duration = "25 s" }}
gn {{ address = "192.0.2.1", mac = "02:00:00:00:00:01" }}
gb {{ address = "198.51.100.1", mac = "02:00:00:00:00:02" }}
nse {{
    nsei = 1, ns = "reset",
    nsvc {{ nsvci = 2, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" }},
    line {{ latency = "50 ms" }},
    bvc {{
        bvci = 3, flow {{ rate = "1000 kbit/s" }},
        ms {{
            imsi = "001010000000000", count = {MSS},
            pdp {{ nsapi = 5, class = "background", address = "10.0.0.0" }},
        }},
        ms {{
            imsi = "001010000001000", count = 10,
            pdp {{ nsapi = 5, class = "streaming", address = "10.1.0.0" }},
        }},
    }},
}}
lab {{
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    ping {{ class = "background", way = "down", count = 1, SPREAD }},
    traffic {{
        class = "streaming", size = {{ "100 octets", "500 octets" }}, rate = "2 kbit/s",
        pattern = "poisson",
    }},
}}
"""


@functools.cache
def ran(keys, *sets):
    """The run with these keys in ping { }."""
    return run(written(SCENARIO.replace("SPREAD", keys)), "--pcap", *settings(sets))


def sent(of, is_traffic):
    """(time in ns, address, octets) of what the hosts send to those MSs."""
    return [(packet.time_ns, packet.dst, packet.octets) for packet in gi_packets(of)
            if packet.dst.startswith("10.") and packet.dst.startswith(TRAFFIC) == is_traffic]


def begins(of):
    """When the ping of each MS begins, in s, by its address."""
    found = {address: time_ns / 1e9 for time_ns, address, _ in sent(of, False)}
    same(len(found), MSS, "MSs with a ping")
    return found


SPREAD = f'spread = "{SPREAD_S} s"'


def expect_uniform(times, first_s):
    for number, time_s in enumerate(sorted(times)):
        share = (time_s - first_s) / SPREAD_S
        right(0 <= share < 1 and number / MSS - FURTHEST < share < (number + 1) / MSS + FURTHEST,
              f"the {number + 1}. of {MSS} begins at {time_s} s, {share:.3f} of the spread")


@case("without a spread all begin at one instant, when the cell is up")
def at_once():
    same(len(set(begins(ran("")).values())), 1, "different times")


@case("with one they are uniform behind that instant, and behind a start that comes later")
def uniform():
    up_s = next(iter(begins(ran("")).values()))
    right(0 < up_s < 1, f"up at {up_s} s")
    expect_uniform(begins(ran(SPREAD)).values(), up_s)
    expect_uniform(begins(ran(SPREAD + ', start = "3 s"')).values(), 3)


@case("the times are those of the seed")
def seeds():
    one, again, other = (begins(ran(SPREAD, f"run.seed={seed}")) for seed in (1, 1, 2))
    same(again, one, "times of one seed")
    alike = [address for address in one if one[address] == other[address]]
    same(alike, [], "MSs whose times two seeds have in common")


@case("a spread changes nothing of what other applications send")
def others():
    without = sent(ran(""), True)
    right(len(without) > 100, f"{len(without)} datagrams")
    same(sent(ran(SPREAD), True), without, "datagrams")


@case("a spread of 0 s gives the same octets as none")
def none():
    with_digest = ["report.html", "summary.json"]  # of the file, which is another
    same(differing(ran(""), ran('spread = "0 s"')), with_digest, "results that differ")


main()
