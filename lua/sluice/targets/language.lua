-- Reads a file of targets: Lua of a user with constructors `target { }` and `figure { }`, run by
-- script/sandbox.lua. A mistake is named with the line of its constructor and the key.
local box = require "sluice.script.sandbox"
local figure_keys = require "sluice.targets.figure_keys"
local keys = require "sluice.targets.keys"
local measures = require "sluice.targets.measures"
local mistakes = require "sluice.config.mistakes"
local shown = require "sluice.base.shown"
local sorted_keys = require "sluice.config.sorted_keys"

local language = {}

local INSTRUCTIONS = 1000000
local TARGETS_MAX, FIGURES_MAX, EACH_MAX = 1000, 100, 64

-- ---- One target ----

local function a_text_or_number(value)
    return not keys.is_number(value) and keys.text(value) and "a number, or a text"
end

-- "5 %" as 0.05, or nil.
local function share_of(within)
    local percent = type(within) == "string" and within:match("^(%d+%.?%d*) ?%%$")
    return percent and tonumber(percent) / 100
end

local function a_kind(value)
    return value ~= "input" and '"input", or none'
end

local function a_distance(value)
    local good = keys.is_number(value) and value >= 0 or share_of(value)
    return not good and 'a number in the unit, 0 or more, or a part of what is published, such as "5 %"'
end

local KEYS = keys.new("target", {
    { name = "figure", check = keys.text, needed = true },
    { name = "what", check = keys.text, needed = true },
    { name = "kind", check = a_kind },
    { name = "unit", check = keys.unit },
    { name = "published", check = a_text_or_number },
    { name = "within", check = a_distance },
    { name = "least", check = keys.number },
    { name = "most", check = keys.number },
    { name = "sure", check = keys.switch },
    { name = "note", check = keys.text },
    { name = "each", check = keys.list_of(keys.text, EACH_MAX, "texts") },
    { name = "ours", check = keys.function_of("run"), needed = true },
})

local function check_together(given, found, line)
    local judged = given.within or given.least or given.most
    if given.within and not keys.is_number(given.published) then
        found:add(line, "within", "allowed with a number in `published` only")
    elseif given.least and given.most and given.least > given.most then
        found:add(line, "least", "found more than `most`")
    elseif (given.sure or given.kind) and not judged then
        found:add(line, given.kind and "kind" or "sure", "allowed with `within`, `least` or `most` only")
    elseif given.figure == "told" and judged then
        found:add(line, "figure", 'found "told", allowed without `within`, `least` and `most` only')
    elseif given.figure == "beyond" and given.kind then
        found:add(line, "kind", "allowed with a figure of the paper's only")
    elseif given.each and (given.within or (given.least == nil) == (given.most == nil)) then
        found:add(line, "each", "allowed with either `least` or `most`, for the hardest to meet is judged")
    end
end

-- The checked target: its keys, and `share`, of `published`, if `within` is one.
local function checked(given, line, found)
    local before = found.count
    keys.check(KEYS, given, found, line, "")
    if found.count == before then
        check_together(given, found, line)
    end
    local target = keys.copy(KEYS, given)
    target.line, target.share = line, share_of(given.within)
    return target
end

-- ---- All of them ----

-- name: of the constructor, of which a file may have `most`.
local function constructor(name, list, most)
    return function(...)
        local given = ...
        if type(given) ~= "table" or select("#", ...) > 1 then
            error(("%s: found %s, allowed one table: %s { ... }"):format(name, shown.show(given), name), 2)
        elseif #list == most then
            error(("%s: more than %d"):format(name, most), 2)
        end
        list[#list + 1] = { given = given, line = keys.line_of_call() }
    end
end

local function globals(targets, figures)
    local more = {
        { "target", constructor("target", targets, TARGETS_MAX) },
        { "figure", constructor("figure", figures, FIGURES_MAX) },
    }
    local _, names = sorted_keys(measures)
    for _, name in ipairs(names) do
        more[#more + 1] = { name, measures[name] }
    end
    return box.environment(more)
end

-- The checked form of all that a constructor was given.
local function all_checked(list, check, found)
    local good = {}
    for i, one in ipairs(list) do
        good[i] = check(one.given, one.line, found)
    end
    return good
end

-- Returns { targets, figures }, each in the order of the file, or nil and its mistakes, as lines to print.
function language.load(name, text)
    local found, targets, figures = mistakes.new(name, ""), {}, {}
    local fault = box.run(text, globals(targets, figures), INSTRUCTIONS)
    if fault then
        found:add(fault.line, "lua", fault.text)
        return nil, found:texts()
    end
    local loaded = {
        targets = all_checked(targets, checked, found),
        figures = all_checked(figures, figure_keys.checked, found),
    }
    if #targets + #figures == 0 then
        found:add(1, "target", "the file has none; needed: target { ... }, one or more")
    end
    if found:any() then
        return nil, found:texts()
    end
    return loaded
end

return language
