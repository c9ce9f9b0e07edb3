-- Finds the records (registry.lua) with a GGSN's TEID, without a walk over all of them: an error indication
-- may come for each uplink packet, from anybody.
--
-- The TEIDs of a record's context count up from MS to MS, so they are a range. A range of n is listed in the
-- one or two blocks that it touches, of the least power of two that is at least n; blocks are kept by their
-- size. A search looks in one block of each size there is. What it finds is a hint: cutting a record leaves
-- its place as it was, and several GGSNs may have one TEID.
local seeded = require "sluice.base.seeded"

local teids = {}

local EXPONENT_MOST = 32

-- By exponent of the size, from 0, and by seeded number: a record, or a list of them.
local blocks = {}
for exponent = 0, EXPONENT_MOST do
    blocks[exponent] = {}
end

-- Calls fn(blocks of its size, seeded number) for each block that a context's range touches.
local function each_block(record, fn)
    local exponent, last = 0, record.count - 1
    while last >> exponent > 0 do
        exponent = exponent + 1
    end
    for _, pdp in ipairs(record.ms.pdp) do
        if pdp.ggsn_teid then
            local from, to = pdp.ggsn_teid >> exponent, pdp.ggsn_teid + last >> exponent
            fn(blocks[exponent], seeded(from))
            if to ~= from then
                fn(blocks[exponent], seeded(to))
            end
        end
    end
end

-- The record's contexts are those of record.ms, for record.count MSs.
function teids.put(record)
    record.teid_blocks = {}
    each_block(record, function(of_size, number)
        local there, places = of_size[number], record.teid_blocks
        if there and not there[1] then
            of_size[number] = { there, record }
        elseif there then
            there[#there + 1] = record
        else
            of_size[number] = record
        end
        places[#places + 1], places[#places + 2] = of_size, number
    end)
end

local function take_out(of_size, number, record)
    local there = of_size[number]
    if there == record then
        of_size[number] = nil
        return
    end
    for i, one in ipairs(there) do
        if one == record then
            table.remove(there, i)
            break
        end
    end
    if not there[1] then
        of_size[number] = nil
    end
end

function teids.drop(record)
    local places = record.teid_blocks
    for i = 1, #places, 2 do
        take_out(places[i], places[i + 1], record)
    end
    record.teid_blocks = nil
end

-- Calls fn(record) for each record that may have the TEID, until it returns something, and returns that.
function teids.find(teid, fn)
    for exponent = 0, EXPONENT_MOST do
        local there = blocks[exponent][seeded(teid >> exponent)]
        if there and not there[1] then
            there = { there }
        end
        for _, record in ipairs(there or {}) do
            local found = fn(record)
            if found then
                return found
            end
        end
    end
end

return teids
