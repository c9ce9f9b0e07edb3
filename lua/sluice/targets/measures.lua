-- The functions of a file of targets, besides Lua's own, by their names. Rows in which the column
-- is empty are left out. An error has no place: script/sandbox.lua adds the line of the file.
local shown = require "sluice.base.shown"

local measures = {}

local function check_rows(rows)
    if type(rows) ~= "table" then
        error("found " .. shown.show(rows) .. ", allowed a list of rows", 0)
    end
end

-- The column's numbers.
local function numbers_of(rows, column)
    check_rows(rows)
    local numbers = {}
    for _, row in ipairs(rows) do
        local value = row[column]
        if value ~= nil and not math.type(value) then
            error("column " .. shown.show(column) .. ": found " .. shown.show(value) .. ", allowed numbers", 0)
        end
        numbers[#numbers + 1] = value
    end
    return numbers
end

function measures.sum(rows, column)
    local total = 0
    for _, number in ipairs(numbers_of(rows, column)) do
        total = total + number
    end
    return total
end

function measures.mean(rows, column)
    local numbers, total = numbers_of(rows, column), 0
    for _, number in ipairs(numbers) do
        total = total + number
    end
    return #numbers > 0 and total / #numbers or nil
end

-- The number that `better` prefers to all others.
local function extreme(better)
    return function(rows, column)
        local best
        for _, number in ipairs(numbers_of(rows, column)) do
            if not best or better(number, best) then
                best = number
            end
        end
        return best
    end
end

measures.least = extreme(function(a, b)
    return a < b
end)

measures.most = extreme(function(a, b)
    return a > b
end)

-- Of the sorted numbers the first that at least the share q of them does not exceed. What q * n is too large
-- by rounding moves no place.
local ROUNDING = 1e-9

function measures.quantile(rows, column, q)
    if not math.type(q) or not (q > 0 and q <= 1) then
        error("quantile: found " .. shown.show(q) .. ", allowed a number above 0, 1 at most", 0)
    end
    local numbers = numbers_of(rows, column)
    table.sort(numbers)
    return numbers[math.max(1, math.ceil(q * #numbers - ROUNDING))]
end

function measures.window(rows, from_s, to_s)
    check_rows(rows)
    if not math.type(from_s) or not math.type(to_s) then
        error("window: allowed window(rows, from_s, to_s), both numbers", 0)
    end
    local inside = {}
    for _, row in ipairs(rows) do
        local time_s = row.time_s
        if math.type(time_s) and time_s >= from_s and time_s <= to_s then
            inside[#inside + 1] = row
        end
    end
    return inside
end

-- No hash decides an order: numbers first, then texts; other keys are refused.
local function before(a, b)
    if type(a) == type(b) then
        return a < b
    end
    return type(a) == "number"
end

function measures.pairs(t)
    check_rows(t)
    local keys, i = {}, 0
    for key in next, t do
        if type(key) ~= "string" and type(key) ~= "number" then
            error("found a key that is a " .. type(key) .. ", allowed texts and numbers", 0)
        end
        keys[#keys + 1] = key
    end
    table.sort(keys, before)
    return function()
        i = i + 1
        return keys[i], t[keys[i]]
    end
end

return measures
