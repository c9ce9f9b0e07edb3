-- Tables for any PDU of `require "wire"`, from the description of its fields: random ones, and those
-- at the ends of the ranges. What the wire cannot carry although each field is in its range, steps
-- and exclusions, stands here by name.
local wire = require "wire"

local M = {}

-- A small generator of our own: the same numbers in every run.
local state = 20040401

-- Other numbers, for a test that wants them.
function M.seed(number)
    state = state + number
end

function M.random(least, most, at_most)
    most = math.min(most, at_most or most)
    state = (state * 6364136223846793005 + 1442695040888963407)
    local bits = state >> 11
    return least + bits % (most - least + 1)
end

function M.least(least)
    return least
end

function M.most(_, most, at_most)
    return math.min(most, at_most or most)
end

local function random_octets(count)
    local out = {}
    for i = 1, count do
        out[i] = string.char(M.random(0, 255))
    end
    return table.concat(out)
end

local function random_digits(count)
    return (random_octets(count):gsub(".", function(one) return one:byte() % 10 end))
end

local function ends_with(text, ending)
    return text:sub(-#ending) == ending
end

local values = {}

function values.mac()
    return ("%02x:%02x:%02x:00:fe:%02x"):format(M.random(0, 255), M.random(0, 255),
        M.random(0, 255), M.random(0, 255))
end

function values.ipv6()
    return ("2001:db8:%x::%x"):format(M.random(1, 0xffff), M.random(1, 0xffff))
end

function values.octets(field, choose)
    return random_octets(choose(field.least, field.most, math.max(field.least, M.octets_most)))
end

function values.digits(field, choose)
    return random_digits(choose(field.least, field.most))
end

function values.boolean(_, choose)
    return choose(0, 1) == 1
end

function values.integer(field, choose)
    return choose(field.least, field.most)
end

function values.record(field, choose, with_optional)
    return M.table_of(field.fields, choose, with_optional)
end

function values.list(field, choose, with_optional)
    local list = {}
    for i = 1, choose(field.least, field.most) do
        list[i] = M.table_of(field.fields, choose, with_optional)
    end
    return list
end

-- Octets at their most are as long as this and no longer.
M.octets_most = 3000

function M.table_of(fields, choose, with_optional)
    local out = {}
    for _, field in ipairs(fields) do
        if not field.optional or with_optional then
            out[field.name] = values[field.kind](field, choose, with_optional)
        end
    end
    return out
end

-- --- Steps: what is one of (first, step, how many) rows --------------------------------------------

local function stepped(rows, choose)
    local row = rows[choose(1, #rows)]
    return row[1] + row[2] * choose(0, row[3] - 1)
end

local peaks = { { 0, 100, 65536 }, { 0, 1000, 65536 }, { 0, 10000, 65536 }, { 0, 100000, 65536 } }
local timers = { { 0, 2, 32 }, { 0, 60, 32 }, { 0, 360, 32 }, { 0xffffffff, 0, 1 } }
local rates = { { 0, 0, 1 }, { 1000, 1000, 63 }, { 64000, 8000, 64 }, { 576000, 64000, 127 },
    { 8700000, 100000, 74 }, { 17000000, 1000000, 112 }, { 130000000, 2000000, 64 } }
local delays = { { 10, 10, 15 }, { 200, 50, 16 }, { 1000, 100, 31 } }
local sdus = { { 10, 10, 150 }, { 1502, 0, 1 }, { 1510, 10, 2 } }

-- Each field of BSSGP by its name, also inside records and lists.
local function fit_bssgp_field(pdu, name, choose, unit)
    if name == "peak_bit_per_s" then
        pdu[name] = stepped(peaks, choose)
    elseif ends_with(name, "bit_per_s") or ends_with(name, "bmax_octets")
        or ends_with(name, "default_octets") then
        pdu[name] = choose(0, 65535) * 100 * unit
    elseif ends_with(name, "_ms") then
        pdu[name] = choose(0, 65535) * 10
    elseif ends_with(name, "_s") then
        pdu[name] = stepped(timers, choose)
    elseif name == "ti" then -- 7 and 15 would be extended ones
        pdu.ti = choose(0, 6) + 8 * choose(0, 1)
    elseif name == "apn" then -- one label
        pdu.apn = string.char(#pdu.apn - 1) .. pdu.apn:sub(2)
    elseif name == "mnc_digits" and pdu.mnc_digits == 2 then
        pdu.mnc = pdu.mnc % 100
    end
end

-- Of these exactly one, by turns.
local turn = 0

local function keep_one(pdu, names)
    turn = turn + 1
    for i, name in ipairs(names) do
        pdu[name] = i == turn % #names + 1 and pdu[name] or nil
    end
end

local function fit_bssgp(pdu, fields, choose, unit)
    for _, field in ipairs(fields) do
        local value = pdu[field.name]
        if field.name == "identity" and value then
            keep_one(value, { "imsi", "imei", "imeisv", "tmsi" })
        elseif field.kind == "record" and value then
            fit_bssgp(value, field.fields, choose, unit)
        elseif field.kind == "list" and value then
            for _, item in ipairs(value) do
                fit_bssgp(item, field.fields, choose, unit)
            end
        elseif value then
            fit_bssgp_field(pdu, field.name, choose, unit)
        end
    end
end

-- --- By PDU ---------------------------------------------------------------------------------------

local fit = {}

local function one_of(pdu, name, names)
    turn = turn + 1
    local chosen = names[turn % #names + 1]
    for _, field in ipairs(wire[name].fields) do
        for _, of in ipairs(names) do
            if field.name == of then
                pdu[of] = of == chosen and M.table_of({ field }, M.random, true)[of] or nil
            end
        end
    end
end

function fit.bssgp_radio_status(pdu)
    one_of(pdu, "bssgp_radio_status", { "tlli", "tmsi", "imsi" })
end

local areas = { "bvci", "location_area", "routeing_area", "bss_area" }

function fit.bssgp_paging_ps(pdu)
    one_of(pdu, "bssgp_paging_ps", areas)
end

function fit.bssgp_paging_cs(pdu)
    one_of(pdu, "bssgp_paging_cs", areas)
end

function fit.gtpu_error_indication(pdu)
    one_of(pdu, "gtpu_error_indication", { "ipv4_address", "ipv6_address" })
end

function fit.abqp(pdu, choose)
    for _, name in ipairs { "mbr_up_bit_per_s", "mbr_down_bit_per_s", "gbr_up_bit_per_s",
        "gbr_down_bit_per_s" } do
        pdu[name] = pdu[name] and stepped(rates, choose)
    end
    pdu.transfer_delay_ms = pdu.transfer_delay_ms and stepped(delays, choose)
    pdu.sdu_octets = pdu.sdu_octets and stepped(sdus, choose)
end

-- An enciphered frame is read with its FCS as it stands, any other without.
function fit.llc_ui(pdu)
    pdu.enciphered_fcs = pdu.enciphered and (pdu.enciphered_fcs or 0) or nil
end

function fit.sndcp_unitdata(pdu)
    if not pdu.first then
        pdu.dcomp, pdu.pcomp = 0, 0
    end
end

local buffers = { { 0, 0, 1 }, { 144, 16, 24312 } }

function fit.llc_xid(pdu, choose)
    pdu.t200_ms = pdu.t200_ms and choose(1, 4095) * 100
    pdu.md_octets = pdu.md_octets and stepped(buffers, choose)
    pdu.mu_octets = pdu.mu_octets and stepped(buffers, choose)
end

-- How many octets of DCOMP or PCOMP values an algorithm has; an answer names no algorithm.
local function fit_entity(entity, codes)
    entity.algorithm = entity.algorithm and entity.algorithm % #codes
    entity.codes = random_octets(entity.algorithm and codes[entity.algorithm + 1] or 0)
    entity.parameters = entity.nsapis and entity.parameters:sub(1, 8) or ""
end

function fit.sndcp_xid(pdu)
    for _, list in ipairs { { pdu.data_compression or {}, { 1, 1 } },
        { pdu.protocol_compression or {}, { 1, 3, 1 } } } do
        for i = #list[1], 1, -1 do
            list[1][i] = i <= 5 and list[1][i] or nil
        end
        for _, entity in ipairs(list[1]) do
            fit_entity(entity, list[2])
        end
    end
    if not pdu.data_compression and not pdu.protocol_compression then
        pdu.version = M.random(0, 15)
    end
end

function fit.ipv6(pdu)
    local extensions = { [0] = true, [43] = true, [44] = true, [60] = true }
    if not pdu.fragment and extensions[pdu.next_header] then
        pdu.next_header = 17
    end
end

-- One extension header, of a type that an endpoint may step over.
-- 40 octets of options: SYNs carry those of the handshake, the others SACK blocks.
function fit.tcp(pdu)
    local most = pdu.timestamps and 3 or 4
    if pdu.mss_octets or pdu.window_scale or pdu.sack_permitted then
        most = 0
    end
    for i = #pdu.sack, most + 1, -1 do
        pdu.sack[i] = nil
    end
    pdu.payload = pdu.payload:sub(1, 65535 - 60)
end

function fit.gtpu(pdu)
    if pdu.extension_type then
        pdu.extension_type = 0x40
        pdu.extensions = string.char(1, M.random(0, 255), M.random(0, 255), 0)
    end
end

local units = { [0] = 1, 10, 100, 1000 }

function M.pdu_of(name, choose, with_optional)
    local pdu = M.table_of(wire[name].fields, choose, with_optional)
    if fit[name] then
        fit[name](pdu, choose)
    end
    if wire[name].type and not name:find("^s?ns_") then
        fit_bssgp(pdu, wire[name].fields, choose, units[pdu.granularity or 0])
    end
    return pdu
end

return M
