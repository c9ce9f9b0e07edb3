-- Which MSs have values of their own, in which cell, and until when: Th after their last
-- FLOW-CONTROL-MS (TS 48.018 8.2.3, 12). There may be a million, so all is in arrays by ms_id, and
-- a PDU that only prolongs costs one of them: an MS is in the list of one second, and when that
-- comes and its time has not, it goes to the list of another.
local clock = require "sluice.core.clock"
local dp = require "dp"
local parts = require "sluice.config.parts"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local own = {}

local SECOND_NS = 1000000000
local MANY = 4096                  -- that go back to their defaults at a time
local NEXT_NS = 1000000            -- from then to the next so many

-- By ms_id: the second in which its bucket ends, above the cell that it is for; the cell again,
-- above its place in the cell's list; the next MS in the list of a second, END behind its last. In
-- that it stays until the second is over, even if its bucket ended before. Each false if there is
-- none, and each there from the start: a table of a million that grows holds events up for longer
-- than their ring has room.
local ends, spot, next_of = {}, {}, {}
local END = -1
local flows = {}                   -- the packet flows that have a bucket, a bit for each slot
local CELL_BITS = 16               -- of a bvc_id
local CELL = (1 << CELL_BITS) - 1
local first_of = {}                -- by second: the first of its list
local cells = {}                   -- by bvc_id: its MSs, in no order
local PLACE_BITS = 32
local PLACE = (1 << PLACE_BITS) - 1
local listed, timer = 0, nil       -- MSs in lists of seconds
local swept                        -- the last second that is over and worked off

local sweep

-- So many MSs at most.
function own.begin(mss)
    for ms_id = 0, mss - 1 do
        ends[ms_id], spot[ms_id], next_of[ms_id] = false, false, false
    end
end

local function wait(ns)
    timer = timers.after(ns, sweep)
end

local function begin_sweeping()
    if not timer then
        swept = clock.now_ns // SECOND_NS
        wait((swept + 1) * SECOND_NS - clock.now_ns)
    end
end

local function enlist(ms_id, second)
    begin_sweeping()
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

-- Where it is, if it has or will have values there.
local function is_in(ms_id, bvc_id)
    if not spot[ms_id] then
        settle(ms_id, bvc_id)
    elseif spot[ms_id] >> PLACE_BITS ~= bvc_id then
        own.moved(ms_id)
        settle(ms_id, bvc_id)
    end
end

-- ---- Values ----

-- It has a bucket of its own in that cell, from now on for Th.
function own.note(ms_id, bvc_id)
    local second = (clock.now_ns + world.cfg.timers.th_ns) // SECOND_NS + 1
    local was = ends[ms_id]
    if not was or was & CELL ~= bvc_id then
        is_in(ms_id, bvc_id)
        if not next_of[ms_id] then
            enlist(ms_id, second)
        end
    end
    ends[ms_id] = second << CELL_BITS | bvc_id
end

-- Of its packet flows that one has a bucket of its own there, which these slots use; no time ends
-- that.
function own.note_flow(ms_id, bvc_id, slots)
    is_in(ms_id, bvc_id)
    for _, slot in ipairs(slots) do
        flows[ms_id] = (flows[ms_id] or 0) | 1 << slot
    end
end

-- It was removed.
function own.forget(ms_id)
    if spot[ms_id] then
        unsettle(ms_id)
        ends[ms_id], flows[ms_id] = false, nil
    end
end

-- What the file says of an MS held until the BSS said others; from then on what is left are the
-- defaults of its cell's latest FLOW-CONTROL-BVC (8.2.3).
local function end_bucket(ms_id)
    local had = ends[ms_id]
    ends[ms_id] = false
    if had and dp.ms_cell(ms_id) then
        dp.ms_default { ms_id = ms_id }
    end
end

-- Back to those of the file, or none: a cell has no defaults for packet flows.
local function end_flows(ms_id)
    local had = flows[ms_id] or 0
    flows[ms_id] = nil
    for _, bucket in ipairs(had ~= 0 and parts.buckets_of(subscribers.slots(ms_id) or {}) or {}) do
        if had & bucket.slots ~= 0 then
            dp.pfc_flow(parts.bucket({ ms_id = ms_id, slot = bucket.slot }, bucket, ""))
        end
    end
end

-- It is in another cell: what came for the old one is not for the new, even if it came meanwhile.
function own.moved(ms_id)
    if spot[ms_id] then
        unsettle(ms_id)
        end_bucket(ms_id)
        end_flows(ms_id)
    end
end

-- All of a cell.
function own.bvc_reset(bvc_id)
    local cell = cells[bvc_id]
    while cell and cell[1] do
        own.moved(cell[#cell])
    end
end

-- Th is over.
local function expire(ms_id)
    end_bucket(ms_id)
    if not flows[ms_id] then
        unsettle(ms_id)
    end
end

-- ---- The lists ----

-- The list of that second is worked off, at most so many; how many were not.
local function work_off(second, most)
    local ms_id = first_of[second] or END
    while ms_id ~= END and most > 0 do
        first_of[second] = next_of[ms_id] -- it is in no list while commands wait
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

function sweep()
    wait(SECOND_NS) -- whatever goes wrong here
    local now, most = clock.now_ns // SECOND_NS, MANY
    while swept < now and most > 0 do
        most = work_off(swept + 1, most)
        if most > 0 then
            swept = swept + 1
        end
    end
    timers.stop(timer)
    timer = nil
    if swept < now then
        wait(NEXT_NS)
    elseif listed > 0 then
        wait((now + 1) * SECOND_NS - clock.now_ns)
    end
end

return own
