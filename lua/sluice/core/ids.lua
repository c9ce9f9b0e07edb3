-- Ids of one kind, from 0. Unused ids come first; freed ids come again in the order of their release.
local pool = {}
pool.__index = pool

-- Returns nil if no id is free, or only kept ones are.
function pool:take()
    if self:left() <= 0 then
        return nil
    end
    if self.next < self.capacity then
        self.next = self.next + 1
        return self.next - 1
    end
    local id = self.free[self.first]
    self.free[self.first], self.first = nil, self.first + 1
    return id
end

function pool:give(id)
    self.last = self.last + 1
    self.free[self.last] = id
end

-- The number of ids that may be taken.
function pool:left()
    return self.capacity - self.next + self.last - self.first + 1 - self.kept
end

-- Keeps n ids for a reload, which calls spend before each take.
function pool:keep(n)
    self.kept = n
end

function pool:spend()
    self.kept = math.max(self.kept - 1, 0)
end

return function(capacity)
    return setmetatable({
        next = 0, capacity = capacity, free = {}, first = 1, last = 0, kept = 0,
    }, pool)
end
