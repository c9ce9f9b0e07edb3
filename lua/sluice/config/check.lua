-- Checks the tables of a configuration against the schema: each key, missing and unknown keys,
-- misplaced constructors. Makes the normalised form: plain tables with the names of the schema's `out`,
-- machine units and all defaults. cross.lua checks two places against each other.
local limits = require "limits"
local lines = require "sluice.config.lines"
local nearest = require "sluice.base.nearest"
local schema = require "sluice.schema.schema"
local values = require "sluice.config.values"

local check = {}

-- The place of a key of a node: its own line if the text has it, else that of its constructor.
function check.place(node, key)
    if node.set and node.set[key] then -- not of the text: changed by --set, a variant or a sweep
        return node.set[key]
    end
    return node.literal and node.literal.keys[key] or node.line
end

local function item_place(node, number)
    return node.literal and node.literal.items[number] or node.line
end

local function join(path, name)
    return path == "" and name or path .. "." .. name
end

-- Notes a mistake at a key of a node.
local function note(state, node, key, text)
    state.mistakes:add(check.place(node, key), join(node.path, values.plain(key)), text)
end

-- Notes a mistake at a key of a normalised record; further arguments are formatted into the text.
function check.note(state, record, key, text, ...)
    text = select("#", ...) > 0 and text:format(...) or text
    note(state, state.node_of[record], key, text)
end

-- Returns whether the file or --set gives the key of a record.
function check.is_given(state, record, key)
    return state.node_of[record].table[key] ~= nil
end

-- Notes a mistake of a whole record.
function check.note_record(state, record, text)
    local node = state.node_of[record]
    state.mistakes:add(node.line, node.path, text)
end

-- Notes that a record has too few of a child, unless a refused table may be one. between: the path of
-- a block that is not there.
function check.note_few(state, record, constructor, between)
    local node = state.node_of[record]
    if not (node.unsure or state.strays) then
        state.mistakes:add(node.line, join(node.path, (between or "") .. constructor.name),
            "found none, allowed one or more " .. constructor.name .. " { ... }")
    end
end

-- Warns of a value that is allowed but may not be meant.
function check.warn(state, record, key, text)
    local node = state.node_of[record]
    state.warnings:add(check.place(node, key), join(node.path, key), text)
end

local function list_item_noter(state, node, key, list)
    return function(number, text)
        local literal = type(list) == "table" and state.literals[list[lines.MARK]]
        local place = literal and literal.items[number] or check.place(node, key.name)
        state.mistakes:add(place, ("%s.%s[%d]"):format(node.path, key.name, number), text)
    end
end

local function check_key(state, node, key)
    local raw = node.table[key.name]
    if raw == nil then
        raw = key.default
    end
    if raw == nil then
        if not key.optional and not node.meant[key.name] then
            note(state, node, key.name, "found nothing, allowed " .. values.allowed(key))
        end
        return nil
    elseif raw == state.unknown then -- noted where the unknown name was used
        return nil
    end
    local noter = list_item_noter(state, node, key, raw)
    local value, text = values.check(key, raw, noter)
    if value == nil then
        note(state, node, key.name, text)
    end
    return value
end

local function blocks_text(constructor)
    local names = {}
    for i, child in ipairs(constructor.children) do
        names[i] = child.name .. " { ... }"
    end
    return table.concat(names, ", ")
end

local function keys_text(constructor)
    local names = constructor.key_names
    return #names > 0 and table.concat(names, ", ") or "only blocks: " .. blocks_text(constructor)
end

local function check_unknown_key(state, node, constructor, name)
    if constructor.key[name] or constructor.open then
        return
    elseif state.mistakes:plenty() then
        state.mistakes:add()
    elseif constructor.child[name] then
        node.unsure, state.unsure = true, true
        note(state, node, name, ("found a key, allowed the block %s { ... } without %s ="):format(
            name, name))
    else
        local meant = nearest.find(name, constructor.key_names)
        note(state, node, name, "unknown key; allowed: " .. keys_text(constructor)
            .. nearest.question(meant))
        node.meant[meant or ""] = true
    end
end

-- Also fills node.meant: the keys that misspelt ones mean, which then do not count as missing.
local function check_names(state, node, constructor, names, others)
    node.meant = {}
    for _, name in ipairs(names) do
        check_unknown_key(state, node, constructor, name)
    end
    if others > 0 then
        state.mistakes:add(node.line, node.path, ("%d keys are not names; allowed: %s")
            :format(others, keys_text(constructor)))
    end
end

local function check_twice(state, node)
    local literal = node.literal or {}
    for _, twice in ipairs(literal.twice or {}) do
        state.mistakes:add(twice.line, join(node.path, twice.key),
            "given twice (first in line " .. twice.first .. "), allowed once")
    end
    literal.twice = nil -- a literal in a loop makes many nodes
end

local function note_misplaced(state, node, constructor, item, number)
    if state.mistakes:plenty() then
        return state.mistakes:add()
    end
    local child = state.nodes[item]
    local parents = child and schema.constructor[child.kind].home
    local place = child and child.line or item_place(node, number)
    local found = child and child.kind .. " { }" or values.show(item)
    if parents == constructor.name then -- in another block of that name
        parents = parents .. " of " .. schema.constructor[parents].parent.name
    end
    local home = child and ("; %s belongs %s"):format(child.kind,
        parents and "in " .. parents or "outside all blocks") or ""
    node.unsure, state.unsure = true, true
    state.mistakes:add(place, node.path, ("found %s in %s, allowed %s%s"):format(found,
        constructor.name, #constructor.children > 0 and blocks_text(constructor)
        or "only keys: " .. keys_text(constructor), home))
end

local function note_again(state, node, item, number)
    local child = state.nodes[item]
    state.mistakes:add(item_place(node, number), node.path, ("found the %s { } of line %s again,"
        .. " allowed once; write a { } for each"):format(child.kind, child.line))
end

-- The child nodes of `node`, by kind, in order; nil of a kind that it does not have.
local function sort_children(state, node, constructor, numbers)
    local by_kind = {}
    for _, number in ipairs(numbers) do
        local item = node.table[number]
        local child = state.nodes[item]
        local belongs = child and constructor.child[child.kind]
        if belongs and not child.parent then
            local list = by_kind[child.kind] or {}
            by_kind[child.kind], list[#list + 1] = list, child
            child.parent = node
        elseif belongs then -- a shared table is refused: a few of them in loops would make billions of records
            note_again(state, node, item, number)
        else
            note_misplaced(state, node, constructor, item, number)
        end
    end
    return by_kind
end

local check_node -- below

local function note_count(state, place, path, constructor, found)
    state.mistakes:add(place, path, ("found %s, allowed %s %s { ... }"):format(found,
        constructor.times, constructor.name))
end

-- All nodes of one kind in one parent: a list of records, or one record for a single constructor.
local function check_nodes(state, nodes, constructor, parent)
    local records = {}
    if not nodes and constructor.min == 0 and not constructor.filled then
        return not constructor.single and records or nil -- the most frequent case costs little
    end
    nodes = nodes or {}
    local path = join(parent.path, constructor.name)
    if #nodes == 0 and constructor.filled then
        nodes = { { kind = constructor.name, table = constructor.filled, line = parent.line } }
    end
    if #nodes < constructor.min and not (parent.unsure or state.strays) then
        note_count(state, parent.line, path, constructor, "none")
    end
    for i, node in ipairs(nodes) do
        if state.mistakes:plenty() then
            state.mistakes:give_up()
            break
        end
        local many = constructor.max and i > constructor.max
        node.path = constructor.single and not many and path or ("%s[%d]"):format(path, i)
        records[i] = check_node(state, node, constructor)
        if many then
            note_count(state, node.line, node.path, constructor,
                "one more (first in line " .. nodes[1].line .. ")")
        end
    end
    if constructor.single then
        return records[1]
    end
    return records
end

function check_node(state, node, constructor)
    local record = {}
    constructor = schema.of(constructor, node.table)
    state.node_of[record] = node
    state.records[#state.records + 1] = record
    record.record_number = #state.records
    local numbers, names, others = values.sorted_keys(node.table)
    check_names(state, node, constructor, names, others)
    for _, key in ipairs(constructor.keys) do
        record[key.out] = check_key(state, node, key)
    end
    check_twice(state, node)
    local by_kind = sort_children(state, node, constructor, numbers)
    for _, child in ipairs(constructor.children) do
        record[child.name] = check_nodes(state, by_kind[child.name], child, node)
    end
    return record
end

-- Makes a record that the file does not have: the values of `given`, and every default.
function check.made_up(state, constructor, given)
    return check_node(state, { kind = constructor.name, table = given, line = 1,
        path = constructor.name }, constructor)
end

-- Notes constructors outside the parent that they belong in.
local function note_orphans(state, made, strays)
    local held = {}
    local seen = {}
    local function hold(t)
        if seen[t] then
            return
        end
        seen[t] = true
        for _, value in next, t do
            if type(value) == "table" then
                held[value] = true
            end
        end
    end
    for _, node in ipairs(made) do
        hold(node.table)
    end
    for _, stray in ipairs(strays) do
        hold(stray)
    end
    for _, node in ipairs(made) do
        local parents = schema.constructor[node.kind].home
        if parents and not held[node.table] then
            state.unsure = true
            state.mistakes:add(node.line, node.kind, ("found outside all blocks, allowed in %s { ... }")
                :format(parents))
        end
    end
end

-- Notes more NSEs, NS-VCs, cells or GGSNs than the dataplane can ever have, before records are made of
-- them. Returns whether there are. cross.lua checks the other limits.
local function note_too_many(state, by_kind)
    local any = false
    for _, kind in ipairs { "nse", "nsvc", "bvc", "ggsn" } do
        local nodes, most = by_kind[kind] or {}, limits[kind .. "s"].most
        if #nodes > most then
            state.mistakes:add(nodes[most + 1].line, kind, ("found %d up to here, allowed at most %d")
                :format(most + 1, most))
            any = true
        end
    end
    return any
end

-- run: the result of the sandbox. Returns the normalised form, which is complete only if `mistakes` is
-- still empty, and the state for check.note; or nil after far too many mistakes or records.
function check.all(run, mistakes, warnings)
    local state = {
        mistakes = mistakes, warnings = warnings, nodes = run.nodes, literals = run.literals,
        unknown = run.unknown, node_of = {}, records = {},
        strays = #run.strays > 0, -- a missing constructor may be in a stray table
        unsure = false, -- a missing constructor may be in a refused table
    }
    local cfg, root, by_kind = {}, { path = "", line = 1 }, {}
    for _, node in ipairs(run.made) do
        local nodes = by_kind[node.kind] or {}
        by_kind[node.kind] = nodes
        nodes[#nodes + 1] = node
    end
    if note_too_many(state, by_kind) then
        return nil
    end
    for _, constructor in ipairs(schema.top) do
        cfg[constructor.name] = check_nodes(state, by_kind[constructor.name] or {}, constructor,
            root)
    end
    note_orphans(state, run.made, run.strays)
    if mistakes:plenty() then
        mistakes:give_up()
        return nil
    end
    return cfg, state
end

return check
