-- Converts quantities ("0.5 s", "64 kbit/s", "1500 octets") to whole numbers in the machine's unit: ns,
-- bit/s, octets. Integer arithmetic only: a number that is no whole multiple of the machine's unit is
-- refused, never rounded. kB is 1000 octets, min is 60 s, h is 3600 s.
local nearest = require "sluice.base.nearest"

local units = {}

units.kinds = {
    time = {
        noun = "a time", machine = "ns", suffix = "_ns", usual = 1000000000,
        { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { "min", 60000000000 },
        { "h", 3600000000000 },
    },
    rate = {
        noun = "a rate", machine = "bit/s", suffix = "_bit_per_s", usual = 1000,
        { "bit/s", 1 }, { "kbit/s", 1000 }, { "Mbit/s", 1000000 },
    },
    size = {
        noun = "a size", machine = "octets", suffix = "_octets", usual = 1,
        { "octets", 1 }, { "kB", 1000 },
    },
    probability = {
        noun = "a probability", machine = "ppm", suffix = "_ppm", usual = 10000,
        { "ppm", 1 }, { "%", 10000 },
    },
    share = {
        noun = "a share", machine = "ppm", suffix = "_ppm", usual = 10000,
        { "ppm", 1 }, { "%", 10000 },
    },
    packets = {
        noun = "a number of N-PDUs", machine = "packets", suffix = "_packets",
        { "packets", 1 },
    },
}

-- Common spellings, and the unit's name here.
local habits = {
    sec = "s", secs = "s", second = "s", seconds = "s", msec = "ms", usec = "us", ["µs"] = "us",
    minute = "min", minutes = "min", hr = "h", hour = "h", hours = "h",
    bps = "bit/s", kbps = "kbit/s", Mbps = "Mbit/s", ["kb/s"] = "kbit/s", ["Mb/s"] = "Mbit/s",
    B = "octets", byte = "octets", bytes = "octets", octet = "octets",
    KB = "kB", kb = "kB", kilobyte = "kB",
    percent = "%", pkts = "packets", packet = "packets", pkt = "packets",
    bit = "bit/s", kbit = "kbit/s", Mbit = "Mbit/s", mins = "min", hrs = "h",
}
local LETTERS_LEAST = 4 -- of a unit that is compared letter by letter: "os" is as near to "s" as to "ms"

local function names(kind)
    local list = {}
    for i, unit in ipairs(units.kinds[kind]) do
        list[i] = unit[1]
    end
    return list
end

function units.names(kind)
    return table.concat(names(kind), ", ")
end

local function factor_of(kind, name)
    for _, unit in ipairs(units.kinds[kind]) do
        if unit[1] == name then
            return unit[2]
        end
    end
    return nil
end

-- Returns the number as written, its digits before and after the point, and the unit.
local function split(text)
    local number, whole, fraction, unit = text:match("^((%d+)%.(%d+)) ?([^%d%s.]%S*)$")
    if number then
        return number, whole, fraction, unit
    end
    whole, unit = text:match("^(%d+) ?([^%d%s.]%S*)$")
    return whole, whole, "", unit
end

-- Returns digits * factor / 10^#fraction, or nil and why not.
local function scale(whole, fraction, factor, machine)
    fraction = fraction:gsub("0+$", "")
    local digits = (whole .. fraction):gsub("^0+", "")
    if #digits > 18 then
        return nil, "too large or too fine"
    end
    local number, divisor = math.tointeger(tonumber(digits)) or 0, 1
    if number > math.maxinteger // factor then
        return nil, fraction == "" and "too large" or "too large or too fine"
    end
    for _ = 1, #fraction do
        divisor = divisor * 10
        if divisor > math.maxinteger // 10 then
            return nil, "too large or too fine"
        end
    end
    if number * factor % divisor ~= 0 then
        return nil, "finer than " .. machine
    end
    return number * factor // divisor
end

local function unit_meant(kind, unit)
    local habit = habits[unit]
    if habit and factor_of(kind, habit) then
        return habit
    end
    for _, name in ipairs(names(kind)) do
        if name:lower() == unit:lower() then
            return name
        end
    end
    return #unit >= LETTERS_LEAST and nearest.find(unit, names(kind)) or nil
end

-- Why the text is no quantity, and what is meant.
local function no_quantity(text)
    local whole, fraction, unit = text:match("^(%d+),(%d+)( ?[^%d%s.,]%S*)$")
    if whole then
        return "a comma", #fraction ~= 3 and whole .. "." .. fraction .. unit or nil -- else of thousands
    elseif text:find("^%s*[+-]%s*[%d.]") then
        return text:find("-", 1, true) and "negative" or "a sign"
    elseif text:find("^%d+%.?%d*$") then
        return "no unit"
    elseif text:find("^%s") or text:find("%s$") then
        return "a space before or behind it"
    end
    return "no number with its unit"
end

-- Returns the whole number in the machine's unit; else nil, what is wrong, and a suggestion.
function units.parse(kind, text)
    local number, whole, fraction, unit = split(text)
    if not number then
        local why, meant = no_quantity(text)
        return nil, why .. "; units: " .. units.names(kind), meant
    end
    local factor = factor_of(kind, unit)
    if not factor then
        local meant = unit_meant(kind, unit)
        meant = meant and number .. " " .. meant
        return nil, "an unknown unit; units: " .. units.names(kind), meant
    end
    return scale(whole, fraction, factor, "1 " .. units.kinds[kind].machine)
end

-- Converts back to text as people write times and sizes: from ten min or kB on in min or kB, else in s
-- or octets; a time that is no whole second in ms.
function units.written(kind, value)
    local list = units.kinds[kind]
    for i = #list, 1, -1 do
        local unit, factor = list[i][1], list[i][2]
        local enough = factor > list.usual and 10 * factor or factor
        if value % factor == 0 and (value >= enough or value == 0 and factor == list.usual) then
            return value // factor .. " " .. unit
        end
    end
end

-- Converts back to text, in the largest unit with a whole number.
function units.format(kind, value)
    local list = units.kinds[kind]
    for i = #list, 1, -1 do
        if value % list[i][2] == 0 and (value ~= 0 or i == 1) then
            return value // list[i][2] .. " " .. list[i][1]
        end
    end
end

return units
