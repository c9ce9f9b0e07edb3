-- What differs between the MSs of a record and the slice that a new configuration has for the same MSs.
-- A PDP context stays if its NSAPI, SAPI, class, PFI and GGSN tunnel are unchanged; else the context is
-- removed and added again with another TEID. A packet flow keeps its slot.
local parts = require "sluice.config.parts"
local network = require "sluice.core.network"

local changes = {}

local BUCKET = { "rate_bit_per_s", "bucket_octets" }
local CONTEXT = { "nsapi", "sapi", "class", "pfi", "ggsn_id", "ggsn_teid" }

local function place_of(pdps, pdp)
    for j, other in ipairs(pdps) do
        if not parts.differ(pdp, other, CONTEXT) then
            return j
        end
    end
    return nil
end

-- Fills change.gone, and change.rest: the old slice with only the contexts that stay.
local function compare_old(change, record, ms)
    change.rest.pdp, change.rest_ids, change.gone = {}, {}, {}
    for j, pdp in ipairs(record.ms.pdp) do
        if place_of(ms.pdp, pdp) then
            table.insert(change.rest.pdp, pdp)
            table.insert(change.rest_ids, record.pdp_ids[j])
        else
            table.insert(change.gone, j)
        end
    end
end

-- Fills change.new; change.kept: for each context of the new slice its place in change.rest, or false;
-- change.address: whether a context that stays has a new address.
local function compare_new(change, ms)
    change.new, change.kept = {}, {}
    for j, pdp in ipairs(ms.pdp) do
        local kept = place_of(change.rest.pdp, pdp)
        change.kept[j] = kept or false
        if not kept then
            table.insert(change.new, j)
        elseif change.rest.pdp[kept].address ~= pdp.address then
            change.address = true
        end
    end
end

-- The buckets with changed values in the file. A bucket without an old slot is new and has no
-- values yet.
local function changed_buckets(rest_slots, old_slots, slots)
    local changed, old, stays = {}, {}, {}
    for _, bucket in ipairs(parts.buckets_of(old_slots)) do
        old[bucket.key] = bucket
    end
    for _, pfc in ipairs(rest_slots) do
        stays[parts.bucket_key(pfc)] = true
    end
    for _, bucket in ipairs(parts.buckets_of(slots)) do
        if parts.differ(stays[bucket.key] and old[bucket.key] or {}, bucket, BUCKET) then
            changed[#changed + 1] = bucket
        end
    end
    return changed
end

local function compare_slots(change, record, ms)
    change.slot_of, change.slots = parts.slots_of(ms, record.slot_of)
    change.gone_slots, change.new_slots = {}, {}
    change.rest_slot_of, change.rest_slots = {}, {}
    local old_pfc = {}
    for _, pfc in ipairs(record.slots) do
        local key = parts.pfc_key(pfc)
        old_pfc[key] = pfc
        if change.slot_of[key] then
            change.rest_slot_of[key] = pfc.slot
            table.insert(change.rest_slots, pfc)
        else
            table.insert(change.gone_slots, pfc.slot)
        end
    end
    for _, pfc in ipairs(change.slots) do
        local old = old_pfc[parts.pfc_key(pfc)]
        if not old then
            table.insert(change.new_slots, pfc)
        end
    end
    change.buckets = changed_buckets(change.rest_slots, record.slots, change.slots)
end

function changes.of(record, ms)
    local old = record.ms
    local manual = network.nse[record.nse_id].cfg.ns == "manual" -- else XID brings the IOV-UI
    local change = {
        tlli = old.tlli ~= ms.tlli, xid = parts.differ(old, ms, { "n201_u_octets", "iov_ui" }),
        cipher = parts.differ(old, ms, { "cipher", "key", manual and "iov_ui" or nil }),
        options = parts.differ(old, ms, { "ra_capability", "drx", "priority", "send_imsi" }),
        bucket = parts.differ(old, ms, BUCKET), rest = parts.copy(old),
    }
    compare_old(change, record, ms)
    compare_new(change, ms)
    compare_slots(change, record, ms)
    change.any = change.tlli or change.xid or change.cipher or change.options or change.bucket
        or change.address or #change.new > 0 or #change.new_slots > 0 or #change.buckets > 0
    return change
end

return changes
