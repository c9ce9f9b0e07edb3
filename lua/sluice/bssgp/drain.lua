-- R that sinks by what Sluice does itself. A BSS that measures R takes the empty rest of a block for what its radio cannot
-- carry. An LLC PDU whose MS has none more there leaves such a rest, and with less than R (gb.drain) there is none more
-- soon: so R sinks, less is sent, and R stays low.
--
-- So when R is less than it has been, and something waits here, more than R is sent, until LLC PDUs wait in the BSS for
-- NEEDED_S. When R does not rise any more, it is what the radio carries, and what R is compared with from then on. Only
-- where the BSS says how long LLC PDUs wait, and while it reports; by what it has said of R there is never more in the BSS
-- than half of Bmax.
local clock = require "sluice.core.clock"
local dp = require "dp"
local network = require "sluice.core.network"
local timers = require "sluice.core.timers"

local drain = {}

local S_IN_NS, MS_IN_S, PPM = 1000000000, 1000, 1000000
local LLC_PDU_OCTETS_MAX = 1526
local MEAN_S = 4                        -- blocks that are repeated make R swing
local FALLEN = 0.97
local RISEN, PATIENCE_S = 1.005, 10
local NEEDED_S = 0.1                    -- with 0.08 s, four downloads with MCS-7 have 0.96 of plain's goodput, with this 0.97
local FILL_S = 2
local SILENCE_S = 4

-- most: what the mean R is compared with. level: octets in the BSS by what it has said of R.
local function begin(r)
    return { mean = r, most = r, r = r, at_ns = clock.now_ns, level = 0 }
end

-- Returns the seconds since the last report.
local function note(b, state, r)
    local seconds, octets = (clock.now_ns - state.at_ns) / S_IN_NS, dp.bvc_octets(b.id)
    state.level = math.max(state.level + octets - (state.octets or octets) - state.r * seconds / 8, 0)
    state.r, state.at_ns, state.octets = r, clock.now_ns, octets
    state.mean = state.mean + (r - state.mean) * math.min(seconds / MEAN_S, 1)
    state.most = math.max(state.most, state.mean)
    return seconds
end

-- best: of R since it is low, and best_s seconds ago.
local function is_low(state, seconds)
    if not state.best and state.mean < FALLEN * state.most or state.best and state.mean > RISEN * state.best then
        state.best, state.best_s = state.mean, 0
    elseif state.best and state.best_s > PATIENCE_S then
        state.most, state.best = state.mean, nil
    elseif state.best then
        state.best_s = state.best_s + seconds
    end
    return state.best
end

-- How much more, as a part of R; nil: none.
local function more_ppm(state, bmax, measured_ms, seconds)
    local held_octets = state.r * network.cfg.gb.cell_delay_ns / S_IN_NS / 8 + LLC_PDU_OCTETS_MAX -- by the bucket in use
    local room_s = (bmax / 2 - held_octets - state.level) * 8 / state.r
    local more_s = math.min(NEEDED_S - measured_ms / MS_IN_S, room_s)
    return more_s > 0 and math.floor(more_s / math.max(seconds, FILL_S) * PPM) or nil
end

function drain.forget(b)
    timers.stop(b.drain and b.drain.timer)
    b.drain = nil
end

-- At a FLOW-CONTROL-BVC with the BSS's delay, nil if it does not say. no_more(b): after a silence.
function drain.told(b, r, bmax, measured_ms, no_more)
    local state = b.drain or begin(r)
    drain.forget(b)
    if not measured_ms or b.real_rate or network.cfg.gb.cell_delay_ns == 0 then
        return
    end
    local seconds = note(b, state, r)
    local waits = r > 0 and dp.bvc_waiting(b.id) > 0
    b.drain, state.ppm = state, waits and is_low(state, seconds) and more_ppm(state, bmax, measured_ms, seconds) or nil
    state.timer = state.ppm and timers.after(SILENCE_S * S_IN_NS, no_more, b)
end

-- What is sent of an R, the cell's, an MS's or a packet flow's. `unit`: the dataplane's.
function drain.of(b, r, unit)
    local ppm = b.drain and b.drain.ppm or -network.cfg.gb.drain_ppm
    local used = (r + r * ppm // PPM + unit // 2) // unit * unit
    return ppm > 0 and used or math.min(r, used)
end

return drain
