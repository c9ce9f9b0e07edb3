-- PDP contexts at GGSNs (TS 29.060 clause 7.3): CREATE, DELETE, UPDATE, and what comes late. A tunnel is one context:
--   { path, imsi, nsapi, teid (ours, of data and of control), state, request }
-- and, from the answer on, { teid_control, teid_data, address, options, qos, data (the host of GTP-U) }; while the GGSN
-- is asked whether it has it, asking (the request), and sure_until_ns after it has said so. state:
--   "creating"  until the answer
--   "there"
--   "waiting"   for the end of the tunnel before it
--   "unwanted"  CREATE is on its way, but its context is not wanted any more: an answer that it is there is
--               followed by DELETE, and so is one that comes after we have given up
--   "deleting"  until the answer
--   "gone"      nothing of it is left here
--
-- A GGSN knows a context by IMSI and NSAPI, and takes a CREATE of one that is there as a change of it. So there is
-- one tunnel at a time with these at a GGSN: a new one waits until the one before has come to its end, for a repeated
-- DELETE of that would end the new one. An answer that comes after we have given up is left alone if a newer tunnel
-- has its place.
local addresses = require "sluice.base.addresses"
local clock = require "sluice.core.clock"
local count = require "count"
local hosts = require "sluice.gtpc.hosts"
local log = require "log"
local paths = require "sluice.gtpc.path"
local requests = require "sluice.gtpc.requests"
local restarts = require "sluice.core.restarts"
local timers = require "sluice.core.timers"
local watchers = require "sluice.core.watchers"

local contexts = { count = 0 }

local there = 0 -- tunnels in that state

local IPV4, GERAN = 33, 2
local ACCEPTED = { least = 128, most = 191 }

-- By IMSI, NSAPI and path, the tunnel that the GGSN has or is about to have; by our TEID, those with one.
local current, by_teid = {}, {}

-- watch("ended", fn): fn(tunnel, why) is called when the GGSN does not have a tunnel any more that was "there": why
-- is "deleted", by the GGSN, "restarted", "down", or "unknown": it has no such tunnel.
contexts.watch, contexts.tell = watchers { "ended" }

local function key_of(tunnel)
    return tunnel.imsi .. "/" .. tunnel.nsapi .. "/" .. tunnel.path.address
end

local function is_accepted(pdu)
    return pdu.cause >= ACCEPTED.least and pdu.cause <= ACCEPTED.most
end

local function shown(tunnel)
    return ("IMSI %s, NSAPI %d, %s"):format(tunnel.imsi, tunnel.nsapi, requests.name(tunnel.path))
end

local function enlist(tunnel)
    local list = tunnel.path.tunnels
    current[key_of(tunnel)] = tunnel
    list[#list + 1], tunnel.place = tunnel, #list + 1
    contexts.count = contexts.count + 1
end

local function delist(tunnel)
    local list, last = tunnel.path.tunnels, tunnel.path.tunnels[#tunnel.path.tunnels]
    list[tunnel.place], last.place = last, tunnel.place
    list[#list], tunnel.place = nil, nil
    contexts.count = contexts.count - 1
end

local function become(tunnel, state)
    there = there + (state == "there" and 1 or 0) - (tunnel.state == "there" and 1 or 0)
    tunnel.state = state
    if tunnel.asking then
        requests.forget(tunnel.asking)
        tunnel.asking = nil
    end
    count.set("contexts", there)
end

local begin -- below

-- The GGSN does not have it, as far as we know: a tunnel that has waited for this begins.
local function finish(tunnel)
    local key, next_one = key_of(tunnel), tunnel.next
    become(tunnel, "gone")
    tunnel.next, tunnel.request = nil, nil
    hosts.release(tunnel.data)
    tunnel.data = nil
    if tunnel.control then
        paths.release(tunnel.control)
        tunnel.control = nil
    end
    if current[key] == tunnel then
        current[key] = nil
        delist(tunnel)
        if next_one and next_one.state == "waiting" then -- it may have been deleted meanwhile
            begin(next_one)
        end
    end
end

local function unlist(tunnel)
    if by_teid[tunnel.teid] == tunnel then
        by_teid[tunnel.teid] = nil
    end
end

-- ---- DELETE ----

local function deleted(request, pdu)
    local tunnel = request.of
    if pdu then
        paths.heard(request.path)
        if not is_accepted(pdu) then
            log.debug(("%s: DELETE is answered by cause %d"):format(shown(tunnel), pdu.cause))
        end
    end
    finish(tunnel)
end

local function not_deleted(request)
    local tunnel = request.of
    log.info(("%s: no answer to DELETE; the GGSN may keep the context"):format(shown(tunnel)))
    paths.doubt(request.path)
    finish(tunnel)
end

local function send_delete(tunnel)
    become(tunnel, "deleting")
    tunnel.request = requests.send(tunnel.control or tunnel.path, "gtpc_delete_request", "gtpc_delete_response", {
        teid = tunnel.teid_control, tear_down = true, nsapi = tunnel.nsapi,
    }, { answered = deleted, over = not_deleted, of = tunnel })
end

-- Nobody wants the tunnel any more. It must not be used in the dataplane by now.
function contexts.delete(tunnel)
    unlist(tunnel)
    if tunnel.state == "creating" then
        tunnel.state = "unwanted"
    elseif tunnel.state == "waiting" then
        tunnel.state = "gone"
    elseif tunnel.state == "there" and (tunnel.is_lost or tunnel.path.state == "down") then
        finish(tunnel) -- the GGSN may have given its TEID to another by now
    elseif tunnel.state == "there" then
        send_delete(tunnel)
    end
end

-- ---- CREATE ----

-- Elements without which an accepted context is of no use, in the order in which they are missed.
local NEEDED = { "teid_data", "teid_control", "address", "control_address", "data_address", "qos" }

local function fault_of(pdu)
    for _, name in ipairs(NEEDED) do
        if not pdu[name] then
            return "its answer has no " .. name:gsub("_", " ")
        end
    end
    if pdu.address.type ~= IPV4 or #pdu.address.address ~= 4 then
        return "its answer has no IPv4 address for the phone"
    end
end

local function mapped(number)
    return "::ffff:" .. addresses.ipv4_text(number)
end

-- Takes the answer's values. Returns why they cannot be used.
local function take(tunnel, pdu)
    tunnel.teid_control, tunnel.teid_data = pdu.teid_control, pdu.teid_data
    tunnel.address, tunnel.options, tunnel.qos = pdu.address, pdu.options, pdu.qos
    local control = mapped(pdu.control_address)
    if control ~= tunnel.path.address then
        tunnel.control = paths.hold(control, tunnel.path.name)
    end
    tunnel.data = hosts.hold(mapped(pdu.data_address), false)
    if not tunnel.data or control ~= tunnel.path.address and not tunnel.control then
        return "its addresses cannot be used, see the line before"
    end
end

local function refuse(tunnel, cause, why)
    unlist(tunnel)
    finish(tunnel)
    tunnel.done(tunnel, { cause = cause, why = why })
end

-- An answer to a CREATE that somebody waits for.
local function answered(tunnel, pdu)
    if not pdu or not is_accepted(pdu) then
        return refuse(tunnel, pdu and pdu.cause, not pdu and "its answer cannot be read" or nil)
    end
    local why = fault_of(pdu)
    if not why then
        why = take(tunnel, pdu)
    end
    if not why then
        become(tunnel, "there")
        return tunnel.done(tunnel)
    end
    unlist(tunnel)
    tunnel.teid_control = pdu.teid_control
    if pdu.teid_control then
        send_delete(tunnel)
    else
        finish(tunnel)
    end
    tunnel.done(tunnel, { why = why })
end

-- An answer to one that nobody waits for, be it in time or late.
local function answered_late(tunnel, pdu)
    local newer = current[key_of(tunnel)]
    if not pdu or not is_accepted(pdu) or not pdu.teid_control or newer and newer ~= tunnel then
        finish(tunnel) -- a newer one has the context, if there is one
        return
    end
    log.info(("%s: an answer to CREATE has come too late; the context is deleted"):format(shown(tunnel)))
    if not newer then
        enlist(tunnel)
    end
    tunnel.teid_control = pdu.teid_control
    send_delete(tunnel)
end

local function created(request, pdu)
    local tunnel = request.of
    if pdu then
        paths.heard(request.path, pdu.recovery)
    end
    if tunnel.state == "creating" then
        answered(tunnel, pdu)
    elseif tunnel.state == "unwanted" or tunnel.state == "gone" then
        answered_late(tunnel, pdu)
    end
end

local function not_created(request)
    local tunnel = request.of
    local wanted = tunnel.state == "creating"
    paths.doubt(request.path)
    unlist(tunnel)
    finish(tunnel)
    if wanted then
        tunnel.done(tunnel, {})
    end
end

local function start(tunnel)
    local given = tunnel.given
    tunnel.given, tunnel.state = nil, "creating"
    enlist(tunnel)
    by_teid[tunnel.teid] = tunnel
    local own = hosts.own_address()
    tunnel.request = requests.send(tunnel.path, "gtpc_create_request", "gtpc_create_response", {
        teid = 0, imsi = tunnel.imsi, area = given.area, recovery = restarts.number(), selection = given.selection,
        teid_data = tunnel.teid, teid_control = tunnel.teid, nsapi = tunnel.nsapi, address = given.address,
        apn = given.apn, options = given.options, control_address = own, data_address = own, qos = given.qos,
        rat = GERAN,
    }, { answered = created, over = not_created, keeps = true, of = tunnel })
end

-- One that has waited for the end of another; on a path that is down it is refused at once.
function begin(tunnel)
    if tunnel.path.state == "down" then
        tunnel.state = "gone"
        tunnel.done(tunnel, {})
    else
        start(tunnel)
    end
end

-- Asks the GGSN for a context: given has path, imsi, nsapi, teid (ours), and area, selection, address, apn,
-- options, qos for the message. done(tunnel, fault) is called once, unless the tunnel is deleted before:
-- fault is nil, or { cause (the GGSN's, nil: no answer, or a useless one), why }. Returns the tunnel.
function contexts.create(given, done)
    local tunnel = {
        path = given.path, imsi = given.imsi, nsapi = given.nsapi, teid = given.teid, given = given, done = done,
    }
    local before = current[key_of(tunnel)]
    if before then
        if before.next then
            before.next.state = "gone"
        end
        tunnel.state, before.next = "waiting", tunnel
        return tunnel
    end
    start(tunnel)
    return tunnel
end

-- ---- The GGSN changes it ----

local updater

-- fn(tunnel, pdu, done): what an UPDATE REQUEST of the GGSN asks for a tunnel that is "there"; done(cause), of GTP-C, is
-- called once, now or later. tunnel.qos is what holds then.
function contexts.on_update(fn)
    updater = fn
end

function contexts.update(tunnel, pdu, done)
    updater(tunnel, pdu, done)
end

-- ---- The GGSN ends it ----

-- The tunnel with our TEID; nil if there is none.
function contexts.of_teid(teid)
    return by_teid[teid]
end

local function lose(tunnel, why)
    unlist(tunnel)
    become(tunnel, "gone")
    count.add "contexts_lost"
    contexts.tell("ended", tunnel, why)
    finish(tunnel)
end

-- The GGSN has deleted it.
function contexts.deleted_by_ggsn(tunnel)
    lose(tunnel, "deleted")
end

-- ---- Does the GGSN have it? ----

-- A GGSN that has no tunnel answers a G-PDU by an error indication of GTP-U, which anybody on Gn may forge who knows its
-- TEID. So it ends nothing: the GGSN is asked by an UPDATE that changes nothing, which it accepts, or refuses with 192
-- (non-existent); a restart of it stands in the answer's recovery. Meanwhile the context goes on.
local SURE_NS = 10 * 1000000000 -- what it has said holds, so that forged ones cost two messages in this time

local function is_there_still(tunnel, pdu)
    return pdu and is_accepted(pdu) and (pdu.teid_data or tunnel.teid_data) == tunnel.teid_data
end

-- Without an answer, or with another TEID for our G-PDUs, it is as good as gone: the phone asks for a new one.
local function told(request, pdu)
    local tunnel = request.of
    tunnel.asking = nil
    if pdu then
        paths.heard(request.path, pdu.recovery)
    end
    if tunnel.state ~= "there" or tunnel.is_lost then -- with all others
        return
    elseif is_there_still(tunnel, pdu) then
        tunnel.sure_until_ns = clock.now_ns + SURE_NS
        count.add "indications_refuted"
        log.info(("%s: it has the context; an ERROR INDICATION in its name is somebody else's"):format(shown(tunnel)))
        return
    end
    lose(tunnel, "unknown")
    paths.doubt(request.path) -- it may have lost all
end

-- An error indication has come for the tunnel, which is "there".
function contexts.ask_for(tunnel)
    if tunnel.asking or tunnel.is_lost or clock.now_ns < (tunnel.sure_until_ns or 0) then
        return
    end
    local own = hosts.own_address()
    tunnel.asking = requests.send(tunnel.control or tunnel.path, "gtpc_update_request", "gtpc_update_response", {
        teid = tunnel.teid_control, teid_data = tunnel.teid, teid_control = tunnel.teid, nsapi = tunnel.nsapi,
        control_address = own, data_address = own, qos = tunnel.qos,
    }, { answered = told, over = told, of = tunnel })
end

-- A GGSN may lose thousands of contexts at once. They are ended 64 at a time, so that other events do not wait for all
-- of them. A tunnel that waits for its turn is_lost: no request about it is sent to the GGSN, where its TEID may be
-- another phone's by now.
local LOST_AT_ONCE, TURN_NS = 64, 1000000

local function lose_some(lost)
    local stop = math.min(lost.first + LOST_AT_ONCE, #lost + 1)
    for i = lost.first, stop - 1 do
        if lost[i].state == "there" then -- else it has ended meanwhile
            lose(lost[i], lost.why)
        end
    end
    lost.first = stop
    if stop <= #lost then
        timers.after(TURN_NS, lose_some, lost)
    end
end

-- All that are there at the path now.
local function lose_all(why)
    return function(path)
        local lost = { first = 1, why = why }
        for _, tunnel in ipairs(path.tunnels) do
            if tunnel.state == "there" and not tunnel.is_lost then
                tunnel.is_lost = true
                lost[#lost + 1] = tunnel
            end
        end
        lose_some(lost)
    end
end

paths.watch("restarted", lose_all "restarted")
paths.watch("down", lose_all "down")

return contexts
