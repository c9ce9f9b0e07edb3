#!/usr/bin/python3
"""LLC-DISCARDED (TS 48.018 8.2.4): what it gives back, and an MS that nothing reaches. The BSS says what
it discards, PDU by PDU or many at once; each PDU lets the next one go, until the MS is held and paged.
What was held comes in its order once the MS is heard."""

from ms_world import (BVCI_UNKNOWN, ORDERED, PFC, PFC_FC, T3313, TLLI, TLLI2, UNKNOWN_MS, discarded, page,
                      place, resume, status, suspended)
from harness import case, main, right, same
from world import MS, S


# ---- Octets ------------------------------------------------------------------------------------


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
    p.up()  # with so many in vain the MS is held until it is heard
    p.world.run(0)
    same(len(p.come()), plain, "PDUs that go for more credit than was charged")
    counts = p.world.counts()["what"]
    same((counts["discarded_frames"], counts["discarded_octets"]), (257, 1100 + 0xFFFFFF), "counts")
    same(len(p.world.log_lines("warn", "the BSS discarded 2 LLC PDUs, 1100 octets, of IMSI")), 1, "lines")
    same(len(p.world.log_lines("the BSS discarded")), 1, "lines in 10 s")


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


# ---- In vain -----------------------------------------------------------------------------------

WINDOW = 12  # N-PDUs of 480 octets that the MS's bucket lets go at once


def narrow(p):
    """The MS has a bucket of 6000 octets, which lets a hundred more go in a second."""
    p.a.send(2, "bssgp_flow_control_ms", tlli=TLLI, tag=1, ms_bmax=60, r=4000)
    p.a.expect("bssgp_flow_control_ms_ack", within=0)


def void(p, told):
    """The BSS discards all that comes, until nothing comes; returns how many. told: says so of the LLC PDUs
    of these octets."""
    gone = 0
    while p.a.dl:
        octets = [len(record.pdu.sdu["llc"]) for record in p.a.dl]
        same([number for _, number, _ in p.come()], list(range(gone, gone + len(octets))), "N-PDUs")
        gone += len(octets)
        told(p, octets)
        p.world.run(0)
    p.shown = gone
    return gone


def at_once(p, octets):
    for one in octets:
        discarded(p.a, one)


def in_turns(p, octets):
    for one in octets:
        discarded(p.a, one)
        p.world.run(0)


def gathered(p, octets):
    discarded(p.a, sum(octets), frames=len(octets))


def drops(p):
    """Of the packets' class, by reason."""
    return {name[5:]: n for name, n in p.world.stats()["background"].items() if name.startswith("drop_") and n}


for NAME, TOLD, MOST in (("of all at once", at_once, WINDOW), ("of one after the other", in_turns, WINDOW + 22),
                         ("of many in one PDU", gathered, WINDOW)):
    @case(f"all is discarded, LLC-DISCARDED {NAME}: few go, the rest is held, and comes once it is heard",
          TOLD, MOST)
    @place(r=800000)
    def left(p, told, most):
        narrow(p)
        p.down(60, 480)
        p.world.run(0)
        same(void(p, told), most, "N-PDUs that go where the MS is not")
        page(p.a, p.world.now_ns, bvci=2)
        p.none(4 * S)
        p.down(2, 480)
        p.none(S - 1)
        p.up()
        p.all(aged=1000)
        same(drops(p), {}, "drops")
        p.idle()
        p.a.none("bssgp_paging_ps", 60 * S)
        p.flows()


@case("what waits or comes for an MS that nothing reaches pages it, as in standby; nobody answers: dropped")
@place()
def nobody(p):
    for turn in range(1, 3):
        p.down(WINDOW)
        p.world.run(0)
        if turn == 1:
            same(void(p, at_once), WINDOW, "N-PDUs")
            p.a.none("bssgp_paging_ps", 60 * S)  # nothing waits
            p.idle()
            p.down(WINDOW)
        start = p.world.now_ns
        page(p.a, start, bvci=2)
        for _ in range(3):  # of what the BSS had still
            discarded(p.a, 100, frames=255)
        p.none(4 * T3313)
        same(drops(p), {"flushed": WINDOW * turn}, "drops")
        p.gone()
        p.idle()
        p.a.inbox.clear()
    p.down(3)
    page(p.a, p.world.now_ns, bvci=2)
    p.up()
    p.all()
    p.idle()


@case("some are discarded, but the MS is heard in between, by user data or by control's frames: not held")
@place()
def heard(p):
    for number in range(40):
        discarded(p.a, 2200, frames=11)
        p.world.run(0)
        p.flows()
        (p.up, p.frame)[number % 2]()
        p.world.run(0)
    p.a.none("bssgp_paging_ps")
    p.idle()


@case("half of what goes to an MS that is never heard arrives: not held, whatever is discarded at a time")
@place()
def half(p):
    for frames in (1, 11):
        for _ in range(40):
            p.down(2 * frames)
            p.all(ns=100 * MS)
            discarded(p.a, 200 * frames, frames=frames)
            p.world.run(0)
    p.a.none("bssgp_paging_ps")
    p.idle()


@case("it is heard in another cell, or control moves it there: what the old one discarded counts no more")
@place()
def moved(p):
    old = 2
    for bvci, come in ((3, p.up), (4, p.frame), (2, p.up)):
        discarded(p.a, 2200, frames=11, bvci=old)
        p.world.run(0)
        come(bvci)
        p.world.run(0)
        discarded(p.a, 2200, frames=11, bvci=bvci)
        p.world.run(0)
        p.flows(bvci)
        old = bvci
    p.a.none("bssgp_paging_ps")


@case("false ones: of strangers, other NSEs and other cells nothing follows; of its own a page, and all comes")
@place()
def forged(p):
    for _ in range(50):
        for bss, fields in ((p.a, {"tlli": 0xC0FFEE00}), (p.a, {"bvci": 3}), (p.a, {"bvci": 6}), (p.b, {}),
                            (p.a, {"frames": 0})):
            discarded(bss, 0xFFFFFF, **{"frames": 255} | fields)
    p.world.run(0)
    p.flows()
    p.a.none("bssgp_paging_ps")
    for _ in range(5):
        for _ in range(50):
            discarded(p.a, 0xFFFFFF, frames=255)
        p.world.run(0)
        p.down(20)
        page(p.a, p.world.now_ns, bvci=2)
        p.none(500 * MS)
        p.up()  # the answer
        p.all()
        p.idle()
        p.a.none("bssgp_paging_ps", 10 * S)
    same(drops(p), {}, "drops")


@case("in a call, or ordered to another cell, it is not paged for what is discarded; afterwards all comes")
@place()
def meanwhile(p):
    reference = suspended(p)
    discarded(p.a, 2000, frames=20)
    p.world.run(0)
    p.down(3)
    p.none(30 * S)
    p.a.none("bssgp_paging_ps")
    resume(p.a, reference)
    p.all()
    status(p.a, ORDERED)
    discarded(p.a, 2000, frames=20)
    p.world.run(0)
    p.down(3)
    p.none(T3313 - 1)
    p.a.none("bssgp_paging_ps")
    p.world.run(1)
    page(p.a, p.world.now_ns, bvci=2)
    p.up()
    p.all()
    p.idle()


main()
