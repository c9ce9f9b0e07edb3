-- Checks the values of a block of the lab against each other, as C's own functions say (`require
-- "faults"`). See lab_check.lua.
local check = require "sluice.config.check"
local described = require "sluice.schema.described"
local faults = require "faults"
local units = require "sluice.base.units"
local values = require "sluice.config.values"

local lab_faults = {}

-- Values that were refused before are nil, and of no use for a further check.
local function is_whole(record, constructor)
    for _, key in ipairs(constructor.keys) do
        if record[key.out] == nil and not key.optional then
            return false
        end
    end
    return true
end

local function shown(key, value)
    if value == 0 and key.none then
        return '"' .. key.none .. '"'
    end
    return key.unit and units.format(key.unit, value) or values.show(value)
end

-- Notes a fault: a text that begins with the key's name, as "radio.slots: more than ..." or "slots:".
function lab_faults.note(state, record, constructor, text)
    local name, why = text:match "^[%w_.]-([%w_]+): (.+)$"
    local key = name and constructor.key[name]
    local value = key and record[key.out]
    if value == nil then
        check.note_record(state, record, text)
    else
        check.note(state, record, name, "found %s, %s", shown(key, value), why)
    end
end

-- Checks a block that is a struct of C. also: values of fields without a key. Returns whether C has
-- seen it and found nothing.
function lab_faults.check(state, constructor, record, also)
    local fault = faults[constructor.list]
    if not (record and fault and is_whole(record, constructor)) then
        return false
    end
    local text = fault(described.values(constructor, record, also or {}))
    if text then
        lab_faults.note(state, record, constructor, text)
    end
    return text == nil
end

-- Checks a struct that several blocks make: blocks is a list of { constructor, record }, of which the
-- record may be nil. owner: the record that they belong to.
function lab_faults.check_joint(state, owner, list, blocks, also)
    local of = {}
    for _, block in ipairs(blocks) do
        local constructor, record = block[1], block[2]
        if record and not is_whole(record, constructor) then
            return
        end
        described.values(constructor, record, also)
        of[constructor.name] = block
    end
    local text = faults[list](also)
    local block = text and of[text:match "^([%w_]+)%."]
    if block and block[2] then
        lab_faults.note(state, block[2], block[1], text)
    elseif text then
        check.note_record(state, owner, text)
    end
end

return lab_faults
