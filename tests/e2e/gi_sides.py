#!/usr/bin/python3
"""The side of a loss: whether what comes into a hole was overtaken, or lost before here and sent again. By the sender's
identifications where it counts by them, by time elsewhere. gi_truth.py has the same of captures of the lab."""

import csv

from gi_capture import ACK, Talk, pcap
from gi_report import has, read, saved
from harness import case, main, new_folder, same, sluice


class Numbered(Talk):
    """A talk whose host gives these identifications, one after the other."""

    def __init__(self, ids, **ends):
        super().__init__(**ends)
        self.ids = iter(ids)

    def add(self, time, side, flags, seq, ack=0, octets=0, **more):
        return super().add(time, side, flags, seq, ack, octets, identification=next(self.ids) if side == "down" else 0, **more)


def zeros():
    while True:
        yield 0


def at_random():
    n = 1
    while True:
        n = n * 75 % 65537
        yield n & 0xFFFF


def late(seen, talk, **wanted):
    """Lost before here, and reordered; by the columns, and by the last word of the rows of --losses."""
    found = read(pcap(seen(talk).frames))["flows"]
    same(len(found), 1, "flows")
    wanted = {"down_lost_internet": 0, "down_reordered": 0} | {f"down_{name}": n for name, n in wanted.items()}
    same({name: found[0][name] for name in wanted}, wanted, "late segments")
    rows = rows_of(talk)
    for name, word in (("down_lost_internet", "internet"), ("down_reordered", "reordered")):
        same(sum((row["verdict"] == word) - (row["instead"] == word) for row in rows), wanted[name], f"{word} by --losses, {rows}")
    return found[0]


def rows_of(talk):
    out = new_folder() / "losses.csv"
    same(sluice("gi", saved(pcap(talk.frames)), "--losses", out).returncode, 0, "exit status")
    return list(csv.DictReader(out.open()))


# --- By identifications ---------------------------------------------------------------------------


def long_after(talk):
    """Two segments that come seconds after what was sent behind them, then all again."""
    talk.setup(0, 0.03, 0.1).add(0.3, "up", ACK, 1, 1, 126).data(0.35, 1, 0, 127)
    talk.data(0.41, 2861, 304, 127).data(0.74, 1, 1430, 127).ack(1.73, 1431, seq=127).data(1.74, 1431, 1430, 127)
    return talk.ack(2.73, 3165, seq=127).data(2.74, 1, 1430, 127).data(3.64, 1431, 1430, 127).data(4.86, 2861, 304, 127)


@case("a host that counts the packets of all its connections: what has a lower number than what overtook it was not lost")
def overtaken_by_seconds():
    ids = [0x78B6, 0x797D, 0x7980, 0x797E, 0x797F, 0x7BD5, 0x7CD9, 0x7CDA]
    flow = late(long_after, Numbered(ids), reordered=2)
    has(flow, down_unneeded=3, down_lost_gprs=0)
    late(long_after, Numbered([(n + 0x8700) & 0xFFFF for n in ids]), reordered=2)  # around 65536
    late(long_after, Numbered(zeros()), lost_internet=2)


def sooner_than_a_round_trip(talk):
    """A fast repetition after 20 ms, where the least round trip is thought to be 100 ms."""
    talk.setup(0, 0.1, 0.4)
    for i in range(3):
        talk.data(1 + i / 100, 1 + 1000 * i)
    return talk.data(1.05, 4001).data(1.06, 5001).data(1.07, 3001).ack(1.9, 6001)


@case("what has a higher number than all that has passed was sent again, however soon it comes")
def again_at_once():
    late(sooner_than_a_round_trip, Numbered(range(0, 9)), lost_internet=1)
    late(sooner_than_a_round_trip, Numbered(zeros()), reordered=1)


@case("identifications too far from what came first behind the hole tell nothing: time does")
def too_far():
    for own, wanted in ((17000, {"reordered": 1}), (16000, {"lost_internet": 1})):
        late(sooner_than_a_round_trip, Numbered([*range(900, 906), 904 + own]), **wanted)
    for own, wanted in ((5000, {"lost_internet": 1}), (4000, {"reordered": 1})):
        late(overtaken_long, Numbered([*range(9000, 9006), 9004 - own]), **wanted)
    late(sooner_than_a_round_trip, Numbered([0, 1, 2, 3, 4, 5, 4]), reordered=1)  # the one of what came first, again


def overtaken_long(talk):
    """Half a second late, where a round trip takes 100 ms."""
    talk.setup(0, 0.1, 0.4)
    for i in (0, 1, 2, 4, 5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    return talk.data(1.5, 3001).ack(1.9, 6001)


@case("a sender that has counted, and does so no longer: what its identifications have told stays")
def counted_once():
    def then_random(talk):
        overtaken_long(talk)
        for i in range(6, 30):
            talk.data(i, 1 + 1000 * i).ack(i + 0.5, 1001 + 1000 * i)
        return talk
    late(then_random, Numbered([9000, 9001, 9002, 9003, 9005, 9006, 9004, *(n * 9999 % 65536 for n in range(1, 40))]), reordered=1)


@case("of two holes each has its own that opened it")
def two_holes():
    def talk_of(talk):
        talk.setup(0, 0.1, 0.4).data(1, 1).data(1.01, 2001).data(1.02, 4001)  # 1001 and 3001 are missing
        return talk.data(1.03, 1001).data(1.04, 3001).ack(1.9, 5001)
    late(talk_of, Numbered([10, 11, 12, 20, 15, 19]), lost_internet=1, reordered=1)


@case("identifications that count nothing: time tells")
def no_counter():
    for ids in (at_random(), zeros(), (7 for _ in zeros()), (n << 8 & 0xFFFF for n in range(200, 300)), (n % 2 * 30000 for n in range(99))):
        late(sooner_than_a_round_trip, Numbered(ids), reordered=1)
    found = read(pcap(sooner_than_a_round_trip(Talk(user=("2001:db8::1", 40000), host=("2001:db8::2", 80))).frames))["flows"][0]
    same((found["down_lost_internet"], found["down_reordered"]), (0, 1), "IPv6, which has none")


def early(talk):
    """The first of a flow is late, before anybody knows that the sender counts."""
    talk.setup(0, 0.1, 0.4).data(1, 1001).data(1.5, 1).ack(2, 2001)
    for i in range(2, 9):
        talk.data(i, 1 + 1000 * i).ack(i + 0.5, 1001 + 1000 * i)
    return talk


@case("that a sender counts is known later: the verdict is changed at the end")
def counts_later():
    late(early, Numbered([0, 40001, 40000, *range(40002, 40020)]), reordered=1)
    late(early, Numbered([0, 40000, 40001, *range(40002, 40020)]), lost_internet=1)
    late(early, Numbered([0, 40001, 40000, *(n * 9999 % 65536 for n in range(1, 40))]), lost_internet=1)


def original_last(talk):
    """The repetition comes, then the original that it was for."""
    talk.setup(0, 0.1, 0.4)
    for i in (0, 1, 2, 4, 5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    return talk.data(1.5, 3001).data(1.6, 3001).ack(2, 6001).ack(2.1, 6001)


@case("an original that comes after its repetition was overtaken: nothing was lost before here")
def original_after_repetition():
    has(late(original_last, Numbered([10, 11, 12, 13, 15, 16, 17, 14]), reordered=1), down_spurious=1)
    has(late(original_last, Numbered([10, 11, 12, 13, 15, 16, 17, 18]), lost_internet=1), down_spurious=1)


def repetition_overtaken(talk):
    """New data overtakes two repetitions, of which the second comes first."""
    talk.setup(0, 0.1, 0.4)
    for i in (0, 1, 2, 5):
        talk.data(1 + i / 100, 1 + 1000 * i)
    return talk.data(1.5, 6001).data(1.51, 4001).data(1.52, 3001).ack(2, 7001)


@case("a repetition that new data and other repetitions overtake is one")
def repetition_late():
    late(repetition_overtaken, Numbered([10, 11, 12, 13, 16, 19, 18, 17]), lost_internet=2)


# --- By time --------------------------------------------------------------------------------------


def blind():
    return Numbered(zeros())


@case("time: a round trip that was not known yet, or is less than was thought, changes the verdict at the end")
def settled():
    # 50 ms are less than the set-up took; later the host answers within 20 ms.
    talk = blind().setup(0, 0.1, 0.4).data(1, 1).data(1.01, 2001).data(1.06, 1001).ack(2, 3001)
    late(lambda one: one, talk, reordered=1)
    later = talk.add(3, "up", ACK, 1, 3001, 100).add(3.02, "down", ACK, 3001, 101)
    late(lambda one: one, later, lost_internet=1)
    same([(row["verdict"], row["instead"], row["time_s"]) for row in rows_of(later)],
         [("reordered", "", "1.060000000"), ("internet", "reordered", "3.020000000")], "rows")
    # Nothing is known of it at first: 10 ms are long; then it takes 100 ms.
    talk = blind().data(1, 1).ack(1.001, 1).data(1.01, 2001).data(1.02, 1001).ack(2, 3001)
    late(lambda one: one, talk, lost_internet=1)
    late(lambda one: one, blind().data(1, 1).ack(1.001, 1).data(1.01, 2001).data(1.0129, 1001).ack(2, 3001), reordered=1)
    late(lambda one: one, talk.add(3, "up", ACK, 1, 3001, 100).add(3.1, "down", ACK, 3001, 101), reordered=1)


@case("a thousand holes at once, each filled: each has a verdict, of identifications or of time")
def many():
    for ids, wanted in ((zeros(), {"reordered": 1000}), (iter([1, *range(3, 2003, 2), *range(2, 2002, 2)]), {"reordered": 1000}),
                        (iter(range(1, 2009)), {"lost_internet": 1000})):
        talk = Numbered(ids).setup(0, 0.3, 0.4)
        for i in range(1000):
            talk.data(1 + i / 1e5, 11 + 20 * i, 10)
        for i in range(1000):
            talk.data(1.02 + i / 1e5, 1 + 20 * i, 10)
        flow = read(pcap(talk.ack(2, 20001).frames))["flows"][0]
        same({name: flow[f"down_{name}"] for name in ("lost_internet", "reordered")}, {"lost_internet": 0, "reordered": 0} | wanted, "")


main()
