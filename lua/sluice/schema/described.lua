-- The keys that C describes, the dataplane's in dataplane.h, the lab's beside its parts: name, range,
-- default and help are said there alone. What only people need is added here as `more`:
-- { KEY = { example = ... } }.
local limits = require "limits"
local units = require "sluice.base.units"

local described = {}

-- A standard below the range is no value: what `zero` says in words, or worked out elsewhere.
local function set_default(key, field, text)
    if not key.optional and field.key.standard >= field.least then
        key.default = text(field.key.standard)
    elseif not key.optional and key.none then
        key.default = key.none
    else
        key.optional, key.default_help = true, field.key.zero
    end
end

local function words(text)
    local list = {}
    for word in text:gmatch "%S+" do
        list[#list + 1] = word
    end
    return list
end

local function choice_of(field, name)
    local choices = words(field.key.zero)
    return {
        name = name, type = "choice", choices = choices, default = choices[field.key.standard + 1],
        help = field.help,
    }
end

local function switch_of(field, name)
    return { name = name, type = "switch", default = field.key.standard ~= 0, help = field.help }
end

local function number_of(field, name, more)
    local is_quantity = units.kinds[field.key.type]
    local function text(number)
        return is_quantity and units.written(field.key.type, number) or number
    end
    local key = {
        name = name, type = field.key.type, least = text(field.least), most = text(field.most),
        none = is_quantity and field.key.zero, optional = more.optional, help = field.help,
    }
    set_default(key, field, text)
    return key
end

local KINDS = { choice = choice_of, switch = switch_of }

local function key_of(field, name, more)
    more = more or {}
    local key = (KINDS[field.key.type] or number_of)(field, name, more)
    for what, value in next, more do
        key[what] = value
    end
    return key
end

-- The keys of a block, in the order of their fields, each with its field and that field's place.
function described.list(fields, block, more)
    local keys = {}
    for i, field in ipairs(fields) do
        local name = field.key and field.key.name:match("^" .. block .. "%.(.+)$")
        if name then
            local key = key_of(field, name, more and more[name])
            key.field, key.place = field, i - 1
            keys[#keys + 1] = key
        end
    end
    return keys
end

function described.keys(block, more)
    return described.list(limits, block, more)
end

local function place_of(choices, name)
    for i, choice in ipairs(choices) do
        if choice == name then
            return i - 1
        end
    end
end

local function standard(field)
    local key = field.key
    local is_value = key.type == "choice" or key.type == "switch" or key.standard >= field.least
    return is_value and key.standard or 0
end

-- Takes a choice away, which one block does not have. The others stay what they are in C. why: what is said of it.
function described.refuse(key, choice, why)
    key.all, key.choices, key.refused = key.choices, {}, { [choice] = why }
    for _, other in ipairs(key.all) do
        key.choices[#key.choices + 1] = other ~= choice and other or nil
    end
end

-- What C's field of a key is set to: a choice is its place, and a number that is not there is 0.
function described.value(key, record)
    local value = record[key.out]
    return key.type == "choice" and place_of(key.all or key.choices, value) or value or 0
end

-- Adds the values of C's fields that a record of the file says, by the names of the fields; without a
-- record the defaults.
function described.values(constructor, record, values)
    for _, key in ipairs(constructor.keys) do
        if key.field then
            values[key.field.name] = record and described.value(key, record) or not record
                and standard(key.field)
        end
    end
    return values
end

-- The keys that a record gives, each as its field's place and its value (field_change in dataplane/wire/field.h).
function described.changes(constructor, record)
    local changes = {}
    for _, key in ipairs(constructor.keys) do
        if key.field and record[key.out] ~= nil then
            local value = described.value(key, record)
            value = value == true and 1 or value or 0
            changes[#changes + 1] = string.pack(">I4I8", key.place, value)
        end
    end
    return table.concat(changes)
end

-- Those of both ports: `order` has keys of its own, and the names of some of them; the others follow.
function described.port_keys(order, more)
    local keys, of_name = {}, {}
    for _, field in ipairs(limits.gn.fields) do
        if field.key then
            of_name[field.key.name] = key_of(field, field.key.name, more[field.key.name])
        end
    end
    for i, key in ipairs(order) do
        keys[i] = of_name[key] or key
        of_name[key] = nil
    end
    for _, field in ipairs(limits.gn.fields) do
        keys[#keys + 1] = field.key and of_name[field.key.name]
    end
    return keys
end

-- The least and the most of a class's value.
function described.class_range(name)
    for _, field in ipairs(limits.classes.fields) do
        if field.name == name then
            return field.least, field.most
        end
    end
end

-- Of what has to be a power of two.
function described.powers(name)
    local list, power = {}, limits[name].least
    while power <= limits[name].most do
        list[#list + 1], power = power, 2 * power
    end
    return list
end

return described
