-- The PDP contexts of an MS that comes and goes by itself (single.lua), one at a time. Each is known to the dataplane
-- before its GGSN is asked, which wants to know its TEID, and has no uplink until the GGSN has answered.
local dp = require "dp"
local members = require "sluice.subscribers.members"
local network = require "sluice.core.network"
local ranges = require "sluice.subscribers.ranges"
local subscribers = require "sluice.subscribers.registry"
local teids = require "sluice.subscribers.teids"

local contexts = {}

local NO_ADDRESS = "0.0.0.0" -- until the GGSN has given one

local function place_of(record, nsapi)
    for j, pdp in ipairs(record.ms.pdp) do
        if pdp.nsapi == nsapi then
            return j
        end
    end
end

-- No place for a context more, of all or of the MS's worker. For its packet flow there is always one: a phone has 7
-- contexts at most, for it tells them apart by a TI of 0 to 6, and room.pfcs is 7 at least (config/attach_check.lua).
local function full(record)
    local bvc = network.bvc[dp.ms_cell(record.first_ms_id)]
    local _, of_worker = dp.worker_left(bvc and bvc.nse.id or record.nse_id)
    return ranges.left "pdps" == 0 or of_worker == 0
end

-- given: nsapi, which the MS does not use, sapi, class, pfi. Returns the context's TEID; nil without a place for it.
function contexts.add(record, given)
    if full(record) then
        return nil
    end
    local pdp = { nsapi = given.nsapi, sapi = given.sapi, class = given.class, pfi = given.pfi, address = NO_ADDRESS }
    ranges.add_context(record, pdp)
    if #record.ms.pdp == 1 then
        subscribers.tell("xid_changed", record.first_ms_id) -- N201-U is agreed for the SAPIs of contexts only
    end
    return pdp.teid
end

-- The GGSN has answered: its tunnel, and the MS's address as text.
function contexts.set_tunnel(record, nsapi, ggsn_id, ggsn_teid, address)
    local j = place_of(record, nsapi)
    local pdp, id = record.ms.pdp[j], record.pdp_ids[j].first
    teids.drop(record)
    pdp.ggsn_id, pdp.ggsn_teid, pdp.address = ggsn_id, ggsn_teid, address
    teids.put(record)
    network.ended[id] = nil
    dp.pdp_tunnel { pdp_id = id, ggsn_id = ggsn_id, ggsn_teid = ggsn_teid }
    members.tell_context(record, 0, j)
end

-- Does nothing for one that is not there.
function contexts.remove(record, nsapi)
    local j = place_of(record, nsapi)
    if j then
        ranges.remove_context(record, j)
    end
end

return contexts
