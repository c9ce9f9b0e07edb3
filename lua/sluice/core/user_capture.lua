-- The capture of user traffic in real time: `sluice ctl capture user on|off`. The program copies and
-- writes the frames (control/run/recorder.h); here are the request's words.
local program = require "program"
local log = require "log"
local clock = require "sluice.core.clock"
local jobs = require "sluice.core.jobs"
local requests = require "sluice.core.requests"

local user_capture = {}

local END_NS = 5000000000 -- for the frames that wait to be written

-- The most octets of a frame and of the file: least, most, default.
local limits = { snap = { 14, 65535, 65535 }, file = { 10000, 1 << 40, 1000000000 } }

local function number(name, text)
    local least, most = limits[name][1], limits[name][2]
    local value = text and text:find "^%d+$" and math.tointeger(tonumber(text))
    if value and value >= least and value <= most then
        return value
    end
    return nil, ("%s: found %s, allowed %d to %d octets"):format(name, text or "none", least, most)
end

local function on(words)
    local values = { snap = limits.snap[3], file = limits.file[3] }
    for i = 4, #words, 2 do
        if not limits[words[i]] then
            return false, requests.usage "capture"
        end
        local value, why = number(words[i], words[i + 1])
        if not value then
            return false, why
        end
        values[words[i]] = value
    end
    local good, text = program.user_capture_on(values.snap, values.file)
    log.info((good and "user traffic is captured in " or "no capture of user traffic: ") .. text)
    return good, text
end

local function off()
    if not program.user_capture() then
        return true, "no capture of user traffic runs"
    end
    program.user_capture_off()
    local deadline_ns = clock.now_ns + END_NS
    while true do
        jobs.breathe()
        local runs, text = program.user_capture()
        if not runs then
            return true, text
        elseif clock.now_ns > deadline_ns then
            return false, "not all is written yet: " .. text
        end
    end
end

function user_capture.state()
    local runs, text = program.user_capture()
    return runs and "on, " .. text or text ~= "" and "off, " .. text or "off"
end

function user_capture.request(words)
    if words[3] == "on" then
        return on(words)
    elseif words[3] == "off" and not words[4] then
        return off()
    end
    return false, requests.usage "capture"
end

return user_capture
