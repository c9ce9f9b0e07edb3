-- Gives out ids in consecutive runs, so that one record holds a million MSs. The free ids are a sorted
-- list of intervals that never touch each other.
local bisect = require "sluice.base.bisect"

local blocks = {}
blocks.__index = blocks

function blocks.new(capacity)
    return setmetatable({ { first = 0, last = capacity - 1 }, left = capacity }, blocks)
end

local function size_of(block)
    return block.last - block.first + 1
end

-- The place of the first interval of at least n ids, else of the largest.
local function choose(free, n)
    local largest
    for i, block in ipairs(free) do
        if size_of(block) >= n then
            return i
        elseif not largest or size_of(block) > size_of(free[largest]) then
            largest = i
        end
    end
    return largest
end

-- Takes n consecutive ids, or as many as the largest interval has. Returns the first id and their
-- number; nil if none is free.
function blocks:take(n)
    local i = choose(self, n)
    if not i then
        return nil, 0
    end
    local block = self[i]
    local first = block.first
    n = math.min(n, size_of(block))
    block.first, self.left = first + n, self.left - n
    if block.first > block.last then
        table.remove(self, i)
    end
    return first, n
end

local function first_of(block)
    return block.first
end

local function join(free, i)
    if i >= 1 and free[i + 1] and free[i].last + 1 == free[i + 1].first then
        free[i].last = free[i + 1].last
        table.remove(free, i + 1)
    end
end

-- Gives n consecutive ids back.
function blocks:give(first, n)
    local i = bisect(self, first_of, first) + 1
    table.insert(self, i, { first = first, last = first + n - 1 })
    self.left = self.left + n
    join(self, i)
    join(self, i - 1)
end

return blocks
