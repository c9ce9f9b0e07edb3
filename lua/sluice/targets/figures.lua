-- Works out the series of each figure: points of all seeds with their intervals, the curve of one seed, or a
-- formula. A function that fails leaves its series without points; so does a run that is not there.
local call = require "sluice.targets.call"

local figures = {}

local CURVE_POINTS_MAX = 5000
local POINTS_MAX = 200000 -- of all figures of a file
local SEED = 1            -- the one whose curves are drawn

local function is_number(value)
    return math.type(value) and value == value and math.abs(value) ~= math.huge
end

-- ---- Points of all seeds ----

-- The figures of each seed at x, or nil and a fault; no fault: a run is not there.
local function samples_at(series, asked, seeds, x)
    local samples = {}
    for seed = 1, seeds do
        local figure, fault = call.number(asked, seed, series, "ours", asked.run, x)
        if not figure then
            return nil, fault
        end
        samples[seed] = figure
    end
    return samples
end

local function work_ours(series, asked, source)
    for _, x in ipairs(series.declared.at) do
        local samples, fault = samples_at(series, asked, source.seeds, x)
        if fault then
            series.fault = fault
            return
        elseif samples then
            local mean, interval = source.interval(samples)
            series.points[#series.points + 1] = { x, mean, interval }
        else
            series.missing = series.missing + 1
        end
    end
end

local function work_exact(series, asked)
    for i, x in ipairs(series.declared.at) do
        local y, fault = call.number(asked, SEED, series, "exact", x)
        if not y then
            series.fault = fault
            return
        end
        series.points[i] = { x, y }
    end
end

-- ---- A curve ----

local function point_of(given)
    local x, y
    if type(given) == "table" then
        x, y = rawget(given, 1), rawget(given, 2)
    end
    return is_number(x) and is_number(y) and { x, y }
end

local function work_curve(series, asked)
    local good, list = call.value(asked, SEED, series, "curve", asked.run)
    if not good then
        series.fault, series.missing = list, list and 0 or 1
        return
    elseif type(list) ~= "table" or #list > CURVE_POINTS_MAX then
        series.fault = call.fault(series, "curve", list, ("a list of up to %d points { x, y }"):format(CURVE_POINTS_MAX))
        return
    end
    for i = 1, #list do
        series.points[i] = point_of(rawget(list, i))
        if not series.points[i] then
            series.fault = call.fault(series, "curve", rawget(list, i), ("a point { x, y } as number %d"):format(i))
            return
        end
    end
end

-- ---- All ----

local KINDS = { "ours", "curve", "exact" }
local WORK = { ours = work_ours, curve = work_curve, exact = work_exact }

-- kind: how it was worked out; nil: it is published only.
local function worked(declared, line, asked, source)
    local series = { declared = declared, line = line, points = {}, missing = 0 }
    for _, kind in ipairs(KINDS) do -- at most one of them is there
        if declared[kind] then
            series.kind, series[kind] = kind, declared[kind]
            WORK[kind](series, asked, source)
        end
    end
    return series
end

-- Nothing of a series with a fault is drawn.
local function conclude(series, name, room)
    if not series.fault and #series.points > room then
        series.fault = { line = series.line, text = ("more than %d points in all figures"):format(POINTS_MAX) }
    end
    if series.fault then
        series.points, series.missing = {}, 0
        series.fault = call.fault_text(series, name, series.fault)
    end
    return room - #series.points
end

-- Returns a table for each figure of the file `name`: declared (figure_keys.lua), and series, each { declared,
-- kind, points = { { x, y, interval or nil }, ... }, missing = how many were not run, fault }. asked: runs.lua.
function figures.all(list, name, source, asked)
    local done, room = {}, POINTS_MAX
    for i, declared in ipairs(list) do
        done[i] = { declared = declared, series = {} }
        for k, one in ipairs(declared.series) do
            local series = worked(one, declared.line, asked, source)
            room = conclude(series, name, room)
            done[i].series[k] = series
        end
    end
    return done
end

return figures
