-- What was refused to phones, each with the cause on the air and what the operator does about it: one line of the
-- log, once in 10 s for an IMSI and cause, and the last ones for `sluice ctl phones refused`.
local clock = require "sluice.core.clock"
local log = require "log"

local refusals = { list = {} } -- the oldest first: { imsi, cause, at_ns, text }

local MOST, EVERY_NS = 64, 10000000000

-- imsi: nil for a phone that is nobody. what: the message with its cause. advice: what to do about it.
function refusals.note(imsi, what, cause, advice)
    imsi = imsi or "unknown"
    local list = refusals.list
    for i = #list, 1, -1 do
        if list[i].imsi == imsi and list[i].cause == cause and clock.now_ns < list[i].at_ns + EVERY_NS then
            return
        end
    end
    if #list == MOST then
        table.remove(list, 1)
    end
    list[#list + 1] = {
        imsi = imsi, cause = cause, at_ns = clock.now_ns, text = ("IMSI %s: %s: %s"):format(imsi, what, advice),
    }
    log.warn(list[#list].text)
end

-- The last one of the IMSI; nil: none.
function refusals.last(imsi)
    for i = #refusals.list, 1, -1 do
        if refusals.list[i].imsi == imsi then
            return refusals.list[i]
        end
    end
end

return refusals
