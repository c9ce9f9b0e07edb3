#!/usr/bin/python3
"""A million NS and BSSGP PDUs, half of them damaged, from known and unknown endpoints, in all modes
of NS: no fault in a handler, each event to one outcome, memory flat, and afterwards a BSS comes up
and traffic flows as if nothing had been. The PDUs are made inside gb_world, from templates of every
kind of PDU that a BSS knows."""

import os
import random

import codec
from bss import Bss
from harness import case, main, right, same
from world import HEAD, NS_PORT, S, World, ms, npdu, nsvc

PDUS = int(os.environ.get("GB_FUZZ_PDUS", 1000000))
TLLI = 0xC0000001
PEERS = {101: "198.51.100.2", 102: "198.51.100.3", 103: "198.51.100.4", 104: "198.51.100.5"}

CONFIG = HEAD + f"""
log {{ level = "error" }}
timers {{ th = "6 s" }}
room {{ nses = 8, nsvcs = 64, bvcs = 64, mss = 64, pdps = 64 }}
nse {{ nsei = 101, ns = "reset", {nsvc(101, PEERS[101])}, {nsvc(111, "198.51.100.12")},
    cells = "any",
    bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=20)} }}, bvc {{ bvci = 3 }} }}
nse {{ nsei = 102, ns = "reset", dynamic = true,
    bvc {{ bvci = 2, {ms("001010000000101", 0xC0000101, count=4, address="10.0.1.1",
                         ggsn_teid=0x2000)} }} }}
nse {{ nsei = 103, ns = "sns", bvc {{ bvci = 2, {ms("001010000000201", 0xC0000201, count=4,
                                     address="10.0.2.1", ggsn_teid=0x3000)} }} }}
nse {{ nsei = 104, ns = "alive", {nsvc(104, PEERS[104])}, unknown_ms = "ack",
    flow_control = "open", bvc {{ bvci = 2 }} }}
"""

LLC = [codec.llc_ui(1, 0, b"\x08\x01"), codec.llc_ui(3, 5, b"\x65\x00\x00\x00abc"),
       bytes.fromhex("43fb01001601f41a05df8c7c4e"), bytes.fromhex("03fb1604d216f984")]


def value_of(field, dice):
    """A value that may stand there, more often than not one that means something."""
    choices = {
        "bvci": [0, 1, 2, 3, 9], "new_bvci": [2, 3], "nsei": [101, 102, 103, 104, 7],
        "nsvci": [101, 111, 102, 9], "cause": [0, 1, 4, 5, 8, 9, 0x20], "tag": [0, 1, 255],
        "tlli": [TLLI, TLLI + 1, TLLI + 19, 0xC0000101, 0xC0000201, 5],
        "cell": [codec.cell(0x102)], "rai": [codec.RAI], "imsi": ["001010000000001", "26242000"],
        "llc": LLC, "lac": [codec.RAI[:5]], "qos_ie": [b"\0\0\x20"], "qos": [b"\0\0\x20"],
        "pdu": [codec.build("ns_alive")], "abqp": [bytes.fromhex("0b921f7396")],
        "ra_capability": [bytes.fromhex("12d3c20400")], "alignment": [b"\0"], "end_flag": [0, 1],
        "ip4": [[("198.51.100.4", NS_PORT, 1, 1)], [("198.51.100.20", 23001, 0, 3),
                                                  ("198.51.100.4", NS_PORT, 2, 1)]],
        "ip6": [[("2001:db8:1::9", NS_PORT, 1, 1)]], "ip4_endpoints": [1, 2],
        "ip6_endpoints": [0, 1], "nsvcs": [1, 4], "reset_flag": [0, 1], "features": [0, 0x23, 255],
        "extended_features": [2], "bmax": [0, 1, 100, 65535], "r": [0, 1, 80, 65535],
        "ms_bmax": [0, 10, 65535], "r_default": [0, 40], "bmax_default": [50], "full": [0, 50, 255],
        "granularity": [0, 3], "measurement": [7, 65535], "octets": [0, 500, 0xFFFFFF],
        "flows": [[], [{"pfi": 9, "bmax": 10, "r": 10}],
                  [{"pfi": 9, "bmax": 10, "r": 10, "full": 3}]],
        "tmsi": [1], "radio_cause": [0, 1, 2, 3, 4], "suspend_reference": [0, 1],
    }.get(field, [0, 1, 9])
    return dice.choice(choices)


# What takes an NS-VC or a cell down; behind it little else is heard.
ENDS = {"ns_reset", "ns_block", "ns_status", "bssgp_bvc_reset", "bssgp_bvc_block", "bssgp_status",
        "sns_size", "sns_config", "sns_delete"}
# What a BSS has to say, and on which BVC.
SAID = {name: 0 for name in (
    "bssgp_suspend", "bssgp_resume", "bssgp_bvc_unblock", "bssgp_flush_ll_ack",
    "bssgp_llc_discarded")} | {name: 2 for name in (
        "bssgp_ul_unitdata", "bssgp_ra_capability_update", "bssgp_radio_status",
        "bssgp_flow_control_bvc", "bssgp_flow_control_ms", "bssgp_flow_control_pfc",
        "bssgp_download_bss_pfc", "bssgp_create_bss_pfc_ack", "bssgp_create_bss_pfc_nack",
        "bssgp_modify_bss_pfc", "bssgp_delete_bss_pfc_ack", "bssgp_delete_bss_pfc_req")}


def one(name, fields, keep, dice):
    return codec.build(name, **{field: value_of(field, dice) for field, *_, must in fields
                                if must or dice.random() < keep})


def templates(dice):
    """Every PDU, those that a BSS has to say most often, with all of their elements, with the
    mandatory ones, with some; those of BSSGP also where they do not belong."""
    for name, (_, fields) in codec.ALL.items():
        if name in codec.NS:
            yield from (one(name, fields, 0.5, dice) for _ in range(1 if name in ENDS else 2))
            continue
        for keep in (1.0, 0.0, 0.0, 0.5) * 3 if name in SAID else (0.5,):
            yield codec.unitdata(SAID.get(name, 0), one(name, fields, keep, dice))
        yield codec.unitdata(2 - SAID.get(name, 0), one(name, fields, 0.5, dice))


def outcomes(counts):
    what = counts["what"]
    return {name: what[name] for name in ("handled", "refused", "ignored", "fault")}


CHUNK = 500


def settle(world):
    """What is left in Lua when nobody uses it any more."""
    world.lua("collectgarbage() collectgarbage() return 1")
    return world.lua_octets()


def bring_up(world, seed):
    """Two BSSs that have just been switched on: what was broken before has to mend."""
    for nsei, cells in ((101, {2: 8000, 3: 8000}), (104, {2: 8000})):
        nsvc_of = [(nsei, PEERS[nsei])]
        bss = Bss(world, nsei, nsvc_of, cells, features=0xFF if seed % 8 == 0 else 0xFD,
                  extended=2)
        if nsei == 104:
            bss.nsvcs[0].blocked, bss.follow = False, True
            world.run(S)
            bss.reset_bvc(0)
            world.run(S)
        else:
            bss.up()
            first = bss
    return first


@case(f"{PDUS} PDUs, half of them damaged: no fault, an outcome each, memory flat; then all comes up again")
def a_million():
    dice = random.Random(1)
    with World(CONFIG) as world:
        bring_up(world, 1)
        for pdu in templates(dice):
            source = dice.choice([PEERS[101]] * 4 + list(PEERS.values()))
            world.ask("template", world.gb_frame(source, pdu).hex())
        for seed in range(PDUS // CHUNK):
            world.now_ns = int(world.ask("fuzz", CHUNK, seed)[1][0])
            world.run(0)
            bring_up(world, seed)
            world.frames.clear()
            if seed == PDUS // CHUNK // 4:
                early = settle(world)
        late = settle(world)
        counts = world.counts()
        found = outcomes(counts)
        print(f"# {found}, Lua's memory {early} then {late} octets")
        same(found["fault"] + counts["what"]["other_faults"], 0,
             f"handlers that failed\n{world.log()[:3000]}\nfaults")
        same(sum(found.values()), sum(counts["event"].values()), "outcomes of events")
        right(sum(found.values()) > PDUS // 3, f"only {found} of {PDUS} reached control")
        right(min(found["handled"], found["refused"], found["ignored"]) > PDUS // 50, f"{found}")
        right(late < early * 1.1 + 200000, f"Lua's memory grew from {early} to {late} octets")
        world.run(20 * S)
        bss = bring_up(world, 1)
        bss.flow(2, r=800, bmax=100)
        bss.uplink(2, TLLI + 7, npdu("203.0.113.9", source="10.0.0.8"))
        world.run(S)
        before = len(bss.dl)
        teid = world.teid(TLLI + 7)
        for number in range(5):
            world.down(teid, npdu("10.0.0.8", number=number))
        world.run(5 * S)
        same(len(bss.dl) - before, 5, "LLC PDUs afterwards")


main()
