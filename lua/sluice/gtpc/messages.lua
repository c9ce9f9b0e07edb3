-- What GGSNs send us (TS 29.060): responses go to requests.lua, and their requests are answered here, to the port
-- that they came from. A request that comes again gets the same answer octet for octet, for ANSWERS_NS: the peer
-- repeats what it has no answer to. UPDATE is answered when SM has asked the phone, and not before, however often it
-- comes. Notifications are refused (200, not supported): there would be a context without a phone's request.
local clock = require "sluice.core.clock"
local contexts = require "sluice.gtpc.contexts"
local count = require "count"
local datagrams = require "sluice.gtpc.datagrams"
local dp = require "dp"
local log = require "log"
local paths = require "sluice.gtpc.path"
local requests = require "sluice.gtpc.requests"
local restarts = require "sluice.core.restarts"
local wire = require "wire"

local messages = {}

local ACCEPTED, NOT_FOUND, NOT_SUPPORTED, INCORRECT, MISSING = 128, 192, 200, 201, 202
local ANSWERS_NS, ANSWERS_MOST = 60 * 1000000000, 256
local SEQUENCE_HEAD = 12 -- octets of the header with a sequence number

-- ---- Answers ----

-- Of a path: by sequence number and port, { octets (the request), answer (nil: there is none yet), at_ns }, and their keys,
-- oldest first.
local function answers_of(path)
    path.answers = path.answers or { first = 1, last = 0, of = {} }
    return path.answers
end

-- Forgets what is too old, or too much.
local function sweep(answers)
    while answers.first <= answers.last do
        local key = answers[answers.first]
        local answer = answers.of[key]
        if clock.now_ns - answer.at_ns < ANSWERS_NS and answers.last - answers.first < ANSWERS_MOST then
            return
        end
        answers.of[key], answers[answers.first], answers.first = nil, nil, answers.first + 1
    end
end

local function transmit(path, port, name, octets)
    count.pdu_out(name)
    dp.ggsn_send { ggsn_id = path.host.ggsn_id, port = port, pdu = octets }
end

local function answer(path, from, name, fields)
    fields.sequence = from.sequence
    local octets = wire[name].encode(fields)
    transmit(path, from.port, name, octets)
    return octets
end

-- ---- Their requests: fn(path, from, pdu, respond); from: { port, sequence, teid }; respond(fields), of the response, is
-- called once, now or later ----

local responses = {
    gtpc_delete_request = "gtpc_delete_response", gtpc_update_request = "gtpc_update_response",
    gtpc_notification_request = "gtpc_notification_response",
}
local handlers = {}

-- The tunnel of a request, and the TEID and cause of the answer.
local function find(path, from, pdu)
    local tunnel = contexts.of_teid(from.teid)
    if not tunnel or tunnel.path ~= path and tunnel.control ~= path or tunnel.nsapi ~= pdu.nsapi
        or tunnel.state ~= "there" then
        return nil, 0
    end
    return tunnel, tunnel.teid_control
end

-- The answer goes before anything that follows from it.
function handlers.gtpc_delete_request(path, from, pdu, respond)
    local tunnel, teid = find(path, from, pdu)
    respond { teid = teid, cause = tunnel and ACCEPTED or NOT_FOUND }
    if tunnel then
        contexts.deleted_by_ggsn(tunnel)
    end
end

function handlers.gtpc_update_request(path, from, pdu, respond)
    if pdu.recovery then
        paths.claimed(path, pdu.recovery)
    end
    local tunnel, teid = find(path, from, pdu)
    if not tunnel then
        return respond { teid = teid, cause = NOT_FOUND }
    end
    contexts.update(tunnel, pdu, function(cause)
        local is_done = cause == ACCEPTED
        respond { teid = teid, cause = cause, teid_data = is_done and tunnel.teid or nil, qos = is_done and tunnel.qos or nil }
    end)
end

function handlers.gtpc_notification_request(_, _, pdu, respond)
    respond { teid = pdu.teid_control, cause = NOT_SUPPORTED }
end

local function cause_of(fault)
    return fault == "MISSING_IE" and MISSING or INCORRECT
end

-- A request, once; pdu is nil for one that cannot be read.
local function take_request(path, from, name, pdu, fault)
    local answers = answers_of(path)
    sweep(answers)
    local key = from.sequence .. "|" .. from.port
    local known = answers.of[key]
    if known and known.octets == from.octets then
        if known.answer then
            transmit(path, from.port, responses[name], known.answer)
        end
        return "handled"
    elseif not known then
        answers.last = answers.last + 1
        answers[answers.last] = key
    end
    local taken, outcome = { octets = from.octets, at_ns = clock.now_ns }, "handled"
    answers.of[key] = taken
    local function respond(fields)
        outcome = fields.cause == ACCEPTED and "handled" or "refused"
        if paths.at(path.address) == path then
            taken.answer = answer(path, from, responses[name], fields)
        end
    end
    if pdu then
        handlers[name](path, from, pdu, respond)
    else
        local cause = cause_of(fault)
        log.info(("%s: a request cannot be read (%s); it is refused with cause %d"):format(requests.name(path), fault, cause))
        respond { teid = 0, cause = cause }
    end
    return outcome
end

-- ---- All messages ----

local names = {}
for _, name in ipairs(wire.names) do
    if name:sub(1, 5) == "gtpc_" then
        names[wire[name].type] = name
    end
end

local function take(path, from, name, pdu, fault)
    if name == "gtpc_echo_request" then
        paths.heard(path)
        answer(path, from, "gtpc_echo_response", { teid = 0, recovery = restarts.number() })
        return "handled"
    elseif responses[name] then
        return take_request(path, from, name, pdu, fault)
    elseif name:find "_response$" then
        return requests.response(path, name, from.sequence, pdu)
    end
    return "ignored" -- CREATE from a GGSN, which is no SGSN; or it does not support our version
end

-- Event `gtpc`. A datagram without a header that has a sequence number, or with an unknown type, is ignored (11.1.3,
-- 11.1.4); one of a later version is told ours (11.1.1).
local function input(address, port, octets)
    local path = paths.at(address)
    if not path or #octets < SEQUENCE_HEAD then
        return "ignored"
    end
    local first, type, _, teid, sequence = string.unpack(">BBI2I4I2", octets)
    local from = { port = port, teid = teid, sequence = sequence, octets = octets }
    if first >> 5 > 1 then
        answer(path, from, "gtpc_version_not_supported", { teid = 0 })
        return "refused"
    end
    local name = names[type]
    if first >> 5 ~= 1 or first & 0x10 == 0 or first & 2 == 0 or not name then
        return "ignored"
    end
    count.pdu_in(name)
    local pdu, _, fault = wire[name].decode(octets)
    return take(path, from, name, pdu, fault)
end

datagrams.on(input)

return messages
