-- Events for all cells of an NSE: BVCI 0 is reset, or user data is held, or released. An NSE may have
-- thousands of cells, so a job in pieces applies an event to them; an event that comes meanwhile joins
-- the running job. A cell applies the event (catch_up) before it handles any PDU. An action that needs
-- all cells, such as the BVC-RESET-ACK of BVCI 0, runs after the last cell.
local breath = require "sluice.base.breath"
local count = require "count"
local log = require "log"
local jobs = require "sluice.core.jobs"
local network = require "sluice.core.network"

local cells = {
    bvci0_reset = nil, hold = nil, -- (b), (b, whether): the event for one cell, set by states.lua
}

local CELLS_AT_ONCE = 16 -- without a job for an NSE of so many cells

-- Events have numbers in order; b.applied is the number of the last event that the cell has applied.
function cells.begin_nse(nse)
    nse.cell_events = {
        number = 0, reset = 0, held = 0, -- the last event, and the last of each kind
        holds = false, running = false,
        after = {},                     -- { number, fn, ... } in order
    }
end

function cells.begin_cell(b)
    b.applied = b.nse.cell_events.number
end

-- Applies the outstanding events to a cell. Returns whether there were any.
function cells.catch_up(b)
    local all, from = b.nse.cell_events, b.applied
    if from == all.number then
        return false
    end
    b.applied = all.number
    if from < all.reset then
        cells.bvci0_reset(b)
    end
    if from < all.held then
        cells.hold(b, all.holds)
    end
    return true
end

local function run_waiting(nse, number)
    local after, first = nse.cell_events.after, 1
    while after[first] and after[first].number <= number do
        first = first + 1
    end
    local now = table.move(after, 1, first - 1, 1, {})
    table.move(after, first, #after + first - 1, 1)
    for _, waited in ipairs(now) do
        if network.nse[nse.id] == nse then
            waited.fn(table.unpack(waited, 1, 3))
        end
    end
end

-- Walks from the end of the list: the last cell takes the place of a removed one and has been visited,
-- and a new cell has no outstanding events.
local function walk(nse)
    local number = nse.cell_events.number
    local i = #nse.bvc_list
    while i > 0 do
        cells.catch_up(nse.bvc_list[i])
        breath.take()
        i = math.min(i - 1, #nse.bvc_list)
    end
    run_waiting(nse, number)
end

local function go_through(nse)
    while nse.cell_events.running and network.nse[nse.id] == nse do
        local number = nse.cell_events.number
        walk(nse)
        nse.cell_events.running = nse.cell_events.number > number
    end
end

local function begin_job(nse)
    nse.cell_events.running = true
    jobs.start(function()
        go_through(nse)
    end, function(good, why)
        nse.cell_events.running = false
        if not good then
            count.add "other_faults"
            log.error(("NSE %d: internal error in the job for all its cells: %s"):format(nse.nsei, why))
        end
    end)
end

-- fn(...), which may be nil, is called once all cells have applied the event; three arguments at most.
local function start(nse, fn, ...)
    local all = nse.cell_events
    if fn then
        all.after[#all.after + 1] = { number = all.number, fn = fn, ... }
    end
    if all.running then
        return
    elseif #nse.bvc_list <= CELLS_AT_ONCE then
        walk(nse)
    else
        begin_job(nse)
    end
end

function cells.reset_all(nse, fn, ...)
    local all = nse.cell_events
    all.number = all.number + 1
    all.reset = all.number
    start(nse, fn, ...)
end

function cells.hold_all(nse, whether)
    local all = nse.cell_events
    all.number = all.number + 1
    all.held, all.holds = all.number, whether
    start(nse)
end

return cells
