-- What holds for the traffic classes now: the configuration's values, or what the user's policy
-- made of them since. The dataplane has a change at once, in all workers.
local dp = require "dp"
local parts = require "sluice.config.parts"
local schema_queues = require "sluice.config.queues_keys"

local values = { classes = {} }

-- A class and its AQM, to change them.
function values.copy(class)
    local made = parts.copy(class)
    made.aqm = parts.copy(class.aqm)
    return made
end

-- Those that the dataplane was made with.
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

-- Class i is like that from now on; its discipline, flows and scope are what they were.
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
