-- GTP-U error indications of GGSNs (TS 29.281 7.3.1): the GGSN has no tunnel for a context's uplink, so
-- the context sends nothing for 10 s; or until the GGSN itself sends in the tunnel, which it has made
-- again, as after a restart; or until the context is added again or the configuration is reloaded. The
-- specifications have the SGSN deactivate the context, which SM does with a phone's (on_lost), when the GGSN
-- has said so by GTP-C.
--
-- A source address is easily forged, so an error indication counts only for contexts that send to that
-- address and TEID, and one alone stops nobody for good: a GGSN without the tunnel says so again.
local addresses = require "sluice.base.addresses"
local count = require "count"
local dp = require "dp"
local log = require "log"
local parts = require "sluice.config.parts"
local teids = require "sluice.subscribers.teids"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local tunnels = {}

local STOPPED_NS = 10 * 1000000000

-- pdp_ids in the order of their first error indications, and whether one is there; network.ended has the
-- current stops. Of those in `said` the log has had its line.
local order, is_in_order, said = {}, {}, {}

-- The ids of the GGSNs with the address; several may share one.
local function ggsns_at(address)
    local ids = {}
    for _, ggsn in ipairs(network.cfg.ggsn) do
        if parts.address(ggsn.address) == address then
            ids[network.ggsn_ids[ggsn.name]] = true
        end
    end
    if network.data_hosts[address] then
        ids[network.data_hosts[address]] = true
    end
    return ids
end

-- The record's context with the tunnel: { id, imsi, nsapi, teid }, with our TEID if it is known here; or nil.
local function find_in(record, ids, teid)
    for j, pdp in ipairs(record.ms.pdp) do
        local member = teid - (pdp.ggsn_teid or teid + 1)
        if ids[pdp.ggsn_id or -1] and member >= 0 and member < record.count then
            return {
                id = record.pdp_ids[j].first + member * record.pdp_ids[j].stride,
                imsi = parts.imsi(record.ms, member), nsapi = pdp.nsapi, teid = pdp.teid and pdp.teid + member,
            }
        end
    end
end

local function go_on(stop)
    if network.ended[stop.id] == stop then
        network.ended[stop.id] = nil
        dp.pdp_uplink { pdp_id = stop.id, ended = false }
    end
end

local function finish(context, address)
    local id, level = context.id, said[context.id] and log.debug or log.warn
    local stop = { id = id }
    network.ended[id], said[id] = stop, true
    timers.after(STOPPED_NS, go_on, stop)
    order[#order + 1] = not is_in_order[id] and id or nil
    is_in_order[id] = true
    dp.pdp_uplink { pdp_id = id, ended = true }
    count.add "uplinks_ended"
    level(("IMSI %s, NSAPI %d: GGSN %s has no tunnel; uplink stopped until it sends again, or for 10 s"):format(
        context.imsi, context.nsapi, addresses.shown(address)))
end

-- A context with the tunnel; or nil.
local function find(address, teid)
    local ids
    return teids.find(teid, function(record)
        ids = ids or ggsns_at(address)
        return find_in(record, ids, teid)
    end)
end

local taker

-- fn(teid) -> whether the context with our TEID is one that it looks after itself, as a phone's is.
function tunnels.on_lost(fn)
    taker = fn
end

-- Event `error_indication`.
function tunnels.error_indication(address, teid)
    local context = find(address, teid)
    if context and network.ended[context.id] then
        return "ignored"
    elseif context then
        if not (taker and taker(context.teid)) then
            finish(context, address)
        end
        return "handled"
    end
    log.debug(("GGSN %s has no tunnel 0x%08x; no context uses it"):format(
        addresses.shown(address), teid))
    return "ignored"
end

-- Event `tunnel`: the worker has let the uplink go on.
function tunnels.tunnel(address, teid)
    local context = find(address, teid)
    if not (context and network.ended[context.id]) then
        return "ignored"
    end
    network.ended[context.id], said[context.id] = nil, nil
    count.add "uplinks_resumed"
    log.info(("IMSI %s, NSAPI %d: GGSN %s has a tunnel again; uplink goes on"):format(
        context.imsi, context.nsapi, addresses.shown(address)))
    return "handled"
end

-- All contexts may send uplink again.
function tunnels.again()
    for _, id in ipairs(order) do
        if network.ended[id] then
            network.ended[id] = nil
            dp.pdp_uplink { pdp_id = id, ended = false }
        end
    end
    order, is_in_order, said = {}, {}, {}
end

return tunnels
