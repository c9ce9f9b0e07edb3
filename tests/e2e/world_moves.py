#!/usr/bin/python3
"""Random worlds in the lab (worlds.py) in which every MS changes its cell, inside its NSE or to another
one, or has calls (SUSPEND), and may be out of reach or lose its channel as well. On a Gb that takes no
time the replay (gb_judge.py) judges exactly: no bucket lets go what 48.018 8.2.3.2 refuses, and no LLC
PDU goes to a cell that the MS has left, or to an MS in a call. `./run soak moves` has more of them."""

import collections

import books
import gb_judge
from harness import case, check_sound, differing, main, often, right, run, same
from worlds import World, moving

WORLDS = often(20, 100)
AT_ONCE = 20
WRONGLY = often(1, 2)  # each so many worlds are also judged by judges that are wrong
seen = collections.Counter()  # names of PDUs, LLC PDUs that were judged, faults that judges saw


class Deaf(gb_judge.Reader):
    """Of an SGSN that hears no MS: then none may get LLC PDUs once it has left, or is in a call."""

    def up(self, record):
        if not (record.pdu.sdu and record.pdu.sdu.name == "bssgp_ul_unitdata"):
            super().up(record)


def judge(world):
    done = run(world.config(), "--pcap", "--no-page")
    check_sound(done.summary)
    for peer, of_nse in gb_judge.records(done).items():
        found = gb_judge.judge(of_nse)
        same(found.violations[:3], [], f"world {world.seed}, {peer}: violations")
        seen.update(gb_judge.names(of_nse))
        seen["LLC PDUs"] += len(found.pdus)
        if world.seed % WRONGLY:
            continue
        for wrong in gb_judge.HalfBmax, gb_judge.HalfR:
            seen[wrong] += len(gb_judge.judge(of_nse, wrong).violations) > 0
        for text in gb_judge.judge(of_nse, reader_of=Deaf).violations:
            seen["left"] += "has left" in text
            seen["in a call"] += "suspended" in text


for first_ in range(0, WORLDS, AT_ONCE):
    @case(f"worlds {first_} to {first_ + AT_ONCE - 1}: no bucket is passed, no MS gets anything where"
          " it is not, or in a call", first_)
    def conforming(first):
        for seed in range(first, first + AT_ONCE):
            judge(moving(seed))


@case("in these worlds MSs moved, inside and between NSEs, had calls, and lost channels, and the judge"
      " finds other values, and an SGSN that does not listen")
def not_empty():
    for name, least in (("bssgp_flush_ll_ack", 4), ("bssgp_suspend_ack", 6), ("bssgp_resume_ack", 4),
                        ("LLC PDUs", 300)):
        right(seen[name] >= least * WORLDS, f"{name}: {seen[name]} in {WORLDS} worlds")
    for name in gb_judge.HalfBmax, gb_judge.HalfR, "left", "in a call":
        right(seen[name] >= WORLDS // 20, f"{name}: {seen[name]} in {WORLDS} worlds")


@case("on lines that lose and wait, with and without procedures: sound at each step, and every packet"
      " is delivered, lost for a reason or under way")
def lossy():
    for seed in range(1000, often(1005, 1012)):
        world = World(seed, duration_s=15, moving=True)
        done = run(world.config(), "--pcap", "--no-page")
        check_sound(done.summary)
        books.check_books(done, world.contexts)


# An MS that changes its NSE during a call is held, for there is no GMM by which the SGSN would learn of it.
# TCP may repeat a segment for it at any time: it stays for its lifetime and the hold at most, and until the
# next sweep of the queues.
DRAINED_S, STAY_S = 90, 10 + 20 + 4


def sent_down_lately(done, world):
    return sum(packet.dst in world.contexts and packet.time_ns > (DRAINED_S - STAY_S) * 10**9
               for packet in books.gi_packets(done))


@case("long after the applications end nothing is under way but beginnings of N-PDUs in MSs, and what TCP"
      " has repeated of late")
def drained():
    for seed in range(2000, often(2005, 2010)):
        world = World(seed, stop_s=8, duration_s=DRAINED_S, moving=True)
        done = run(world.config(), "--pcap", "--no-page", "--set", "queue.hold=20 s")
        check_sound(done.summary)
        sums = books.check_books(done, world.contexts)
        most = done.summary["from_gb"]["partial_npdus"] + sent_down_lately(done, world)
        right(sums["under_way", "down"][0] <= most,
              f"world {seed}: {sums}, {done.summary['from_gb']}")
        same(sums["under_way", "up"], (0, 0), f"world {seed}: under way, up")


@case("same seed, same bytes")
def twice():
    for seed in 3004, 3005:
        config = World(seed, workers=3, duration_s=15, moving=True).config()
        same(set(differing(*(run(config, "--pcap", "--no-page") for _ in range(2)))), {"report.html"},
             f"world {seed}: what differs")


main()
