#!/usr/bin/python3
"""BVCs (TS 48.018 clauses 8.3 and 8.4): each PDU in each state of a cell and of the signalling BVC,
T2 and its retries to the ns, features, and what waits while a cell is down or blocked. The tables
are typed from the clauses."""

import codec
from bvc_world import (BLOCKED, INTO, INVALID_MANDATORY, MOMENT_NS, NSEI, O_AND_M, OTHER_BSS,
                       OTHER_NSEI, PAUSE_NS, PROTOCOL, T2_NS, UNKNOWN_BVCI, WRONG_STATE, config,
                       into_resetting, into_up, ns_up, picture, say, send_down, signalling_up,
                       state)
from ms_world import RA2, SEMANTICALLY
from world import S, World, case, main, right, same

RESET, RESET_ACK = "bssgp_bvc_reset", "bssgp_bvc_reset_ack"
BLOCK, BLOCK_ACK = "bssgp_bvc_block", "bssgp_bvc_block_ack"
UNBLOCK, UNBLOCK_ACK = "bssgp_bvc_unblock", "bssgp_bvc_unblock_ack"
FLOW, FLOW_ACK, STATUS = "bssgp_flow_control_bvc", "bssgp_flow_control_bvc_ack", "bssgp_status"

# What comes at once (of a STATUS, its cause), and the state then. BLOCK and UNBLOCK are
# acknowledged in any state (8.3); a RESET is, and leaves the BVC unblocked (8.4.2); of two that
# cross each is the other's acknowledgement (8.4.3). Acknowledgements that nobody waits for change
# nothing; those that only we send are none of a BSS's.
CELL = {
    "down": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "down"), BLOCK: (BLOCK_ACK, "down"),
             UNBLOCK: (UNBLOCK_ACK, "down"), FLOW: (WRONG_STATE, "down")},
    "resetting": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "up"),
                  BLOCK: (BLOCK_ACK, "resetting"), UNBLOCK: (UNBLOCK_ACK, "resetting"),
                  FLOW: (WRONG_STATE, "resetting")},
    "up": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "up"), BLOCK: (BLOCK_ACK, "blocked"),
           UNBLOCK: (UNBLOCK_ACK, "up"), FLOW: (FLOW_ACK, "up")},
    "blocked": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "blocked"),
                BLOCK: (BLOCK_ACK, "blocked"), UNBLOCK: (UNBLOCK_ACK, "up"),
                FLOW: (BLOCKED, "blocked")},
}
SIGNALLING = {
    "down": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "down")},
    "resetting": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "up")},
    "up": {RESET: (RESET_ACK, "up"), RESET_ACK: (None, "up")},
}
FOR_ALL = {BLOCK_ACK: PROTOCOL, UNBLOCK_ACK: PROTOCOL, STATUS: None}
NEVER_BLOCKED = {BLOCK: INVALID_MANDATORY, UNBLOCK: INVALID_MANDATORY}


def each_pdu(bvci, at_state, table):
    more = FOR_ALL if bvci else FOR_ALL | NEVER_BLOCKED
    for name, (answer, then) in (table | {n: (a, at_state) for n, a in more.items()}).items():
        with World(config()) as world:
            bss = ns_up(world)
            INTO[at_state](bss, bvci)
            same(state(world, bvci), at_state, "state")
            bss.inbox.clear()
            now_ns = world.now_ns
            say(bss, name, bvci)
            world.run(0)
            found = [r.pdu.sdu["cause"] if r.pdu.sdu.name == STATUS else r.pdu.sdu.name
                     for r in bss.inbox]
            same((found, state(world, bvci)), ([answer] if answer else [], then),
                 f"{name} in {at_state}")
            same(world.now_ns, now_ns, "instant")


for at in CELL:
    case(f"a cell that is {at}: each PDU has the answer and the next state of the table, at once",
         2, at, CELL[at])(each_pdu)
for at in SIGNALLING:
    case(f"BVCI 0 that is {at}: each PDU has the answer and the next state of the table, at once",
         0, at, SIGNALLING[at])(each_pdu)


# ---- T2 ----


@case("BVC-RESET of BVCI 0: 1 s behind NS, at each T2, 3 retries; again 30 s after giving up")
def t2_signalling():
    with World(config()) as world:
        bss = ns_up(world)
        world.run(120 * S)
        first = [MOMENT_NS + i * T2_NS for i in range(4)]
        again_ns = first[-1] + T2_NS + PAUSE_NS
        same(bss.times(RESET), first + [again_ns + i * T2_NS for i in range(4)], "BVC-RESETs")
        same({(r.pdu.sdu["bvci"], r.pdu.sdu["cause"]) for r in bss.received if r.pdu.sdu},
             {(0, O_AND_M)}, "what they say")


@case("BVC-RESET of a cell: T2 behind that of BVCI 0, at each T2, 3 retries, then it is the BSS's")
def t2_cell():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 3)
        say(bss, RESET, 0)
        say(bss, RESET, 3)
        world.run(200 * S)
        same(bss.times(RESET), [T2_NS + i * T2_NS for i in range(4)], "BVC-RESETs")
        same({r.pdu.sdu["bvci"] for r in bss.received if r.pdu.sdu and r.pdu.sdu.name == RESET},
             {2}, "whose")
        same((state(world, 2), state(world, 3)), ("down", "up"), "states")
        say(bss, RESET, 2)
        bss.expect(RESET_ACK, at=world.now_ns, bvci=2)


@case("a cell that was given up, as all answers were lost: what the BSS sends on it starts BVC-RESET again")
def given_up_and_heard():
    with World(config()) as world:
        bss = ns_up(world)
        signalling_up(bss)
        world.run(100 * S)
        same(len(bss.times(RESET)), 8, "BVC-RESETs of two cells")
        bss.inbox.clear()
        bss.none(RESET, 200 * S)
        say(bss, FLOW, 2)
        bss.expect(RESET, at=world.now_ns, bvci=2, cause=O_AND_M)
        say(bss, RESET_ACK, 2)
        say(bss, FLOW, 2)
        bss.expect(FLOW_ACK, at=world.now_ns)
        same((state(world, 2), state(world, 3)), ("up", "down"), "states")


@case("a BSS that denies a cell and sends on it gets one BVC-RESET in 10 s")
def denied_and_heard():
    with World(config()) as world:
        bss = ns_up(world)
        into_resetting(bss, 2)
        for _ in range(30):
            bss.send(0, STATUS, cause=UNKNOWN_BVCI, bvci=2,
                     pdu=codec.build(RESET, bvci=2, cause=O_AND_M))
            say(bss, FLOW, 2)
            world.run(S)
        resets = [r for r in bss.received if r.pdu.sdu and r.pdu.sdu.name == RESET]
        same(len([r for r in resets if r.pdu.sdu["bvci"] == 2]), 1 + 3, "BVC-RESETs of cell 2")


@case("a cell that was refused for its area is not reset by what it sends, in whichever state it was")
def refused_and_heard():
    for at_state in CELL:
        with World(config(nse='areas = { "262-42-4660-86" },')) as world:
            bss = ns_up(world)
            INTO[at_state](bss, 2)
            bss.inbox.clear()
            bss.send(0, RESET, bvci=2, cause=O_AND_M, cell=codec.cell(0x102, RA2))
            bss.expect(STATUS, at=world.now_ns, cause=SEMANTICALLY)
            for _ in range(30):
                say(bss, FLOW, 2)
                bss.expect(STATUS, at=world.now_ns, cause=WRONG_STATE)
                world.run(S)
            same([r.pdu.sdu["bvci"] for r in bss.inbox if r.pdu.sdu and r.pdu.sdu.name == RESET
                  and r.pdu.sdu["bvci"] == 2], [], f"BVC-RESETs of a cell that was {at_state}")
            same(state(world, 2), "down", "state")


@case("T2 and its retries are those of the file; the last answer in time counts")
def t2_of_the_file():
    with World(config('timers { t2 = "2 s", t2_retries = 1 }')) as world:
        bss = ns_up(world)
        bss.expect(RESET, at=MOMENT_NS, bvci=0)
        bss.expect(RESET, at=MOMENT_NS + 2 * S, bvci=0)
        world.run(2 * S - 1)
        say(bss, RESET_ACK, 0)
        world.run(0)
        same(state(world, 0), "up", "BVCI 0")
        up_ns = world.now_ns
        bss.expect(RESET, at=up_ns + 2 * S, bvci=2)
        bss.expect(RESET, at=up_ns + 2 * S, bvci=3)


# ---- Features ----

BITS = {"pfc": 1, "cbl": 2, "inr": 4, "pfc_fc": 0x20}


def offered(words):
    text = ", ".join(f'"{word}"' for word in words)
    return f"features = {{ {text} }},"


@case("features in force are those of both sides, whoever resets (8.4, 11.3.45, 11.3.84)")
def features():
    for ours in (), ("pfc",), ("pfc", "cbl", "inr", "pfc_fc", "gigabit"), ("cbl", "gigabit"):
        bits = sum(BITS.get(word, 0) for word in ours)
        extended = 2 if "gigabit" in ours else 0
        for theirs, theirs_extended in (0xFF, 0xFF), (3, None), (0, 2), (0x20, 0):
            for bss_begins in True, False:
                with World(config(nse=offered(ours))) as world:
                    bss = ns_up(world)
                    given = {"features": theirs, "extended_features": theirs_extended}
                    if bss_begins:
                        bss.send(0, RESET, bvci=0, cause=O_AND_M, **given)
                        pdu = bss.expect(RESET_ACK, at=0, bvci=0)
                    else:
                        pdu = bss.expect(RESET, at=MOMENT_NS, bvci=0)
                        bss.send(0, RESET_ACK, bvci=0, **given)
                        world.run(0)
                    same(pdu["features"], bits, "our bitmap")
                    same(pdu["extended_features"] or 0,
                         extended if theirs_extended is not None or not bss_begins else 0,
                         "our extended bitmap")
                    nse = "local n = require('sluice.core.network').nse_of_nsei[101] "
                    same(world.lua(nse + "return n.features .. ' ' .. n.extended"),
                         f"{bits & theirs} {extended & (theirs_extended or 0)}", "in force")


@case("a BSS that knows no features gets a BVC-RESET-ACK without bitmaps")
def no_features():
    with World(config()) as world:
        bss = ns_up(world)
        bss.send(0, RESET, bvci=0, cause=O_AND_M)
        pdu = bss.expect(RESET_ACK, at=0, bvci=0)
        same((pdu["features"], pdu["extended_features"]), (None, None), "bitmaps")


# ---- What waits ----


@case("downlink waits for the first FLOW-CONTROL-BVC, and for another after each BVC-RESET")
def waits_for_flow():
    with World(config()) as world:
        bss = ns_up(world)
        signalling_up(bss)
        for turn in range(3):
            if turn == 2:
                say(bss, BLOCK, 2)
            say(bss, RESET, 2)
            bss.expect(RESET_ACK, at=world.now_ns, bvci=2)
            send_down(world, 1)
            world.run(5 * S)
            same(len(bss.dl), turn, "DL-UNITDATAs before it")
            bss.flow(2)
            bss.expect(FLOW_ACK, at=world.now_ns, on=2)
            world.run(0)
            same((len(bss.dl), bss.dl[-1].time_ns), (turn + 1, world.now_ns), "and behind it")
            right(bss.received[-1].pdu.sdu.name == "bssgp_dl_unitdata", "the ACK goes first")


@case("flow_control = \"open\": a cell that is up does not wait, and the log says so")
def open_before_flow():
    with World(config(nse='flow_control = "open",')) as world:
        bss = ns_up(world)
        send_down(world, 1)
        world.run(0)
        into_up(bss, 2)
        world.run(0)
        same(len(bss.dl), 1, "DL-UNITDATAs")
        right("open before its first FLOW-CONTROL-BVC" in world.log(), world.log())


@case("flow_control = \"open\": so is a cell behind a BVC-RESET, whatever the BSS said before")
def open_after_reset():
    with World(config(nse='flow_control = "open",')) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bss.flow(2, r=0)
        bss.expect(FLOW_ACK, at=world.now_ns, on=2)
        send_down(world, 1)
        world.run(S)
        same(len(bss.dl), 0, "DL-UNITDATAs at R = 0")
        say(bss, RESET, 2)
        bss.expect(RESET_ACK, at=world.now_ns, bvci=2)
        world.run(0)
        same(len(bss.dl), 1, "DL-UNITDATAs behind the reset")


@case("a cell's queue waits while it is blocked, and goes when it is unblocked, without new values")
def waits_while_blocked():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bss.flow(2)
        say(bss, BLOCK, 2)
        for number in range(3):
            send_down(world, 1, 60 + number)
        world.run(S)
        same((len(bss.dl), world.stats()["worker"]["queued"]), (0, 3), "sent, queued")
        say(bss, UNBLOCK, 2)
        world.run(0)
        same(len(bss.dl), 3, "DL-UNITDATAs")


@case("what waits for an NSE's only NS-VC, which is blocked, has its lifetime, as at every hold")
def waits_for_the_nsvc():
    with World(config('class { name = "background", lifetime = "4 s" }')) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        bss.flow(2)
        bss.ns("ns_block", cause=1, nsvci=1)
        world.run(0)
        send_down(world, 1, 61)
        world.run(3 * S)
        send_down(world, 1, 62)
        world.run(2 * S)
        bss.ns("ns_unblock")
        world.run(0)
        stats = world.stats()
        same((len(bss.dl), stats["background"]["drop_expired"], stats["background"]["drop_no_link"]),
             (1, 1, 0), "sent, expired, dropped for want of a link")


@case("a BVC-RESET of BVCI 0 takes every cell of its NSE down, and none of another")
def signalling_reset_implies():
    with World(config()) as world:
        bss = ns_up(world)
        other = ns_up(world, OTHER_NSEI, 2, OTHER_BSS, (2, 7))
        for one, bvci in (bss, 2), (bss, 3), (other, 2):
            if bvci != 3:
                signalling_up(one)
            say(one, RESET, bvci)
            without = picture(world, OTHER_NSEI)
            one.flow(bvci)
        world.run(0)
        before = picture(world, OTHER_NSEI)
        right(before != without, "a picture has the flow control of a cell")
        say(bss, RESET, 0)
        world.run(0)
        same((state(world, 2), state(world, 3)), ("down", "down"), "states")
        same(picture(world, OTHER_NSEI), before, "NSE 102")
        send_down(world, 1)
        send_down(world, 3)
        world.run(S)
        same((len(bss.dl), len(other.dl)), (0, 1), "DL-UNITDATAs")
        say(bss, RESET, 2)
        bss.flow(2)
        world.run(0)
        same(len(bss.dl), 1, "DL-UNITDATAs once it is reset")


SHOWN = """local b = require 'board'; SEEN = {};
for _, what in ipairs { 'nse', 'nsvc', 'bvc' } do local put = b[what];
b[what] = function(t)
if t.nse_id == 0 then SEEN[what .. (t.bvci or '')] = t.state end; return put(t) end end"""


def shown(world):
    """What `sluice stats` shows of NSE 101, its NS-VC and cell 2, since it last changed."""
    return world.lua("return table.concat({ tostring(SEEN.nse), tostring(SEEN.nsvc), "
                     "tostring(SEEN.bvc2) }, ' ')")


@case("stats has the state of an NSE whose NS-VCs are down, and of a cell that is held, as the log has")
def shown_states():
    with World(config()) as world:
        world.lua(SHOWN.replace("\n", " "))
        bss = ns_up(world)
        same(shown(world), "down unblocked nil", "before its BVC-RESET")
        into_up(bss, 2)
        same(shown(world), "up unblocked up", "up")
        bss.ns("ns_block", cause=1, nsvci=1)
        world.run(0)
        same(shown(world), "down blocked up", "its NS-VC is blocked")
        bss.ns("ns_unblock")
        world.run(0)
        same(shown(world), "up unblocked up", "and unblocked")
        bss.ns("ns_reset", cause=1, nsvci=1, nsei=NSEI)
        bss.ns("ns_unblock")
        world.run(0)
        same(shown(world), "up unblocked held", "its last NS-VC has been reset")
        world.run(MOMENT_NS)
        same(shown(world), "up unblocked up", "a moment later")


@case("sluice ctl bvc: a reset by the operator, and what is shown")
def by_the_operator():
    with World(config()) as world:
        bss = ns_up(world)
        into_up(bss, 2)
        same(world.ctl(f"bvc {NSEI} 2 reset")[0], True, "ctl bvc reset")
        bss.expect(RESET, at=0, bvci=2, cause=O_AND_M)
        same(state(world, 2), "resetting", "state")
        good, text = world.ctl(f"bvc {NSEI} 2")
        right(good and "resetting" in text, text)
        same(world.ctl(f"bvc {NSEI}-2"), (good, text), "in one word")
        good, text = world.ctl(f"bcv {NSEI} 2")
        right(not good and text.startswith("unknown request 'bcv'; did you mean bvc?"), text)
        wrong = "9 2", f"{NSEI} 99", f"{NSEI} 2 burn", ""
        same([world.ctl(f"bvc {words}")[0] for words in wrong], [False] * 4, "what it refuses")


main()
