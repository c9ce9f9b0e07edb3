#!/usr/bin/python3
"""A BSS that measures R by what its blocks carried: the rest of a block behind an MS's last LLC PDU is empty, so R sinks
when little is sent. Sluice finds out whether R is low by its own effect."""

import random
import re
from types import SimpleNamespace

import replay
from bss import Bss
from flow_world import BSS, IMSI, NSEI, TLLI, Load, begin, clean, exact, taken
from harness import case, main, right, same
from world import HEAD, MS, S, World, ms, nsvc

SLOTS, BLOCK = 2, 148  # time slots, and octets of a block in one of them
BLOCK_S = 0.02
FULL = SLOTS * BLOCK * 8 * 50  # bit/s of blocks that are full
NPDU = 300  # an LLC PDU of 310 octets: the last of three blocks carries 14
NEEDED = 0.1 * FULL / 8  # octets that may wait there, in the mean
DRAIN = 0.5  # %


def config(mss):
    return HEAD.replace("gb {", f'gb {{ cell_delay = "20 ms", ms_delay = "60 ms", drain = "{DRAIN} %",') + f"""
class {{ name = "background", lifetime = "unlimited", aqm {{ name = "tail-drop" }} }}
nse {{ nsei = {NSEI}, {nsvc(1, BSS)}, bvc {{ bvci = 2, {ms(IMSI, TLLI, count=mss)} }}, bvc {{ bvci = 3 }} }}
"""


class Cell:
    """Slot by slot, MSs in turns. `carries`: of FULL at a time in s. tells: the delay as well as R."""

    def __init__(self, world, mss=2, every_ms=10, tells=True, carries=lambda s: 1, octets=NPDU):
        self.world, self.tells, self.carries = world, tells, carries
        self.bss = Bss(world, NSEI, ((1, BSS),), {2: FULL, 3: FULL})
        self.bss.up()
        self.load = Load(world, [TLLI + i for i in range(mss)], every_ms * MS, octets=octets)
        self.at_s, self.queues, self.seen, self.blocks, self.waits = world.now_ns / S, {}, 0, 0, []
        self.credit = 0
        self.report()

    def sends(self, queue):
        """A block: how much of it is used. An MS's queue is [when an LLC PDU came, octets left, has begun]."""
        left = BLOCK
        while queue and left > 0:
            if not queue[0][2]:
                self.waits.append(self.at_s - queue[0][0])
                queue[0][2] = True
            took = min(left, queue[0][1])
            queue[0][1] -= took
            left -= took
            if queue[0][1] <= 0:
                queue.pop(0)
        return BLOCK - left

    def serves(self, to_s):
        while self.at_s < to_s:
            self.at_s += BLOCK_S
            self.credit = self.credit % 1 + SLOTS * self.carries(self.at_s)
            for _ in range(int(self.credit)):
                if not self.queues:
                    break
                tlli = next(iter(self.queues))
                queue = self.queues.pop(tlli)
                self.blocks += 1
                self.octets += self.sends(queue)
                if queue:
                    self.queues[tlli] = queue
            self.stood.append(sum(pdu[1] for queue in self.queues.values() for pdu in queue if not pdu[2]))

    def run(self, seconds):
        """What arrived at MSs, of FULL, and the octets that waited there."""
        self.stood, arrived = [], 0
        for _ in range(seconds):
            self.blocks, self.octets, self.waits = 0, 0, []
            self.world.run(S)
            for record in self.bss.dl[self.seen:]:
                self.serves(record.time_ns / S)
                sdu = record.pdu.sdu
                self.queues.setdefault(sdu["v_tlli"], []).append([record.time_ns / S, len(sdu["llc"]), False])
            self.seen = len(self.bss.dl)
            self.serves(self.world.now_ns / S)
            self.report()
            arrived += self.octets
        return SimpleNamespace(of_full=arrived * 8 / seconds / FULL, stood=sum(self.stood) / len(self.stood),
                               most=max(self.stood))

    def report(self):
        r = round(self.octets / self.blocks / BLOCK * self.carries(self.at_s) * FULL / 100) if self.blocks else FULL // 100
        delay = {"measurement": round(sum(self.waits) / len(self.waits) * 100) if self.waits else 0} if self.tells else {}
        self.bss.flow(2, bmax=FULL * 10 // 800, r=r, bmax_default=FULL * 10 // 800, r_default=r, **delay)

    def used(self):
        """Per cent of R, as an operator sees it."""
        found = re.search(r"\(([\d.]+) % of it used\)", self.world.ctl(f"bvc {NSEI} 2")[1])
        return float(found[1]) if found else 100


@case("R that sinks when little stands in the BSS: it is what the radio carries, and little waits there")
def stays():
    for mss in 1, 2:
        with World(config(mss)) as world:
            cell = Cell(world, mss)
            cell.run(40)
            then = cell.run(100)
            right(then.of_full > 0.97 and then.stood < 1.2 * NEEDED and then.most < 2 * NEEDED, f"{mss}: {then}")


@case("without the delay R sinks: nothing is known of what stands there")
def not_told():
    with World(config(2)) as world:
        cell = Cell(world, tells=False)
        cell.run(60)
        then = cell.run(40)
        right(then.of_full < 0.93 and then.most < 2 * NPDU, f"{then}")
        same(cell.used(), 100 - DRAIN, "% of R")


@case("blocks that are full anyway, of a radio that gets worse: that is tried once, and then the drain goes on")
def worse():
    with World(config(2)) as world:
        state = SimpleNamespace(carries=1)
        cell = Cell(world, carries=lambda s: state.carries, octets=2 * BLOCK - 10)
        cell.run(60)
        state.carries = 0.955
        used = []
        for _ in range(100):
            then = cell.run(1)
            used.append(cell.used())
        right(max(used) > 101 and set(used[40:]) == {100 - DRAIN}, f"{used}")
        right(then.stood < NEEDED / 2, f"what stands there goes: {then}")


@case("few packets, whose blocks are not full: nothing waits here, so the drain goes on")
def light():
    with World(config(1)) as world:
        cell = Cell(world, 1, every_ms=100)
        for _ in range(30):
            cell.run(1)
            same(cell.used(), 100 - DRAIN, "% of R")


@case("more than R ends when the BSS is silent, and at R = 0; reset: nothing is known any more")
def silence():
    with World(config(1)) as world:
        bss = begin(world)
        Load(world, (TLLI,), 10 * MS, octets=NPDU)
        for r in 600, 400, 400, 400, 400:
            bss.flow(2, bmax=800, r=r, measurement=0)
            from_ns = world.now_ns
            world.run(2 * S)
        right(replay.rate(taken(bss, from_ns)) > 1.03 * 40000, "not more than R")
        world.run(20 * S)
        exact(taken(bss, from_ns + 4 * S), 39800, "after 4 s of silence")
        bss.flow(2, bmax=800, r=400, measurement=0)
        bss.flow(2, bmax=800, r=0, measurement=0)
        from_ns = world.now_ns + S
        world.run(5 * S)
        same(taken(bss, from_ns), [], "LLC PDUs at R = 0")
        bss.reset_bvc(2)
        world.run(S)
        bss.flow(2, bmax=800, r=300, measurement=0)
        from_ns = world.now_ns + 8 * S
        world.run(30 * S)
        exact(taken(bss, from_ns), 29900, "after a reset")


@case("a BSS whose R falls and whose delay is never any, at random times: by its R and Bmax no LLC PDU is too early")
def hostile():
    rng = random.Random(44)
    for bmax in 5, 20, 40, 100, 400:
        with World(config(1)) as world:
            bss = begin(world)
            bss.flow(2, bmax=bmax, r=900, measurement=0)
            Load(world, (TLLI,), 10 * MS, octets=NPDU)
            for _ in range(100):
                bss.flow(2, bmax=bmax, r=rng.choice((300, 350, 400, 600, 900)), measurement=0)
                world.run(rng.choice((rng.randrange(300, 2000) * MS, rng.randrange(20) * S)))
            clean(bss, 500)


if __name__ == "__main__":
    main()
