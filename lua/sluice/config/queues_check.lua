-- Checks the parts of a configuration about queues against each other: classes, their AQMs and
-- lifetimes, and buckets. Also fills in their defaults that depend on other places. See cross.lua.
local check = require "sluice.config.check"
local disciplines = require "aqm"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local schema_queues = require "sluice.schema.queues_keys"
local units = require "sluice.base.units"

local note, is_given = check.note, check.is_given

local queues = {}

local S_IN_NS = 1000000000
local BUCKET_LEAST_OCTETS = 3200 -- two of the largest LLC PDUs
local LLC_OCTETS = 6             -- header and FCS of an LLC PDU, on top of N201-U

local function check_weight(state, class)
    if class.name == "signalling" and class.weight then
        note(state, class, "weight", "found %d, allowed none: signalling is sent before all other classes",
            class.weight)
    end
    class.weight = class.weight or schema_queues.weights[class.name]
end

local DELAYS = { "cell_delay", "ms_delay", "pfc_delay" }

-- Whether the file gives all buckets, so that no BSS sends any.
local function has_all_buckets(cfg)
    for _, nse in ipairs(cfg.nse) do
        if nse.ns ~= "manual" then
            return false
        end
    end
    return cfg.lab ~= nil
end

-- Fills in the default delays: of a bucket that the file gives, all is used; of one that a BSS sends, as
-- much as the radio needs, also in the lab.
local function fill_delays(state, cfg)
    local usual_ns = has_all_buckets(cfg) and 0 or units.parse("time", schema_queues.DELAY)
    for _, key in ipairs(cfg.gb and DELAYS or {}) do
        if not is_given(state, cfg.gb, key) then
            cfg.gb[key .. "_ns"] = usual_ns
        end
    end
end

-- When an LLC PDU is sent, the BSS buffers at most what its radio sends in the longest delay, and one
-- LLC PDU. MORE_NS covers that LLC PDU, 1526 octets on one PDCH at CS-1 (1.53 s; two of them, where the
-- BSS tells the level of its bucket, 3.05 s), the start of the radio (osmo-pcu: 0.42 s), and unequal
-- turns of MSs: for eight MSs and a delay of 0.6 s, osmo-pcu held a PDU for at most 3.7 s
-- (tests/soak/osmopcu.py).
local MORE_NS = 3500000000

local function bss_needs_ns(gb)
    local longest_ns = 0
    for _, key in ipairs(gb and DELAYS or {}) do
        longest_ns = math.max(longest_ns, gb[key .. "_ns"] or 0)
    end
    return longest_ns == 0 and S_IN_NS or longest_ns + MORE_NS
end

-- A lifetime of 0 is unlimited; nil was refused before.
local function check_lifetime(state, class, needs_ns)
    if class.lifetime_ns and not is_given(state, class, "bss_lifetime_least") then
        class.bss_needs_ns = needs_ns
        class.bss_lifetime_least_ns = schema_queues.bss_least_ns(class)
    end
    local whole, least = class.lifetime_ns, class.bss_lifetime_least_ns
    if whole and least and whole > 0 and least > whole then
        note(state, class, "bss_lifetime_least", "found %s, allowed no more than lifetime, %s",
            units.format("time", least), units.format("time", whole))
    end
    local most = class.bss_lifetime_most_ns
    if most and least and most < least then
        note(state, class, "bss_lifetime_most", "found %s, allowed no less than"
            .. " bss_lifetime_least, %s", units.format("time", most), units.format("time", least))
    end
end

local function check_aqm(state, class)
    local aqm = class.aqm
    if not aqm then
        return -- after far too many mistakes a record that is made up has no children
    end
    if class.scope == "flow" and class.flows == false then
        note(state, class, "scope", 'found "flow", allowed with flows = true only')
    end
    if (class.window_ns or 0) > 0 and class.flows == false then
        note(state, class, "window", "found %s, allowed with flows = true only",
            units.format("time", class.window_ns))
    end
    local params, place = schema_queues.params(aqm)
    local wrong = params and disciplines.check(place, params)
    if wrong then
        note(state, aqm, "name", 'found "%s" with values that contradict each other: %s', aqm.name,
            wrong)
    end
end

-- Makes all seven classes in their order; a class that the file does not name has the defaults.
local function fill_classes(state, cfg)
    local given, needs_ns = {}, bss_needs_ns(cfg.gb)
    for _, class in ipairs(cfg.class) do
        given[class.name or ""] = class
    end
    cfg.class = {}
    for i, name in ipairs(schema.classes) do
        local class = given[name]
            or check.made_up(state, schema.constructor.class, { name = name })
        cfg.class[i] = class
        check_weight(state, class)
        check_lifetime(state, class, needs_ns)
        check_aqm(state, class)
        class.packets = class.packets or cfg.queue.packets
        class.octets = class.octets or cfg.queue.octets
    end
end

-- A PDU that is larger than the bucket conforms only if the bucket is empty (48.018 8.2.3.2).
local function warn_small(state, record, key, octets, n201_u_octets)
    local pdu_octets = (n201_u_octets or 0) + LLC_OCTETS
    if n201_u_octets and octets < pdu_octets then
        check.warn(state, record, key, ("found %d octets, less than one LLC PDU, %d octets: such a"
            .. " PDU is sent only when the bucket is empty"):format(octets, pdu_octets))
    end
end

local function check_bucket(state, record, prefix, n201_u_octets)
    local rate, octets = record[prefix .. "rate_bit_per_s"], record[prefix .. "bucket_octets"]
    local key = prefix .. "bucket"
    if octets and not rate and not is_given(state, record, prefix .. "rate") then
        note(state, record, key, "found a bucket without a rate, allowed with %srate only", prefix)
    elseif rate and not is_given(state, record, key) then
        record[key .. "_octets"] = math.max(rate // 8, BUCKET_LEAST_OCTETS)
    elseif octets then
        warn_small(state, record, key, octets, n201_u_octets)
    end
end

local PFCS_AN_MS = schema.constructor.room.key.pfcs.most

-- Contexts of an MS with one PFI, or with one class and no PFI, share a bucket, so at most one of them
-- gives its values. An MS has room for PFCS_AN_MS packet flows, one for each class and PFI.
local function check_pdps(state, ms)
    local first, seen, pfcs = {}, {}, 0
    for _, pdp in ipairs(ms.pdp) do
        check_bucket(state, pdp, "", ms.n201_u_octets)
        local key, bucket = pdp.class and parts.pfc_key(pdp), parts.bucket_key(pdp)
        if key and pdp.rate_bit_per_s and first[bucket] then
            note(state, pdp, "rate", "found a second bucket for class %s (%s has one), allowed one:"
                .. " contexts with the same PFI, or the same class and no PFI, share a bucket", pdp.class,
                state.node_of[first[bucket]].path)
        elseif key and pdp.rate_bit_per_s then
            first[bucket] = pdp
        end
        if key and not seen[key] then
            seen[key], pfcs = true, pfcs + 1
            if pfcs == PFCS_AN_MS + 1 then
                note(state, pdp, "pfi", "found %d packet flows, allowed at most %d in an MS: one"
                    .. " for each class and PFI", pfcs, PFCS_AN_MS)
            end
        end
    end
end

local function check_buckets(state, cfg)
    for _, nse in ipairs(cfg.nse) do
        check_bucket(state, nse, "")
        for _, bvc in ipairs(nse.bvc) do
            local largest
            for _, ms in ipairs(bvc.ms) do
                check_bucket(state, ms, "", ms.n201_u_octets)
                check_pdps(state, ms)
                largest = math.max(largest or 0, ms.n201_u_octets or 0)
            end
            check_bucket(state, bvc, "", largest)
            check_bucket(state, bvc, "ms_", largest)
        end
    end
end

function queues.all(state, cfg)
    fill_delays(state, cfg)
    fill_classes(state, cfg)
    check_buckets(state, cfg)
end

return queues
