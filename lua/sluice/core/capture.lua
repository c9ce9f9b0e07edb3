-- Captures the signalling on Gb in a file, if switched on: the PDUs that control sends, and those that
-- workers hand to control.
local program = require "program"
local log = require "log"
local observer = require "sluice.core.observer"
local requests = require "sluice.core.requests"
local network = require "sluice.core.network"
local user_capture = require "sluice.core.user_capture"

local capture = { running = false }

-- The SGSN's address of the peer's family; IPv4 as a mapped address.
local function own(peer)
    local gb = network.cfg.gb
    return peer:find("^::ffff:%d") and "::ffff:" .. (gb.address or "0.0.0.0") or gb.address6 or "::"
end

local function put_sent(address, port, pdu)
    program.capture_pdu(own(address), network.cfg.gb.port, address, port, pdu)
end

local function put_received(address, port, pdu)
    program.capture_pdu(address, port, own(address), network.cfg.gb.port, pdu)
end

local function close()
    capture.running = false
    program.capture_close()
end

function capture.sent(...)
    observer.call("capture", close, put_sent, ...)
end

function capture.received(...)
    observer.call("capture", close, put_received, ...)
end

-- Returns whether the capture runs, and a text.
function capture.start()
    if capture.running then
        return true, "the capture runs already"
    end
    local path, why = program.capture_open()
    capture.running = path ~= nil
    log.info(path and "signalling is captured in " .. path or "no capture: " .. why)
    return path ~= nil, path or why
end

function capture.stop()
    if not capture.running then
        return true, "no capture runs"
    end
    close()
    return true, "capture stopped"
end

requests.on("capture", function(words)
    if words[2] == "on" then
        return capture.start()
    elseif words[2] == "off" then
        return capture.stop()
    elseif words[2] == "user" then
        return user_capture.request(words)
    elseif words[2] then
        return false, requests.usage "capture"
    end
    return true, ("signalling: %s\nuser traffic: %s"):format(capture.running and "on" or "off",
        user_capture.state())
end)

return capture
