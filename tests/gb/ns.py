#!/usr/bin/python3
"""NS (TS 48.016 clauses 7.2 to 7.5) on a static NS-VC: each PDU in each state, timers and retries
to the ns, and PDUs that cannot be read. The tables are typed from the clauses; a state is looked at
on the wire (what becomes of data) and by its word."""

import codec
from ns_world import (AGAIN_NS, ALIVE_NS, ALIVE_RETRIES, BLOCK_NS, INCOMPATIBLE, INTO, INVALID, MISSING,
                      NSEI, NSVC_BLOCKED, NSVC_UNKNOWN, NSVCI, O_AND_M, PDUS, PROTOCOL, RESET_NS, RETRIES,
                      START_NS, TEST_NS, TRANSIT, came, config, fields_of, into_blocked,
                      into_blocking, into_unblocked, into_unblocking, quiet_bss, say, series, state)
from world import HEAD, MS, S, World, case, main, nsvc, same

# What comes at once, and the state then; a state and PDU that are not here: nothing, and the same.
# The BSS's RESET is answered in every state, and begins the test anew (7.3); BLOCK and UNBLOCK are
# answered wherever the NS-VC is not reset first (7.2); data on a blocked NS-VC is told about (7.5).
RESET = (["ns_reset_ack", "ns_alive"], "blocked")
STATUS = ["ns_status"]
TABLE = {
    "dead": {"ns_reset": RESET, "ns_block": (STATUS, "dead"), "ns_unblock": (STATUS, "dead"),
             "data": (["ns_reset"], "reset")},
    "reset": {"ns_reset": RESET, "ns_reset_ack": (["ns_alive", "ns_unblock"], "unblocking")},
    "unblocking": {"ns_reset": RESET, "ns_unblock_ack": ([], "unblocked"),
                   "ns_unblock": (["ns_unblock_ack"], "unblocked"),
                   "ns_block": (["ns_block_ack"], "blocked")},
    "blocked": {"ns_reset": RESET, "ns_block": (["ns_block_ack"], "blocked"),
                "ns_unblock": (["ns_unblock_ack"], "unblocked"), "data": (STATUS, "blocked")},
    "unblocked": {"ns_reset": RESET, "ns_block": (["ns_block_ack"], "blocked"),
                  "ns_unblock": (["ns_unblock_ack"], "unblocked"),
                  "data": (["bssgp"], "unblocked")},
    "blocking": {"ns_reset": RESET, "ns_block_ack": ([], "blocked"),
                 "ns_block": (["ns_block_ack"], "blocking")},
}


def each_pdu(at_state):
    for name in PDUS:
        with World(config()) as world:
            bss = quiet_bss(world)
            INTO[at_state](bss)
            same(state(world), at_state, "state")
            bss.inbox.clear()
            answers, then = TABLE[at_state].get(name, ([], at_state))
            now_ns = world.now_ns
            say(bss, name)
            world.run(0)
            same((came(bss), state(world)), (sorted(answers), then), f"{name} in {at_state}")
            same(world.now_ns, now_ns, "instant")


for one in TABLE:
    case(f"{one}: each NS PDU has the answer and the next state of the table, at its instant",
         one)(each_pdu)


@case("an NS-ALIVE is answered in every state, at its instant")
def alive_is_answered():
    for at_state, into in INTO.items():
        with World(config()) as world:
            bss = quiet_bss(world)
            into(bss)
            bss.ns("ns_alive")
            bss.expect("ns_alive_ack", at=world.now_ns)
            same(state(world), at_state, "state")


@case("what an NS-STATUS of ours carries: the NS-VCI, or the PDU, as the cause wants it (10.3.2)")
def status_contents():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.ns("ns_unblock")
        bss.expect("ns_status", at=0, cause=INCOMPATIBLE, nsvci=None, pdu=b"\x06")
        into_blocked(bss)
        say(bss, "data")
        bss.expect("ns_status", at=0, cause=NSVC_BLOCKED, nsvci=NSVCI, pdu=None)
        bss.ns("ns_block", cause=O_AND_M, nsvci=999)
        bss.expect("ns_status", at=0, cause=NSVC_UNKNOWN, nsvci=999, pdu=None)


@case("PDUs cut short, of no type, or without an element get NS-STATUS, and change nothing")
def broken_pdus():
    reset = codec.build("ns_reset", **fields_of("ns_reset"))
    wrong = [(b"\x7f", PROTOCOL), (b"\x01", PROTOCOL), (reset[:4], MISSING), (reset[:7], INVALID),
             (reset[:5], INVALID),
             (reset[:-1], INVALID), (b"\x02", MISSING), (b"\x04\x00\x81\x01", MISSING)]
    for octets, cause in wrong:
        with World(config()) as world:
            bss = quiet_bss(world)
            into_unblocked(bss)
            bss.datagram(bss.nsvcs[0], octets)
            bss.expect("ns_status", at=0, cause=cause, pdu=octets)
            same(state(world), "unblocked", f"state after {octets.hex()}")


@case("no NS-STATUS is answered by one, however broken it is; nor is an empty datagram")
def status_never_answered():
    with World(config()) as world:
        bss = quiet_bss(world)
        into_unblocked(bss)
        for octets in b"\x08", b"\x08\x00\x81", b"\x08\x00\x81\x0b\x77", b"", b"\0", b"\0\0\0":
            bss.datagram(bss.nsvcs[0], octets)
        bss.none("ns_status", S)
        same(state(world), "unblocked", "state")


@case("what never stops does not get an NS-STATUS each time")
def status_is_limited():
    with World(config()) as world:
        bss = quiet_bss(world)
        for _ in range(200):
            bss.ns("ns_unblock")
        world.run(999 * MS)
        same(len(bss.times("ns_status")), 20, "of them in a second")
        world.run((1 + RETRIES) * RESET_NS)  # and our NS-RESET is given up
        bss.inbox.clear()
        bss.ns("ns_unblock")
        bss.expect("ns_status", at=world.now_ns)


@case("an NS-RESET-ACK that nobody has asked for is ignored, for as long as it comes (7.3.1)")
def unasked_reset_ack():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.auto.add("ns_alive")
        into_unblocked(bss)
        for _ in range(5):
            say(bss, "ns_reset_ack")
            world.run(3 * S)
        same((state(world), bss.times("ns_unblock"), bss.times("ns_reset")), ("unblocked", [], []),
             "state, NS-UNBLOCKs, NS-RESETs")


# ---- Timers and retries ----


@case("NS-RESET of ours: at the start, at each Tns-reset, 3 retries; then it is dead, and asked each second")
def reset_timer():
    with World(config('timers { tns_reset = "3 s" }')) as world:
        bss = quiet_bss(world)
        dead_ns = START_NS + (1 + RETRIES) * 3 * S
        world.run_until(dead_ns - 1)
        same(state(world), "reset", "state until the last one is unanswered")
        world.run(100 * S)
        same(bss.times("ns_reset"), series(START_NS, 3 * S, 1 + RETRIES) + series(dead_ns, AGAIN_NS, 100),
             "NS-RESETs")
        same((state(world), len(world.log_lines("is dead"))), ("dead", 1), "state, lines of it")
        same({(r.pdu["cause"], r.pdu["nsvci"], r.pdu["nsei"]) for r in bss.received},
             {(O_AND_M, NSVCI, NSEI)}, "what they say")


@case("NS-UNBLOCK of ours: at each Tns-block, 3 retries, then blocked")
def unblock_timer():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.auto.add("ns_alive")
        into_unblocking(bss)
        start_ns = world.now_ns
        world.run(4 * BLOCK_NS - 1)
        same((bss.times("ns_unblock"), state(world)),
             (series(start_ns, BLOCK_NS, 1 + RETRIES), "unblocking"), "NS-UNBLOCKs")
        world.run(1)
        same(state(world), "blocked", "state")


@case("NS-BLOCK of ours: at each Tns-block, 3 retries, then blocked, and stays so")
def block_timer():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.auto.add("ns_alive")
        into_blocking(bss)
        start_ns = world.now_ns
        world.run(200 * S)
        same(bss.times("ns_block"), series(start_ns, BLOCK_NS, 1 + RETRIES), "NS-BLOCKs")
        same((state(world), bss.times("ns_unblock")), ("blocked", []), "state, and NS-UNBLOCKs")


@case("NS-ALIVE: Tns-test behind each answer; if none at each Tns-alive, 10 retries, then NS-RESET")
def test_timer():
    with World(config()) as world:
        bss = quiet_bss(world)
        into_unblocked(bss)
        world.run(S)
        say(bss, "ns_alive_ack")  # 1 s late
        bss.expect("ns_alive", at=0)
        bss.expect("ns_alive", at=S + TEST_NS)
        world.run(500 * MS)
        bss.ns("ns_alive_ack")
        dead_ns = world.now_ns + TEST_NS
        for t_ns in series(dead_ns, ALIVE_NS, 1 + ALIVE_RETRIES):
            bss.expect("ns_alive", at=t_ns)
        same(state(world), "unblocked", "state until the last one is unanswered")
        reset_ns = dead_ns + (1 + ALIVE_RETRIES) * ALIVE_NS
        bss.expect("ns_reset", at=reset_ns, cause=TRANSIT, nsvci=NSVCI, nsei=NSEI)
        same(state(world), "reset", "state")
        bss.none("ns_alive", RESET_NS)


@case("one answer to the last NS-ALIVE is enough, and one that nobody asked for changes nothing")
def test_last_answer():
    with World(config()) as world:
        bss = quiet_bss(world)
        into_unblocked(bss)
        world.run((1 + ALIVE_RETRIES) * ALIVE_NS - 1)
        bss.inbox.clear()
        now_ns = world.now_ns
        bss.ns("ns_alive_ack")
        world.run(S)
        bss.ns("ns_alive_ack")
        bss.expect("ns_alive", at=now_ns + TEST_NS)
        same((state(world), bss.times("ns_reset")), ("unblocked", []), "state, NS-RESETs")


@case("stats: an NS-VC whose BSS does not answer says so with the first NS-ALIVE repeated, until it answers")
def shows_no_answer():
    with World(config()) as world:
        world.lua("local b = require 'board' local put = b.nsvc b.nsvc = function(t) SEEN = t.state "
                  "return put(t) end return 0")
        bss = quiet_bss(world)
        into_unblocked(bss)
        for after_ns, state_shown in (0, "unblocked"), (ALIVE_NS - 1, "unblocked"), (1, "unblocked, no answer"):
            world.run(after_ns)
            same(world.lua("return SEEN"), state_shown, "shown")
        bss.ns("ns_alive_ack")
        world.run(0)
        same(world.lua("return SEEN"), "unblocked", "shown")
        world.run(TEST_NS + (1 + ALIVE_RETRIES) * ALIVE_NS)
        same(world.lua("return SEEN"), "reset", "shown")


@case("timers and retries of the file are those on the wire")
def timers_of_the_file():
    timers = """timers { tns_test = "10 s", tns_reset = "2 s", tns_reset_retries = 1,
        tns_block = "1 s", tns_block_retries = 0, tns_alive = "4 s", tns_alive_retries = 2 }"""
    with World(config(timers)) as world:
        bss = quiet_bss(world)
        for t_ns in (0, 2 * S, 4 * S):
            bss.expect("ns_reset", at=START_NS + t_ns)
        say(bss, "ns_reset_ack")
        bss.expect("ns_unblock", at=START_NS + 4 * S)
        for t_ns in (4 * S, 8 * S, 12 * S):
            bss.expect("ns_alive", at=START_NS + t_ns)
        bss.expect("ns_unblock", at=START_NS + 4 * S + S + 10 * S)
        bss.expect("ns_reset", at=START_NS + 16 * S, cause=TRANSIT)


@case("a BSS that comes back when its NS-VC is dead has it, whichever of both asks first")
def dead_and_back():
    for asks_first in "ns_reset_ack", "ns_reset":
        with World(config()) as world:
            bss = quiet_bss(world)
            into_unblocked(bss)
            world.run((1 + ALIVE_RETRIES) * ALIVE_NS + 20 * S)
            same(state(world), "dead", "state")
            bss.inbox.clear()
            world.run(AGAIN_NS - 1)
            bss.auto |= {"ns_alive", "ns_unblock"}
            if asks_first == "ns_reset_ack":
                bss.expect("ns_reset", at=world.now_ns + 1, cause=TRANSIT)
            resets = len(bss.times("ns_reset"))
            say(bss, asks_first)
            world.run(0)
            if asks_first == "ns_reset":
                say(bss, "ns_unblock")
            world.run(2 * S)
            same((state(world), len(bss.times("ns_reset"))), ("unblocked", resets), "state, NS-RESETs")


@case("of 2000 dead NS-VCs each is asked each 2 s, one in a ms: as many as 1000 in a second")
def dead_take_turns():
    count, each = 2000, 16
    nses = "".join(f"nse {{ nsei = {1000 + n}, " + ", ".join(
        nsvc(n * each + i, f"198.52.{n}.{1 + i}") for i in range(each)) + " }\n"
        for n in range(count // each))
    with World(HEAD + nses) as world:
        world.run(10 * S)
        before = world.counts()["out"]["ns_reset"]
        world.run(6 * S)
        same(world.counts()["out"]["ns_reset"] - before, 6000, "NS-RESETs in 6 s")


main()
