-- Run by peers.py: sluice lua peers.lua CAPTURE. Reads every frame layer by layer and writes each
-- layer again. One line a fact, its words separated by tabs, each with the frame's number:
--   NUMBER pdu NAME                 a layer, read
--   NUMBER field NAME.FIELD VALUE   one of its fields, if it is no string of octets
--   NUMBER fault LAYER TEXT HEX     it cannot be read
--   NUMBER differs NAME HEX HEX     its encoder gives other octets than it was read from
--   NUMBER checksum WORD            of UDP: right, none, unfinished (the sum over the pseudo header
--                                   alone, which the kernel leaves to a device), wrong
--   NUMBER npdu HEX                 an N-PDU put together from SN-UNITDATA
--   NUMBER tpdu HEX                 the same packet as GTP-U carries it
--   NUMBER bssgp HEX                a whole BSSGP PDU; status HEX: the one that a STATUS quotes
local wire = require "wire"

local GB_PORT, GTPU_PORT = 23000, 2152
local IPV4, G_PDU, XID, LLGMM = 0x0800, 255, 11, 1
local SNDCP_SAPIS = { [3] = true, [5] = true, [9] = true, [11] = true }

local number = 0

local function hex(octets)
    return (octets:gsub(".", function(one) return ("%02x"):format(one:byte()) end))
end

local function say(...)
    print(table.concat({ number, ... }, "\t"))
end

local function say_fields(path, fields, pdu)
    for _, field in ipairs(fields) do
        local at, value = path .. "." .. field.name, pdu[field.name]
        if field.kind == "record" and value then
            say_fields(at, field.fields, value)
        elseif field.kind == "list" and value then
            for _, item in ipairs(value) do
                say_fields(at, field.fields, item)
            end
        elseif field.kind ~= "octets" and value ~= nil then
            say("field", at, tostring(value))
        end
    end
end

-- What was read is written again. `name` is nil for a layer that could not be read.
local function read(layer, name, pdu, octets)
    if not name then
        say("fault", layer, pdu, hex(octets))
        return nil
    end
    local again = wire[name].encode(pdu)
    if again ~= octets then
        say("differs", name, hex(again), hex(octets))
    end
    say("pdu", name)
    say_fields(name, wire[name].fields, pdu)
    return pdu, name
end

-- A layer of one PDU.
local function layer(name, octets)
    local pdu, text = wire[name].decode(octets)
    return read(name, pdu and name, pdu or text, octets)
end

-- A layer of PDUs that a type octet tells apart.
local function group(name, octets)
    local found, pdu = wire[name].decode(octets)
    return read(name, found, pdu, octets)
end

local function folded_sum(octets)
    local sum = 0
    for at = 1, #octets, 2 do
        sum = sum + (octets:byte(at) << 8) + (octets:byte(at + 1) or 0)
    end
    while sum > 0xffff do
        sum = (sum & 0xffff) + (sum >> 16)
    end
    return sum
end

local function checksum_word(packet, datagram)
    local pseudo = string.pack(">I4I4I2I2", packet.source, packet.destination, packet.protocol,
        #packet.payload)
    if datagram.checksum == 0 then
        return "none"
    elseif folded_sum(pseudo .. packet.payload) == 0xffff then
        return "right"
    end
    return datagram.checksum == folded_sum(pseudo) and "unfinished" or "wrong"
end

-- --- Gb -----------------------------------------------------------------------------------------

local parts = {} -- of N-PDUs under way, by who sends them

local function sndcp(octets, sender)
    local segment = layer("sndcp_unitdata", octets)
    if not segment then
        return
    end
    sender = sender .. " " .. segment.nsapi
    parts[sender] = (segment.first and "" or parts[sender]) .. segment.data
    if not segment.more then
        say("npdu", hex(parts[sender]))
    end
end

-- Of an MS or to it; the protocol discriminator is in the low half of the first octet.
local function layer3(octets, up)
    local is_sm = (octets:byte() or 0) & 15 == 10
    group(is_sm and "sm" or up and "gmm_up" or "gmm_down", octets)
end

-- The control octet tells them apart: 110..... a UI frame, 111..... a U frame.
local function llc(octets, sender)
    local control = octets:byte(2) or 0
    if control & 0xe0 == 0xe0 then
        local frame = layer("llc_u", octets)
        if frame and frame.command == XID then
            layer("llc_xid", octets)
        end
        return
    end
    local frame = layer("llc_ui", octets)
    if frame and SNDCP_SAPIS[frame.sapi] then
        sndcp(frame.info, sender)
    elseif frame and frame.sapi == LLGMM and not frame.enciphered then
        layer3(frame.info, sender:find("^bssgp_ul") ~= nil)
    end
end

local function bssgp(octets)
    say("bssgp", hex(octets))
    local pdu, name = group("bssgp", octets)
    if name == "bssgp_dl_unitdata" or name == "bssgp_ul_unitdata" then
        llc(pdu.llc_pdu, name .. " " .. pdu.tlli)
    elseif name == "bssgp_status" and pdu.pdu_in_error then
        say("status", hex(pdu.pdu_in_error))
    end
end

local function ns(octets)
    local pdu, name = group("ns", octets)
    if name == "ns_unitdata" then
        bssgp(pdu.sdu)
    end
end

-- --- Gn -----------------------------------------------------------------------------------------

-- What stands behind the headers of messages other than G-PDU and echo request.
local payloads = { [2] = "gtpu_echo_response", [26] = "gtpu_error_indication" }

local ip -- a packet, and what is in it

local function gtpu(octets)
    local message = layer("gtpu", octets)
    if message and payloads[message.type] then
        layer(payloads[message.type], message.payload)
    elseif message and message.type == G_PDU then
        say("tpdu", hex(message.payload))
        ip(message.payload)
    end
end

-- --- Both ---------------------------------------------------------------------------------------

local by_port = { [GB_PORT] = ns, [GTPU_PORT] = gtpu }

local function udp(packet)
    local datagram = layer("udp", packet.payload)
    if datagram then
        say("checksum", checksum_word(packet, datagram))
        local inside = by_port[datagram.source_port] or by_port[datagram.destination_port]
        if inside then
            inside(datagram.payload)
        end
    end
end

local by_protocol = {
    [1] = function(packet) layer("icmp_echo", packet.payload) end,
    [17] = udp,
}

function ip(octets)
    local packet = layer("ipv4", octets)
    if packet then
        by_protocol[packet.protocol](packet)
    end
end

local function frame(octets)
    local ether = layer("ether", octets)
    if ether and ether.type == IPV4 then
        ip(ether.payload)
    elseif ether then
        say("fault", "ether", ("TYPE 0x%04x has no place here"):format(ether.type), hex(octets))
    end
end

-- A classic pcap file of Ethernet, in this machine's order: what dumpcap writes from lo.
local function frames_of(path)
    local file = assert(io.open(path, "rb"))
    local octets = file:read("a")
    file:close()
    local magic, link, at = ("<I4 xxxx xxxx xxxx xxxx I4"):unpack(octets)
    assert(magic == 0xa1b2c3d4 and link == 1, path .. ": no microsecond pcap of Ethernet")
    return function()
        if at > #octets then
            return nil
        end
        local captured, length, data = ("<I4I4"):unpack(octets, at + 8)
        assert(captured == length, path .. ": a frame is cut short")
        at = data + captured
        return octets:sub(data, at - 1)
    end
end

for octets in frames_of((...)) do
    number = number + 1
    frame(octets)
end
