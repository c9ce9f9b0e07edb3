"""A test BSS: it speaks NS and BSSGP by codec.py over World's network, keeps its own view of its
NS-VCs and cells, brings itself up and answers, as far as a test lets it.

How to
    bss = Bss(world, 101, [(101, "198.51.100.2")], {2: 8000})   NSEI, NS-VCs, cells with R in bit/s
    bss.start(); world.run(S)              RESET, UNBLOCK, BVC-RESETs, FLOW-CONTROL-BVC
    bss.up()                               the same, and fails if not all of it is up in a minute
    bss.auto.discard("ns_reset")           that PDU is left to the test; auto.clear(): all of them
    bss.ns("ns_block", cause=1, nsvci=101) sends an NS PDU (nsvc=bss.nsvcs[1] for another NS-VC)
    bss.send(2, "bssgp_flow_control_ms", tlli=..., tag=1, ms_bmax=10, r=80)    BSSGP on a BVCI
    pdu = bss.expect("bssgp_flow_control_ms_ack", within=S, tlli=..., tag=1)   or at=T_NS
    bss.none("ns_reset", S)                none comes within 1 s
    bss.flow(2, r=..., bmax=...)           FLOW-CONTROL-BVC of a cell, by its wire units
    bss.lose("down", "ns_reset_ack", nth=2, times=1)   also duplicate() and delay(..., ns=)
    bss.latency_ns = 20 * MS               of each way, for all PDUs
    bss.strict = True                      data on a blocked NS-VC gets NS-STATUS and is not taken
    bss.uplink(2, tlli, npdu)              an N-PDU in UL-UNITDATAs; bss.dl: the DL-UNITDATAs taken
expect() takes the next such PDU from bss.inbox, which holds what came and nobody has asked for yet,
DL-UNITDATA aside; bss.received and bss.sent keep all, as Record(time_ns, nsvc, pdu); bss.wire is
what passed the SGSN's port, as ("up" or "down", Record): impairments lie between it and the BSS.

"down" is from the SGSN, "up" to it. Broken PDUs from the SGSN raise. What the BSS itself begins
it repeats every `patience_ns`, ten times at most, until it is answered.
"""

import itertools
from collections import defaultdict, namedtuple

import codec
from world import GB, MS, NS_PORT, S, Failure, right, same

Record = namedtuple("Record", "time_ns nsvc pdu")
CBL = 0x02  # of the feature bitmap

ANSWERED = {"ns_reset", "ns_block", "ns_unblock", "ns_alive", "bssgp_bvc_reset", "bssgp_flush_ll",
            "bssgp_create_bss_pfc", "bssgp_delete_bss_pfc"}


class NsVc:
    def __init__(self, nsvci, address, port=NS_PORT):
        self.nsvci, self.address, self.port = nsvci, address, port
        self.blocked = True

    def __repr__(self):
        return f"NS-VC {self.nsvci} {self.address}"


class Cell:
    """Its flow control values are in bit/s and octets; `up`: reset and acknowledged."""

    def __init__(self, bvci, r, ci=None):
        self.bvci, self.ci = bvci, codec.cell(ci or 0x100 + bvci)
        self.up, self.tag = False, 0
        self.r, self.bmax = r, max(r // 8 * 10, 5000)
        self.r_default, self.bmax_default = r, self.bmax


class Impairment:
    """Of the PDUs of that name in that direction, the nth to the (nth + times - 1)th."""

    def __init__(self, direction, name, what, nth, times, ns):
        self.direction, self.name, self.what, self.ns = direction, name, what, ns
        self.first, self.beyond, self.seen = nth, nth + times, 0

    def hits(self, direction, name):
        if (direction, name) != (self.direction, self.name):
            return False
        self.seen += 1
        return self.first <= self.seen < self.beyond


class Bss:
    def __init__(self, world, nsei, nsvcs, cells, *, features=0x00, extended=None, patience_ns=S):
        self.world, self.nsei = world, nsei
        self.nsvcs = [NsVc(*one) for one in nsvcs]
        self.cells = {bvci: Cell(bvci, r) for bvci, r in dict(cells).items()}
        self.features, self.extended = features, extended
        self.sgsn_features = None  # as the SGSN's last BVC-RESET or ACK on BVCI 0 said
        self.signalling_up = False
        self.follow = False  # goes on with the next step of start() by itself
        self.auto = set(ANSWERED)
        self.patience_ns, self.latency_ns, self.strict = patience_ns, 0, False
        self.received, self.sent, self.inbox, self.dl, self.wire = [], [], [], [], []
        self.impairments = []
        self.waiting = {}  # what is to be repeated until it is answered
        self.given_up = []  # what never was
        self.vu = defaultdict(int)  # N(U) by TLLI and SAPI
        self.npdus = defaultdict(int)
        self.turn = itertools.count()
        for one in self.nsvcs:
            self.listen(one)

    def listen(self, nsvc):
        self.world.attach(nsvc.address, nsvc.port, lambda datagram: self.take(nsvc, datagram))

    # ---- Out ----

    def datagram(self, nsvc, octets, pdu=None):
        """Any octets at all, through the impairments."""
        def arrive():
            self.wire.append(("up", Record(self.world.now_ns, nsvc, pdu)))
            self.world.gb(nsvc.address, octets, nsvc.port)
        self.impaired("up", octets, arrive)

    def put(self, nsvc, pdu):
        self.sent.append(Record(self.world.now_ns, nsvc, pdu))
        self.datagram(nsvc, pdu.octets, pdu)

    def ns(self, name, /, *, nsvc=None, more=b"", **fields):
        nsvc = nsvc or self.nsvcs[0]
        self.put(nsvc, codec.Pdu(name, codec.build(name, more, **fields), fields))

    def send(self, bvci, name, /, *, nsvc=None, more=b"", **fields):
        sdu = codec.build(name, more, **fields)
        self.send_octets(bvci, sdu, nsvc=nsvc, pdu=codec.Pdu(name, sdu, fields))

    def send_octets(self, bvci, sdu, *, nsvc=None, pdu=None):
        nsvc = nsvc or self.link()
        octets = codec.unitdata(bvci, sdu)
        self.put(nsvc, codec.Pdu("ns_unitdata", octets, {}, bvci,
                                 pdu or codec.Pdu("octets", sdu, {})))

    def link(self):
        """The first NS-VC that may carry data, or the first of all."""
        return next((one for one in self.nsvcs if not one.blocked), self.nsvcs[0])

    def status(self, cause, nsvc=None, **fields):
        self.send(0, "bssgp_status", cause=cause, nsvc=nsvc, **fields)

    def flow(self, bvci, *, tag=None, nsvc=None, **values):
        """FLOW-CONTROL-BVC; values on the wire go before the cell's own. With CBL in force the
        bucket is empty if nothing else is said."""
        cell = self.cells[bvci]
        if tag is None:
            cell.tag = tag = (cell.tag + 1) & 255
        own = {"bmax": cell.bmax // 100, "r": cell.r // 100,
               "bmax_default": cell.bmax_default // 100, "r_default": cell.r_default // 100}
        if self.sgsn_features and self.sgsn_features[0] & self.features & CBL:
            own["full"] = 0
        self.send(bvci, "bssgp_flow_control_bvc", nsvc=nsvc, tag=tag, **own | values)
        return tag

    def uplink(self, bvci, tlli, npdu, *, nsapi=5, sapi=3, segment_octets=400, nsvc=None):
        number = self.npdus[tlli, nsapi]
        self.npdus[tlli, nsapi] += 1
        for info in codec.sndcp(nsapi, number, npdu, segment_octets):
            self.uplink_llc(bvci, tlli, codec.llc_ui(sapi, self.next_nu(tlli, sapi), info),
                            nsvc=nsvc)

    def next_nu(self, tlli, sapi):
        self.vu[tlli, sapi] += 1
        return (self.vu[tlli, sapi] - 1) % 512

    def uplink_llc(self, bvci, tlli, llc, *, nsvc=None):
        cell = self.cells.get(bvci)
        octets = codec.ul_unitdata(tlli, llc, cell.ci if cell else codec.cell(bvci))
        pdu = codec.Pdu("bssgp_ul_unitdata", octets, {"v_tlli": tlli, "llc": llc})
        self.send_octets(bvci, octets, nsvc=nsvc, pdu=pdu)

    # ---- Impairments ----

    def impair(self, direction, name, what, nth, times, ns):
        self.impairments.append(Impairment(direction, name, what, nth, times, ns))

    def lose(self, direction, name, nth=1, times=1):
        self.impair(direction, name, "lose", nth, times, 0)

    def duplicate(self, direction, name, nth=1, times=1, ns=0):
        """The second one comes ns later."""
        self.impair(direction, name, "duplicate", nth, times, ns)

    def delay(self, direction, name, nth=1, times=1, ns=100 * MS):
        self.impair(direction, name, "delay", nth, times, ns)

    def impaired(self, direction, octets, go):
        name = codec.name_of(octets)
        hits = [one for one in self.impairments if one.hits(direction, name)]
        what = hits[0].what if hits else None
        if what != "lose" and what != "delay":
            self.later(self.latency_ns, go)
        if what == "duplicate" or what == "delay":
            self.later(self.latency_ns + hits[0].ns, go)

    def later(self, ns, go):
        if ns:
            self.world.at(self.world.now_ns + ns, go)
        else:
            go()

    # ---- In ----

    def take(self, nsvc, datagram):
        same((datagram.source.startswith("2001") or datagram.source == GB, datagram.port),
             (True, NS_PORT), f"who sends to {nsvc}")
        pdu = codec.parse(datagram.payload)
        self.wire.append(("down", Record(self.world.now_ns, nsvc, pdu)))
        self.impaired("down", pdu.octets, lambda: self.input(nsvc, pdu))

    def input(self, nsvc, pdu):
        record = Record(self.world.now_ns, nsvc, pdu)
        self.received.append(record)
        if self.strict and pdu.sdu and nsvc.blocked:
            self.ns("ns_status", nsvc=nsvc, cause=3, nsvci=nsvc.nsvci)
            return
        pdu = pdu.sdu or pdu
        if pdu.name == "bssgp_dl_unitdata":
            self.dl.append(record)
            return
        self.inbox.append(record)
        self.settle(record)
        if pdu.name in self.auto:
            getattr(self, "answer_" + pdu.name)(nsvc, pdu)
        note = getattr(self, "take_" + pdu.name, None)
        if note:
            note(nsvc, record.pdu)

    # ---- What a BSS answers ----

    def answer_ns_reset(self, nsvc, pdu):
        nsvc.blocked = True
        self.ns("ns_reset_ack", nsvc=nsvc, nsvci=pdu["nsvci"], nsei=pdu["nsei"])

    def answer_ns_block(self, nsvc, pdu):
        nsvc.blocked = True
        self.ns("ns_block_ack", nsvc=nsvc, nsvci=pdu["nsvci"])

    def answer_ns_unblock(self, nsvc, _):
        nsvc.blocked = False
        self.ns("ns_unblock_ack", nsvc=nsvc)

    def answer_ns_alive(self, nsvc, _):
        self.ns("ns_alive_ack", nsvc=nsvc)

    def answer_bssgp_bvc_reset(self, nsvc, pdu):
        """With both bitmaps on BVCI 0, and with the cell of another (8.4)."""
        bvci = pdu["bvci"]
        if bvci == 0:
            self.take_features(pdu)
            fields = {"features": self.features, "extended_features": self.extended}
        else:
            fields = {"cell": self.cells[bvci].ci} if bvci in self.cells else {}
        self.send(0, "bssgp_bvc_reset_ack", nsvc=nsvc, bvci=bvci, **fields)
        self.is_reset(bvci)

    def answer_bssgp_flush_ll(self, nsvc, pdu):
        """What it may transfer it transfers."""
        new = pdu["new_bvci"]
        self.send(0, "bssgp_flush_ll_ack", nsvc=nsvc, tlli=pdu["tlli"],
                  flush_action=0 if new is None else 1, bvci=new, octets=0, nsei=pdu["nsei"])

    def answer_bssgp_create_bss_pfc(self, nsvc, pdu):
        self.answer_ptp("bssgp_create_bss_pfc_ack", nsvc, pdu, abqp=pdu["abqp"])

    def answer_bssgp_delete_bss_pfc(self, nsvc, pdu):
        self.answer_ptp("bssgp_delete_bss_pfc_ack", nsvc, pdu)

    def answer_ptp(self, name, nsvc, pdu, **fields):
        bvci = next(r.pdu.bvci for r in reversed(self.received) if r.pdu.sdu is pdu)
        self.send(bvci, name, nsvc=nsvc, tlli=pdu["tlli"], pfi=pdu["pfi"], **fields)

    # ---- What it notes ----

    def take_ns_reset_ack(self, nsvc, _):
        nsvc.blocked = True
        if self.follow:
            self.begin(("unblock", nsvc), self.ns, "ns_unblock", nsvc=nsvc)

    def take_ns_unblock_ack(self, nsvc, _):
        nsvc.blocked = False
        if self.follow and not self.signalling_up:
            self.reset_bvc(0)

    def take_ns_unblock(self, nsvc, _):
        self.take_ns_unblock_ack(nsvc, None)

    def take_features(self, pdu):
        self.sgsn_features = (pdu["features"] or 0, pdu["extended_features"] or 0)

    def take_bssgp_bvc_reset_ack(self, _, pdu):
        if pdu.sdu["bvci"] == 0:
            self.take_features(pdu.sdu)
        self.is_reset(pdu.sdu["bvci"])

    def is_reset(self, bvci):
        """BVCI 0: all cells are to be reset (8.4); a cell: the SGSN waits for its values."""
        if bvci == 0:
            self.signalling_up = True
            for cell in self.cells.values() if self.follow else ():
                self.reset_bvc(cell.bvci)
        elif bvci in self.cells:
            self.cells[bvci].up = True
            if self.follow:
                tag = (self.cells[bvci].tag + 1) & 255
                self.cells[bvci].tag = tag
                self.begin(("flow", bvci), self.flow, bvci, tag=tag)

    # ---- What it begins ----

    def start(self, *nsvcs):
        """Everything from NS-RESET on; the next step comes when one is answered."""
        self.follow = True
        for nsvc in nsvcs or self.nsvcs:
            nsvc.blocked = True
            self.begin(("reset", nsvc), self.ns, "ns_reset", nsvc=nsvc, cause=1, nsvci=nsvc.nsvci,
                       nsei=self.nsei)

    def restart(self):
        """The BSC was switched off and on: it has forgotten everything."""
        self.signalling_up = False
        self.waiting.clear()
        self.given_up.clear()
        for cell in self.cells.values():
            cell.up = False
        self.start()

    def reset_bvc(self, bvci, cause=8):
        fields = {"features": self.features, "extended_features": self.extended} if bvci == 0 else \
                 {"cell": self.cells[bvci].ci}
        self.begin(("bvc_reset", bvci), self.send, 0, "bssgp_bvc_reset", bvci=bvci, cause=cause,
                   **fields)

    def begin(self, key, send, *arguments, **fields):
        """Sends, and repeats it until its answer has come."""
        self.waiting[key] = number = next(self.turn)

        def go(left):
            if self.waiting.get(key) != number:
                return
            if left == 0:
                del self.waiting[key]
                self.given_up.append(key)
                return
            send(*arguments, **fields)
            self.world.at(self.world.now_ns + self.patience_ns, go, left - 1)
        go(10)

    def settle(self, record):
        """The request that this answers, if any, is not repeated any more. A RESET of the peer's
        answers ours (8.4.3)."""
        pdu = record.pdu.sdu or record.pdu
        key = {"ns_reset_ack": ("reset", record.nsvc), "ns_reset": ("reset", record.nsvc),
               "ns_unblock_ack": ("unblock", record.nsvc), "ns_unblock": ("unblock", record.nsvc),
               "bssgp_bvc_reset_ack": ("bvc_reset", pdu["bvci"]),
               "bssgp_bvc_reset": ("bvc_reset", pdu["bvci"]),
               "bssgp_flow_control_bvc_ack": ("flow", record.pdu.bvci)}.get(pdu.name)
        self.waiting.pop(key, None)

    def is_up(self):
        return self.signalling_up and not self.waiting and not self.given_up and all(
            not one.blocked for one in self.nsvcs) and all(one.up for one in self.cells.values())

    def up(self, within=60 * S):
        """Brings everything up; then the inbox is empty."""
        self.start()
        self.world.run_until(self.world.now_ns + within, self.is_up)
        right(self.is_up(), f"the BSS is not up after {within} ns: waits for {list(self.waiting)}, "
                            f"has given up {self.given_up}, "
                            f"NS-VCs {[(one, one.blocked) for one in self.nsvcs]}, cells "
                            f"{[(c.bvci, c.up) for c in self.cells.values()]}\n{self.world.log()}")
        self.world.run(0)
        self.inbox.clear()

    # ---- Expectations ----

    def find(self, name, fields, nsvc, on):
        for record in self.inbox:
            pdu = record.pdu.sdu or record.pdu
            if pdu.name == name and (nsvc is None or record.nsvc is nsvc) and (
                    on is None or record.pdu.bvci == on) and all(
                        pdu[field] == value for field, value in fields.items()):
                return record
        return None

    def expect(self, name, /, *, within=None, at=None, nsvc=None, on=None, **fields):
        """The next PDU of that name with these fields, out of the inbox; lets time pass until it
        is there. `at`: it has to come at that very instant. `on`: the BVCI that it comes on."""
        world = self.world
        end_ns = at if at is not None else world.now_ns + (within or 0)
        world.run_until(end_ns, lambda: self.find(name, fields, nsvc, on) is not None)
        record = self.find(name, fields, nsvc, on)
        if record is None:
            came = "\n".join(map(str, self.inbox[-12:])) or "nothing"
            raise Failure(f"no {name} {fields} until {end_ns} ns; since the last look came\n"
                          f"{came}\n{world.log()[-3000:]}")
        self.inbox.remove(record)
        if at is not None:
            same(record.time_ns, at, f"when {name} comes")
        self.last = record
        return record.pdu.sdu or record.pdu

    def none(self, name, ns=0):
        """None is in the inbox, nor comes within that time."""
        self.world.run(ns)
        found = [r for r in self.inbox if (r.pdu.sdu or r.pdu).name == name]
        same(found, [], name)

    def times(self, name):
        """When each PDU of that name came, since the BSS was made."""
        return [r.time_ns for r in self.received if (r.pdu.sdu or r.pdu).name == name]
