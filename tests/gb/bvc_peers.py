#!/usr/bin/python3
"""BVCs (TS 48.018 clauses 8.3, 8.4, 10.4.14): PDUs about and on BVCs that are not there or another
NSE's, cells that the BSS brings, PDUs that are wrong, STATUS from either side, and what is sent to
cells that a BSS may have forgotten."""

import codec
from bvc_world import (BLOCKED, CONDITIONAL_ERROR, INVALID_MANDATORY, MISSING_CONDITIONAL,
                       MISSING_MANDATORY, MOMENT_NS, NOT_IN_FEATURES, NSEI, OTHER_BSS, OTHER_NSEI,
                       PROTOCOL, T2_NS, TLLI, UNEXPECTED_CONDITIONAL, UNKNOWN_BVCI, config,
                       fields_of, flows, into_up, ns_up, picture, say, send_down, signalling_up,
                       state)
from world import MS, S, World, case, main, right, same

RESET, RESET_ACK = "bssgp_bvc_reset", "bssgp_bvc_reset_ack"
BLOCK, BLOCK_ACK = "bssgp_bvc_block", "bssgp_bvc_block_ack"
UNBLOCK, UNBLOCK_ACK = "bssgp_bvc_unblock", "bssgp_bvc_unblock_ack"
FLOW, FLOW_ACK, STATUS = "bssgp_flow_control_bvc", "bssgp_flow_control_bvc_ack", "bssgp_status"
RADIO = "bssgp_radio_status"


@case("PDUs about BVCs that the NSE does not have get STATUS with the BVCI, and change nothing")
def unknown_bvcs():
    with World(config()) as world:
        bss = ns_up(world)
        other = ns_up(world, OTHER_NSEI, 2, OTHER_BSS, (2, 7))
        for one in bss, other:
            into_up(one, 2)
        before = picture(world, NSEI), picture(world, OTHER_NSEI)
        for bvci in 7, 1, 65535, 999:  # 7 is a cell of the other NSE
            for name in RESET, RESET_ACK, BLOCK, UNBLOCK:
                say(bss, name, bvci)
                bss.expect(STATUS, at=0, on=0, cause=UNKNOWN_BVCI, bvci=bvci,
                           pdu=codec.build(name, **fields_of(name, bvci)))
            world.run(0)
        same((picture(world, NSEI), picture(world, OTHER_NSEI)), before, "both NSEs")


@case("PDUs on a BVCI that the NSE does not have get STATUS, and change nothing")
def unknown_bvc_ptp():
    values = dict(tag=1, bmax=9, r=9, bmax_default=9, r_default=9)
    with World(config()) as world:
        bss = ns_up(world)
        other = ns_up(world, OTHER_NSEI, 2, OTHER_BSS, (2, 7))
        for one, bvci in (bss, 2), (other, 7):
            into_up(one, bvci)
        before = picture(world, NSEI), picture(world, OTHER_NSEI)
        for bvci in 7, 1, 65535, 999:
            bss.send(bvci, FLOW, **values)
            bss.expect(STATUS, at=0, on=0, cause=UNKNOWN_BVCI, bvci=bvci,
                       pdu=codec.build(FLOW, **values))
        same((picture(world, NSEI), picture(world, OTHER_NSEI)), before, "both NSEs")
        bss.none(FLOW_ACK)


@case("cells = \"any\": a BVC-RESET makes the cell, with an ACK; reserved BVCIs stay unknown")
def any_cells():
    with World(config(nse='cells = "any",')) as world:
        bss = ns_up(world, cells=(2, 3, 9))
        signalling_up(bss)
        say(bss, RESET, 9)
        bss.expect(RESET_ACK, at=0, bvci=9)
        bss.flow(9)
        bss.expect(FLOW_ACK, at=0, on=9)
        say(bss, BLOCK, 10)
        bss.expect(STATUS, at=0, cause=UNKNOWN_BVCI, bvci=10)
        for bvci in 1, 65535:
            say(bss, RESET, bvci)
            bss.expect(STATUS, at=0, cause=UNKNOWN_BVCI, bvci=bvci)


@case("cells = \"any\": more cells than there is room for get STATUS, and the others stay")
def any_cells_room():
    with World(config("room { bvcs = 6 }", nse='cells = "any",')) as world:
        bss = ns_up(world)
        signalling_up(bss)
        for bvci in 10, 11:
            say(bss, RESET, bvci)
            bss.expect(RESET_ACK, at=0, bvci=bvci)
        say(bss, RESET, 12)
        bss.expect(STATUS, at=0, cause=UNKNOWN_BVCI, bvci=12)
        same([state(world, bvci) for bvci in (10, 11)], ["up", "up"], "states")


@case("cells = \"any\": an NSE that brings more cells than its share takes none of another's")
def any_cells_share():
    text = config("room { bvcs = 10 }", nse='cells = "any",').replace(
        f"nsei = {OTHER_NSEI},", f'nsei = {OTHER_NSEI}, cells = "any",')
    with World(text) as world:  # 4 are in the file, so 3 are left for each
        bss = ns_up(world)
        other = ns_up(world, OTHER_NSEI, 2, OTHER_BSS, (2, 7))
        for one in bss, other:
            signalling_up(one)
        for one in bss, other:
            for bvci in range(10, 13):
                say(one, RESET, bvci)
                one.expect(RESET_ACK, at=0, bvci=bvci)
            for bvci in range(13, 20):
                say(one, RESET, bvci)
                one.expect(STATUS, at=0, cause=UNKNOWN_BVCI, bvci=bvci)


def wrong_pdus():
    """(what, BVCI, octets, cause)"""
    reset = codec.build(RESET, bvci=2, cause=8, cell=codec.cell(1))
    flow = codec.build(FLOW, tag=1, bmax=9, r=9, bmax_default=9, r_default=9)
    yield "no such type", 0, b"\x7e", PROTOCOL
    yield "no such type", 2, b"\x7e\x00\x00", PROTOCOL
    yield "an SGSN's PDU", 2, codec.build(FLOW_ACK, tag=1), PROTOCOL
    yield "FLOW-CONTROL-BVC on signalling", 0, flow, PROTOCOL
    yield "BVC-RESET on a cell's BVC", 2, reset, PROTOCOL
    yield "no BVCI", 0, codec.build(RESET, cause=8), MISSING_MANDATORY
    yield "no cause", 0, codec.build(RESET, bvci=2, cell=codec.cell(1)), MISSING_MANDATORY
    yield "no cell identifier", 0, codec.build(RESET, bvci=2, cause=8), MISSING_CONDITIONAL
    yield "no tag", 2, flow[:1] + flow[4:], MISSING_MANDATORY
    yield "no R", 2, codec.build(FLOW, tag=1, bmax=9, bmax_default=9, r_default=9), \
        MISSING_MANDATORY
    yield "a BVCI of 1 octet", 0, b"\x20\x04\x81\x02\x07\x81\x08", INVALID_MANDATORY
    yield "cut inside a cause", 0, codec.build(BLOCK, bvci=2, cause=8)[:-1], INVALID_MANDATORY
    yield "cut behind an IEI", 0, codec.build(BLOCK, bvci=2, cause=8)[:-2], INVALID_MANDATORY
    yield "cut behind an IEI", 2, flow[:-3], INVALID_MANDATORY
    yield "cut inside a length", 0, codec.build(BLOCK, bvci=2, cause=8)[:-2] + b"\0", \
        INVALID_MANDATORY
    yield "cut inside a cell identifier", 0, reset[:-1], CONDITIONAL_ERROR
    yield "a cell identifier of 7 octets", 0, reset[:-9] + b"\x87" + reset[-7:], CONDITIONAL_ERROR
    yield "a country of no digits", 0, reset[:-8] + b"\xaa" + reset[-7:], CONDITIONAL_ERROR
    yield "RADIO-STATUS about nobody", 2, codec.build(RADIO, radio_cause=0), MISSING_CONDITIONAL
    yield "RADIO-STATUS without a cause", 2, codec.build(RADIO, tlli=TLLI), MISSING_MANDATORY
    yield "RADIO-STATUS, a TLLI of 3 octets", 2, b"\x0a\x1f\x83\xc0\x00\x01\x19\x81\x00", \
        CONDITIONAL_ERROR
    yield "RADIO-STATUS about two", 2, codec.build(RADIO, tlli=TLLI, tmsi=1, radio_cause=0), \
        UNEXPECTED_CONDITIONAL


# The types of the PDUs of features that nobody has negotiated (11.3.26).
OF_FEATURES = {"RIM": range(0x70, 0x75), "LCS": range(0x60, 0x65), "MBMS": range(0x80, 0x86),
               "PS handover": (*range(0x59, 0x5F), *range(0x91, 0x94)),
               "registration enquiry": (0x14, 0x15), "PFC": (0x50, 0x52, 0x53, 0x54, 0x57, 0x58),
               "flow control of PFCs": (0x2D,)}


@case("a PDU of a feature that is not negotiated gets the cause that says so (9), wherever it comes")
def features():
    for feature, types in OF_FEATURES.items():
        with World(config()) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            for kind in types:
                for bvci in (0, 2) if kind not in codec.NAMES["bssgp"] else (2,):
                    bss.send_octets(bvci, bytes([kind]))
                    pdu = bss.expect(STATUS, at=world.now_ns)
                    same((pdu["cause"], pdu["pdu"]), (NOT_IN_FEATURES, bytes([kind])),
                         f"{feature}, {kind:#x}, BVCI {bvci}")
            world.run(0)


@case("what is wrong with a PDU is told by the cause of STATUS, with the PDU, and changes nothing")
def causes():
    for what, bvci, octets, cause in wrong_pdus():
        with World(config()) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            before = picture(world, NSEI)
            bss.send_octets(bvci, octets)
            pdu = bss.expect(STATUS, at=0)
            same((pdu["cause"], pdu["bvci"], pdu["pdu"]), (cause, None, octets), what)
            same(picture(world, NSEI), before, f"{what}: the NSE")


@case("a STATUS is never answered, however broken, and is no endless series")
def status_never_answered():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        for octets in b"\x41", b"\x41\x07", b"\x41\x07\x81\x27", b"\x41\x07\x81\x05\x04\x81\x02":
            bss.send_octets(0, octets)
            bss.send_octets(2, octets)
        bss.none(STATUS, 0)
        for _ in range(300):
            bss.send_octets(0, b"\x7e")
        world.run(999 * MS)
        same(len(bss.times(STATUS)), 20, "STATUSes in a second")


@case("the BSS does not know, or has blocked, what we have up: we reset it, but not each time")
def status_disagrees():
    for cause in UNKNOWN_BVCI, BLOCKED:
        with World(config()) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            begun_ns = world.now_ns
            bss.status(cause, bvci=2)
            bss.expect(RESET, at=0, on=0, bvci=2)
            bss.send(0, RESET_ACK, bvci=2, cell=codec.cell(1))
            for _ in range(5):
                bss.status(cause, bvci=2)
            bss.none(RESET, 9 * S)
            bss.status(cause, bvci=3)  # which is down anyway
            bss.status(cause, bvci=999)
            bss.none(RESET)
            same(state(world, 2), "up", "state")
            world.run_until(begun_ns + 10 * S - 1)
            bss.status(cause, bvci=2)
            bss.none(RESET)
            world.run(1)
            bss.status(cause, bvci=2)
            bss.expect(RESET, at=begun_ns + 10 * S, on=0, bvci=2)


@case("many STATUSes at once are one disagreement: the reset that it leads to goes on")
def status_burst():
    for cause in UNKNOWN_BVCI, BLOCKED:
        with World(config()) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            bss.flow(2)
            bss.expect(FLOW_ACK, at=0, on=2)
            flows(world, bss, 2, 1)
            begun_ns = world.now_ns
            for more in {}, *[{"pdu": bss.dl[0].pdu.sdu.octets}] * 3:
                bss.status(cause, bvci=2, **more)
            bss.expect(RESET, at=begun_ns, bvci=2)
            same(state(world, 2), "resetting", "state")
            bss.expect(RESET, at=begun_ns + T2_NS, bvci=2)
            bss.send(0, RESET_ACK, bvci=2, cell=codec.cell(1))
            bss.flow(2)
            bss.expect(FLOW_ACK, at=world.now_ns, on=2)
            flows(world, bss, 2, 1)


@case("a BSS that does not know the cell that we reset is asked no more, until it resets it itself")
def status_to_reset():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bss.status(UNKNOWN_BVCI, bvci=2)
        bss.expect(RESET, at=0, bvci=2)
        ours = bss.last.pdu.sdu.octets
        bss.status(BLOCKED, bvci=2, pdu=ours)
        world.run(0)
        same(state(world, 2), "resetting", "state after another cause")
        bss.status(UNKNOWN_BVCI, bvci=2, pdu=ours)
        world.run(0)
        same(state(world, 2), "down", "state")
        world.run(60 * S)
        again = [r for r in bss.inbox if r.pdu.sdu and r.pdu.sdu["bvci"] == 2]
        same((state(world, 2), again), ("down", []), "state, BVC-RESETs")
        say(bss, RESET, 2)
        bss.expect(RESET_ACK, at=world.now_ns, bvci=2)


# ---- Cells that a BSS may have forgotten ----


def ns_again(bss):
    """The BSS resets its only NS-VC. Returns when it can be heard again."""
    bss.ns("ns_reset", cause=1, nsvci=1, nsei=NSEI)
    bss.world.run(3 * S)
    bss.ns("ns_unblock")
    bss.world.run(0)
    return bss.world.now_ns


def with_data(test):
    """A cell that is up, with data for it."""
    def run():
        with World(config()) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            bss.flow(2)
            flows(world, bss, 2, 1)
            bss.inbox.clear()
            bss.dl.clear()
            test(world, bss)
    return run


def came(world, bss):
    world.run(0)
    return [record.time_ns for record in bss.dl]


@case("the BSS has reset its last NS-VC: nothing goes to its cells for a second")
@with_data
def held(world, bss):
    for _ in range(2):
        bss.dl.clear()
        up_ns = ns_again(bss)
        send_down(world, 1)
        world.run(2 * S)
        same(came(world, bss), [up_ns + MOMENT_NS], "when the DL-UNITDATA comes")
    flows(world, bss, 2, 1)


@case("in that second: BVC-RESETs, of BVCI 0 or the cell; then it waits for FLOW-CONTROL-BVC")
@with_data
def held_reset(world, bss):
    for bvcis in (0, 2), (2,):
        ns_again(bss)
        for bvci in bvcis:
            say(bss, RESET, bvci)
            bss.expect(RESET_ACK, at=world.now_ns, bvci=bvci)
        send_down(world, 1)
        world.run(3 * S)
        same(came(world, bss), [], "DL-UNITDATA before FLOW-CONTROL-BVC")
        bss.flow(2)
        same(came(world, bss), [world.now_ns], "when it comes")
        flows(world, bss, 2, 1)
        bss.dl.clear()


@case("in that second: a cell that is reset and needs no FLOW-CONTROL-BVC is held no more")
def held_open():
    for bvcis in (0, 2), (2,):
        with World(config(nse='flow_control = "open",')) as world:
            bss = ns_up(world)
            into_up(bss, 2)
            ns_again(bss)
            send_down(world, 1)
            same(came(world, bss), [], "DL-UNITDATA")
            for bvci in bvcis:
                say(bss, RESET, bvci)
            send_down(world, 1)
            right(came(world, bss), "nothing comes")


@case("in that second: what comes on the cell's BVC says that the BSS knows it, as it was")
@with_data
def held_speaks(world, bss):
    ns_again(bss)
    send_down(world, 1)
    same(came(world, bss), [], "DL-UNITDATA")
    bss.flow(2)
    same(came(world, bss), [world.now_ns], "when it comes")
    flows(world, bss, 2, 1)


@case("in that second: a cell that the BSS blocks stays blocked behind it")
@with_data
def held_blocked(world, bss):
    ns_again(bss)
    say(bss, BLOCK, 2)
    send_down(world, 1)
    world.run(3 * S)
    same(came(world, bss), [], "DL-UNITDATA to a blocked cell")
    say(bss, UNBLOCK, 2)
    same(came(world, bss), [world.now_ns], "when it comes")


@case("in that second: an NS-VC that goes down again has a second anew when it is back")
@with_data
def held_anew(world, bss):
    ns_again(bss)
    world.run(MOMENT_NS // 2)
    bss.ns("ns_block", cause=1, nsvci=1)
    world.run(2 * MOMENT_NS)
    bss.ns("ns_unblock")
    up_ns = world.now_ns
    send_down(world, 1)
    world.run(2 * S)
    same(came(world, bss), [up_ns + MOMENT_NS], "when the DL-UNITDATA comes")


@case("a test that failed says nothing of the cells: data goes on when the NS-VC is back")
@with_data
def not_held(world, bss):
    bss.auto.clear()
    world.run_until(300 * S, lambda: bss.times("ns_reset"))
    bss.ns("ns_reset_ack", nsvci=1, nsei=NSEI)
    world.run(0)
    bss.ns("ns_unblock_ack")
    world.run(0)
    send_down(world, 1)
    same(came(world, bss), [world.now_ns], "when the DL-UNITDATA comes")


@case("STATUS and resets of one NSE change nothing in another with the same BVCI")
def other_nse():
    with World(config()) as world:
        bss = ns_up(world)
        other = ns_up(world, OTHER_NSEI, 2, OTHER_BSS, (2, 7))
        for one in bss, other:
            into_up(one, 2)
            one.flow(2)
        world.run(0)
        before = picture(world, OTHER_NSEI)
        for name in RESET, BLOCK, UNBLOCK, RESET_ACK:
            say(bss, name, 2)
        bss.flow(2, r=1, bmax=1)
        bss.status(UNKNOWN_BVCI, bvci=2)
        world.run(S)
        same(picture(world, OTHER_NSEI), before, "NSE 102")
        flows(world, other, 2, 3)


main()
