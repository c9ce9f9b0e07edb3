#!/usr/bin/python3
"""BVCs (TS 48.018 clauses 8.3 and 8.4) over a network that loses, doubles and delays each of their
PDUs; restarts of either side, and resets that collide. Each time all comes up, both sides have the
same view, and an N-PDU passes each way in every cell."""

from bss import ANSWERED, Bss
from bvc_world import (BSS, MOMENT_NS, NSEI, OTHER_BSS, OTHER_NSEI, T2_NS, config, flows, ns_up,
                       send_down, state)
from harms import harms
from world import MS, S, World, case, main, right, same

RESET, RESET_ACK = "bssgp_bvc_reset", "bssgp_bvc_reset_ack"
BLOCK, BLOCK_ACK = "bssgp_bvc_block", "bssgp_bvc_block_ack"
UNBLOCK, UNBLOCK_ACK = "bssgp_bvc_unblock", "bssgp_bvc_unblock_ack"
FLOW, FLOW_ACK = "bssgp_flow_control_bvc", "bssgp_flow_control_bvc_ack"

HARM = harms("lost 3 times", 3, 2500 * MS)


def views(bss):
    """What the BSS holds: BVCI 0, then each cell."""
    return ["up" if up else "down"
            for up in (bss.signalling_up, *(one.up for one in bss.cells.values()))]


def all_up(world, bss):
    """By both, and it carries data, and nobody begins again."""
    ours = [state(world, bvci) for bvci in (0, *bss.cells)]
    same((ours, views(bss)), (["up"] * 3, ["up"] * 3), f"both sides' view\n{world.log()}\nboth")
    for number, bvci in enumerate(bss.cells, 1):
        flows(world, bss, bvci, number)
    resets = len(bss.times(RESET)) + len([r for r in bss.sent if r.pdu.sdu
                                          and r.pdu.sdu.name == RESET])
    world.run(100 * S)
    same(len(bss.times(RESET)) + len([r for r in bss.sent if r.pdu.sdu
                                      and r.pdu.sdu.name == RESET]), resets, "BVC-RESETs")


def new_bss(world):
    return Bss(world, NSEI, [(1, BSS)], {2: 80000, 3: 80000})


def bss_begins(way, name, nth, harm):
    with World(config()) as world:
        bss = new_bss(world)
        HARM[harm](bss, way, name, nth)
        bss.start()
        world.run(15 * S)
        all_up(world, bss)


def we_begin(way, name, nth, harm):
    """The BSS begins with nothing but NS and the values of its cells."""
    with World(config()) as world:
        bss = ns_up(world)
        bss.auto = set(ANSWERED)
        HARM[harm](bss, way, name, nth)
        world.run(90 * S)
        for bvci in bss.cells:
            bss.flow(bvci)
        world.run(3 * S)
        all_up(world, bss)


for harm_name in HARM:
    for way_name, pdu_name in ("up", RESET), ("down", RESET_ACK), ("up", FLOW), ("down", FLOW_ACK):
        for which in (1, 2) if pdu_name != FLOW else (1,):
            case(f"the BSS begins, {pdu_name} {which} {way_name} is {harm_name}: all comes up",
                 way_name, pdu_name, which, harm_name)(bss_begins)
    for way_name, pdu_name in (("down", RESET), ("up", RESET_ACK)):
        for which in 1, 2:
            case(f"we begin, {pdu_name} {which} {way_name} is {harm_name}: all comes up",
                 way_name, pdu_name, which, harm_name)(we_begin)


@case("BVC-BLOCK and -UNBLOCK and their ACKs, each harmed: repeated until answered, both agree")
def block_harmed():
    for harm in HARM.values():
        for way, name in ("up", BLOCK), ("down", BLOCK_ACK), ("up", UNBLOCK), ("down", UNBLOCK_ACK):
            with World(config()) as world:
                bss = new_bss(world)
                bss.up()
                harm(bss, way, name, 1)
                for what, answer, then in ((BLOCK, BLOCK_ACK, "blocked"),
                                           (UNBLOCK, UNBLOCK_ACK, "up")):
                    cause = {"cause": 8} if what == BLOCK else {}
                    for _ in range(5):  # T1 of the BSS
                        bss.send(0, what, bvci=2, **cause)
                        world.run(5 * S)
                        if bss.find(answer, {"bvci": 2}, None, 0):
                            break
                    bss.expect(answer, on=0, bvci=2)
                    same(state(world, 2), then, f"state after {what}")
                flows(world, bss, 2, 1)


# ---- Restarts and collisions ----


@case("a BSS that restarts comes up again at whatever instant it does")
def bss_restarts():
    for off_ns in 0, 1, 500 * MS, 7 * S, 40 * S:
        with World(config()) as world:
            bss = new_bss(world)
            bss.up()
            bss.auto.clear()  # it is off
            bss.follow = False
            world.run(off_ns)
            bss.auto = set(ANSWERED)
            bss.signalling_up = False
            bss.restart()
            world.run(20 * S)
            all_up(world, bss)


@case("what waits for a cell while its BSS restarts is sent when it is back, nothing is lost")
def queue_over_restart():
    with World(config()) as world:
        bss = new_bss(world)
        bss.up()
        bss.send(0, BLOCK, bvci=2, cause=8)
        world.run(0)
        for number in range(4):
            send_down(world, 1, 60 + number)
        world.run(S)
        same(len(bss.dl), 0, "DL-UNITDATAs while it is blocked")
        bss.restart()
        world.run(20 * S)
        same(len(bss.dl), 4, "DL-UNITDATAs")
        drops = {name: value for scope in world.stats().values() for name, value in scope.items()
                 if name.startswith("drop_") and value}
        same(drops, {}, "drops")


@case("we restart: the BSS, which goes on as if nothing were, is up again, and its values in force")
def we_restart():
    with World(config()) as world:
        bss = new_bss(world)
        bss.nsvcs[0].blocked, bss.signalling_up, bss.strict = False, True, True
        for cell in bss.cells.values():
            cell.up = True
        def report():
            for bvci in bss.cells:
                bss.flow(bvci)
            if world.now_ns < 60 * S:
                world.at(world.now_ns + S, report)
        world.at(S, report)
        world.run(61 * S)
        all_up(world, bss)


@case("BVC-RESETs collide, of BVCI 0 and of a cell: each takes the other's, both are up (8.4.3)")
def collision():
    for latency_ns in 0, 20 * MS, 600 * MS:
        for early_ns in 0, 1, 10 * MS, latency_ns:
            with World(config()) as world:
                bss = ns_up(world)
                bss.latency_ns = latency_ns
                bss.auto, bss.follow = set(ANSWERED), True
                world.run_until(MOMENT_NS - early_ns)
                bss.reset_bvc(0)
                world.run(15 * S)
                all_up(world, bss)
            with World(config()) as world:
                bss = ns_up(world)
                bss.latency_ns, bss.auto = latency_ns, set(ANSWERED)
                bss.reset_bvc(0)
                world.run_until(latency_ns + T2_NS - early_ns)
                bss.follow = True
                for bvci in bss.cells:
                    bss.reset_bvc(bvci)
                world.run(15 * S)
                all_up(world, bss)


@case("an NSE whose NS-VC dies and comes back has its cells as they were")
def ns_comes_back():
    with World(config()) as world:
        bss = new_bss(world)
        bss.up()
        other = Bss(world, OTHER_NSEI, [(2, OTHER_BSS)], {2: 80000})
        other.up()
        bss.auto.clear()
        world.run(120 * S)
        right(bss.times("ns_reset"), "the test has not failed")
        flows(world, other, 2, 3)
        bss.auto = set(ANSWERED)
        world.run(60 * S)
        same(bss.nsvcs[0].blocked, False, "the BSS's view of the NS-VC")
        all_up(world, bss)


main()
