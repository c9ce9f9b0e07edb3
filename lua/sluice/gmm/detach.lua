-- Detach (TS 24.008 4.7.4): by the phone, which gets an ACCEPT unless it powers off; and by us, with T3322.
local count = require "count"
local frames = require "sluice.gmm.frames"
local log = require "log"
local place = require "sluice.gmm.place"
local procedure = require "sluice.phones.procedure"

local detach = {}

local IMSI_ONLY, POWER_OFF = 2, 8 -- types from the phone; the latter is a bit
detach.AGAIN, detach.FOR_GOOD = 1, 2 -- types to it

-- ---- By the phone ----

local function take_away(phone, wants_answer)
    if phone.ms_id then
        count.add "detaches"
        log.info(("IMSI %s: detached%s"):format(phone.imsi, wants_answer and "" or ", switched off"))
    end
    place.give(phone)
end

frames.take("gmm_detach_request_up", function(at, pdu)
    local phone, wants_answer = at.phone, pdu.detach_type & POWER_OFF == 0
    local is_for_us = pdu.detach_type & 7 ~= IMSI_ONLY
    local attached = at.ms_id and frames.attached_at(at) -- with a key it has sent no such message in clear
    if not phone then
        return wants_answer and frames.answer_stranger(at, "gmm_detach_accept_down", { force_standby = 0 })
            or "ignored"
    end
    if is_for_us then -- first, so that the answer does not wait in the queue of an MS that goes
        take_away(phone, wants_answer)
    end
    if is_for_us and attached then
        take_away(attached, wants_answer)
    end
    if wants_answer then
        frames.answer(at, "gmm_detach_accept_down", { force_standby = 0 })
    end
    return "handled"
end)

-- ---- By us ----

local function over(run)
    count.add "detaches"
    log.info(("IMSI %s: detached by us"):format(run.phone.imsi))
    place.give(run.phone)
end

local by_us = {
    name = "detach",
    states = {
        ask = {
            message = function(run)
                return frames.encode("gmm_detach_request_down", { detach_type = run.type, force_standby = 0 })
            end,
            timer = "t3322", over = over,
            got = { gmm_detach_accept_up = over },
        },
    },
}

-- Detaches a phone that is attached. type: whether it shall attach again.
function detach.begin(phone, type)
    local run = procedure.begin(by_us, phone, "gmm")
    run.type = type
    procedure.enter(run, "ask")
end

return detach
