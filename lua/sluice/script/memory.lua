-- Estimates the memory that the user's policy keeps: the objects reached from its globals and `state`
-- through tables and the upvalues of its own functions, each counted once, with the sizes of Lua's
-- objects. A table's unused room is not counted.
local memory = {}

local STRING, TABLE, FUNCTION, PLACE, NODE = 25, 56, 40, 16, 40 -- octets

local function own_size(value, chunk)
    local kind = type(value)
    if kind == "string" then
        return STRING + #value
    elseif kind == "table" then
        return TABLE
    elseif kind == "function" and debug.getinfo(value, "S").source == chunk then
        return FUNCTION
    end
    return 0 -- a function of Sluice, or no object
end

-- Counts an object that has not been seen yet.
local function meet(walk, value)
    if walk.seen[value] then
        return
    end
    local octets = own_size(value, walk.chunk)
    if octets > 0 then
        walk.seen[value] = true
        walk.sum = walk.sum + octets
        walk.open[#walk.open + 1] = type(value) ~= "string" and value or nil
    end
end

local function meet_entries(walk, t)
    local places = #t
    for key, value in next, t do
        local is_place = math.type(key) == "integer" and key > 0 and key <= places
        walk.sum = walk.sum + (is_place and PLACE or NODE)
        meet(walk, key)
        meet(walk, value)
        if walk.sum > walk.most then
            return
        end
    end
end

local function meet_upvalues(walk, fn)
    local i = 1
    local name, value = debug.getupvalue(fn, i)
    while name do
        walk.sum = walk.sum + NODE
        meet(walk, value)
        i = i + 1
        name, value = debug.getupvalue(fn, i)
    end
end

-- Returns whether root keeps more than `most` octets; stops counting there. chunk: the source name of
-- the script's functions.
function memory.is_more(root, most, chunk)
    local walk = { seen = {}, open = {}, sum = 0, most = most, chunk = chunk }
    meet(walk, root)
    while walk.sum <= most and #walk.open > 0 do
        local value = table.remove(walk.open)
        local look = type(value) == "table" and meet_entries or meet_upvalues
        look(walk, value)
    end
    return walk.sum > most
end

return memory
