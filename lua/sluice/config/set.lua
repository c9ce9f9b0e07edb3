-- `--set KEY=VALUE`: changes one value from the command line before the checks. KEY is a path as in
-- messages, `nse[1].bvc[1].ms[1].n201_u`; an index may be left out if there is only one item. VALUE is
-- a number if the key is one, else text: a quantity with its unit, an IMSI with its leading zeros.
local breath = require "sluice.base.breath"
local nearest = require "sluice.base.nearest"
local schema = require "sluice.config.schema"
local values = require "sluice.config.values"

local set = {}

local SWITCH = { ["true"] = true, ["false"] = false }

local function key_value(constructor, name, text)
    local key = constructor.key[name]
    if key.type == "switch" and SWITCH[text] ~= nil then
        return SWITCH[text]
    end
    local wants_number = key.type == "integer" or key.type == "integers"
        or key.type == "choice" and type(key.choices[1]) == "number"
    return wants_number and tonumber(text) or text
end

local function names_of(constructors)
    local names = {}
    for i, constructor in ipairs(constructors) do
        names[i] = constructor.name
    end
    return names
end

local function unknown(what, part, names)
    return ("unknown %s '%s'; allowed: %s"):format(what, values.plain(part),
        table.concat(names, ", ")) .. nearest.hint(part, names)
end

-- The nodes of one kind among `list`.
local function of_kind(list, kind)
    local nodes = {}
    for _, node in breath.each(list) do
        nodes[#nodes + 1] = node.kind == kind and node or nil
    end
    return nodes
end

local function children_of(run, node)
    local nodes = {}
    for _, number in breath.each((values.sorted_keys(node.table, breath.take))) do
        nodes[#nodes + 1] = run.nodes[node.table[number]]
    end
    return nodes
end

-- Makes a single constructor that the file does not have, for its first key from the command line.
local function make(run, parent, kind, key_path)
    local place = "--set " .. values.printable(key_path)
    local node = { kind = kind, table = {}, line = place }
    run.made[#run.made + 1] = node
    run.nodes[node.table] = node
    if parent then
        local numbers = values.sorted_keys(parent.table, breath.take)
        parent.table[(numbers[#numbers] or 0) + 1] = node.table
    end
    return node
end

local function choose(run, parent, list, constructor, index, key_path)
    local nodes = of_kind(list, constructor.name)
    if #nodes == 0 and constructor.single and (parent or not constructor.parent) then
        return make(run, parent, constructor.name, key_path)
    end
    local number = index == "" and #nodes == 1 and 1 or math.tointeger(tonumber(index))
    if nodes[number] then
        return nodes[number]
    end
    local found = index == "" and "no index" or "the index " .. index
    local last = #nodes > 1 and (" to %s[%d]"):format(constructor.name, #nodes) or ""
    return nil, #nodes == 0 and ("the file has no %s { } to change"):format(
        constructor.name) or ("found %s, allowed %s[1]%s"):format(found, constructor.name, last)
end

local function split(key_path)
    local parts = {}
    for part in (key_path .. "."):gmatch("([^.]*)%.") do
        local name, index = part:match("^([%w_]+)%[(%d+)%]$")
        parts[#parts + 1] = { name = name or part, index = index or "" }
    end
    return parts
end

-- Follows all parts of the path but the last. Returns the node and its constructor, or nil and a
-- message.
local function find(run, parts, key_path)
    local list, constructors = run.made, schema.top
    local node, constructor
    for i = 1, #parts - 1 do
        constructor = nil
        for _, known in ipairs(constructors) do
            constructor = known.name == parts[i].name and known or constructor
        end
        if not constructor then
            return nil, unknown("block", parts[i].name, names_of(constructors))
        end
        local text
        node, text = choose(run, node, list, constructor, parts[i].index, key_path)
        if not node then
            return nil, text
        end
        list, constructors = children_of(run, node), constructor.children
    end
    return node, schema.of(constructor, node.table)
end

local function apply(run, key_path, text)
    local parts = split(key_path)
    if #parts < 2 then
        return "found no key, allowed a path such as run.seed"
    end
    local node, constructor = find(run, parts, key_path)
    if not node then
        return constructor
    end
    local last = parts[#parts]
    if not constructor.key[last.name] or last.index ~= "" then
        local name = last.name .. (last.index ~= "" and "[" .. last.index .. "]" or "")
        return unknown("key", name, constructor.key_names)
    end
    node.table[last.name] = key_value(constructor, last.name, text)
    node.set = node.set or {}
    node.set[last.name] = values.printable(key_path)
    return nil
end

-- Applies all --set to the tables of the sandbox's result `run`, in their order.
function set.all(run, sets, mistakes)
    for _, argument in ipairs(sets) do
        local key_path, text = argument:match("^([^=]*)=(.*)$")
        local mistake = "found no =, allowed KEY=VALUE"
        if key_path then
            mistake = apply(run, key_path, text)
        end
        if mistake then
            mistakes:add("--set " .. values.printable(key_path or argument), "", mistake)
        end
    end
end

return set
