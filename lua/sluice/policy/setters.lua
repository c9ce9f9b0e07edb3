-- What the user's policy may set: class "name" { weight, packets, octets, lifetime,
-- bss_lifetime_least, bss_lifetime_most } and aqm "name" { parameters of the discipline that the
-- class has }, both as the configuration writes them. Values are checked when they are given, and
-- come into force together, when the call that gave them has ended.
local classes = require "sluice.policy.classes"
local disciplines = require "aqm"
local schema = require "sluice.config.schema"
local schema_queues = require "sluice.config.queues_keys"
local values = require "sluice.config.values"

local setters = {}

local MINE = "weight packets octets lifetime bss_lifetime_least bss_lifetime_most"
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

-- The class as this call has left it.
local function draft(i)
    return classes.copy(pending[i] or classes.classes[i])
end

-- Whether it has no more keys than a table of ours could have; else to sort them takes long.
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

-- Takes the keys of `given` into `record`; `allowed` says which there are.
local function take(record, given, keys, allowed, level)
    if type(given) ~= "table" then
        error("found " .. values.show(given) .. ", allowed a table", level + 1)
    end
    if not is_small(given) then
        error("found more keys than there are", level + 1)
    end
    local numbers, names, others = values.sorted_keys(given)
    if #numbers + others > 0 then
        error("found a value without a name", level + 1)
    end
    for _, name in ipairs(names) do
        local key = allowed(name) and keys[name]
        if not key then
            error(values.plain(name) .. ": found an unknown key", level + 1)
        end
        local value, text = values.check(key, given[name])
        if value == nil then
            error(name .. ": " .. text, level + 1)
        end
        record[key.out] = value
    end
end

local function is_mine(name)
    return (" " .. MINE .. " "):find(" " .. name .. " ", 1, true)
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
        take(class, given, schema.constructor.class.key, is_mine, 2)
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

local function is_no_name(name)
    return name ~= "name"
end

function setters.aqm(name)
    local i = place_of(name, 2)
    return function(given)
        local class = draft(i)
        local variant = schema.of(schema.constructor.aqm, class.aqm)
        take(class.aqm, given, variant.key, is_no_name, 2)
        local params, place = schema_queues.params(class.aqm)
        local wrong = disciplines.check(place, params)
        if wrong then
            error(wrong, 2)
        end
        pending[i] = class
    end
end

-- Before a call: what one that failed has left is forgotten.
function setters.begin()
    pending = {}
end

-- After one that ended well.
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
