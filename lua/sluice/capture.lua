-- The signalling on Gb in a file, by a switch: what control sends, and what workers hand to it, in
-- the Ethernet, IP and UDP that the path has taken off; whose Ethernet addresses are left at zero.
local host = require "host"
local log = require "log"
local requests = require "sluice.requests"
local wire = require "wire"
local world = require "sluice.world"

local capture = { running = false }

local NO_MAC, UDP = "00:00:00:00:00:00", 17
local ETHER_IPV4, ETHER_IPV6 = 0x0800, 0x86dd
local TTL = 64

local function ipv4_of(address)
    local a, b, c, d = address:match "^::ffff:(%d+)%.(%d+)%.(%d+)%.(%d+)$"
    return a and a << 24 | b << 16 | c << 8 | d
end

-- Ours, of the family of the peer's.
local function own(peer)
    local gb = world.cfg.gb
    return ipv4_of(peer) and "::ffff:" .. (gb.address or "0.0.0.0") or gb.address6 or "::"
end

local function packet(source, destination, udp)
    if ipv4_of(source) then
        return ETHER_IPV4, wire.ipv4.encode {
            tos = 0, id = 0, dont_fragment = false, more_fragments = false,
            fragment_offset = 0, ttl = TTL, protocol = UDP, source = ipv4_of(source),
            destination = ipv4_of(destination), payload = udp,
        }
    end
    return ETHER_IPV6, wire.ipv6.encode {
        traffic_class = 0, flow_label = 0, next_header = UDP, hop_limit = TTL, source = source,
        destination = destination, payload = udp,
    }
end

local function put(source, source_port, destination, destination_port, pdu)
    local udp = wire.udp.encode {
        source_port = source_port, destination_port = destination_port, checksum = 0, payload = pdu,
    }
    local ethertype, ip = packet(source, destination, udp)
    host.capture_frame(wire.ether.encode {
        destination = NO_MAC, source = NO_MAC, type = ethertype, payload = ip,
    })
end

function capture.sent(address, port, pdu)
    put(own(address), world.cfg.gb.port, address, port, pdu)
end

function capture.received(address, port, pdu)
    put(address, port, own(address), world.cfg.gb.port, pdu)
end

-- true, or false and why not.
function capture.start()
    if capture.running then
        return true, "the signalling is being captured already"
    end
    local path, why = host.capture_open()
    capture.running = path ~= nil
    log.info(path and "signalling is captured in " .. path or "no capture: " .. why)
    return path ~= nil, path or why
end

function capture.stop()
    if not capture.running then
        return true, "nothing is being captured"
    end
    capture.running = false
    host.capture_close()
    return true, "the capture has ended"
end

requests.on("capture", "capture on|off", function(words)
    if words[2] == "on" then
        return capture.start()
    elseif words[2] == "off" then
        return capture.stop()
    end
    return false, "capture on, or capture off"
end)

return capture
