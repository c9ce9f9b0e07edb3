#!/usr/bin/python3
"""What a frame with a TLLI that its NSE does not know costs control, and which MS it is taken for, where many NSEs have
cells in one routeing area, or many MSs have one TLLI. Work is counted in steps of Lua, not in time."""

import math

from world import HEAD, World, case, main, ms, nsvc, right, same

FEW, MANY = 8, 320
FIRST = 0xC0000000
UNKNOWN = 0xD0000000

# A frame of the MS in the first NSE's cell: what comes of it, and the steps that it took.
ASK = """
local network, roam, wire = require('sluice.core.network'), require('sluice.ms.roam'), require('wire')
local claims, steps = {}, 0
require('sluice.ms.contest').claim = function(ms_id) claims[#claims + 1] = ms_id return false end
function ask(tlli, bvci)
    claims, steps = {}, 0
    local bvc = network.nse[0].bvcs[bvci]
    local llc = wire.llc_u.encode({ sapi = 1, cr = false, pf = false, command = 0, info = '' })
    debug.sethook(function() steps = steps + 1 end, '', 1)
    roam.unknown(network.nse[0], bvc, tlli, llc)
    debug.sethook()
    return table.concat(claims, ' ') .. ' ' .. steps
end
function place(area_of)
    local areas = require('sluice.bssgp.areas')
    for i, nse in pairs(network.nse) do
        for bvci, rac in pairs({ [2] = area_of(i), [3] = 99 }) do
            areas.set(nse.bvcs[bvci], { mcc = 262, mnc = 42, mnc_digits = 2, lac = 7, rac = rac, ci = i })
        end
    end
end
""".replace("\n", " ")


def text(nses, tlli):
    """Each NSE has one MS, in its cell 2; the cells 3 of all are in one area."""
    parts = [HEAD, f"room {{ bvcs = {2 * nses + 1} }}"]
    for i in range(nses):
        one = ms(f"0010100000{i:05}", tlli(i), address=f"10.{i >> 8}.{i & 255}.1", ggsn_teid=0x10000 + i)
        parts.append(f"nse {{ nsei = {101 + i}, {nsvc(101 + i, f'198.51.{101 + (i >> 8)}.{i & 255}')}, bvc {{ bvci = 2, {one} }}, bvc {{ bvci = 3 }} }}")
    return "\n".join(parts)


def asked(nses, tlli, area_of, *tllis, bvci=2):
    """For each TLLI, in that cell of the first NSE: the ids of MSs that the frame claims, and the steps."""
    with World(text(nses, tlli)) as world:
        world.lua(ASK)
        world.lua(f"place(function(i) return {area_of} end)")
        found = []
        for one in tllis:
            *claims, steps = world.lua(f"return ask({one}, {bvci})").split()
            found.append(([int(claim) for claim in claims], int(steps)))
        return found


@case("a TLLI that nobody has, or one other, in an area with many NSEs: as many steps as with few, but for bisections")
def area():
    few, many = (asked(nses, lambda i: FIRST + i, "1", UNKNOWN, FIRST + nses - 1) for nses in (FEW, MANY))
    print(f"# steps: {few} {many}")
    same([claims for claims, _ in few + many], [[], [FEW - 1], [], [MANY - 1]], "claims")
    for (_, one), (_, other) in zip(few, many):
        right(other <= one + 30 * math.log2(MANY / FEW), f"{other} steps with {MANY} NSEs, {one} with {FEW}")


@case("a TLLI that an MS of each NSE has: whose is in the area, nobody's if two are there; bounded if all are many")
def shared():
    same([claims for claims, _ in asked(FEW, lambda i: FIRST, "i // 2", FIRST)], [[1]], "eight MSs in four areas")
    same([claims for claims, _ in asked(FEW, lambda i: FIRST, "i // 3", FIRST)], [[]], "two others are in the area")
    pairs, = asked(MANY, lambda i: FIRST, "i // 2", FIRST)
    same(pairs[0], [1], "of 320 MSs the one in the area")
    few, = asked(FEW, lambda i: FIRST, "1", FIRST, bvci=3)
    bounded, = asked(MANY, lambda i: FIRST, "1", FIRST, bvci=3)
    print(f"# steps: {pairs[1]} {few[1]} {bounded[1]}")
    same((few[0], bounded[0]), ([], []), "all MSs are in another area")
    right(bounded[1] < few[1] + 30 * math.log2(MANY / FEW), f"{bounded[1]} steps, of few {few[1]}")


main()
