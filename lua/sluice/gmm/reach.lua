-- The mobile reachable timer and the implicit detach (TS 24.008 4.7.2.2): a phone that has said nothing for the READY
-- time, T3312 and twice four minutes more is detached here, and not told. The worker knows when it was last heard, so
-- a frame starts no timer: one timer a phone looks whether it has been silent that long, and if not, when it will be.
-- What the worker knows is in which tick that was; the time runs from the end of that, so that no phone goes early.
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"
local place = require "sluice.gmm.place"
local store = require "sluice.phones.store"
local timers = require "sluice.core.timers"

local reach = {}

local MORE_NS = 2 * 4 * 60 * 1000000000
local TICK_NS = 1 << 24 -- of dp.ms_silence

-- nil: phones need not say that they are there.
local function limit_ns()
    local t3312_ns = network.cfg.attach.t3312_ns
    return t3312_ns > 0 and network.cfg.gb.ready_ns + t3312_ns + MORE_NS or nil
end

-- Since when it has been silent.
local function silent_from_ns(phone)
    local tick_ns = clock.now_ns // TICK_NS * TICK_NS - dp.ms_silence(phone.ms_id)
    return math.max(tick_ns + TICK_NS, phone.heard_ns)
end

local function look(phone)
    local limit = limit_ns()
    local silent_ns = clock.now_ns - silent_from_ns(phone)
    phone.reach_timer = nil
    if limit and silent_ns >= limit then
        count.add "detaches_implicit"
        log.info(("IMSI %s: detached, as it has said nothing for %d s"):format(phone.imsi, silent_ns // 1000000000))
        place.give(phone)
    elseif limit then
        phone.reach_timer = timers.after(limit - silent_ns, look, phone)
    end
end

-- The phone is attached, from now on.
function reach.watch(phone)
    phone.heard_ns = clock.now_ns
    timers.stop(phone.reach_timer)
    look(phone)
end

store.watch("removed", function(phone)
    timers.stop(phone.reach_timer)
    phone.reach_timer = nil
end)

return reach
