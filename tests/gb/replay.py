"""The oracle of flow control (48.018 clause 8.2.3.2): what a BSS has seen, DL-UNITDATAs and the
values that it has had acknowledged, replayed through exact buckets.

How to
    replay = Replay()
    replay.cell(t_ns, bvci, bmax, r, bmax_default, r_default)    octets and bit/s, when the ACK came
    replay.ms(t_ns, tlli, bmax, r), .pfc(t_ns, tlli, pfi, bmax, r); bmax None: no bucket of its own
    replay.full(t_ns, key, percent)                              CBL: B = percent of Bmax
    replay.discarded(t_ns, bvci, tlli, octets)     LLC-DISCARDED gives them back
    replay.reset(t_ns, bvci)                       nothing may come until the next cell()
    replay.pdu(t_ns, bvci, tlli, octets, pfi=None)               octets of the LLC PDU
    replay.gone(bvci, tlli)                        FLUSH-LL: nothing may come there until .heard(bvci, tlli)
    replay.in_call                                 TLLIs of SUSPEND-ACK, to which nothing may come
    replay.violations                                            sentences; has to be empty
    of(bss)             all of that from what passed the SGSN's port to and from a test BSS
Calls are in the order of the wire. A bucket's key is ("bvc", bvci), ("ms", tlli) or
("pfc", tlli, pfi).
"""

import collections
from fractions import Fraction

S_IN_NS = 10**9


class Bucket:
    """Tp and B as of the last PDU or change."""

    def __init__(self, now_ns, bmax, r):
        self.time_ns, self.bmax, self.r = now_ns, bmax, r
        self.level = Fraction(0)

    def settle(self, now_ns):
        leaked = Fraction((now_ns - self.time_ns) * self.r, 8 * S_IN_NS)
        self.level, self.time_ns = max(Fraction(0), self.level - leaked), now_ns

    def change(self, now_ns, bmax, r):
        self.settle(now_ns)
        self.bmax, self.r = bmax, r

    def take(self, now_ns, octets):
        self.settle(now_ns)
        self.level += octets

    def fault(self, now_ns, octets):
        """By how many octets the PDU would be too early, 0 if it is not."""
        self.settle(now_ns)
        after = self.level + octets
        # B* = L: an empty bucket takes any PDU
        return Fraction(0) if after == octets else max(Fraction(0), after - self.bmax)


class Replay:
    def __init__(self):
        self.buckets, self.defaults, self.own = {}, {}, set()
        self.cell_of, self.violations, self.pdus = {}, [], []
        self.given_back = collections.deque()
        self.left, self.in_call = set(), set() # (BVCI, TLLI); TLLI

    def change(self, now_ns, key, bmax, r):
        self.reach(now_ns)
        if key in self.buckets:
            self.buckets[key].change(now_ns, bmax, r)
        else:
            self.buckets[key] = Bucket(now_ns, bmax, r)

    def cell(self, now_ns, bvci, bmax, r, bmax_default, r_default):
        self.change(now_ns, ("bvc", bvci), bmax, r)
        self.defaults[bvci] = bmax_default, r_default
        for tlli, where in self.cell_of.items():
            if where == bvci and tlli not in self.own:
                self.change(now_ns, ("ms", tlli), bmax_default, r_default)

    def ms(self, now_ns, tlli, bmax, r):
        if bmax is None:
            self.own.discard(tlli)
            if self.cell_of.get(tlli) in self.defaults:
                self.change(now_ns, ("ms", tlli), *self.defaults[self.cell_of[tlli]])
        else:
            self.own.add(tlli)
            self.change(now_ns, ("ms", tlli), bmax, r)

    def pfc(self, now_ns, tlli, pfi, bmax, r):
        if bmax is None:
            self.buckets.pop(("pfc", tlli, pfi), None)
        else:
            self.change(now_ns, ("pfc", tlli, pfi), bmax, r)

    def full(self, now_ns, key, percent):
        self.reach(now_ns)
        self.buckets[key].settle(now_ns)
        self.buckets[key].level = Fraction(self.buckets[key].bmax * percent, 100)

    def discarded(self, now_ns, bvci, tlli, octets):
        """LLC-DISCARDED (8.2.4): the BSS has that much less than it was sent. The SGSN may handle it
        before or behind what it sends in the same instant: it counts when a PDU of that instant needs
        it, else when the instant is over."""
        self.given_back.append((now_ns, bvci, tlli, octets))

    def give_back(self):
        """The oldest of them."""
        then_ns, bvci, tlli, octets = self.given_back.popleft()
        for key in ("bvc", bvci), ("ms", tlli):
            if key in self.buckets:
                self.buckets[key].settle(then_ns)
                self.buckets[key].level = max(Fraction(0), self.buckets[key].level - octets)

    def reach(self, now_ns):
        while self.given_back and self.given_back[0][0] < now_ns:
            self.give_back()

    def reset(self, now_ns, bvci):
        """Of a cell: its bucket, its defaults and those of its MSs are forgotten."""
        del now_ns
        self.buckets.pop(("bvc", bvci), None)
        self.defaults.pop(bvci, None)
        for tlli in [tlli for tlli, where in self.cell_of.items() if where == bvci]:
            self.leave(tlli)

    def leave(self, tlli):
        del self.cell_of[tlli]
        self.own.discard(tlli)
        for key in [key for key in self.buckets if key[1] == tlli and key[0] != "bvc"]:
            del self.buckets[key]

    def enter(self, now_ns, bvci, tlli):
        """An MS seen in a cell: in a new one it begins with the defaults (8.2.3.5)."""
        if self.cell_of.get(tlli, bvci) != bvci:
            self.leave(tlli)
        self.cell_of[tlli] = bvci
        if ("ms", tlli) not in self.buckets and bvci in self.defaults:
            self.change(now_ns, ("ms", tlli), *self.defaults[bvci])

    def gone(self, bvci, tlli):
        """The SGSN has moved the MS (8.1.1): its buckets there are forgotten."""
        self.left.add((bvci, tlli))
        if self.cell_of.get(tlli) == bvci:
            self.leave(tlli)

    def heard(self, bvci, tlli):
        """User data or signalling of the MS: it may get LLC PDUs there."""
        self.left.discard((bvci, tlli))
        self.in_call.discard(tlli)

    def pdu(self, now_ns, bvci, tlli, octets, pfi=None):
        self.reach(now_ns)
        self.pdus.append((now_ns, bvci, tlli, octets, pfi))
        if (bvci, tlli) in self.left:
            self.violations.append(f"{now_ns} ns: TLLI {tlli:#x} in BVCI {bvci}, which it has left")
        if tlli in self.in_call:
            self.violations.append(f"{now_ns} ns: TLLI {tlli:#x} is suspended (7.4)")
        if ("bvc", bvci) not in self.buckets:
            self.violations.append(f"{now_ns} ns: BVCI {bvci} before its FLOW-CONTROL-BVC")
            return
        self.enter(now_ns, bvci, tlli)
        keys = [key for key in (("bvc", bvci), ("ms", tlli), ("pfc", tlli, pfi)) if key in self.buckets]
        while self.given_back and any(self.buckets[key].fault(now_ns, octets) for key in keys):
            self.give_back()
        for key in keys:
            fault = self.buckets[key].fault(now_ns, octets)
            self.buckets[key].take(now_ns, octets)
            if fault > 0:
                self.violations.append(
                    f"{now_ns} ns: {octets} octets for TLLI {tlli:#x}, {float(fault):.3f} octets "
                    f"over Bmax {self.buckets[key].bmax} of {key}")


def deviation(pdus, r_bit_per_s):
    """Of [(t_ns, octets)] sent in a backlog that one bucket limits: how far the octets after the
    first PDU ever were from R t / 8: (least, most), in octets (property S2)."""
    sent, least, most = 0, Fraction(0), Fraction(0)
    for t_ns, octets in pdus[1:]:
        due = Fraction((t_ns - pdus[0][0]) * r_bit_per_s, 8 * S_IN_NS)
        least = min(least, sent - due)
        sent += octets
        most = max(most, sent - due)
    return least, most


def rate(pdus):
    """bit/s of [(t_ns, octets)] from the first to the last, the first one's octets aside."""
    seconds = Fraction(pdus[-1][0] - pdus[0][0], S_IN_NS)
    return sum(octets for _, octets in pdus[1:]) * 8 / seconds


# --- From a test BSS ------------------------------------------------------------------------------

UNITS = (100, 1000, 10000, 100000)  # by granularity (11.3.102)


class Reader:
    """Values are in force from the PDU that acknowledges their tag."""

    def __init__(self):
        self.replay, self.asked = Replay(), {}
        self.flushed = set()  # (BVCI, TLLI) whose FLUSH-LL has no answer yet: the next one is a repetition

    def up(self, record):
        pdu = record.pdu and record.pdu.sdu
        if pdu and pdu.name.startswith("bssgp_flow_control_") and pdu["tag"] is not None:
            key = pdu.name, record.pdu.bvci, pdu["tlli"], pdu["tag"]
            self.asked[key] = pdu
        elif pdu and pdu.name == "bssgp_llc_discarded":
            self.replay.discarded(record.time_ns, pdu["bvci"], pdu["tlli"], pdu["octets"])
        elif pdu and pdu.name == "bssgp_bvc_reset_ack":
            self.reset(record.time_ns, pdu["bvci"])
        elif pdu and pdu.name == "bssgp_flush_ll_ack":
            self.flushed = {(bvci, tlli) for bvci, tlli in self.flushed if tlli != pdu["tlli"]}
        elif pdu and pdu.name == "bssgp_ul_unitdata":
            self.replay.heard(record.pdu.bvci, pdu["v_tlli"])

    def down(self, record):
        pdu = record.pdu.sdu
        if pdu is None:
            return
        if pdu.name == "bssgp_dl_unitdata":
            self.replay.pdu(record.time_ns, record.pdu.bvci, pdu["v_tlli"], len(pdu["llc"]),
                            pdu["pfi"])
        elif pdu.name == "bssgp_bvc_reset_ack":
            self.reset(record.time_ns, pdu["bvci"])
        elif pdu.name == "bssgp_flush_ll":
            if (pdu["bvci"], pdu["tlli"]) not in self.flushed:
                self.replay.gone(pdu["bvci"], pdu["tlli"])
            self.flushed.add((pdu["bvci"], pdu["tlli"]))
        elif pdu.name == "bssgp_suspend_ack":
            self.replay.in_call.add(pdu["tlli"])
        elif pdu.name == "bssgp_resume_ack":
            self.replay.in_call.discard(pdu["tlli"])
        elif pdu.name.startswith("bssgp_flow_control_"):
            name = pdu.name.removesuffix("_ack")
            asked = self.asked.get((name, record.pdu.bvci, pdu["tlli"], pdu["tag"]))
            if asked is None:
                self.replay.violations.append(f"{record.time_ns} ns: {pdu} answers nothing")
            else:
                getattr(self, name.removeprefix("bssgp_"))(record.time_ns, record.pdu.bvci, asked)

    def reset(self, now_ns, bvci):
        """That of BVCI 0 is one of all cells, each of which is reset then (8.4)."""
        for cell in [bvci] if bvci else list(self.replay.defaults):
            self.replay.reset(now_ns, cell)

    def flow_control_bvc(self, now_ns, bvci, pdu):
        unit = UNITS[pdu["granularity"] or 0]
        self.replay.cell(now_ns, bvci, *(pdu[field] * unit for field in
                                         ("bmax", "r", "bmax_default", "r_default")))
        if pdu["full"] is not None:
            self.replay.full(now_ns, ("bvc", bvci), pdu["full"])

    def flow_control_ms(self, now_ns, bvci, pdu):
        unit = UNITS[pdu["granularity"] or 0]
        self.replay.enter(now_ns, bvci, pdu["tlli"])
        self.replay.ms(now_ns, pdu["tlli"], pdu["ms_bmax"] * unit, pdu["r"] * unit)
        if pdu["full"] is not None:
            self.replay.full(now_ns, ("ms", pdu["tlli"]), pdu["full"])

    def flow_control_pfc(self, now_ns, bvci, pdu):
        unit = UNITS[pdu["granularity"] or 0]
        if pdu["ms_bmax"] is not None and pdu["r"] is not None:
            self.flow_control_ms(now_ns, bvci, pdu)
        for flow in pdu["flows"]:
            self.replay.pfc(now_ns, pdu["tlli"], flow["pfi"], flow["bmax"] * unit,
                            flow["r"] * unit)
            if flow.get("full") is not None:
                self.replay.full(now_ns, ("pfc", pdu["tlli"], flow["pfi"]), flow["full"])


def of(bss):
    """A Replay of all that passed. Values that the procedures drop by themselves (Th, a move that
    the SGSN makes) are the test's to add: it splits bss.wire then, or calls Replay by hand."""
    reader = Reader()
    for direction, record in bss.wire:
        getattr(reader, direction)(record)
    return reader.replay
