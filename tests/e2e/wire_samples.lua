-- wire_samples.lua [COUNT [SEED]], run by wire_tshark.py and soak/pycrate.py: COUNT structs of each PDU, each a
-- line "NAME<tab>hex of the octets<tab>the fields as JSON". Where a payload would be read as a protocol, it gets
-- one that makes sense, so that the next decoder complains about nothing but what is judged.
local wire = require "wire"
local random_pdu = dofile((arg[0]:match("^.*/") or "") .. "random_pdu.lua")

local SAMPLES = tonumber(arg[1] or 12)
local random = random_pdu.random
random_pdu.seed(tonumber(arg[2] or 0))

local function octets(hex)
    return (hex:gsub("%s", ""):gsub("%x%x", function(two)
        return string.char(tonumber(two, 16))
    end))
end

local function hex(text)
    return (text:gsub(".", function(one) return ("%02x"):format(one:byte()) end))
end

local json

local function json_value(field, value)
    if field.kind == "record" then
        return json(field.fields, value)
    elseif field.kind == "list" then
        local items = {}
        for i, item in ipairs(value) do
            items[i] = json(field.fields, item)
        end
        return "[" .. table.concat(items, ", ") .. "]"
    elseif field.kind == "octets" then
        return '"' .. hex(value) .. '"'
    elseif type(value) == "string" then
        return '"' .. value .. '"'
    end
    return tostring(value)
end

function json(fields, values)
    local out = {}
    for _, field in ipairs(fields) do
        if values[field.name] ~= nil then
            out[#out + 1] = ('"%s": %s'):format(field.name, json_value(field, values[field.name]))
        end
    end
    return "{" .. table.concat(out, ", ") .. "}"
end

local function choose(list)
    return list[random(1, #list)]
end

-- --- Payloads that make sense ---------------------------------------------------------------------

local ipv4_packet = octets "4500001e 12344000 40fd 5bac c0000202 0a000001 00112233445566778899"

local function segment()
    local pdu = random_pdu.pdu_of("sndcp_unitdata", random, true)
    pdu.first, pdu.more, pdu.segment, pdu.dcomp, pdu.pcomp = true, true, 0, 0, 0
    return wire.sndcp_unitdata.encode(pdu)
end

local function llc_frame()
    return wire.llc_ui.encode {
        cr = true, sapi = 3, nu = random(0, 511), enciphered = false, protect_all = true,
        info = segment() }
end

local function sndcp_block()
    return octets "00 01 00" -- version 0
end

local tame = {}

function tame.ether(pdu)
    pdu.type = 0x88b5 -- for experiments
    pdu.source = "02" .. pdu.source:sub(3) -- no group
end

function tame.ipv4(pdu)
    pdu.protocol = 253
    pdu.fragment_offset, pdu.more_fragments = random(0, 1) * 1000, false
end

function tame.ipv6(pdu)
    pdu.next_header = 253
end

function tame.udp(pdu)
    pdu.source_port, pdu.destination_port = random(40000, 40999), random(41000, 41999)
    pdu.checksum = 0
end

-- A reset, an urgent pointer without its flag, an echo without an ACK and wrong blocks are worth a
-- complaint.
function tame.tcp(pdu)
    pdu.source_port, pdu.destination_port = random(40000, 40999), random(41000, 41999)
    pdu.flags = choose { 0x10, 0x18, 0x11, 0x50, 0x90 }
    if pdu.mss_octets or pdu.window_scale or pdu.sack_permitted then
        pdu.flags = choose { 0x02, 0x12, 0x52, 0xc2 }
    end
    pdu.urgent = 0
    pdu.acknowledgement = pdu.flags & 0x10 ~= 0 and random(1, 1000) or 0
    if pdu.timestamps and pdu.flags & 0x10 == 0 then
        pdu.timestamps.echo = 0
    end
    for i, block in ipairs(pdu.sack) do
        block.left, block.right = i * 100000, i * 100000 + random(1, 1000)
    end
end

function tame.gtpu(pdu)
    pdu.type = choose { 1, 254, 255 }
    pdu.payload = pdu.type == 255 and ipv4_packet or ""
end

function tame.ns_unitdata(pdu)
    pdu.sdu = octets "27 1e 81" .. string.char(random(0, 255))
end

function tame.llc_ui(pdu)
    pdu.sapi = choose { 3, 5, 9, 11 }
    pdu.enciphered, pdu.enciphered_fcs = false, nil
    pdu.info = segment()
end

function tame.llc_u(pdu)
    pdu.command = choose { 1, 4, 6 }
    pdu.info = ""
end

function tame.llc_xid(pdu)
    pdu.sapi = choose { 3, 5, 9, 11 }
    pdu.layer3 = pdu.layer3 and sndcp_block()
end

-- A last segment that is number 0 would be a whole N-PDU to tshark.
function tame.sndcp_unitdata(pdu)
    pdu.segment = pdu.first and 0 or math.max(pdu.segment, 1)
end

function tame.sndcp_xid(pdu)
    for _, list in ipairs { pdu.data_compression or {}, pdu.protocol_compression or {} } do
        for _, entity in ipairs(list) do
            entity.nsapis = entity.nsapis and entity.nsapis & 0xffe0 -- the others are spare bits
            entity.parameters = ""
        end
    end
end

-- tshark does not read a short one.
local function full_imsi()
    return "26242" .. random(1000000000, 9999999999)
end

function tame.gmm_identity_response(pdu)
    pdu.identity.imsi = pdu.identity.imsi and full_imsi()
end

tame.gmm_attach_request = tame.gmm_identity_response

-- An IMSI would have a PLMN beside the equivalent ones.
function tame.gmm_attach_accept(pdu)
    pdu.identity = pdu.identity and { tmsi = random(0, 0xffffffff) }
end

tame.gmm_update_accept = tame.gmm_attach_accept

-- Elements that are octets here and are read by tshark.
local elements = {
    llc_pdu = llc_frame,
    ra_capability = function() return octets "17b342256659a8d80000" end,
    lsa_information = function() return octets "01aabbcc05" end,
    lsa_list = function() return octets "01aabbcc" end,
    selected_plmn = function() return octets "62f224" end,
    equivalent_plmns = function() return octets "62f224" end,
    npdu_numbers = function() return octets "5010" end,
    full_name = function() return octets "8141" end,
    short_name = function() return octets "8142" end,
    qos = function() return wire.abqp.encode(random_pdu.pdu_of("abqp", random, true)) end,
    apn = function() return octets "08696e7465726e6574" end,
    options = function() return octets "80 8021 04 01000004" end,
    tft = function() return octets "40" end, -- deletes the one there is
    location = function() return octets "0062f22412345678" end,
    linked_ti = function() return octets "20" end,
    time = function() return octets "62116251900040" end,
    abqp = function() return wire.abqp.encode(random_pdu.pdu_of("abqp", random, true)) end,
    pdu_in_error = function() return octets "2e1e81" .. string.char(random(0, 255)) end,
}

local function tame_elements(pdu, fields)
    for _, field in ipairs(fields) do
        if pdu[field.name] and field.kind == "octets" and elements[field.name] then
            pdu[field.name] = elements[field.name]()
        elseif pdu[field.name] and field.name == "address" and field.kind == "record" then
            pdu.address = { organisation = 1, type = 33,
                address = random(0, 1) == 0 and "" or octets "0a0102" .. string.char(random(1, 254)) }
        end
    end
end

for _, name in ipairs(wire.names) do
    random_pdu.octets_most = 60
    for i = 1, SAMPLES do
        local pdu = random_pdu.pdu_of(name, random, i % 2 == 0)
        if tame[name] then
            tame[name](pdu)
        end
        tame_elements(pdu, wire[name].fields)
        if name:find("^gtpc") then
            pdu.qos = pdu.qos and string.char(random(1, 3)) .. pdu.qos -- a priority is in front
            pdu.imsi = pdu.imsi and full_imsi()
        end
        print(("%s\t%s\t%s"):format(name, hex(wire[name].encode(pdu)), json(wire[name].fields, pdu)))
    end
end
