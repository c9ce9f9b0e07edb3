-- Judges the conclusions at the base and at each setting of the knobs, and says what they depend on.
local targets = require "sluice.targets.judge"

local judge = {}

local function is_of(setting, variant)
    for _, own in ipairs(setting.variants or { variant }) do
        if own == variant then
            return true
        end
    end
    return false
end

-- The source, which notes whether a variant was asked for that the setting's knob is of.
local function watched(source, setting)
    local watch = { seeds = source.seeds, first_seed = source.first_seed, read = source.read, number = source.number,
        interval = source.interval }
    watch.find = function(variant, point, seed)
        watch.touched = watch.touched or is_of(setting, variant)
        return source.find(variant, point, seed)
    end
    return watch
end

-- Judges the setting with this number; source: of its runs (control/bind/targets.c). Returns how many
-- conclusions have no figure for want of a run, and how many could not be worked out.
function judge.setting(loaded, number, name, source)
    local setting, rows = loaded.settings[number], {}
    for i, target in ipairs(loaded.conclusions) do
        local watch = watched(source, setting)
        rows[i] = targets.all({ targets = { target }, figures = {} }, name, watch).rows[1]
        rows[i].apart = not watch.touched
    end
    setting.rows = rows
    return targets.count(rows, "not run"), targets.count(rows, "error")
end

-- ---- One side of a knob, for one conclusion ----

local function is_alike(a, b)
    for i = 1, math.max(#a, #b) do
        if a[i] ~= b[i] then
            return false
        end
    end
    return true
end

-- The whole interval is on one side of each bound, so that the verdict is not the seeds'.
local function is_firm(row)
    local least, most = targets.bounds(row.target)
    local low, high = row.mean - (row.interval or 0), row.mean + (row.interval or 0)
    return row.target.sure or row.verdict == "met" and low >= least and high <= most
        or row.verdict ~= "met" and (high < least or low > most)
end

local function side_of(setting, number, base)
    local row = setting.rows[number]
    return {
        value = table.concat(setting.knob[setting.side], ", "), side = setting.side, row = row,
        moves = not (row.mean and base.mean) or not is_alike(row.samples, base.samples),
        firm = row.mean and is_firm(row),
    }
end

local function span_of(bar, base)
    local least, most = base.mean or math.huge, base.mean or -math.huge
    for _, side in ipairs { "low", "high" } do
        local mean = bar[side] and bar[side].row.mean
        if mean then
            least, most = math.min(least, mean), math.max(most, mean)
        end
    end
    return math.max(most - least, 0)
end

-- A bar for each knob of what the conclusion reads, the longest first; equal ones in the order of the file.
local function bars_of(loaded, number, base)
    local bars, by_knob = {}, {}
    for _, setting in ipairs(loaded.settings) do
        if setting.knob and not setting.rows[number].apart then
            local bar = by_knob[setting.knob]
            if not bar then
                bar = { knob = setting.knob, number = #bars + 1 }
                by_knob[setting.knob], bars[#bars + 1] = bar, bar
            end
            bar[setting.side] = side_of(setting, number, base)
        end
    end
    for _, bar in ipairs(bars) do
        bar.span = span_of(bar, base)
    end
    table.sort(bars, function(a, b)
        if a.span ~= b.span then
            return a.span > b.span
        end
        return a.number < b.number
    end)
    return bars
end

-- ---- What it depends on ----

local function was_run(side)
    return side.row.verdict ~= "not run"
end

-- "A (low: 0 %), B (low: 1 s, high: 3 s)": the sides that `wanted` takes, the longest bar first; nil: none.
local function names_of(bars, wanted)
    local names = {}
    for _, bar in ipairs(bars) do
        local sides = {}
        for _, side in ipairs { "low", "high" } do
            sides[#sides + 1] = bar[side] and wanted(bar[side]) and side .. ": " .. bar[side].value or nil
        end
        names[#names + 1] = #sides > 0 and ("%s (%s)"):format(bar.knob.name, table.concat(sides, ", ")) or nil
    end
    return #names > 0 and table.concat(names, ", ") or nil
end

local function count_of(bars, wanted)
    local n = 0
    for _, bar in ipairs(bars) do
        for _, side in ipairs { "low", "high" } do
            n = n + (bar[side] and wanted(bar[side]) and 1 or 0)
        end
    end
    return n
end

local function all_settings(bars)
    local all = count_of(bars, was_run)
    local still = count_of(bars, function(side) return not side.moves end)
    local text = ("all %d settings"):format(all)
    return still > 0 and ("%s (%d without any effect)"):format(text, still) or text
end

-- Sides whose verdict is not the base's: those of whom the seeds leave no doubt, and the others.
local function others_of(bars, base)
    local function differs(side)
        return was_run(side) and (side.row.verdict == "met") ~= (base.verdict == "met")
    end
    return names_of(bars, function(side) return differs(side) and (side.firm or not side.row.mean) end),
        names_of(bars, function(side) return differs(side) and side.row.mean and not side.firm end)
end

local function sentence_of(bars, base)
    local sure, perhaps = others_of(bars, base)
    if not base.mean then
        return base.fault or "a run that it reads was not made"
    elseif base.verdict == "met" then
        return sure and "depends on: " .. sure .. (perhaps and "; may depend on: " .. perhaps or "")
            or perhaps and "may depend on: " .. perhaps or "holds for " .. all_settings(bars)
    end
    return "not met at the base; " .. (sure and "met with: " .. sure .. (perhaps and "; perhaps with: " .. perhaps or "")
        or perhaps and "perhaps met with: " .. perhaps or "nor with " .. all_settings(bars):gsub("^all", "any of"))
end

-- Returns a list, in the order of the file: { target, base, bars, sentence }; and `knobs`, all of them.
function judge.conclude(loaded)
    local list = { knobs = loaded.knobs }
    for number, target in ipairs(loaded.conclusions) do
        local base = loaded.settings[1].rows[number]
        local bars = bars_of(loaded, number, base)
        list[number] = { target = target, base = base, bars = bars, sentence = sentence_of(bars, base) }
    end
    return list
end

return judge
