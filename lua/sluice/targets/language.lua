-- Reads a file of targets: Lua of a user with constructors `target { }`, run by script/sandbox.lua. A mistake
-- is named with the line of its target and the key.
local box = require "sluice.script.sandbox"
local measures = require "sluice.targets.measures"
local mistakes = require "sluice.config.mistakes"
local nearest = require "sluice.base.nearest"
local shown = require "sluice.base.shown"
local sorted_keys = require "sluice.config.sorted_keys"

local language = {}

local INSTRUCTIONS = 1000000
local TARGETS_MAX = 1000
local TEXT_MAX_OCTETS = 1000

-- ---- The checks of a key's value: each returns what is allowed, or nil ----

local function is_number(value)
    return math.type(value) and value == value and math.abs(value) ~= math.huge
end

local function a_number(value)
    return not is_number(value) and "a number"
end

local function a_text(value)
    local good = type(value) == "string" and value ~= "" and #value <= TEXT_MAX_OCTETS
    return not good and "a text of up to " .. TEXT_MAX_OCTETS .. " octets"
end

local function a_unit(value)
    return value ~= "" and a_text(value)
end

local function a_text_or_number(value)
    return not is_number(value) and a_text(value) and "a number, or a text"
end

-- "5 %" as 0.05, or nil.
local function share_of(within)
    local percent = type(within) == "string" and within:match("^(%d+%.?%d*) ?%%$")
    return percent and tonumber(percent) / 100
end

local function a_distance(value)
    local good = is_number(value) and value >= 0 or share_of(value)
    return not good and 'a number in the unit, 0 or more, or a part of what is published, such as "5 %"'
end

local function a_switch(value)
    return type(value) ~= "boolean" and "true or false"
end

local function a_function(value)
    return type(value) ~= "function" and "a function, such as function(run) return ... end"
end

local KEYS = {
    { name = "figure", check = a_text, needed = true },
    { name = "what", check = a_text, needed = true },
    { name = "unit", check = a_unit },
    { name = "published", check = a_text_or_number },
    { name = "within", check = a_distance },
    { name = "least", check = a_number },
    { name = "most", check = a_number },
    { name = "sure", check = a_switch },
    { name = "note", check = a_text },
    { name = "ours", check = a_function, needed = true },
}
local NAMES, BY_NAME = {}, {}
for i, key in ipairs(KEYS) do
    NAMES[i], BY_NAME[key.name] = key.name, key
end

-- ---- One target ----

local function check_names(given, found, line)
    local numbers, names, others = sorted_keys(given)
    if #numbers + others > 0 then
        found:add(line, "target", "found a value without a name, allowed names: " .. table.concat(NAMES, ", "))
    end
    for _, name in ipairs(names) do
        if not BY_NAME[name] then
            found:add(line, shown.plain(name), "unknown key; allowed: " .. table.concat(NAMES, ", ")
                .. nearest.hint(name, NAMES))
        end
    end
end

local function check_values(given, found, line)
    for _, key in ipairs(KEYS) do
        local value = given[key.name]
        local allowed = value ~= nil and key.check(value)
        if value == nil and key.needed then
            found:add(line, key.name, "missing in target { }")
        elseif allowed then
            found:add(line, key.name, "found " .. shown.show(value) .. ", allowed " .. allowed)
        end
    end
end

local function check_together(given, found, line)
    local judged = given.within or given.least or given.most
    if given.within and not is_number(given.published) then
        found:add(line, "within", "allowed with a number in `published` only")
    elseif given.least and given.most and given.least > given.most then
        found:add(line, "least", "found more than `most`")
    elseif given.sure and not judged then
        found:add(line, "sure", "allowed with `within`, `least` or `most` only")
    end
end

-- The checked target: its keys, and `share`, of `published`, if `within` is one.
local function checked(given, line, found)
    local before = found.count
    check_names(given, found, line)
    check_values(given, found, line)
    if found.count == before then
        check_together(given, found, line)
    end
    local target = { line = line, share = share_of(given.within) }
    for _, name in ipairs(NAMES) do
        target[name] = given[name]
    end
    return target
end

-- ---- All of them ----

-- The line of the file, not of a function in it, that makes this target.
local function line_of_call()
    local level, line = 3, nil -- of the constructor's caller
    local info = debug.getinfo(level, "Sl")
    while info do
        line = info.currentline > 0 and (not line or info.what == "main") and info.currentline or line
        level = level + 1
        info = debug.getinfo(level, "Sl")
    end
    return line or 1
end

local function constructor(list)
    return function(...)
        local given = ...
        if type(given) ~= "table" or select("#", ...) > 1 then
            error("target: found " .. shown.show(given) .. ", allowed one table: target { ... }", 2)
        elseif #list == TARGETS_MAX then
            error("target: more than " .. TARGETS_MAX, 2)
        end
        list[#list + 1] = { given = given, line = line_of_call() }
    end
end

local function globals(list)
    local more = { { "target", constructor(list) } }
    local _, names = sorted_keys(measures)
    for _, name in ipairs(names) do
        more[#more + 1] = { name, measures[name] }
    end
    return box.environment(more)
end

-- Returns the targets in the order of the file, or nil and its mistakes, as lines to print.
function language.load(name, text)
    local found, list, targets = mistakes.new(name, ""), {}, {}
    local fault = box.run(text, globals(list), INSTRUCTIONS)
    if fault then
        found:add(fault.line, "lua", fault.text)
        return nil, found:texts()
    end
    for i, one in ipairs(list) do
        targets[i] = checked(one.given, one.line, found)
    end
    if #list == 0 then
        found:add(1, "target", "the file has none; needed: target { ... }, one or more")
    end
    if found:any() then
        return nil, found:texts()
    end
    return targets
end

return language
