-- A phone that enciphers, and that nobody knows, as after our restart: a phone with a key heeds nothing in clear that
-- would make it attach (TS 24.008 4.7.1.2). It does say its IMSI, and answers a RAND; then it has a key that we know, and
-- is told under that to attach again. Nothing of it is kept, and whatever is lost, its next frame begins anew.
local admission = require "sluice.gmm.admission"
local attempts = require "sluice.phones.attempts"
local frames = require "sluice.gmm.frames"
local log = require "log"
local network = require "sluice.core.network"
local place = require "sluice.gmm.place"
local procedure = require "sluice.phones.procedure"
local security = require "sluice.gmm.security"
local signalling = require "sluice.llc.signalling"
local store = require "sluice.phones.store"

local IMSI = 1 -- type of identity
local R99_GEA3, R99_GEA4 = "\x01\x20", "\x01\x10" -- MS network capability

local states = {}
local recovery = { name = "recovery", states = states }

local function forget(run)
    place.give(run.phone)
end

-- It enciphers, so it can do what we have given it before; else nothing is known of it.
local function capability()
    for _, name in ipairs(network.cfg.attach.ciphers) do
        if name == "gea3" then
            return R99_GEA3
        end
    end
    return R99_GEA4
end

states.detach = {
    message = function()
        return frames.encode("gmm_detach_request_down", frames.attach_again)
    end,
    timer = "t3322", over = forget, got = { gmm_detach_accept_up = forget },
}

local function identified(run, pdu)
    local imsi = pdu.identity.imsi
    local given = imsi and admission.of(imsi)
    if not imsi then
        return "ignored"
    end
    run.phone.imsi, run.card = imsi, given and given.card
    if run.card then
        procedure.enter(run, "authenticate")
    else
        procedure.enter(run, "detach")
    end
end

states.identify = {
    message = function()
        return frames.encode("gmm_identity_request", { type = IMSI, force_standby = 0 })
    end,
    timer = "t3370", over = forget, got = { gmm_identity_response = identified },
}

states.authenticate = security.state

function recovery.authenticated(run, key)
    local link = run.phone.link
    log.info(("IMSI %s: told to attach, as it is not known any more"):format(run.phone.imsi))
    signalling.keyed(link, key.gea, key.octets, link.iov_ui)
    procedure.enter(run, "detach")
end

recovery.unanswered = forget
recovery.unable = forget

-- at: as handlers get it, without a phone.
return function(at)
    if not attempts.may_answer(at.nse) or not attempts.has_room(at.nse) then
        return "ignored"
    end
    frames.reset_stranger(at)
    local phone = store.new(at.link)
    phone.nse, phone.bvc, phone.net_capability, phone.ra_capability = at.nse, at.bvc, capability(), ""
    attempts.put(phone, at.nse, at.tlli)
    procedure.enter(procedure.begin(recovery, phone, "gmm"), "identify")
    return "handled"
end
