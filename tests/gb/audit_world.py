"""Random worlds of Sluice and test BSSs for the auditor of captures: what the lab's BSS never does as well. Values
of cells, MSs and packet flows, with bucket-full ratio and granularity, long silences behind Th, LLC-DISCARDED,
cell changes inside and between NSEs, calls, cells and NS-VCs that are blocked, BVC-RESETs of either, BSSs that
restart; several NS-VCs an NSE, several LLEs an MS, with and without a cipher. Gb takes no time.

How to
    done = capture(7, path)        done.names: how often each PDU passed; done.refused: by the oracle of flow control
"""

import collections
import random
from types import SimpleNamespace

import codec
import replay
from flow_world import CBL, GIGABIT, INR, PFC, PFC_FC
from bss import Bss
from world import HEAD, MS, S, World, as_offered, ms, npdu, nsvc

NSES = {101: ("198.51.100.2", "198.51.100.12", "198.51.100.22"), 102: ("198.51.100.3", "198.51.100.13")}
CELLS = {101: (2, 3, 4), 102: (2, 6)}
TLLI, MSS = 0xC0000001, 5
PFIS = 8, 9, 10
CIPHERS = "", 'cipher = "gea3", key = "0123456789abcdef",', \
    'cipher = "gea4", key = "0123456789abcdef0011223344556677", iov_ui = 77,'
C_NS = 1001 * MS
ANSWER_NS = 300 * MS  # from a page to its answer
RELEASED = 0x08  # BVC cause: O&M intervention


def contexts(number):
    """Besides NSAPI 5 on SAPI 3: one on each packet flow, on other LLEs."""
    kinds = zip((6, 7, 8), (5, 9, 11), ("background", "streaming", "interactive-1"), PFIS)
    return "".join(f'pdp {{ nsapi = {nsapi}, sapi = {sapi}, class = "{name}", pfi = {pfi}, '
                   f'address = "10.{number}.{nsapi}.1" }},\n' for nsapi, sapi, name, pfi in kinds)


def configuration(rng, nsvcs, offered):
    """MSs 0 to 3 in NSE 101, the last one in NSE 102; whether all of Bmax is used."""
    def of(number):
        return ms(f"00101000000000{number + 1}", TLLI + number, address=f"10.{number}.5.1",
                  ggsn_teid=0x1000 * (number + 1), more=f"{rng.choice(CIPHERS)} {contexts(number)}")
    classes = "\n".join(f'class {{ name = "{name}", lifetime = "{rng.choice((2, 5, 30))} s", '
                        f'aqm {{ name = "{rng.choice(("tail-drop", "codel", "pie"))}" }} }}'
                        for name in ("background", "streaming", "interactive-1"))
    links = {nsei: " ".join(nsvc(nsei * 10 + i, peer) + "," for i, peer in enumerate(NSES[nsei][:nsvcs]))
             for nsei in NSES}
    areas = 'areas = { "262-42-4660-86" },'
    head = as_offered(HEAD) if offered else HEAD
    return head + f"""
{classes}
nse {{ nsei = 101, {areas} {links[101]}
    bvc {{ bvci = 2, {of(0)}, {of(1)}, {of(2)} }}, bvc {{ bvci = 3, {of(3)} }}, bvc {{ bvci = 4 }} }}
nse {{ nsei = 102, {areas} {links[102]} bvc {{ bvci = 2, {of(4)} }}, bvc {{ bvci = 6 }} }}
"""


class Timed(Bss):
    """Keeps C: notes when each bucket's last FLOW-CONTROL was. `paged` is given the IMSI in a PAGING-PS."""

    def __init__(self, *arguments, **more):
        super().__init__(*arguments, **more)
        self.told_ns, self.paged = {}, None
        self.auto.add("bssgp_paging_ps")

    def answer_bssgp_paging_ps(self, _, pdu):
        self.world.at(self.world.now_ns + ANSWER_NS, self.paged, self, pdu["imsi"])

    def send(self, bvci, name, /, **fields):
        if name.startswith("bssgp_flow_control"):
            self.told_ns[bvci, name, fields.get("tlli")] = self.world.now_ns
        super().send(bvci, name, **fields)

    def begin(self, key, *arguments, **fields):
        """What waits for its answer is not asked a second time by another NS-VC that comes up."""
        if key not in self.waiting:
            super().begin(key, *arguments, **fields)

    def may_tell(self, bvci, name, tlli=None):
        return self.cells[bvci].up and self.world.now_ns - self.told_ns.get((bvci, name, tlli), -C_NS) >= C_NS


class Random:
    def __init__(self, seed):
        self.rng = rng = random.Random(f"audit {seed}")
        self.nsvcs, self.features = rng.choice((1, 2, 2, 3)), INR
        self.features |= rng.choice((0, PFC, PFC | PFC_FC, PFC | PFC_FC)) | rng.choice((0, CBL))
        self.extended = rng.choice((None, GIGABIT))
        self.world = World(configuration(rng, self.nsvcs, rng.random() < 0.7))
        self.bsss = {nsei: Timed(self.world, nsei, [(nsei * 10 + i, peer) for i, peer in
                                                    enumerate(NSES[nsei][:self.nsvcs])],
                                 {bvci: rng.choice((12_000, 48_000, 96_000)) for bvci in CELLS[nsei]},
                                 features=self.features, extended=self.extended) for nsei in NSES}
        for nsei, bss in self.bsss.items():
            for cell in bss.cells.values():
                cell.ci = codec.cell(0x1000 + nsei * 16 + cell.bvci)
            bss.up()
        self.frames = {(number, nsapi): self.world.teid(TLLI + number, nsapi)
                       for number in range(MSS) for nsapi in (5, 6, 7, 8)}
        self.where = {number: (101, 3 if number == 3 else 2) if number < 4 else (102, 2) for number in range(MSS)}
        self.blocked, self.calls, self.tag = set(), {}, 0
        self.sent = 0

        for bss in self.bsss.values():
            bss.paged = self.paged

    def paged(self, bss, imsi):
        """An MS answers where it is, if it can."""
        number = int(imsi[-1]) - 1
        nsei, bvci = self.where[number]
        if nsei == bss.nsei and (nsei, bvci) not in self.blocked and number not in self.calls:
            self.heard_of(number)

    # ---- What happens ----

    def of_ms(self, number):
        nsei, bvci = self.where[number]
        return self.bsss[nsei], bvci, TLLI + number

    def any_ms(self):
        return self.of_ms(self.rng.randrange(MSS))

    def any_cell(self):
        nsei = self.rng.choice((101, 101, 102))
        return self.bsss[nsei], self.rng.choice(CELLS[nsei])

    def values(self, granularity):
        unit = 10 if granularity == 1 else 1
        return self.rng.choice((10, 20, 50, 300)) // unit, self.rng.choice((0, 100, 240, 480, 2400)) // unit

    def common(self, bss):
        granularity = self.rng.choice((None, 0, 1)) if self.extended else None
        in_force = bss.sgsn_features and bss.sgsn_features[0] & self.features & CBL
        return granularity, {"granularity": granularity} | \
            ({"full": self.rng.choice((0, 10, 70, 100, 150))} if in_force else {})

    def tell(self, bss, bvci, name, **fields):
        if bss.may_tell(bvci, f"bssgp_{name}", fields.get("tlli")):
            self.tag = (self.tag + 1) % 256
            bss.send(bvci, f"bssgp_{name}", tag=self.tag, **fields)

    def flow_bvc(self):
        (bss, bvci), (granularity, more) = self.any_cell(), self.common(self.bsss[101])
        (bmax, r), (bmax_default, r_default) = self.values(granularity), self.values(granularity)
        self.tell(bss, bvci, "flow_control_bvc", bmax=bmax, r=r, bmax_default=bmax_default, r_default=r_default,
                  **more)

    def flow_ms(self):
        bss, bvci, tlli = self.any_ms()
        granularity, more = self.common(bss)
        bmax, r = self.values(granularity)
        self.tell(bss, bvci, "flow_control_ms", tlli=tlli, ms_bmax=bmax, r=r, **more)

    def flow_pfc(self):
        bss, bvci, tlli = self.any_ms()
        if not self.features & PFC_FC:
            return
        granularity, more = self.common(bss)
        full, flows = more.pop("full", None), []
        for pfi in self.rng.sample(PFIS, 2):
            bmax, r = self.values(granularity)
            flows.append({"pfi": pfi, "bmax": bmax, "r": r, "full": full})
        self.tell(bss, bvci, "flow_control_pfc", tlli=tlli, flows=flows, **more)

    def discarded(self):
        bss, bvci, tlli = self.any_ms()
        octets = self.rng.choice((1, 200, 2000))
        bss.send(0, "bssgp_llc_discarded", tlli=tlli, frames=1, bvci=bvci, octets=octets)

    def heard(self):
        number = self.rng.randrange(MSS)
        if self.where[number] not in self.blocked:
            bss, bvci, tlli = self.of_ms(number)
            bss.uplink(bvci, tlli, npdu(f"10.{number}.5.1", self.rng.randint(40, 500)))

    def moves(self):
        number = self.rng.randrange(MSS)
        nsei = self.where[number][0] if self.rng.random() < 0.7 else self.rng.choice((101, 102))
        there = nsei, self.rng.choice(CELLS[nsei])
        if there not in self.blocked and number not in self.calls and self.bsss[nsei].cells[there[1]].up:
            self.where[number] = there
            self.heard_of(number)

    def heard_of(self, number):
        bss, bvci, tlli = self.of_ms(number)
        bss.uplink(bvci, tlli, npdu(f"10.{number}.5.1", 60))

    def call(self):
        number = self.rng.randrange(MSS)
        bss, _, tlli = self.of_ms(number)
        if number in self.calls:
            bss.send(0, "bssgp_resume", tlli=tlli, rai=codec.RAI, suspend_reference=self.calls.pop(number))
            return
        bss.send(0, "bssgp_suspend", tlli=tlli, rai=codec.RAI)
        self.world.run(0)
        acks = [r.pdu.sdu for r in bss.inbox if r.pdu.sdu and r.pdu.sdu.name == "bssgp_suspend_ack"]
        if acks:
            self.calls[number] = acks[-1]["suspend_reference"]

    def radio(self):
        bss, bvci, tlli = self.any_ms()
        bss.send(bvci, "bssgp_radio_status", tlli=tlli, radio_cause=self.rng.randrange(5))

    def block(self):
        bss, bvci = self.any_cell()
        if (bss.nsei, bvci) in self.blocked:
            self.blocked.discard((bss.nsei, bvci))
            bss.send(0, "bssgp_bvc_unblock", bvci=bvci)
        elif bss.cells[bvci].up:
            self.blocked.add((bss.nsei, bvci))
            bss.send(0, "bssgp_bvc_block", bvci=bvci, cause=RELEASED)

    def reset(self):
        bss, bvci = self.any_cell()
        bvci = self.rng.choice((bvci, bvci, 0))
        bss.follow = True
        for one in (CELLS[bss.nsei] if bvci == 0 else (bvci,)):
            bss.cells[one].up = False
            self.blocked.discard((bss.nsei, one))
        bss.reset_bvc(bvci)

    def block_nsvc(self):
        bss = self.rng.choice(list(self.bsss.values()))
        open_ones = [one for one in bss.nsvcs if not one.blocked]
        closed = [one for one in bss.nsvcs if one.blocked]
        if closed:
            bss.ns("ns_unblock", nsvc=closed[0])
        elif len(open_ones) > 1:
            open_ones[-1].blocked = True
            bss.ns("ns_block", nsvc=open_ones[-1], cause=1, nsvci=open_ones[-1].nsvci)

    def restart(self):
        bss = self.rng.choice(list(self.bsss.values()))
        self.blocked = {one for one in self.blocked if one[0] != bss.nsei}
        bss.restart()

    def silence(self):
        self.world.run(self.rng.randrange(6, 40) * S)

    HOW_OFTEN = {flow_bvc: 14, flow_ms: 12, flow_pfc: 8, discarded: 8, heard: 12, moves: 16, call: 6, radio: 3,
                 block: 4, reset: 3, block_nsvc: 3, restart: 1, silence: 2}

    def load(self):
        """N-PDUs for some contexts, at once."""
        for number, nsapi in self.rng.sample(list(self.frames), self.rng.randint(0, 6)):
            for _ in range(self.rng.choice((1, 2, 6))):
                self.sent += 1
                self.world.down(self.frames[number, nsapi],
                                npdu(f"10.{number}.{nsapi}.1", self.rng.choice((40, 300, 576, 1500)), self.sent))

    def run(self, steps):
        deeds = [deed for deed, share in self.HOW_OFTEN.items() for _ in range(share)]
        for _ in range(steps):
            self.load()
            self.rng.choice(deeds)(self)
            for bss in self.bsss.values():
                bss.inbox.clear()
            self.world.run(self.rng.randrange(1, 1500) * MS + self.rng.randrange(MS))


def capture(seed, path, steps=80):
    one = Random(seed)
    with one.world:
        one.run(steps)
        one.world.write_pcap(path)
        wire = [record for bss in one.bsss.values() for _, record in bss.wire]
        names = collections.Counter(record.pdu.sdu.name if record.pdu.sdu else record.pdu.name
                                    for record in wire if record.pdu)
        names["own PFI"] = sum(bool(r.pdu and r.pdu.sdu and r.pdu.sdu.name == "bssgp_dl_unitdata"
                                    and r.pdu.sdu["pfi"] in PFIS) for r in wire)
        judged = [replay.of(bss) for bss in one.bsss.values()]
    return SimpleNamespace(names=names, pdus=sum(len(each.pdus) for each in judged))
