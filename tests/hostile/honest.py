"""The honest neighbour: a BSS with traffic and signalling, and a GGSN. It does everything at a known
rate, numbers it, and knows afterwards what has not come, or not in order, or was not answered.

    honest = Honest(arena, dice)     is up
    honest.tick()                    a little of everything, now
    honest.judge(others_most)        after the last answer: raises Failure

Each second datagram of some size goes in fragments, as through a tunnel with a small MTU.
"""

import itertools
from collections import Counter, defaultdict

import codec
import frames as wire
from arena import (A4, ADDRESS, B4, B6, CELLS, HONEST, MSS, RATE, RESET_CELL, TLLI, Bss, gb_frame,
                   gn_frame)
from harness import Failure, right, same
from world import GB, GB_MAC, GGSN, GN, GN_MAC, npdu

OWN6 = {"gn": "2001:db8::1", "gb": "2001:db8:1::1"}
PIECE = 400  # octets of a fragment
ANSWERS = {"bssgp_flow_control_bvc_ack", "bssgp_flow_control_ms_ack", "bssgp_bvc_reset_ack"}


def address(i):
    return ADDRESS[:-1] + str(i)


def whole(what, found, wanted, arena):
    right(found == wanted, f"{what}: missing {wanted - found}, too many {found - wanted}\n"
          f"{arena.log()[-800:]}\n{arena.stats()}")


class HonestBss(Bss):
    """What it is paged for answers at once; large datagrams go in fragments."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.auto.add("bssgp_paging_ps")
        self.identity = itertools.count(1)
        self.cuts = False

    def answer_bssgp_paging_ps(self, _, pdu):
        self.paged(int(pdu["imsi"][-3:]) % 100)

    def datagram(self, nsvc, octets, pdu=None):
        if not self.cuts or len(octets) <= PIECE:
            super().datagram(nsvc, octets, pdu)
            return
        for piece in wire.fragments_of(gb_frame(nsvc.address, octets), next(self.identity), PIECE):
            self.world.put("gb", piece)


class Honest:
    def __init__(self, arena, dice):
        self.arena, self.dice, self.ticks = arena, dice, itertools.count()
        self.bss = HonestBss(arena, HONEST, [(101, A4), (111, B4), (112, B6)],
                             {bvci: RATE for bvci in (*CELLS, RESET_CELL)})
        self.bss.up()
        arena.run(10**9)
        self.teids = {i: arena.teid(TLLI + i, nse_id=0) for i in range(MSS)}
        self.bss.cuts, self.bss.paged, self.bss.follow = True, self.up, False
        self.bss.inbox.clear()
        self.bss.dl.clear()
        arena.tpdus.clear()
        self.sent = {"down": defaultdict(list), "up": defaultdict(list)}
        self.number = itertools.count(1)
        self.asked, self.arrived = [], []  # keys of requests; others' events handled by then
        self.own = Counter()  # what the port or the path answers itself, by kind
        self.came = Counter()
        self.tag, self.new_cell = 0, RESET_CELL
        arena.slow()
        self.first = len(arena.frames)

    # ---- Traffic ----

    def down(self):
        i, octets, number = self.dice.randrange(MSS), self.dice.randrange(60, 480), next(self.number)
        self.sent["down"][i].append(number)
        frame = self.arena.down_frame(self.teids[i], npdu(address(i), octets, number))
        frames = wire.fragments_of(frame, number, PIECE) if octets > PIECE else [frame]
        for one in frames:
            self.arena.put("gn", one)

    def up(self, i):
        number = next(self.number)
        self.sent["up"][i].append(number)
        self.bss.uplink(self.cell(i), TLLI + i,
                        npdu("203.0.113.9", self.dice.randrange(60, 480), number, address(i)),
                        segment_octets=500, nsvc=self.dice.choice(self.bss.nsvcs))

    def cell(self, i):
        return CELLS[0] if i < MSS // 2 else CELLS[1]

    # ---- Signalling ----

    def ask(self, key, on, name, /, **fields):
        """A request that control answers."""
        self.asked.append(key)
        self.arrived.append(self.others)
        self.bss.send(on, name, nsvc=self.dice.choice(self.bss.nsvcs), **fields)

    def flow_ms(self):
        i, self.tag = self.dice.randrange(MSS), (self.tag + 1) % 256
        self.ask(("bssgp_flow_control_ms_ack", self.tag), self.cell(i), "bssgp_flow_control_ms",
                 tlli=TLLI + i, tag=self.tag, ms_bmax=65535, r=65535)

    def flow_bvc(self):
        bvci, self.tag = self.dice.choice(CELLS), (self.tag + 1) % 256
        self.ask(("bssgp_flow_control_bvc_ack", self.tag), bvci, "bssgp_flow_control_bvc",
                 tag=self.tag, bmax=65535, r=65535, bmax_default=65535, r_default=65535)

    def reset(self):
        """Of a cell without MSs, and of one that it has not had before."""
        self.new_cell += 1
        for bvci in (RESET_CELL, self.new_cell):
            self.ask(("bssgp_bvc_reset_ack", bvci), 0, "bssgp_bvc_reset", bvci=bvci, cause=8,
                     cell=codec.cell(0x100 + bvci))

    # ---- What needs no control ----

    def alive(self):
        self.own["alive"] += 1
        self.bss.ns("ns_alive", nsvc=self.dice.choice(self.bss.nsvcs))

    def echo(self):
        self.own["echo"] += 1
        self.arena.put("gn", gn_frame(GGSN, bytes.fromhex("320100040000000012340000")))

    def neighbour(self):
        for side, who, own, mac in (("gn", GGSN, GN, GN_MAC), ("gb", A4, GB, GB_MAC)):
            self.own[f"arp {side}"] += 1
            self.arena.put(side, wire.arp(1, wire.mac_of(who), who, bytes(6), own))
            self.own[f"ping {side}"] += 1
            self.arena.put(side, wire.in_ether(wire.icmp(who, own, 8, 0, b"\0\1\0\1" + bytes(48)),
                                               wire.mac_of(who), wire.mac(mac)))
        group = "ff02::1:ff00:1"
        rest = bytes(4) + wire.packed(OWN6["gb"]) + b"\1\1" + wire.mac_of(B6)
        self.own["solicitation"] += 1
        self.arena.put("gb", wire.in_ether(wire.icmp(B6, group, 135, 0, rest), wire.mac_of(B6),
                                           bytes.fromhex("3333ff000001")))

    # ---- All of it ----

    def tick(self):
        n = next(self.ticks)
        self.others = self.arena.others()
        self.down()
        self.up(self.dice.randrange(MSS))
        self.flow_ms()
        self.alive()
        if n % 5 == 0:
            self.flow_bvc()
            self.echo()
            self.neighbour()
        if n % 20 == 10:
            self.reset()

    # ---- The judge ----

    def host_answers(self):
        """Of what the port and the path said to the honest one for themselves, by kind."""
        found = Counter()
        for frame in self.arena.frames[self.first:]:
            octets = frame.octets
            if frame.to_us or octets[:6] not in self.arena.ours:
                continue
            if octets[12:14] == b"\x08\x06":
                found[f"arp {frame.side}"] += octets[20:22] == b"\0\2"
            elif octets[12:14] == b"\x86\xdd" and octets[20] == wire.ICMPV6:
                found["solicitation"] += octets[54] == wire.NEIGHBOUR_ADVERTISEMENT
            elif octets[12:14] == b"\x08\x00" and octets[23] == wire.ICMP:
                found[f"ping {frame.side}"] += octets[34] == 0
        found["echo"] = sum(d.payload[:2] == b"\x32\x02" for _, d in self.arena.tpdus)
        found["alive"] = sum(r.pdu.name == "ns_alive_ack" for r in self.bss.inbox)
        return found

    def delivered(self):
        found = {"down": defaultdict(list), "up": defaultdict(list)}
        for record in self.bss.dl:
            sdu = record.pdu.sdu
            i = sdu["v_tlli"] - TLLI
            _, _, info = codec.read_llc_ui(sdu["llc"])
            same(info[0] & 0x50, 0x40, "an N-PDU in one piece")
            same(record.pdu.bvci, self.cell(i), f"the cell in which MS {i} gets its N-PDU")
            found["down"][i].append(int.from_bytes(info[24:28]))
        for _, teid, octets in self.arena.npdus_up():
            found["up"][teid - 0x1000].append(int.from_bytes(octets[20:24]))
        return found

    def judge(self, others_most):
        found = self.delivered()
        for way in "down", "up":
            for i in range(MSS):
                got, sent = found[way][i], self.sent[way][i]
                whole(f"N-PDUs {way} of MS {i}", Counter(got), Counter(sent), self.arena)
                same(got, sent, f"the order of N-PDUs {way} of MS {i}")
        answers = [(pdu.name, pdu["tag"] if pdu["tag"] is not None else pdu["bvci"])
                   for pdu in (r.pdu.sdu for r in self.bss.inbox) if pdu and pdu.name in ANSWERS]
        whole("answers of control's", Counter(answers), Counter(self.asked), self.arena)
        whole("answers of the ports and the path", self.host_answers(), self.own, self.arena)
        same(self.arena.unanswered(), 0, "requests that were not answered when they were handled")
        between = [then - came for came, then in zip(self.arrived, self.arena.handled(), strict=True)]
        right(max(between) <= others_most,
              f"{max(between)} events of others between a request and its answer, {others_most} is most")
        return max(between)
