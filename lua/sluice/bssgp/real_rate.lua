-- How much of the R that a BSS offers its radio carries (nse.cell_rate = "as measured"). osmo-pcu offers R as if
-- every radio block were for data, and to each MS as if it had all time slots: what Sluice sends beyond the radio's
-- rate waits in the BSS, first in, first out, where no AQM acts. The BSS says how long LLC PDUs waited there since
-- its last FLOW-CONTROL-BVC (BVC Measurement, 11.3.7), and Sluice uses as much of R as keeps that near what a full
-- radio needs.
--
-- When nearly all of it was for one MS, and the radio carried less than a cell's would, the delay tells about that MS's
-- time slots and radio: the MS then gets a bucket of its own, and the cell keeps its R for the others. The bucket ends
-- when the MS can have as much as the cell is given at least, has been idle, has left, or another one is learned. Not in
-- a cell whose BSS sends values for MSs.
local clock = require "sluice.core.clock"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"
local own = require "sluice.bssgp.own_buckets"

local real_rate = {}

local S_IN_NS = 1000000000
local LEAST_S = 4                 -- of measurement: osmo-pcu's sum of delays is in whole seconds
-- A mean above this and the time of the octets at R: too much was sent. A download's LLC PDUs come when the one before
-- has gone, or a block period before; a ping between them waits for half of one. gb.cell_delay does not count: it is how
-- much may stand there at once, when the radio is quicker than was learned, or many MSs begin.
local NEEDED_S = 0.02
local NEEDED_OCTETS = 1526 / 4
-- And of each other packet flow that has something waiting here, mostly one of each MS. A radio that serves n MSs block
-- by block in turn, as osmo-pcu's, takes n times as long for an LLC PDU; we send by turns of our own, so an MS's next one
-- comes anywhere in that time, and waits half of it. (The mean is held between SLACK_PART of what is needed and that.)
-- With less an MS has nothing there at times, and its last block is filled up and sent again with a poll.
local OTHERS_OCTETS = 1526 * 0.6
local MSS_MOST = 4                -- so many fill a radio; what more have for it is better here, where pings pass it
-- Of more than that, an LLC PDU meets another one of its MS there only when too many stand there (osmo-pcu has 32 TFIs):
-- of so many MSs one LLC PDU together, and the less the more they are.
local CROWD, CROWD_OCTETS = 12, 1526
local SAMPLES = 4                 -- of how many wait here, one at each report: the mean of about so many
local BUSY = 0.75                 -- of the rate in use: with less the delay is that of TBFs that begin
-- What a delay that is not the rate's may cost: of many TBFs that begin, of an MS with a bad radio. A radio that carries
-- less than that is not followed.
local SHARE_LEAST = 0.85
-- A second of delay more in a second is as much of R (of one MS: of the rate in use) too much; and what stands there has
-- to go: so the share follows the change of the excess, and the excess. With these an excess is gone after four reports,
-- without a swing.
local CHANGE, EXCESS = 0.7, 0.3
local STEP_MOST = 0.1
local GROWTH_A_S = 0.0001         -- tried when the delay is low: 0.6 % of R a minute
local CALM_S = 60                 -- of low delay for once that much: all of R is back after seven minutes
local SLACK_A_S = 0.002           -- and for each second of delay that several MSs need and have not
local SLACK_PART = 0.85           -- of what they need: the mean swings about what has no slack
local GROWS_S = 30                -- for each report at most
local BACK = 0.005                -- when an excess has gone, so that the next one is a minute or two away
local BACK_A_S = 0.05             -- at most, for a second of it at its most: one of a few ms is the delay's own swing

-- Of one MS that the radio gives less than that, by what was carried while there was an excess: a part of the time slots,
-- or bad ones. It is followed to less than one of four slots at CS-1, and in longer steps: when the excess has gone, what
-- was sent meanwhile tells what the radio carries, so the share is too small for a short time only. The radio may get
-- better at any time: what is tried doubles after each 15 s of low delay.
local NEARLY_ALL = 0.85           -- of a cell's octets: the MS is alone
local NARROW = 0.8                -- less than this is carried
local MS_SHARE_LEAST = 0.1
local MS_STEP_MOST = 1 / 3        -- of its share
local LARGE_OCTETS = 1526         -- more than needed: an excess by which what is carried can be told
local MS_DRAINS = 0.6             -- of what is carried, while the excess goes
local MS_GROWTH_A_S = 0.0002
local MS_CALM_S = 15
local TBF_S = 1                   -- a mean delay beyond this is none of TBFs that begin: busy, if TCP sends ever so little
local IDLE_S = 60                 -- osmo-pcu may give an MS other time slots after so long

-- busy_, most_s: since there is an excess
local function begin(b)
    b.real_rate = { share = 1, excess_s = 0, most_s = 0, calm_s = 0, mean_ms = 0, reports = 0, busy_octets = 0, busy_s = 0,
        waiting = 1, samples = 0, slack_s = 0 }
    return b.real_rate
end

-- ---- The one MS ----

-- The MS that has had nearly all of these octets since the last restart, if it was looked at; and how many that had.
local function alone(b, state, octets)
    local ms_id = state.seen_ms
    local its = ms_id and dp.ms_cell(ms_id) == b.id and dp.ms_octets(ms_id) - state.seen_octets or 0
    return its > NEARLY_ALL * octets and ms_id or nil, its
end

-- A new interval, in which that MS is looked at, or else the one that was served last.
local function restart(b, state, octets, ms_id)
    state.at_ns, state.octets, state.mean_ms, state.reports = clock.now_ns, octets, 0, 0
    state.seen_ms = ms_id or dp.bvc_last_ms(b.id)
    state.seen_octets = state.seen_ms and dp.ms_octets(state.seen_ms)
end

local function forget(b)
    local one = b.real_rate and b.real_rate.one
    if one then
        b.real_rate.one = nil
        own.ended(one.ms_id, b.id)
    end
end

local function is_over(one, seconds)
    local octets = dp.ms_octets(one.ms_id)
    one.idle_s = octets == one.sent and one.idle_s + seconds or 0
    one.sent = octets
    return one.share >= SHARE_LEAST or one.idle_s > IDLE_S
end

-- ---- Learning ----

local function growth_a_s(what)
    if what.ms_id then
        return MS_GROWTH_A_S * 2 ^ (what.calm_s / MS_CALM_S)
    end
    return GROWTH_A_S * math.max(what.calm_s / CALM_S, 1) + SLACK_A_S * what.slack_s
end

local function bounded(change, most)
    return math.max(-most, math.min(change, most))
end

-- The share's change after `seconds` with an excess of delay, which was `was_s` before.
local function step(what, was_s, excess_s, seconds)
    if excess_s == 0 and was_s == 0 then
        what.calm_s = what.calm_s + seconds
        return bounded(growth_a_s(what) * math.min(seconds, GROWS_S), STEP_MOST)
    end
    what.calm_s = 0
    return -(EXCESS * excess_s + CHANGE * (excess_s - was_s)) / seconds * (what.ms_id and what.share or 1)
end

local function say(b, what, r)
    local said = what.ms_id and "said_of_ms" or "said"
    if what.share < 1 and not b.real_rate[said] then
        b.real_rate[said] = true
        log.info(("NSE %d, BVCI %d: more waits in the BSS than its radio needs, using %.0f %% of %d bit/s%s for now;"
            .. " cell_rate"):format(b.nse.nsei, b.bvci, what.share * 100, r, what.ms_id and " for one MS" or ""))
    end
end

-- Returns what the excess was before this interval. `rate`: at which so many octets take their time.
local function look(state, rate, octets)
    local was_s, mean_s, one_s = state.excess_s, state.mean_ms / 1000, NEEDED_OCTETS * 8 / rate
    local needed_s = NEEDED_S + octets * 8 / rate
    state.excess_s = math.max(mean_s - needed_s, 0)
    state.most_s = math.max(was_s > 0 and state.most_s or 0, state.excess_s)
    state.slack_s = rate > 0 and math.max(SLACK_PART * needed_s - math.max(mean_s, NEEDED_S + one_s), 0) or 0
    return was_s
end

local function look_at_cell(state, r)
    local mss = math.max(state.waiting, 1)
    local octets = NEEDED_OCTETS + (math.min(mss, MSS_MOST) - 1) * OTHERS_OCTETS
    return look(state, r, math.max(math.min(octets, CROWD_OCTETS * (CROWD / mss) ^ 2), NEEDED_OCTETS))
end

local function forget_carried(state)
    state.busy_octets, state.busy_s, state.carried = 0, 0, nil
end

-- What the BSS has carried since there is an excess, as a part of R. `used`: the rate in use. All that was sent has gone
-- when what stands there has. Of the first interval only so much counts as was sent in at that rate: the download may
-- have begun in it.
local function note_carried(state, was_s, used, octets, seconds, r)
    if state.busy_s == 0 then
        seconds, state.share_before = math.min(seconds, octets * 8 / used), state.share
    end
    state.busy_octets, state.busy_s = state.busy_octets + octets, state.busy_s + seconds
    if state.excess_s * used > LARGE_OCTETS * 8 then
        local stands_s = state.excess_s + math.max(state.excess_s - was_s, 0) / 2 -- the mean is of those that have gone
        state.carried = state.busy_octets * 8 / (state.busy_s + stands_s) / r
    end
end

local function back(state)
    return math.min(BACK, BACK_A_S * state.most_s)
end

-- The share after an interval, of a radio that carries at least SHARE_LEAST. What it had to be for the excess to go is
-- less than the radio carries.
local function followed(state, was_s, seconds)
    local share = state.share + bounded(step(state, was_s, state.excess_s, seconds), STEP_MOST)
    if state.excess_s == 0 and was_s > 0 then
        share = math.max(share, state.carried or 0) - back(state)
    end
    return math.max(SHARE_LEAST, math.min(share, 1))
end

-- The same of an MS whose radio carries less. `carried`: a part of its own R, nil: nothing is known.
local function followed_below(one, state, was_s, seconds, carried)
    local share = one.share + bounded(step(one, was_s, state.excess_s, seconds), MS_STEP_MOST * one.share)
    if carried then
        share = math.max(share, (state.excess_s > 0 and MS_DRAINS or 1) * carried)
    elseif state.excess_s == 0 and was_s > 0 then
        share = share - back(state)
    end
    return math.max(MS_SHARE_LEAST, math.min(share, 1))
end

local function learn_of_cell(b, state, r, octets, seconds)
    local was_s = look_at_cell(state, r)
    forget_carried(state)
    if octets * 8 > BUSY * state.share * r * seconds then
        state.share = followed(state, was_s, seconds)
        say(b, state, r)
    end
end

-- Nothing was for the MS that was looked at. Another one may have been alone: next time we know.
local function wait_and_see(state, r, octets, seconds)
    local was_s = look_at_cell(state, r)
    forget_carried(state)
    if state.excess_s > 0 and r > 0 then
        note_carried(state, was_s, r * state.share, octets, seconds, r)
    end
end

-- Begins: the share was the MS's, not the cell's, since there is an excess.
local function narrow(b, state, ms_id)
    forget(b)
    state.one = { ms_id = ms_id, share = state.share, calm_s = 0, idle_s = 0 }
    state.share = state.share_before
    return state.one
end

-- `rate`: the MS's R.
local function learn_of_ms(b, state, ms_id, r, rate, octets, seconds)
    local one = state.one and state.one.ms_id == ms_id and state.one
    local used = rate * (one or state).share
    local was_s = look(state, one and used or rate, NEEDED_OCTETS)
    if state.excess_s > 0 then
        note_carried(state, was_s, used, octets, seconds, r)
    end
    local carried = state.carried and state.carried * r / rate
    local busy = octets * 8 > BUSY * used * seconds or state.excess_s > TBF_S
    if busy and not one and carried and carried < NARROW then
        one = narrow(b, state, ms_id)
    end
    if busy and one then
        one.share = followed_below(one, state, was_s, seconds, carried)
        say(b, one, rate)
    elseif octets * 8 > BUSY * state.share * r * seconds and not one then
        state.share = followed(state, was_s, seconds)
        say(b, state, r)
    end
    if state.excess_s == 0 then
        forget_carried(state)
    end
end

local function learn(b, state, r, rate, octets, seconds)
    local ms_id, its = alone(b, state, octets)
    if ms_id and rate > 0 and not b.tells_ms then
        learn_of_ms(b, state, ms_id, r, rate, octets, seconds)
    elseif its > 0 or state.unseen or state.waiting > MSS_MOST then -- so many are not one
        state.unseen = false
        learn_of_cell(b, state, r, octets, seconds)
    else
        state.unseen = true
        wait_and_see(state, r, octets, seconds)
    end
    if state.one and r > 0 and is_over(state.one, seconds) then
        forget(b)
    end
    return ms_id
end

-- After a rest the first samples count more, so that a crowd is one at once.
local function count_waiting(b, state, octets)
    local now = dp.bvc_waiting(b.id)
    state.samples = now == 0 and octets == state.octets and 0 or math.min(state.samples + 1, SAMPLES)
    state.waiting = state.waiting + (now - state.waiting) / math.max(state.samples, 1)
end

-- The BSS has sent values for that MS.
function real_rate.told(b, ms_id)
    b.tells_ms = true
    local state = b.real_rate
    if state and state.one and state.one.ms_id == ms_id then
        state.one = nil
    end
    forget(b)
end

-- What of R to use, at a FLOW-CONTROL-BVC with the BSS's delay, nil if it does not say; and an MS, and what of R to use
-- for it, if not the MSs' default.
function real_rate.of(b, r, ms_r, measured_ms)
    if b.nse.cfg.cell_rate ~= "as measured" or network.cfg.gb.cell_delay_ns == 0 then
        forget(b) -- a reload may have changed that
        b.real_rate = nil
        return r
    end
    local state, octets, rate = b.real_rate or begin(b), dp.bvc_octets(b.id), math.min(r, ms_r)
    if state.one and not own.has(state.one.ms_id, b.id) then -- it has left
        state.one = nil
    end
    if not state.at_ns or not measured_ms then
        restart(b, state, octets)
        state.samples = 0
    else
        state.reports = state.reports + 1
        count_waiting(b, state, octets)
        state.mean_ms = state.mean_ms + (measured_ms - state.mean_ms) / state.reports
        local seconds = (clock.now_ns - state.at_ns) / S_IN_NS
        if seconds >= LEAST_S then
            restart(b, state, octets, learn(b, state, r, rate, octets - state.octets, seconds))
        end
    end
    if ms_r == 0 then
        forget(b)
    end
    local one = rate > 0 and state.one
    return math.floor(r * state.share), one and one.ms_id, one and math.floor(rate * one.share)
end

return real_rate
