-- The number of this run among the restarts of Sluice, 0 to 255: peers that get another one than before drop what
-- they keep for us (recovery of TS 29.060 7.7.11). It is no count but the clock's time in steps of 4 s, as nothing
-- is kept on a disk: two runs within 17 minutes differ, if 4 s pass from the start of one to that of the next. In
-- virtual time it is the seed, so that a run is the same again.
local network = require "sluice.core.network"
local program = require "program"

local restarts = {}

local STEP_S, NUMBERS = 4, 256

local number

function restarts.number()
    number = number or (program.unix_s() or STEP_S * network.cfg.run.seed) // STEP_S % NUMBERS
    return number
end

-- A seed that no other start has, unless it is of the same second; in virtual time the run's.
function restarts.seed()
    return program.unix_s() or network.cfg.run.seed
end

return restarts
