#!/usr/bin/python3
"""BSS packet flow contexts (TS 48.018 clause 8a): each PDU in each state, lost, doubled, late; T7
to the ns; and packet flows as slots of their own."""

from pfc_world import (CREATE, DELETE, DOWN, IMSI, MODIFY_ACK, ONE, PFC, PFC_FC, RETRIES, T7_NS,
                       TLLI, UNKNOWN_MS, begin, came, config, context, profile, say, state, states)
from world import MS, S, World, case, main, npdu, right, same


# The answer at once, and the state then; what is not here: nothing, and the same.
TABLE = {
    "none": {"download": ([CREATE], "creating"), "modify": ([MODIFY_ACK], "up"),
             "delete_req": ([DELETE], "deleting")},
    "creating": {"download": ([CREATE], "creating"), "ack": ([], "up"), "nack": ([], "refused"),
                 "modify": ([MODIFY_ACK], "creating"), "delete_req": ([DELETE], "deleting")},
    "up": {"download": ([CREATE], "creating"), "modify": ([MODIFY_ACK], "up"),
           "delete_req": ([DELETE], "deleting")},
    "refused": {"download": ([CREATE], "creating"), "modify": ([MODIFY_ACK], "up"),
                "delete_req": ([DELETE], "deleting")},
    "deleting": {"delete_ack": ([], "none")},
}
INTO = {"none": (), "creating": ("download",), "up": ("download", "ack"),
        "refused": ("download", "nack"), "deleting": ("download", "ack", "delete_req")}


def tell(bss, event):
    name, more = DOWN[event]
    say(bss, name, **more)


def each_event(at_state):
    for event in DOWN:
        with World(ONE) as world:
            bss = begin(world)
            for step in INTO[at_state]:
                tell(bss, step)
            same(state(world), at_state, "state")
            came(bss)
            answers, then = TABLE[at_state].get(event, ([], at_state))
            before = world.counted("handled", "ignored")
            tell(bss, event)
            same((came(bss), state(world)), (answers, then), f"{event} in {at_state}")
            taken = tuple(a - b for a, b in zip(world.counted("handled", "ignored"), before))
            same(taken, (1, 0) if event in TABLE[at_state] else (0, 1), f"outcome of {event}")


for one in TABLE:
    case(f"{one}: each PDU has the answer and the next state of the table", one)(each_event)


@case("T7: CREATE and DELETE again after 3, 6 and 9 s; after 12 there is none")
def t7():
    for into, name in ((("download",), CREATE), (("download", "ack", "delete_req"), DELETE)):
        with World(ONE) as world:
            bss = begin(world)
            for event in into:
                tell(bss, event)
            start_ns = world.now_ns
            world.run(T7_NS * (RETRIES + 1) - 1)
            same(bss.times(name), [start_ns + n * T7_NS for n in range(RETRIES + 1)], name)
            right(state(world) != "none", "given up too early")
            world.run(2)
            same((state(world), *world.counted("retries", "timeouts")), ("none", RETRIES, 1), name)
            world.run(60 * S)
            same(len(bss.times(name)), RETRIES + 1, name)


@case("another state ends T7: nothing more comes")
def t7_ends():
    for end in ("ack", "nack", "modify"):
        with World(ONE) as world:
            bss = begin(world)
            tell(bss, "download")
            world.run(S)
            tell(bss, end)
            world.run(60 * S)
            same(len(bss.times(CREATE)), RETRIES + 1 if end == "modify" else 1, end)


@case("a DOWNLOAD that comes again asks again, and does not ask for longer")
def download_again():
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        for _ in range(2):
            world.run(2 * S)
            tell(bss, "download")
        world.run(4 * S)
        tell(bss, "download")
        world.run(60 * S)
        same([t // S for t in bss.times(CREATE)], [0, 2, 4, 7, 8, 11, 14], "when")
        same(state(world), "none", "then")


def impair(bss, what, direction, name):
    getattr(bss, what)(direction, name, nth=1, **({"ns": 4 * S} if what == "delay" else {}))


@case("each PDU lost, doubled and late: it comes to the same end")
def impaired():
    for name, direction in ((CREATE, "down"), ("bssgp_create_bss_pfc_ack", "up"),
                            ("bssgp_download_bss_pfc", "up")):
        for what in ("lose", "duplicate", "delay"):
            with World(ONE) as world:
                bss = begin(world, auto=True)
                impair(bss, what, direction, name)
                tell(bss, "download")
                if name == "bssgp_download_bss_pfc" and what == "lose":
                    same((came(bss), state(world)), ([], "none"), "lost")
                    tell(bss, "download")
                world.run(30 * S)
                same(state(world), "up", f"{name} {what}")
    for name, direction in ((DELETE, "down"), ("bssgp_delete_bss_pfc_ack", "up")):
        for what in ("lose", "duplicate", "delay"):
            with World(ONE) as world:
                bss = begin(world, auto=True)
                tell(bss, "download")
                world.run(S)
                impair(bss, what, direction, name)
                tell(bss, "delete_req")
                world.run(30 * S)
                same(state(world), "none", f"{name} {what}")


# --- What goes on around --------------------------------------------------------------------------


@case("sluice ctl pfc creates and deletes all of an MS's, in its cell")
def asked_for():
    contexts = context(5, 8, "background") + context(6, 9, "interactive-2", "64 kbit/s") + \
        context(7, None, "streaming") + context(8, 8, "background")
    with World(config(contexts)) as world:
        bss = begin(world, auto=True)
        right(world.ctl(f"pfc {IMSI} create")[0], "create")
        world.run(S)
        same(sorted((r.pdu.bvci, r.pdu.sdu["pfi"]) for r in bss.inbox if r.pdu.sdu.name == CREATE),
             [(2, 8), (2, 9)], "CREATEs")
        same(states(world), {8: "up", 9: "up"}, "states")
        right(world.ctl(f"pfc {IMSI} delete")[0], "delete")
        world.run(S)
        same(states(world), {8: "none", 9: "none"}, "states")
        for wrong in ("pfc", "pfc 001019999999999", f"pfc {IMSI} modify"):
            same(world.ctl(wrong)[0], False, wrong)


@case("a cell that was reset has no PFCs: an ACK of before is nothing, nor does T7 go on")
def cell_reset():
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        came(bss)
        bss.reset_bvc(2)
        world.run(100 * MS)
        same(state(world), "none", "state")
        tell(bss, "ack")
        same(state(world), "none", "an ACK of before")
        came(bss)
        world.run(60 * S)
        same((len(bss.times(CREATE)), world.counted("timeouts")), (1, (0,)), "T7")
        tell(bss, "download")
        tell(bss, "ack")
        same(state(world), "up", "state")
        bss.reset_bvc(0)
        world.run(S)
        same(state(world), "none", "after BVCI 0")
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        bss.reset_bvc(2)
        world.run(60 * S)
        same((len(bss.times(CREATE)), world.counted("timeouts")), (1, (0,)), "nobody looks")


@case("a DOWNLOAD from another cell is answered there; what the first one says then is nothing")
def another_cell():
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        bss.expect(CREATE, on=2)
        say(bss, "download_bss_pfc", bvci=3)
        bss.expect(CREATE, at=world.now_ns, on=3)
        tell(bss, "ack")
        same(state(world), "creating", "an ACK from the old cell")
        say(bss, "create_bss_pfc_ack", bvci=3, abqp=profile(8))
        same(state(world), "up", "an ACK from the new one")


@case("an MS that is removed takes its PFCs and their timers with it")
def removed():
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        good, text = world.reload(ONE.replace(IMSI, "001010000000002").replace(
            f"{TLLI:#x}", "0xc0000009"))
        right(good, text)
        world.run(30 * S)
        same((len(bss.times(CREATE)), world.counted("timeouts")), (1, (0,)), "CREATEs")
        tell(bss, "download")
        bss.expect("bssgp_status", cause=UNKNOWN_MS)


@case("a packet flow that a reload takes away while its CREATE waits: no CREATE more, and no fault")
def flow_removed():
    with World(ONE) as world:
        bss = begin(world)
        tell(bss, "download")
        same(came(bss), [CREATE], "the first")
        good, text = world.reload(config(context(5, None, "background")))
        right(good, text)
        world.run(60 * S)
        same((came(bss), world.counted("retries", "timeouts")), ([], (0, 0)), "T7")


@case("a DELETE-BSS-PFC-REQ of a packet flow that no context has gets one DELETE, and is forgotten")
def delete_unknown():
    with World(ONE) as world:
        bss = begin(world)
        for pfi in range(128):
            if pfi != 8:
                say(bss, "delete_bss_pfc_req", pfi=pfi, cause=0)
                bss.expect(DELETE, at=world.now_ns, pfi=pfi, tlli=TLLI, on=2)
                say(bss, "delete_bss_pfc_ack", pfi=pfi)
                say(bss, "delete_bss_pfc_req", pfi=pfi, cause=0)
        same(came(bss), [DELETE] * 127, "the second time")
        world.run(60 * S)
        same((came(bss), world.counted("retries", "timeouts", "ignored")), ([], (0, 0, 127)), "T7")


@case("two PFIs of one class are two flows: FLOW-CONTROL-PFC stops one, the other goes on")
def two_flows():
    contexts = context(5, 8, "background") + context(6, 9, "background") + \
        context(7, 9, "background") + context(8, None, "background")
    with World(config(contexts)) as world:
        bss = begin(world, features=PFC | PFC_FC)
        same(world.lua("local s = require('sluice.subscribers.registry').slots(0) return #s"), "3", "flows")
        bss.send(2, "bssgp_flow_control_pfc", tlli=TLLI, tag=7,
                 flows=[{"pfi": 9, "bmax": 10, "r": 0}])
        bss.expect("bssgp_flow_control_pfc_ack", within=S, tag=7)
        for number in range(3):
            for nsapi in (5, 6, 7, 8):
                world.down(world.teid(TLLI, nsapi), npdu(f"10.0.{nsapi}.1", 400, number))
        world.run(3 * S)
        pfis = [r.pdu.sdu["pfi"] for r in bss.dl]
        same((pfis.count(8), pfis.count(None), pfis.count(9)), (3, 3, 0), "N-PDUs that went")
        bss.send(2, "bssgp_flow_control_pfc", tlli=TLLI, tag=8,
                 flows=[{"pfi": 9, "bmax": 100, "r": 800}])
        world.run(3 * S)
        same([r.pdu.sdu["pfi"] for r in bss.dl].count(9), 6, "then")


@case("a packet flow's own values end with its cell's reset; the MS's of the file go on")
def file_values_hold():
    with World(config(context(5, 8, "background"), 'rate = "1600 bit/s", bucket = "1000 octets",')) as world:
        bss = begin(world, features=PFC | PFC_FC)
        bss.send(2, "bssgp_flow_control_pfc", tlli=TLLI, tag=7, flows=[{"pfi": 8, "bmax": 100, "r": 800}])
        bss.expect("bssgp_flow_control_pfc_ack", within=S, tag=7)
        bss.reset_bvc(2)
        world.run(10 * S)
        for number in range(12):
            world.down(world.teid(TLLI, 5), npdu("10.0.5.1", 400, number))
        world.run(10 * S)
        right(3 <= len(bss.dl) <= 8, f"{len(bss.dl)} N-PDUs of 400 octets in 10 s at 200 octets/s behind 1000")


main()
