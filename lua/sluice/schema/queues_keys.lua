-- The part of the schema that says how packets wait: classes, AQMs, limits, buckets. See
-- schema.lua.
local classes = require "classes"
local described = require "sluice.schema.described"
local disciplines = require "aqm" -- from dataplane/aqm
local units = require "sluice.base.units"

local queues = {}

-- A bucket of the configuration: `prefix` is "" or "ms_", `owner` names the bucket's owner.
function queues.rate(prefix, owner, otherwise)
    return {
        name = prefix .. "rate", type = "rate", least = "100 bit/s", most = "6553 Mbit/s",
        step = "100 bit/s", optional = true, default_help = otherwise, example = "40 kbit/s",
        help = "R, the leak rate of " .. owner .. " bucket, in LLC octets",
    }
end

function queues.bucket(prefix, owner)
    return {
        name = prefix .. "bucket", type = "size", least = "1 octets", most = "4000000 kB",
        optional = true, example = "8 kB",
        default_help = "what " .. prefix .. "rate sends in 1 s, or 3200 octets if that is more",
        help = "Bmax, the size of " .. owner .. " bucket; needs " .. prefix .. "rate",
    }
end

-- Used of what a BSS offers: more keeps no radio busier (tests/soak/osmopcu.py), and waits there.
queues.DELAY = "600 ms"

-- What people need of a delay's key besides.
queues.delay = {
    optional = true, example = "1 s",
    default_help = queues.DELAY .. "; with a lab { } and only ns = \"manual\" all of the bucket",
}

-- A parameter of an AQM, as a key.
local function aqm_key(param)
    local key = { name = param.name, help = param.help, param = param }
    local kind = units.kinds[param.unit]
    if kind then
        key.type, key.least = param.unit, units.format(param.unit, param.least)
        key.most = units.format(param.unit, param.most)
        key.default = units.format(param.unit, param.standard)
    elseif param.unit == "switch" then
        key.type, key.default = "switch", param.standard == 1
    elseif param.unit == "level" then
        local level = ({ [0] = "time", "size", "packets" })[param.standard_unit]
        key.type, key.least, key.most = "level", param.least, param.most
        key.default = units.format(level, param.standard)
    else
        key.type, key.least, key.most, key.default = "integer", param.least, param.most,
            param.standard
    end
    return key
end

local aqm_names = {}
for i, discipline in ipairs(disciplines) do
    aqm_names[i] = discipline.name
end
local aqm_name = {
    name = "name", type = "choice", choices = aqm_names, help = "the AQM; each has its own keys",
}

-- The discipline that a class has when the file names none. At these rates a drop often costs TCP a
-- timeout, so what may be marked is marked; and no target below the time of one and a half packets
-- can be held: COBALT knows that, and needs no parameter for the rate.
local aqm = {
    name = "aqm", min = 0, max = 1, single = true, filled = { name = "cobalt", ecn = true },
    open = true, keys = { aqm_name }, variants = {},
    help = "active queue management; without it cobalt with ecn, which adapts to slow links and"
        .. " spares TCP the timeouts that drops cost there",
}
for i, discipline in ipairs(disciplines) do
    local variant = {
        name = "aqm", choice = discipline.name, help = discipline.help, place = i,
        keys = { aqm_name },
    }
    for j, param in ipairs(discipline.params) do
        variant.keys[j + 1] = aqm_key(param)
    end
    aqm.variants[i] = variant
end

-- The parameters of a normalised record in the order of the discipline's own table, each
-- { unit, value }, and its place in the list; nil if one of them was refused.
function queues.params(record)
    local variant, params = aqm.variants[record.name], {}
    for i = 2, variant and #variant.keys or 0 do
        local value = record[variant.keys[i].out]
        if value == nil then
            return nil
        elseif type(value) == "table" then
            params[i - 1] = { unit = value.unit, value = value.value }
        else
            params[i - 1] = { unit = 0, value = math.tointeger(value) or (value and 1 or 0) }
        end
    end
    return variant and params, variant and variant.place
end

local CENTISECOND_NS = 10000000 -- the step of a lifetime

-- The default of bss_lifetime_least: class.bss_needs_ns, limited by the class's own values.
function queues.bss_least_ns(class)
    local whole_ns, most_ns = class.lifetime_ns, class.bss_lifetime_most_ns
    local least_ns = math.min(class.bss_needs_ns, most_ns or math.maxinteger,
        whole_ns > 0 and whole_ns // 2 or math.maxinteger)
    return least_ns // CENTISECOND_NS * CENTISECOND_NS
end

queues.scopes = { "nse", "cell", "ms", "flow" } -- as enum sched_scope

-- Of the study of AQM in the 2G-SGSN (2006); conversational, which it has not, like streaming:
-- speech asks for little, and with that weight gets all it asks for.
queues.weights = {
    conversational = 900, streaming = 900, ["interactive-1"] = 50, ["interactive-2"] = 35,
    ["interactive-3"] = 15, background = 5,
}

local WEIGHT_LEAST, WEIGHT_MOST = described.class_range "weight"
local PACKETS_LEAST, PACKETS_MOST = described.class_range "packets"
local OCTETS_LEAST, OCTETS_MOST = described.class_range "octets"

queues.class = {
    name = "class", min = 0, children = { aqm },
    help = "the values of one traffic class; all seven always exist",
    keys = {
        {
            name = "name", type = "choice", choices = classes, example = "background",
            help = "which class",
        },
        {
            name = "weight", type = "integer", least = WEIGHT_LEAST, most = WEIGHT_MOST,
            optional = true, default_help = "conversational and streaming 900, interactive-1 50, interactive-2 35,"
                .. " interactive-3 15, background 5",
            help = "the class's share where classes compete: in a cell, and in the NSE; signalling"
                .. " has no weight: it is sent before all other classes",
        },
        {
            name = "packets", type = "integer", least = PACKETS_LEAST, most = PACKETS_MOST,
            optional = true, default_help = "queue.packets", help = "the most N-PDUs of the class that wait (class_full)",
        },
        {
            name = "octets", type = "size", least = units.written("size", OCTETS_LEAST),
            most = units.written("size", OCTETS_MOST), optional = true, example = "256 kB", default_help = "queue.octets",
            help = "the most octets of N-PDUs of the class that wait (class_full)",
        },
        {
            -- The BSS is told the rest of it in centiseconds, 16 bit, 0xFFFF being infinite.
            name = "lifetime", type = "time", least = "100 ms", most = "655 s", default = "10 s",
            step = "10 ms", none = "unlimited",
            help = "how long an N-PDU may take through SGSN and BSS together (expired); a backstop"
                .. " behind the AQM",
        },
        {
            name = "bss_lifetime_least", type = "time", least = "10 ms", most = "655 s",
            step = "10 ms", optional = true, example = "1 s",
            default_help = "3.5 s and the longest of gb's cell_delay, ms_delay and pfc_delay (1 s with the"
                .. " buckets as offered); or half the lifetime, or bss_lifetime_most, if that is less",
            help = "the least part of the lifetime that is left for the BSS; with less left an N-PDU is"
                .. " dropped, for the BSS would discard the N-PDU in its own queue",
        },
        {
            name = "bss_lifetime_most", type = "time", least = "10 ms", most = "655 s",
            step = "10 ms", optional = true, example = "5 s", default_help = "all that is left",
            help = "the most of the lifetime that is left for the BSS",
        },
        {
            name = "flows", type = "switch", default = false,
            help = "whether an MS's packets have a queue for each flow (addresses and ports),"
                .. " served in turn, new flows first",
        },
        {
            name = "refuse_late", type = "switch", default = false,
            help = "whether an N-PDU is dropped at arrival (late) if its flow's share of the rate would need"
                .. " more than 5/8 of the SGSN's part of its lifetime, unless it sends 4 of the largest N-PDUs"
                .. " in that time; without flows = true nothing is late",
        },
        {
            name = "window", type = "time", least = "100 ms", most = "100 s", step = "1 ms", default = "none",
            none = "none", example = "2 s",
            help = "lower the receive window in an MS's TCP segments, so that a flow"
                .. " has no more under way than its share of the downlink sends in that time;"
                .. " needs flows = true",
        },
        {
            name = "scope", type = "choice", choices = queues.scopes, default = "ms",
            help = "the queue that the AQM watches: of the class in the NSE, in the cell, of the MS,"
                .. " or of one flow",
        },
    },
}

queues.overflows = { "largest", "tail" } -- as enum dp_overflow

queues.queue = {
    name = "queue", min = 0, max = 1, single = true, filled = {},
    help = "the limits of the queues in front of Gb, and the queues by flow",
    keys = described.keys("queue", {
        nse_octets = { optional = true, none = false, example = "2000 kB" },
        overflow = { type = "choice", choices = queues.overflows, default = "largest" },
        flows = { type = "choice", choices = described.powers "queue_flows" },
    }),
}

return queues
