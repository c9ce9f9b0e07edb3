#!/usr/bin/python3
"""Reloads of tens of thousands of cells, and of MSs: what they cost grows as the file does, and they
are made in pieces so small that others get their turn. Work is counted in steps of Lua, not in time."""

from world import HEAD, S, World, case, main, nsvc, right

PLACES = 41000

# Steps of all that runs as a job, and of the longest piece of one; but for the file's own text, which
# has a limit on steps of its own, and stops at a constructor.
COUNT = """
local jobs, resume = require('sluice.core.jobs'), coroutine.resume
local work = jobs.work
local function count() steps, piece = steps + 100, piece + 100 end
steps, longest, piece, freed_kib = 0, 0, 0, 0
coroutine.resume = function(task, ...)
    if not debug.gethook(task) then debug.sethook(task, count, '', 100) end
    return resume(task, ...)
end
jobs.work = function()
    local before_kib = collectgarbage('count')
    piece = 0
    work()
    longest = math.max(longest, piece)
    freed_kib = math.max(freed_kib, (before_kib - collectgarbage('count')) // 1)
end
""".replace("\n", " ")

# 128 cells are the most that is done at once; each is worth some hundred steps.
STEPS_A_PIECE = 60000
STEPS_A_PIECE_OF_MSS = 300000

# What the collector frees meanwhile is no step of Lua's. At its own pace it is 42 MiB at once, and 3 to 8
# at control's: where in its round a long piece meets it is by chance.
FREED_A_PIECE_MIB = 20


def text(cells, nses=1):
    """Loops, for a file that lists them would be larger than one may be."""
    return HEAD + f"""room {{ bvcs = {PLACES} }}
local function with_cells(t, n)
    for i = 1, n do t[i] = bvc {{ bvci = i + 1 }} end
    return t
end
""" + "".join(f"""nse(with_cells({{ nsei = {nsei}, ns = "manual",
    {nsvc(nsei, f"198.51.100.{nsei}").replace("nsvc", f"[{cells + 1}] = nsvc", 1)} }}, {cells}))
""" for nsei in range(101, 101 + nses))


def costs(small, large):
    """Steps of three reloads, from `small` to `large`, the same again, and back; of the longest piece;
    and the most that was freed in one, in MiB."""
    with World(small) as world:
        world.lua(COUNT)
        found = []
        for config in (large, large, small):
            world.lua("steps = 0")
            done, answer = world.reload(config, within=600 * S)
            right(done, answer)
            found.append(int(world.lua("return steps")))
        return found, int(world.lua("return longest")), float(world.lua("return freed_kib")) / 1024


@case("twice as many cells cost twice as much to add, to keep and to remove", 1)
@case("the same with ten NSEs", 10)
def linear(nses):
    once, *_ = costs(text(16, nses), text(10000 // nses, nses))
    twice, *_ = costs(text(16, nses), text(20000 // nses, nses))
    print(f"# steps: {once} {twice}")
    for what, a, b in zip(("added", "the same", "removed"), once, twice):
        right(b < 2.5 * a, f"{what}: {b} steps for twice as many cells as take {a}")


@case("a reload of 40 000 cells is made in pieces")
def in_pieces():
    found, longest, freed_mib = costs(text(16), text(40000))
    print(f"# steps: {found}, of the longest piece {longest}; freed in one: {freed_mib:.1f} MiB")
    right(longest <= STEPS_A_PIECE,
          f"{longest} steps at once, allowed are {STEPS_A_PIECE}")
    right(freed_mib <= FREED_A_PIECE_MIB,
          f"{freed_mib} MiB are freed at once, allowed are {FREED_A_PIECE_MIB}")


def strewn(mss):
    """So many MSs, each a record of its own, in no order."""
    return HEAD + f"""room {{ mss = 10100, pdps = 10100 }}
local t = {{ bvci = 2 }}
for i = 1, {mss} do
    local k = i * 7919 % 10007
    t[i] = ms {{ imsi = "26242" .. 1000000000 + k, tlli = 0xC0000000 + k, pdp {{
        nsapi = 5, class = "background", address = "10.0." .. k // 250 .. "." .. 1 + k % 250,
        ggsn_teid = 1 + k }} }}
end
nse {{ nsei = 101, ns = "manual", {nsvc(101, "198.51.100.101")}, bvc(t) }}
"""


@case("MSs that are strewn over the file cost as much twice as often, in pieces")
def subscribers():
    once, *_ = costs(strewn(1), strewn(4000))
    twice, longest, _ = costs(strewn(1), strewn(8000))
    print(f"# steps: {once} {twice}, of the longest piece {longest}")
    for what, a, b in zip(("added", "the same", "removed"), once, twice):
        right(b < 2.5 * a, f"{what}: {b} steps for twice as many MSs as take {a}")
    right(longest <= STEPS_A_PIECE_OF_MSS,
          f"{longest} steps at once, allowed are {STEPS_A_PIECE_OF_MSS}")


# The collector goes through all that a loop has made, at once, if its round began before.
MADE = """
local pieces = require('sluice.reload.pieces')
local of = pieces.of
pieces.of = function(cfg)
    collectgarbage('stop')
    local before = collectgarbage('count')
    local list = of(cfg)
    made = (collectgarbage('count') - before) * 1024 // #list
    collectgarbage('restart')
    return list
end
""".replace("\n", " ")
MADE_AN_MS = 1500  # octets; with copies of its records 4000


@case("comparing the MSs of a file with those in force copies none of them")
def copies():
    with World(strewn(8000)) as world:
        world.lua(MADE)
        done, answer = world.reload(strewn(8000), within=600 * S)
        right(done, answer)
        made = float(world.lua("return made"))
    print(f"# {made} octets for each MS")
    right(made <= MADE_AN_MS, f"{made} octets for each MS, allowed are {MADE_AN_MS}")


main()
