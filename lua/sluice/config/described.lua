-- The keys that the dataplane's own description has (dataplane.h): name, range, default and help are
-- said there alone. What only people need is added here as `more`: { KEY = { example = ... } }.
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

local function key_of(field, name, more)
    more = more or {}
    local is_quantity = units.kinds[field.key.type]
    local function text(number)
        return is_quantity and units.written(field.key.type, number) or number
    end
    local key = {
        name = name, type = field.key.type, least = text(field.least), most = text(field.most),
        none = is_quantity and field.key.zero, optional = more.optional, help = field.help,
    }
    set_default(key, field, text)
    for what, value in next, more do
        key[what] = value
    end
    return key
end

-- The keys of a block, in the dataplane's order.
function described.keys(block, more)
    local keys = {}
    for _, field in ipairs(limits) do
        local name = field.key and field.key.name:match("^" .. block .. "%.(.+)$")
        if name then
            keys[#keys + 1] = key_of(field, name, more and more[name])
        end
    end
    return keys
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
