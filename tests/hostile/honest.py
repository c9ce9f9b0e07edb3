"""The honest neighbour: a BSS with traffic and signalling, and a GGSN. It does everything at a known
rate, each with a key, and knows afterwards what has not come, or twice, or not in order.

    honest = Honest(arena, dice)     is up
    honest.tick(arena.work())        a little of everything, now
    honest.heard()                   (key, time_ns) of all that has come since the last look
    honest.judge(others, cells)      after the last answer: raises Failure

A datagram of more than PIECE octets goes in fragments, as through a tunnel with a small MTU.
"""

import itertools
from collections import Counter

import codec
import frames as wire
from arena import (A4, ADDRESS, B4, B6, CELLS, HONEST, HOSTILE_TEID, MSS, RATE, RESET_CELL, TEID, TLLI,
                   Bss, gb_frame, gn_frame)
from harness import right, same
from world import GB, GB_MAC, GGSN, GN, GN_MAC, S, npdu

OWN6, ASKED6 = "2001:db8:1::1", "ff02::1:ff00:1"  # our Gb address, and the group that is asked for it
PIECE = 400  # octets of a fragment
NEW_CELLS = 8
ANSWERS = {"bssgp_flow_control_bvc_ack": "tag", "bssgp_flow_control_ms_ack": "tag",
           "bssgp_bvc_reset_ack": "bvci"}


class HonestBss(Bss):
    """What it is paged for answers at once; large datagrams go in fragments."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.auto.add("bssgp_paging_ps")
        self.identity = itertools.count(1)
        self.cuts, self.paged = False, None

    def answer_bssgp_paging_ps(self, _, pdu):
        number = int(pdu["imsi"]) % 1000
        self.paged(number if number < 100 else MSS // 2 + number - 100)

    def datagram(self, nsvc, octets, pdu=None):
        if not self.cuts or len(octets) <= PIECE:
            super().datagram(nsvc, octets, pdu)
            return
        for piece in wire.fragments_of(gb_frame(nsvc.address, octets), next(self.identity), PIECE):
            self.world.put("gb", piece)

    def forget(self):
        for kept in self.inbox, self.dl, self.received, self.sent, self.wire:
            kept.clear()


class Honest:
    def __init__(self, arena, dice):
        self.arena, self.dice = arena, dice
        self.ticks, self.number = itertools.count(), itertools.count(1)
        self.asked = []  # keys of all that has to come
        self.arrived, self.work = [], (0, 0)  # arena.work() at each request, and now
        self.tag, self.resets = 0, itertools.count()
        self.bss = HonestBss(arena, HONEST, [(101, A4), (111, B4), (112, B6)],
                             {bvci: RATE for bvci in (*CELLS, RESET_CELL)})
        self.bss.up()
        arena.run(S)
        self.teids = {i: arena.teid(TLLI + i, nse_id=0) for i in range(MSS)}
        self.bss.cuts, self.bss.paged, self.bss.follow = True, self.up, False
        self.forget()

    def forget(self):
        self.bss.forget()
        self.arena.tpdus.clear()
        self.arena.frames.clear()

    def note(self, *key):
        self.asked.append(key)

    def waits_for(self, *_):
        """Whether that has been asked, and could not be told from it if it were asked again."""
        return False

    # ---- Traffic ----

    def down(self):
        i, octets, number = self.dice.randrange(MSS), self.dice.randrange(60, 480), next(self.number)
        self.note("down", i, number)
        frame = self.arena.down_frame(self.teids[i], npdu(ADDRESS[:-1] + str(i), octets, number))
        frames = wire.fragments_of(frame, number, PIECE) if octets > PIECE else [frame]
        for one in frames:
            self.arena.put("gn", one)

    def up(self, i):
        octets, number = self.dice.randrange(60, 480), next(self.number)
        self.note("up", i, number)
        self.bss.uplink(self.cell(i), TLLI + i,
                        npdu("203.0.113.9", octets, number, ADDRESS[:-1] + str(i)),
                        segment_octets=500, nsvc=self.dice.choice(self.bss.nsvcs))

    def cell(self, i):
        return CELLS[0] if i < MSS // 2 else CELLS[1]

    # ---- Signalling ----

    def ask(self, answer, on, name, /, **fields):
        """A request that control answers."""
        self.note(answer, fields[ANSWERS[answer]])
        self.arrived.append(self.work)
        self.bss.send(on, name, nsvc=self.dice.choice(self.bss.nsvcs), **fields)

    def flow_ms(self):
        i, self.tag = self.dice.randrange(MSS), (self.tag + 1) % 256
        self.ask("bssgp_flow_control_ms_ack", self.cell(i), "bssgp_flow_control_ms",
                 tlli=TLLI + i, tag=self.tag, ms_bmax=65535, r=65535)

    def flow_bvc(self):
        bvci, self.tag = self.dice.choice(CELLS), (self.tag + 1) % 256
        self.ask("bssgp_flow_control_bvc_ack", bvci, "bssgp_flow_control_bvc",
                 tag=self.tag, bmax=65535, r=65535, bmax_default=65535, r_default=65535)

    def reset(self):
        """Of a cell without MSs, and of one that the file has not."""
        for bvci in (RESET_CELL, RESET_CELL + 1 + next(self.resets) % NEW_CELLS):
            if not self.waits_for("bssgp_bvc_reset_ack", bvci):
                self.ask("bssgp_bvc_reset_ack", 0, "bssgp_bvc_reset", bvci=bvci, cause=8,
                         cell=codec.cell(0x100 + bvci))

    # ---- What needs no control ----

    def alive(self):
        nsvc = self.dice.choice(self.bss.nsvcs)
        if not self.waits_for("alive", nsvc.address):
            self.note("alive", nsvc.address)
            self.bss.ns("ns_alive", nsvc=nsvc)

    def echo(self):
        number = next(self.number) % 65536
        self.note("echo", number)
        self.arena.put("gn", gn_frame(GGSN, b"\x32\1\0\4" + bytes(4) + number.to_bytes(2) + bytes(2)))

    def neighbour(self):
        """Who asks is another station's address each time, so that answers can be told apart."""
        station = 100 + next(self.number) % 100
        for side, who, net, own, mac in (("gn", GGSN, "192.0.2.", GN, GN_MAC),
                                         ("gb", A4, "198.51.100.", GB, GB_MAC)):
            self.note("arp", side, station)
            self.arena.put(side, wire.arp(1, wire.mac_of(who), f"{net}{station}", bytes(6), own))
            self.note("ping", side, station)
            echo = wire.icmp(who, own, 8, 0, bytes([0, 1, 0, station]) + bytes(48))
            self.arena.put(side, wire.in_ether(echo, wire.mac_of(who), wire.mac(mac)))
        self.note("solicitation", station)
        rest = bytes(4) + wire.packed(OWN6) + b"\1\1" + wire.mac_of(B6)
        asks = wire.icmp(f"{OWN6[:-1]}{station:x}", ASKED6, 135, 0, rest)
        self.arena.put("gb", wire.in_ether(asks, wire.mac_of(B6), bytes.fromhex("3333ff000001")))

    # ---- All of it ----

    def tick(self, work=(0, 0)):
        n = next(self.ticks)
        self.work = work
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

    # ---- What has come ----

    def heard(self):
        found = [*self.of_bss(), *self.of_gn(), *self.of_ports()]
        self.forget()
        return found

    def of_bss(self):
        for record in self.bss.inbox:
            pdu = record.pdu.sdu or record.pdu
            if pdu.name in ANSWERS:
                yield (pdu.name, pdu[ANSWERS[pdu.name]]), record.time_ns
            elif pdu.name == "ns_alive_ack":
                yield ("alive", record.nsvc.address), record.time_ns
        for record in self.bss.dl:
            sdu = record.pdu.sdu
            i = sdu["v_tlli"] - TLLI
            _, _, info = codec.read_llc_ui(sdu["llc"])
            same(info[0] & 0x50, 0x40, "an N-PDU in one piece")
            same(record.pdu.bvci, self.cell(i), f"the cell in which MS {i} gets its N-PDU")
            yield ("down", i, int.from_bytes(info[24:28])), record.time_ns

    def of_gn(self):
        for time_ns, datagram in self.arena.tpdus:
            if datagram.payload[:2] == b"\x32\x02":
                yield ("echo", int.from_bytes(datagram.payload[8:10])), time_ns
        for time_ns, teid, octets in self.arena.npdus_up():
            if teid < HOSTILE_TEID:
                yield ("up", teid - TEID, int.from_bytes(octets[20:24])), time_ns

    def of_ports(self):
        """What the ports themselves say to the honest one."""
        for time_ns, side, to_us, octets in self.arena.frames:
            if to_us or octets[0] & 1:
                continue
            if octets[12:14] == b"\x08\x06" and octets[20:22] == b"\0\2":
                yield ("arp", side, octets[41]), time_ns
            elif octets[12:14] == b"\x08\0" and (octets[23], octets[34]) == (wire.ICMP, 0):
                yield ("ping", side, octets[41]), time_ns
            elif octets[12:14] == b"\x86\xdd" and (octets[20], octets[54]) == (
                    wire.ICMPV6, wire.NEIGHBOUR_ADVERTISEMENT):
                yield ("solicitation", octets[53]), time_ns

    # ---- The judge ----

    def judge(self, *most):
        """The most events of others between a request and its answer, and cells that were reset."""
        heard = [key for key, _ in self.heard()]
        wanted, found = Counter(self.asked), Counter(heard)
        right(found == wanted, f"missing {wanted - found}, too many {found - wanted}\n"
              f"{self.arena.stats()}\n{self.arena.log()[-800:]}")
        for way, i in itertools.product(("down", "up"), range(MSS)):
            in_order, sent = ([key[2] for key in keys if key[:2] == (way, i)]
                              for keys in (heard, self.asked))
            same(in_order, sent, f"the order of N-PDUs {way} of MS {i}")
        same(self.arena.unanswered(), 0, "requests that were not answered when they were handled")
        pairs = zip(self.arrived, self.arena.handled(), strict=True)
        between = [max(then) for then in zip(*(
            [now - before for before, now in zip(came, then)] for came, then in pairs))]
        for found, limit, what in zip(between, most, ("events of others", "resets of cells")):
            right(found <= limit, f"{found} {what} between a request and its answer, {limit} is most")
        return between
