-- MSs that come and go one at a time, as phones do that attach: each is a record of one MS (registry.lua),
-- found by its id and by its IMSI in a hash. To add or to remove one moves no other, as it would in the
-- sorted lists of ranges. Its ids are of the ranges' blocks, taken in runs and kept in a stack: an id that
-- is given back is the next to be taken.
local single = {
    records = {}, -- all of them; the last one takes the place of one that goes, so the order is a run's own
}

local RUN = 64 -- ids taken from the blocks at a time

local by_ms_id, by_imsi, place_of = {}, {}, {}

-- False: another one has the IMSI.
function single.put(record)
    local records, imsi = single.records, record.ms.imsi
    if by_imsi[imsi] then
        return false
    end
    by_ms_id[record.first_ms_id], by_imsi[imsi] = record, record
    records[#records + 1], place_of[record] = record, #records + 1
    return true
end

function single.drop(record)
    local records, place = single.records, place_of[record]
    local last = records[#records]
    records[place], place_of[last] = last, place
    records[#records], place_of[record] = nil, nil
    by_ms_id[record.first_ms_id], by_imsi[record.ms.imsi] = nil, nil
end

function single.of(ms_id)
    return by_ms_id[ms_id]
end

function single.find(imsi)
    return by_imsi[imsi]
end

-- ---- Ids ----

local ids = {}
ids.__index = ids

-- A stack of free ids over blocks (base/blocks.lua).
function single.ids(blocks)
    return setmetatable({ blocks = blocks }, ids)
end

-- nil: none is free.
function ids:take()
    if #self == 0 then
        local first, n = self.blocks:take(RUN)
        for i = 1, n do
            self[i] = first + n - i
        end
    end
    return table.remove(self)
end

function ids:give(id)
    self[#self + 1] = id
end

-- The number of ids that can be taken.
function ids:left()
    return #self + self.blocks.left
end

-- Gives all back to the blocks, for a range that finds no room without them: from the lowest on, in runs, so that
-- the blocks' list moves nothing that has just been given.
function ids:pour()
    table.sort(self)
    local first, n = self[1], 0
    for i = 1, #self do
        if self[i] ~= first + n then
            self.blocks:give(first, n)
            first, n = self[i], 0
        end
        n, self[i] = n + 1, nil
    end
    if n > 0 then
        self.blocks:give(first, n)
    end
end

return single
