-- For how many MSs more than the rates say the BSS needs an N-PDU at the same time. An MS may use a part of a cell's time
-- slots only, so the radio is full while several MSs have something there. By R and the R of an MS the dataplane knows
-- how many; but a BSS may say its cell's R for each MS. If it measures R by the time slots that could be used, R falls
-- with the number of those who have something there, and stays there, for Sluice sends no more than R.
--
-- So while R is less than it has been, and more MSs have something waiting here, one more is tried for a while, and stays
-- if R rises. When R is what it was, one less is tried, and stays if R does. What was in vain is tried again after
-- longer and longer: one more costs others the time of an N-PDU in the BSS.
local clock = require "sluice.core.clock"
local dp = require "dp"

local room = {}

local S_IN_NS = 1000000000
local LOOK_S, TRIAL_S = 2, 4    -- a BSS measures each second or so. Without any answer a trial ends when it is looked at
local UP_S, UP_MOST_S = 4, 256  -- to the next trial of one more, if the last one was in vain; four times as long each time
local DOWN_S, DOWN_MOST_S = 128, 1024
local FALLEN = 0.9              -- of the most that R has been
local PART = 0.5                -- of what one MS more or less can make of R
local REPORT_S = 3              -- a BSS that reports less often does not answer
local MOST = 32                 -- so many a radio serves by turns

local function begin()
    return { most = 0, more = 0, at_ns = 0, up_s = UP_S, up_at_ns = 0, down_s = DOWN_S, down_at_ns = 0 }
end

-- true: good, false: in vain, nil: not known yet
local function answer(trial, r, seconds)
    local change = PART / trial.served
    if trial.step > 0 and seconds >= LOOK_S and r < trial.r * (1 + change / 2) then
        return false
    elseif trial.step < 0 and r < trial.r * (1 - change) then
        return false
    elseif seconds >= TRIAL_S then
        return trial.step < 0 or r >= trial.r * (1 + change)
    end
end

-- With just as many as R needs, R stays what it is, but once down it does not come back: where one that was spared is
-- needed again, none is tried to be spared for longer.
local function ends(state, trial, good)
    state.trial = nil
    local up = trial.step > 0
    if up then
        state.up_s = good and UP_S or math.min(4 * state.up_s, UP_MOST_S)
        state.up_at_ns = clock.now_ns + (good and 0 or state.up_s * S_IN_NS)
    end
    if up and good and state.spared or not up and not good then
        state.down_s = math.min(2 * state.down_s, DOWN_MOST_S)
    end
    state.down_at_ns = clock.now_ns + (good and not up and DOWN_S or state.down_s) * S_IN_NS
    if good then
        state.more, state.spared = state.more + trial.step, not up
    end
end

local function begins(b, state, r, served, seconds)
    local up = r < FALLEN * state.most
    if clock.now_ns >= (up and state.up_at_ns or state.down_at_ns) and seconds <= REPORT_S
        and dp.bvc_waiting(b.id) > served and (up and served < MOST or not up and state.more > 0) then
        state.trial = { step = up and 1 or -1, r = r, served = served, at_ns = clock.now_ns }
    end
end

-- At a FLOW-CONTROL-BVC with R and the R of an MS.
function room.of(b, r, ms_r)
    local state, now_ns = b.room or begin(), clock.now_ns
    local seconds, trial = (now_ns - state.at_ns) / S_IN_NS, state.trial
    b.room, state.at_ns, state.most = state, now_ns, math.max(state.most, r)
    if r == 0 or ms_r == 0 then
        state.trial = nil
    elseif trial then
        local good = answer(trial, r, (now_ns - trial.at_ns) / S_IN_NS)
        if good ~= nil then
            ends(state, trial, good)
        end
    else
        begins(b, state, r, math.max(math.ceil(r / ms_r), 1) + state.more, seconds)
    end
    return state.more + (state.trial and state.trial.step or 0)
end

return room
