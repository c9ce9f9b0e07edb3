-- KEY=VALUE, from `--set` and from variants { } and sweep { }: changes values of the file before the
-- checks. KEY is a path as in messages, `nse[1].bvc[1].ms[1].n201_u`. A part without an index means all
-- blocks of that kind: `nse.bvc.rate` is the rate of every cell, and so is `bvc.rate`. A class and a
-- GGSN may be named: `class[background].weight`; `class[*]` means all seven classes, written in the
-- file or not. VALUE is a number if the key is one, else text: a quantity with its unit,
-- an IMSI with its leading zeros.
local nearest = require "sluice.base.nearest"
local schema = require "sluice.schema.schema"
local values = require "sluice.config.values"

local set = {}

local ALL = "*" -- class[*]: all seven, also those that the file does not have
local SWITCH = { ["true"] = true, ["false"] = false }

local function key_value(key, text)
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
    if #names == 0 then
        return ("found '%s' before a point, allowed a key at the end: there is no block below"):format(values.plain(part))
    end
    return ("unknown %s '%s'; allowed: %s"):format(what, values.plain(part),
        table.concat(names, ", ")) .. nearest.hint(part, names)
end

-- ---- The changes, which can be taken back: a variant that is only checked leaves nothing ----

local function assign(run, node, name, value, place)
    node.set = node.set or {}
    run.changes[#run.changes + 1] = {
        node = node, name = name, value = node.table[name], place = node.set[name],
    }
    node.table[name], node.set[name] = value, place
end

local function take_back(run, change)
    local node = change.node
    if change.name then
        node.table[change.name], node.set[change.name] = change.value, change.place
        return
    end
    run.made[#run.made], run.nodes[node.table] = nil, nil
    if change.number then
        change.parent.table[change.number] = nil
    end
end

-- Makes a block that the file does not have, with what stands for it, for its first key from outside.
local function make(run, parent, kind, given, place)
    local node = { kind = kind, table = {}, line = place }
    local number
    for name, value in next, given do
        node.table[name] = value
    end
    run.made[#run.made + 1], run.nodes[node.table] = node, node
    if parent then
        local numbers = values.sorted_keys(parent.table)
        number = (numbers[#numbers] or 0) + 1
        parent.table[number] = node.table
    end
    run.changes[#run.changes + 1] = { node = node, parent = parent, number = number }
    return node
end

-- ---- The blocks that a path means ----

-- The nodes of one kind among `list`.
local function of_kind(list, kind)
    local nodes = {}
    for _, node in ipairs(list) do
        nodes[#nodes + 1] = node.kind == kind and node or nil
    end
    return nodes
end

local function children_of(run, node)
    local nodes = {}
    for _, number in ipairs((values.sorted_keys(node.table))) do
        nodes[#nodes + 1] = run.nodes[node.table[number]]
    end
    return nodes
end

local function none(constructor)
    local key = constructor.key.name
    local named = key and key.choices and not constructor.variants
        and ("; name one, such as %s[%s]"):format(constructor.name, key.example) or ""
    return ("the file has no %s { } to change"):format(constructor.name) .. named
end

-- The nodes of all values that the block's key `name` may have, made where the file has none.
local function every(run, nodes, constructor, place)
    local found, has = {}, {}
    for _, node in ipairs(nodes) do
        found[#found + 1], has[values.plain(node.table.name)] = node, true
    end
    for _, name in ipairs(constructor.key.name.choices) do
        found[#found + 1] = not has[name] and make(run, nil, constructor.name, { name = name }, place) or nil
    end
    return found
end

-- The nodes with this index: a number, or the value of the block's key `name`.
local function indexed(run, nodes, constructor, index, place)
    local key = constructor.key.name
    local number = math.tointeger(tonumber(index))
    if number or not key then
        local last = #nodes > 1 and (" to %s[%d]"):format(constructor.name, #nodes) or ""
        return { nodes[number] }, #nodes == 0 and none(constructor)
            or ("found the index %s, allowed %s[1]%s"):format(index, constructor.name, last)
    end
    local found, names = {}, key.choices or {}
    if index == ALL and key.choices and not constructor.variants then
        return every(run, nodes, constructor, place)
    end
    for _, node in ipairs(nodes) do
        found[#found + 1] = node.table.name == index and node or nil
        names[#names + 1] = not key.choices and type(node.table.name) == "string" and node.table.name
            or nil
    end
    if #found == 0 and key.choices and values.check(key, index) then -- it exists without being written
        found[1] = make(run, nil, constructor.name, { name = index }, place)
    end
    return found, #names == 0 and none(constructor) or unknown(constructor.name, index, names)
end

-- The nodes of one part of the path below one parent, or at the top; and why there may be none.
local function choose(run, parent, list, constructor, index, place)
    local nodes = of_kind(list, constructor.name)
    if #nodes == 0 and constructor.single and (parent or not constructor.parent) then
        return { make(run, parent, constructor.name, constructor.filled or {}, place) }
    elseif index then
        return indexed(run, nodes, constructor, index, place)
    end
    return nodes, none(constructor)
end

local function choose_all(run, parents, constructor, index, place)
    local all, why = {}, none(constructor)
    for _, parent in ipairs(parents) do
        local nodes, text = choose(run, parent, children_of(run, parent), constructor, index, place)
        table.move(nodes, 1, #nodes, #all + 1, all)
        why = text or why
    end
    return all, why
end

-- The parts of a path, each a name and perhaps an index.
local function split(key_path)
    local parts, at = {}, 1
    while at <= #key_path + 1 do
        local name, index, stop = key_path:match("^([%w_]+)%[([^%]]+)%]()", at)
        if not name or not key_path:find("^%f[.\0]", stop) then
            name, stop = key_path:match("^([^.]*)()", at)
            index = nil
        end
        parts[#parts + 1] = { name = name, index = index }
        at = stop + 1
    end
    return parts
end

-- Puts the blocks in front that the path leaves out: radio.slots means nse.bvc.radio.slots.
local function complete(parts)
    local first = #parts > 1 and schema.constructor[parts[1].name]
    local parent = first and first.parent
    while parent do
        table.insert(parts, 1, { name = parent.name })
        parent = parent.parent
    end
    return parts
end

-- Follows all parts of the path but the last. Returns the nodes and their constructor, or nil and a
-- message.
local function find(run, parts, place)
    local constructors = schema.top
    local nodes, constructor, why
    for i = 1, #parts - 1 do
        constructor = nil
        for _, known in ipairs(constructors) do
            constructor = known.name == parts[i].name and known or constructor
        end
        if not constructor then
            return nil, unknown("block", parts[i].name, names_of(constructors))
        elseif constructor.chosen_by then
            return nil, ("found %s, allowed other blocks; %s"):format(constructor.name,
                constructor.chosen_by)
        end
        if nodes then
            nodes, why = choose_all(run, nodes, constructor, parts[i].index, place)
        else
            nodes, why = choose(run, nil, run.made, constructor, parts[i].index, place)
        end
        if #nodes == 0 then
            return nil, why
        end
        constructors = constructor.children
    end
    return nodes, constructor
end

-- ---- One change ----

-- Another AQM has parameters of its own: those of the former one go. A switch that both have stays:
-- whether an AQM marks is not its tuning.
local function give_way(run, node, former, now, place)
    local gone = {}
    for _, key in ipairs(former.keys) do
        local kept = now.key[key.name] and (key.name == "name" or key.type == "switch")
        if node.table[key.name] ~= nil and not kept then
            gone[#gone + 1] = key.name
            assign(run, node, key.name, nil, place)
        end
    end
    if #gone > 0 and run.note then
        run.note(place, ("%s of %s left out, for %s has parameters of its own"):format(
            table.concat(gone, ", "), former.choice, now.choice))
    end
end

local function change(run, node, constructor, last, text, place)
    local former = schema.of(constructor, node.table)
    local key = former.key[last.name]
    if not key or last.index then
        return unknown("key", last.name .. (last.index and "[" .. last.index .. "]" or ""),
            former.key_names)
    end
    local value, mistake = key_value(key, text)
    local good, why = values.check(key, value, function(_, item)
        mistake = mistake or item
    end)
    if good == nil or mistake then
        return mistake or why
    end
    assign(run, node, last.name, value, place)
    local now = schema.of(constructor, node.table)
    if now ~= former and former.choice then
        give_way(run, node, former, now, place)
    end
    return nil, key
end

local function apply(run, key_path, text, place)
    local parts = complete(split(key_path))
    if #parts < 2 then
        return "found no key, allowed a path such as run.seed"
    end
    local nodes, constructor = find(run, parts, place)
    if not nodes then
        return constructor
    end
    local mistake, key
    for _, node in ipairs(nodes) do
        mistake, key = change(run, node, constructor, parts[#parts], text, place)
        if mistake then
            return mistake
        end
    end
    return nil, key
end

-- Applies the text KEY=VALUE to the tables of the sandbox's result `run`. place: the line that a mistake
-- of the value is shown at, or "--set KEY". Returns nil and what was changed, as text in which a secret
-- is hidden; or a message.
function set.apply(run, argument, place)
    local key_path, text = argument:match("^([^=]*)=(.*)$")
    if not key_path then
        return "found no =, allowed KEY=VALUE"
    end
    local mistake, key = apply(run, key_path, text, place)
    return mistake, key and key_path .. "=" .. (key.secret and "hidden" or text)
end

-- Takes back all changes from number `first` on.
function set.undo(run, first)
    for i = #run.changes, first, -1 do
        take_back(run, run.changes[i])
        run.changes[i] = nil
    end
end

return set
