#!/usr/bin/python3
"""What a BSS brings or takes at the very moment at which a reload waits for the dataplane."""

import codec
from bss import Bss
from world import HEAD, MS, S, World, nsvc
from harness import case, main, right, same
from reload_world import PEERS


def lua(octets):
    return "'" + "".join(f"\\x{octet:02x}" for octet in octets) + "'"


def stranger(octets, address):
    return f"require('sluice.ns.service').stranger({lua(octets)}, '::ffff:{address}', 23000)"


def resets(nsvci, address):
    return stranger(codec.build("ns_reset", cause=1, nsvci=nsvci, nsei=101), address)


def brings_cell(bvci, number=1):
    """The BSS of that NSE."""
    reset = codec.build("bssgp_bvc_reset", bvci=bvci, cause=8, cell=codec.cell(bvci))
    return (f"local nse = require('sluice.core.network').nses[{number}] "
            f"said = require('sluice.bssgp.pdus').input(nse, nse.nsvcs[1], 0, {lua(reset)}, 1)")


def meanwhile(world, command, chunk):
    """It happens when the dataplane is told that for the next time, as if that took its time."""
    world.lua(f"local dp, nse = require('dp'), require('sluice.core.network').nses[1] local tell = dp.{command} "
              f"dp.{command} = function(c) dp.{command} = tell {chunk} return tell(c) end")


@case("the BSS of an NSE that a reload removes brings it no NS-VC while the dataplane takes its time")
def unknown():
    def text(more):
        return HEAD + f"""room {{ nsvcs = 40, bvcs = 40 }}
nse {{ nsei = 101, {nsvc(1, PEERS[101][0])}, bvc {{ bvci = 2 }} }}
{more}"""
    for how, first in (("dynamic = true", codec.build("ns_reset", cause=1, nsvci=5, nsei=102)),
                       ('ns = "sns"', codec.build("sns_size", nsei=102, reset_flag=1, nsvcs=1,
                                                  ip4_endpoints=1))):
        with World(text(f"nse {{ nsei = 102, {how}, bvc {{ bvci = 2 }} }}")) as world:
            meanwhile(world, "nse_remove", f"said = {stranger(first, '198.51.100.60')}")
            same(world.reload(text(""), 10 * S), (True, "1 NSE removed, 1 cell removed"), how)
            same(world.lua("return said"), "ignored", how)


@case("what a reload adds is not added twice, though the BSS brings it while that waits")
def brought_twice():
    def text(more):
        return HEAD + f"""room {{ nsvcs = 40, bvcs = 40 }}
nse {{ nsei = 101, dynamic = true, cells = "any", {nsvc(1, PEERS[101][0])}, bvc {{ bvci = 2 }},
    {more} }}"""
    for command, more, brings, answer in (
            ("nsvc", nsvc(9, PEERS[101][1]), "said = " + resets(9, PEERS[101][1]),
             "1 NS-VC added"),
            ("bvc", "bvc { bvci = 3 }", brings_cell(3), "1 cell added")):
        with World(text("")) as world:
            Bss(world, 101, [(1, PEERS[101][0])], {2: 80000}).up()
            meanwhile(world, command, brings)
            same(world.reload(text(more), 10 * S), (True, answer), command)
            right(world.lua("return said") in ("ignored", "refused"), command)


@case("a reload has kept the places of what it adds: a cell that the BSS brings meanwhile has none")
def kept_places():
    def text(first="", second=""):
        return HEAD + f"""room {{ nsvcs = 40, bvcs = 3 }}
nse {{ nsei = 101, {nsvc(1, PEERS[101][0])}, bvc {{ bvci = 2 }}, {first} }}
nse {{ nsei = 102, cells = "any", {nsvc(2, PEERS[102][0])}, bvc {{ bvci = 2 }}, {second} }}"""
    with World(text()) as world:
        Bss(world, 102, [(2, PEERS[102][0])], {2: 80000}).up()
        meanwhile(world, "nsvc", brings_cell(7, 2))
        new = text(nsvc(9, PEERS[101][1]), "bvc { bvci = 3 }")
        same(world.reload(new, 10 * S), (True, "1 NS-VC added, 1 cell added"), "a reload")
        same(world.lua("return said"), "refused", "the BVC-RESET of another cell")


@case("an NS-VC that a reload removes is not removed twice, though the BSS needs its place meanwhile")
def removed_twice():
    def text(mine):
        return HEAD + f"""room {{ nsvcs = 40 }}
nse {{ nsei = 101, dynamic = true, {mine} bvc {{ bvci = 2 }} }}"""
    with World(text("")) as world:
        for i in range(16):
            world.gb(f"198.51.100.{100 + i}", codec.build("ns_reset", cause=1, nsvci=i, nsei=101))
            world.run(10 * MS)
        meanwhile(world, "nsvc_remove", " ".join(resets(i, "198.51.100.200") for i in range(16)))
        same(world.reload(text(nsvc(77, "198.51.100.7") + ","), 10 * S),
             (True, "1 NS-VC added, 1 NS-VC removed"), "a reload")


main()
