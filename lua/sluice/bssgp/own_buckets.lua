-- Which MSs have buckets of their own, in which cell, and until when: Th after the last FLOW-CONTROL-MS
-- (TS 48.018 8.2.3, 12). A million MSs may, so the state is in arrays by ms_id. Each MS is in the list
-- of one second. A PDU that only prolongs Th writes one array; when the second of the list comes before
-- the MS's time, the MS moves to a later list.
local clock = require "sluice.core.clock"
local dp = require "dp"
local parts = require "sluice.config.parts"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local own = {}

local SECOND_NS = 1000000000
local MANY = 4096                  -- MSs visited in one pass
local NEXT_NS = 1000000            -- from one full pass to the next

-- By ms_id, false for none:
--   ends     the second in which the MS's bucket ends << CELL_BITS | its bvc_id
--   spot     the bvc_id << PLACE_BITS | the MS's place in the cell's list
--   next_of  the next MS in the list of a second, END for the last; an MS stays in the list until the
--            second is over, even if its bucket ended before
-- All entries exist from the start: growing a table to a million entries takes longer than the event
-- ring can buffer.
local ends, spot, next_of = {}, {}, {}
local END = -1
local flows = {}                   -- by ms_id: the packet flows with a bucket, one bit per slot
local CELL_BITS = 16               -- of a bvc_id
local CELL = (1 << CELL_BITS) - 1
local first_of = {}                -- by second: the first MS of its list
local cells = {}                   -- by bvc_id: the cell's MSs, in no order
local PLACE_BITS = 32
local PLACE = (1 << PLACE_BITS) - 1
local listed, timer = 0, nil       -- listed: MSs in lists of seconds
local finished                     -- the last second with a finished list

local pass

-- mss: the most MSs.
function own.begin(mss)
    for ms_id = 0, mss - 1 do
        ends[ms_id], spot[ms_id], next_of[ms_id] = false, false, false
    end
end

local function wait(ns)
    timer = timers.after(ns, pass)
end

local function begin_passes()
    if not timer then
        finished = clock.now_ns // SECOND_NS
        wait((finished + 1) * SECOND_NS - clock.now_ns)
    end
end

local function enlist(ms_id, second)
    begin_passes()
    listed = listed + 1
    next_of[ms_id] = first_of[second] or END
    first_of[second] = ms_id
end

-- ---- Cells ----

local function settle(ms_id, bvc_id)
    local cell = cells[bvc_id]
    if not cell then
        cell = {}
        cells[bvc_id] = cell
    end
    cell[#cell + 1] = ms_id
    spot[ms_id] = bvc_id << PLACE_BITS | #cell
end

local function unsettle(ms_id)
    local cell, place = cells[spot[ms_id] >> PLACE_BITS], spot[ms_id] & PLACE
    local n = #cell
    local last = cell[n]
    spot[last] = spot[last] & ~PLACE | place
    cell[place] = last
    cell[n] = nil
    spot[ms_id] = false
end

-- Puts the MS into the list of the cell.
local function is_in(ms_id, bvc_id)
    if not spot[ms_id] then
        settle(ms_id, bvc_id)
    elseif spot[ms_id] >> PLACE_BITS ~= bvc_id then
        own.moved(ms_id)
        settle(ms_id, bvc_id)
    end
end

-- ---- Values ----

-- The MS has a bucket of its own in the cell, until Th from now.
function own.note(ms_id, bvc_id)
    local second = (clock.now_ns + network.cfg.timers.th_ns) // SECOND_NS + 1
    local was = ends[ms_id]
    if not was or was & CELL ~= bvc_id then
        is_in(ms_id, bvc_id)
        if not next_of[ms_id] then
            enlist(ms_id, second)
        end
    end
    ends[ms_id] = second << CELL_BITS | bvc_id
end

-- A packet flow of the MS, with these slots, has a bucket of its own in the cell, without a time limit.
function own.note_pfc(ms_id, bvc_id, slots)
    is_in(ms_id, bvc_id)
    for _, slot in ipairs(slots) do
        flows[ms_id] = (flows[ms_id] or 0) | 1 << slot
    end
end

-- The MS was removed.
function own.forget(ms_id)
    if spot[ms_id] then
        unsettle(ms_id)
        ends[ms_id], flows[ms_id] = false, nil
    end
end

-- The MS falls back to the MS defaults of the cell's latest FLOW-CONTROL-BVC (8.2.3); the file's values
-- held only until the first FLOW-CONTROL-MS.
local function end_bucket(ms_id)
    local had = ends[ms_id]
    ends[ms_id] = false
    if had and dp.ms_cell(ms_id) then
        dp.ms_default { ms_id = ms_id }
    end
end

-- Packet flows fall back to the file's values or none: a cell has no defaults for packet flows.
local function end_flows(ms_id)
    local had = flows[ms_id] or 0
    flows[ms_id] = nil
    for _, bucket in ipairs(had ~= 0 and parts.buckets_of(subscribers.slots(ms_id) or {}) or {}) do
        if had & bucket.slots ~= 0 then
            dp.pfc_bucket(parts.bucket({ ms_id = ms_id, slot = bucket.slot }, bucket, ""))
        end
    end
end

-- The MS has changed its cell: values for the old cell end.
function own.moved(ms_id)
    if spot[ms_id] then
        unsettle(ms_id)
        end_bucket(ms_id)
        end_flows(ms_id)
    end
end

function own.bvc_reset(bvc_id)
    local cell = cells[bvc_id]
    while cell and cell[1] do
        own.moved(cell[#cell])
    end
end

-- Th has expired.
local function expire(ms_id)
    end_bucket(ms_id)
    if not flows[ms_id] then
        unsettle(ms_id)
    end
end

function own.has(ms_id, bvc_id)
    return ends[ms_id] and ends[ms_id] & CELL == bvc_id
end

-- The MS's bucket in the cell ends before Th.
function own.ended(ms_id, bvc_id)
    if own.has(ms_id, bvc_id) then
        expire(ms_id)
    end
end

-- ---- The lists ----

-- Handles at most `most` MSs of the second's list. Returns what is left of `most`.
local function work_off(second, most)
    local ms_id = first_of[second] or END
    while ms_id ~= END and most > 0 do
        first_of[second] = next_of[ms_id] -- out of the list: expire may suspend in a full command ring
        next_of[ms_id], listed, most = false, listed - 1, most - 1
        local ends_at = (ends[ms_id] or 0) >> CELL_BITS
        if ends_at > second then
            enlist(ms_id, ends_at)
        elseif ends_at > 0 then
            expire(ms_id)
        end
        ms_id = first_of[second]
    end
    if ms_id == END then
        first_of[second] = nil
    end
    return most
end

function pass()
    wait(SECOND_NS) -- the next pass comes even after an error in this one
    local now, most = clock.now_ns // SECOND_NS, MANY
    while finished < now and most > 0 do
        most = work_off(finished + 1, most)
        if most > 0 then
            finished = finished + 1
        end
    end
    timers.stop(timer)
    timer = nil
    if finished < now then
        wait(NEXT_NS)
    elseif listed > 0 then
        wait((now + 1) * SECOND_NS - clock.now_ns)
    end
end

return own
