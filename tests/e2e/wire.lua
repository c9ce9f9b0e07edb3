-- Run by lua_wire.py: sluice lua wire.lua GROUP. Each group checks a part of what `require "wire"`
-- promises, and ends with an error at the first check that fails; the last line says how many held.
local wire = require "wire"
local random_pdu = dofile((arg[0]:match("^.*/") or "") .. "random_pdu.lua")

local pdu_of, random = random_pdu.pdu_of, random_pdu.random

local checks = 0

local function check(condition, text, ...)
    if not condition then
        error(text:format(...), 2)
    end
    checks = checks + 1
end

local function octets(hex)
    local function char(two)
        return string.char(tonumber(two, 16))
    end
    return (hex:gsub("%s", ""):gsub("%x%x", char))
end

local function hex(text)
    return (text:gsub(".", function(one) return ("%02x"):format(one:byte()) end))
end

local difference

local function values_differ(field, found, wanted)
    if type(found) ~= "table" or type(wanted) ~= "table" then
        return found ~= wanted
    elseif field.kind == "record" then
        return difference(field.fields, found, wanted)
    end
    for i = 1, math.max(#found, #wanted) do
        if not found[i] or not wanted[i] or difference(field.fields, found[i], wanted[i]) then
            return true
        end
    end
    return false
end

-- Fields that differ, as text; nil if none do. Both tables have no others than `fields` names.
function difference(fields, found, wanted)
    local known = 0
    for _, field in ipairs(fields) do
        if values_differ(field, found[field.name], wanted[field.name]) then
            return ("%s: found %s, right is %s"):format(field.name, tostring(found[field.name]),
                tostring(wanted[field.name]))
        end
        known = known + (found[field.name] ~= nil and 1 or 0)
    end
    for _ in next, found do
        known = known - 1
    end
    return known ~= 0 and "a field that is not described" or nil
end

local function read_back(name, pdu)
    local codec = wire[name]
    local encoded = codec.encode(pdu)
    local decoded, taken = codec.decode(encoded)
    check(decoded, "%s: %s", name, tostring(taken))
    check(taken == #encoded, "%s: took %s of %d octets", name, tostring(taken), #encoded)
    local what = difference(codec.fields, decoded, pdu)
    check(not what, "%s.%s", name, what or "")
    check(codec.encode(decoded) == encoded, "%s: encodes to other octets again", name)
end

local groups = {}

-- Every PDU, from a table and back: all fields at their least, at their most, and at random.
function groups.round_trip()
    for _, name in ipairs(wire.names) do
        read_back(name, pdu_of(name, random_pdu.least, false))
        read_back(name, pdu_of(name, random_pdu.most, true))
        for i = 1, 50 do
            read_back(name, pdu_of(name, random, i % 2 == 0))
        end
    end
end

local function in_order(codec, pdu)
    local values, n = {}, #codec.fields
    for i, field in ipairs(codec.fields) do
        values[i] = pdu[field.name]
    end
    return values, n
end

local buffer = wire.buffer()

local function one_by_one(name, pdu)
    local codec = wire[name]
    local wanted, n = in_order(codec, pdu)
    local encoded = codec.encode(pdu)
    local packed = codec.pack(buffer, "head", table.unpack(wanted, 1, n))
    check(packed == buffer and tostring(packed) == "head" .. encoded, "%s: pack", name)
    check(codec.decode(buffer, 5), "%s: decode a buffer", name)
    local found = table.pack(codec.values(buffer, 5))
    check(found.n == n, "%s: %d values, right is %d", name, found.n, n)
    for i = 1, n do
        check(found[i] == wanted[i], "%s.%s: found %s", name, codec.fields[i].name,
            tostring(found[i]))
    end
end

local function pack_refuses(name, field, ...)
    local good, text = pcall(wire[name].pack, buffer, "", ...)
    check(not good and text:find(name .. "." .. field .. ": found ", 1, true), "%s: %s", name,
        tostring(text))
end

-- PDUs of integers alone, without a table: the same octets, the same values, the same faults.
function groups.one_by_one()
    for _, name in ipairs(wire.names) do
        if wire[name].values then
            one_by_one(name, pdu_of(name, random_pdu.least, false))
            one_by_one(name, pdu_of(name, random_pdu.most, true))
            for i = 1, 50 do
                one_by_one(name, pdu_of(name, random, i % 2 == 0))
            end
        end
    end
    check(not wire.bssgp_ul_unitdata.values, "UL-UNITDATA has octets")
    local _, text, fault = wire.bssgp_flow_control_ms_ack.decode("x")
    local none, text_too, fault_too = wire.bssgp_flow_control_ms_ack.values("x")
    check(none == false and text_too == text and fault_too == fault, "fault %s", tostring(fault_too))
    pack_refuses("bssgp_flow_control_ms_ack", "tag", 1, 256)
    pack_refuses("bssgp_flow_control_ms_ack", "tag", 1, -1)
    pack_refuses("bssgp_flow_control_ms_ack", "tag", 1)
    pack_refuses("bssgp_flow_control_ms_ack", "tlli", "x", 1)
    pack_refuses("bssgp_flow_control_ms_ack", "tlli", 1.5, 1)
    check(not pcall(wire.bssgp_flow_control_ms_ack.pack, buffer, ("x"):rep(2040), 1, 1), "no room")
    check(not pcall(wire.bssgp_flow_control_ms_ack.pack, "", "", 1, 1), "no buffer")
end

-- What a person may ask: names, help, fields.
function groups.described()
    local function described(what, fields)
        for _, field in ipairs(fields) do
            check(#field.name > 0 and #field.help > 0 and field.least <= field.most,
                "%s.%s: %d to %d, help '%s'", what, field.name, field.least, field.most, field.help)
            if field.fields then
                described(what .. "." .. field.name, field.fields)
            end
        end
    end
    for _, name in ipairs(wire.names) do
        check(#wire[name].help > 0, "%s: no help", name)
        check(name:find("^bssgp_") and wire[name].encode(pdu_of(name, random_pdu.least, false))
            :byte() == wire[name].type or not name:find("^bssgp_"), "%s: type", name)
        described(name, wire[name].fields)
    end
end

-- Octets typed by hand from the layouts of the specifications, and what they mean. The LLC frames
-- have the FCS of known frames; the checksum of the IPv4 header was added up by hand:
-- 4500 + 001e + 1234 + 4000 + 4011 + c000 + 0202 + 0a00 + 0001 = 1a366; a366 + 1 inverted is 5c98.
local typed = {
    { "ether", "025300000001 025300000002 0800 aabb", {
        destination = "02:53:00:00:00:01", source = "02:53:00:00:00:02", type = 0x0800,
        payload = octets "aabb" } },
    { "ipv4", "4500001e 12344000 4011 5c98 c0000202 0a000001 00112233445566778899", {
        tos = 0, id = 0x1234, dont_fragment = true, more_fragments = false, fragment_offset = 0,
        ttl = 64, protocol = 17, source = 0xc0000202, destination = 0x0a000001,
        payload = octets "00112233445566778899" } },
    { "udp", "0868 59d8 000b 0000 616263", {
        source_port = 2152, destination_port = 23000, checksum = 0, payload = "abc" } },
    { "gtpu", "30 ff 0003 c0ffee01 616263", {
        type = 255, teid = 0xc0ffee01, payload = "abc" } },
    { "gtpu", "33 ff 0006 00000002 0102 07 00 6162", {
        type = 255, teid = 2, sequence = 0x0102, npdu_number = 7, payload = "ab" } },
    { "gtpu", "32 01 0004 00000000 0001 00 00", {
        type = 1, teid = 0, sequence = 1, payload = "" } },
    { "ns_unitdata", "00 00 0002 616263", {
        request_change_flow = false, confirm_change_flow = false, bvci = 2, sdu = "abc" } },
    { "ns_unitdata", "00 03 fffe", {
        request_change_flow = true, confirm_change_flow = true, bvci = 65534, sdu = "" } },
    { "bssgp_dl_unitdata", "00 c0000001 0050 31 16 82 0fa0 0e 83 414243", {
        tlli = 0xc0000001, lifetime_ms = 40000,
        qos = { peak_bit_per_s = 8000, not_ack = true, user_data = true, rlc_unack = false,
            precedence = 1 }, llc_pdu = "ABC" } },
    { "bssgp_dl_unitdata", "00 80000000 ffff ca 16 82 ffff 0e 0080" .. ("5a"):rep(128), {
        tlli = 0x80000000, lifetime_ms = 655350,
        qos = { peak_bit_per_s = 6553500000, not_ack = false, user_data = false,
            rlc_unack = true, precedence = 2 }, llc_pdu = ("Z"):rep(128) } },
    { "llc_ui", "43 c0 01 2b2b2b 3d2785", {
        cr = true, sapi = 3, nu = 0, enciphered = false, protect_all = true, info = "+++" } },
    { "llc_ui", "41 c0 01 081502 de8e9a", {
        cr = true, sapi = 1, nu = 0, enciphered = false, protect_all = true,
        info = octets "081502" } },
    { "llc_ui", "01 c0 10 080509 afe633", {
        cr = false, sapi = 1, nu = 4, enciphered = false, protect_all = false,
        info = octets "080509" } },
    { "sndcp_unitdata", "75 00 0fff 616263", {
        first = true, more = true, nsapi = 5, dcomp = 0, pcomp = 0, segment = 0,
        npdu_number = 4095, data = "abc" } },
    { "sndcp_unitdata", "2f f00a 61", {
        first = false, more = false, nsapi = 15, dcomp = 0, pcomp = 0, segment = 15,
        npdu_number = 10, data = "a" } },
}

function groups.typed_octets()
    for _, row in ipairs(typed) do
        local name, encoded, fields = row[1], octets(row[2]), row[3]
        local decoded, taken = wire[name].decode(encoded)
        check(decoded, "%s: %s", name, tostring(taken))
        check(taken == #encoded, "%s: took %s of %d octets", name, tostring(taken), #encoded)
        local what = difference(wire[name].fields, decoded, fields)
        check(not what, "%s.%s", name, what or "")
        check(wire[name].encode(fields) == encoded, "%s: encodes to %s", name,
            hex(wire[name].encode(fields)))
    end
end

-- Layers inside each other, as a frame on Gb has them.
function groups.nested()
    local data = octets "4500001c0000000040110000c00002010a000001" .. "12345678"
    local segment = wire.sndcp_unitdata.encode {
        first = true, more = false, nsapi = 5, dcomp = 0, pcomp = 0, segment = 0, npdu_number = 1,
        data = data }
    local frame = wire.llc_ui.encode {
        cr = true, sapi = 11, nu = 300, enciphered = false, protect_all = true, info = segment }
    local pdu = wire.bssgp_dl_unitdata.encode {
        tlli = 0xc0000007, lifetime_ms = 1000,
        qos = { peak_bit_per_s = 0, not_ack = true, user_data = true, rlc_unack = false,
            precedence = 1 }, llc_pdu = frame }
    local ns = wire.ns_unitdata.encode {
        request_change_flow = false, confirm_change_flow = false, bvci = 2, sdu = pdu }
    check(#ns == 4 + 12 + 2 + 3 + 4 + #data + 3, "%d octets", #ns)
    local unpacked = wire.ns_unitdata.decode(ns)
    unpacked = wire.bssgp_dl_unitdata.decode(unpacked.sdu)
    check(unpacked.tlli == 0xc0000007, "TLLI %x", unpacked.tlli)
    unpacked = wire.llc_ui.decode(unpacked.llc_pdu)
    check(unpacked.nu == 300, "N(U) %d", unpacked.nu)
    unpacked = wire.sndcp_unitdata.decode(unpacked.info)
    check(unpacked.data == data, "data %s", hex(unpacked.data))
end

local function good(name)
    return pdu_of(name, random_pdu.least, false)
end

local function refused(name, pdu, field)
    local done, text = pcall(wire[name].encode, pdu)
    check(not done, "%s.%s: it was taken", name, field)
    check(text:find(("%s%%.%s[:.%%[]"):format(name, field)), "%s.%s is not named in: %s", name,
        field, text)
    return text
end

-- Values within their field's range that the PDU cannot carry: no multiple of the unit, or not
-- together with another field.
local unsendable = {
    { "bssgp_flow_control_ms", "bmax_octets", 150 }, { "bssgp_flow_control_ms", "r_bit_per_s", 50 },
    { "bssgp_flow_control_bvc", "bmax_octets", 6553500000 },
    { "bssgp_dl_unitdata", "lifetime_ms", 15 }, { "bssgp_modify_bss_pfc_ack", "packet_flow_timer_s", 61 },
    { "sndcp_unitdata", "dcomp", 1 }, { "abqp", "mbr_up_bit_per_s", 1500 },
}

function groups.unsendable()
    for _, row in ipairs(unsendable) do
        local name, field, value = row[1], row[2], row[3]
        local pdu = good(name)
        pdu[field] = value
        local text = refused(name, pdu, field)
        check(text:find(tostring(value), 1, true), "%s.%s: no %s in: %s", name, field, value, text)
    end
    local pdu = good("bssgp_suspend")
    pdu.routeing_area.mnc, pdu.routeing_area.mnc_digits = 100, 2
    refused("bssgp_suspend", pdu, "routeing_area")
    pdu = good("bssgp_flow_control_pfc")
    pdu.flows = { { pfi = 8, bmax_octets = 100, r_bit_per_s = 150 } }
    refused("bssgp_flow_control_pfc", pdu, "flows")
end

-- An enciphered frame comes back octet for octet, its FCS with it.
function groups.enciphered()
    local ciphered = octets("43 c0 03 616263 112233")
    local frame = wire.llc_ui.decode(ciphered)
    check(frame.enciphered and frame.enciphered_fcs == 0x332211, "FCS %s", frame.enciphered_fcs)
    check(wire.llc_ui.encode(frame) == ciphered, "%s", hex(wire.llc_ui.encode(frame)))
end

local function may_be_empty(field)
    if field.kind == "record" then
        for _, inner in ipairs(field.fields) do
            if not inner.optional then
                return false
            end
        end
        return true
    end
    return field.kind == "list" and field.least == 0
end

-- A type is a message of its direction; the cause of a fault, as 24.008 8.4 to 8.7 have it.
function groups.layer3()
    for _, row in ipairs { { "gmm_up", "0805 09", "gmm_detach_request_up" },
        { "gmm_down", "0805 01", "gmm_detach_request_down" } } do
        local name, pdu = wire[row[1]].decode(octets(row[2]))
        check(name == row[3] and pdu.detach_type, "%s: %s", row[1], tostring(name))
    end
    for _, row in ipairs { { "08", "TRUNCATED", 96 }, { "0802 00", "TYPE", 97 },
        { "0805", "MISSING_IE", 96 }, { "0805 09 0f", "EXTENSION", 96 } } do
        local none, _, fault = wire.gmm_up.decode(octets(row[1]))
        check(none == nil and fault == row[2], "%s: %s", row[1], tostring(fault))
        check(wire.l3_cause(fault) == row[3], "%s: cause %d", fault, wire.l3_cause(fault))
    end
    local _, _, fault = wire.gmm_down.decode(octets "0812 0000 81")
    check(wire.l3_cause(fault) == 100, "CKSN without RAND: %s", fault)
    check(not pcall(wire.l3_cause, "NONE"), "a fault that is none")
end

-- Each field of each PDU in turn: missing, out of range on both sides, of a wrong type.
function groups.wrong_fields()
    for _, name in ipairs(wire.names) do
        local pdu = good(name)
        pdu.no_such_field = 1
        local text = refused(name, pdu, "no_such_field")
        for _, field in ipairs(wire[name].fields) do
            check(text:find(field.name, 1, true), "%s.%s is not listed in: %s", name, field.name,
                text)
            local function try(value)
                local wrong = good(name)
                wrong[field.name] = value
                return refused(name, wrong, field.name)
            end
            if not field.optional then
                check(try(nil):find("missing", 1, true), "%s.%s: no word of it missing", name,
                    field.name)
            end
            if not may_be_empty(field) then
                try({})
            end
            try(print)
            if field.kind == "integer" or field.kind == "boolean" then
                check(try(field.most + 1):find(tostring(field.most + 1), 1, true),
                    "%s.%s: what was found is not named", name, field.name)
                try(field.least - 1)
                try(0.5)
                try("1")
                try(math.mininteger)
            elseif field.kind == "octets" or field.kind == "digits" then
                try(("1"):rep(field.most + 1))
                try(5)
                try(true)
            elseif field.kind == "record" or field.kind == "list" then
                try(5)
                try("1")
                local wrong = good(name)
                wrong[field.name] = { { no_such_field = 1 }, no_such_field = 1 }
                check(not pcall(wire[name].encode, wrong), "%s.%s: it was taken", name, field.name)
            elseif field.kind == "ipv6" then
                try("")
                try("2001:db8::g")
                try("10.0.0.1")
                try(5)
            else
                try("")
                try("02:00:00:00:00")
                try("02:00:00:00:00:0g")
                try("02:00:00:00:00:01 ")
                try("02: 0:00:00:00:01")
                try("02:+0:00:00:00:01")
                try(5)
            end
        end
    end
end

-- Octets that are no such PDU: nil, and a text with the PDU, the fault and the octet.
local broken = {
    { "ether", "0253", "TRUNCATED at octet 2" },
    { "ether", "025300000001 025300000002 05ff aabb", "TYPE at octet 12" },
    { "ipv4", "4500", "TRUNCATED at octet 2" },
    { "ipv4", "6500001e 12344000 4011 5c98 c0000202 0a000001 00112233445566778899",
        "VERSION at octet 0" },
    { "ipv4", "4500001f 12344000 4011 5c97 c0000202 0a000001 00112233445566778899",
        "LENGTH at octet 2" },
    { "ipv4", "4500001e 12344000 4011 5c99 c0000202 0a000001 00112233445566778899",
        "CHECKSUM at octet 10" },
    { "udp", "0868 59d8 000c 0000 616263", "LENGTH at octet 4" },
    { "gtpu", "50 ff 0003 c0ffee01 616263", "VERSION at octet 0" },
    { "gtpu", "30 ff 0004 c0ffee01 616263", "LENGTH at octet 2" },
    { "gtpu", "34 ff 0008 00000002 0000 00 85 01 0000 00", "EXTENSION at octet 11" },
    { "gtpu", "34 ff 0008 00000002 0000 00 20 00 0000 00", "LENGTH at octet 12" },
    { "ns_unitdata", "0a", "TRUNCATED at octet 1" },
    { "ns_unitdata", "0a 00 0002", "TYPE at octet 0" },
    { "bssgp_dl_unitdata", "01 c0000001 0050 31 16 82 0fa0 0e 83 414243", "TYPE at octet 0" },
    { "bssgp_dl_unitdata", "00 c0000001 0050 31 7f 82 0fa0 0e 83 414243", "MISSING_IE at octet 17" },
    { "bssgp_dl_unitdata", "00 c0000001 0050 31 16 82 0fa0 0e 84 414243", "LENGTH at octet 13" },
    { "bssgp_dl_unitdata", "00 c0000001 0050 31 16 82 0fa0", "MISSING_IE at octet 12" },
    { "llc_ui", "43 c0 01 3d27", "TRUNCATED at octet 5" },
    { "llc_ui", "43 c0 01 2b2b2b 3d2786", "FCS at octet 6" },
    { "llc_ui", "43 c0 01 2b2b2a 3d2785", "FCS at octet 6" },
    { "llc_ui", "43 80 01 2b2b2b 3d2785", "TYPE at octet 1" },
    { "llc_ui", "40 c0 01 2b2b2b 3d2785", "RESERVED at octet 0" },
    { "sndcp_unitdata", "75 00 0f", "TRUNCATED at octet 3" },
    { "sndcp_unitdata", "55 00 0fff 61", "TYPE at octet 0" },
    { "sndcp_unitdata", "74 00 0fff 61", "RESERVED at octet 0" },
    { "sndcp_unitdata", "75 f0 0fff 61", "RESERVED at octet 1" },
}

function groups.decode_faults()
    for _, row in ipairs(broken) do
        local decoded, text = wire[row[1]].decode(octets(row[2]))
        check(decoded == nil, "%s: %s was taken", row[1], row[2])
        check(text:find(row[1] .. ": " .. row[3] .. ": ", 1, true) == 1, "%s: found '%s', right is "
            .. "'%s'", row[1], text, row[3])
    end
    for _, name in ipairs(wire.names) do
        local decoded, text = wire[name].decode("")
        check(decoded == nil and text:find(name .. ": TRUNCATED at octet 0", 1, true) == 1,
            "%s of nothing: %s", name, tostring(text))
    end
end

local name = ...
groups[name]()
print("checks: " .. checks)
