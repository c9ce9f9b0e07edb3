-- Reads a file of knobs: Lua of a user with `runs { }`, `conclusion "..."` and `knob { }`, run by
-- script/sandbox.lua. A conclusion is a row of the targets, by its `what`. A mistake is named with its line.
local box = require "sluice.script.sandbox"
local target_keys = require "sluice.targets.keys"
local mistakes = require "sluice.config.mistakes"
local nearest = require "sluice.base.nearest"
local shown = require "sluice.base.shown"
local sorted_keys = require "sluice.config.sorted_keys"

local language = {}

local INSTRUCTIONS = 1000000
local TEXT_MAX_OCTETS = 400
local LIST_MAX = 64 -- knobs, conclusions, and entries of a list: as many as --set and --variant
local BASE = "base"

-- ---- Checks: each returns the value in its normal form, or nil and what is allowed ----

local function text_of(value)
    if type(value) == "string" and value ~= "" and #value <= TEXT_MAX_OCTETS then
        return value
    end
    return nil, "a text of up to " .. TEXT_MAX_OCTETS .. " octets"
end

-- A value as --set has it.
local function setting_of(value)
    if math.type(value) == "integer" then
        return tostring(value)
    end
    local text = text_of(value)
    return text, not text and 'a text such as "5 %", or a whole number'
end

-- One, or a list of them, as a list.
local function list_of(one)
    return function(value)
        local given, list = type(value) == "table" and value or { value }, {}
        for i = 1, math.min(#given, LIST_MAX + 1) do
            local item, allowed = one(given[i])
            if not item then
                return nil, allowed
            end
            list[i] = item
        end
        if #list == 0 or #list > LIST_MAX then
            return nil, ("a list of 1 to %d"):format(LIST_MAX)
        end
        return list
    end
end

local TEXTS, SETTINGS = list_of(text_of), list_of(setting_of)
local RUNS_KEYS = {
    { name = "variants", check = TEXTS },
    { name = "points", check = TEXTS },
}
local KNOB_KEYS = {
    { name = "name", check = text_of, needed = true },
    { name = "keys", check = TEXTS, needed = true },
    { name = "base", check = SETTINGS, needed = true },
    { name = "low", check = SETTINGS },
    { name = "high", check = SETTINGS },
    { name = "from", check = text_of, needed = true },
    { name = "variants", check = TEXTS },
}
local SIDES = { "low", "high" }

local function names_of(keys)
    local names = {}
    for i, key in ipairs(keys) do
        names[i] = key.name
    end
    return names
end

local function place_of(list, item)
    for i, known in ipairs(list) do
        if known == item then
            return i
        end
    end
end

-- The block's values in their normal form, and its line.
local function checked(block, keys, found)
    local numbers, given, others = sorted_keys(block.given)
    local names, values = names_of(keys), { line = block.line }
    if #numbers + others > 0 then
        found:add(block.line, block.kind, "found a value without a name, allowed: " .. table.concat(names, ", "))
    end
    for _, name in ipairs(given) do
        if not place_of(names, name) then
            found:add(block.line, shown.plain(name), "unknown key; allowed: " .. table.concat(names, ", ")
                .. nearest.hint(name, names))
        end
    end
    for _, key in ipairs(keys) do
        local value = block.given[key.name]
        if value ~= nil then
            local normal, allowed = key.check(value)
            values[key.name] = normal
            if not normal then
                found:add(block.line, key.name, ("found %s, allowed %s"):format(shown.show(value), allowed))
            end
        elseif key.needed then
            found:add(block.line, key.name, ("missing in %s { }"):format(block.kind))
        end
    end
    return values
end

-- ---- Knobs ----

-- The folder of a setting's runs: it is the same when other knobs come and go.
local function folder_of(knob, side)
    return knob.name:lower():gsub("[^%w]+", "-"):gsub("^%-", ""):gsub("%-$", "") .. "-" .. side
end

local function check_sides(knob, found)
    if not knob.low and not knob.high then
        found:add(knob.line, "low", "missing in knob { }, as is `high`; needed: one of them")
    end
    for _, name in ipairs { BASE, "low", "high" } do
        if knob[name] and #knob[name] > 1 and #knob[name] ~= #knob.keys then
            found:add(knob.line, name, ("found %d values, allowed one, or one for each of %d keys"):format(
                #knob[name], #knob.keys))
        end
    end
    for _, side in ipairs(SIDES) do
        if knob[side] and table.concat(knob[side], "\0") == table.concat(knob.base, "\0") then
            found:add(knob.line, side, "found the same as `base`")
        end
    end
end

local function check_knob(knob, variants, seen, found)
    check_sides(knob, found)
    local folder = folder_of(knob, "")
    if seen[folder] then
        found:add(knob.line, "name", ("found %s again (line %d has it), needed: a name of its own"):format(
            shown.show(knob.name), seen[folder]))
    end
    seen[folder] = knob.line
    for _, variant in ipairs(knob.variants or {}) do
        if not place_of(variants, variant) then
            found:add(knob.line, "variants", ("found %s, allowed a variant of runs { }"):format(shown.show(variant)))
        end
    end
end

-- variants: those that are run.
local function read_knobs(blocks, variants, found)
    local knobs, seen = {}, {}
    for i, block in ipairs(blocks) do
        local before = found.count
        local knob = checked(block, KNOB_KEYS, found)
        if found.count == before then
            check_knob(knob, variants, seen, found)
        end
        knobs[i] = knob
    end
    return knobs
end

-- ---- Conclusions ----

local function judged_rows(targets)
    local rows = {}
    for _, target in ipairs(targets) do
        rows[#rows + 1] = (target.within or target.least or target.most) and target or nil
    end
    return rows
end

-- The target with this `what`, or nil and why not.
local function row_of(targets, what)
    local found, names = {}, {}
    for i, target in ipairs(targets) do
        names[i] = target.what
        found[#found + 1] = target.what == what and target or nil
    end
    if #found == 1 then
        return found[1]
    end
    return nil, #found > 1 and ("found %d rows with it, needed one"):format(#found)
        or "found no row with it that is judged" .. nearest.hint(what, names)
end

local function read_conclusions(blocks, targets, found)
    local rows, list = judged_rows(targets), {}
    for _, block in ipairs(blocks) do
        local row, why = row_of(rows, block.given)
        if not row then
            found:add(block.line, "conclusion " .. shown.show(block.given), why)
        elseif place_of(list, row) then
            found:add(block.line, "conclusion " .. shown.show(block.given), "found again, needed once")
        end
        list[#list + 1] = row
    end
    return list
end

-- ---- All of them ----

local KINDS = { runs = "table", conclusion = "string", knob = "table" }
local EXAMPLES = { runs = "runs { ... }", conclusion = 'conclusion "..."', knob = "knob { ... }" }

local function constructors(blocks)
    local list = {}
    for _, kind in ipairs { "runs", "conclusion", "knob" } do
        blocks[kind] = {}
        list[#list + 1] = { kind, function(given)
            if type(given) ~= KINDS[kind] then
                error(("%s: found %s, allowed %s"):format(kind, shown.show(given), EXAMPLES[kind]), 2)
            elseif #blocks[kind] == LIST_MAX then
                error(("%s: more than %d"):format(kind, LIST_MAX), 2)
            end
            table.insert(blocks[kind], { kind = kind, given = given, line = target_keys.line_of_call() })
        end }
    end
    return list
end

local function check_counts(blocks, found)
    for _, kind in ipairs { "conclusion", "knob" } do
        if #blocks[kind] == 0 then
            found:add(1, kind, ("the file has none; needed: %s, one or more"):format(EXAMPLES[kind]))
        end
    end
end

-- The blocks of runs, or one that names nothing; and all their variants.
local function read_runs(blocks, found)
    local runs, variants = {}, {}
    for i, block in ipairs(#blocks > 0 and blocks or { { kind = "runs", given = {}, line = 1 } }) do
        runs[i] = checked(block, RUNS_KEYS, found)
        for _, variant in ipairs(runs[i].variants or {}) do
            if place_of(variants, variant) then
                found:add(block.line, "variants", ("found %s again, allowed once in all runs { }"):format(
                    shown.show(variant)))
            end
            variants[#variants + 1] = variant
        end
    end
    if #runs > 1 and #variants < #runs then
        found:add(blocks[2].line, "runs", "found again; each of several needs `variants`")
    end
    return runs, variants
end

local function sets_of(keys, values)
    local sets = {}
    for i, key in ipairs(keys) do
        sets[i] = key .. "=" .. (values[i] or values[1])
    end
    return sets
end

-- The base, and each side of each knob: { folder, knob, side, sets, variants }; nil: all.
local function settings_of(knobs)
    local list = { { folder = BASE, sets = {} } }
    for _, knob in ipairs(knobs) do
        for _, side in ipairs(SIDES) do
            list[#list + 1] = knob[side] and {
                folder = folder_of(knob, side), knob = knob, side = side, variants = knob.variants,
                sets = sets_of(knob.keys, knob[side]),
            } or nil
        end
    end
    return list
end

-- judged: what targets/language.lua has loaded. Returns { runs, conclusions, knobs, settings }, or nil and the
-- mistakes, as lines to print.
function language.load(name, text, judged)
    local found, blocks = mistakes.new(name, ""), {}
    local fault = box.run(text, box.environment(constructors(blocks)), INSTRUCTIONS)
    if fault then
        found:add(fault.line, "lua", fault.text)
        return nil, found:texts()
    end
    check_counts(blocks, found)
    local runs, variants = read_runs(blocks.runs, found)
    local conclusions = read_conclusions(blocks.conclusion, judged.targets, found)
    local knobs = read_knobs(blocks.knob, variants, found)
    if found:any() then
        return nil, found:texts()
    end
    return { runs = runs, conclusions = conclusions, knobs = knobs, settings = settings_of(knobs) }
end

local function write_list(writer, key, list)
    writer.key(key)
    writer.array()
    for _, text in ipairs(list or {}) do
        writer.value(text)
    end
    writer.close()
end

-- The variants of a block of runs that the setting is of.
local function own_variants(block, setting)
    local own = {}
    for _, variant in ipairs(block.variants or {}) do
        own[#own + 1] = (not setting.variants or place_of(setting.variants, variant)) and variant or nil
    end
    return own
end

local function write_setting(writer, setting, runs)
    writer.object()
    writer.key("folder")
    writer.value(setting.folder)
    write_list(writer, "sets", setting.sets)
    if setting.variants then
        write_list(writer, "variants", setting.variants)
    end
    writer.key("runs")
    writer.array()
    for _, block in ipairs(runs) do
        local own = own_variants(block, setting)
        if #own > 0 or not block.variants then
            writer.object()
            write_list(writer, "variants", own)
            write_list(writer, "points", block.points)
            writer.close()
        end
    end
    writer.close()
    writer.close()
end

-- Writes, for the program, a list of settings: { folder, sets, variants, runs }, a variant and a point of `runs` each
-- a run; without variants the default, without points all.
function language.plan(loaded, writer)
    writer.object()
    writer.key("settings")
    writer.array()
    for _, setting in ipairs(loaded.settings) do
        write_setting(writer, setting, loaded.runs)
    end
    writer.close()
    writer.close()
end

return language
