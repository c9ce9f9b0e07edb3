#!/usr/bin/python3
"""What is told of an MS (TS 48.018 clauses 7 and 8): RADIO-STATUS, SUSPEND and RESUME, in order,
out of order, with loss, duplication and delay, and restarts in between; RA-CAPABILITY-UPDATE.

Held packets all come out in the end, in their order and as old as they were: their lifetime is two
seconds, and they are held for far longer. Whoever is unknown, or another NSE's, changes nothing."""

import codec
from ms_world import (ADDRESS2, BAD, DRX, FAILED, IMSI, IMSI2, LOST, ORDERED, PREPARE, RA2, SEMANTICALLY,
                      T3313, TLLI, TLLI2, UNKNOWN_MS, flushed, page, place, resume, status, suspend,
                      suspended)
from harness import case, main, right, same
from world import MS, S, npdu


# ---- RADIO-STATUS ------------------------------------------------------------------------------

for NAME, WHO in (("TLLI", {"tlli": TLLI}), ("P-TMSI", {"tmsi": TLLI}), ("IMSI", {"imsi": IMSI})):
    for CAUSE in (LOST, BAD):
        @case(f"radio cause {CAUSE} by {NAME}: paged when something waits, held until it is heard",
              CAUSE, WHO)
        @place()
        def lost(p, cause, who):
            p.flows()
            status(p.a, cause, **who)
            p.a.none("bssgp_paging_ps", 60 * S)
            p.idle()
            p.down(20)
            found = page(p.a, p.world.now_ns, bvci=2)
            same((found["tmsi"], found["qos_ie"]), (TLLI, bytes([0, 0, 0x31])), "P-TMSI and QoS")
            p.none(4 * S)
            p.up()
            p.all()
            p.idle()
            p.a.none("bssgp_paging_ps", 60 * S)


@case("contact is lost while packets wait: paged at once, and they come when it is heard")
@place(r=8000)
def lost_waiting(p):
    p.down(60, 480)
    p.world.run(600 * MS)
    before = len(p.come())
    right(0 < before < 50, f"{before} of 60 went before")
    status(p.a, LOST)
    page(p.a, p.world.now_ns, bvci=2)
    p.none(3 * S)
    p.up()
    p.world.run(0)
    found = [number for _, number, _ in p.come()]
    right(len(found) > 3, f"{len(found)} N-PDUs that an empty bucket lets go")
    same(found, list(range(before, before + len(found))), "those that waited")
    p.idle()


@case("a page of an MS without a P-TMSI is by its IMSI; DRX parameters go with it")
@place()
def by_imsi(p):
    status(p.b, LOST, tlli=TLLI2)
    p.world.down(p.world.teid(TLLI2), npdu(ADDRESS2))
    found = p.b.expect("bssgp_paging_ps", within=0, on=0, imsi=IMSI2)
    same((found["tmsi"], found["drx"], found["bvci"]), (None, DRX, 2), "P-TMSI, DRX, cell")


@case("nobody answers the pages: cell, then routeing area in both NSEs, then dropped; the next pages")
@place()
def nobody(p):
    status(p.a, LOST)
    start = p.world.now_ns
    p.down(5)
    page(p.a, start, bvci=2)
    p.world.run(S)
    status(p.a, BAD)  # it is being paged already
    for turn in range(1, 4):
        page(p.a, start + turn * T3313, rai=codec.RAI)
        page(p.b, start + turn * T3313, rai=codec.RAI)
    p.a.none("bssgp_paging_ps", T3313 - 1)
    same(p.world.stats()["background"]["drop_flushed"], 0, "dropped before its time")
    p.world.run(1)
    same(p.world.stats()["background"]["drop_flushed"], 5, "dropped")
    p.gone()
    p.idle()
    counts = p.world.counts()["what"]
    same((counts["pages"], counts["retries"], counts["timeouts"]), (1, 3, 1), "counts")
    p.a.none("bssgp_paging_ps", 60 * S)
    p.down(3)
    page(p.a, p.world.now_ns, bvci=2)
    p.up()
    p.all()
    p.a.none("bssgp_paging_ps", 60 * S)


@case("a routeing area is what its cells say last")
@place()
def areas(p):
    for rais, paged in ((codec.RAI, True), (RA2, False), (codec.RAI, True)):
        for bvci, one in p.b.cells.items():
            one.ci = codec.cell(one.bvci, rais)
            p.b.reset_bvc(bvci)
        p.world.run(S)
        p.b.inbox.clear()
        status(p.a, LOST)
        p.down()
        p.world.run(T3313)
        same(p.b.find("bssgp_paging_ps", {}, None, None) is not None, paged, "a page in NSE 102")
        p.up()
        p.world.run(0)
        p.idle()


@case("a reselection that was ordered: no page before T3313; the cell it comes to gets the queue")
@place()
def ordered(p):
    status(p.a, ORDERED)
    p.down(10)
    p.none(4 * S)
    p.a.none("bssgp_paging_ps")
    p.up(3)
    p.world.run(0)
    flushed(p.a, new_bvci=3)
    p.all(3)
    status(p.a, ORDERED, bvci=3)
    p.down(4)
    page(p.a, p.world.now_ns + T3313, bvci=3)
    p.none(S)
    p.up(3)
    p.all(3)
    p.flows(3)
    p.idle()


@case("a reselection that is being prepared changes nothing; one that failed ends the hold")
@place()
def prepared(p):
    status(p.a, PREPARE)
    p.flows()
    status(p.a, ORDERED)
    p.down(4)
    p.none(S)
    status(p.a, FAILED)
    p.all()
    p.idle()
    status(p.a, 77)  # no such cause
    p.flows()


@case("RADIO-STATUS of a cell that it has left, of strangers and of another NSE's changes nothing")
@place()
def stale(p):
    p.up(3)
    p.flows(3)
    status(p.a, LOST, bvci=2)
    p.flows(3)
    for who in ({"tlli": 0xC0FFEE00}, {"tlli": TLLI2}, {"imsi": IMSI2}, {"imsi": "99999"},
                {"tmsi": 0xC0FFEE00}):
        status(p.a, LOST, bvci=3, **who)
        found = p.a.expect("bssgp_status", within=0)
        same((found["cause"], found["bvci"]), (UNKNOWN_MS, None), "STATUS")
        p.idle()
    p.flows(3)
    p.a.none("bssgp_paging_ps", 10 * S)


@case("a RADIO-STATUS twice is one page; one that is late holds again, and a frame ends that too")
@place()
def twice(p):
    p.a.duplicate("up", "bssgp_radio_status", ns=3 * S)
    status(p.a, LOST)
    p.down(3)
    page(p.a, p.world.now_ns, bvci=2)
    p.none(S)
    p.up()
    p.all(ns=S)
    p.world.run(1100 * MS)
    p.down(3)
    p.a.expect("bssgp_paging_ps", within=0, bvci=2)
    p.none(S)
    p.frame()
    p.all()
    p.idle()


# ---- SUSPEND, RESUME ---------------------------------------------------------------------------


@case("a call of 250 s: held, not paged, and resumed; the second has another number")
@place()
def call(p):
    first = suspended(p)
    p.down(30)
    p.none(250 * S)
    p.a.none("bssgp_paging_ps")
    resume(p.a, first)
    p.a.expect("bssgp_resume_ack", within=0, tlli=TLLI, rai=codec.RAI)
    p.all()
    right(suspended(p) != first, "a fresh suspend reference number")


@case("a call of 1000 s: what waited has stayed for too long (queue.hold)")
@place()
def long_call(p):
    first = suspended(p)
    p.down(30)
    p.none(1000 * S)
    resume(p.a, first)
    p.a.expect("bssgp_resume_ack", within=0, tlli=TLLI, rai=codec.RAI)
    p.world.run(10 * S)
    same(p.come(), [], "N-PDUs of a call ago")


@case("what waits is no older after a call than it was before")
@place(r=8000)
def age(p):
    p.down(60, 480)
    p.world.run(600 * MS)
    reference = suspended(p)
    before = len(p.come())
    p.none(100 * S)
    resume(p.a, reference)
    p.world.run(0)
    found = p.come()
    same([number for _, number, _ in found], list(range(before, before + len(found))), "N-PDUs")
    same({left for _, _, left in found}, {1400}, "what is left of 2 s after 0.6 s, in ms")
    right(len(found) > 10, f"{len(found)} N-PDUs that an empty bucket lets go")


@case("a wrong number resumes nothing; SUSPEND and RESUME are answered alike when they come again")
@place()
def numbers(p):
    reference = suspended(p)
    same(suspended(p), reference, "the number of a repeated SUSPEND")
    p.down(5)
    resume(p.a, (reference + 1) % 256)
    found = p.a.expect("bssgp_resume_nack", within=0, tlli=TLLI)
    same(found["cause"], SEMANTICALLY, "cause")
    p.none(10 * S)
    for _ in range(3):
        resume(p.a, reference)
        p.a.expect("bssgp_resume_ack", within=0)
    p.all()
    second = suspended(p)
    p.down(5)
    resume(p.a, reference)  # a late one of the call before
    p.a.expect("bssgp_resume_nack", within=0)
    p.none(10 * S)
    resume(p.a, second)
    p.all()
    p.idle()


@case("SUSPEND and RESUME of strangers and of another NSE's MS: NACK, nothing changed")
@place()
def strangers(p):
    for tlli in (0xC0FFEE00, TLLI2):
        suspend(p.a, tlli)
        found = p.a.expect("bssgp_suspend_nack", within=0, tlli=tlli, rai=codec.RAI)
        same(found["cause"], UNKNOWN_MS, "cause")
        resume(p.a, 1, tlli)
        found = p.a.expect("bssgp_resume_nack", within=0, tlli=tlli, rai=codec.RAI)
        same(found["cause"], UNKNOWN_MS, "cause")
    p.idle()
    p.flows()


for DIRECTION, NAME in (("up", "bssgp_suspend"), ("down", "bssgp_suspend_ack"),
                        ("up", "bssgp_resume"), ("down", "bssgp_resume_ack")):
    for WHAT, TITLE in ("lose", "lost"), ("duplicate", "duplicated"), ("delay", "delayed"):
        @case(f"a call with {NAME} {TITLE}", DIRECTION, NAME, WHAT)
        @place()
        def impaired(p, direction, name, what):
            """The BSS repeats after T3 and T4, here 1 s, by the number of the latest ACK."""
            getattr(p.a, what)(direction, name, **({} if what == "lose" else {"ns": 1500 * MS}))
            world, end = p.world, p.world.now_ns + 4 * S
            while not p.a.find("bssgp_suspend_ack", {}, None, None) and world.now_ns < end:
                suspend(p.a)
                world.run(S)
            p.down(8)
            p.none(20 * S)
            reference = p.a.expect("bssgp_suspend_ack")["suspend_reference"]
            end = world.now_ns + 4 * S
            while not p.a.find("bssgp_resume_ack", {}, None, None) and world.now_ns < end:
                resume(p.a, reference)
                world.run(S)
            world.run(2 * S)
            p.a.expect("bssgp_resume_ack")
            p.all()
            p.idle()


@case("user data of a suspended MS resumes it, here and in another cell")
@place()
def implicit(p):
    for bvci in (2, 3):
        reference = suspended(p)
        p.down(5)
        p.none(5 * S)
        p.up(bvci)
        p.all(bvci)
        p.idle()
        resume(p.a, reference)  # the BSS has not seen that
        p.a.expect("bssgp_resume_ack", within=0)


@case("user data and the SUSPEND behind it in one burst: that was heard before, and ends no call")
@place()
def heard_before(p):
    status(p.a, LOST)
    p.down(3)
    page(p.a, p.world.now_ns, bvci=2)
    p.up()
    reference = suspended(p)
    p.all(ns=0)  # they may go before the SUSPEND
    p.down(3)
    p.none(60 * S)
    p.a.none("bssgp_paging_ps")
    resume(p.a, reference)
    p.all()
    p.idle()


@case("a routeing area update of a suspended MS resumes it; a damaged one does not")
@place()
def update(p):
    suspended(p)
    p.down(5)
    llc = codec.llc_ui(1, 0, b"\x08\x08")
    p.a.uplink_llc(2, TLLI, llc[:-1] + bytes([llc[-1] ^ 1]))
    p.none(5 * S)
    p.frame()
    p.all()
    p.idle()


@case("RADIO-STATUS does not end a call, nor is a suspended MS paged")
@place()
def call_lost(p):
    reference = suspended(p)
    p.down(3)
    for cause in (LOST, ORDERED, FAILED):
        status(p.a, cause)
        p.none(10 * S)
    p.a.none("bssgp_paging_ps")
    resume(p.a, reference)
    p.all()
    p.idle()


@case("a call while it is being paged: not paged meanwhile, again afterwards")
@place()
def page_call(p):
    status(p.a, LOST)
    p.down(3)
    page(p.a, p.world.now_ns, bvci=2)
    reference = suspended(p)
    p.none(60 * S)
    p.a.none("bssgp_paging_ps")
    resume(p.a, reference)
    p.none()
    page(p.a, p.world.now_ns, bvci=2)
    p.none(S)
    p.up()
    p.all()
    p.idle()


@case("the BSS restarts in a call, and while it is paged: nobody is held for ever")
@place()
def restarts(p):
    suspended(p)
    p.down(4)
    p.none(5 * S)
    p.a.restart()
    p.world.run_until(p.world.now_ns + 60 * S, p.a.is_up)
    p.all(aged=100)
    p.idle()
    status(p.a, LOST)
    p.down(4)
    p.a.restart()
    p.world.run(60 * S)
    p.come()
    p.shown = p.number
    p.idle()
    p.down(3)
    p.a.expect("bssgp_paging_ps", within=0, bvci=2)
    p.up()
    p.all()
    p.idle()


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


main()
