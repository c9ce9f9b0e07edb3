-- MODIFY PDP CONTEXT by the network (TS 24.008 6.1.3.3.1): the GGSN changes the quality of service or has options for
-- the phone (TS 23.060 9.2.3.2), which is asked, and the GGSN gets its answer when the phone has given its own. The class
-- of the context in the dataplane stays, as at ACTIVATE, where the phone's request, its class and the apn { } decide.
--
-- A change that is under way is finished first: many forged requests in the GGSN's name cost a phone one message for each
-- of its answers. A phone that does not answer, or does not know the message, keeps its context as it was.
local contexts = require "sluice.sm.contexts"
local frames = require "sluice.gmm.frames"
local gtpc = require "sluice.gtpc.contexts"
local log = require "log"
local procedure = require "sluice.phones.procedure"
local qos = require "sluice.sm.qos"
local store = require "sluice.phones.store"

local modify = {}

local ACCEPTED, NOT_SUPPORTED, SYSTEM_FAILURE = 128, 200, 204 -- causes of GTP-C

local function accepted(run)
    procedure.finish(run)
    run.tunnel.qos = run.qos
    run.done(ACCEPTED)
end

local function refused(run)
    procedure.finish(run)
    log.info(("IMSI %s: NSAPI %d stays as it was, as the phone does not take the GGSN's change"):format(run.phone.imsi,
        run.context.nsapi))
    run.done(SYSTEM_FAILURE)
end

local modification = {
    name = "MODIFY PDP CONTEXT",
    states = {
        ask = {
            message = function(run)
                local context = run.context
                return frames.encode("sm_modify_request_down", {
                    ti = contexts.other_ti(context.ti), priority = qos.radio_priority(context.class),
                    sapi = context.sapi, qos = qos.for_phone(run.qos, context.class, context.asked), pfi = context.pfi,
                    options = run.options,
                })
            end,
            timer = "t3386", got = { sm_modify_accept_up = accepted, sm_status = refused }, over = refused,
        },
    },
    stopped = function(run) -- the context ends
        run.done(SYSTEM_FAILURE)
    end,
}

-- Whether the GGSN wants what it gave before; a context has one address for all its life.
local function has_address(tunnel, address)
    return not address or address.type == tunnel.address.type and address.address == tunnel.address.address
end

gtpc.on_update(function(tunnel, pdu, done)
    local phone = store.by_imsi(tunnel.imsi)
    local context = phone and phone.contexts[tunnel.nsapi]
    if not context or context.tunnel ~= tunnel or not has_address(tunnel, pdu.address) then
        return done(NOT_SUPPORTED)
    elseif procedure.of(phone, contexts.place(context.nsapi)) then
        return done(SYSTEM_FAILURE)
    elseif not pdu.qos and not pdu.options then
        return done(ACCEPTED)
    end
    local run = procedure.begin(modification, phone, contexts.place(context.nsapi))
    run.context, run.tunnel, run.options, run.done = context, tunnel, pdu.options, done
    run.qos = qos.given(pdu.qos or tunnel.qos, context.class)
    procedure.enter(run, "ask")
end)

-- The phone's ACCEPT, or its STATUS; one that comes again says nothing.
function modify.answered(phone, name, pdu)
    local context = contexts.of_ti(phone, pdu.ti)
    local run = context and procedure.of(phone, contexts.place(context.nsapi))
    return run and run.procedure == modification and procedure.got(run, name, pdu) or "ignored"
end

return modify
