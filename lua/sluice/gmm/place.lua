-- The place of a phone in the dataplane: its MS with the TLLI of a new P-TMSI, which comes with ATTACH ACCEPT, and
-- goes with the phone.
local areas = require "sluice.bssgp.areas"
local attempts = require "sluice.phones.attempts"
local chance = require "sluice.core.chance"
local clock = require "sluice.core.clock"
local dp = require "dp"
local hex = require "sluice.base.hex"
local log = require "log"
local paging = require "sluice.ms.paging"
local procedure = require "sluice.phones.procedure"
local ranges = require "sluice.subscribers.ranges"
local signalling = require "sluice.llc.signalling"
local store = require "sluice.phones.store"
local subscribers = require "sluice.subscribers.registry"

local place = {}

local LOCAL = 0xC0000000 -- the top bits of a P-TMSI, and of a local TLLI (TS 23.003 2.6)
local RA_CAPABILITY_OCTETS_MAX = 48 -- in DL-UNITDATA: larger ones are left out there

-- ---- P-TMSIs ----

-- One that no phone has, and whose TLLI no MS of the file has.
local function new_p_tmsi()
    while true do
        local p_tmsi = chance.number_32() | LOCAL
        local ids = dp.mss_of(p_tmsi)
        if p_tmsi ~= 0xFFFFFFFF and not store.by_p_tmsi(p_tmsi) and ids and #ids == 0 then
            return p_tmsi
        end
    end
end

-- A P-TMSI signature for an enciphered message: nobody else reads it, and its next REQUEST has it, in clear. So a REQUEST
-- with it is the phone's own.
local function sign(phone)
    phone.signature_old, phone.signature = phone.p_tmsi_old and phone.signature or nil, chance.number_32() >> 8
end

-- ---- The MS ----

-- What of it goes into DL-UNITDATA for the BSS.
function place.ra_capability(phone)
    local octets = phone.ra_capability
    return octets ~= "" and #octets <= RA_CAPABILITY_OCTETS_MAX and octets or nil
end

-- The same as the registry's record has it.
function place.options(phone)
    local ra_capability = place.ra_capability(phone)
    return { drx = phone.drx, ra_capability = ra_capability and hex.digits(ra_capability) }
end

local function record_of(phone, given, tlli)
    local options = place.options(phone)
    if #phone.ra_capability > RA_CAPABILITY_OCTETS_MAX then
        log.info(("IMSI %s: an MS radio access capability of %d octets is kept out of DL-UNITDATA, which has room for"
            .. " %d"):format(phone.imsi, #phone.ra_capability, RA_CAPABILITY_OCTETS_MAX))
    end
    return {
        imsi = phone.imsi, count = 1, tlli = tlli, n201_u_octets = given.n201_u_octets, iov_ui = 0, iov_ui_in_force = phone.link.iov_ui,
        cipher = phone.key and phone.key.cipher or "none", key = phone.key and phone.key.digits,
        send_imsi = given.send_imsi,
        drx = options.drx, ra_capability = options.ra_capability, pdp = {},
    }
end

-- Gives the phone its MS in its cell, and a new P-TMSI; `before`, one that it had, stays valid until it uses the new
-- one. given: of admission.lua. Returns nil and "room" or "imsi" without a place.
function place.take(phone, given, before)
    local p_tmsi = new_p_tmsi()
    local record, why = ranges.add_single(phone.nse.id, phone.bvc.id, record_of(phone, given, p_tmsi))
    if not record then
        return nil, why
    end
    phone.ms_id, phone.class = record.first_ms_id, given.class
    signalling.keep(phone.ms_id, phone.link)
    phone.since_ns = clock.now_ns
    attempts.place(phone)
    store.put(phone)
    if before and not store.by_p_tmsi(before) then
        store.rename(phone, before)
    end
    store.rename(phone, p_tmsi)
    if phone.key then
        sign(phone)
    end
    return true
end

-- The phone is nobody any more: its procedures, its contexts and its MS end. Nothing is sent.
function place.give(phone)
    attempts.drop(phone)
    procedure.stop_all(phone)
    if phone.ms_id then
        local record = subscribers.of(phone.ms_id)
        store.remove(phone)
        phone.ms_id = nil
        ranges.remove(record)
    end
end

-- Where a phone is: its area as GMM has it; nil if its cell has not said so.
function place.area(bvc)
    local cell = bvc.cell
    return cell and {
        mcc = cell.mcc, mnc = cell.mnc, mnc_digits = cell.mnc_digits, lac = cell.lac, rac = cell.rac,
    }
end

place.area_number = areas.of

-- Whether the phone may say that the area, as an element has it, was its last one.
function place.was_in(phone, area)
    local number = areas.of(area)
    return number == phone.area or number == phone.area_other
end

function place.tlli(phone)
    return phone.p_tmsi | LOCAL
end

-- The TLLI that the phone is spoken to with is another one from now on. is_to_come: it is heard only, until it is used.
local function set_tlli(phone, tlli, is_to_come)
    dp.ms_tlli { ms_id = phone.ms_id, tlli = tlli, down_old = is_to_come or nil }
    if not is_to_come then
        subscribers.of(phone.ms_id).ms.tlli = tlli
        subscribers.tell("changed_tlli", phone.ms_id)
    end
end

function place.is_signed(phone, signature)
    return signature ~= nil and (signature == phone.signature or signature == phone.signature_old)
end

-- Another P-TMSI, for the next message to the phone; the same again if it has not used the last one yet. It is spoken to
-- with the former one until it uses this.
function place.rename(phone)
    if not phone.p_tmsi_old then
        store.rename(phone, new_p_tmsi())
        sign(phone)
    end
    set_tlli(phone, phone.p_tmsi, true)
end

-- In another NSE nothing is known of a TLLI that was to come in the one before.
subscribers.watch("changed_nse", function(ms_id)
    local phone = store.of_ms(ms_id)
    if phone and phone.p_tmsi_old and subscribers.of(ms_id).ms.tlli ~= phone.p_tmsi then
        set_tlli(phone, phone.p_tmsi, true)
    end
end)

-- The phone has used the TLLI of its place: what it was known by before is nobody's.
function place.used(phone)
    attempts.drop(phone)
    store.settle(phone)
    phone.signature_old = nil
    if subscribers.of(phone.ms_id).ms.tlli ~= phone.p_tmsi then
        set_tlli(phone, phone.p_tmsi)
    end
end

-- The phone, which has just proved who it is, is spoken to with the TLLI that it has used in its cell: if that is of its
-- new P-TMSI, it has that. False: another one has the TLLI there.
function place.answer_to(phone, nse, tlli)
    local ms_id = dp.ms_of(nse.id, tlli)
    if ms_id and ms_id ~= phone.ms_id then
        return false
    elseif tlli == phone.p_tmsi then
        place.used(phone)
    else
        set_tlli(phone, tlli)
    end
    return true
end

-- A phone that has not used its new P-TMSI may have either, whatever it is spoken to with.
paging.by(function(ms_id)
    local phone = store.of_ms(ms_id)
    return phone and { phone.p_tmsi, phone.p_tmsi_old }
end)

-- The P-TMSI of a local or foreign TLLI; nil for others.
function place.p_tmsi_of(tlli)
    return tlli >= 0x80000000 and tlli | LOCAL or nil
end

-- A TLLI under which a phone has never had numbers of LLC before.
function place.is_random(tlli)
    return tlli >> 27 == 0x0F
end

return place
