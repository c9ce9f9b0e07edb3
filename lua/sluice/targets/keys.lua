-- The keys of a constructor's table, such as `target { }`: which there are, and the checks of their values. A
-- check returns what is allowed, or nil.
local nearest = require "sluice.base.nearest"
local shown = require "sluice.base.shown"
local sorted_keys = require "sluice.config.sorted_keys"

local keys = {}

local TEXT_MAX_OCTETS = 1000

-- ---- Checks ----

function keys.is_number(value)
    return math.type(value) and value == value and math.abs(value) ~= math.huge
end

function keys.number(value)
    return not keys.is_number(value) and "a number"
end

-- The check of a text of at most `most` octets.
function keys.text_of(most)
    return function(value)
        local good = type(value) == "string" and value ~= "" and #value <= most
        return not good and ("a text of up to %d octets"):format(most)
    end
end
keys.text = keys.text_of(TEXT_MAX_OCTETS)

function keys.unit(value)
    return value ~= "" and keys.text(value)
end

function keys.switch(value)
    return type(value) ~= "boolean" and "true or false"
end

-- The check of a function with these arguments.
function keys.function_of(arguments)
    return function(value)
        return type(value) ~= "function" and "a function, such as function(" .. arguments .. ") return ... end"
    end
end

-- The check of a list of up to `most` values that all pass `check`; what: what they are.
function keys.list_of(check, most, what)
    local allowed = ("a list of 1 to %d %s"):format(most, what)
    return function(value)
        local numbers, names, others = {}, {}, 0
        if type(value) == "table" then
            numbers, names, others = sorted_keys(value)
        end
        local good = #numbers > 0 and #numbers <= most and #numbers == #value and #names + others == 0
        for i = 1, good and #numbers or 0 do
            good = good and not check(value[i])
        end
        return not good and allowed
    end
end

-- ---- Tables ----

-- The keys of a constructor. list: each { name, check, needed }.
function keys.new(constructor, list)
    local self = { constructor = constructor, list = list, names = {}, by_name = {} }
    for i, key in ipairs(list) do
        self.names[i], self.by_name[key.name] = key.name, key
    end
    return self
end

local function check_names(self, given, found, line, place)
    local numbers, names, others = sorted_keys(given)
    local allowed = table.concat(self.names, ", ")
    if #numbers + others > 0 then
        found:add(line, place == "" and self.constructor or place:sub(1, -2),
            "found a value without a name, allowed names: " .. allowed)
    end
    for _, name in ipairs(names) do
        if not self.by_name[name] then
            found:add(line, place .. shown.plain(name), "unknown key; allowed: " .. allowed
                .. nearest.hint(name, self.names))
        end
    end
end

-- Adds the mistakes of `given` to `found`. place: before the names in messages, such as "x.", or "".
function keys.check(self, given, found, line, place)
    check_names(self, given, found, line, place)
    for _, key in ipairs(self.list) do
        local value = given[key.name]
        local allowed = value ~= nil and key.check(value)
        if value == nil and key.needed then
            found:add(line, place .. key.name, "missing in " .. self.constructor .. " { }")
        elseif allowed then
            found:add(line, place .. key.name, "found " .. shown.show(value) .. ", allowed " .. allowed)
        end
    end
end

-- A table with these keys of `given` alone.
function keys.copy(self, given)
    local copied = {}
    for _, name in ipairs(self.names) do
        copied[name] = given[name]
    end
    return copied
end

-- The line of the file, not of a function in it, that calls the constructor which calls this.
function keys.line_of_call()
    local level, line = 3, nil -- of the constructor's caller
    local info = debug.getinfo(level, "Sl")
    while info do
        line = info.currentline > 0 and (not line or info.what == "main") and info.currentline or line
        level = level + 1
        info = debug.getinfo(level, "Sl")
    end
    return line or 1
end

return keys
