-- One `figure { }` of a file of targets: its keys. A series is worked out by one of `ours` (a number of each seed
-- at each x), `curve` (the points of one seed) and `exact` (a formula, without a run); it may have published
-- points, and bands of x, beside that, or alone.
local keys = require "sluice.targets.keys"
local sorted_keys = require "sluice.config.sorted_keys"

local figure_keys = {}

local SERIES_MAX = 16
local AT_MAX = 1000
local NAMES_MAX = 24
local AXIS_OCTETS_MAX, UNIT_OCTETS_MAX = 32, 12 -- beside an axis, which is not longer
local WAYS = { "ours", "curve", "exact" }

local function a_table(value)
    return type(value) ~= "table" and "a table"
end

-- { x, y }, or { x, least, most }.
local function a_point(value)
    local good = type(value) == "table" and (#value == 2 or #value == 3)
    if good then
        local numbers, names, others = sorted_keys(value)
        good = #numbers == #value and #names + others == 0
    end
    for i = 1, good and #value or 0 do
        good = good and keys.is_number(value[i])
    end
    return not (good and (value[2] <= (value[3] or value[2]))) and "a point"
end

-- { from, to } on the x axis.
local function a_band(value)
    return (a_point(value) or #value ~= 2 or value[1] >= value[2]) and "a band"
end

local FIGURE = keys.new("figure", {
    { name = "name", check = keys.text, needed = true },
    { name = "title", check = keys.text, needed = true },
    { name = "x", check = a_table, needed = true },
    { name = "y", check = a_table, needed = true },
    { name = "series", check = keys.list_of(a_table, SERIES_MAX, "tables"), needed = true },
    { name = "note", check = keys.text },
})
local AXIS = {
    { name = "title", check = keys.text_of(AXIS_OCTETS_MAX), needed = true },
    { name = "unit", check = keys.text_of(UNIT_OCTETS_MAX) },
    { name = "log", check = keys.switch },
    { name = "least", check = keys.number },
    { name = "most", check = keys.number },
}
local Y = keys.new("y", AXIS)
local X = keys.new("x", {
    AXIS[1], AXIS[2], AXIS[3], AXIS[4], AXIS[5],
    { name = "names", check = keys.list_of(keys.text_of(AXIS_OCTETS_MAX), NAMES_MAX, "short texts") },
})
local SERIES = keys.new("series", {
    { name = "name", check = keys.text, needed = true },
    { name = "ours", check = keys.function_of("run, x") },
    { name = "curve", check = keys.function_of("run") },
    { name = "exact", check = keys.function_of("x") },
    { name = "at", check = keys.list_of(keys.number, AT_MAX, "numbers") },
    { name = "marks", check = keys.switch },
    { name = "published", check = keys.list_of(a_point, AT_MAX, "points { x, y } or { x, least, most }") },
    { name = "bands", check = keys.list_of(a_band, AT_MAX, "bands { from, to }") },
})

local function check_axis(axis, found, line, place)
    if axis.least and axis.most and axis.least >= axis.most then
        found:add(line, place .. "least", "found no less than `most`")
    elseif axis.log and (axis.least or 1) <= 0 then
        found:add(line, place .. "least", "allowed above 0 only, with `log`")
    elseif axis.names and (axis.log or axis.least or axis.most) then
        found:add(line, place .. "names", "allowed without `log`, `least` and `most` only")
    end
end

-- The one way in which the series is worked out, nil if it is published only, or false after a mistake.
local function way_of(series, found, line, place)
    local way
    for _, name in ipairs(WAYS) do
        if series[name] and way then
            found:add(line, place .. name, ("allowed without `%s` only"):format(way))
            return false
        end
        way = series[name] and name or way
    end
    if not way and not series.published and not series.bands then
        found:add(line, place .. "ours", "needed: one of `ours`, `curve`, `exact`, `published`, `bands`")
        return false
    end
    return way
end

local function check_series(series, named, found, line, place)
    local way = way_of(series, found, line, place)
    local stepwise = way == "ours" or way == "exact"
    if way == false then
        return
    elseif named and (way == "curve" or series.at or series.bands) then
        found:add(line, place .. (series.at and "at" or series.bands and "bands" or "curve"),
            "allowed without `names` on the x axis only")
    elseif not stepwise and series.at then
        found:add(line, place .. "at", "allowed with `ours` or `exact` only")
    elseif stepwise and not named and not series.at then
        found:add(line, place .. "at", ("missing beside `%s`"):format(way))
    elseif series.marks ~= nil and way ~= "curve" then
        found:add(line, place .. "marks", "allowed with `curve` only")
    end
end

-- What of a table's keys is wrong by itself.
local function check_keys(given, found, line)
    local before = found.count
    keys.check(FIGURE, given, found, line, "")
    if found.count > before then
        return
    end
    keys.check(X, given.x, found, line, "x.")
    keys.check(Y, given.y, found, line, "y.")
    for i, series in ipairs(given.series) do
        keys.check(SERIES, series, found, line, ("series[%d]."):format(i))
    end
end

local function check_together(given, found, line)
    check_axis(given.x, found, line, "x.")
    check_axis(given.y, found, line, "y.")
    for i, series in ipairs(given.series) do
        check_series(series, given.x.names ~= nil, found, line, ("series[%d]."):format(i))
    end
end

-- The checked figure, its keys and `line`; of x names `at` is 1, 2 and so on.
function figure_keys.checked(given, line, found)
    local before = found.count
    check_keys(given, found, line)
    if found.count == before then
        check_together(given, found, line)
    end
    if found.count > before then
        return nil
    end
    local figure = keys.copy(FIGURE, given)
    figure.line, figure.series = line, {}
    for i, series in ipairs(given.series) do
        local copied = keys.copy(SERIES, series)
        for place = 1, given.x.names and #given.x.names or 0 do
            copied.at = copied.at or {}
            copied.at[place] = place
        end
        figure.series[i] = copied
    end
    return figure
end

return figure_keys
