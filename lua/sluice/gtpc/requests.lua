-- Our requests to a GGSN (TS 29.060 clauses 7.1 and 11): sequence numbers, T3-RESPONSE, N3-REQUESTS, and answers
-- that come when nobody waits any more. A path (path.lua) has
--   open     by sequence number, requests that an answer may come for
--   waiting  requests behind those that are on their way, in their order; flying: the number of the latter
--
-- A request is { path, name, answer (the name of its response), sequence, octets, timer, sent, keeps, of } with
--   answered(request, pdu)  the answer has come; pdu is nil if it cannot be read
--   over(request)           none has come after the last sending
-- With `keeps` the request stays for LATE_NS after it is over: an answer that comes then goes to answered too.
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"
local shown = require "sluice.base.shown"
local timers = require "sluice.core.timers"
local wire = require "wire"

local requests = {}

local SEQUENCES = 0x10000
local FLYING_MOST = 64 -- requests on their way, but for ECHO
local LATE_NS = 60 * 1000000000
local WAITING_MOST = 4096

function requests.begin(path, sequence)
    path.open, path.waiting, path.first, path.last, path.flying = {}, {}, 1, 0, 0
    path.sequence = sequence
end

-- The path as messages name it.
function requests.name(path)
    return ("GGSN %s (%s)"):format(path.name, path.shown)
end

local function next_sequence(path)
    for _ = 1, SEQUENCES do
        local sequence = path.sequence
        path.sequence = (sequence + 1) % SEQUENCES
        if not path.open[sequence] then
            return sequence
        end
    end
    error "all sequence numbers are in use"
end

local function transmit(request)
    count.pdu_out(request.name)
    dp.ggsn_send { ggsn_id = request.path.host.ggsn_id, pdu = request.octets }
end

local function drop(request)
    timers.stop(request.timer)
    request.timer = nil
    request.path.open[request.sequence] = nil
end

local function begin(request)
    local path = request.path
    request.sequence = next_sequence(path)
    request.fields.sequence = request.sequence
    request.octets, request.fields = wire[request.name].encode(request.fields), nil
    request.sent, request.at_ns = 1, clock.now_ns
    path.open[request.sequence] = request
    request.timer = timers.after(network.cfg.timers.t3_response_ns, requests.expired, request)
    transmit(request)
end

-- A place among those on their way is free.
local function fill(path)
    while path.flying < FLYING_MOST and path.first <= path.last do
        local request = path.waiting[path.first]
        path.waiting[path.first], path.first = nil, path.first + 1
        request.waits = nil
        if not request.gone then
            path.flying = path.flying + 1
            begin(request)
        end
    end
end

-- The request is no longer on its way.
local function land(request)
    if request.flies then
        request.flies = nil
        request.path.flying = request.path.flying - 1
        fill(request.path)
    end
end

function requests.expired(request)
    request.timer = nil
    if request.sent <= network.cfg.timers.t3_response_retries then
        request.sent = request.sent + 1
        count.add "retries"
        request.timer = timers.after(network.cfg.timers.t3_response_ns, requests.expired, request)
        return transmit(request)
    end
    count.add "timeouts"
    count.add "gtpc_unanswered"
    if request.keeps then
        request.timer = timers.after(LATE_NS, drop, request)
    else
        drop(request)
    end
    land(request)
    request.over(request)
end

-- Sends the message; fields are its codec's without the sequence number. on: answered, over, keeps, urgent (it
-- waits for no other). Returns the request.
function requests.send(path, name, answer, fields, on)
    local request = {
        path = path, name = name, answer = answer, fields = fields, answered = on.answered, over = on.over,
        keeps = on.keeps, of = on.of, flies = not on.urgent,
    }
    if on.urgent then
        begin(request)
    elseif path.last - path.first >= WAITING_MOST then
        request.gone, request.flies = true, nil
        timers.after(0, on.over, request)
    else
        path.last = path.last + 1
        path.waiting[path.last], request.waits = request, true
        fill(path)
    end
    return request
end

-- Nobody waits for the request any more, and an answer to it says nothing.
function requests.forget(request)
    if request.waits then
        request.gone = true
    elseif request.sequence and request.path.open[request.sequence] == request then
        drop(request)
        land(request)
    end
end

-- All of the path's are over at once, without a further sending: nobody is there. Those that are kept stay known.
function requests.abort(path)
    local going = {}
    for i = path.first, path.last do
        going[#going + 1] = path.waiting[i]
        path.waiting[i].gone, path.waiting[i] = true, nil
    end
    path.first, path.last = 1, 0
    for sequence = 0, SEQUENCES - 1 do
        local request = path.open[sequence]
        if request and request.flies then
            going[#going + 1] = request
            request.flies, path.flying = nil, path.flying - 1
            timers.stop(request.timer)
            if request.keeps then
                request.timer = timers.after(LATE_NS, drop, request)
            else
                drop(request)
            end
        end
    end
    for _, request in ipairs(going) do
        request.over(request)
    end
end

-- A response of the GGSN; pdu is nil for one that cannot be read. Returns the outcome.
function requests.response(path, name, sequence, pdu)
    local request = path.open[sequence]
    if not request or request.answer ~= name then
        log.debug(("%s: %s with sequence number %d answers nothing that we asked"):format(requests.name(path),
            shown.pdu(name), sequence))
        return "ignored"
    end
    drop(request)
    land(request)
    request.answered(request, pdu)
    return "handled"
end

return requests
