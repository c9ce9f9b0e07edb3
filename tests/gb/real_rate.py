#!/usr/bin/python3
"""A BSS whose radio carries less than the R that it offers, as osmo-pcu's: by the delay that the BSS tells, Sluice
learns how much that is, of the cell and of an MS that is alone, so that the queue does not stand in the BSS."""

import itertools
import math
import re
from types import SimpleNamespace

from bss import Bss
from flow_world import BSS, FC_MS, IMSI, LLC_OCTETS, NSEI, OCTETS, TLLI, Load, taken
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, npdu, nsvc

R = 12000  # bit/s of a cell and of an MS
OFFER = {"bmax": R * 10 // 800, "r": R // 100, "bmax_default": R * 10 // 800, "r_default": R // 100}
EACH_S = 5  # between two FLOW-CONTROL-BVC
NEEDED_S = 0.02 + 1526 / 4 * 8 / R  # a mean delay up to this is a cell's radio's own
LEARNED_S, ALONE_S = 60, 120
FILL = 4  # MSs fill a radio
LINE = "more waits in the BSS than its radio needs"
INFINITE = 0xFFFF


def config(rate="as measured", delay="20 ms", mss=2):
    return HEAD.replace("gb {", f'gb {{ cell_delay = "{delay}",') + f"""
nse {{ nsei = {NSEI}, cell_rate = "{rate}", {nsvc(1, BSS)}, bvc {{ bvci = 2, {ms(IMSI, TLLI, count=mss)} }}, bvc {{ bvci = 3 }} }}
"""


def needed_s(share):
    """The same of an MS to which the radio gives so much of R."""
    return 0.02 + 1526 / 4 * 8 / (R * share)


def needed_of_s(mss):
    """What Sluice allows so many MSs: 0.6 of an LLC PDU of each other one, of 12 one LLC PDU together, of more less."""
    return min(NEEDED_S + 1526 * 0.6 * 8 / R * (min(mss, FILL) - 1), 0.02 + 1526 * 8 / R * (12 / mss) ** 2)


class Radio:
    """First in, first out for each MS, which gets `ms_share` of R at most, all together `share`; each PDU begins at
    least `wait_s` after it came."""

    def __init__(self, share, wait_s=0, ms_share=1):
        self.share, self.ms_share, self.wait_s = share, ms_share, wait_s
        self.free_s, self.free_of_s, self.waits = 0, {}, []

    def take(self, tlli, time_ns, octets):
        came_s, of_r_s = time_ns / S, octets * 8 / R
        begin_s = max(self.free_s, self.free_of_s.get(tlli, 0), came_s + self.wait_s)
        self.waits.append((begin_s, begin_s - came_s))
        self.free_s = max(self.free_s, begin_s - of_r_s) + of_r_s / self.share  # it may idle for a PDU at most
        self.free_of_s[tlli] = begin_s + of_r_s / min(self.share, self.ms_share)

    def mean_s(self, from_s, to_s, rounded=lambda sum_s: sum_s):
        """Of the PDUs whose turn came then."""
        waits = [wait_s for begin_s, wait_s in self.waits if from_s <= begin_s < to_s]
        return rounded(sum(waits)) / len(waits) if waits else 0


class ByTurns(Radio):
    """MSs with something there share it block by block, as osmo-pcu's; each has a queue of its own."""

    BLOCK_S = 0.02

    def __init__(self, share, ms_share=1):
        super().__init__(share, ms_share=ms_share)
        self.at_s, self.queues = 0, {}  # {TLLI: [[when a PDU came, octets left], ...]}, of those that have something
        self.stood = []  # how many LLC PDUs did at each block

    def take(self, tlli, time_ns, octets):
        self.go_on(time_ns / S)
        queue = self.queues.setdefault(tlli, [])
        queue.append([time_ns / S, octets])
        if len(queue) == 1:
            self.begins(queue)

    def begins(self, queue):
        self.waits.append((self.at_s, self.at_s - queue[0][0]))

    def go_on(self, to_s):
        while self.queues and self.at_s < to_s:
            self.at_s += self.BLOCK_S
            self.stood.append(sum(map(len, self.queues.values())))
            octets = min(self.share / len(self.queues), self.ms_share) * R / 8 * self.BLOCK_S
            self.queues = {tlli: queue for tlli, queue in self.queues.items() if self.served(queue, octets)}
        self.at_s = max(self.at_s, to_s)

    def served(self, queue, octets):
        queue[0][1] -= octets
        if queue[0][1] <= 0:
            rest = queue.pop(0)[1]
            if queue:
                queue[0][1] += rest
                self.begins(queue)
        return queue

    def mean_s(self, from_s, to_s, rounded=lambda sum_s: sum_s):
        self.go_on(to_s)
        return super().mean_s(from_s, to_s, rounded)


class Polled(ByTurns):
    """As osmo-pcu's: an MS's last LLC PDU ends in a block that is not full, which is sent again with a poll."""

    LOST_S = 2 * ByTurns.BLOCK_S

    def served(self, queue, octets):
        left = super().served(queue, octets)
        if not left:
            self.at_s += self.LOST_S
        return left


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
    """A BSS with a radio, a download for each of the MSs, and what is told each so often."""

    def __init__(self, world, radio, every_ms=100, tell=as_it_is, each_s=EACH_S, mss=1, octets=OCTETS):
        self.world, self.radio, self.tell, self.each_s = world, radio, tell, each_s
        self.bss = OfferBss(world, NSEI, ((1, BSS),), {2: 80000, 3: 80000})
        self.bss.up()
        self.load = Load(world, [TLLI + i for i in range(mss)], every_ms * MS, octets)
        self.seen = 0

    def sent(self):
        """Since the last call: (TLLI, time in ns, octets)."""
        pdus = [(r.pdu.sdu["v_tlli"], r.time_ns, len(r.pdu.sdu["llc"])) for r in self.bss.dl[self.seen:]]
        self.seen = len(self.bss.dl)
        return pdus

    def run(self, seconds):
        """What was sent and how long it waited in the BSS."""
        rates, waits = [], []
        for _ in range(seconds // self.each_s):
            self.world.run(self.each_s * S)
            pdus = self.sent()
            for pdu in pdus:
                self.radio.take(*pdu)
            rates.append(sum(octets for _, _, octets in pdus) * 8 / self.each_s / R)
            interval = (self.world.now_ns / S - self.each_s, self.world.now_ns / S)
            waits.append(self.radio.mean_s(*interval))
            self.bss.flow(2, **self.tell(self.radio, *interval))
        return SimpleNamespace(of_r=mean(rates), wait_s=mean(waits), most_s=max(waits),
                               often=mean([wait_s > NEEDED_S for wait_s in waits]),
                               spread=max(rates) - min(rates))

    def used(self):
        """As an operator sees it: parts of R, of the cell and of one MS, None without."""
        text = self.world.ctl(f"bvc {NSEI} 2")[1]
        found = [re.search(rf"\((\d+) % of it {what}\)", text) for what in ("used", "for one")]
        return tuple(one and int(one[1]) / 100 for one in found)


def has_own(world, ms_id):
    """A bucket of its own, in whatever cell."""
    text = world.lua(f"local own = require('sluice.bssgp.own_buckets') "
                     f"return tostring(own.has({ms_id}, 0) or own.has({ms_id}, 1) or false)")
    return {"true": True, "false": False}[text]


@case("a radio that carries less than R: within a minute the BSS's queue is what two MSs may have, and the radio idles little")
def learns():
    for share, delay in itertools.product((0.93, 0.89), ("20 ms", "300 ms")):
        for each_s, tell in itertools.product((1, 5, 10), (as_it_is, as_osmo_pcu)):
            with World(config(delay=delay)) as world:
                cell = Cell(world, Radio(share), tell=tell, each_s=each_s, mss=2)
                cell.run(LEARNED_S + 4 * each_s)
                then = cell.run(300)
                what = f"{share}, cell_delay {delay}, each {each_s} s, {tell.__name__}: {then}"
                right(0.97 * share <= then.of_r <= 1.005 * share, what)
                pdus = share * R * each_s / 8 / LLC_OCTETS  # of a report, whose sum is told without its part of a second
                wait_s = needed_of_s(2) + (tell is as_osmo_pcu) * 0.5 / pdus
                right(then.wait_s <= wait_s and then.most_s <= needed_of_s(2) + 0.6, f"{what}, at most {wait_s}")


@case("MSs that the radio serves by turns, each with a part of the slots: all that it carries, and little waits there")
def by_turns():
    share = 0.93
    for mss, tell in itertools.product((2, 4, 8, 12), (as_it_is, as_osmo_pcu)):
        with World(config(mss=mss)) as world:
            cell = Cell(world, ByTurns(share, ms_share=0.7), tell=tell, mss=mss)
            cell.run(ALONE_S)
            before = len(cell.radio.stood)
            then, most = cell.run(300), max(cell.radio.stood[before:])
            allowed = min(mss, FILL) + needed_of_s(mss) * R / 8 / LLC_OCTETS  # in the mean, by Little's law
            what = f"{mss}, {tell.__name__}: {then}, at most {most} LLC PDUs stand there, allowed {allowed:.1f}"
            right(0.97 * share <= then.of_r <= 1.005 * share, what)
            right(then.wait_s <= needed_of_s(mss) and most <= 1.5 * allowed, what)
            used, cell.tell = cell.used()[0], lambda *_: {"measurement": 0, "r": 0}
            cell.run(EACH_S)
            right(cell.used()[0] >= used - 0.02, f"{what}, then R = 0: {cell.used()}")


@case("the same where an MS's last LLC PDU costs the radio two blocks: at least 97 % of what it carries without that")
def polled():
    share = 0.93
    for mss, tell in itertools.product((2, 3, 4), (as_it_is, as_osmo_pcu)):
        with World(config(mss=mss)) as world:
            cell = Cell(world, Polled(share, ms_share=0.7), tell=tell, mss=mss, octets=1400)
            cell.run(ALONE_S)
            then = cell.run(300)
            what = f"{mss}, {tell.__name__}: {then}"
            right(0.97 * share <= then.of_r <= 1.005 * share and then.wait_s <= needed_of_s(mss), what)


@case("of many MSs, each of which gets an LLC PDU in ten seconds, each report counts: with four the share is found, also "
      "after a rest")
def crowd():
    for mss, rest, tell in (12, True, as_it_is), (12, True, nothing), *((mss, False, as_it_is) for mss in (12, 20, 30, 39)):
        with World(config(mss=mss)) as world:
            cell = Cell(world, Radio(0.89), tell=tell, mss=0 if rest else mss)
            if rest:
                cell.run(ALONE_S)
                cell.load, cell.tell = Load(world, [TLLI + i for i in range(mss)], 100 * MS), as_it_is
            cell.run(4 * EACH_S)
            right(cell.used()[0] < 0.89, f"{mss}, {'after a rest' if rest else 'at once'}, {tell.__name__}: {cell.used()}")


@case("an MS that is alone and has a part of the slots: the same, and the cell keeps its R")
def alone():
    for slots, tell in itertools.product((3, 2, 1), (as_it_is, as_osmo_pcu)):
        share = 0.93 * slots / 4
        with World(config()) as world:
            cell = Cell(world, Radio(0.93, ms_share=share), tell=tell)
            cell.run(ALONE_S * (1 if slots > 1 else 2))
            then, (of_cell, of_one) = cell.run(150), cell.used()
            what = f"{share}, {tell.__name__}: {then}, {of_cell} and {of_one} of R used"
            right(0.96 * share <= then.of_r <= 1.01 * share, what)
            pdu_s = LLC_OCTETS * 8 / (share * R)
            most_s = 1.2 * needed_s(share) + (tell is as_osmo_pcu) * pdu_s / EACH_S
            right(then.wait_s <= most_s and then.most_s <= most_s + max(0.5, 2 * pdu_s), what)
            right(of_cell == 1 and 0.8 * share <= of_one <= 1.2 * share, what)


@case("a second MS has all of the cell's R at once; the first keeps what is known of it")
def joined():
    share = 0.7
    with World(config()) as world:
        cell = Cell(world, Radio(0.93, ms_share=share))
        cell.run(ALONE_S)
        more = Load(world, (TLLI + 1,), 100 * MS)
        from_ns = world.now_ns
        then = cell.run(2 * EACH_S)
        of = [sum(octets for _, octets in taken(cell.bss, from_ns, tlli)) for tlli in (TLLI, TLLI + 1)]
        right(then.of_r > 0.95, f"{then}")
        right(of[1] > 0.9 * of[0], f"{of}")
        cell.run(LEARNED_S)
        then = cell.run(100)
        right(then.of_r > 0.9 and then.wait_s < needed_of_s(2), f"both: {then}")
        more.stop()
        cell.run(4 * EACH_S)  # what waits for the second goes, and who is alone is seen
        then = cell.run(100)
        right(0.95 * share < then.of_r < 1.02 * share and then.most_s < needed_s(share) + 0.7, f"alone again: {then}")


@case("an MS with other slots, or a better radio, has them: after a minute of silence at once, else within two")
def better():
    for silence_s in 0, 70:
        with World(config()) as world:
            cell = Cell(world, Radio(1, ms_share=0.7))
            cell.run(ALONE_S)
            right(cell.used()[1] < 0.75, f"{cell.used()}")
            if silence_s:
                cell.load.stop()
                while cell.run(EACH_S).of_r > 0:  # what waits goes
                    pass
                cell.run(silence_s)
                same(cell.used()[1], None, "what is known of it")
                cell.load = Load(world, (TLLI,), 100 * MS)
            cell.radio.ms_share = 1
            cell.run(EACH_S if silence_s else 120)
            then = cell.run(60)
            right(then.of_r > 0.97, f"{silence_s} s: {then}")


@case("another MS is learned, and the first is on the defaults again")
def another():
    with World(config()) as world:
        cell = Cell(world, Radio(0.93, ms_share=0.7))
        cell.run(ALONE_S)
        cell.load.stop()
        cell.run(2 * EACH_S)
        cell.load = Load(world, (TLLI + 1,), 100 * MS)
        cell.run(ALONE_S)
        then = cell.run(60)
        right(0.95 * 0.7 < then.of_r < 1.01 * 0.7, f"{then}")
        same([has_own(world, 0), has_own(world, 1)], [False, True], "buckets of their own")


@case("an MS that leaves the cell has its defaults in the next one, whatever is said of the first")
def left():
    with World(config()) as world:
        cell = Cell(world, Radio(0.93, ms_share=0.7))
        cell.run(ALONE_S)
        right(cell.used()[1] < 0.75, f"{cell.used()}")
        cell.bss.uplink(3, TLLI, npdu("10.0.0.1"))
        cell.run(4 * EACH_S)
        same((cell.used()[1], has_own(world, 0)), (None, False), "what is known of it, and a bucket of its own")


@case("what the BSS says of an MS holds, and its delay is the cell's from then on")
def told():
    with World(config()) as world:
        cell = Cell(world, Radio(1, ms_share=0.7))
        cell.run(ALONE_S)
        cell.bss.send(2, FC_MS, tlli=TLLI, tag=1, ms_bmax=150, r=R // 100 // 2)
        cell.bss.expect(FC_MS + "_ack", at=world.now_ns, tlli=TLLI, tag=1)
        cell.run(EACH_S)
        then = cell.run(60)
        right(0.49 < then.of_r < 0.51, f"the BSS's: {then}")
        cell.bss.send(2, FC_MS, tlli=TLLI, tag=2, ms_bmax=150, r=R // 100)
        cell.run(EACH_S)
        then, used = cell.run(60), cell.used()
        right(then.of_r > 0.84 and used[0] > 0.84 and used[1] is None, f"the BSS's: {then}, {used}")


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
    for mss in 1, 2:
        with World(config()) as world:
            cell = Cell(world, Radio(0.9), mss=mss)
            cell.run(120)
            cell.radio.share = 0.87
            cell.run(LEARNED_S + 60)
            then = cell.run(120)
            right(0.84 <= then.of_r <= 0.88 and then.most_s <= needed_of_s(mss) + 0.15, f"worse, {mss}: {then}")
            cell.radio.share = 1
            cell.run(10 * 60)
            then = cell.run(120)
            right(then.of_r > 0.98, f"better, {mss}: {then}")


def too_much(*excess_s):
    """So much more than is needed, report by report, then no delay."""
    left = iter(excess_s)
    return lambda *_: {"measurement": round((NEEDED_S + next(left, -NEEDED_S)) * 100)}


@case("a delay that swings by 10 ms about what is needed costs nothing, one that swings by 100 ms and fades does; after an "
      "excess what was carried meanwhile is used")
def comes_back():
    for excess_s, least, most in (((0.01, -0.1) * 6, 0.99, 1), ((0.1, 0.005, -0.1) * 8, 0.85, 0.94),
                                  ((1.2, 1.5, 1.4, 1.1, 0.8, 0.6, 0.4, 0.3, 0.2, 0.02), 0.89, 0.94)):
        with World(config()) as world:
            cell = Cell(world, Radio(1), tell=too_much(*excess_s))
            cell.run((len(excess_s) + 2) * EACH_S)
            right(least <= cell.used()[0] <= most, f"{excess_s}: {cell.used()}")


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


@case("whatever delay is told, 85 % of R are used at least, 10 % for one MS, and all of it again; and R = 0 stops")
def hostile():
    for mss, least in (1, 0.09), (2, 0.84):
        tales = iter([0, INFINITE] * 20 + [INFINITE] * 40 + [0] * 400)
        with World(config()) as world:
            cell = Cell(world, Radio(1), tell=lambda *_, of=tales: {"measurement": next(of)}, mss=mss)
            for _ in range(16):
                then = cell.run(25)
                right(least <= then.of_r <= 1.01, f"{mss}: {then}")
            cell.run(600)
            then = cell.run(25)
            right(0.99 <= then.of_r <= 1.01, f"{mss}, at last: {then}")
            stops(cell)


def stops(cell):
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


@case("a line the first time, one of the first MS, and BVC-RESET forgets what was learned")
def reset():
    for ms_share, what in (1, " for now"), (0.5, " for one MS for now"):
        with World(config()) as world:
            cell = Cell(world, Radio(0.87, ms_share=ms_share))
            cell.run(120)
            right(re.search(rf"NSE {NSEI}, BVCI 2: {LINE}, using \d\d % of {R} bit/s{what}", world.log()), world.log()[-500:])
            lines = world.log().count(LINE)
            cell.bss.reset_bvc(2)
            world.run(MS)
            same(has_own(world, 0), False, "a bucket of its own")
            cell.radio.share, cell.radio.ms_share = 1, 1
            then = cell.run(60)
            right(then.of_r > 0.92, f"{ms_share}: {then}")
            cell.radio.share, cell.radio.ms_share = 0.87, ms_share
            cell.run(60)
            right(world.log().count(LINE) > lines, "no new line")


if __name__ == "__main__":
    main()
