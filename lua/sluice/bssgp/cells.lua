-- What befalls all cells of an NSE at once: they are lost, for BVCI 0 is reset, or held, or let go. An
-- NSE may have thousands, so that is a job in pieces; one that comes while the job of an earlier one
-- runs is part of it, however often a BSS does that. A cell that is still to hear of it does so before
-- anything else of it happens. What waits for all cells, as the acknowledgement of a RESET does, is
-- done when none of them is as it was before.
local breath = require "sluice.base.breath"
local count = require "count"
local log = require "log"
local world = require "sluice.core.world"

local cells = {
    lost = nil, hold = nil, -- lost(b), hold(b, whether): what it means to one, states.lua's
}

local CELLS_AT_ONCE = 16 -- of an NSE that has no more it is no job

-- Each thing that befalls them has the next number.
function cells.begin_nse(nse)
    nse.befallen = {
        number = 0, lost = 0, held = 0, -- the last of all, of each kind
        holds = false, running = false,
        after = {},                     -- { number, fn, ... } in order
    }
end

function cells.begin_cell(b)
    b.befallen = b.nse.befallen.number
end

-- Whether there was something.
function cells.catch_up(b)
    local all, from = b.nse.befallen, b.befallen
    if from == all.number then
        return false
    end
    b.befallen = all.number
    if from < all.lost then
        cells.lost(b)
    end
    if from < all.held then
        cells.hold(b, all.holds)
    end
    return true
end

local function do_what_waited(nse, number)
    local after, first = nse.befallen.after, 1
    while after[first] and after[first].number <= number do
        first = first + 1
    end
    local now = table.move(after, 1, first - 1, 1, {})
    table.move(after, first, #after + first - 1, 1)
    for _, waited in ipairs(now) do
        if world.nse[nse.id] == nse then
            waited.fn(table.unpack(waited, 1, 3))
        end
    end
end

-- From the last one on: the place of one that goes is taken by one that was there already, and new
-- ones know of all.
local function walk(nse)
    local number = nse.befallen.number
    local i = #nse.bvc_list
    while i > 0 do
        cells.catch_up(nse.bvc_list[i])
        breath.take()
        i = math.min(i - 1, #nse.bvc_list)
    end
    do_what_waited(nse, number)
end

local function go_through(nse)
    while nse.befallen.running and world.nse[nse.id] == nse do
        local number = nse.befallen.number
        walk(nse)
        nse.befallen.running = nse.befallen.number > number
    end
end

local function begin_job(nse)
    nse.befallen.running = true
    world.job(function()
        go_through(nse)
    end, function(good, why)
        nse.befallen.running = false
        if not good then
            count.add "other_faults"
            log.error(("NSE %d: what befell its cells failed: %s"):format(nse.nsei, why))
        end
    end)
end

-- fn(...), which may be nil, is called when all know, with three arguments at most.
local function befall(nse, fn, ...)
    local all = nse.befallen
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

function cells.lose_all(nse, fn, ...)
    local all = nse.befallen
    all.number = all.number + 1
    all.lost = all.number
    befall(nse, fn, ...)
end

function cells.hold_all(nse, whether)
    local all = nse.befallen
    all.number = all.number + 1
    all.held, all.holds = all.number, whether
    befall(nse)
end

return cells
