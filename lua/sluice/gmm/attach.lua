-- Attach (TS 24.008 4.7.3.1): REQUEST; IDENTITY REQUEST unless the phone says its IMSI, or a P-TMSI of ours;
-- authentication if the phone { } has keys; ACCEPT with a P-TMSI; COMPLETE.
--
-- A phone that attaches is authenticated whatever CKSN it says: it may begin with N(U) 0 again, and no two frames may
-- have one key and INPUT. So its key is new, OC is 0, and the ACCEPT is the first frame under it. Unless one has been
-- sent at the beginning, an XID Reset goes ahead of the ACCEPT: nothing else says whether the phone goes on from its
-- former numbers and IOV-UI.
--
-- Each REQUEST that is not a repetition begins a new phone, so that nothing of what it says is mixed with another's.
-- Until its ACCEPT the new phone has one table here and nothing in the dataplane, and takes nothing from the phone
-- that the IMSI has: that one goes, with its contexts, when the new one is accepted (4.7.3.1.6 d, e, f). Two phones
-- may use one TLLI, such as 0x80000000: then the second ends the attempt of the first, which tries again.
local admission = require "sluice.gmm.admission"
local attempts = require "sluice.phones.attempts"
local causes = require "sluice.gmm.causes"
local count = require "count"
local frames = require "sluice.gmm.frames"
local log = require "log"
local network = require "sluice.core.network"
local place = require "sluice.gmm.place"
local policy = require "sluice.policy.hooks"
local procedure = require "sluice.phones.procedure"
local security = require "sluice.gmm.security"
local reach = require "sluice.gmm.reach"
local refusals = require "sluice.phones.refusals"
local signalling = require "sluice.llc.signalling"
local store = require "sluice.phones.store"

local attach = {}

local IMSI = 1 -- type of identity
local GPRS = 1 -- result
local COMBINED = 3 -- type of attach; + 8: follow-on
local NOT_ALLOWED, MSC_NOT_REACHABLE, NETWORK_FAILURE, CONGESTION = 7, 16, 17, 22
local PRIORITY = 4 -- of SMS and TOM8; 0 makes some phones deaf

local states = {}
local procedure_of_attach = {
    name = "attach", states = states,
    stopped = function(run) -- by another attempt under its TLLI: perhaps it has got the ACCEPT
        if run.phone.ms_id then
            reach.watch(run.phone)
        end
    end,
}

local function refuse(run, cause, advice)
    local phone = run.phone
    count.add "attaches_refused"
    refusals.note(phone.imsi, causes.text("ATTACH REJECT", cause), cause, advice)
    frames.send(phone, frames.encode("gmm_attach_reject", { cause = cause }))
    place.give(phone)
end

-- The values of the phone, of admission.lua; or nil, a cause and what to do about it.
local function allowed(phone)
    local given, advice = admission.of(phone.imsi, phone.bvc.cell)
    if not given then
        return nil, NOT_ALLOWED, advice
    elseif not phone.bvc.cell then
        return nil, NETWORK_FAILURE, ("cell %d-%d has not said which routeing area it is in"):format(phone.nse.nsei,
            phone.bvc.bvci)
    end
    return given
end

-- ---- Who it is ----

local go_on -- it has an IMSI

local function dropped(run)
    place.give(run.phone)
end

local function identified(run, pdu)
    local imsi = pdu.identity.imsi
    if not imsi then
        return "ignored" -- T3370 asks again
    end
    run.phone.imsi = imsi
    go_on(run)
end

states.identify = {
    message = function()
        return frames.encode("gmm_identity_request", { type = IMSI, force_standby = 0 })
    end,
    timer = "t3370", over = dropped,
    got = { gmm_identity_response = identified },
}

-- ---- It proves it ----

states.authenticate = security.state

-- A reload may have taken its phone { } away meanwhile, and it may be in another cell now.
function procedure_of_attach.authenticated(run, key)
    local given, cause, advice = allowed(run.phone)
    if not given then
        return refuse(run, cause, advice)
    end
    run.given = given
    run.phone.key = key.gea > 0 and key or nil
    run.phone.cksn = key.cksn
    procedure.enter(run, "accept")
end

function procedure_of_attach.unanswered(run)
    if run.is_wrong then
        count.add "attaches_refused"
    end
    place.give(run.phone)
end

function procedure_of_attach.unable(run, advice)
    refuse(run, NOT_ALLOWED, advice)
end

-- ---- It is accepted ----

local function without_place(run, why)
    if why == "imsi" then
        return refuse(run, NOT_ALLOWED, "an ms { } of the file has this IMSI; remove it")
    elseif why == "room" then
        return refuse(run, CONGESTION, ("there is room for %d MSs: raise attach.most, or room.mss, and restart"):format(
            network.cfg.room.mss))
    end
    refuse(run, CONGESTION, ("the worker of its NSE has no place for it: raise room.worker_mss; %s"):format(why))
end

-- The values of the phone, of admission.lua, and now the policy's word, too; or nil, a cause and what to do about it.
local function admitted(phone)
    local given, not_allowed, advice = allowed(phone)
    if not given then
        return nil, not_allowed, advice
    end
    local cell = phone.bvc.cell
    local cause = policy.attach {
        imsi = phone.imsi, nsei = phone.nse.nsei, bvci = phone.bvc.bvci, mcc = cell.mcc, mnc = cell.mnc,
        lac = cell.lac, rac = cell.rac,
    }
    if cause then
        return nil, cause, "attach() of the policy refuses it"
    end
    return given
end

function go_on(run)
    local given, cause, advice = admitted(run.phone)
    if not given then
        return refuse(run, cause, advice)
    end
    run.given, run.card, run.phone.card = given, given.card, given.card
    procedure.enter(run, given.card and "authenticate" or "accept")
end

-- All that is sent to it from now on is under its new key, or none. What it had is gone by now.
local function take_key(run)
    local phone = run.phone
    if phone.key and not run.is_fresh then
        frames.reset(phone)
    end
    signalling.keyed(phone.link, phone.key and phone.key.gea or 0, phone.key and phone.key.octets, phone.link.iov_ui)
end

local function enter_accept(run)
    local phone, given = run.phone, run.given
    local other = store.by_imsi(phone.imsi)
    local before = other and other.p_tmsi == run.named_by and run.named_by or nil
    if other then
        place.give(other)
    end
    take_key(run)
    local taken, why = place.take(phone, given, before)
    if not taken then
        without_place(run, why)
    end
end

-- Seconds as the air has them; off without a limit.
local function seconds(ns)
    return ns and ns > 0 and ns // 1000000000 or 0xFFFFFFFF
end

function attach.timers()
    return seconds(network.cfg.attach.t3312_ns), seconds(network.cfg.gb.ready_ns)
end

local function accept_message(run)
    local phone = run.phone
    local t3312_s, ready_s = attach.timers()
    phone.area = place.area_number(phone.bvc.cell)
    return frames.encode("gmm_attach_accept", {
        result = GPRS, force_standby = 0, t3312_s = t3312_s, priority_sms = PRIORITY, priority_tom8 = PRIORITY,
        area = place.area(phone.bvc), ready_timer_s = ready_s, p_tmsi = phone.p_tmsi,
        signature = phone.signature, cause = run.is_combined and MSC_NOT_REACHABLE or nil,
    })
end

local function attached(run)
    local phone = run.phone
    procedure.finish(run)
    count.add "attaches"
    log.info(("IMSI %s: attached in cell %d-%d, P-TMSI 0x%08x"):format(phone.imsi, phone.nse.nsei, phone.bvc.bvci,
        phone.p_tmsi))
    reach.watch(phone)
end

local function complete(run)
    place.used(run.phone)
    attached(run)
end

-- Another phone with the TLLI has answered: both get the same frames, so that neither may go on.
local function identified_again(run, pdu)
    if pdu.identity.imsi and pdu.identity.imsi ~= run.phone.imsi then
        log.info(("IMSI %s and %s attach under one TLLI; both try again"):format(run.phone.imsi, pdu.identity.imsi))
        place.give(run.phone)
    end
    return "ignored"
end

states.accept = {
    enter = enter_accept, message = accept_message, timer = "t3350",
    got = { gmm_attach_complete = complete, own_tlli = complete, gmm_identity_response = identified_again },
    over = function(run) -- both P-TMSIs stay valid (4.7.3.1.6 b)
        attempts.drop(run.phone)
        attached(run)
    end,
}

-- ---- ATTACH REQUEST ----

-- The IMSI, if the request says it by itself or by a P-TMSI that we gave in the area that it names.
local function imsi_of(pdu, p_tmsi)
    local phone = p_tmsi and store.by_p_tmsi(p_tmsi)
    if phone and place.was_in(phone, pdu.old_area) then
        return phone.imsi
    end
    return pdu.identity.imsi
end

-- It goes on with the numbers of whoever spoke under the TLLI, who may be the same phone; but if that one has its
-- place, with a copy of them.
local function new_phone(at, pdu, has_place)
    local phone = store.new(has_place and signalling.copy(at.link) or at.link)
    phone.nse, phone.bvc = at.nse, at.bvc
    phone.net_capability, phone.ra_capability, phone.drx = pdu.net_capability, pdu.ra_capability, pdu.drx
    return phone
end

-- Ends what goes on under the TLLI, and begins anew.
local function begin(at, pdu, octets)
    local there = attempts.find(at.nse, at.tlli)
    local has_place = at.phone and at.phone.ms_id
    if there and there.ms_id then
        attempts.drop(there)
    elseif there then
        place.give(there)
    end
    local is_fresh = not at.phone
    if at.phone then
        procedure.stop(procedure.of(at.phone, "gmm"))
    else
        frames.reset_stranger(at)
    end
    local phone = new_phone(at, pdu, has_place)
    attempts.put(phone, at.nse, at.tlli)
    local run = procedure.begin(procedure_of_attach, phone, "gmm", octets)
    run.said_cksn = pdu.cksn
    run.is_fresh, run.is_combined, run.named_by = is_fresh, pdu.attach_type & 7 == COMBINED, pdu.identity.tmsi
    phone.imsi = imsi_of(pdu, run.named_by)
    if phone.imsi then
        go_on(run)
    else
        procedure.enter(run, "identify")
    end
    return "handled"
end

frames.take("gmm_attach_request", function(at, pdu, octets)
    local run = at.phone and procedure.of(at.phone, "gmm")
    if run and run.procedure == procedure_of_attach and procedure.again(run, octets) then
        return "handled"
    elseif not attempts.may_answer(at.nse) or not attempts.has_room(at.nse, attempts.find(at.nse, at.tlli)) then
        return "ignored"
    end
    return begin(at, pdu, octets)
end)

return attach
