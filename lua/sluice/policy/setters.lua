-- The values that the user's policy may set: class "name" { weight, packets, octets, lifetime,
-- bss_lifetime_least, bss_lifetime_most } and aqm "name" { parameters of the class's discipline }, both
-- written as in the configuration. Each value is checked at once; all values of a call come into force
-- together when the call has ended.
local classes = require "sluice.policy.classes"
local disciplines = require "aqm"
local schema = require "sluice.schema.schema"
local schema_queues = require "sluice.schema.queues_keys"
local values = require "sluice.config.values"

local setters = {}

local CLASS_KEYS = "weight packets octets lifetime bss_lifetime_least bss_lifetime_most"
local KEYS_MOST = 64
local pending = {} -- classes by place, changed and not yet in force

local function place_of(name, level)
    for i, known in ipairs(schema.classes) do
        if known == name then
            return i
        end
    end
    error("no class " .. values.show(name), level + 1)
end

-- The class with the values that this call has set so far.
local function draft(i)
    return classes.copy(pending[i] or classes.classes[i])
end

-- Returns whether the table has at most KEYS_MOST keys; sorting more would take long.
local function is_small(t)
    local keys = 0
    for _ in next, t do
        keys = keys + 1
        if keys > KEYS_MOST then
            return false
        end
    end
    return true
end

-- Copies the values of `given` into `record`; allowed(name) says whether the script may set the key.
local function take(record, given, keys, allowed, level)
    if type(given) ~= "table" then
        error("found " .. values.show(given) .. ", allowed a table", level + 1)
    end
    if not is_small(given) then
        error("too many keys", level + 1)
    end
    local numbers, names, others = values.sorted_keys(given)
    if #numbers + others > 0 then
        error("found a value without a name", level + 1)
    end
    for _, name in ipairs(names) do
        local key = allowed(name) and keys[name]
        if not key then
            error(("unknown key '%s'"):format(values.plain(name)), level + 1)
        end
        local value, text = values.check(key, given[name])
        if value == nil then
            error(name .. ": " .. text, level + 1)
        end
        record[key.out] = value
    end
end

local function is_class_key(name)
    return (" " .. CLASS_KEYS .. " "):find(" " .. name .. " ", 1, true)
end

local function wrong_class(class)
    local whole, least, most = class.lifetime_ns, class.bss_lifetime_least_ns,
        class.bss_lifetime_most_ns
    if class.name == "signalling" and class.weight then
        return "signalling has no weight"
    elseif whole > 0 and least > whole then
        return "bss_lifetime_least is more than lifetime"
    elseif most and most < least then
        return "bss_lifetime_most is less than bss_lifetime_least"
    end
end

function setters.class(name)
    local i = place_of(name, 2)
    return function(given)
        local class = draft(i)
        take(class, given, schema.constructor.class.key, is_class_key, 2)
        if rawget(given, "bss_lifetime_least") then
            class.bss_needs_ns = nil
        elseif class.bss_needs_ns then
            class.bss_lifetime_least_ns = schema_queues.bss_least_ns(class)
        end
        local wrong = wrong_class(class)
        if wrong then
            error(wrong, 2)
        end
        pending[i] = class
    end
end

local function is_parameter(name)
    return name ~= "name"
end

function setters.aqm(name)
    local i = place_of(name, 2)
    return function(given)
        local class = draft(i)
        local variant = schema.of(schema.constructor.aqm, class.aqm)
        take(class.aqm, given, variant.key, is_parameter, 2)
        local params, place = schema_queues.params(class.aqm)
        local wrong = disciplines.check(place, params)
        if wrong then
            error(wrong, 2)
        end
        pending[i] = class
    end
end

-- Before a call: forgets the values of a failed one.
function setters.begin()
    pending = {}
end

-- After a call that has succeeded.
function setters.apply()
    local changed = pending
    pending = {}
    for i = 1, #schema.classes do
        if changed[i] then
            classes.set(i, changed[i])
        end
    end
end

return setters
