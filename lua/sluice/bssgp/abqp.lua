-- The aggregate BSS QoS profile of a packet flow (TS 24.008 clause 10.5.6.5), from the class and
-- rate of its contexts. Interactive and background are mapped to the classes of R97 as TS 23.107
-- clause 9.1.2.2 does; LLC is unacknowledged and protected, RLC acknowledged (reliability 3).
local wire = require "wire"

local abqp = {}

-- Rates that have a code: from, step, to, in bit/s.
local RATES = {
    { 1000, 1000, 63000 }, { 64000, 8000, 568000 }, { 576000, 64000, 8640000 },
    { 8700000, 100000, 16000000 }, { 17000000, 1000000, 128000000 },
    { 130000000, 2000000, 256000000 },
}
local RATE_UNLIMITED = 8640000

-- The greatest rate with a code that is not above bit_per_s, or else the least rate with a code.
local function rate_down(bit_per_s)
    local rate = RATES[1][1]
    for _, row in ipairs(RATES) do
        local first, step, last = table.unpack(row)
        if bit_per_s >= first then
            rate = first + (math.min(bit_per_s, last) - first) // step * step
        end
    end
    return rate
end

-- The least n for which 1000 x 2^(n-1) octets/s is not below bit_per_s.
local function peak_throughput(bit_per_s)
    local n = 1
    while n < 9 and 8000 << (n - 1) < bit_per_s do
        n = n + 1
    end
    return n
end

-- The elements that differ by class. Only a flow with a rate limit of its own gets a guaranteed rate.
local CLASSES = {
    signalling = { traffic_class = 3, delay_class = 1, handling_priority = 1, signalling = true },
    conversational = { traffic_class = 1, delay_class = 1, transfer_delay_ms = 100, both = true },
    streaming = { traffic_class = 2, delay_class = 1, transfer_delay_ms = 1000, guaranteed = true },
    ["interactive-1"] = { traffic_class = 3, delay_class = 1, handling_priority = 1 },
    ["interactive-2"] = { traffic_class = 3, delay_class = 2, handling_priority = 2 },
    ["interactive-3"] = { traffic_class = 3, delay_class = 3, handling_priority = 3 },
    background = { traffic_class = 4, delay_class = 4, precedence = 3 },
}

-- The profile as a table; pfc has class and, if it is limited, rate_bit_per_s.
function abqp.profile(pfc)
    local class = CLASSES[pfc.class]
    local rate = rate_down(pfc.rate_bit_per_s or RATE_UNLIMITED)
    local guaranteed = pfc.rate_bit_per_s and rate or 0
    return {
        delay_class = class.delay_class, reliability = 3, peak_throughput = peak_throughput(rate),
        precedence = class.precedence or 2, mean_throughput = 31,
        traffic_class = class.traffic_class, delivery_order = 2, erroneous_sdus = 3,
        sdu_octets = 1500, mbr_up_bit_per_s = rate, mbr_down_bit_per_s = rate,
        residual_ber = 7, sdu_error_ratio = 4, transfer_delay_ms = class.transfer_delay_ms,
        handling_priority = class.handling_priority or 0,
        gbr_up_bit_per_s = class.both and guaranteed or 0,
        gbr_down_bit_per_s = (class.both or class.guaranteed) and guaranteed or 0,
        signalling = class.signalling or false, source_statistics = 0,
    }
end

local BOUNDED = {
    "mbr_up_bit_per_s", "mbr_down_bit_per_s", "gbr_up_bit_per_s", "gbr_down_bit_per_s",
}

-- The profile granted when a BSS proposes `wanted` instead of `ours`: `ours` if the classes differ,
-- else the BSS's profile with no rate above ours, and our rate for an absent one.
function abqp.bounded(wanted, ours)
    if wanted.traffic_class ~= ours.traffic_class
        or wanted.handling_priority ~= ours.handling_priority then
        return ours
    end
    for _, key in ipairs(BOUNDED) do
        wanted[key] = math.min(wanted[key] or ours[key], ours[key])
    end
    return wanted
end

function abqp.encode(profile)
    return wire.abqp.encode(profile)
end

-- Returns nil for octets that cannot be decoded.
function abqp.decode(octets)
    return (wire.abqp.decode(octets))
end

return abqp
