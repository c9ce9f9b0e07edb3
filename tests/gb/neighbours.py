#!/usr/bin/python3
"""NS-VCs whose next hop nobody answers for, by ARP or neighbour discovery: one line says so, and the
state that `sluice stats` shows; and when somebody answers again. In virtual time the file gives the
addresses of its own NS-VCs, so these here are brought by the BSS."""

from bss import Bss
import codec
from world import HEAD, MS, NS_PORT, S, World, case, main, ms, right, same

A, B = "198.51.100.2", "198.51.100.3"
V6, GATEWAY, BEYOND = "2001:db8:1::2", "198.51.100.254", ("203.0.113.77", "203.0.113.78")
NEW_NS = 5 * S                 # five questions, a second apart
KNOWN_NS = 30 * S + 2750 * MS  # asked again after 30 s: three times in 250 ms each, twice in a second
CONFIG = HEAD + f"""
nse {{ nsei = 101, dynamic = true, bvc {{ bvci = 2, {ms("001010000000001", 0xC0000001)} }} }}
"""


def bring(world, address, nsvci=1, port=NS_PORT):
    """A BSS there, of which nothing more is heard."""
    world.gb(address, codec.build("ns_reset", cause=1, nsvci=nsvci, nsei=101), port)


def silent(world, address, port=NS_PORT):
    return world.log_lines(" warn ", f"({address} port {port})", "no neighbour: no answer to ARP")


def answers(world, address):
    return world.log_lines(" info ", f"({address} port ", "the neighbour answers")


def look(world):
    world.lua("local b = require 'board' local put = b.nsvc b.nsvc = function(t) "
              "if t.nsvc_id == 0 then SEEN = t.state end return put(t) end return 0")


def shown(world):
    """What the live view has for the first NS-VC, since it last changed."""
    return world.lua("return tostring(SEEN)")


for ADDRESS in A, V6:
    for WORKERS in 1, 2:
        @case(f"nobody answers for {ADDRESS} from the start, then somebody does; {WORKERS} workers",
              ADDRESS, WORKERS)
        def at_the_start(address, workers):
            with World(CONFIG, workers=workers) as world:
                look(world)
                world.mute.add(address)
                bring(world, address)
                bring(world, B, 2)
                world.run_until(NEW_NS - 1)
                same(silent(world, address), [], "lines")
                world.run(1)
                same(len(silent(world, address)), 1, "lines")
                same(shown(world), "no neighbour", "its state")
                world.run(20 * S)
                same((len(silent(world, address)), silent(world, B)), (1, []), "lines")
                world.mute.clear()
                world.run(S)
                same(len(answers(world, address)), 1, "lines")
                right(shown(world) != "no neighbour", shown(world))


@case("one that answered does so no more: a line when it has been asked again, and its state")
def later():
    with World(CONFIG) as world:
        look(world)
        bss = Bss(world, 101, [(1, A)], {2: 8000})
        bss.up()
        world.mute.add(A)
        world.run_until(KNOWN_NS - 1)
        same(silent(world, A), [], "lines")
        world.run(1)
        same((len(silent(world, A)), shown(world)), (1, "no neighbour"), "lines, state")
        world.mute.clear()
        world.run(S)
        same((len(answers(world, A)), shown(world)), (1, "unblocked"), "lines, state")


@case("a silent gateway: all that are behind it, one that is on the link not")
def gateway():
    with World(CONFIG, f"gb.gateway={GATEWAY}") as world:
        world.mute.add(GATEWAY)
        for n, address in enumerate((*BEYOND, B), 1):
            bring(world, address, n)
        world.run(10 * S)
        same([len(silent(world, address)) for address in (*BEYOND, B)], [1, 1, 0], "lines")
        world.mute.clear()
        world.run(S)
        same([len(answers(world, address)) for address in (*BEYOND, B)], [1, 1, 0], "lines")


@case("another NS-VC at a silent address is silent, too, and that is told at once")
def shared():
    with World(CONFIG) as world:
        world.mute.add(A)
        bring(world, A)
        world.run(60 * S)
        bring(world, A, 2, 2300)
        world.run(0)
        same((len(silent(world, A)), len(silent(world, A, 2300))), (1, 1), "lines")


@case("one that comes and goes is a line in ten seconds at most")
def comes_and_goes():
    with World(CONFIG) as world:
        Bss(world, 101, [(1, A)], {2: 8000}).up()
        for _ in range(30):
            world.mute.add(A)
            world.run(34 * S)
            world.mute.clear()
            world.run(S)
        right(20 < len(silent(world, A)) <= 30, f"{len(silent(world, A))} lines")
        right(20 < len(answers(world, A)) <= 30, f"{len(answers(world, A))} lines")


main()
