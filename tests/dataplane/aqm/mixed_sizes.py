#!/usr/bin/python3
"""CoDel and COBALT against plain models, packet by packet: the same packets of mixed sizes through a queue
and a line of fixed rate, here under plain_codel.py or plain_cobalt.py, there under dataplane/aqm
(aqm_line.c, which AQM_LINE names). Both must drop the same packets and send the others at the same ns.
What other readings of the texts are worth is measured, too; dataplane/aqm/README.md has the figures.
TEST_SEED=N draws other packets."""

import fractions
import functools
import math
import os
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "e2e"))
from harness import Skip, case, main, right, same, same_rows  # noqa: E402
from plain_codel import Codel, Packet  # noqa: E402
from plain_cobalt import BLUE_ONE, Cobalt, S_NS  # noqa: E402

MS_NS = S_NS // 1000
PACKETS = 20_000
MTU_OCTETS = 1500
SEED = int(os.environ.get("TEST_SEED", "0"))


# --- Traffic --------------------------------------------------------------------------------------


def bimodal(draw):
    return 64 if draw() < 0.5 else 1500


def uniform(draw):
    return 40 + int(draw() * 1461)


def internet(draw):
    at = draw() * 12
    return 40 if at < 7 else 576 if at < 11 else 1500


# Octets/s of the line, sizes, load, packets that come at once, and a pause after each so many on average (0:
# none), of 5 s on average. Gaps are drawn from 0 to twice the mean: no library's log() decides a figure. In the
# last the queue is empty again and again.
TRAFFIC = {
    "64 and 1500 octets": (12_500, bimodal, 1.1, 1, 0),
    "40 to 1500 octets": (30_000, uniform, 1.3, 1, 0),
    "40, 576 and 1500 octets at 20 kbit/s": (2_500, internet, 2.0, 1, 0),
    "bursts of 40": (125_000, bimodal, 1.2, 40, 0),
    "on and off": (12_500, uniform, 1.8, 1, 300),
    "often empty": (30_000, bimodal, 0.8, 6, 0),
}
PAUSE_MEAN_S = 5


@functools.cache
def packets_of(name):
    """Octets/s, and the packets."""
    rate, size, load, burst, pause_after = TRAFFIC[name]
    draw = random.Random(f"{SEED} {name}").random
    mean_octets = sum(size(draw) for _ in range(10_000)) / 10_000
    packets, at_ns = [], 0
    for number in range(PACKETS):
        packets.append(Packet(number, at_ns, size(draw), int(draw() * BLUE_ONE)))
        if number % burst == burst - 1:
            at_ns += int(2 * draw() * burst * mean_octets / rate / load * S_NS)
        if pause_after and draw() < 1 / pause_after:
            at_ns += int(2 * draw() * PAUSE_MEAN_S * S_NS)
    return rate, packets


# --- Both sides -----------------------------------------------------------------------------------


def plain(discipline, rate, packets):
    """[(verdict, number, time)], by the model."""
    coming, free_ns = 0, 0
    while coming < len(packets) or discipline.waiting:
        while coming < len(packets) and packets[coming].arrival_ns <= free_ns:
            discipline.put(packets[coming])
            coming += 1
        if packet := discipline.next(free_ns):
            discipline.log.append(("mark" if packet.number in discipline.marked else "go", packet.number, free_ns))
            free_ns += packet.octets * S_NS // rate
        elif coming < len(packets):
            free_ns = packets[coming].arrival_ns
    return discipline.log


def ours(name, rate, packets, **params):
    """The same of dataplane/aqm."""
    lines = "".join(f"{packet.arrival_ns} {packet.octets} {packet.luck}\n" for packet in packets)
    words = [str(word) for param in params.items() for word in param]
    done = subprocess.run([os.environ["AQM_LINE"], name, str(rate), *words], input=lines, text=True,
                          capture_output=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [(verdict, int(number), int(now_ns)) for verdict, number, now_ns in rows]


def dropped(log):
    return {number for verdict, number, _ in log if verdict == "drop"}


def mean_delay_s(log, packets):
    delays_ns = [now_ns - packets[number].arrival_ns for verdict, number, now_ns in log if verdict != "drop"]
    return sum(delays_ns) / len(delays_ns) / S_NS


def equal(what, log, right_log, packets):
    marked = sum(verdict == "mark" for verdict, _, _ in right_log)
    print(f"# {what}: {len(dropped(right_log))} dropped, {marked} marked, "
          f"mean delay {mean_delay_s(right_log, packets):.3f} s")
    same_rows(log, right_log, what)


# --- CoDel ----------------------------------------------------------------------------------------

# target_ns, interval_ns, hundredths of an MTU's time in the least target
CODEL = {"5 ms": (5 * MS_NS, 100 * MS_NS, 0), "200 ms": (200 * MS_NS, S_NS, 0),
         "1.5 MTU times": (5 * MS_NS, S_NS, 150)}


@functools.cache
def codel_plain(name, rule, model=Codel):
    rate, packets = packets_of(name)
    target_ns, interval_ns, min_target_mtus = CODEL[rule]
    least_ns = fractions.Fraction(min_target_mtus * MTU_OCTETS * S_NS, 100 * rate)
    return plain(model(max(target_ns, least_ns), interval_ns, MTU_OCTETS), rate, packets)


def codel_equal(name, rule):
    rate, packets = packets_of(name)
    target_ns, interval_ns, min_target_mtus = CODEL[rule]
    found = ours("codel", rate, packets, target=target_ns, interval=interval_ns, mtu=MTU_OCTETS,
                 min_target_mtus=min_target_mtus)
    equal(f"codel, {rule}, {name}", found, codel_plain(name, rule), packets)


for traffic in TRAFFIC:
    for rule in CODEL:
        case(f"CoDel, target {rule}, {traffic}: each packet as by RFC 8289", traffic, rule)(codel_equal)


# --- COBALT ---------------------------------------------------------------------------------------

COBALT = {"target": 5 * MS_NS, "rtt": S_NS}


@functools.cache
def cobalt_plain(name, overfull, model=Cobalt, marks=False, stale_ns=0):
    rate, packets = packets_of(name)
    return plain(model(rate, COBALT["target"], COBALT["rtt"], MTU_OCTETS, overfull, marks, stale_ns), rate, packets)


@functools.cache
def cobalt_ours(name, overfull, marks=False, stale_ns=0):
    return ours("cobalt", *packets_of(name), **COBALT, mtu=MTU_OCTETS, overfull=overfull, ecn=int(marks), stale=stale_ns)


class WaitsFirst(Cobalt):
    def signals(self, now_ns):
        if not self.is_over:
            self.step_down(now_ns)
        return super().signals(now_ns)


class FewSteps(Cobalt):  # so that no call takes long
    STEPS_ONE_BY_ONE = 16

    def step_down(self, now_ns):
        for _ in range(self.STEPS_ONE_BY_ONE):
            if self.is_due(now_ns):
                self.count -= 1
                if self.count:
                    self.next_ns += self.gap_ns(self.count)
        if self.is_due(now_ns):  # the root of the count falls by half an interval's share of the time
            root_q16 = math.isqrt(self.count << 32)
            fall_q16 = ((now_ns - self.next_ns) // 1024 << 15) // (self.interval_ns // 1024)
            self.count = max(root_q16 - fall_q16, 0) ** 2 >> 32
            self.next_ns = now_ns + (self.gap_ns(self.count) if self.count else 0)


class EmptyAtArrival(Cobalt):  # an AQM is not told that a line rests
    def put(self, packet):
        if not self.waiting:
            super().rests(packet.arrival_ns)
        super().put(packet)

    def rests(self, now_ns):
        pass


class CobaltOfSluice(WaitsFirst, FewSteps, EmptyAtArrival):
    """With each thing in which dataplane/aqm/cobalt.c differs from CAKE."""


def cobalt_equal(name, *values):
    equal(f"cobalt, {values}, {name}", cobalt_ours(name, *values), cobalt_plain(name, values[0], CobaltOfSluice, *values[1:]),
          packets_of(name)[1])


for traffic in TRAFFIC:
    for overfull, marks, stale_ns in (0, False, 0), (4, False, 0), (4, True, 0), (0, True, S_NS), (4, False, 2 * S_NS):
        case(f"COBALT, overfull {overfull}, {traffic}{', marks' * marks}{f', stale {stale_ns // S_NS} s' * bool(stale_ns)}: "
             "each packet as by the model", traffic, overfull, marks, stale_ns)(cobalt_equal)


@case("COBALT that marks drops what is stale, and nothing else")
def stale_drops():
    drops = {name: dropped(cobalt_ours(name, 0, True, S_NS)) for name in TRAFFIC}
    right(sum(map(bool, drops.values())) > len(drops) / 2, f"{ {name: len(of) for name, of in drops.items()} }")
    right(not any(dropped(cobalt_ours(name, 0, True)) for name in TRAFFIC), "drops without stale")


# --- Other readings -------------------------------------------------------------------------------


class RealNumbers(Codel):
    def gap_ns(self, count):
        return self.interval_ns / math.sqrt(count)


class SixteenBits(Codel):  # about as Linux has the root, with times in 1.024 us
    def gap_ns(self, count):
        return (self.interval_ns >> 10) * min(int(2 ** 16 / math.sqrt(count)), 2 ** 16 - 1) >> 16 << 10


class HeadCounted(Codel):
    def is_short(self, packet):
        return self.octets + packet.octets <= self.mtu_octets


class Of512Octets(Codel):  # what stands beside the constant, for want of an interface
    def is_short(self, packet):
        return self.octets <= 512


class LargestSeen(Codel):
    seen_octets = 0

    def is_short(self, packet):
        self.seen_octets = max(self.seen_octets, packet.octets)
        return self.octets <= self.seen_octets


class NotRemembered(Codel):
    def count_again(self, now_ns):
        return 1


class Hastens(Cobalt):
    def is_dropped(self, packet, now_ns):
        is_dropped = super().is_dropped(packet, now_ns)
        if self.overfull_ns and self.is_over and now_ns - packet.arrival_ns > self.overfull_ns:
            self.next_ns = now_ns
        return is_dropped


def expect_apart(pairs, figures):
    """Of (traffic, log of the reading, log by the text)."""
    if SEED:
        raise Skip("the figures are those of seed 0")
    counts, percents = [], []
    for name, log, right_log in pairs:
        packets = packets_of(name)[1]
        counts.append(len(dropped(log) ^ dropped(right_log)))
        percents.append(round(100 * (mean_delay_s(log, packets) / mean_delay_s(right_log, packets) - 1), 1))
        print(f"# {name}: {counts[-1]} packets, {percents[-1]:+} %")
    same([max(counts), min(percents), max(percents)], figures, "packets at most, delay at least and at most, %")


def codel_read(reading, *figures):
    expect_apart([(name, codel_plain(name, rule, reading), codel_plain(name, rule))
                  for name in TRAFFIC for rule in ("5 ms", "200 ms")], [*figures])


def cobalt_read(reading, *figures):
    expect_apart([(name, cobalt_plain(name, overfull, reading), cobalt_plain(name, overfull))
                  for name in TRAFFIC for overfull in (0, 4)], [*figures])


# Packets that one drops and the other does not, at most, of 20 000, and what the mean delay becomes at least and
# at most, in %. dataplane/aqm/README.md has these figures.
for what, read, *words in (
    ("real numbers", codel_read, RealNumbers, 660, -1.6, 0),
    ("roots of 16 bits", codel_read, SixteenBits, 6010, -0.4, 2.6),
    ("the head among the octets behind it", codel_read, HeadCounted, 7431, -41.7, 1.3),
    ("512 octets for the MTU", codel_read, Of512Octets, 7773, -49.3, 0.9),
    ("the largest packet yet for the MTU", codel_read, LargestSeen, 0, 0, 0),
    ("no memory of the last count", codel_read, NotRemembered, 6972, 0, 107.8),
    ("COBALT's head that goes over always waits", cobalt_read, WaitsFirst, 7312, -0.2, 12.1),
    ("COBALT's steps down in a long pause", cobalt_read, FewSteps, 3160, 0, 0.8),
    ("COBALT's empty queue found by what comes next", cobalt_read, EmptyAtArrival, 2395, 0, 0.6),
    ("COBALT's overfull queue hastens the next signal", cobalt_read, Hastens, 6677, -3.5, 74.9),
    ("all that COBALT differs in", cobalt_read, CobaltOfSluice, 7297, -0.2, 12.1),
):
    case(f"what another reading is worth: {what}", *words)(read)


main()
