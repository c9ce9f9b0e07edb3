-- Numbers by chance: in real time the system's, which nobody foresees; in virtual time by the run's seed, so that a run
-- is the same again.
local program = require "program"
local restarts = require "sluice.core.restarts"

local chance = {}

local state -- of xorshift64*; never 0

local function next_64()
    if not state then
        state = restarts.seed() * 0x9E3779B97F4A7C15 + 1 | 1
    end
    state = state ~ state >> 12
    state = state ~ state << 25
    state = state ~ state >> 27
    return state * 0x2545F4914F6CDD1D
end

function chance.octets(n)
    local found = program.random(n)
    while not found or #found < n do
        found = (found or "") .. string.pack(">I4", next_64() >> 32)
    end
    return found:sub(1, n)
end

function chance.number_32()
    return (string.unpack(">I4", chance.octets(4)))
end

return chance
