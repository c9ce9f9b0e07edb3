-- Whoever only looks on: the capture, the board. What it observes goes on whatever becomes of it: its
-- first fault ends it, with one line in the log, and costs nobody a PDU. (A log line is C's and has
-- no faults.)
local count = require "count"
local log = require "log"

local observer = {}

-- Calls fn(...) for the observer of that name, and `stop()` if that fails.
function observer.call(name, stop, fn, ...)
    local good, why = pcall(fn, ...)
    if not good then
        stop()
        count.add("observers_ended")
        log.error(("the %s has ended: %s"):format(name, tostring(why)))
    end
end

return observer
