#!/usr/bin/python3
"""NS (TS 48.016) with those who have no business there, with several NS-VCs, with NS-VCs that the
BSS brings, and without NS-RESET (ns = "alive")."""

import itertools

import codec
from bss import Bss
from ns_world import (AGAIN_NS, ALIVE_NS, ALIVE_RETRIES, BSS, INCOMPATIBLE, INTO, NSEI, NSVCI, O_AND_M,
                      PDUS, RESET_NS, START_NS, TEST_NS, TLLI, came, config, fields_of, into_reset,
                      picture, quiet_bss, say, series, state)
from world import GB, NS_PORT, S, World, case, main, nsvc, same

# ---- Who has no business there ----

STRANGE = [codec.build(name, **fields_of(name)) for name in PDUS[:-1]] + [
    codec.build("ns_alive"), codec.build("ns_alive_ack"), b"\x7f", b"",
    codec.unitdata(0, codec.build("bssgp_bvc_reset", bvci=2, cause=8, cell=codec.cell(1))),
    codec.unitdata(2, codec.build("bssgp_flow_control_bvc", tag=1, bmax=1, r=1, bmax_default=1,
                                  r_default=1)),
    codec.unitdata(2, b"\x01" + TLLI.to_bytes(4) + bytes(20))]


def strangers_change_nothing(into):
    with World(config()) as world:
        bss = quiet_bss(world)
        INTO[into](bss)
        before = picture(world)
        for (address, port), octets in itertools.product(
                (("198.51.100.9", NS_PORT), (BSS, NS_PORT + 1), ("2001:db8:1::9", NS_PORT)),
                STRANGE):
            world.gb(address, octets, port)
        world.run(S)  # an answer may wait for its neighbour
        same(world.strangers, [], "answers to them")
        same(picture(world), before, "NS-VCs and cells")


for one in "reset", "unblocked":
    case(f"{one}: what comes from other addresses and ports changes nothing and gets no answer",
         one)(strangers_change_nothing)


@case("an NS-RESET with another NSEI or NSVCI gets an ACK with ours, and changes nothing (7.3.1)")
def reset_of_another():
    for at_state in ("unblocked", "blocked", "dead"):
        for nsvci, nsei in (999, NSEI), (NSVCI, 999), (999, 999):
            with World(config()) as world:
                bss = quiet_bss(world)
                INTO[at_state](bss)
                bss.inbox.clear()
                bss.ns("ns_reset", cause=O_AND_M, nsvci=nsvci, nsei=nsei)
                bss.expect("ns_reset_ack", at=0, nsvci=NSVCI, nsei=NSEI)
                same((came(bss), state(world)), ([], at_state), "what else came, state")


@case("an NS-RESET-ACK with another NSEI or NSVCI is no answer")
def ack_of_another():
    with World(config()) as world:
        bss = quiet_bss(world)
        into_reset(bss)
        for nsvci, nsei in (999, NSEI), (NSVCI, 999):
            bss.ns("ns_reset_ack", nsvci=nsvci, nsei=nsei)
        world.run(RESET_NS)
        same(state(world), "reset", "state")
        same(bss.times("ns_reset"), series(START_NS, RESET_NS, 2), "NS-RESETs")


# ---- Several NS-VCs, dynamic ones, and ns = "alive" ----

TWO = nsvc(NSVCI, BSS) + ", " + nsvc(NSVCI + 1, "198.51.100.3")


@case("an NS-BLOCK of one NS-VC that comes on another is answered there, and blocks the right one")
def block_on_another():
    with World(config(nsvcs=TWO)) as world:
        bss = quiet_bss(world, [(NSVCI, BSS), (NSVCI + 1, "198.51.100.3")])
        for number, one in enumerate(bss.nsvcs):
            bss.ns("ns_reset", nsvc=one, cause=O_AND_M, nsvci=NSVCI + number, nsei=NSEI)
            bss.ns("ns_unblock", nsvc=one)
        world.run(0)
        same((state(world, 0), state(world, 1)), ("unblocked", "unblocked"), "states")
        bss.ns("ns_block", nsvc=bss.nsvcs[0], cause=O_AND_M, nsvci=NSVCI + 1)
        bss.expect("ns_block_ack", at=0, nsvc=bss.nsvcs[0], nsvci=NSVCI + 1)
        same((state(world, 0), state(world, 1)), ("unblocked", "blocked"), "states")


@case("dynamic: an NS-RESET from an unknown endpoint makes an NS-VC, whose neighbour is asked for")
def dynamic():
    with World(config(nse="dynamic = true,")) as world:
        bss = Bss(world, NSEI, [(NSVCI + 1, "198.51.100.7", 23456)], {2: 8000})
        bss.start()
        world.run(5 * S)
        same((state(world, 1), bss.nsvcs[0].blocked), ("unblocked", False), "both sides' view")
        bss.expect("ns_reset_ack", nsvci=NSVCI + 1, nsei=NSEI)


@case("dynamic: nobody takes the NSVCI of another that is alive, nor one that the file has")
def dynamic_no_theft():
    with World(config(nse="dynamic = true,")) as world:
        owner = Bss(world, NSEI, [(7, "198.51.100.7")], {})
        owner.start()
        world.run(S)
        before = picture(world)
        for nsvci in 7, NSVCI:
            world.gb("198.51.100.8", codec.build("ns_reset", cause=1, nsvci=nsvci, nsei=NSEI))
        world.gb("198.51.100.8", codec.build("ns_reset", cause=1, nsvci=8, nsei=NSEI + 1))
        world.run(S)
        answers = [d for d in world.strangers if d.destination == "198.51.100.8"]
        same((answers, picture(world)), ([], before), "answers, and NS-VCs")


@case("dynamic: an NS-RESET from an address that is no station's, or ours, takes no place")
def dynamic_nobody():
    with World(config(nse="dynamic = true,")) as world:
        def left():
            return world.lua("local w = require('sluice.core.network') "
                             "return w.ids.nsvc:left() .. ' ' .. #w.nses[1].nsvcs")
        before = left()
        nobodies = (GB, NS_PORT), ("224.0.0.5", NS_PORT), ("0.0.0.0", NS_PORT), ("198.51.100.7", 0)
        for source in nobodies:
            world.gb(source[0], codec.build("ns_reset", cause=1, nsvci=7, nsei=NSEI), source[1])
            world.run(S)
        same(left(), before, "places, NS-VCs")
        same(world.counts()["event"]["stranger"], 4, "heard by control")


@case("dynamic: a second NS-RESET of a new endpoint, with another NSVCI, takes nobody's place")
def dynamic_twice():
    with World(config(nse="dynamic = true,")) as world:
        for address, nsvci in ("198.51.100.7", 7), ("198.51.100.8", 8), ("198.51.100.8", 9):
            world.gb(address, codec.build("ns_reset", cause=1, nsvci=nsvci, nsei=NSEI))
        world.run(S)
        same(world.lua("local t = {} for i, v in ipairs(require('sluice.core.network').nses[1].nsvcs) do "
                       "t[i] = v.nsvci end return table.concat(t, ' ')"), f"{NSVCI} 7 8", "NSVCIs")


@case("dynamic: a BSS with another address takes its NSVCI back once it is dead")
def dynamic_moves():
    with World(config(nse="dynamic = true,")) as world:
        first = Bss(world, NSEI, [(7, "198.51.100.7")], {})
        first.start()
        world.run(S)
        first.auto.clear()
        world.run(TEST_NS + (1 + ALIVE_RETRIES) * ALIVE_NS)
        second = Bss(world, NSEI, [(7, "198.51.100.8")], {})
        second.start()
        world.run(5 * S)
        same(second.nsvcs[0].blocked, False, "the second one's view")
        same(world.lua("return #require('sluice.core.network').nses[1].nsvcs"), "2", "NS-VCs")


@case("ns = \"alive\": NS-ALIVE alone brings it up; down after 11 without an answer; each second until back")
def alive_mode():
    with World(config(nse='ns = "alive",')) as world:
        bss = quiet_bss(world)
        for t_ns in series(0, AGAIN_NS, 20):
            bss.expect("ns_alive", at=t_ns)
        same(state(world), "dead", "state")
        bss.ns("ns_alive_ack")
        start_ns = world.now_ns
        world.run(0)
        same(state(world), "unblocked", "state")
        for t_ns in series(start_ns + TEST_NS, ALIVE_NS, 1 + ALIVE_RETRIES):
            bss.expect("ns_alive", at=t_ns)
        world.run(ALIVE_NS)
        same((state(world), bss.times("ns_reset")), ("dead", []), "state, NS-RESETs")
        for t_ns in series(world.now_ns, AGAIN_NS, 20):
            bss.expect("ns_alive", at=t_ns)
        bss.ns("ns_alive_ack")
        world.run(0)
        same(state(world), "unblocked", "state")
        for name in "ns_reset", "ns_block", "ns_unblock":
            say(bss, name)
            bss.expect("ns_status", at=world.now_ns, cause=INCOMPATIBLE)
        same(state(world), "unblocked", "state")


main()
