-- Messages of SM from attached phones (TS 24.008 clause 8): to whom each goes, and what follows from one that cannot be
-- read, has an unknown TI or asks for what Sluice has not: MODIFY by the phone, and second contexts of an address (32).
local activate = require "sluice.sm.activate"
local causes = require "sluice.sm.causes"
local contexts = require "sluice.sm.contexts"
local count = require "count"
local deactivate = require "sluice.sm.deactivate"
local frames = require "sluice.gmm.frames"
local log = require "log"
local modify = require "sluice.sm.modify"
local refusals = require "sluice.phones.refusals"
local wire = require "wire"

local PD = 10
local SM = causes.sm
local TI_SHIFT = 4

local function status(phone, ti, cause)
    contexts.send(phone, "sm_status", { ti = contexts.other_ti(ti), cause = cause })
    return "refused"
end

local function reject(name, cause)
    return function(phone, pdu)
        contexts.send(phone, name, { ti = contexts.other_ti(pdu.ti), cause = cause })
        return "refused"
    end
end

-- ---- One of each ----

local handlers = {}

function handlers.sm_activate_request(phone, pdu, octets)
    deactivate.forget(phone, pdu.ti)
    return activate.take(phone, pdu, octets)
end

function handlers.sm_deactivate_request(phone, pdu, octets)
    return deactivate.take(phone, pdu, octets) or status(phone, pdu.ti, SM.ti)
end

handlers.sm_deactivate_accept = deactivate.accepted
handlers.sm_activate_secondary_request = reject("sm_activate_secondary_reject", SM.not_supported)

function handlers.sm_modify_request_up(phone, pdu)
    return contexts.of_ti(phone, pdu.ti) and reject("sm_modify_reject", SM.not_supported)(phone, pdu)
        or status(phone, pdu.ti, SM.ti)
end

-- The phone does not know the TI: it has no such context (8.3.3 is silent on the network; 6.1.3.1.5). With another
-- cause what we have begun ends, and nothing changes else.
function handlers.sm_status(phone, pdu)
    local context = contexts.of_ti(phone, pdu.ti)
    log.info(("IMSI %s: SM STATUS %d for TI %d%s"):format(phone.imsi, pdu.cause, pdu.ti, context
        and (", NSAPI %d"):format(context.nsapi) or ", of no context"))
    if context and pdu.cause == SM.ti then
        count.add "contexts_ended"
        contexts.drop(phone, context)
    elseif context and context.state == "deactivating" then
        deactivate.accepted(phone, pdu)
    elseif context then
        modify.answered(phone, "sm_status", pdu)
    end
    return "handled"
end

function handlers.sm_modify_accept_up(phone, pdu)
    return modify.answered(phone, "sm_modify_accept_up", pdu)
end

-- What we never ask for.
local function nothing()
    return "ignored"
end

handlers.sm_request_activation_reject = nothing

-- ---- What is wrong ----

-- A request whose mandatory part cannot be read is refused (8.5); another message gets a STATUS. The phone means to
-- end its context with a DEACTIVATE REQUEST, whatever is wrong in it.
local REFUSALS = {
    sm_activate_request = { "sm_activate_reject", "ACTIVATE REJECT" },
    sm_activate_secondary_request = { "sm_activate_secondary_reject", "ACTIVATE SECONDARY REJECT" },
    sm_modify_request_up = { "sm_modify_reject", "MODIFY REJECT" },
}

local function take_wrong(phone, octets, why, fault)
    local name, ti, cause = why:match "^[%w_]+", octets:byte() >> TI_SHIFT, wire.l3_cause(fault)
    if name == "sm_status" then
        return "ignored"
    elseif not handlers[name] then -- of a network, or of nobody
        cause = SM.type_unknown
    end
    log.debug(("IMSI %s: %s; cause %d"):format(phone.imsi, why, cause))
    if name == "sm_deactivate_request" and contexts.of_ti(phone, ti) then
        return deactivate.take(phone, { ti = ti }, octets)
    elseif REFUSALS[name] then
        local answer, text = table.unpack(REFUSALS[name])
        refusals.note(phone.imsi, causes.text(text, cause), cause, "the phone's request cannot be read: " .. why)
        return reject(answer, cause)(phone, { ti = ti })
    end
    return status(phone, ti, cause)
end

frames.on(PD, function(phone, octets)
    if octets:byte() >> TI_SHIFT & contexts.TI_RESERVED == contexts.TI_RESERVED then
        return "ignored" -- 8.3.2 e
    end
    local name, pdu, fault = wire.sm.decode(octets)
    if not name then
        return take_wrong(phone, octets, pdu, fault)
    end
    count.pdu_in(name)
    if not handlers[name] then -- a message that only a network sends
        return status(phone, pdu.ti, SM.type_unknown)
    end
    return handlers[name](phone, pdu, octets)
end)

