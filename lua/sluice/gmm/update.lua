-- Routeing area update (TS 24.008 4.7.5). A phone that is attached is accepted where it is, and keeps its P-TMSI, so
-- there is no COMPLETE to wait for: a REQUEST that comes again is answered again. Any other phone is told that it is
-- detached, and attaches.
local attach = require "sluice.gmm.attach"
local causes = require "sluice.gmm.causes"
local count = require "count"
local dp = require "dp"
local frames = require "sluice.gmm.frames"
local log = require "log"
local parts = require "sluice.config.parts"
local place = require "sluice.gmm.place"
local roam = require "sluice.ms.roam"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"

local RA, PERIODIC = 0, 3 -- types of update; 1 and 2 are combined
local DETACHED, MSC_NOT_REACHABLE = 10, 16

-- The phone, if it is attached and where it says it was.
local function known(at, pdu)
    local phone = at.phone
    local is_attached = phone and phone.ms_id and not phone.attempt
    return is_attached and (at.ms_id or phone.area == place.area_number(pdu.old_area)) and phone
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

local function refuse(at)
    if at.phone and not at.phone.ms_id then -- it was about to attach, and does something else now
        place.give(at.phone)
        at.phone = nil
    end
    count.add "updates_refused"
    log.debug(("TLLI 0x%08x: %s"):format(at.tlli, causes.text("RA UPDATE REJECT", DETACHED)))
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

frames.take("gmm_update_request", function(at, pdu)
    local phone = known(at, pdu)
    if not phone or not place.area(at.bvc) then
        return refuse(at)
    elseif not at.ms_id and not roam.arrived(phone.ms_id, at.bvc) then
        return "ignored" -- the worker of the new cell has no room
    end
    learn(phone, pdu)
    phone.area = place.area_number(at.bvc.cell)
    if pdu.pdp_status then
        store.tell("contexts", phone, pdu.pdp_status)
    end
    local t3312_s, ready_s = attach.timers()
    local type = pdu.update_type & 7
    count.add "updates"
    frames.answer(at, "gmm_update_accept", {
        force_standby = 0, result = 0, t3312_s = t3312_s, area = place.area(at.bvc), ready_timer_s = ready_s,
        cause = type ~= RA and type ~= PERIODIC and MSC_NOT_REACHABLE or nil,
        pdp_status = pdu.pdp_status and status_of(phone),
    })
    return "handled"
end)
