#!/usr/bin/python3
"""A BSS whose radio carries less than the R that it offers, as osmo-pcu's: by the delay that the BSS tells, Sluice
learns how much that is, so that the queue does not stand in the BSS."""

import itertools
import math
import re
from types import SimpleNamespace

from bss import Bss
from flow_world import BSS, IMSI, NSEI, TLLI, Load, taken
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, nsvc

R = 12000  # bit/s of a cell and of an MS
OFFER = {"bmax": R * 10 // 800, "r": R // 100, "bmax_default": R * 10 // 800, "r_default": R // 100}
EACH_S = 5  # between two FLOW-CONTROL-BVC
NEEDED_S = 0.02 + 1526 / 4 * 8 / R  # a mean delay up to this is the radio's own
LEARNED_S = 60
LINE = "more waits in the BSS than its radio needs"
INFINITE = 0xFFFF


def config(rate="as measured", delay="20 ms"):
    return HEAD.replace("gb {", f'gb {{ cell_delay = "{delay}",') + f"""
nse {{ nsei = {NSEI}, cell_rate = "{rate}", {nsvc(1, BSS)}, bvc {{ bvci = 2, {ms(IMSI, TLLI)} }} }}
"""


class Radio:
    """First in, first out, at `share` of R, each PDU at least `wait_s` after it came."""

    def __init__(self, share, wait_s=0):
        self.octets_a_s, self.wait_s, self.free_s, self.waits = share * R / 8, wait_s, 0, []

    def take(self, time_ns, octets):
        came_s = time_ns / S
        begin_s = max(self.free_s, came_s + self.wait_s)
        self.waits.append((begin_s, begin_s - came_s))
        self.free_s = begin_s + octets / self.octets_a_s

    def mean_s(self, from_s, to_s, rounded=lambda sum_s: sum_s):
        """Of the PDUs whose turn came then."""
        waits = [wait_s for begin_s, wait_s in self.waits if from_s <= begin_s < to_s]
        return rounded(sum(waits)) / len(waits) if waits else 0


class OfferBss(Bss):
    def flow(self, bvci, **values):
        return super().flow(bvci, **OFFER | values)


def as_it_is(radio, *interval):
    return {"measurement": round(radio.mean_s(*interval) * 100)}


def as_osmo_pcu(radio, *interval):
    """Whole seconds of all its LLC PDUs together, by their number."""
    return {"measurement": int(radio.mean_s(*interval, rounded=math.floor) * 100)}


def nothing(*_):
    return {}


def mean(values):
    return sum(values) / len(values)


class Cell:
    """A BSS with a radio, a download, and what is told each so often."""

    def __init__(self, world, radio, every_ms=100, tell=as_it_is, each_s=EACH_S):
        self.world, self.radio, self.tell, self.each_s = world, radio, tell, each_s
        self.bss = OfferBss(world, NSEI, ((1, BSS),), {2: 80000})
        self.bss.up()
        self.load = Load(world, (TLLI,), every_ms * MS)
        self.seen = 0

    def run(self, seconds):
        """What was sent and how long it waited in the BSS."""
        rates, waits = [], []
        for _ in range(seconds // self.each_s):
            self.world.run(self.each_s * S)
            pdus = taken(self.bss, 0, bvci=2)[self.seen:]
            for time_ns, octets in pdus:
                self.radio.take(time_ns, octets)
            self.seen += len(pdus)
            rates.append(sum(octets for _, octets in pdus) * 8 / self.each_s / R)
            interval = (self.world.now_ns / S - self.each_s, self.world.now_ns / S)
            waits.append(self.radio.mean_s(*interval))
            self.bss.flow(2, **self.tell(self.radio, *interval))
        return SimpleNamespace(of_r=mean(rates), wait_s=mean(waits), most_s=max(waits),
                               often=mean([wait_s > NEEDED_S for wait_s in waits]),
                               spread=max(rates) - min(rates))


@case("a radio that carries less than R: within a minute the BSS's queue is what the radio needs, and it idles little")
def learns():
    for share, delay in itertools.product((0.93, 0.89), ("20 ms", "300 ms")):
        for each_s, tell in itertools.product((1, 5, 10), (as_it_is, as_osmo_pcu)):
            with World(config(delay=delay)) as world:
                cell = Cell(world, Radio(share), tell=tell, each_s=each_s)
                cell.run(LEARNED_S + 4 * each_s)
                then = cell.run(300)
                what = f"{share}, cell_delay {delay}, each {each_s} s, {tell.__name__}: {then}"
                right(0.97 * share <= then.of_r <= 1.005 * share, what)
                right(then.wait_s <= NEEDED_S and then.most_s <= NEEDED_S + 0.5, what)


@case("without that the queue there grows, and with R as true as the radio all of R is used")
def otherwise():
    for rate, delay in ("as offered", "20 ms"), ("as measured", "as offered"):
        with World(config(rate, delay)) as world:
            then = Cell(world, Radio(0.9)).run(200)
            right(then.most_s > 5, f"{rate}, {delay}: {then}")
    for tell, delay in itertools.product((as_it_is, nothing), ("20 ms", "300 ms")):
        with World(config(delay=delay)) as world:
            then = Cell(world, Radio(1), tell=tell).run(300)
            right(then.of_r > 0.995, f"{then}")


@case("a radio that gets better or worse is followed")
def follows():
    with World(config()) as world:
        cell = Cell(world, Radio(0.9))
        cell.run(120)
        cell.radio.octets_a_s = 0.87 * R / 8
        cell.run(LEARNED_S + 60)
        then = cell.run(120)
        right(0.84 <= then.of_r <= 0.88 and then.most_s <= NEEDED_S + 0.5, f"worse: {then}")
        cell.radio.octets_a_s = R / 8
        cell.run(10 * 60)
        then = cell.run(120)
        right(then.of_r > 0.98, f"better: {then}")


@case("an MS that hardly downloads waits for its TBF: that is not the radio's rate")
def idle():
    with World(config()) as world:
        cell = Cell(world, Radio(1, wait_s=0.5), every_ms=500)  # 55 % of R
        then = cell.run(100)
        right(then.wait_s > NEEDED_S, f"{then}")
        cell.load.stop()
        cell.run(EACH_S)
        cell.radio.wait_s = 0
        cell.load = Load(world, (TLLI,), 100 * MS)
        then = cell.run(20)
        right(then.of_r > 0.99, f"{then}")
        same(world.log().count(LINE), 0, "lines")


@case("whatever delay is told, 85 % of R are used at least; and R = 0 stops")
def hostile():
    tales = iter([0, INFINITE] * 20 + [INFINITE] * 40 + [0] * 400)
    with World(config()) as world:
        cell = Cell(world, Radio(1), tell=lambda *_: {"measurement": next(tales)})
        for _ in range(16):
            then = cell.run(25)
            right(0.84 <= then.of_r <= 1.01, f"{then}")
        cell.tell = lambda *_: {"measurement": 0, "r": 0}
        cell.run(EACH_S)
        same(cell.run(20).of_r, 0, "of R")
        cell.tell = nothing
        cell.run(EACH_S)
        right(cell.run(20).of_r > 0.84, "goes on")


@case("a reload to as offered uses all of R from the next FLOW-CONTROL-BVC; R = 0 for ten minutes forgets nothing")
def kept():
    with World(config()) as world:
        cell = Cell(world, Radio(0.87))
        cell.run(120)
        cell.tell = lambda *_: {"measurement": 0, "r": 0}
        cell.run(600)
        cell.tell = as_it_is
        cell.run(EACH_S)
        right(cell.run(20).of_r < 0.9, "forgotten")
        right(" % of it used" in world.ctl(f"bvc {NSEI} 2")[1], "share")
        same(world.reload(config("as offered")), (True, "1 NSE changed"), "reload")
        cell.run(2 * EACH_S)
        right(cell.run(20).of_r > 0.99, "all of R")
        right(" % of it used" not in world.ctl(f"bvc {NSEI} 2")[1], "share")


@case("a line the first time, and BVC-RESET forgets what was learned")
def reset():
    with World(config()) as world:
        cell = Cell(world, Radio(0.87))
        cell.run(120)
        right(re.search(rf"NSE {NSEI}, BVCI 2: {LINE}, using \d\d % of {R} bit/s", world.log()), world.log()[-500:])
        same(world.log().count(LINE), 1, "lines")
        cell.bss.reset_bvc(2)
        cell.radio.octets_a_s = R / 8
        then = cell.run(60)
        right(then.of_r > 0.97, f"{then}")
        cell.radio.octets_a_s = 0.87 * R / 8
        cell.run(60)
        same(world.log().count(LINE), 2, "lines")


if __name__ == "__main__":
    main()
