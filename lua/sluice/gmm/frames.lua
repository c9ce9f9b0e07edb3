-- The frames of SAPI 1, from phones and to them: which phone one is of, which handler gets its message, and how an
-- answer gets to a phone that has no MS yet.
--
-- A phone speaks under the TLLI of its attempt (phones/attempts.lua) until it uses the TLLI of its place, which its
-- MS has; what is sent goes to where it speaks. A foreign TLLI is of the phone whose P-TMSI it is made of: it is the
-- same LLC entity.
local attempts = require "sluice.phones.attempts"
local chance = require "sluice.core.chance"
local count = require "count"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"
local paging = require "sluice.ms.paging"
local place = require "sluice.gmm.place"
local procedure = require "sluice.phones.procedure"
local roam = require "sluice.ms.roam"
local signalling = require "sluice.llc.signalling"
local store = require "sluice.phones.store"
local wire = require "wire"

local frames = {}

local PD_GMM, PD_SM = 8, 10

-- ---- To phones ----

function frames.encode(name, fields)
    count.pdu_out(name)
    return wire[name].encode(fields)
end

-- A frame to whoever listens to the TLLI in the cell; phone: what of it goes into DL-UNITDATA, nil for nobody.
local function put(nse, bvc, tlli, octets, phone)
    local ms_id = dp.ms_of(nse.id, tlli)
    if network.bvc[bvc.id] ~= bvc then -- the cell has been removed
        count.add "unsent"
    elseif ms_id and dp.ms_cell(ms_id) == bvc.id then
        dp.llc { ms_id = ms_id, pdu = octets }
    else
        dp.bvc_llc {
            bvc_id = bvc.id, tlli = tlli, pdu = octets, imsi = phone and phone.imsi, drx = phone and phone.drx,
            ra_capability = phone and place.ra_capability(phone),
        }
    end
end

-- A phone in STANDBY may be in any cell of its area, so it is paged before it is told anything that it has not asked for;
-- that waits with its packets until it is heard.
local function page_in_standby(ms_id)
    local ready_ns = network.cfg.gb.ready_ns
    if ready_ns > 0 and dp.ms_silence(ms_id) >= ready_ns then
        paging.wanted(ms_id)
    end
end

-- Sends the message to the phone. run: whose message it is, nil for none.
function frames.send(phone, message, run)
    local elsewhere = run and run.elsewhere
    if elsewhere then
        put(elsewhere.nse, elsewhere.bvc, elsewhere.tlli, signalling.frame(phone.link, message), phone)
    elseif phone.ms_id and not phone.attempt then
        if run and not run.request then
            page_in_standby(phone.ms_id)
        end
        signalling.send(phone.ms_id, message)
    else
        put(phone.nse, phone.bvc, phone.attempt.tlli, signalling.frame(phone.link, message), phone.ms_id and phone)
    end
end

procedure.sender(frames.send)

-- Sends the message back to where a frame came from. at: as handlers get it.
function frames.answer(at, name, fields)
    put(at.nse, at.bvc, at.tlli, signalling.frame(at.link, frames.encode(name, fields)), at.phone and at.phone.ms_id
        and at.phone)
end

-- A Reset with an IOV-UI by chance: whoever it reaches may have a key under which it has had numbers from 0 on before,
-- and no two frames may have one key and INPUT.
local function put_reset(nse, bvc, tlli, phone)
    local iov_ui = chance.number_32()
    count.pdu_out "llc_xid"
    put(nse, bvc, tlli, wire.llc_xid.encode { cr = true, sapi = 1, pf = true, reset = true, iov_ui = iov_ui }, phone)
    return iov_ui
end

-- Before anything else to a phone that is not known, so that we do not know either which numbers it has had: an XID
-- Reset, which sets them to 0. Only one whose first frame this is under a random TLLI has had none.
function frames.reset_stranger(at)
    if not place.is_random(at.tlli) or not signalling.is_first(at.link) then
        local iov_ui = put_reset(at.nse, at.bvc, at.tlli)
        at.link = signalling.new()
        signalling.reset(at.link, iov_ui)
    end
end

-- The same to a phone that has proved who it is, before the first frame under its new key. Its answer says nothing new.
function frames.reset(phone)
    signalling.reset(phone.link, put_reset(phone.nse, phone.bvc, phone.attempt.tlli, phone.ms_id and phone))
end

-- Nothing is kept, and the phone repeats what has no answer.
function frames.answer_stranger(at, name, fields)
    if not attempts.may_answer(at.nse) then
        return "ignored"
    end
    frames.reset_stranger(at)
    frames.answer(at, name, fields)
    return "refused"
end

-- ---- From phones ----

local takers, of_pd = {}, {}
local CAUSE_DETACHED = 10
local AGAIN = 1 -- detached, and attach again
frames.attach_again = { detach_type = AGAIN, force_standby = 0, cause = CAUSE_DETACHED } -- DETACH REQUEST

-- A message from nobody that only somebody may send. The phone is told to attach again.
local function stranger(at)
    return frames.answer_stranger(at, "gmm_detach_request_down", frames.attach_again)
end

-- fn(at, pdu, octets) -> outcome, for the message of GMM from anybody. at: { phone (nil: nobody), link, nse, bvc, tlli,
-- ms_id (nil: not under the TLLI of an MS) }.
function frames.take(name, fn)
    takers[name] = fn
end

-- fn(phone, message, at) -> outcome, for messages of that protocol from phones that are attached.
function frames.on(pd, fn)
    of_pd[pd] = fn
end

-- Messages that may come late, or twice, and of which nothing follows then; and those that nobody answers.
local LATE = {
    gmm_identity_response = true, gmm_attach_complete = true, gmm_update_complete = true,
    gmm_reallocation_complete = true, gmm_detach_accept_up = true, gmm_status_up = true,
}
local UNANSWERED = {
    gmm_status_up = true, gmm_detach_accept_up = true,
    gmm_identity_response = true, -- it may come twice, and its TLLI be the former one of a phone that has attached
    gmm_authentication_response = true, gmm_authentication_failure = true,
}
local INCOMPATIBLE, TYPE_UNKNOWN = 98, 97

function frames.status(at, cause)
    frames.answer(at, "gmm_status_down", { cause = cause })
    return "refused"
end

-- The attached phone that has the TLLI of a frame, if another is about to attach under it, for anybody can begin that.
function frames.attached_at(at)
    if not at.phone or at.phone.ms_id then
        return nil
    elseif at.ms_id then
        return store.of_ms(at.ms_id)
    end
    local p_tmsi = place.p_tmsi_of(at.tlli)
    return p_tmsi and store.by_p_tmsi(p_tmsi)
end

local function got(phone, name, pdu)
    local run = phone and procedure.of(phone, "gmm")
    return run and procedure.got(run, name, pdu)
end

-- A message that only runs wait for.
function frames.to_run(at, name, pdu)
    if got(frames.attached_at(at), name, pdu) == "handled" then
        return "handled"
    end
    local outcome = got(at.phone, name, pdu)
    if outcome then
        return outcome
    elseif not at.phone then
        return UNANSWERED[name] and "ignored" or stranger(at)
    elseif LATE[name] then
        return "ignored"
    end
    return frames.status(at, INCOMPATIBLE)
end

-- Requests with a mistake are refused (TS 24.008 4.7.3.1.7, 4.7.5.1.6), others get a STATUS (clause 8.5).
local REFUSALS = {
    gmm_attach_request = { "gmm_attach_reject", {} }, gmm_update_request = { "gmm_update_reject", { force_standby = 0 } },
}

local function take_wrong(at, why, fault)
    local name, cause = why:match "^[%w_]+", wire.l3_cause(fault)
    local refusal = REFUSALS[name]
    log.debug(("TLLI 0x%08x: %s; cause %d"):format(at.tlli, why, cause))
    if refusal then
        refusal[2].cause = cause
        if at.phone then
            frames.answer(at, table.unpack(refusal))
            return "refused"
        end
        return frames.answer_stranger(at, table.unpack(refusal))
    elseif not at.phone then
        return cause == TYPE_UNKNOWN and "ignored" or stranger(at)
    end
    return frames.status(at, cause)
end

local function take_gmm(at, octets)
    local name, pdu, fault = wire.gmm_up.decode(octets)
    if not name then
        return take_wrong(at, pdu, fault)
    end
    count.pdu_in(name)
    if takers[name] then
        return takers[name](at, pdu, octets)
    end
    return frames.to_run(at, name, pdu)
end

local function take_other(at, octets, pd)
    if not at.phone then
        return stranger(at)
    elseif not at.phone.ms_id or not of_pd[pd] then -- before it has its place it may say nothing else
        return "ignored"
    end
    return of_pd[pd](at.phone, octets, at)
end

-- The phone of a frame. ms_id: of the MS that has the TLLI.
local function phone_of(nse, tlli, ms_id)
    local phone = attempts.find(nse, tlli)
    if phone or ms_id then
        return phone or store.of_ms(ms_id)
    end
    local p_tmsi = place.p_tmsi_of(tlli)
    return p_tmsi and store.by_p_tmsi(p_tmsi)
end

-- An attached phone with a card that enciphers nothing: its frames in clear prove nothing in a cell of another NSE, or
-- under another TLLI than its MS's.
local function has_to_prove(phone)
    return phone.card and phone.ms_id and not phone.attempt and not phone.link.key
end

-- Under a key only enciphered frames are surely the phone's, and it is where they come from. Returns the frame as handlers
-- get it; nil: nobody's, or it cannot be taken there.
local function whose(link, nse, bvc, tlli, ms_id, is_enciphered)
    local phone = ms_id and is_enciphered and store.of_ms(ms_id) or phone_of(nse, tlli, ms_id)
    if not bvc or ms_id and not phone then -- an MS of the file: GMM is not its matter
        return nil
    end
    local is_sure = is_enciphered or phone and not (phone.ms_id and phone.link.key or not ms_id and has_to_prove(phone))
    local has_new = is_sure and tlli == phone.p_tmsi
    local run = has_new and procedure.of(phone, "gmm")
    if has_new and (phone.attempt or phone.p_tmsi_old) then
        place.used(phone) -- first, so that nothing goes to the cell under the TLLI of before
    end
    if phone and phone.ms_id and is_enciphered and not roam.shown(phone.ms_id, bvc) then
        return nil -- the worker of the cell has no room
    end
    local at = { phone = phone, link = phone and phone.link or link, nse = nse, bvc = bvc, tlli = tlli, ms_id = ms_id }
    if is_sure then
        phone.nse, phone.bvc = nse, bvc
    end
    if run then
        procedure.got(run, "own_tlli")
    end
    return at
end

local function input(octets, ...)
    local at = whose(...)
    if not at then
        return "ignored"
    end
    local pd = octets:byte() & 15
    if pd == PD_GMM then
        return take_gmm(at, octets)
    end
    return take_other(at, octets, pd)
end

-- The link of a TLLI that is no MS's here. One that is a phone's own is its MS's elsewhere: without a key ms/roam.lua
-- decides, but about a REQUEST for an update, which may come under any of the phone's TLLIs; and, with a card, about what
-- proves who it is. A phone with a card says nothing else under any of them before that.
local function link_of(nse, _, tlli, octets)
    local phone = phone_of(nse, tlli)
    local is_for_roam = phone and phone.p_tmsi == tlli and not phone.link.key and not signalling.is_update(octets)
    if phone and has_to_prove(phone) then
        is_for_roam = not signalling.is_open(octets)
    end
    return not is_for_roam and (phone and phone.link or signalling.new()) or nil
end

-- fn(at) -> outcome, for an enciphered frame from nobody.
local recover

function frames.on_enciphered(fn)
    recover = fn
end

-- A frame that is not signalling, or is enciphered, from a TLLI that is nobody's here.
local function nobody(nse, bvc, tlli, is_enciphered)
    if not bvc or not place.p_tmsi_of(tlli) or phone_of(nse, tlli) then
        return "ignored"
    end
    local ids = dp.mss_of(tlli)     -- asks each NSE
    if not ids or ids[1] then
        return "ignored"
    end
    return (is_enciphered and recover or stranger) { nse = nse, bvc = bvc, tlli = tlli, link = signalling.new() }
end

function frames.begin()
    signalling.on(PD_GMM, input)
    signalling.on(PD_SM, input)
    signalling.on_sign(function(...)
        return whose(...) and "handled" or "ignored"
    end)
    signalling.strangers(link_of)
    signalling.nobody(nobody)
end

return frames
