#!/usr/bin/python3
"""LLC-DISCARDED, RA-CAPABILITY-UPDATE and paging in standby (TS 48.018 clauses 7 and 8), and what
is left behind of all that goes on with MSs."""

import codec
from ms_parts import (ADDRESS2, BVCI_UNKNOWN, IMSI, IMSI2, LOST, ORDERED, PFC, PFC_FC, T3313,
                      TLLI, TLLI2, UNKNOWN_MS, config, discarded, page, place, resume, status,
                      suspended)
from harness import case, main, right, same
from world import MS, S, World, npdu


# ---- LLC-DISCARDED -----------------------------------------------------------------------------


def burst(p):
    """How many of 60 N-PDUs of 480 octets an empty bucket lets go at once."""
    p.world.run(20 * S)
    p.come()
    p.down(60, 480)
    p.world.run(0)
    return len(p.come())


@case("LLC-DISCARDED gives cell and MS so many octets back, and never more than were charged")
@place(r=8000)
def credit(p):
    plain = burst(p)
    discarded(p.a, 1100, frames=2)
    p.world.run(0)
    same(len(p.come()), 2, "PDUs that go for 1100 octets of credit")
    discarded(p.a, 0xFFFFFF, frames=255)
    p.world.run(0)
    same(len(p.come()), plain, "PDUs that go for more credit than was charged")
    counts = p.world.counts()["what"]
    same((counts["discarded_frames"], counts["discarded_octets"]), (257, 1100 + 0xFFFFFF), "counts")
    right(f"the BSS discarded 255 LLC PDUs, {0xFFFFFF} octets, of IMSI" in p.world.log(), "the log tells")


@case("LLC-DISCARDED of strangers and of unknown cells: STATUS, and no credit")
@place(r=8000)
def no_credit(p):
    burst(p)
    for fields, cause, wrong in (({"tlli": 0xC0FFEE00}, UNKNOWN_MS, None),
                                 ({"tlli": TLLI2}, UNKNOWN_MS, None),
                                 ({"bvci": 6}, BVCI_UNKNOWN, 6)):
        discarded(p.a, 5000, **fields)
        found = p.a.expect("bssgp_status", within=0)
        same((found["cause"], found["bvci"]), (cause, wrong), "STATUS")
    same(len(p.come()), 0, "PDUs that go for others' credit")


@case("LLC-DISCARDED of a cell that the MS has left is not the MS's credit in the other")
@place()
def left_credit(p):
    p.a.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=1, ms_bmax=20, r=1)
    p.a.expect("bssgp_flow_control_ms_ack", within=0)
    same(burst(p), 4, "PDUs that a bucket of 2000 octets lets go")
    for bvci, more in ((3, 0), (2, 4)):
        discarded(p.a, 2000, bvci=bvci)
        p.world.run(0)
        same(len(p.come()), more, f"PDUs that go for 2000 octets of cell {bvci}")


@case("LLC-DISCARDED with a PFI gives the packet flow its octets back, too, once for all its classes")
@place(features=PFC | PFC_FC, pdp="pfi = 9, ",
       more='pdp { nsapi = 6, class = "streaming", address = "10.0.9.6" },')
def credit_pfc(p):
    flows = [{"pfi": 9, "bmax": 20, "r": 1}]
    p.a.send(2, "bssgp_flow_control_pfc", tlli=TLLI, tag=1, flows=flows)
    p.a.expect("bssgp_flow_control_pfc_ack", within=0)
    p.down(20, 480)
    p.world.run(0)
    same(len(p.come()), 4, "N-PDUs that a bucket of 2000 octets lets go")
    for pfi, more in ((None, 0), (8, 0), (9, 2)):
        discarded(p.a, 1000, frames=2, pfi=pfi)
        p.world.run(0)
        same(len(p.come()), more, f"N-PDUs that go for 1000 octets of PFI {pfi}")


# ---- RA-CAPABILITY-UPDATE ----------------------------------------------------------------------


@case("RA-CAPABILITY-UPDATE: capabilities and IMSI, or the cause why not")
@place(more='ra_capability = "192b4300",')
def capability(p):
    p.a.send(2, "bssgp_ra_capability_update", tlli=TLLI, tag=9)
    found = p.a.expect("bssgp_ra_capability_update_ack", within=0, on=2, tlli=TLLI, tag=9)
    same((found["imsi"], found["update_cause"], found["ra_capability"]),
         (IMSI, 0, bytes.fromhex("192b4300")), "what is said of the MS")
    p.a.send(2, "bssgp_ra_capability_update", tlli=0xC0FFEE00, tag=10)
    found = p.a.expect("bssgp_ra_capability_update_ack", within=0, tag=10)
    same((found["imsi"], found["update_cause"], found["ra_capability"]), (None, 1, None), "unknown")
    p.b.send(2, "bssgp_ra_capability_update", tlli=TLLI2, tag=11)
    found = p.b.expect("bssgp_ra_capability_update_ack", within=0, tag=11)
    same((found["update_cause"], found["ra_capability"]), (2, None), "without capabilities")


# ---- A cell that is down ---


@case("an MS that is suspended while its cell is down is not, once the BSS or we reset the cell")
@place()
def suspended_early(p):
    p.a.follow = False
    p.a.auto.clear()
    for by_us in False, True:
        for bvci, cell in ((0, None), (2, p.a.cells[2].ci)):
            if bvci == 2:
                suspended(p)
                p.down(3)
                p.none(S)
            if bvci == 0 or not by_us:
                p.a.send(0, "bssgp_bvc_reset", bvci=bvci, cause=8, cell=cell)
                p.a.expect("bssgp_bvc_reset_ack", within=0, bvci=bvci)
        if by_us:
            p.a.expect("bssgp_bvc_reset", within=10 * S, bvci=2)
            p.a.send(0, "bssgp_bvc_reset_ack", bvci=2, cell=cell)
            p.world.run(0)
        p.idle()
        p.a.flow(2)
        p.world.run(0)
        p.all(aged=100)


# ---- Standby -----------------------------------------------------------------------------------

READY = ("gb.ready=10 s",)


@case("an MS in standby is paged before its first packet, and gets all of them once it is heard")
@place(sets=READY)
def standby(p):
    p.up()
    p.world.run(9 * S)
    p.flows()
    p.a.none("bssgp_paging_ps")
    p.world.run(10 * S)
    p.down(6)
    page(p.a, p.world.now_ns, bvci=2)
    p.down(6)
    p.none(4 * S)
    p.up()
    p.all()
    p.world.run(20 * S)
    p.down()
    page(p.a, p.world.now_ns, bvci=2)
    page(p.b, p.world.now_ns + T3313, rai=codec.RAI)
    p.frame()
    p.all()
    p.idle()


@case("nobody answers in standby: what waits is dropped, and the next packet pages again")
@place(sets=READY)
def standby_nobody(p):
    p.world.run(20 * S)
    for _ in range(2):
        start = p.world.now_ns
        p.down(5)
        page(p.a, start, bvci=2)
        p.none(4 * T3313)
        p.gone()
        p.idle()
        p.a.inbox.clear()
    p.down(2)
    page(p.a, p.world.now_ns, bvci=2)
    p.up()
    p.all()


@case("in standby a call is not disturbed by pages, nor a reselection that was ordered")
@place(sets=READY)
def standby_quiet(p):
    p.world.run(20 * S)
    reference = suspended(p)
    p.down(3)
    p.none(20 * S)
    resume(p.a, reference)
    p.all()
    p.a.none("bssgp_paging_ps", 20 * S)
    status(p.a, ORDERED)
    p.down(3)
    page(p.a, p.world.now_ns + T3313, bvci=2)
    p.none()
    p.up()
    p.all()
    p.idle()


@case("the page that is lost, late or twice: the retry does it")
@place(sets=READY)
def standby_impaired(p):
    p.world.run(20 * S)
    p.a.lose("down", "bssgp_paging_ps")
    p.down(3)
    p.a.expect("bssgp_paging_ps", at=p.world.now_ns + T3313)
    p.up(3)
    p.all(3)
    p.world.run(20 * S)
    p.a.duplicate("down", "bssgp_paging_ps", ns=MS)
    p.down(3)
    p.a.expect("bssgp_paging_ps", within=0)
    p.world.run(MS)
    p.up(3)
    p.all(3)
    p.idle()


@case("an operator's page is one PAGING-PS, and holds nothing")
@place()
def by_hand(p):
    at = p.world.now_ns
    right(p.world.ctl(f"page {IMSI}")[0], "a page by hand")
    page(p.a, at, bvci=2)
    p.flows()
    right(not p.world.ctl("page 12345")[0], "a page of a stranger")
    p.a.none("bssgp_paging_ps", 20 * S)


@case("an operator's page that no NS-VC can carry is refused, and says why")
def by_hand_unsent():
    with World(config()) as world:
        same(world.ctl(f"page {IMSI}"),
             (False, "not paged: the MS is in no cell, or its NSE has no unblocked NS-VC"), "answer")


# ---- What is left behind -----------------------------------------------------------------------


@case("an MS that is removed leaves nothing behind, neither timers nor pages")
@place()
def forgotten(p):
    p.a.auto.discard("bssgp_flush_ll")
    suspended(p)
    p.up(3)
    status(p.a, LOST, bvci=3)
    p.world.run(S)
    suspended(p)
    right(*p.world.reload(config(where=None)))
    p.idle()
    p.a.inbox.clear()
    p.a.none("bssgp_flush_ll", 100 * S)
    p.a.none("bssgp_paging_ps")


def all_of(p, cause):
    """A RADIO-STATUS for each of ten thousand and twenty."""
    for number in range(10020):
        p.a.send(2, "bssgp_radio_status", radio_cause=cause, tlli=TLLI + number)
        if number % 100 == 99:
            p.world.run(0)
    p.world.run(0)


@case("ten thousand MSs that are sent to other cells are waited for at a time; one more goes on")
@place(count=10020)
def most(p):
    all_of(p, ORDERED)
    same((p.lua("return require('sluice.ms.paging').count()"), p.world.counts()["what"]["pages"]),
         ("10000", 0), "MSs that are waited for, pages")
    p.world.down(p.world.teid(TLLI + 10019), npdu("10.0.39.36"))
    p.world.run(T3313)
    same([record.pdu.sdu["v_tlli"] for record in p.a.dl], [TLLI + 10019], "DL-UNITDATA")
    p.idle()


@case("ten thousand MSs that are lost are not paged, but for the one for which something waits")
@place(count=10020)
def most_lost(p):
    all_of(p, LOST)
    p.a.none("bssgp_paging_ps", 60 * S)
    p.idle()
    p.world.down(p.world.teid(TLLI + 10019), npdu("10.0.39.36"))
    p.a.expect("bssgp_paging_ps", within=0, tmsi=TLLI + 10019)
    p.world.down(p.world.teid(TLLI2), npdu(ADDRESS2))
    p.world.run(0)
    same([record.pdu.sdu["v_tlli"] for record in p.b.dl], [TLLI2], "DL-UNITDATA of another NSE's")


@case("after a thousand rounds of everything control takes no more memory")
@place()
def memory(p):
    def rounds(n):
        for _ in range(n):
            resume(p.a, suspended(p))
            status(p.a, LOST)
            p.up(3)
            p.up(2)
            discarded(p.a, 100)
            p.a.uplink_llc(2, 0xC0FFEE00, codec.llc_ui(1, 0, b"\x08\x08"))
        p.world.run(100 * S)
        p.a.inbox.clear()
        p.a.received.clear()
        p.a.sent.clear()
        p.world.frames.clear()
        p.idle()
        p.lua("collectgarbage() collectgarbage() return 0")
        return p.world.lua_octets()
    rounds(50)
    before = rounds(50)
    after = rounds(300)
    right(after < before + 4096, f"Lua had {before} octets, then {after}")


main()
