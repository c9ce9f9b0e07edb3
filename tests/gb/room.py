#!/usr/bin/python3
"""A BSS that measures R by the time slots that could be used, and says its cell's R for each MS: MSs that have a part of
the slots fill the radio together, and Sluice finds out how many of them the BSS needs at a time. Where R falls for other
reasons, what is tried for that costs little."""

import re
from types import SimpleNamespace

from bss import Bss
from flow_world import BSS, IMSI, NSEI, TLLI, Load
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, nsvc

FULL = 48000  # bit/s of the radio
PARTS = 4     # of it, of which an MS has one
BLOCK_S = 0.02
MSS = 6
NPDU = 1400


def config():
    return HEAD.replace("gb {", 'gb { cell_delay = "20 ms", ms_delay = "60 ms",') + f"""
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{ nsei = {NSEI}, {nsvc(1, BSS)}, bvc {{ bvci = 2, {ms(IMSI, TLLI, count=MSS)} }}, bvc {{ bvci = 3 }} }}
"""


def terms(r, ms_r):
    return {"bmax": r * 10 // 800, "r": r // 100, "bmax_default": ms_r * 10 // 800, "r_default": ms_r // 100}


class Cell:
    """`carries`: the part of its parts that the radio has at a time in s. mss: that download. margin: R, of what is
    measured; what stands in the BSS goes by the rest."""

    def __init__(self, world, carries=lambda s: 1, parts=PARTS, mss=MSS, each_s=1, ms_r=None, margin=0.998):
        self.world, self.carries, self.parts, self.each_s = world, carries, parts, each_s
        self.ms_r, self.margin = ms_r, margin
        self.bss = Bss(world, NSEI, ((1, BSS),), {2: FULL, 3: FULL})
        self.bss.up()
        for self.r in FULL, ms_r and FULL or FULL // parts:  # as it was with all there, and as it is with one
            self.offer()
        self.load = Load(world, [TLLI + i for i in range(mss)], 100 * MS, octets=NPDU)
        self.at_s, self.queues, self.seen = world.now_ns / S, {}, 0

    def offer(self):
        self.bss.flow(2, **terms(self.r, self.ms_r or self.r))

    def serves(self, to_s):
        """Block by block all that have something there; appends what they use of the radio, and the octets there."""
        while self.at_s < to_s:
            self.at_s += BLOCK_S
            if self.queues:
                parts = min(len(self.queues), self.parts)
                octets = parts * self.carries(self.at_s) * FULL / self.parts * BLOCK_S / 8 / len(self.queues)
                self.used.append(parts / self.parts * self.carries(self.at_s))
                self.carried += octets * len(self.queues)
                self.queues = {tlli: left - octets for tlli, left in self.queues.items() if left > octets}
            self.stood.append(sum(self.queues.values()))

    def run(self, seconds):
        """What the radio carried, of FULL, and the mean of the octets that stood there."""
        self.carried, self.stood = 0, []
        for _ in range(seconds // self.each_s):
            self.used = []
            self.world.run(self.each_s * S)
            for record in self.bss.dl[self.seen:]:
                self.serves(record.time_ns / S)
                tlli = record.pdu.sdu["v_tlli"]
                self.queues[tlli] = self.queues.get(tlli, 0) + len(record.pdu.sdu["llc"])
            self.seen = len(self.bss.dl)
            self.serves(self.world.now_ns / S)
            if self.used:
                self.r = int(self.margin * sum(self.used) / len(self.used) * FULL)
            self.offer()
        return SimpleNamespace(of_full=self.carried * 8 / seconds / FULL, stood=round(sum(self.stood) / len(self.stood)))

    def more(self):
        """As an operator sees it."""
        found = re.search(r"room for (\d+) MSs more than R says", self.world.ctl(f"bvc {NSEI} 2")[1])
        return int(found[1]) if found else 0


@case("MSs with a part of the slots each, whose R is the cell's: within a minute the radio is full, and stays so")
def fills():
    for parts in 2, 4, 6:
        with World(config()) as world:
            cell = Cell(world, parts=parts)
            cell.run(60)
            then = cell.run(300)
            right(then.of_full > 0.9 and cell.more() <= parts + 1, f"{parts} parts: {then}, {cell.more()}")
            right(then.stood < 1500 * (parts + 1), f"{parts} parts: {then}")


@case("an MS that may use all slots, and a radio that has a quarter of them for two thirds of the time: one there at a time")
def in_vain():
    with World(config()) as world:
        cell = Cell(world, lambda s: 0.25 if s % 90 < 60 else 1, parts=1, margin=0.8)
        cell.run(90)
        then = cell.run(360)
        right(then.of_full > 0.39 and then.stood < 1000 and cell.more() == 0, f"{then}, {cell.more()}")


@case("R that falls and rises while one more is tried: what was taken for an answer is given up again")
def by_chance():
    with World(config()) as world:
        state = SimpleNamespace(carries=1)
        cell = Cell(world, lambda s: state.carries, parts=1, margin=0.95)
        cell.run(10)
        for _ in range(3):  # a trial begins when R has fallen, and R is back when it ends
            state.carries = 0.4
            cell.run(2)
            state.carries = 1
            cell.run(10)
        right(cell.more() > 0, "nothing was taken for an answer")
        cell.run(500)
        same(cell.more(), 0, "more MSs")


@case("a BSS whose R does not change, one that reports each 5 s, and a lone download: nothing is tried")
def not_tried():
    for what in ({"parts": 4, "ms_r": FULL // 4}, {"each_s": 5}, {"mss": 1}):
        with World(config()) as world:
            cell = Cell(world, **what)
            then = cell.run(120)
            same(cell.more(), 0, f"{what}: {then}, more MSs")


@case("BVC-RESET: nothing is known any more")
def reset():
    with World(config()) as world:
        cell = Cell(world)
        cell.run(90)
        right(cell.run(30).of_full > 0.9 and cell.more() > 0, f"before: {cell.more()}")
        cell.bss.reset_bvc(2)
        world.run(S)
        cell.offer()
        same(cell.more(), 0, "more MSs")


CHUNK = """
local room, clock, dp = require "sluice.bssgp.room", require "sluice.core.clock", require "dp"
local now_ns, waiting, b, out = clock.now_ns, dp.bvc_waiting, {{ id = 0 }}, {{}}
for _, step in ipairs {{ {steps} }} do
    for _ = 1, step[1] do
        clock.now_ns = clock.now_ns + (step.each or 1) * 1000000000
        dp.bvc_waiting = function() return step.waiting or 40 end
        out[#out + 1] = room.of(b, step[2], step.ms_r or step[2])
    end
end
clock.now_ns, dp.bvc_waiting = now_ns, waiting
return table.concat(out, " ")
"""


def answers(*steps):
    """What is made of R that is told so many times: (times, R, more of the chunk's fields)."""
    with World(config()) as world:
        text = ", ".join("{ %d, %d%s }" % (times, r, "".join(f", {more}" for more in rest)) for times, r, *rest in steps)
        return [int(n) for n in world.lua(" ".join(CHUNK.format(steps=text).split())).split()]


GAINED = ((1, 48000), (1, 24000), (4, 48000))  # one more, tried at the second and kept at the sixth


@case("a trial of one more: 2 s without an answer, 4 s with a part of one, and what is made of it")
def one_more():
    same(answers((1, 48000), (19, 24000)), [0, 1, 1, *[0] * 16, 1], "no answer, and again after 16 s")
    same(answers((1, 48000), (1, 24000), (6, 31000))[1:6], [1, 1, 1, 1, 0], "a quarter more is not enough")
    same(answers(*GAINED), [0, 1, 1, 1, 1, 1], "R rose")
    same(answers((1, 48000, "each = 100"), (1, 24000)), [0, 1], "what R was counts, too, when a BSS comes late")
    same(answers((1, 48000), (1, 36000), (5, 46000))[-1], 1, "a quarter more that is all that R has been is enough")
    same(answers((1, 96000), (1, 24000), (4, 48000), (1, 48000))[-1], 2, "and at once one more")
    same(answers((1, 48000), (9, 24000, "waiting = 1"))[-1], 0, "nobody waits who could use it")
    same(answers((1, 48000), (9, 24000, "each = 5"))[-1], 0, "a BSS that reports each 5 s")
    same(answers((1, 48000), (2, 24000), (1, 24000, "each = 9"))[-1], 0, "a BSS that is silent meanwhile")
    same(answers((1, 48000), (9, 7000))[-1], 0, "an R for which two N-PDUs take more than 3.2 s")
    same(answers((1, 48000), (2, 24000), (1, 0), (1, 24000))[1:], [1, 1, 0, 1], "R = 0 ends a trial")


@case("a trial of one less, when R is what it has been: only if R stays, and those wait who could use it")
def one_less():
    same(answers(*GAINED, (140, 48000))[-2:], [0, 0], "not needed")
    same(answers(*GAINED, (128, 48000), (4, 45000), (9, 48000))[-10:], [1] * 10, "R falls")
    same(answers(*GAINED, (128, 48000), (4, 48000, "waiting = 1"), (9, 48000))[-10:], [1] * 10, "the load ends")
    found = answers(*GAINED, (128, 48000), (1, 45000), (300, 48000))
    same((found[133:136], set(found[135:390]), found[390]), ([0, 1, 1], {1}, 0), "tried, and again after 256 s")


@case("R that falls deeply, as when the slots go; and R that nothing brings back")
def falls():
    found = answers((1, 96000), (1, 24000), (20, 96000), (1, 96000), (1, 24000))
    same(found[-1] <= 1, True, f"what was learnt with four times as much: {found}")
    tries = answers((1, 48000), (7200, 24000))
    same(sum(tries[3600:]) <= 2, True, f"{sum(tries[3600:])} trials in the second hour")


@case("by the R of an MS: while R serves fewer MSs than it has, room for one more")
def spare():
    same(answers((1, 48000, "ms_r = 12000"), (1, 36000, "ms_r = 12000", "waiting = 0"), (1, 48000, "ms_r = 12000")),
         [0, 1, 0], "one more")


if __name__ == "__main__":
    main()
