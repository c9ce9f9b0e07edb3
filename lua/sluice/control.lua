-- The control plane's loop, as one coroutine that control/bind resumes: it brings the configuration up;
-- then each round handles the workers' events, expired timers, a request, and a piece of a job. An
-- error in a handler is logged with its PDU and costs that PDU only.
local capture = require "sluice.core.capture"
local clock = require "sluice.core.clock"
local count = require "count"
local events = require "events"
local gmm = require "sluice.gmm.begin"
local gtpc = require "sluice.gtpc.datagrams"
local hex = require "sluice.base.hex"
local hints = require "sluice.core.hints"
local log = require "log"
local ns = require "sluice.ns.service"
local paging = require "sluice.ms.paging"
local policy = require "sluice.policy.hooks"
local requests = require "sluice.core.requests"
local roam = require "sluice.ms.roam"
local start = require "sluice.start"
local timers = require "sluice.core.timers"
local tunnels = require "sluice.subscribers.tunnels"
local jobs = require "sluice.core.jobs"
local network = require "sluice.core.network"

require "sluice.reload.run" -- these modules only register handlers
require "sluice.gtpc.messages"
require "sluice.llc.frames"
require "sluice.sm.messages"
require "sluice.bssgp.pfc"
require "sluice.ms.reports"

local control = {}

-- The most of each kind in a round; and one piece of one job.
local EVENTS_A_ROUND, TIMERS_A_ROUND = 64, 64

-- The handler of each event; returns the outcome "handled", "refused" or "ignored".
local handlers = {}

function handlers.ns(_, nsvc_id, _, ms_id, pdu)
    local nsvc = network.nsvc[nsvc_id]
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
    local nsvc = network.nsvc[nsvc_id]
    return nsvc and ns.neighbour(nsvc, true) or "ignored"
end

function handlers.neighbour_answers(_, nsvc_id)
    local nsvc = network.nsvc[nsvc_id]
    return nsvc and ns.neighbour(nsvc, false) or "ignored"
end

function handlers.moved(_, _, bvc_id, ms_id, _, old_bvc_id)
    return ms_id and roam.moved(ms_id, old_bvc_id, bvc_id) or "ignored"
end

function handlers.heard(_, _, _, ms_id)
    return ms_id and roam.heard(ms_id) or "ignored"
end

function handlers.proven(_, _, _, ms_id, _, bvc_id)
    return ms_id and bvc_id and roam.proven(ms_id, bvc_id) or "ignored"
end

function handlers.unproven(_, _, _, ms_id, _, bvc_id)
    return ms_id and bvc_id and roam.unproven(ms_id, bvc_id) or "ignored"
end

function handlers.page(_, _, _, ms_id)
    return ms_id and paging.wanted(ms_id) or "ignored"
end

function handlers.bvc_kept(_, _, bvc_id)
    return bvc_id and network.bvc_kept(bvc_id) or "ignored"
end

function handlers.error_indication(_, _, _, _, _, address, _, teid)
    return tunnels.error_indication(address, teid)
end

function handlers.tunnel(_, _, _, _, _, address, _, teid)
    return tunnels.tunnel(address, teid)
end

function handlers.gtpc(_, _, _, _, pdu, address, port)
    return gtpc.input(address, port, pdu)
end

function handlers.gtpc_stranger(_, _, _, _, _, address, port)
    hints.gtpc_stranger(address, port)
    return "ignored"
end

-- The PDU of the event, for the log.
local current = ""

local function fault(message)
    log.error(("internal error in a handler: %s; PDU %s"):format(
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

-- Returns the number of events taken.
local function take_events()
    events.round()
    for taken = 0, EVENTS_A_ROUND - 1 do
        if not take(events.take()) then
            return taken
        end
    end
    return EVENTS_A_ROUND
end

-- Runs work that is no event and has no outcome.
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

-- Returns the time of the next call: now if workers may have got commands, so that in virtual time the
-- engine polls the workers again.
local function round()
    local more = take_events() + fire_timers() > 0
    requests.poll()
    if jobs.next_ns() <= clock.now_ns then
        jobs.work()
        more = true
    end
    return more and clock.now_ns or math.max(math.min(timers.next_ns, jobs.next_ns()), clock.now_ns)
end

-- The garbage collector's parameters. One step of the collector, during which no PDU is answered,
-- covers half of 70 MiB at Lua's default pace of 100, up to 23 MiB at 4, and 3 to 8 MiB at the least
-- pace, which takes a third more memory until a cycle ends.
local PAUSE_PERCENT, PACE, STEP_LOG2 = 200, 1, 12

function control.main(cfg)
    collectgarbage("incremental", PAUSE_PERCENT, PACE, STEP_LOG2)
    log.level(cfg.log.level)
    start(cfg)
    if cfg.gb.capture then
        capture.start()
    end
    ns.begin()
    gmm()
    guarded(policy.begin)
    while true do
        coroutine.yield(round())
    end
end

return control
