#!/usr/bin/python3
"""NS (TS 48.016) over a network that loses, doubles and delays each of its PDUs; restarts of either
side, colliding resets, and the end of Lua. Both sides must end up with the same view, and keep it.
"""

from bss import ANSWERED, Bss
from ns_parts import (ALIVE_NS, BSS, EQUIPMENT, NSEI, NSVCI, TEST_NS, config, into_reset, quiet_bss,
                      say, state, stays_up)
from world import MS, S, World, case, main, same

# ---- Loss, duplication, delay ----

BSS_BEGINS = [("up", "ns_reset"), ("down", "ns_reset_ack"), ("up", "ns_unblock"),
              ("down", "ns_unblock_ack"), ("down", "ns_alive"), ("up", "ns_alive_ack")]
WE_BEGIN = [("down", "ns_reset"), ("up", "ns_reset_ack"), ("down", "ns_unblock"),
            ("up", "ns_unblock_ack"), ("down", "ns_alive"), ("up", "ns_alive_ack")]
# "late" is later than the repetition of what it answers
HARM = {"lost": lambda bss, way, name: bss.lose(way, name),
        "lost twice": lambda bss, way, name: bss.lose(way, name, times=2),
        "doubled": lambda bss, way, name: bss.duplicate(way, name, times=99),
        "doubled later": lambda bss, way, name: bss.duplicate(way, name, ns=1500 * MS),
        "delayed": lambda bss, way, name: bss.delay(way, name, ns=200 * MS),
        "late": lambda bss, way, name: bss.delay(way, name, ns=3100 * MS)}


def bss_begins_harmed(way, name, harm):
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        HARM[harm](bss, way, name)
        bss.start()
        world.run(25 * S)
        stays_up(world, bss)


def we_begin_harmed(way, name, harm):
    """An NS-RESET that comes late takes the BSS down behind our back; it says so when data comes,
    our BVC-RESET, which is repeated 10 s later."""
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.strict = True
        HARM[harm](bss, way, name)
        world.run(TEST_NS + 25 * S)
        stays_up(world, bss)


for harm_name in HARM:
    for way_name, pdu_name in BSS_BEGINS:
        case(f"the BSS begins, {pdu_name} {way_name} is {harm_name}: it comes up and stays up",
             way_name, pdu_name, harm_name)(bss_begins_harmed)
    for way_name, pdu_name in WE_BEGIN:
        case(f"we begin, {pdu_name} {way_name} is {harm_name}: it comes up and stays up",
             way_name, pdu_name, harm_name)(we_begin_harmed)


# ---- Restarts and collisions ----


@case("a BSS that restarts comes up again, at whatever instant it does")
def bss_restarts():
    for delay_ns in (0, 1, 500 * MS, 3 * S, TEST_NS, TEST_NS + ALIVE_NS):
        with World(config()) as world:
            bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
            bss.start()
            world.run(5 * S)
            bss.auto.clear()  # it is off
            world.run(delay_ns)
            bss.auto.update(ANSWERED)
            bss.restart()
            world.run(20 * S)
            stays_up(world, bss)


@case("we restart, the BSS goes on with data: our reset brings it up, the data is not answered")
def we_restart():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.nsvcs[0].blocked = False
        world.run(S)
        for _ in range(3):
            say(bss, "data")
        bss.expect("ns_reset", at=S, cause=EQUIPMENT, nsvci=NSVCI, nsei=NSEI)
        same(bss.times("ns_reset"), [S], "NS-RESETs")
        bss.expect("ns_unblock", at=S)
        world.run(20 * S)
        stays_up(world, bss)
        bss.none("ns_status")


@case("resets collide: each takes the other's, both end unblocked")
def collision():
    for early_ns in (0, 1, 10 * MS):
        with World(config()) as world:
            bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
            bss.latency_ns = 20 * MS
            world.run(TEST_NS - early_ns)
            bss.start()
            world.run(25 * S)
            stays_up(world, bss)


@case("resets collide, and both wait for the other's NS-UNBLOCK: we send ours")
def collision_nobody_unblocks():
    with World(config()) as world:
        bss = quiet_bss(world)
        bss.auto.update(("ns_alive", "ns_unblock"))
        into_reset(bss)
        say(bss, "ns_reset")
        bss.expect("ns_reset_ack", at=TEST_NS)
        same(state(world), "blocked", "state")
        bss.expect("ns_unblock", within=TEST_NS)
        world.run(0)
        same(state(world), "unblocked", "state")


@case("Lua ends: NS-ALIVE is still answered")
def without_lua():
    with World(config()) as world:
        bss = Bss(world, NSEI, [(NSVCI, BSS)], {2: 8000})
        bss.start()
        world.run(5 * S)
        world.kill_lua()
        world.run(100 * S)
        bss.ns("ns_alive")
        bss.expect("ns_alive_ack", at=world.now_ns)


main()
