-- Routeing area update (TS 24.008 4.7.5). Any phone that is not attached is told that it is detached, and attaches.
--
-- A phone without a card is accepted where it is, and keeps its P-TMSI, so there is no COMPLETE to wait for: a REQUEST
-- that comes again is answered again. So is one with a card that enciphers nothing, once it has proved by another RAND, in
-- the cell of its REQUEST, who it is. A phone with a key gets a new P-TMSI in an enciphered ACCEPT, where it says that it
-- is; and nothing that it has said in clear holds before its COMPLETE, which is enciphered, has come. So whoever else
-- sends a REQUEST with its P-TMSI changes nothing; and as the phone may send COMPLETE then, the REQUEST itself holds only
-- with the phone's P-TMSI signature. If it says another CKSN than ours, it is authenticated first.
local attach = require "sluice.gmm.attach"
local causes = require "sluice.gmm.causes"
local count = require "count"
local dp = require "dp"
local frames = require "sluice.gmm.frames"
local log = require "log"
local parts = require "sluice.config.parts"
local place = require "sluice.gmm.place"
local procedure = require "sluice.phones.procedure"
local roam = require "sluice.ms.roam"
local security = require "sluice.gmm.security"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"

local RA, PERIODIC = 0, 3 -- types of update; 1 and 2 are combined
local DETACHED, MSC_NOT_REACHABLE = 10, 16

-- The phone, if it is attached and where it says it was.
local function known(at, pdu)
    local phone = at.phone
    local is_attached = phone and phone.ms_id and not phone.attempt
    return is_attached and (at.ms_id or place.was_in(phone, pdu.old_area)) and phone
end

-- Whether a REQUEST comes once more although its update has ended with COMPLETE. Its P-TMSI is no longer in use, so the
-- phone would count as unknown and be sent an XID Reset; but the phone still listens to that TLLI, and would reset.
local function is_late(at, octets)
    local former = place.p_tmsi_of(at.tlli)
    local phone = former and store.by_former_p_tmsi(former)
    return phone ~= nil and phone.updated == octets
end

-- What the phone says of itself; what it leaves out stays as it was.
local function learn(phone, pdu)
    local before = place.options(phone)
    phone.ra_capability = pdu.ra_capability
    phone.drx, phone.net_capability = pdu.drx or phone.drx, pdu.net_capability or phone.net_capability
    local now = place.options(phone)
    if parts.differ(before, now, { "drx", "ra_capability" }) then
        local ms = subscribers.of(phone.ms_id).ms
        ms.drx, ms.ra_capability = now.drx, now.ra_capability
        local options = parts.options(ms, 0)
        options.ms_id = phone.ms_id
        dp.ms_options(options)
    end
end

-- A phone with a key gets no XID Reset, which would part its numbers and IOV-UI from ours: anybody may have sent the
-- REQUEST.
local function refuse(at)
    local phone = at.phone
    if phone and phone.ms_id and phone.attempt and phone.link.key then -- it has not used its new P-TMSI yet: T3350 asks for that
        return "ignored"
    elseif phone and not phone.ms_id then -- it was about to attach, and does something else now
        place.give(phone)
        at.phone = nil
    end
    count.add "updates_refused"
    log.debug(("TLLI 0x%08x: %s"):format(at.tlli, causes.text("RA UPDATE REJECT", DETACHED)))
    if at.phone and at.link.key then
        frames.answer(at, "gmm_update_reject", { cause = DETACHED, force_standby = 0 })
        return "refused"
    end
    return frames.answer_stranger(at, "gmm_update_reject", { cause = DETACHED, force_standby = 0 })
end

-- NSAPIs of its contexts, as bits.
local function status_of(phone)
    local bits = 0
    for nsapi = 5, 15 do
        bits = bits | (phone.contexts[nsapi] and 1 << nsapi or 0)
    end
    return bits
end

local function accept_fields(phone, pdu, bvc, is_its_own)
    local t3312_s, ready_s = attach.timers()
    local type = pdu.update_type & 7
    return {
        force_standby = 0, result = 0, t3312_s = t3312_s, area = place.area(bvc), ready_timer_s = ready_s,
        cause = type ~= RA and type ~= PERIODIC and MSC_NOT_REACHABLE or nil,
        pdp_status = pdu.pdp_status and status_of(phone) & (is_its_own and pdu.pdp_status or ~0),
    }
end

-- The phone is in the cell, and what the REQUEST says holds if it is its own. If it does not get the ACCEPT, it goes on
-- saying that it was where it has said.
local function holds(phone, pdu, bvc, is_its_own)
    phone.area, phone.area_other = place.area_number(bvc.cell), place.area_number(pdu.old_area)
    if is_its_own then
        learn(phone, pdu)
    end
    if is_its_own and pdu.pdp_status then
        store.tell("contexts", phone, pdu.pdp_status)
    end
    count.add "updates"
end

-- ---- Without a key ----

local function accept(at, phone, pdu)
    if not roam.arrived(phone.ms_id, at.bvc) then
        return "ignored" -- the worker of the new cell has no room
    end
    phone.nse, phone.bvc = at.nse, at.bvc
    holds(phone, pdu, at.bvc, true)
    frames.answer(at, "gmm_update_accept", accept_fields(phone, pdu, at.bvc, true))
    return "handled"
end

-- ---- With a card ----

local states = {}
local with_card = { name = "update", states = states }
local finish = procedure.finish

-- The phone is where its COMPLETE has come from. What it was told is the area of that cell or of the one of its REQUEST,
-- for anybody's REQUEST from elsewhere may have taken the place of its own in between.
local function complete(run)
    finish(run)
    run.phone.updated = run.request
    holds(run.phone, run.pdu, run.phone.bvc, run.is_its_own)
    run.phone.area_other = place.area_number(run.at.bvc.cell)
end

states.accept = {
    enter = function(run)
        run.phone.area_other = place.area_number(run.at.bvc.cell)
        place.rename(run.phone)
    end,
    message = function(run)
        local fields = accept_fields(run.phone, run.pdu, run.at.bvc, run.is_its_own)
        fields.p_tmsi, fields.signature = run.phone.p_tmsi, run.phone.signature
        return frames.encode("gmm_update_accept", fields)
    end,
    timer = "t3350", got = { gmm_update_complete = complete, own_tlli = complete },
    over = function(run) -- both P-TMSIs stay valid (4.7.5.1.6 b). Perhaps it has another key: it is asked next time
        run.phone.cksn = nil
        finish(run)
    end,
}

states.authenticate = security.state

-- It is where it says that it is, and is answered there, under its new key if it has one.
function with_card.authenticated(run, key)
    local phone, at = run.phone, run.at
    if not phone.key and key.gea == 0 then
        finish(run)
        phone.cksn = key.cksn
        accept(at, phone, run.pdu)
        return
    elseif not roam.shown(phone.ms_id, at.bvc) or not place.answer_to(phone, at.nse, at.tlli) then
        return finish(run) -- there is no place for it: it tries again
    end
    phone.nse, phone.bvc, run.elsewhere = at.nse, at.bvc, nil
    security.take(phone, key)
    procedure.enter(run, "accept")
end

with_card.unanswered = finish -- it was not the phone that sent the REQUEST, so nothing changes

function with_card.unable(run, advice)
    log.info(("IMSI %s: %s"):format(run.phone.imsi, advice))
    finish(run)
end

-- Whether the REQUEST comes again from where the run has answered it. From elsewhere it is answered there.
local function is_again(run, at, octets)
    return run.procedure == with_card and run.at.bvc == at.bvc and run.at.tlli == at.tlli and procedure.again(run, octets)
end

-- What goes on already, such as a detach, goes on: anybody can send a REQUEST, and its phone sends it again. But what
-- anybody's frame, such as one from another cell, has begun gives way.
local function begin(at, phone, pdu, octets)
    local run = procedure.of(phone, "gmm")
    if run and is_again(run, at, octets) then
        return "handled"
    elseif run and run.procedure ~= with_card and not run.elsewhere and not run.is_by_anybody then
        return "ignored"
    end
    run = procedure.begin(with_card, phone, "gmm", octets)
    run.is_its_own = place.is_signed(phone, pdu.old_signature)
    run.pdu, run.at, run.card, run.said_cksn = pdu, at, phone.card, pdu.cksn
    if dp.ms_cell(phone.ms_id) ~= at.bvc.id or at.tlli ~= subscribers.of(phone.ms_id).ms.tlli then
        run.elsewhere = { nse = at.nse, bvc = at.bvc, tlli = at.tlli }
    end
    procedure.enter(run, phone.key and pdu.cksn == phone.cksn and "accept" or "authenticate")
    return "handled"
end

frames.take("gmm_update_request", function(at, pdu, octets)
    local attached = frames.attached_at(at)
    if attached then -- the REQUEST is its own, even if an attempt to attach under its TLLI is under way
        at.phone, at.link = attached, attached.link
    end
    local phone = known(at, pdu)
    if not at.phone and is_late(at, octets) then
        return "ignored"
    elseif not phone or not place.area(at.bvc) then
        return refuse(at)
    elseif phone.card then
        return begin(at, phone, pdu, octets)
    end
    return accept(at, phone, pdu)
end)
