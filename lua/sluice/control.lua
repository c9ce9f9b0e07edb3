-- The control plane's loop, as one coroutine that the host resumes: it brings the configuration up;
-- then, each time, what workers have told, timers that are due, what somebody asks, and a piece of a
-- long job. A fault in a handler is logged with its PDU and costs that PDU only.
local capture = require "sluice.core.capture"
local clock = require "sluice.core.clock"
local count = require "count"
local events = require "events"
local hex = require "sluice.base.hex"
local log = require "log"
local ns = require "sluice.ns.service"
local paging = require "sluice.ms.paging"
local policy = require "sluice.policy.hooks"
local requests = require "sluice.core.requests"
local roam = require "sluice.ms.roam"
local start = require "sluice.start"
local timers = require "sluice.core.timers"
local tunnels = require "sluice.subscribers.tunnels"
local world = require "sluice.core.world"

require "sluice.reload.run" -- these have only what others call, or ask for
require "sluice.llc.frames"
require "sluice.bssgp.pfc"
require "sluice.ms.reports"

local control = {}

-- Of each kind of work; and a piece of one job.
local EVENTS_A_ROUND, TIMERS_A_ROUND = 64, 64

-- What each event is for. All end in one of the outcomes "handled", "refused" and "ignored".
local handlers = {}

function handlers.ns(_, nsvc_id, _, ms_id, pdu)
    local nsvc = world.nsvc[nsvc_id]
    if not nsvc then
        return "ignored"
    end
    if capture.running then
        capture.received(nsvc.address, nsvc.port, pdu)
    end
    return ns.input(nsvc, pdu, ms_id)
end

function handlers.stranger(_, _, _, _, pdu, address, port)
    if capture.running then
        capture.received(address, port, pdu)
    end
    return ns.stranger(pdu, address, port)
end

function handlers.unreachable(_, _, _, _, _, address, port)
    return ns.unreachable(address, port)
end

function handlers.unlisted(_, _, _, _, kind, address, port)
    return ns.unlisted(kind, address, port)
end

function handlers.neighbour_silent(_, nsvc_id)
    local nsvc = world.nsvc[nsvc_id]
    return nsvc and ns.neighbour(nsvc, true) or "ignored"
end

function handlers.neighbour_answers(_, nsvc_id)
    local nsvc = world.nsvc[nsvc_id]
    return nsvc and ns.neighbour(nsvc, false) or "ignored"
end

function handlers.moved(_, _, bvc_id, ms_id, _, old_bvc_id)
    return ms_id and roam.moved(ms_id, old_bvc_id, bvc_id) or "ignored"
end

function handlers.heard(_, _, _, ms_id)
    return ms_id and roam.heard(ms_id) or "ignored"
end

function handlers.page(_, _, _, ms_id)
    return ms_id and paging.wanted(ms_id) or "ignored"
end

function handlers.bvc_kept(_, _, bvc_id)
    return bvc_id and world.bvc_kept(bvc_id) or "ignored"
end

function handlers.error_indication(_, _, _, _, _, address, _, teid)
    return tunnels.error_indication(address, teid)
end

-- The PDU of the event, for the log.
local current = ""

local function fault(message)
    log.error(("a handler failed: %s; PDU %s"):format(
        debug.traceback(tostring(message), 2), hex.digits(current:sub(1, 64))))
    return "fault"
end

local function take(kind, nse_id, nsvc_id, bvc_id, ms_id, pdu, ...)
    if not kind then
        return false
    end
    current = pdu
    local _, outcome = xpcall(handlers[kind], fault, nse_id, nsvc_id, bvc_id, ms_id, pdu, ...)
    count.add(outcome)
    return true
end

-- How many.
local function take_events()
    events.round()
    for taken = 0, EVENTS_A_ROUND - 1 do
        if not take(events.take()) then
            return taken
        end
    end
    return EVENTS_A_ROUND
end

-- What is no event, and has no outcome.
local function guarded(fn, ...)
    if not xpcall(fn, fault, ...) then
        count.add("other_faults")
    end
end

local function fire_timers()
    for fired = 0, TIMERS_A_ROUND - 1 do
        local fire, argument = timers.due()
        if not fire then
            return fired
        end
        current = ""
        guarded(fire, argument)
    end
    return TIMERS_A_ROUND
end

-- Returns when it wants to be called again: now, if workers may have got commands, which in virtual
-- time are called until nobody has work.
local function round()
    local more = take_events() + fire_timers() > 0
    requests.poll()
    if world.busy() then
        world.work()
        more = true
    end
    return more and clock.now_ns or math.max(timers.next_ns, clock.now_ns)
end

-- What the collector does for what is allocated. At Lua's own pace, 100, it works off half of 70 MiB at
-- once, in which nobody is answered; at 4, up to 23 MiB. At the least there is 3 to 8 MiB, for a third more
-- of memory until it is through.
local PAUSE_PERCENT, PACE, STEP_LOG2 = 200, 1, 12

function control.main(cfg)
    collectgarbage("incremental", PAUSE_PERCENT, PACE, STEP_LOG2)
    log.level(cfg.log.level)
    start(cfg)
    if cfg.gb.capture then
        capture.start()
    end
    ns.begin()
    guarded(policy.begin)
    while true do
        coroutine.yield(round())
    end
end

return control
