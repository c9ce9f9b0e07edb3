-- For how many MSs more than the rates say the BSS needs an N-PDU at the same time. An MS may use a part of a cell's time
-- slots only, so the radio is full while several MSs have something there. By R and the R of an MS the dataplane knows
-- how many; but a BSS may say its cell's R for each MS. If it measures R by the time slots that could be used by those
-- who have something there at the same instant, R falls with their number, and stays there, for Sluice sends no more
-- than R. (The lab's BSS counts those of the last second.)
--
-- While R serves fewer MSs by the R of an MS than it has served, there is room for one more: with as much as R needs there,
-- the BSS would measure R and never more. And while R is less than it has been, and more MSs have something waiting here,
-- one more is tried for a while, and stays if R rises. When R is what it was, one less is tried, and stays if R does. What
-- was in vain is tried again after longer and longer: it puts up to two N-PDUs more into the BSS, and others wait behind
-- them.
local clock = require "sluice.core.clock"
local dp = require "dp"
local network = require "sluice.core.network"

local room = {}

local S_IN_NS = 1000000000
local LOOK_S, TRIAL_S = 2, 4    -- a BSS measures each second or so. Without any answer a trial ends when it is looked at
local UP_S, UP_MOST_S = 4, 256  -- to the next trial of one more, if the last one was in vain; four times as long each time
local DOWN_S, DOWN_MOST_S = 128, 1024
local FALLEN = 0.9              -- of the most that R has been
local AGES_S = 600              -- what R has been is forgotten so slowly: slots may have gone, or R was a guess
local DEEP = 0.4                -- of what R was when it rose: the slots have gone, and those whom they served are less
local PART = 0.5                -- of what one MS more can make of R
local SAME = 0.95               -- R with one less
local REPORT_S = 3.5            -- a BSS that reports less often does not answer
local REST = 1 / 16             -- of an MS's R: both are rounded (dataplane/sched/sched_sizes_slow.c)
local MOST = 32                 -- so many a radio serves by turns
local NPDUS_BITS = 2 * 1500 * 8
local NPDUS_S = 3.2             -- with an R for which these take longer, nothing is tried

local function begin()
    return { most = 0, most_served = 0, more = 0, at_r = 0, at_ns = 0, up_s = UP_S, up_at_ns = 0, down_s = DOWN_S, down_at_ns = 0 }
end

-- true: good, false: in vain, nil: not known yet
local function answer(trial, r, most, waiting, seconds)
    local some, enough = trial.r * (1 + PART / trial.served / 2), trial.r * (1 + PART / trial.served)
    if trial.step < 0 and (r < SAME * trial.r or waiting < trial.served) then
        return false
    elseif trial.step > 0 and seconds >= LOOK_S and r < some then
        return false
    elseif seconds >= TRIAL_S then
        return trial.step < 0 or r >= enough or r >= FALLEN * most
    end
end

-- With just as many as R needs, R stays what it is, but once down it does not come back: where one that was spared is
-- needed again, none is tried to be spared for longer.
local function ends(state, trial, r, good)
    local up = trial.step > 0
    state.trial = nil
    if up then
        state.up_s = good and UP_S or math.min(4 * state.up_s, UP_MOST_S)
        state.up_at_ns = clock.now_ns + (good and 0 or state.up_s * S_IN_NS)
    end
    if up and good and state.spared or not up and not good then
        state.down_s = math.min(2 * state.down_s, DOWN_MOST_S)
    end
    state.down_at_ns = clock.now_ns + (good and not up and DOWN_S or state.down_s) * S_IN_NS
    if good then
        state.more, state.at_r, state.spared = state.more + trial.step, r, not up
    end
end

local function begins(state, r, served, waiting)
    local up = r < FALLEN * state.most
    if clock.now_ns >= (up and state.up_at_ns or state.down_at_ns) and waiting > served and NPDUS_BITS <= NPDUS_S * r
        and (up and served < MOST or not up and state.more > 0) then
        state.trial = { step = up and 1 or -1, r = r, served = served, at_ns = clock.now_ns }
    end
end

local function note(state, r, seconds)
    state.at_ns = clock.now_ns
    state.most = math.max(r, state.most - (state.most - r) * math.min(seconds / AGES_S, 1))
    if r < DEEP * state.at_r then
        state.more, state.at_r = math.floor(state.more * r / state.at_r), r
        state.trial, state.up_s, state.up_at_ns = nil, UP_S, 0
    end
end

-- At a FLOW-CONTROL-BVC with R and the R of an MS.
function room.of(b, r, ms_r)
    if network.cfg.gb.cell_delay_ns == 0 then -- all that the BSS offers is filled
        b.room = nil
        return 0
    end
    local state = b.room or begin()
    local seconds, trial = (clock.now_ns - state.at_ns) / S_IN_NS, state.trial
    b.room = state
    if r == 0 or ms_r == 0 then
        state.trial, state.at_ns = nil, clock.now_ns
        return state.more
    end
    local served = math.max(math.ceil(r / ms_r - REST), 1)
    state.most_served = math.max(state.most_served, served)
    local spare = served < state.most_served and 1 or 0
    note(state, r, seconds)
    if seconds > REPORT_S then
        state.trial = nil
    elseif trial and state.trial then
        local good = answer(trial, r, state.most, dp.bvc_waiting(b.id), (clock.now_ns - trial.at_ns) / S_IN_NS)
        if good ~= nil then
            ends(state, trial, r, good)
        end
    else
        begins(state, r, served + spare + state.more, dp.bvc_waiting(b.id))
    end
    return state.more + spare + (state.trial and state.trial.step or 0)
end

return room
