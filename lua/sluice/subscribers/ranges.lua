-- Adds, changes and removes ranges of MSs (registry.lua): takes their ids, and calls members.lua for
-- each MS. A range may have a million MSs, so a job yields after each MSS_A_BREATH of them.
local blocks = require "sluice.base.blocks"
local changes = require "sluice.subscribers.differences"
local members = require "sluice.subscribers.members"
local parts = require "sluice.config.parts"
local single = require "sluice.subscribers.single"
local subscribers = require "sluice.subscribers.registry"
local teids = require "sluice.subscribers.teids"
local jobs = require "sluice.core.jobs"
local network = require "sluice.core.network"

local ranges = {}

local MSS_A_BREATH = 64

-- ---- Ids ----

-- For a context of a single record. The caller has looked whether there is room.
local function take_single_pdp_id()
    return { first = assert(ranges.single_pdp_ids:take(), "no place for a context"), stride = 1 }
end

-- Takes ids of `contexts` PDP contexts for at most n members. Returns for each context the first id and
-- the stride from member to member; and the number of members. Ids are member by member if a free block
-- is large enough, else context by context for one member.
local function take_pdp_ids(n, contexts)
    local ids, taken = ranges.pdp_ids, {}
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

-- Gives back the ids of one context of a record.
local function give_pdp_ids(record, ids)
    local n = record.count
    if record.is_single then
        ranges.single_pdp_ids:give(ids.first)
        return
    end
    if ids.stride == 1 then
        return ranges.pdp_ids:give(ids.first, n)
    end
    for member = 0, n - 1 do
        ranges.pdp_ids:give(ids.first + member * ids.stride, 1)
    end
end

-- ---- Adding and removing ----

local function breathe(done)
    if done % MSS_A_BREATH == 0 then
        jobs.breathe()
    end
end

-- Calls fn(record, member, ...) for each member and yields now and then.
function ranges.each(record, fn, ...)
    for member = 0, record.count - 1 do
        fn(record, member, ...)
        breathe(member + 1)
    end
end

local function new_record(nse_id, bvc_id, ms, from)
    local first, n = ranges.ms_ids:take(ms.count - from)
    local pdp_ids, got = take_pdp_ids(n, #ms.pdp)
    if got < n then
        ranges.ms_ids:give(first + got, n - got)
    end
    local record = {
        ms = members.slice(ms, from, got), count = got, nse_id = nse_id, bvc_id = bvc_id,
        first_ms_id = first, pdp_ids = pdp_ids,
    }
    record.slot_of, record.slots = parts.slots_of(ms)
    return record
end

local function begin()
    local room = network.cfg.room
    if not ranges.ms_ids then
        ranges.ms_ids, ranges.pdp_ids = blocks.new(room.mss), blocks.new(room.pdps)
        ranges.single_ms_ids, ranges.single_pdp_ids = single.ids(ranges.ms_ids), single.ids(ranges.pdp_ids)
    end
end

-- Whether so many ids are free. What single records have given back is used only then.
local function has_room(ids, singles, n)
    if ids.left < n and singles:left() >= n then
        singles:pour()
    end
    return ids.left >= n
end

-- Adds the MSs of a normalised record to the cell. Returns nil and "room", and adds none, without room.
function ranges.add(nse_id, bvc_id, ms)
    begin()
    if not has_room(ranges.ms_ids, ranges.single_ms_ids, ms.count)
        or not has_room(ranges.pdp_ids, ranges.single_pdp_ids, ms.count * #ms.pdp) then
        return nil, "room"
    end
    local from = 0
    while from < ms.count do
        local record = new_record(nse_id, bvc_id, ms, from)
        subscribers.insert(record)
        ranges.each(record, members.start)
        from = from + record.count
    end
    return true
end

-- Takes the record out, and gives its ids back.
local function forget(record)
    subscribers.erase(record)
    if record.is_single then
        ranges.single_ms_ids:give(record.first_ms_id)
    else
        ranges.ms_ids:give(record.first_ms_id, record.count)
    end
    for _, ids in ipairs(record.pdp_ids) do
        give_pdp_ids(record, ids)
    end
end

-- Adds one MS that may come and go at any time, without contexts (add_context); ms, a normalised record, with count 1
-- and no pdp, becomes the record's own. Returns its record; nil and "room" or "imsi" if there is no place for it, or its
-- IMSI is another's; nil and the dataplane's error, such as no place at the cell's worker.
function ranges.add_single(nse_id, bvc_id, ms)
    begin()
    if subscribers.find(ms.imsi) then
        return nil, "imsi"
    elseif ranges.single_ms_ids:left() == 0 then
        return nil, "room"
    end
    local record = {
        ms = ms, count = 1, nse_id = nse_id, bvc_id = bvc_id, is_single = true,
        first_ms_id = ranges.single_ms_ids:take(), pdp_ids = {}, slot_of = {}, slots = {},
    }
    subscribers.insert(record)
    local good, why = pcall(members.start, record, 0)
    if not good then
        members.undo(record, 0)
        forget(record)
        return nil, why
    end
    return record
end

-- Watchers are told last: events that come while a command waits may still refer to the MS.
local function stop(record, member)
    members.stop(record, member)
    subscribers.tell("removed", record.first_ms_id + member)
end

-- Removes all members of a record.
function ranges.remove(record)
    ranges.each(record, stop)
    forget(record)
end

-- ---- Changing ----

-- Removes the contexts that are not in the new slice or differ there, and unused packet flows.
local function drop(record, change)
    ranges.each(record, members.drop, change)
    for _, j in ipairs(change.gone) do
        give_pdp_ids(record, record.pdp_ids[j])
    end
end

-- The ids for the new slice: kept and new ones. Returns also for how many members the new ids suffice.
local function ids_after(record, change)
    local new_ids, n = take_pdp_ids(record.count, #change.new)
    local ids, next_new = {}, 0
    for j, kept in ipairs(change.kept) do
        next_new = next_new + (kept and 0 or 1)
        ids[j] = kept and record.pdp_ids[kept] or new_ids[next_new]
    end
    return ids, n
end

-- Changes the MSs of a record to those of the slice `ms` from `from` on, in the given cell. If the new
-- ids do not suffice for all members, the rest becomes an unchanged record of its own. Returns the
-- number of changed members, and whether anything differed.
function ranges.change(record, ms, from, nse_id, bvc_id)
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
        ms = parts.slice(ms, 0, n)
    end
    local moved = record.bvc_id ~= bvc_id
    teids.drop(record)
    record.ms, record.pdp_ids = ms, ids
    teids.put(record)
    record.slot_of, record.slots = change.slot_of, change.slots
    record.nse_id, record.bvc_id = nse_id, bvc_id
    if change.any or moved then
        ranges.each(record, members.change, change, moved)
    end
    return n, change.any or moved or #change.gone > 0
end

-- ---- One context of a single record ----

-- Those of `slots` whose packet flows are not in slot_of.
local function missing(slots, slot_of)
    local list = {}
    for _, pfc in ipairs(slots) do
        if not slot_of[parts.pfc_key(pfc)] then
            list[#list + 1] = pfc
        end
    end
    return list
end

-- Adds the context `pdp`. The record's other contexts are not compared, because phones do this hundreds of times a
-- second. The caller has checked that there is room.
function ranges.add_context(record, pdp)
    local j, slot_of, slots = #record.ms.pdp + 1, record.slot_of, record.slots
    record.ms.pdp[j], record.pdp_ids[j] = pdp, take_single_pdp_id()
    record.slot_of, record.slots = parts.slots_of(record.ms, slot_of)
    members.add_context(record, j, missing(record.slots, slot_of), slots)
end

-- Removes context j, and its packet flow if no other context uses it. In a reload's job the commands may wait while
-- events go on, so the record has only its other contexts before the first command.
function ranges.remove_context(record, j)
    local slots = record.slots
    teids.drop(record)
    table.remove(record.ms.pdp, j)
    local ids = table.remove(record.pdp_ids, j)
    teids.put(record)
    record.slot_of, record.slots = parts.slots_of(record.ms, record.slot_of)
    members.remove_context(record, ids.first, missing(slots, record.slot_of))
    give_pdp_ids(record, ids)
end

-- The number of free places: kind is "mss" or "pdps".
function ranges.left(kind)
    local ids = kind == "mss" and ranges.single_ms_ids or ranges.single_pdp_ids
    return ids and ids:left() or network.cfg.room[kind]
end

return ranges
