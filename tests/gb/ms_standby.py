#!/usr/bin/python3
"""MSs in standby: paged before their first packet goes (TS 48.018 clause 7); and pages that an
operator asks for."""

import codec
from ms_world import IMSI, ORDERED, T3313, config, page, place, resume, status, suspended
from harness import case, main, right, same
from world import MS, S, World


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


main()
