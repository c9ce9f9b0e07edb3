#!/usr/bin/python3
"""LLC-DISCARDED (TS 48.018 8.2.4): what it gives back, to whom."""

from ms_world import BVCI_UNKNOWN, PFC, PFC_FC, TLLI, TLLI2, UNKNOWN_MS, discarded, place
from harness import case, main, same
from world import S


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


main()
