-- The number of this run among the restarts of Sluice, 0 to 255: a peer that gets another one than before drops what it
-- keeps for us (TS 23.007 clause 18, recovery of TS 29.060 7.7.11). In real time the run keeps it in the folder of its
-- results, where the next run finds it (control/run/restarts.h), and asks for it when the first peer is there. Where it
-- cannot be kept it is the clock's, in seconds. In virtual time it is the seed, so that a run is the same again.
local log = require "log"
local network = require "sluice.core.network"
local program = require "program"

local restarts = {}

local NUMBERS = 256

local number

-- A seed that no other start has, unless it is of the same second; in virtual time the run's.
function restarts.seed()
    return program.unix_s() or network.cfg.run.seed
end

function restarts.number()
    local why
    if not number then
        number, why = program.restarts()
        number = number or restarts.seed() % NUMBERS
    end
    if why then
        log.warn(("the restart counter of GTP-C cannot be kept in the folder of the results (%s): it is the clock's, and"
            .. " GGSNs may take this start for none"):format(why))
    end
    return number
end

return restarts
