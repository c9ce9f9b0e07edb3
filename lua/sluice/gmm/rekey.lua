-- What the operator may have done to a phone that is attached, with a key or none: another authentication, which makes a
-- new key (`sluice ctl authenticate`), and another P-TMSI (`sluice ctl reallocate`, TS 24.008 4.7.6). The latter also asks
-- a phone with a key to prove that it is in a cell of another NSE.
local clock = require "sluice.core.clock"
local frames = require "sluice.gmm.frames"
local log = require "log"
local place = require "sluice.gmm.place"
local procedure = require "sluice.phones.procedure"
local requests = require "sluice.core.requests"
local security = require "sluice.gmm.security"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"

-- ---- Authentication ----

local authentication = { name = "authentication", states = { authenticate = security.state } }

function authentication.authenticated(run, key)
    procedure.finish(run)
    security.take(run.phone, key)
    log.info(("IMSI %s: authenticated again"):format(run.phone.imsi))
end

-- A phone that gave only wrong answers has got its REJECT, and is attached no more. One that stayed silent keeps its key.
-- So does one that we asked because of an unexpected answer: that may have been a stranger's, and these answers, too.
function authentication.unanswered(run)
    procedure.finish(run)
    if run.is_wrong and not run.is_by_anybody then
        place.give(run.phone)
    end
end

function authentication.unable(run, advice)
    procedure.finish(run)
    log.info(("IMSI %s: %s"):format(run.phone.imsi, advice))
end

-- A phone that answers a RAND which nobody waits for any more, such as a late one or that of an attempt under its former
-- TLLI, has another key than we have, or waits for a better RAND. So it is authenticated, once in a while only, as anybody
-- can send an answer; and that gives way to whatever else there is to do, and takes nothing from the phone.
local EVERY_NS = 5000000000

local function begin_authentication(phone, is_by_anybody)
    local run = procedure.begin(authentication, phone, "gmm")
    run.card, run.is_by_anybody = phone.card, is_by_anybody
    procedure.enter(run, "authenticate")
end

local function unexpected(at, name, pdu)
    local phone = at.phone
    if not phone or not phone.ms_id or not phone.card or phone.attempt or procedure.of(phone, "gmm")
        or clock.now_ns < (phone.authenticate_from_ns or 0) then
        return frames.to_run(at, name, pdu)
    end
    phone.authenticate_from_ns = clock.now_ns + EVERY_NS
    begin_authentication(phone, true)
    return "handled"
end

-- ---- P-TMSI reallocation ----

local function reallocated(run)
    procedure.finish(run)
    if run.is_for_authentication then
        begin_authentication(run.phone)
    end
end

local reallocation = {
    name = "reallocation",
    states = {
        command = {
            enter = function(run)
                place.rename(run.phone)
            end,
            message = function(run)
                local phone = run.phone
                return frames.encode("gmm_reallocation_command", {
                    p_tmsi = phone.p_tmsi, area = place.area(run.bvc), force_standby = 0,
                    signature = phone.key and phone.signature,
                })
            end,
            timer = "t3350", over = reallocated, -- both stay valid (4.7.6.6 b)
            got = { gmm_reallocation_complete = reallocated, own_tlli = reallocated },
        },
    },
}

-- A phone answers a page, or says that it has another cell, by a frame that says nothing and is in clear, so anybody may
-- have sent it. What it is asked there is enciphered, as its answer will be, which moves it. What it is asked already is
-- sent there as well, once each time that it is sent. But a RAND and its answer are in clear, too. So an authentication
-- that the operator has asked for stops here. It begins again, once, when the phone has its new P-TMSI, in the cell where
-- the phone is then.
local function ask_there(phone, place_of_phone)
    local run = procedure.of(phone, "gmm")
    local is_for_authentication = run and run.procedure == authentication and run.is_of_operator
    if not run or run.is_by_anybody or is_for_authentication then
        run = procedure.begin(reallocation, phone, "gmm")
        run.bvc, run.elsewhere, run.is_for_authentication = place_of_phone.bvc, place_of_phone, is_for_authentication
        procedure.enter(run, "command")
    elseif not run.request and not run.elsewhere and run.procedure ~= authentication and run.sent_there ~= run.expiries then
        run.sent_there = run.expiries
        frames.send(phone, run.message, { elsewhere = place_of_phone })
    end
end

subscribers.watch("unproven", function(ms_id, bvc)
    local phone = store.of_ms(ms_id)
    if phone and phone.key and not phone.attempt and place.area(bvc) then
        ask_there(phone, { nse = bvc.nse, bvc = bvc, tlli = subscribers.of(ms_id).ms.tlli })
    end
end)

-- ---- sluice ctl ----

-- What goes on already goes on, but what is asked elsewhere alone gives way, for anybody may have begun that.
local function is_busy(phone)
    local run = procedure.of(phone, "gmm")
    return phone.attempt or run and (run.request or not run.elsewhere and not run.is_by_anybody)
end

-- A job may be suspended, so a timer of 0 begins.
local function begin(asked)
    local phone = store.by_imsi(asked.imsi)
    if phone and not is_busy(phone) and place.area(phone.bvc) then
        local run = procedure.begin(asked.procedure, phone, "gmm")
        run.card, run.bvc, run.is_of_operator = phone.card, phone.bvc, true
        procedure.enter(run, asked.state)
    end
end

local function on(word, of, state, needs_card)
    requests.on(word, function(words)
        local phone = store.by_imsi(words[2] or "")
        if not phone then
            return false, "no phone with this IMSI is attached; " .. requests.usage(word)
        elseif needs_card and not phone.card then
            return false, "its phone { } has no keys"
        elseif is_busy(phone) then
            return false, "another procedure is under way; try again"
        end
        timers.after(0, begin, { imsi = phone.imsi, procedure = of, state = state })
        return true, "it is asked"
    end)
end

return function()
    for _, name in ipairs { "gmm_authentication_response", "gmm_authentication_failure" } do
        frames.take(name, function(at, pdu)
            return unexpected(at, name, pdu)
        end)
    end
    on("authenticate", authentication, "authenticate", true)
    on("reallocate", reallocation, "command", false)
end
