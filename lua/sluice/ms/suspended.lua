-- The suspended MSs (suspend.lua), by ms_id: { ms_id, reference, bvc, place, paged }; each cell has a
-- list of its own with the entry at `place`.
local suspended = {}

local entries, n = {}, 0

local function join(entry, bvc)
    bvc.suspended = bvc.suspended or {}
    entry.bvc, entry.place = bvc, #bvc.suspended + 1
    bvc.suspended[entry.place] = entry
end

-- The list's last entry takes the place of the leaving one.
local function leave(entry)
    local list = entry.bvc.suspended
    local last = list[#list]
    list[entry.place], last.place = last, entry.place
    list[#list] = nil
end

function suspended.add(entry, bvc)
    entries[entry.ms_id], n = entry, n + 1
    join(entry, bvc)
end

function suspended.remove(entry)
    leave(entry)
    entries[entry.ms_id], n = nil, n - 1
end

-- nil: the MS is not suspended.
function suspended.of(ms_id)
    return entries[ms_id]
end

-- The MS has moved to another cell.
function suspended.moved(ms_id, bvc)
    local entry = entries[ms_id]
    if entry then
        leave(entry)
        join(entry, bvc)
    end
end

-- Any suspended MS of the cell.
function suspended.last_of(bvc)
    local list = bvc.suspended
    return list and list[#list]
end

-- For tests.
function suspended.count()
    return n
end

return suspended
