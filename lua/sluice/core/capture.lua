-- The signalling on Gb in a file, by a switch: what control sends, and what workers hand to it.
local host = require "host"
local log = require "log"
local observer = require "sluice.core.observer"
local requests = require "sluice.core.requests"
local world = require "sluice.core.world"

local capture = { running = false }

-- Ours, of the family of the peer's; all in IPv6 form.
local function own(peer)
    local gb = world.cfg.gb
    return peer:find("^::ffff:%d") and "::ffff:" .. (gb.address or "0.0.0.0") or gb.address6 or "::"
end

local function put_sent(address, port, pdu)
    host.capture_pdu(own(address), world.cfg.gb.port, address, port, pdu)
end

local function put_received(address, port, pdu)
    host.capture_pdu(address, port, own(address), world.cfg.gb.port, pdu)
end

local function close()
    capture.running = false
    host.capture_close()
end

function capture.sent(...)
    observer.call("capture", close, put_sent, ...)
end

function capture.received(...)
    observer.call("capture", close, put_received, ...)
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
    close()
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
