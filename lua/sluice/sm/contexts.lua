-- The PDP contexts of attached phones. phone.contexts[nsapi] is
--   nsapi, ti (as in the phone's messages), sapi, class, pfi, apn and ggsn (names), address (text), state,
--   request, accept (the octets of both, so that the same request gets the same answer again),
--   teid (ours), ggsn_teid, tunnel (gtpc/contexts.lua), in_dataplane
-- state: "activating", "active", or "deactivating": then it is out of the dataplane and gone from the GGSN, and the
-- phone has not answered yet.
local frames = require "sluice.gmm.frames"
local gtpc = require "sluice.gtpc.contexts"
local procedure = require "sluice.phones.procedure"
local pdps = require "sluice.subscribers.contexts"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"

local contexts = {}

local NSAPIS = { first = 5, last = 15 }
local FLAG = 8 -- of a TI: set in messages to the side that chose it
contexts.TI_RESERVED = 7

-- The place of its procedures (phones/procedure.lua).
function contexts.place(nsapi)
    return "sm" .. nsapi
end

-- The context whose phone's messages have the TI. There are phones that set the flag in their own requests.
function contexts.of_ti(phone, ti)
    for nsapi = NSAPIS.first, NSAPIS.last do
        local context = phone.contexts[nsapi]
        if context and context.ti & ~FLAG == ti & ~FLAG then
            return context
        end
    end
end

-- The TI of an answer.
function contexts.other_ti(ti)
    return ti ~ FLAG
end

function contexts.send(phone, name, fields)
    local message = frames.encode(name, fields)
    frames.send(phone, message)
    return message
end

-- Out of the dataplane, then from the GGSN, unless that has ended it itself. Nothing is sent to the phone.
function contexts.release(phone, context)
    if context.in_dataplane then
        context.in_dataplane = nil
        pdps.remove(subscribers.of(phone.ms_id), context.nsapi)
    end
    if context.tunnel then
        gtpc.delete(context.tunnel)
        context.tunnel = nil
    end
end

-- The phone has no such context any more; procedures about it have ended.
function contexts.drop(phone, context)
    if phone.contexts[context.nsapi] == context then
        phone.contexts[context.nsapi] = nil
        procedure.stop(procedure.of(phone, contexts.place(context.nsapi)))
        contexts.release(phone, context)
    end
end

function contexts.drop_all(phone)
    for nsapi = NSAPIS.first, NSAPIS.last do
        if phone.contexts[nsapi] then
            contexts.drop(phone, phone.contexts[nsapi])
        end
    end
end

-- A phone says of which NSAPIs it has contexts, as bits; others it has lost.
store.watch("contexts", function(phone, bits)
    for nsapi = NSAPIS.first, NSAPIS.last do
        local context = phone.contexts[nsapi]
        if context and context.state == "active" and bits >> nsapi & 1 == 0 then
            contexts.drop(phone, context)
        end
    end
end)

-- Detached, or attached anew.
store.watch("removed", contexts.drop_all)

return contexts
