-- GTP-U error indications of GGSNs (TS 29.281 7.3.1): the GGSN has no tunnel for a context's uplink, so
-- the context sends nothing more until the GGSN itself sends in the tunnel, which it has made again, as
-- after a restart; or until the context is added again or the configuration is reloaded. The
-- specifications have the SGSN deactivate the context, which needs SM; Sluice has none.
--
-- A source address is easily forged, so an error indication counts only for contexts that send to that
-- address and TEID.
local addresses = require "sluice.base.addresses"
local count = require "count"
local dp = require "dp"
local log = require "log"
local parts = require "sluice.config.parts"
local subscribers = require "sluice.subscribers.registry"
local network = require "sluice.core.network"

local tunnels = {}

-- pdp_ids in the order of their first error indications, and whether one is there; network.ended has the
-- current ones.
local order, is_in_order = {}, {}

-- The ids of the GGSNs with the address; several may share one.
local function ggsns_at(address)
    local ids = {}
    for _, ggsn in ipairs(network.cfg.ggsn) do
        if parts.address(ggsn.address) == address then
            ids[network.ggsn_ids[ggsn.name]] = true
        end
    end
    return ids
end

-- The id, member and record of the context with the tunnel; or nil.
local function find_in(record, ids, teid)
    for j, pdp in ipairs(record.ms.pdp) do
        local member = teid - (pdp.ggsn_teid or teid + 1)
        if ids[pdp.ggsn_id or -1] and member >= 0 and member < record.count then
            return record.pdp_ids[j].first + member * record.pdp_ids[j].stride, member, pdp
        end
    end
end

local function finish(id, imsi, nsapi, address)
    network.ended[id] = true
    order[#order + 1] = not is_in_order[id] and id or nil
    is_in_order[id] = true
    dp.pdp_uplink { pdp_id = id, ended = true }
    count.add "uplinks_ended"
    log.warn(("IMSI %s, NSAPI %d: GGSN %s has no tunnel; uplink stopped until it sends again, or a reload"):format(
        imsi, nsapi, addresses.shown(address)))
end

-- The first context with the tunnel, as find_in has it, with its record; or nil.
local function find(address, teid)
    local ids = ggsns_at(address)
    for _, record in ipairs(subscribers.records) do
        local id, member, pdp = find_in(record, ids, teid)
        if id then
            return id, member, pdp, record
        end
    end
end

-- Event `error_indication`.
function tunnels.error_indication(address, teid)
    local id, member, pdp, record = find(address, teid)
    if id and network.ended[id] then
        return "ignored"
    elseif id then
        finish(id, parts.imsi(record.ms, member), pdp.nsapi, address)
        return "handled"
    end
    log.debug(("GGSN %s has no tunnel 0x%08x; no context uses it"):format(
        addresses.shown(address), teid))
    return "ignored"
end

-- Event `tunnel`: the worker has let the uplink go on.
function tunnels.tunnel(address, teid)
    local id, member, pdp, record = find(address, teid)
    if not (id and network.ended[id]) then
        return "ignored"
    end
    network.ended[id] = nil
    count.add "uplinks_resumed"
    log.info(("IMSI %s, NSAPI %d: GGSN %s has a tunnel again; uplink goes on"):format(
        parts.imsi(record.ms, member), pdp.nsapi, addresses.shown(address)))
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
    order, is_in_order = {}, {}
end

return tunnels
