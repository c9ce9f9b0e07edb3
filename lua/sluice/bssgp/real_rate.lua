-- How much of the R that a BSS offers a cell's radio carries (nse.cell_rate = "as measured"). osmo-pcu offers R
-- as if every radio block were for data: what Sluice sends beyond the radio's rate waits in the BSS, first in,
-- first out, where no AQM acts. The BSS says how long LLC PDUs waited there since its last FLOW-CONTROL-BVC
-- (BVC Measurement, 11.3.7), and Sluice uses as much of R as keeps that near what a full radio needs.
local clock = require "sluice.core.clock"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"

local real_rate = {}

local S_IN_NS = 1000000000
local LEAST_S = 4                 -- of measurement: osmo-pcu's sum of delays is in whole seconds
-- A mean above this and the time of the octets at R: too much was sent. A download's LLC PDUs come when the one before
-- has gone, or a block period before; a ping between them waits for half of one. gb.cell_delay does not count: it is
-- how much may stand there at once, when the radio is quicker than was learned, or many MSs begin.
local NEEDED_S = 0.02
local NEEDED_OCTETS = 1526 / 4
local BUSY = 0.75                 -- of the rate in use: with less the delay is that of TBFs that begin
-- What a delay that is not the rate's may cost: of many TBFs that begin, of an MS with a bad radio. A radio that carries
-- less than that is not followed.
local SHARE_LEAST = 0.85
-- A second of delay more in a second is as much of R too much; and what stands there has to go: so the share
-- follows the change of the excess, and the excess. With these an excess is gone after four reports, without a swing.
local CHANGE, EXCESS = 0.7, 0.3
local STEP_MOST = 0.1
local GROWTH_A_S = 0.0001         -- tried when the delay is low: 0.6 % of R a minute
local CALM_S = 60                 -- of low delay for once that much: all of R is back after seven minutes
local GROWS_S = 30                -- for each report at most
local BACK = 0.005                -- when an excess has gone, so that the next one is a minute or two away

local function begin(b)
    b.real_rate = { share = 1, excess_s = 0, mean_ms = 0, reports = 0, calm_s = 0 }
    return b.real_rate
end

local function restart(state, octets)
    state.at_ns, state.octets, state.mean_ms, state.reports = clock.now_ns, octets, 0, 0
end

-- The share's change after `seconds` with an excess of delay.
local function step(state, excess_s, seconds)
    local was_s = state.excess_s
    if excess_s == 0 and was_s == 0 then
        state.calm_s = state.calm_s + seconds
        return GROWTH_A_S * math.min(seconds, GROWS_S) * math.max(state.calm_s / CALM_S, 1)
    end
    state.calm_s = 0
    local back = excess_s == 0 and BACK or 0
    local change = -(EXCESS * excess_s + CHANGE * (excess_s - was_s)) / seconds
    return math.max(-STEP_MOST, math.min(change, STEP_MOST)) - back
end

local function say(b, state, r)
    if state.share < 1 and not state.said then
        state.said = true
        log.info(("NSE %d, BVCI %d: more waits in the BSS than its radio needs, using %.0f %% of %d bit/s for now;"
            .. " cell_rate"):format(b.nse.nsei, b.bvci, state.share * 100, r))
    end
end

local function learn(b, state, r, octets, seconds)
    local needed_s = NEEDED_S + NEEDED_OCTETS * 8 / r
    local excess_s = math.max(state.mean_ms / 1000 - needed_s, 0)
    if (octets - state.octets) * 8 > BUSY * state.share * r * seconds then
        state.share = math.max(SHARE_LEAST, math.min(state.share + step(state, excess_s, seconds), 1))
        say(b, state, r)
    end
    state.excess_s = excess_s
end

-- What of R to use, at a FLOW-CONTROL-BVC with the BSS's delay, nil if it does not say.
function real_rate.of(b, r, measured_ms)
    if b.nse.cfg.cell_rate ~= "as measured" or network.cfg.gb.cell_delay_ns == 0 then
        b.real_rate = nil -- a reload may have changed that
        return r
    end
    local state, octets = b.real_rate or begin(b), dp.bvc_octets(b.id)
    if not state.at_ns or not measured_ms then
        restart(state, octets)
    else
        state.reports = state.reports + 1
        state.mean_ms = state.mean_ms + (measured_ms - state.mean_ms) / state.reports
        local seconds = (clock.now_ns - state.at_ns) / S_IN_NS
        if seconds >= LEAST_S then
            learn(b, state, r, octets, seconds)
            restart(state, octets)
        end
    end
    return math.floor(r * state.share)
end

return real_rate
