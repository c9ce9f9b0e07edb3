-- Calls an observer: the capture or the board. An observer's first error switches the observer off with
-- one log line, so that the error costs no PDU. (log.* is C and raises no errors.)
local count = require "count"
local log = require "log"

local observer = {}

-- Calls fn(...) for the observer `name`; calls stop() if fn raises an error.
function observer.call(name, stop, fn, ...)
    local good, why = pcall(fn, ...)
    if not good then
        stop()
        count.add("observers_ended")
        log.error(("internal error, the %s is switched off: %s"):format(name, tostring(why)))
    end
end

return observer
