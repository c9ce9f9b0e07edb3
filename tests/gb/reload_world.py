"""What the tests of reloads share: a world with its model, reloads that have to go well or to be
refused, and traffic of which nothing may be lost."""

from collections import defaultdict

import codec
from bss import Bss
from harness import right, same
from reload_model import CONTEXTS, File, Model, Wish, address, picture, teid
from world import GGSN, S, World, npdu

PEERS = {101: ["198.51.100.2", "198.51.100.12", "198.51.100.22"], 102: ["198.51.100.3"],
         103: ["198.51.100.4"]}
PLAIN = Wish(101, 2, 500, CONTEXTS[0], False, 0, True)


def wishes(first, count, wish=PLAIN):
    return {i: wish for i in range(first, first + count)}


def started(wishes, workers=None, sets=(), **more):
    """A world with these MSs, its model, and its file."""
    file = File()
    file.wishes = dict(wishes)
    for key, value in more.items():
        setattr(file, key, value)
    world, model = World(file.text(), *sets, workers=workers), Model()
    model.load(file)
    model.check(picture(world))
    return world, model, file


def loaded(world, model, file, rng=None):
    """The answer to a reload that has to go well."""
    done, answer = world.reload(file.text(rng), within=10 * S)
    right(done, f"the reload was refused:\n{answer}\n{world.log()[-2000:]}")
    model.load(file)
    model.check(picture(world))
    return answer


def refused(world, model, text, *parts):
    """A reload that changes nothing; the parts are found in the answer."""
    before = world.lua("return tostring(require('sluice.core.network').cfg)")
    done, answer = world.reload(text, within=10 * S)
    right(not done, f"the reload was done: {answer}")
    for part in parts:
        right(part in answer, f"the answer has no {part!r}:\n{answer}")
    model.check(picture(world))
    same(world.lua("return tostring(require('sluice.core.network').cfg)"), before, "what is in force")
    return answer


class Noted(list):
    """What is added also goes to a list of all, with whose it is."""

    def __init__(self, whose, everything):
        super().__init__()
        self.whose, self.everything = whose, everything

    def append(self, record):
        super().append(record)
        self.everything.append((self.whose, record))


class Traffic:
    """N-PDUs down and up, each with its number; what of them came."""

    def __init__(self, world, model):
        self.world, self.model, self.number = world, model, 0
        self.bsss = {nsei: Bss(world, nsei, [(nsei * 10 + n, peer) for n, peer in enumerate(peers)],
                               {}) for nsei, peers in PEERS.items()}
        first, self.came = self.bsss[101], []
        for nsei, bss in self.bsss.items():
            bss.dl = Noted(nsei, self.came)
            bss.vu, bss.npdus = first.vu, first.npdus  # they are the MS's, wherever it is
            for one in bss.nsvcs:
                one.blocked = False
        self.sent_down, self.sent_up, self.gone = {}, {}, set()

    def down(self, i, octets=100):
        for nsapi, tunnel in self.model.mss[i].teids.items():
            self.number += 1
            self.sent_down[self.number] = (i, nsapi, tunnel)
            self.world.down(tunnel, npdu(address(i, nsapi), octets, self.number))

    def up(self, i, bvci, peer=0):
        """It roams there, in its NSE; on the NS-VC to that peer."""
        one = self.model.mss[i]
        nsvc = self.bsss[one.nsei].nsvcs[peer]
        for nsapi in one.teids:
            self.number += 1
            self.sent_up[self.number] = (i, nsapi)
            packet = npdu(GGSN, 100, self.number, source=address(i, nsapi))
            self.bsss[one.nsei].uplink(bvci, one.tlli, packet, nsapi=nsapi,
                                        nsvc=nsvc)
            self.model.mss[i] = one._replace(bvci=bvci)

    def seen(self):
        """What came down: (NSEI, BVCI, TLLI, NSAPI, number of the N-PDU), in the order it came."""
        found, parts = [], defaultdict(bytes)
        for nsei, record in self.came:
            pdu = record.pdu
            _, _, info = codec.read_llc_ui(pdu.sdu["llc"])
            key = (nsei, pdu.bvci, pdu.sdu["v_tlli"], info[0] & 15)
            parts[key] += info[4 if info[0] & 0x40 else 3:]
            if not info[0] & 0x10:
                found.append((*key, int.from_bytes(parts.pop(key)[20:24])))
        same(dict(parts), {}, "segments of an unfinished N-PDU")
        return found

    def removed(self, contexts):
        """These contexts (MS, NSAPI) are no more: what still waited for them is dropped."""
        came = {row[-1] for row in self.seen()} if contexts else set()
        self.gone |= {number for number, (i, nsapi, _) in self.sent_down.items()
                      if (i, nsapi) in contexts and number not in came}

    def check(self, where=None):
        """All came once; each context's in order; up too."""
        rows = self.seen()
        numbers = [row[-1] for row in rows]
        same(sorted(numbers), sorted(set(self.sent_down) - self.gone), "N-PDUs down")
        last = {}
        for number in numbers:
            i, nsapi, tunnel = self.sent_down[number]
            right(last.get(tunnel, 0) < number, f"N-PDU {number} of MS {i} is out of order")
            last[tunnel] = number
        for *_, nsapi, number in rows:
            same(nsapi, self.sent_down[number][1], f"NSAPI of N-PDU {number}")
        came = [(int.from_bytes(packet[20:24]), tunnel)
                for _, tunnel, packet in self.world.npdus_up()]
        same(sorted(came), sorted((number, teid(*key)) for number, key in self.sent_up.items()),
             "N-PDUs up")
        if where:
            last_place = {self.sent_down[row[-1]][0]: row[:3] for row in rows}
            same(last_place, {i: (one.nsei, one.bvci, one.tlli) for i, one in where.items()},
                 "where the last N-PDU of each MS went")
