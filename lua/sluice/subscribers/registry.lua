-- The registry of MSs. They come from the configuration, a million in one line, so there is no
-- table per MS: a record stands for `count` of them whose ids are neighbours, and whose IMSIs,
-- TLLIs, addresses, keys and TEIDs at the GGSN count up (from the slice `ms` of the normalised
-- form).
--   { ms, count, nse_id, bvc_id (its cell in the file, not where it roamed to), first_ms_id,
--     first_imsi (a number), pdp_ids = { { first, stride } of each context },
--     slot_of = { by flow_key }, slots }
-- A range whose ids lie in several blocks has several records; `cut` makes two of one.
local bisect = require "sluice.base.bisect"
local blocks = require "sluice.base.blocks"
local changes = require "sluice.subscribers.differences"
local members = require "sluice.subscribers.members"
local parts = require "sluice.config.parts"
local world = require "sluice.core.world"

local subscribers = { records = {}, spans = {}, watchers = {} }

local MSS_A_BREATH = 64

-- watcher(ms_id): that MS has been removed, and its id may soon be another's.
function subscribers.watch(watcher)
    subscribers.watchers[#subscribers.watchers + 1] = watcher
end

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

-- The record of an MS, and which of its members it is, from 0; nil: nobody has that id.
function subscribers.of(ms_id)
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

-- The record and the member that have an IMSI; somebody may ask for what is none.
function subscribers.find(imsi)
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

-- Its packet flows: { slot, class, pfi (nil: none), rate_bit_per_s, bucket_octets }, by slot.
function subscribers.slots(ms_id)
    local record = subscribers.of(ms_id)
    return record and record.slots
end

-- ---- The lists ----

local function insert(record)
    record.first_imsi = math.tointeger(tonumber(record.ms.imsi))
    local records, span = subscribers.records, span_of(record.ms.imsi)
    table.insert(records, bisect(records, first_ms_id, record.first_ms_id) + 1, record)
    table.insert(span, bisect(span, first_imsi, record.first_imsi) + 1, record)
end

local function erase(record)
    local records, span = subscribers.records, span_of(record.ms.imsi)
    table.remove(records, bisect(records, first_ms_id, record.first_ms_id))
    table.remove(span, bisect(span, first_imsi, record.first_imsi))
end

-- Makes two of a record: what is returned begins with member `from`.
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
    insert(rest)
    return rest
end

-- ---- Ids ----

-- Ids of so many contexts for n members at most: of each context the first and the stride from
-- member to member; and for how many members. Member by member if there is a block for it, else
-- context by context.
local function take_pdp_ids(n, contexts)
    local ids, taken = subscribers.pdp_ids, {}
    if contexts == 0 then
        return taken, n
    end
    local first, got = ids:take(n * contexts)
    local members_of = got // contexts
    if got > members_of * contexts then
        ids:give(first + members_of * contexts, got - members_of * contexts)
    end
    for j = 1, contexts do
        taken[j] = members_of > 0 and { first = first + j - 1, stride = contexts }
            or { first = assert(ids:take(1)), stride = 1 }
    end
    return taken, math.max(members_of, 1)
end

-- Gives back the ids that n members had for a context.
local function give_pdp_ids(ids, n)
    if ids.stride == 1 then
        return subscribers.pdp_ids:give(ids.first, n)
    end
    for member = 0, n - 1 do
        subscribers.pdp_ids:give(ids.first + member * ids.stride, 1)
    end
end

-- ---- Adding and removing ----

local function breathe(done)
    if done % MSS_A_BREATH == 0 then
        world.breathe()
    end
end

-- Calls fn(record, member) for each of them; others get their turn now and then.
function subscribers.each(record, fn, ...)
    for member = 0, record.count - 1 do
        fn(record, member, ...)
        breathe(member + 1)
    end
end

local function new_record(nse_id, bvc_id, ms, from)
    local first, n = subscribers.ms_ids:take(ms.count - from)
    local pdp_ids, got = take_pdp_ids(n, #ms.pdp)
    if got < n then
        subscribers.ms_ids:give(first + got, n - got)
    end
    local record = {
        ms = members.slice(ms, from, got), count = got, nse_id = nse_id, bvc_id = bvc_id,
        first_ms_id = first, pdp_ids = pdp_ids,
    }
    record.slot_of, record.slots = parts.slots_of(ms)
    return record
end

local function begin(room)
    subscribers.ms_ids, subscribers.pdp_ids = blocks.new(room.mss), blocks.new(room.pdps)
end

-- The MSs of a normalised record, in that cell. nil and "room": not one of them.
function subscribers.add(nse_id, bvc_id, ms)
    if not subscribers.ms_ids then
        begin(world.cfg.room)
    end
    if subscribers.ms_ids.left < ms.count or subscribers.pdp_ids.left < ms.count * #ms.pdp then
        return nil, "room"
    end
    local from = 0
    while from < ms.count do
        local record = new_record(nse_id, bvc_id, ms, from)
        insert(record)
        subscribers.each(record, members.start)
        from = from + record.count
    end
    return true
end

-- The watchers last: an event that comes while commands wait may still be about it.
local function stop(record, member)
    members.stop(record, member)
    for _, watcher in ipairs(subscribers.watchers) do
        watcher(record.first_ms_id + member)
    end
end

-- All members of a record.
function subscribers.remove(record)
    subscribers.each(record, stop)
    erase(record)
    subscribers.ms_ids:give(record.first_ms_id, record.count)
    for _, ids in ipairs(record.pdp_ids) do
        give_pdp_ids(ids, record.count)
    end
end

-- ---- Changing ----

-- Contexts that are not in the new slice, or are others there, and packet flows that none is in.
local function drop(record, change)
    subscribers.each(record, members.drop, change)
    for _, j in ipairs(change.gone) do
        give_pdp_ids(record.pdp_ids[j], record.count)
    end
end

-- Ids for the new slice: those of contexts that stay, and new ones, for as many members as there
-- are neighbours.
local function ids_after(record, change)
    local new_ids, n = take_pdp_ids(record.count, #change.new)
    local ids, next_new = {}, 0
    for j, kept in ipairs(change.kept) do
        next_new = next_new + (kept and 0 or 1)
        ids[j] = kept and record.pdp_ids[kept] or new_ids[next_new]
    end
    return ids, n
end

-- Makes the MSs of a record those of the slice `ms` from `from` on, in the cell that the file now
-- has for them. Those whose ids do not suffice for all members at once are a record of their own,
-- not yet changed. Returns how many are done, and whether they are others than before.
function subscribers.change(record, ms, from, nse_id, bvc_id)
    ms = members.slice(ms, from, record.count)
    local change = changes.of(record, ms)
    if #change.gone > 0 or #change.gone_slots > 0 then
        drop(record, change)
    end
    record.ms, record.pdp_ids = change.rest, change.rest_ids
    record.slot_of, record.slots = change.rest_slot_of, change.rest_slots
    local ids, n = ids_after(record, change)
    if n < record.count then
        subscribers.cut(record, n)
    end
    local moved = record.bvc_id ~= bvc_id
    record.ms, record.pdp_ids = parts.slice(ms, 0, n), ids
    record.slot_of, record.slots = change.slot_of, change.slots
    record.nse_id, record.bvc_id = nse_id, bvc_id
    if change.any or moved then
        subscribers.each(record, members.change, change, moved)
    end
    return n, change.any or moved or #change.gone > 0
end

-- To its cell in the file.
subscribers.send_home = members.move
subscribers.may_move = members.may_move

-- How many more there is room for: "mss" or "pdps".
function subscribers.left(kind)
    local ids = kind == "mss" and subscribers.ms_ids or subscribers.pdp_ids
    return ids and ids.left or world.cfg.room[kind]
end

-- All records, as they are now.
function subscribers.list()
    return table.move(subscribers.records, 1, #subscribers.records, 1, {})
end

return subscribers
