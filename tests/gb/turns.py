#!/usr/bin/python3
"""NSEs take turns at control: beside one that floods it, or whose PDUs are much work, another is
answered after a stated number of events and of pieces of work. So are an NSE's own PDUs beside those of
its phones. Nothing here is measured in real time.

FLOOD_S=N: the phones' flood takes N seconds of virtual time in place of 9."""

import os

import codec
from world import HEAD, MS, S, World, case, main, ms, nsvc, right, same

LOUD, QUIET = 101, 102
PEERS = {LOUD: "198.51.100.101", QUIET: "198.51.100.102"}
CELLS, RESETS = 10000, 500
A_TURN = 16      # events of one NSE, or of all strangers, in a round of control's
A_PIECE = 128    # cells of a job
AT_ONCE = 16     # cells of an event that needs no job
BVCI = 2
RESET_ACK, FLOW_ACK = "bssgp_bvc_reset_ack", "bssgp_flow_control_bvc_ack"

# Control gets nothing before it is let; then who is handled is noted, and how many cells of LOUD have
# been reset before QUIET is answered.
WATCH = """
local events, dp, world = require('events'), require('dp'), require('sluice.core.network')
local take, reset, send = events.take, dp.bvc_reset, dp.send
held, others, cells, before, first = true, 0, 0, nil, nil
local function note(kind, nse_id, ...)
    if kind and nse_id == world.nse_of_nsei[102].id then before = before or others
    elseif kind then others = others + 1 end
    return kind, nse_id, ...
end
events.take = function() if not held then return note(take()) end end
dp.bvc_reset = function(...) cells = cells + 1 return reset(...) end
dp.send = function(c)
    if world.nsvc[c.nsvc_id].nse.nsei == 102 then first = first or cells end
    return send(c)
end
""".replace("\n", " ")

# Texts of 1 KiB, each in the place of an older one, and each one allocation: the collector may take a
# step at each. The most that it frees at once, and the most memory that is taken, in KiB.
REPLACE = """
local texts, most, peak = {}, 0, 0
for i = 1, LIVE do texts[i] = ('x'):rep(1000) end
collectgarbage()
local full = collectgarbage('count')
for i = 1, 4 * LIVE do
    local before = collectgarbage('count')
    texts[i % LIVE + 1] = ('x'):rep(1000)
    local after = collectgarbage('count')
    most, peak = math.max(most, before - after), math.max(peak, after)
end
return most .. ' ' .. peak .. ' ' .. full
""".replace("\n", " ")
LIVE = 20000
FREED_AT_ONCE_KIB = 500  # as many texts; with the parameters that Lua has of itself more than half of them


def nse(nsei, more):
    return f'nse {{ nsei = {nsei}, {nsvc(nsei, PEERS[nsei])}, {more} }}\n'


def text(count=CELLS):
    cells = ", ".join(f"bvc {{ bvci = {bvci} }}" for bvci in range(2, 2 + count))
    return (HEAD + f"room {{ bvcs = {CELLS + 100} }}\n" + nse(LOUD, f'ns = "manual", {cells}') +
            nse(QUIET, f'ns = "manual", bvc {{ bvci = {BVCI} }}'))


def frame(world, nsei, on, name, **fields):
    return world.gb_frame(PEERS[nsei], codec.unitdata(on, codec.build(name, **fields)))


def reset(world, bvci=0):
    more = {"features": 0} if bvci == 0 else {"cell": codec.cell(bvci)}
    return frame(world, LOUD, 0, "bssgp_bvc_reset", bvci=bvci, cause=8, **more)


def flow(world, tag):
    return frame(world, QUIET, BVCI, "bssgp_flow_control_bvc", tag=tag, bmax=100, r=100,
                 bmax_default=10, r_default=10)


def stranger(world, i):
    octets = codec.build("ns_reset", cause=1, nsvci=i, nsei=9999)
    return world.gb_frame(f"198.51.100.{120 + i % 100}", octets)


def answers(world, nsei, name):
    found = [codec.parse(d.payload).sdu for d in world.strangers if d.destination == PEERS[nsei]]
    return [pdu for pdu in found if pdu and pdu.name == name]


def flooded(frames):
    """A world in which these have come before control gets any: what it did before it answered."""
    world = World(text())
    world.lua(WATCH)
    world.put_all("gb", frames(world))
    world.run(0)
    world.lua("held = false")
    world.run(S)
    same(len(answers(world, QUIET, FLOW_ACK)), 1, "answers to FLOW-CONTROL-BVC")
    before = world.lua("return before .. ' ' .. first")
    return world, *map(int, before.split())


@case("500 resets of BVCI 0 of 10 000 cells, and behind them another NSE's flow control")
def resets():
    world, before, cells = flooded(lambda world: [reset(world)] * RESETS + [flow(world, 1)])
    with world:
        right(before <= A_TURN, f"{before} events of the other NSE were handled before")
        right(cells <= A_PIECE, f"{cells} of its cells were reset before")
        same(len(answers(world, LOUD, RESET_ACK)), RESETS, "acknowledgements")
        worth = int(world.lua("return cells"))
        same(worth, CELLS, "cells that were reset: once each, for they have not come up since")


@case("strangers that flood, and another NSE's flow control behind them")
def strangers():
    world, before, _ = flooded(lambda world: [stranger(world, i) for i in range(900)] +
                               [flow(world, 1)])
    with world:
        right(before <= A_TURN, f"{before} events of strangers were handled before")


@case("both at once")
def both():
    world, before, cells = flooded(lambda world: [
        one for i in range(450) for one in (reset(world), stranger(world, i))] + [flow(world, 1)])
    with world:
        right(before <= 2 * 2 * A_TURN, f"{before} events of others were handled before")
        right(cells <= A_PIECE, f"{cells} cells were reset before")


@case("cells that a BSS resets right behind BVCI 0 are up, and all others down, when it is acknowledged")
def order():
    with World(text()) as world:
        ups = (2, 5000, 10001)
        world.put_all("gb", [reset(world)] + [reset(world, bvci) for bvci in ups])
        world.run(0)
        acknowledged = [pdu["bvci"] for pdu in answers(world, LOUD, RESET_ACK)]
        same(sorted(acknowledged), [0, *ups], "acknowledgements")
        found = world.lua("local t = {} for _, b in ipairs(require('sluice.core.network').nse_of_nsei[101]"
                          ".bvc_list) do if b.state ~= 'down' then t[#t + 1] = b.bvci end end "
                          "table.sort(t) return table.concat(t, ' ')")
        same(found, " ".join(map(str, ups)), "cells that are not down")


@case("few cells are reset at once: the answers have the order of the PDUs", AT_ONCE,
      [RESET_ACK, FLOW_ACK])
@case("one more is too much work for one event: the other NSE's PDU behind it is answered before",
      AT_ONCE + 1, [FLOW_ACK, RESET_ACK])
def small(count, right_order):
    with World(text(count)) as world:
        world.put_all("gb", [reset(world), flow(world, 1)])
        world.run(0)
        sdus = [codec.parse(d.payload).sdu for d in world.strangers]
        same([pdu.name for pdu in sdus if pdu and pdu.name in right_order], right_order, "answers")


@case("the collector of Lua's memory rests until about twice as much is taken as is used; then, of 20 000 "
      "texts, a PDU waits for a few hundred")
def collector():
    with World(text(1)) as world:
        most, peak, full = map(float, world.lua(REPLACE.replace("LIVE", str(LIVE))).split())
        print(f"# freed at once: {most:.0f} KiB; {peak / full:.2f} times as much is taken as is used")
        right(0 < most <= FREED_AT_ONCE_KIB, f"{most} KiB are freed at once")
        right(1.5 < peak / full < 3, f"{peak} KiB are taken for {full} KiB that are used")


# ---- An NSE and its phones --------------------------------------------------------------------

# Control gets so many events, and no more before it is let again.
BUDGET = """
local events = require('events')
local take = events.take
left = 0
events.take = function() if left > 0 then left = left - 1 return take() end end
""".replace("\n", " ")
TICK = 20 * MS
PHONES, FLOWS, EVENTS = 100, 20, 50  # in a tick: of phones, FLOW-CONTROL-MS, and what control can do
BVC_EVERY = 50  # ticks from one FLOW-CONTROL-BVC to the next
WAIT_MOST = 5 * S  # of phones' PDUs
# Control takes 1500 of phones' 5000 a second, so the oldest waits 5 s after 7.1 s.
TICKS = int(os.environ.get("FLOOD_S", 9)) * S // TICK
TLLI, NOBODY = 0xC0000000, 0xC1000000


class Phones:
    """NSE 102, whose phones send UL-UNITDATA for control, 5000 a second, beside its own flow control;
    control has time for 2500 events a second."""

    def __init__(self):
        some = ms("001020000000000", TLLI, count=FLOWS)
        self.world = World(HEAD + nse(QUIET, f'ns = "manual", bvc {{ bvci = {BVCI}, {some} }}'))
        self.asked, self.took, self.sent = {}, [], 0
        self.world.attach(PEERS[QUIET], 23000, self.take)

    def take(self, datagram):
        pdu = codec.parse(datagram.payload).sdu
        if pdu.name.endswith("_ack"):
            asked_ns = self.asked.pop((pdu.name, pdu["tag"], pdu["tlli"]))
            self.took.append(self.world.now_ns - asked_ns)

    def ask(self, name, tag, **fields):
        key = (f"{name}_ack", tag, fields.get("tlli"))
        right(key not in self.asked, f"{key} is unanswered since {self.asked.get(key)} ns")
        self.asked[key] = self.world.now_ns
        return frame(self.world, QUIET, BVCI, name, tag=tag, r=100, **fields)

    def tick(self, n):
        world = self.world
        frames = [self.phone() for _ in range(PHONES)]
        for i in range(FLOWS):
            own = self.ask("bssgp_flow_control_ms", n % 256, tlli=TLLI + i, ms_bmax=100)
            frames.insert(i * PHONES // FLOWS, own)
        if n % BVC_EVERY == 0:
            frames.append(self.ask("bssgp_flow_control_bvc", n // BVC_EVERY, bmax=100,
                                   bmax_default=10, r_default=10))
        world.put_all("gb", frames)
        world.run(0)
        world.lua(f"left = {EVENTS}")
        world.run(TICK)

    def phone(self):
        self.sent += 1
        octets = codec.ul_unitdata(NOBODY + self.sent, codec.llc_ui(1, 0, b"\x08\x01"), codec.cell(BVCI))
        return self.world.gb_frame(PEERS[QUIET], codec.unitdata(BVCI, octets))


@case("an NSE's phones flood control: its flow control is answered within 100 ms, and only what phones "
      "sent is shed, when it has waited 5 s")
def phones():
    flood = Phones()
    with flood.world as world:
        world.lua(BUDGET)
        for n in range(TICKS):
            flood.tick(n)
            late, = world.counted("shed_late")
            right(late == 0 or n * TICK >= WAIT_MOST, f"{late} are late after {n * TICK // MS} ms")
        right(late > 5000, f"{late} are late at the end")
        same((flood.asked, len(flood.took)), ({}, TICKS * FLOWS + -(-TICKS // BVC_EVERY)), "answers")
        right(max(flood.took) <= 100 * MS, f"an answer came after {max(flood.took)} ns")
        world.lua("left = 10^6")
        world.run(S)
        ignored, shed, late = world.counted("ignored", "shed", "shed_late")
        print(f"# {len(flood.took)} answers, after {max(flood.took) // MS} ms at most; of {flood.sent} PDUs of phones "
              f"{late} shed when late, {shed} for room")
        same((shed, ignored + late), (0, flood.sent), "shed for room; phones' PDUs, taken or late")


def brought(world, nsei):
    """NS-VCs and cells of an NSE that are not in the file."""
    return world.lua(f"local nse = require('sluice.core.network').nse_of_nsei[{nsei}] local n = 0 "
                     "for _, nsvc in ipairs(nse.nsvcs) do n = n + (nsvc.cfg and 0 or 1) end "
                     "return n .. ' ' .. nse.made")


@case("an NSE that brings all the NS-VCs and cells that it can leaves another its own", "", "4 4")
@case("the same with places by hand", "cells_most = 3, nsvcs_most = 2,", "2 3")
def rooms(more, most):
    any_nse = f'dynamic = true, cells = "any", {more} bvc {{ bvci = {BVCI} }}'
    config = HEAD + "room { nsvcs = 10, bvcs = 10 }\n" + nse(LOUD, any_nse) + nse(QUIET, any_nse)
    with World(config) as world:
        for nsei in (LOUD, QUIET):
            for i in range(16):
                octets = codec.build("ns_reset", cause=1, nsvci=1000 * nsei % 60000 + i, nsei=nsei)
                world.gb(f"198.51.100.{(nsei - 100) * 20 + i}", octets)
                world.run(100 * MS)  # a worker takes so many of strangers
            world.lua(f"local nse = require('sluice.core.network').nse_of_nsei[{nsei}] "
                      "for bvci = 10, 30 do require('sluice.bssgp.pdus').input(nse, nse.nsvcs[1], 0, "
                      "require('wire').bssgp_bvc_reset.encode { bvci = bvci, cause = 8, cell = "
                      "{ mcc = 262, mnc = 42, mnc_digits = 2, lac = 1, rac = 1, ci = bvci } }, 1) end")
            same(brought(world, nsei), most, f"NS-VCs and cells that NSE {nsei} has brought")


@case("a job that another one starts is done, whether that one goes on or is over")
def started_by_jobs():
    with World(HEAD + nse(LOUD, f"bvc {{ bvci = {BVCI} }}")) as world:
        world.lua("local jobs = require('sluice.core.jobs') said = '' "
                  "local function say(what) jobs.start(function() said = said .. what end, function() end) end "
                  "jobs.start(function() say('1') jobs.breathe() say('2') end, function() say('3') end)")
        world.ctl("help")
        world.run(S)
        same(world.lua("return said"), "123", "jobs done")


main()
