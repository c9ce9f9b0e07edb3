-- The registry of MSs. One line of the configuration may make a million MSs, so there is no table per
-- MS: a record stands for `count` MSs with consecutive ids, and with IMSIs, TLLIs, addresses, keys and
-- GGSN TEIDs that count up from the values of `ms`, a slice of the normalised configuration.
--   { ms, count, nse_id, bvc_id (its cell in the file, not where it roamed to), first_ms_id,
--     first_imsi (a number), pdp_ids = { { first, stride } of each context },
--     slot_of = { by pfc_key }, slots, teid_blocks (teids.lua) }
-- A range with ids in several blocks has several records; `cut` makes two records of one. ranges.lua
-- adds, changes and removes records. A record with `is_single`, of one MS that may come and go at any time,
-- is in none of the lists here but in single.lua.
local bisect = require "sluice.base.bisect"
local parts = require "sluice.config.parts"
local single = require "sluice.subscribers.single"
local teids = require "sluice.subscribers.teids"
local watchers = require "sluice.core.watchers"

local subscribers = { records = {}, spans = {} }

-- watch(event, fn): fn(ms_id, ...) is called at each such event.
subscribers.watch, subscribers.tell = watchers {
    "removed",     -- (ms_id) another MS may get the id soon
    "moved",       -- (ms_id, old_bvc_id, new_bvc_id) by a reload
    "homeless",    -- (ms_id) a single one whose cell a reload removes
    "changed_nse", -- (ms_id) after a move to another NSE, whose worker may be another one
    "changed_tlli", -- (ms_id) by a reload
    "rekeyed",     -- (ms_id) before a reload sets another key
    "reset",       -- (ms_id, iov_ui) an XID Reset with this IOV-UI is sent
    "xid_changed", -- (ms_id) a reload brings other values for XID under the same key
    "xid_set",     -- (ms_id, record) the dataplane has the values of a new or changed MS
    "lost",        -- (ms_id) its BSS has reported that the MS is not there
    "unproven",    -- (ms_id, bvc) a frame with its TLLI that its key does not prove has come in a cell of another NSE
    "seen",        -- (ms_id) an uplink frame of the MS has reached control, or a report of one
}

-- ---- Finding ----

local function first_ms_id(record)
    return record.first_ms_id
end

local function first_imsi(record)
    return record.first_imsi
end

local function span_of(imsi)
    local spans = subscribers.spans
    spans[#imsi] = spans[#imsi] or {}
    return spans[#imsi]
end

-- The record of an MS and the MS's place in it, from 0; nil if no MS has the id.
function subscribers.of(ms_id)
    local one = single.of(ms_id)
    if one then
        return one, 0
    end
    local record = subscribers.records[bisect(subscribers.records, first_ms_id, ms_id)]
    if record and ms_id < record.first_ms_id + record.count then
        return record, ms_id - record.first_ms_id
    end
    return nil
end

function subscribers.imsi(ms_id)
    local record, member = subscribers.of(ms_id)
    return record and parts.imsi(record.ms, member)
end

-- The record and member with the IMSI; nil for an unknown IMSI or any other text.
function subscribers.find(imsi)
    local one = single.find(imsi)
    if one then
        return one, 0
    end
    local list = subscribers.spans[#imsi]
    local number = list and imsi:find("^%d+$") and math.tointeger(tonumber(imsi))
    local record = number and list[bisect(list, first_imsi, number)]
    if record and number < record.first_imsi + record.count then
        return record, number - record.first_imsi
    end
    return nil
end

function subscribers.by_imsi(imsi)
    local record, member = subscribers.find(imsi)
    return record and record.first_ms_id + member
end

-- The MS's packet flows: { slot, class, pfi (nil: none), rate_bit_per_s, bucket_octets }, by slot.
function subscribers.slots(ms_id)
    local record = subscribers.of(ms_id)
    return record and record.slots
end

-- The slots of a PFI; the slots share one bucket.
function subscribers.slots_of(ms_id, pfi)
    local list = {}
    for _, pfc in ipairs(subscribers.slots(ms_id) or {}) do
        if pfc.pfi == pfi then
            list[#list + 1] = pfc.slot
        end
    end
    return list
end

-- ---- The lists ----

function subscribers.insert(record)
    record.first_imsi = math.tointeger(tonumber(record.ms.imsi))
    teids.put(record)
    if record.is_single then
        assert(single.put(record), "the IMSI is another's")
        return
    end
    local records, span = subscribers.records, span_of(record.ms.imsi)
    table.insert(records, bisect(records, first_ms_id, record.first_ms_id) + 1, record)
    table.insert(span, bisect(span, first_imsi, record.first_imsi) + 1, record)
end

function subscribers.erase(record)
    teids.drop(record)
    if record.is_single then
        single.drop(record)
        return
    end
    local records, span = subscribers.records, span_of(record.ms.imsi)
    table.remove(records, bisect(records, first_ms_id, record.first_ms_id))
    table.remove(span, bisect(span, first_imsi, record.first_imsi))
end

-- Splits a record; the returned second part begins with member `from`.
function subscribers.cut(record, from)
    local rest = {
        ms = parts.slice(record.ms, from, record.count - from), count = record.count - from,
        nse_id = record.nse_id, bvc_id = record.bvc_id, first_ms_id = record.first_ms_id + from,
        pdp_ids = {}, slot_of = record.slot_of, slots = record.slots,
    }
    for j, ids in ipairs(record.pdp_ids) do
        rest.pdp_ids[j] = { first = ids.first + from * ids.stride, stride = ids.stride }
    end
    record.ms, record.count = parts.slice(record.ms, 0, from), from
    subscribers.insert(rest)
    return rest
end

-- A copy of the list of records, without single ones: those are no matter of the file's (single.lua has them).
function subscribers.list()
    return table.move(subscribers.records, 1, #subscribers.records, 1, {})
end

return subscribers
