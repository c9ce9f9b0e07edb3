-- DEACTIVATE PDP CONTEXT (TS 24.008 6.1.3.4): by the phone, and by us, when the GGSN has ended the context, does not
-- answer any more or has restarted, or the operator wants it. Either way the context leaves the dataplane first, then
-- the GGSN hears of it, then the phone.
--
-- A GGSN that restarts ends the contexts of all its phones. They leave the dataplane as soon as control can do it
-- (gtpc/contexts.lua), and the phones are told one by one, AT_ONCE_NS apart, or the cells' buckets and the GGSN, which
-- all come back to, would be flooded.
local causes = require "sluice.sm.causes"
local contexts = require "sluice.sm.contexts"
local count = require "count"
local frames = require "sluice.gmm.frames"
local gtpc = require "sluice.gtpc.contexts"
local procedure = require "sluice.phones.procedure"
local requests = require "sluice.core.requests"
local store = require "sluice.phones.store"
local timers = require "sluice.core.timers"
local tunnels = require "sluice.subscribers.tunnels"

local deactivate = {}

local SM = causes.sm
local AT_ONCE_NS = 20 * 1000000

-- ---- By us ----

local function ended(run)
    procedure.finish(run)
    if run.phone.contexts[run.context.nsapi] == run.context then
        run.phone.contexts[run.context.nsapi] = nil
    end
end

local deactivation = {
    name = "DEACTIVATE PDP CONTEXT",
    states = {
        ask = {
            message = function(run)
                return frames.encode("sm_deactivate_request", {
                    ti = contexts.other_ti(run.context.ti), cause = run.cause,
                })
            end,
            timer = "t3395", got = { sm_deactivate_accept = ended }, over = ended,
        },
    },
}

-- Ends the context and tells the phone.
local function begin(phone, context, cause)
    contexts.release(phone, context)
    context.state, context.accept = "deactivating", nil
    count.add "contexts_ended"
    local run = procedure.begin(deactivation, phone, contexts.place(context.nsapi))
    run.context, run.cause = context, cause
    procedure.enter(run, "ask")
end

-- ---- The GGSN has ended it ----

-- Those whose phones are to be told, in their order: from first to last { phone, context, cause }.
local waiting, first, last, timer = {}, 1, 0, nil

local function tell_one()
    local one = waiting[first]
    waiting[first], first, timer = nil, first + 1, nil
    if first <= last then
        timer = timers.after(AT_ONCE_NS, tell_one)
    end
    if one.phone.contexts[one.context.nsapi] == one.context then
        begin(one.phone, one.context, one.cause)
    end
end

-- By why gtpc tells.
local CAUSES = { deleted = SM.regular, restarted = SM.reactivate, down = SM.reactivate, unknown = SM.reactivate }

gtpc.watch("ended", function(tunnel, why)
    local phone = store.by_imsi(tunnel.imsi)
    local context = phone and phone.contexts[tunnel.nsapi]
    if not context or context.tunnel ~= tunnel then
        return
    end
    contexts.release(phone, context)
    context.state, context.accept = "deactivating", nil
    last = last + 1
    waiting[last] = { phone = phone, context = context, cause = CAUSES[why] }
    if not timer then
        timer = timers.after(first == last and 0 or AT_ONCE_NS, tell_one)
    end
end)

-- An error indication for a phone's uplink: its GGSN may have started again, and GTP-C has not told yet.
tunnels.on_lost(function(teid)
    local tunnel = teid and gtpc.of_teid(teid)
    local is_there = tunnel and tunnel.state == "there"
    if is_there then
        gtpc.ask_for(tunnel)
    end
    return is_there
end)

-- ---- By the phone ----

-- A request again after its ACCEPT was lost, although the context is gone: the ACCEPT again. phone.deactivated: by TI
-- without its flag, the octets of the last request.
local function take_again(phone, pdu, octets)
    local before = phone.deactivated
    return before and before[pdu.ti & contexts.TI_RESERVED] == octets
end

local function accept(phone, ti)
    contexts.send(phone, "sm_deactivate_accept", { ti = contexts.other_ti(ti) })
    return "handled"
end

function deactivate.take(phone, pdu, octets)
    local context = contexts.of_ti(phone, pdu.ti)
    if not context then
        return take_again(phone, pdu, octets) and accept(phone, pdu.ti) or nil
    end
    phone.deactivated = phone.deactivated or {}
    phone.deactivated[pdu.ti & contexts.TI_RESERVED] = octets
    count.add "contexts_ended"
    contexts.drop(phone, context)
    return accept(phone, pdu.ti)
end

-- An answer to ours; one that comes again, or when both have asked, says nothing.
function deactivate.accepted(phone, pdu)
    local context = contexts.of_ti(phone, pdu.ti)
    local run = context and procedure.of(phone, contexts.place(context.nsapi))
    return run and procedure.got(run, "sm_deactivate_accept", pdu) or "ignored"
end

-- A request of that TI is a new one from now on.
function deactivate.forget(phone, ti)
    if phone.deactivated then
        phone.deactivated[ti & contexts.TI_RESERVED] = nil
    end
end

-- ---- By the operator ----

local function by_operator(asked)
    local phone = store.by_imsi(asked.imsi)
    local context = phone and phone.contexts[asked.nsapi]
    if context and context.state ~= "deactivating" then
        begin(phone, context, SM.regular)
    end
end

-- A job may be suspended, so a timer of 0 begins.
requests.on("deactivate", function(words)
    local nsapi = math.tointeger(tonumber(words[3] or ""))
    local phone = store.by_imsi(words[2] or "")
    if not (phone and nsapi and phone.contexts[nsapi]) then
        return false, "no such context; " .. requests.usage "deactivate"
    end
    timers.after(0, by_operator, { imsi = words[2], nsapi = nsapi })
    return true, "the phone is told"
end)

return deactivate
