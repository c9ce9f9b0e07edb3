#!/usr/bin/python3
"""MSs that come and go one at a time (subscribers/single.lua): found by id, IMSI and tunnel like those of the
file, with ids of the same room; and each costs the same, whether it is the first or the last of 100 000, in
whatever order. Work is counted in steps of Lua and in items of lists that are moved, not in time."""

from bss import Bss
from world import GGSN, HEAD, MS, S, World, case, main, ms, npdu, nsvc, right, same

TLLI, BSS = 0xC0000001, "198.51.100.2"
ROOM = 200
MANY, SOME = 100_000, 1000

CONFIG = HEAD + f"""
room {{ mss = {ROOM}, pdps = {ROOM} }}
nse {{ nsei = 101, ns = "manual", {nsvc(1, BSS)},
    bvc {{ bvci = 2, {ms("001010000000001", TLLI, count=3)} }}, bvc {{ bvci = 3 }} }}
"""

# A record like the file's, of one MS with these values.
HELP = """
parts, subscribers = require('sluice.config.parts'), require('sluice.subscribers.registry')
ranges, network = require('sluice.subscribers.ranges'), require('sluice.core.network')
local like = subscribers.records[1]
function one(n)
    local m = parts.slice(like.ms, 0, 1)
    m.imsi, m.tlli = ('00101%010d'):format(5000 + n), 0xc1000000 + n
    m.pdp[1].address, m.pdp[1].ggsn_teid = '10.1.0.' .. n % 250, 0x9000 + n
    return m
end
function add(n)
    local m = one(n)
    local pdp = table.remove(m.pdp)
    local record, why = ranges.add_single(like.nse_id, like.bvc_id, m)
    if not record then return why end
    ranges.add_context(record, pdp)
    return record.first_ms_id
end
function remove(n) ranges.remove((subscribers.find(one(n).imsi))) end
""".replace("\n", " ")

# What each call costs: steps of Lua, and items that a list moves.
COST = """
local insert, take_out, moved, steps = table.insert, table.remove, 0, 0
table.insert = function(t, i, v)
    if v == nil then return insert(t, i) end
    moved = moved + #t - i + 1
    return insert(t, i, v)
end
table.remove = function(t, i)
    moved = moved + (i and #t - i or 0)
    return take_out(t, i or #t)
end
local function hook() steps = steps + 1 end
function cost(fn, ...)
    steps, moved = 0, 0
    debug.sethook(hook, '', 1)
    fn(...)
    debug.sethook()
    return steps + moved
end
function costs(fn, n, order)
    local first, last, most = 0, 0, 0
    for i = 0, n - 1 do
        local c = cost(fn, order(i))
        most = math.max(most, c)
        if i < SOME then first = first + c elseif i >= n - SOME then last = last + c end
    end
    return first .. ' ' .. last .. ' ' .. most
end
""".replace("SOME", str(SOME)).replace("\n", " ")

STORE = """
local subscribers = require('sluice.subscribers.registry')
local function record(i)
    return { is_single = true, count = 1, first_ms_id = i * 7919 % MANY,
        ms = { imsi = ('00101%010d'):format(i * 104729 % 10000019), pdp = { { ggsn_teid = 0x10000 + i } } } }
end
records = {}
for i = 0, MANY - 1 do records[i] = record(i) end
function scrambled(i) return records[i * 50021 % MANY] end
function in_order(i) return records[i] end
""".replace("MANY", str(MANY)).replace("\n", " ")


@case("of 100 000 each costs the same to add, to find and to remove, in whatever order")
def steps():
    with World(CONFIG) as world:
        world.lua(COST)
        world.lua(STORE)
        world.lua("subscribers = require('sluice.subscribers.registry') find = function(r) "
                  "assert(subscribers.find(r.ms.imsi) == r and subscribers.of(r.first_ms_id) == r) end")
        for what, fn, order in (("add", "subscribers.insert", "in_order"), ("find", "find", "scrambled"),
                                ("remove", "subscribers.erase", "scrambled")):
            first, last, most = map(int, world.lua(f"return costs({fn}, {MANY}, {order})").split())
            print(f"# {what}: {first / SOME:.0f} steps for each of the first {SOME}, {last / SOME:.0f} of the last, "
                  f"{most} at most")
            right(last <= 1.2 * first, f"{what}: {last} steps for the last {SOME}, {first} for the first")
            right(most <= 1000, f"{what}: {most} steps for one")
        same(world.lua("return #require('sluice.subscribers.single').records"), "0", "that are left")


@case("100 000 ids that came back in any order go to the ranges for a cost that grows with their number")
def pour():
    with World(CONFIG) as world:
        world.lua(COST)
        world.lua("pool = require('sluice.subscribers.single').ids(require('sluice.base.blocks').new(MANY)) "
                  "for i = 1, MANY do pool:take() end "
                  "for i = 0, MANY - 1 do local id = i * 50021 % MANY if id % 3 > 0 then pool:give(id) end end"
                  .replace("MANY", str(MANY)))
        steps = int(world.lua("return cost(pool.pour, pool)"))
        print(f"# {steps / MANY:.0f} steps for each")
        right(steps <= 300 * MANY, f"{steps} steps")
        same(world.lua("return pool.blocks.left .. ' ' .. #pool .. ' ' .. #pool.blocks"),
             f"{MANY * 2 // 3} 0 {MANY // 3}", "ids, and intervals of two")


@case("the same with its commands, for as many as there is room for")
def with_commands():
    with World(CONFIG.replace(f"mss = {ROOM}, pdps = {ROOM}", "mss = 3003, pdps = 3003")) as world:
        world.lua(COST)
        world.lua(HELP)
        world.lua("batch = 0 function go(n) (batch == 0 and add or remove)(n) end")
        found = []
        for batch in (0, 1):
            world.lua(f"batch = {batch}")
            sums = []
            for start in range(0, 3000, 250):
                sums.append(int(world.lua(f"local sum = 0 for n = {start}, {start} + 249 do "
                                          "sum = sum + cost(go, n * 1009 % 3000) end return sum")))
                world.run(0)
            found.append(sums)
            right(sums[-1] <= 1.2 * sums[0], f"{sums}")
        print(f"# steps of 250 each: added {found[0]}, removed {found[1]}")
        same(world.lua("return ranges.left('mss') .. ' ' .. ranges.left('pdps')"), "3000 3000", "places")


@case("it is an MS like any other: found by its names, heard and sent to; and then it is not")
def alive():
    with World(CONFIG) as world:
        bss = Bss(world, 101, [(1, BSS)], {2: 80000, 3: 80000})
        bss.nsvcs[0].blocked = False
        bss.flow(2)
        world.lua(HELP)
        ids = [int(world.lua(f"return add({n})")) for n in (7, 3, 9)]
        world.run(0)
        same(len(set(ids)), 3, "ids")
        for ms_id, n in zip(ids, (7, 3, 9)):
            imsi = f"00101{5000 + n:010}"
            same(world.lua(f"return subscribers.imsi({ms_id}) .. ' ' .. subscribers.by_imsi('{imsi}')"),
                 f"{imsi} {ms_id}", "its IMSI and id")
            bss.dl.clear()
            world.down(world.teid(0xC1000000 + n), npdu(f"10.1.0.{n}"))
            bss.uplink(2, 0xC1000000 + n, npdu("203.0.113.9", source=f"10.1.0.{n}"))
            world.run(MS)
            same([record.pdu.sdu["v_tlli"] for record in bss.dl], [0xC1000000 + n], "to whom an N-PDU goes")
            same(world.npdus_up()[-1][1], 0x9000 + n, "the tunnel of its uplink")
        same(world.lua("return subscribers.imsi(subscribers.by_imsi('001010000000002'))"), "001010000000002",
             "one of the file's")
        done, answer = world.reload(CONFIG)
        same((done, answer), (True, "no changes"), "a reload")
        world.lua("remove(3)")
        world.run(0)
        same(world.lua(f"return tostring(subscribers.of({ids[1]})) .. tostring(subscribers.find('001010000005003'))"),
             "nilnil", "what is found of it")
        same([t.tlli for t in world.tunnels() if t.tlli >> 24 == 0xC1], [0xC1000007, 0xC1000009], "tunnels")
        same(world.lua("return add(3)"), str(ids[1]), "the id of one that comes then")
        world.run(S)


@case("without room, or with an IMSI that another has, none is added; a range gets the ids that were given back")
def room():
    with World(CONFIG) as world:
        world.lua(HELP)
        same(world.lua("local m = one(1) m.imsi = '001010000000002' "
                       "return select(2, ranges.add_single(0, subscribers.records[1].bvc_id, m))"), "imsi", "a range's")
        for start in range(0, ROOM - 3, 50):
            world.lua(f"for n = {start}, math.min({start} + 49, {ROOM - 4}) do assert(math.type(add(n))) end")
            world.run(0)
        same(world.lua("return add(999) .. ' ' .. ranges.left('mss')"), "room 0", "one more")
        same(world.lua("remove(5) return add(6)"), "imsi", "a single one's")
        for start in range(0, ROOM - 3, 50):
            world.lua(f"for n = {start}, math.min({start} + 49, {ROOM - 4}) do if n ~= 5 then remove(n) end end")
            world.run(0)
        same(world.lua("return ranges.left('mss') .. ' ' .. ranges.left('pdps')"), f"{ROOM - 3} {ROOM - 3}", "places")
        more = ms("001010000000900", 0xC2000000, count=ROOM - 3, address="10.2.0.0", ggsn_teid=0x20000)
        done, answer = world.reload(CONFIG.replace("bvc { bvci = 3 }", f"bvc {{ bvci = 3, {more} }}"))
        right(done, answer)
        same(world.lua("return add(1) .. ' ' .. #subscribers.records"), "room 2", "records: one for the whole range")
        right(len(world.tunnels()) == ROOM and GGSN, "tunnels")


@case("a context that comes and goes")
def contexts():
    with World(CONFIG) as world:
        world.lua(HELP)
        world.lua("add(1) function change(pdps) local r = subscribers.find(one(1).imsi) "
                  "if pdps == 0 then ranges.remove_context(r, 1) else ranges.add_context(r, one(1).pdp[1]) end end")
        world.run(0)
        for _ in range(3):
            for pdps in (0, 1):
                world.lua(f"change({pdps})")
                world.run(0)
                same(len([t for t in world.tunnels() if t.tlli == 0xC1000001]), pdps, "its tunnels")
                same(world.lua("return ranges.left('pdps')"), str(ROOM - 3 - pdps), "places")


main()
