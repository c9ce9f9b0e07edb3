#!/usr/bin/python3
"""1000 random reloads under load (100 with sanitizers), others in each run, TEST_SEED=N those of one:
nothing is lost but what is queued for contexts that are no more; and reloads of a million MSs (a
tenth with sanitizers)."""

import os
import random

from world import HEAD, MS, S, World, ms, nsvc
from harness import case, main, often, right, same
from reload_model import CONTEXTS, Wish
from reload_world import PEERS, PLAIN, Traffic, loaded, started, wishes

TIMES = often(100, 1000)
MSS = often(100_000, 1_000_000)


class Mutation:
    """One random step of a file."""

    MSS = 120

    def __init__(self, rng, file):
        self.rng, self.file = rng, file

    def wish(self):
        rng = self.rng
        nsei = rng.choice(list(self.file.cells))
        return Wish(nsei, rng.choice(list(self.file.cells[nsei])), rng.choice((140, 500, 1444)),
                    rng.choice(CONTEXTS[:5]), False, rng.choice((0, 0, 16, 64)), True)

    def range(self):
        first = self.rng.randrange(self.MSS)
        return range(first, min(self.MSS, first + 1 + int(self.rng.expovariate(1 / 8))))

    def add(self):
        """The first third has no TLLIs in the file and stays in its NSE: in another one somebody
        else might have them."""
        wish = self.wish()
        home = wish._replace(nsei=101, given=False,
                             bvci=self.rng.choice(list(self.file.cells[101])))
        for i in self.range():
            self.file.wishes[i] = home if i < self.MSS // 3 else wish

    def remove(self):
        for i in self.range():
            self.file.wishes.pop(i, None)

    def change(self):
        key = self.rng.choice(("n201_u", "contexts", "rate"))
        value = getattr(self.wish(), key)
        for i in self.range():
            if i in self.file.wishes:
                self.file.wishes[i] = self.file.wishes[i]._replace(**{key: value})

    def move(self):
        wish = self.wish()
        for i in self.range():
            if i in self.file.wishes and self.file.wishes[i].given:
                self.file.wishes[i] = self.file.wishes[i]._replace(nsei=wish.nsei, bvci=wish.bvci)

    def cell(self):
        nsei = self.rng.choice(list(self.file.cells))
        cells, bvci = self.file.cells[nsei], self.rng.randint(2, 6)
        if bvci not in cells:
            cells[bvci] = self.rng.choice((8, 40, 80))
        elif len(cells) > 1:
            del cells[bvci]
            home = self.rng.choice(list(cells))
            for i, wish in self.file.wishes.items():
                if (wish.nsei, wish.bvci) == (nsei, bvci):
                    self.file.wishes[i] = wish._replace(bvci=home)

    def links(self):
        nsvcs, rng = self.file.nsvcs[101], self.rng
        number = rng.randrange(3)
        if 1101 + number in nsvcs and len(nsvcs) > 1 and rng.random() < 0.5:
            del nsvcs[1101 + number]
        else:
            nsvcs[1101 + number] = (PEERS[101][number], rng.randint(1, 3))

    def nse(self):
        file = self.file
        if 103 in file.cells:
            del file.cells[103], file.nsvcs[103]
            file.wishes = {i: wish for i, wish in file.wishes.items() if wish.nsei != 103}
        else:
            file.cells[103], file.nsvcs[103] = {2: 40}, {103: (PEERS[103][0], 1)}

    def values(self):
        nsei = self.rng.choice(list(self.file.cells))
        bvci = self.rng.choice(list(self.file.cells[nsei]))
        self.file.cells[nsei][bvci] = self.rng.choice((8, 16, 80))
        self.file.weight = self.rng.randint(1, 900)
        self.file.others = self.rng.randint(1, 3)

    def step(self):
        kinds = (self.add, self.remove, self.change, self.change, self.move, self.move, self.cell,
                 self.links, self.nse, self.values)
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice(kinds)()


@case(f"{TIMES} reloads under load lose nothing", TIMES, 1)
@case("100 reloads with two workers, too", 100, 2)
def many(times, workers):
    seed = int(os.environ.get("TEST_SEED") or random.randrange(1 << 32))
    rng = random.Random(seed)
    print(f"# TEST_SEED={seed}")
    world, model, file = started(wishes(0, Mutation.MSS // 3, PLAIN._replace(given=False))
                                 | wishes(60, 60, PLAIN._replace(nsei=102)), workers)
    with world:
        traffic, mutation = Traffic(world, model), Mutation(rng, file)
        for _ in range(times):
            for i in rng.sample(sorted(model.mss), min(2, len(model.mss))):
                traffic.down(i)
            if model.mss and rng.random() < 0.3:
                i = rng.choice(sorted(model.mss))
                nsei = model.mss[i].nsei
                peers = [peer for peer, _ in file.nsvcs[nsei].values()]
                traffic.up(i, rng.choice(list(file.cells[nsei])),
                           PEERS[nsei].index(rng.choice(peers)))
                world.run(0)
            before = {(i, nsapi): tunnel for i, one in model.mss.items()
                      for nsapi, tunnel in one.teids.items()}
            mutation.step()
            loaded(world, model, file, rng)
            after = {(i, nsapi): tunnel for i, one in model.mss.items()
                     for nsapi, tunnel in one.teids.items()}
            traffic.removed({key for key, tunnel in before.items() if after.get(key) != tunnel})
            world.run(rng.choice((0, 5 * MS, 50 * MS)))
        world.run(300 * S)
        traffic.check()
        file.wishes = {}
        loaded(world, model, file)
        same(world.lua("local s = require 'sluice.subscribers.ranges' return #s.ms_ids .. ' ' .. "
                       "s.ms_ids.left .. ' ' .. #s.pdp_ids .. ' ' .. s.pdp_ids.left"),
             "1 1000 1 3000", "blocks of free ids, and how many, when nobody is left")
        same(world.counts()["what"]["reloads"], times + 1, "reloads")
        # What the random file is good for: most were for contexts that stayed.
        right(len(traffic.sent_down) > times and len(traffic.gone) < len(traffic.sent_down) // 2,
              f"{len(traffic.sent_down)} N-PDUs, {len(traffic.gone)} for contexts that went")


@case(f"{MSS} MSs: all but one removed and added again", MSS)
def many_mss(count):
    wide = f"room {{ mss = {count + 100}, pdps = {count + 100} }}\n"

    def text(first, n, after=""):
        return HEAD + wide + f"""nse {{ nsei = 101, ns = "manual", {nsvc(101, "198.51.100.2")},
            bvc {{ bvci = 2, {ms(f"{10**12 + first:015d}", 0xC0000000 + first, count=n,
                                 address="10.0.0.1", ggsn_teid=0x1000)} {after} }} }}"""
    with World(text(0, count)) as world:
        for first, n, wanted in ((0, 1, f"{count - 1} MSs removed"),
                                 (0, count, f"{count - 1} MSs added")):
            done, answer = world.reload(text(first, n), within=600 * S)
            same((done, answer), (True, wanted), "answer")
        last = f"{10**12 + count - 1:015d}"
        same(world.lua(f"return require('sluice.subscribers.registry').by_imsi('{last}')"),
             str(count - 1), "the id of the last")

main()
