"""What the tests of MSs share: two BSSs with cells in two routeing areas, an MS in each; PDUs."""

import codec
from bss import Bss
from harness import right, same
from world import HEAD, S, World, as_offered, ms, npdu, nsvc

A, B, C = "198.51.100.2", "198.51.100.3", "198.51.100.4"
IMSI, TLLI, ADDRESS = "001010000000001", 0xC0000001, "10.0.0.1"
IMSI2, TLLI2, ADDRESS2 = "001020000000001", 0x80000001, "10.1.0.1"  # not made of a P-TMSI
DRX = 0x1234
T3313, T5 = 5 * S, 15 * S  # their defaults, with 3 retries
LOST, BAD, ORDERED, PREPARE, FAILED = range(5)
UNKNOWN_MS, BVCI_UNKNOWN, SEMANTICALLY = 0x04, 0x05, 0x20
RA2 = bytes.fromhex("62f224123457")  # the neighbour of codec.RAI
PFC, INR, PFC_FC = 0x01, 0x04, 0x20
LISTED = 'areas = { "262-42-4660-86", "262-42-4660-87" },'  # both areas, for every NSE
CELLS_A, CELLS_B = (2, 3, 4), (2, 6)  # cells 4 of NSE 101 and 6 of NSE 102 are in the other area


def config(*, nse="", more="", pdp="", where=2, count=1, third=False):
    """The first MS is in that cell of NSE 101. A third NSE has an MS of the same TLLI."""
    first = ms(IMSI, TLLI, more=more, address=ADDRESS, count=count)
    first = first.replace("pdp { ", "pdp { " + pdp)
    in_cell = {bvci: first if bvci == where else "" for bvci in CELLS_A}
    second = ms(IMSI2, TLLI2, address=ADDRESS2, ggsn_teid=0x20000, more=f"drx = {DRX},")
    return as_offered(HEAD) + f"""
class {{ name = "background", lifetime = "2 s" }}
nse {{
    nsei = 101, {nse} {nsvc(101, A)},
    {" ".join(f"bvc {{ bvci = {bvci}, {text} }}," for bvci, text in in_cell.items())}
}}
nse {{
    nsei = 102, {nse} {nsvc(102, B)},
    bvc {{ bvci = 2, {second} }},
    bvc {{ bvci = 6 }},
}}
""" + (f"""
nse {{
    nsei = 103, {nsvc(103, C)},
    bvc {{ bvci = 2, {ms("001030000000001", TLLI, address="10.2.0.1", ggsn_teid=0x30000)} }},
}}
""" if third else "")


def cells(bss, other):
    """The BSS's cells with their identifiers; `other` is in the other routeing area."""
    for bvci, one in bss.cells.items():
        one.ci = codec.cell(0x1000 + bss.nsei * 16 + bvci, RA2 if bvci == other else codec.RAI)


class Place:
    """The two BSSs, up; N-PDUs for the MS by number."""

    def __init__(self, world, *, features=INR, b_features=None, r=80000):
        self.world, self.number, self.shown = world, 0, 0
        self.a = Bss(world, 101, [(101, A)], {bvci: r for bvci in CELLS_A}, features=features)
        self.b = Bss(world, 102, [(102, B)], {bvci: r for bvci in CELLS_B},
                     features=features if b_features is None else b_features)
        cells(self.a, 4)
        cells(self.b, 6)
        self.a.up()
        self.b.up()
        world.run(S)
        self.a.inbox.clear()
        self.teid = world.teid(TLLI, nse_id=0)

    def down(self, n=1, octets=200):
        for _ in range(n):
            self.world.down(self.teid, npdu(ADDRESS, octets, self.number))
            self.number += 1

    def up(self, bvci=2, bss=None):
        (bss or self.a).uplink(bvci, TLLI, npdu("203.0.113.9", 60, source=ADDRESS))

    def frame(self, bvci=2, bss=None, tlli=TLLI, sapi=1, info=b"\x08\x99"):
        """One that is control's."""
        (bss or self.a).uplink_llc(bvci, tlli, codec.llc_ui(sapi, 0, info))

    def come(self, bss=None):
        """(BVCI, number, lifetime in ms) of the N-PDUs that have come since the last look."""
        records = bss.dl if bss else sorted(self.a.dl + self.b.dl, key=lambda one: one.time_ns)
        found = []
        for record in records:
            sdu = record.pdu.sdu
            same(sdu["v_tlli"], TLLI, "TLLI")
            _, _, info = codec.read_llc_ui(sdu["llc"])
            same(info[0] & 0x50, 0x40, "an N-PDU in one piece")
            found.append((record.pdu.bvci, int.from_bytes(info[4 + 20:4 + 24]),
                          sdu["lifetime"] * 10))
        for one in (self.a, self.b):
            one.dl.clear()
        return found

    def none(self, ns=0):
        self.world.run(ns)
        same(self.come(), [], "DL-UNITDATA while it is held")

    def all(self, bvci=2, ns=2 * S, bss=None, aged=0):
        """All that have been sent down come, in order, none twice, at most `aged` ms old."""
        self.world.run(ns)
        found = self.come(bss)
        same([number for _, number, _ in found], list(range(self.shown, self.number)), "N-PDUs")
        same({cell for cell, _, _ in found} - {bvci}, set(), "cells")
        right(all(2000 - aged <= left <= 2000 for _, _, left in found), f"their lifetimes: {found}")
        self.shown = self.number

    def flows(self, bvci=2):
        self.down(3)
        self.all(bvci)

    def gone(self):
        """Those that were held have been dropped."""
        same(self.come(), [], "DL-UNITDATA of what was dropped")
        self.shown = self.number

    def lua(self, chunk):
        return self.world.lua(chunk)

    def idle(self):
        """Nothing goes on with any MS."""
        same((self.lua("return require('sluice.ms.paging').count()"),
              self.lua("return require('sluice.ms.flush').count()"),
              self.lua("return require('sluice.ms.suspended').count()")), ("0", "0", "0"),
             "MSs that are paged, flushed, suspended")


def place(*arguments, **more):
    """@case's functions get a Place of that configuration."""
    sets, workers = more.pop("sets", ()), more.pop("workers", None)
    of_place = {key: more.pop(key) for key in ("features", "b_features", "r") if key in more}

    def wrap(function):
        def run(*rest):
            with World(config(**more), *sets, workers=workers) as world:
                function(Place(world, **of_place), *arguments, *rest)
        return run
    return wrap


def status(bss, cause, bvci=2, **who):
    bss.send(bvci, "bssgp_radio_status", radio_cause=cause, **(who or {"tlli": TLLI}))
    bss.world.run(0)


def page(bss, at, **fields):
    found = bss.expect("bssgp_paging_ps", at=at, on=0, imsi=IMSI)
    for field in ("bvci", "rai", "lac", "area"):
        same(found[field], fields.get(field), f"{field} of the page")
    return found


def suspend(bss, tlli=TLLI, **more):
    bss.send(0, "bssgp_suspend", tlli=tlli, rai=codec.RAI, **more)


def suspended(p):
    suspend(p.a)
    ack = p.a.expect("bssgp_suspend_ack", within=0, tlli=TLLI, rai=codec.RAI)
    return ack["suspend_reference"]


def resume(bss, reference, tlli=TLLI):
    bss.send(0, "bssgp_resume", tlli=tlli, rai=codec.RAI, suspend_reference=reference)


def flushed(bss, **fields):
    """A FLUSH-LL that comes now."""
    found = bss.expect("bssgp_flush_ll", at=bss.world.now_ns, on=0, tlli=TLLI)
    same({field: found[field] for field in ("bvci", "new_bvci", "nsei")},
         {"bvci": 2, "new_bvci": None, "nsei": None} | fields, "FLUSH-LL")
    return found


def flush_ack(bss, action, octets=0, **fields):
    bss.send(0, "bssgp_flush_ll_ack", tlli=TLLI, flush_action=action, octets=octets, **fields)


def discarded(bss, octets, tlli=TLLI, bvci=2, frames=1, **more):
    bss.send(0, "bssgp_llc_discarded", tlli=tlli, frames=frames, bvci=bvci, octets=octets, **more)
