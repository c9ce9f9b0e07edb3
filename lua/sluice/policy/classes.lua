-- The values of the traffic classes in force: those of the configuration, or those that the user's
-- policy has set since. A change goes to all workers at once.
local dp = require "dp"
local parts = require "sluice.config.parts"
local schema_queues = require "sluice.schema.queues_keys"

local values = { classes = {} }

-- A copy of a class with its AQM, to change.
function values.copy(class)
    local made = parts.copy(class)
    made.aqm = parts.copy(class.aqm)
    return made
end

-- Starts with the values of the configuration.
function values.begin(cfg)
    for i, class in ipairs(cfg.class) do
        values.classes[i] = class
    end
end

local NAMES = {
    "weight", "packets", "octets", "lifetime_ns", "bss_lifetime_least_ns", "bss_lifetime_most_ns",
}

local function differs(a, b)
    return parts.differ(a, b, NAMES)
end

local function aqm_differs(a, b)
    local before, after = schema_queues.params(a.aqm), schema_queues.params(b.aqm)
    for i, param in ipairs(after) do
        if before[i].unit ~= param.unit or before[i].value ~= param.value then
            return true
        end
    end
    return false
end

function values.differ(a, b)
    return differs(a, b) or aqm_differs(a, b)
end

-- Sets the values of class i; its AQM discipline, flows and scope cannot change.
function values.set(i, class)
    local before = values.classes[i]
    values.classes[i] = class
    if differs(before, class) then
        dp.class_set {
            traffic_class = i - 1, weight = class.weight or 1, packets = class.packets,
            octets = class.octets, lifetime_ns = class.lifetime_ns,
            bss_least_ns = class.bss_lifetime_least_ns,
            bss_most_ns = class.bss_lifetime_most_ns or 0,
        }
    end
    if aqm_differs(before, class) then
        dp.class_aqm { traffic_class = i - 1, params = schema_queues.params(class.aqm) }
    end
end

return values
