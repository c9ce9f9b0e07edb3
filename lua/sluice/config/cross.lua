-- Checks two places of a configuration against each other: numbers given twice, ranges that overlap or
-- run past their end, traffic without a receiver. Values that were refused before are nil here and
-- ignored. Also fills in the defaults that depend on other places.
local addresses = require "sluice.base.addresses"
local attach = require "sluice.config.attach_check"
local check = require "sluice.config.check"
local ciphers = require "sluice.base.ciphers"
local gb = require "sluice.config.gb_check"
local lab = require "sluice.config.lab_check"
local lab_events = require "sluice.config.lab_events_check"
local limits = require "limits"
local network = require "sluice.config.network_check"
local parts = require "sluice.config.parts"
local queues = require "sluice.config.queues_check"
local schema = require "sluice.schema.schema"
local session = require "sluice.config.session_check"
local values = require "sluice.config.values"

local note, is_given = check.note, check.is_given

local cross = {}

local FIRST_LOCAL_TLLI = 0xC0000000 -- 23.003: a local TLLI has its two top bits set
local LAST_TEID = schema.constructor.pdp.key.ggsn_teid.most
local LAST_TLLI = schema.constructor.ms.key.tlli.most

-- Spans are {record, key, first, last, shown}, in the order of the file. Sorts them by `first` and
-- notes the later record of two that overlap.
local function note_overlaps(state, spans)
    for i, span in ipairs(spans) do
        span.order = i
    end
    table.sort(spans, function(a, b)
        return a.first < b.first or a.first == b.first and a.order < b.order
    end)
    local widest = spans[1] -- the span so far with the greatest last value
    for i = 2, #spans do
        local span = spans[i]
        if span.first <= widest.last then
            local later = span.order > widest.order and span or widest
            local earlier = later == span and widest or span
            network.note_again(state, later.record, later.key, later.shown, earlier.record,
                earlier.key)
        end
        widest = span.last > widest.last and span or widest
    end
end

local function span_text(shown, count)
    return count > 1 and shown .. " and the " .. count - 1 .. " after it" or shown
end

-- Adds the span of `count` values from `first`, or notes that they run past `most`.
local function add_span(state, spans, span, count, most, most_text)
    span.last = span.first + count - 1
    if span.last > most then
        return note(state, span.record, span.key, "found %s, allowed no more than %s",
            span_text(span.shown, count), most_text)
    end
    span.shown = span_text(span.shown, count)
    spans[#spans + 1] = span
end

-- IMSIs of different lengths are different: each length has its own list of spans.
local function add_imsi(state, by_length, ms)
    if not ms.imsi then
        state.unsure = true
        return
    end
    local length = #ms.imsi
    local most = ("9"):rep(length)
    by_length[length] = by_length[length] or {}
    add_span(state, by_length[length], {
        record = ms, key = "imsi", first = math.tointeger(tonumber(ms.imsi)),
        shown = '"' .. ms.imsi .. '"',
    }, ms.count, math.tointeger(tonumber(most)), most)
end

local function add_tlli(state, spans, ms, before)
    if not is_given(state, ms, "tlli") then
        ms.tlli, ms.tlli_by_place = FIRST_LOCAL_TLLI + before, true
    end
    if ms.tlli then
        add_span(state, spans, {
            record = ms, key = "tlli", first = ms.tlli, shown = ("0x%08X"):format(ms.tlli),
        }, ms.count, LAST_TLLI, ("0x%08X"):format(LAST_TLLI))
    end
end

local function add_addresses(state, spans, ms)
    for _, pdp in ipairs(ms.pdp) do
        if pdp.address then
            add_span(state, spans, {
                record = pdp, key = "address", first = addresses.ipv4_number(pdp.address),
                shown = pdp.address,
            }, ms.count, values.IPV4_LAST, addresses.ipv4_text(values.IPV4_LAST))
        end
    end
end

local function tunnels_of(cfg)
    local tunnels = {}
    for _, ggsn in ipairs(cfg.ggsn) do
        tunnels[ggsn] = {}
    end
    return tunnels
end

local function ggsn_named(cfg, name)
    for _, ggsn in ipairs(cfg.ggsn) do
        if ggsn.name == name then
            return ggsn
        end
    end
    return nil
end

local function ggsn_names(cfg)
    local names = {}
    for i, ggsn in ipairs(cfg.ggsn) do
        names[i] = ggsn.name
    end
    return #names > 0 and "one of " .. table.concat(names, ", ") or "none: the file has no ggsn { }"
end

-- The GGSN of a context with an uplink; nil, with the mistake noted, if it is ambiguous or unknown.
local function ggsn_of(state, cfg, pdp)
    local given = is_given(state, pdp, "ggsn")
    if not is_given(state, pdp, "ggsn_teid") then
        if pdp.ggsn then
            note(state, pdp, "ggsn_teid", "found ggsn without ggsn_teid, allowed both or none")
        end
    elseif not given and #cfg.ggsn ~= 1 then
        note(state, pdp, "ggsn", "found ggsn_teid without ggsn, allowed %s", ggsn_names(cfg))
    elseif not given then
        pdp.ggsn = cfg.ggsn[1].name
    elseif pdp.ggsn and not ggsn_named(cfg, pdp.ggsn) then
        note(state, pdp, "ggsn", "found %s, allowed %s", values.show(pdp.ggsn), ggsn_names(cfg))
    end
    return pdp.ggsn and ggsn_named(cfg, pdp.ggsn)
end

local function add_tunnels(state, cfg, tunnels, ms)
    for _, pdp in ipairs(ms.pdp) do
        local ggsn = ggsn_of(state, cfg, pdp)
        if ggsn and pdp.ggsn_teid then
            add_span(state, tunnels[ggsn], {
                record = pdp, key = "ggsn_teid", first = pdp.ggsn_teid,
                shown = ("0x%08X"):format(pdp.ggsn_teid),
            }, ms.count, LAST_TEID, ("0x%08X"):format(LAST_TEID))
        end
    end
end

-- Each cipher has keys of one length; without a cipher a key is refused.
local function check_key(state, ms)
    local digits = ms.cipher and ciphers.key_digits[ms.cipher]
    local given = is_given(state, ms, "key")
    if digits == 0 and given then
        note(state, ms, "key", "found a key without a cipher, allowed with cipher = "
            .. '"gea3" or "gea4" only')
    elseif digits and digits > 0 and not given then
        note(state, ms, "key", 'found nothing, allowed %d hexadecimal digits: cipher = "%s"'
            .. " needs a key", digits, ms.cipher)
    elseif digits and ms.key and #ms.key ~= digits then
        note(state, ms, "key", 'found %d hexadecimal digits, allowed %d with cipher = "%s"',
            #ms.key, digits, ms.cipher)
    end
end

local function check_subscribers(state, cfg)
    local imsis, ue_addresses, tunnels, before = {}, {}, tunnels_of(cfg), 0
    -- a TLLI is unique in its NSE, and where MSs of the lab move among all NSEs
    local shared = lab_events.join_nses(cfg) and {} or nil
    for _, nse in ipairs(cfg.nse) do
        local tllis = shared or {}
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                local count = ms.count or 1
                ms.count = count
                add_imsi(state, imsis, ms)
                add_tlli(state, tllis, ms, before)
                add_addresses(state, ue_addresses, ms)
                add_tunnels(state, cfg, tunnels, ms)
                check_key(state, ms)
                network.note_equals(state, ms.pdp, "nsapi")
                before = before + count
            end
        end
        note_overlaps(state, shared and {} or tllis)
    end
    note_overlaps(state, shared or {})
    attach.all(state, cfg, function(phone)
        add_imsi(state, imsis, phone)
    end)
    for length = schema.constructor.ms.key.imsi.least, schema.constructor.ms.key.imsi.most do
        imsis[length] = imsis[length] or {}
        note_overlaps(state, imsis[length])
    end
    note_overlaps(state, ue_addresses)
    for _, ggsn in ipairs(cfg.ggsn) do
        note_overlaps(state, tunnels[ggsn])
    end
    return imsis
end

-- The ms record that has this IMSI, by bisection in the sorted spans of its length.
local function find_subscriber(imsis, imsi)
    local spans, number = imsis[#imsi], math.tointeger(tonumber(imsi))
    local low, high = 1, #spans
    while low <= high do
        local middle = (low + high) // 2
        if number < spans[middle].first then
            high = middle - 1
        elseif number > spans[middle].last then
            low = middle + 1
        else
            return spans[middle].record
        end
    end
    return nil
end

local function has_class(ms, class)
    for _, pdp in ipairs(ms.pdp) do
        if pdp.class == class or pdp.class == nil then -- nil: refused, so it may be this one
            return true
        end
    end
    return false
end

local function has_phone_class(cfg, class)
    for _, phone in ipairs(cfg.phone or {}) do
        if parts.phone_class(cfg, phone) == class then
            return true
        end
    end
    return false
end

local function any_has_class(cfg, class)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                if has_class(ms, class) then
                    return true
                end
            end
        end
    end
    return has_phone_class(cfg, class)
end

local function known_text(known)
    local names = {}
    for _, class in ipairs(schema.classes) do
        names[#names + 1] = known[class] and class or nil
    end
    return #names > 0 and "one of " .. table.concat(names, ", ") or "none: the file has no pdp { }"
end

-- ms: an ms { } or a phone { }.
local function may_have(cfg, ms, class)
    if ms.pdp then
        return has_class(ms, class)
    end
    return parts.phone_class(cfg, ms) == class
end

local function check_receivers(state, cfg, traffic, known, imsis)
    local class, imsi = traffic.class, traffic.imsi
    local ms = imsi and find_subscriber(imsis, imsi)
    if imsi and not (ms and (ms.pdp or ms.cell)) then
        note(state, traffic, "imsi", "found %s, allowed the IMSI of an ms { }, or of a phone { } with a cell",
            values.show(imsi))
    elseif class and (imsi and not may_have(cfg, ms, class) or not imsi and not known[class]) then
        note(state, traffic, "class", "found %s, which no pdp { } of %s has, allowed %s",
            values.show(class), imsi and "this MS" or "any MS",
            imsi and "one of its classes" or known_text(known))
    end
end

-- The check of an application's receivers, for lab_check.
local function receivers_of(state, cfg, imsis)
    local known = {}
    for _, class in ipairs(schema.classes) do
        known[class] = any_has_class(cfg, class)
    end
    return function(app)
        if not (state.unsure or state.strays) then -- else its MS may have been refused
            check_receivers(state, cfg, app, known, imsis)
        end
    end
end

-- Notes, at the first place beyond it, that a limit of the dataplane is exceeded.
local function check_limit(state, ms, found, what, limit)
    if found > limit.most then
        note(state, ms, "count", "found %d %s up to here, allowed at most %d", found, what, limit.most)
        return true
    end
    return false
end

local function check_bvcs(state, seen, bvcs)
    for _, bvc in ipairs(bvcs) do
        for _, ms in ipairs(bvc.ms) do
            seen.mss = seen.mss + ms.count
            seen.pdps = seen.pdps + ms.count * #ms.pdp
            if check_limit(state, ms, seen.mss, "MSs", limits.mss)
                or check_limit(state, ms, seen.pdps, "PDP contexts", limits.pdps) then
                return true
            end
        end
    end
    return false
end

-- MSs and their contexts; check.lua limits the number of blocks.
local function check_limits(state, cfg)
    local seen = {}
    seen.mss, seen.pdps = attach.places(cfg)
    for _, nse in ipairs(cfg.nse) do
        if check_bvcs(state, seen, nse.bvc) then
            return
        end
    end
end

-- source: { name, read } of config.load.
function cross.all(state, cfg, source)
    network.all(state, cfg)
    session.all(state, cfg)
    local imsis = check_subscribers(state, cfg)
    lab.all(state, cfg, source, cfg.lab and receivers_of(state, cfg, imsis),
        not (state.unsure or state.strays) and function(imsi)
            local found = find_subscriber(imsis, imsi)
            return found and found.pdp and found or nil -- no phone { }
        end)
    check_limits(state, cfg)
    network.note_equals(state, cfg.class, "name")
    queues.all(state, cfg)
    gb.all(state, cfg, source)
end

return cross
