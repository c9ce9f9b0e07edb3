-- Ids of one kind, from 0: each once, those that were given back last of all.
local pool = {}
pool.__index = pool

-- nil: there is none, or none but those that are kept.
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

-- How many may still be taken.
function pool:left()
    return self.capacity - self.next + self.last - self.first + 1 - self.kept
end

-- Keeps so many for one who takes them later, each behind a `spend`, while others take theirs.
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
