#!/usr/bin/python3
"""An honest BSS and GGSN beside each attack, in virtual time: it loses nothing, each of its requests is
answered, with at most a stated number of other events handled between.

The attack comes at 20 000 frames a second, in bursts; the honest one's frames lie somewhere in each.
Control works at 5000 events a second, so where the attack reaches it, it is four times too slow. The
seed is TEST_SEED, or 1; `HOSTILE=WORD` runs the attacks whose name has the word.
"""

import itertools
import os
import random

from arena import Arena
from attacks import ATTACKS, CELLS_A_PIECE, OTHERS_A_TURN
from harness import case, main, right, same
from honest import Honest
from world import MS, S

TICK, BURST = 20 * MS, 400  # 20 000 a second
EVENTS, PIECES = 100, 1  # of control's work in each: 5000 events a second
TICKS = 40
SEED = int(os.environ.get("TEST_SEED", 1))
print(f"# TEST_SEED={SEED}")


def met(arena, attack):
    """The attack was one: most of it came to where it was meant to."""
    stats, frames = arena.stats(), TICKS * BURST
    counted = sum(stats[scope][name] for scope, name in (one.split(".") for one in attack.met))
    right(counted > frames // 2, f"of {frames} frames of the attack {attack.met} have {counted}:\n{stats}")


def beside(attack):
    dice = random.Random(f"{SEED} {attack.name}")
    with Arena(**attack.config) as arena:
        honest = Honest(arena, dice)
        arena.slow()
        side, frames = attack.frames(arena, dice)
        frames = itertools.cycle(frames)
        for _ in range(TICKS):
            burst = list(itertools.islice(frames, BURST))
            at = dice.randrange(BURST + 1)
            arena.put_all(side, burst[:at])
            honest.tick(arena.work())
            arena.put_all(side, burst[at:])
            arena.run(0)  # the worker has told control of all of it
            arena.let(EVENTS, PIECES)
            arena.run(TICK)
        arena.let(10**6, 10**6)
        arena.run(S)
        others_most = attack.turns * OTHERS_A_TURN + attack.told
        others, cells = honest.judge(others_most, CELLS_A_PIECE + others_most)
        met(arena, attack)
        same(arena.counted("claims_moved"), (0,), "MSs that were taken from the honest one")
        print(f"# {attack.name}: {others} events of others and {cells} resets of cells between")


for ATTACK in ATTACKS:
    if os.environ.get("HOSTILE", "") in ATTACK.name:
        case(f"beside {ATTACK.name}", ATTACK)(beside)
main()
