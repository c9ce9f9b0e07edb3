#!/usr/bin/python3
"""UL-UNITDATA that is no user data (TS 48.018 clause 9): what is wrong with it is told by the cause
of STATUS, as with every other PDU, and never more often; and in which states of its cell it is taken
at all (8.3, 8.4)."""

import codec
from bvc_world import (BLOCKED, INTO, INVALID_MANDATORY, MISSING_MANDATORY, TLLI, WRONG_STATE,
                       config, flows, into_up, ns_up, say, signalling_up)
from world import S, World, case, main, npdu, right, same

STATUS = "bssgp_status"

# TLLI and QoS profile; cell identifier 001-01, LAC 1, RAC 1, CI 2; an LLC PDU of 3 octets.
HEAD = bytes.fromhex("01" "c0000001" "000004")
CELL = bytes.fromhex("0888" "00f110" "0001" "01" "0002")
LLC = bytes.fromhex("0e83" "01c001")


def wrong_pdus():
    """(what, octets, cause)"""
    yield "no LLC PDU", HEAD + CELL, MISSING_MANDATORY
    yield "no cell identifier", HEAD + LLC, MISSING_MANDATORY
    yield "neither", HEAD, MISSING_MANDATORY
    yield "no QoS profile", HEAD[:5], MISSING_MANDATORY
    yield "nothing but its type", HEAD[:1], MISSING_MANDATORY
    yield "cut inside the QoS profile", HEAD[:7], INVALID_MANDATORY
    yield "cut behind the tag of the LLC PDU", HEAD + CELL + LLC[:1], INVALID_MANDATORY
    yield "cut inside the LLC PDU", HEAD + CELL + LLC[:-1], INVALID_MANDATORY
    yield "an LLC PDU longer than the PDU", HEAD + CELL + bytes.fromhex("0e7fff01"), \
        INVALID_MANDATORY
    yield "a cell identifier of 7 octets", HEAD + bytes([8, 0x87]) + CELL[3:] + LLC, \
        INVALID_MANDATORY
    yield "a country of no digits", HEAD + bytes.fromhex("0888" "a0f110" "0001010002") + LLC, \
        INVALID_MANDATORY


@case("a malformed UL-UNITDATA gets STATUS with its cause and the PDU, and goes nowhere")
def causes():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        for what, octets, cause in wrong_pdus():
            bss.send_octets(2, octets)
            pdu = bss.expect(STATUS, at=world.now_ns, on=2)
            same((pdu["cause"], pdu["bvci"], pdu["pdu"]), (cause, None, octets), what)
        same(world.npdus_up(), [], "N-PDUs at the GGSN")
        same(world.counts()["what"]["fault"], 0, "faults")


@case("400 malformed ones: 20 STATUSes in a second, and good user data passes all the while")
def limited():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bad, packet = codec.unitdata(2, HEAD + CELL), npdu("203.0.113.9", 60, source="10.0.0.1")
        before = world.stats()["gb"]
        for number in range(10):
            segment = next(codec.sndcp(5, number, packet, 400))
            good = codec.ul_unitdata(TLLI, codec.llc_ui(3, number, segment), bss.cells[2].ci)
            world.put_all("gb", [world.gb_frame(bss.nsvcs[0].address, octets) for octets in
                                 [bad] * 20 + [codec.unitdata(2, good)] + [bad] * 20])
            world.run(S // 20)
        same((len(bss.times(STATUS)), len(world.npdus_up())), (20, 10), "STATUSes, N-PDUs up")
        told, dropped = (world.stats()["gb"][name] - before[name]
                         for name in ("control_packets", "drop_bssgp"))
        same(told + dropped, 400, "those that control was told of, and those that were dropped")
        right(20 <= told <= 80, f"control was told of {told}")


# What comes of user data in each state of its cell: a STATUS of that cause, or an N-PDU at the GGSN.
STATES = {"down": WRONG_STATE, "resetting": WRONG_STATE, "up": None, "blocked": BLOCKED}


def user_data(at_state):
    with World(config()) as world:
        bss = ns_up(world)
        INTO[at_state](bss, 2)
        bss.inbox.clear()
        bss.uplink(2, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
        world.run(0)
        causes = [r.pdu.sdu["cause"] for r in bss.inbox if r.pdu.sdu.name == STATUS]
        cause = STATES[at_state]
        same((causes, len(world.npdus_up())), ([cause] if cause else [], int(not cause)),
             "STATUSes, N-PDUs at the GGSN")


for state_name in STATES:
    case(f"user data in a cell that is {state_name}: STATUS, or the GGSN has it", state_name)(user_data)


@case("after BVC-RESET of BVCI 0 a cell's user data is refused until its own BVC-RESET")
def reset_signalling():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bss.flow(2)
        flows(world, bss, 2, 1)
        for _ in range(2):
            signalling_up(bss)
            taken = len(world.npdus_up())
            bss.uplink(2, TLLI, npdu("203.0.113.9", 60, source="10.0.0.1"))
            bss.expect(STATUS, at=world.now_ns, on=2, cause=WRONG_STATE)
            same(len(world.npdus_up()), taken, "N-PDUs at the GGSN")
            say(bss, "bssgp_bvc_reset", 2)
            bss.expect("bssgp_bvc_reset_ack", at=world.now_ns, bvci=2)
            bss.flow(2)
            flows(world, bss, 2, 1)


main()
