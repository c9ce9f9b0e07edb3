-- Authentication and ciphering (TS 24.008 4.7.7): a state for procedures that ask a phone to prove who it is. It may come
-- in any state of one; what happens then is the procedure's.
--
-- Anybody may send an answer in clear, and a phone that is told that it has failed may give up its card until it is
-- switched off. So a wrong answer is noted, and T3360 goes on asking: the right one may still come. Only who has given
-- wrong answers and no right one until the last expiry gets AUTHENTICATION AND CIPHERING REJECT.
local chance = require "sluice.core.chance"
local ciphers = require "sluice.base.ciphers"
local count = require "count"
local dp = require "dp"
local exchange = require "sluice.llc.exchange"
local frames = require "sluice.gmm.frames"
local hex = require "sluice.base.hex"
local log = require "log"
local network = require "sluice.core.network"
local procedure = require "sluice.phones.procedure"
local refusals = require "sluice.phones.refusals"
local signalling = require "sluice.llc.signalling"
local subscribers = require "sluice.subscribers.registry"
local vectors = require "sluice.auth.vectors"

local security = {}

local MAC_FAILURE, SYNCH_FAILURE = 20, 21 -- GMM causes of the phone
local SETS = 7 -- of keys: CKSN 7 is none
local R99, GEA3, GEA4 = 1, 0x20, 0x10 -- bits of the first and second octet of MS network capability
local CAN = { none = 0, gea3 = GEA3, gea4 = GEA4 }

-- The first cipher of the configuration that the phone can do; nil: none. A SIM has no key for GEA4.
local function cipher_of(phone)
    local can = phone.net_capability:byte(2) or 0
    for _, name in ipairs(network.cfg.attach.ciphers) do
        if can & CAN[name] == CAN[name] and not (phone.is_sim and name == "gea4") then
            return name
        end
    end
end

local function knows_autn(phone)
    return phone.net_capability:byte(1) & R99 ~= 0
end

local function note(run, what, cause, advice)
    count.add "authentications_failed"
    refusals.note(run.phone.imsi, what, cause, advice)
end

-- An answer that does not prove anything. Who has said a P-TMSI may be somebody else, so it is asked for its IMSI.
local function wrong(run)
    run.is_wrong = true
    if run.procedure.states.identify and run.named_by then
        run.named_by, run.phone.imsi = nil, nil
        procedure.enter(run, "identify")
    end
    return "refused"
end

local function wrong_answer(run)
    note(run, "authentication failed", "RES", "the card gives a wrong answer: it has another K or OPc than phone { }, or"
        .. " it is somebody else's")
    return wrong(run)
end

-- "sim" or "usim": whose answer it is; nil for a wrong one.
local function kind_of(vector, pdu)
    local res = (pdu.res or "") .. (pdu.res_rest or "")
    return res == vector.res and "usim" or res == vector.sres and "sim" or nil
end

local function key_of(run)
    local vector = run.vector
    local octets = run.cipher == "gea4" and vector.kc128 or vector.kc
    return {
        cksn = run.cksn, cipher = run.cipher, gea = ciphers.number[run.cipher],
        octets = run.cipher ~= "none" and octets or "", digits = run.cipher ~= "none" and hex.digits(octets) or nil,
    }
end

local function answered(run, pdu)
    if pdu.reference ~= run.reference then
        return "ignored"
    end
    local kind = kind_of(run.vector, pdu)
    if not kind then
        return wrong_answer(run)
    end
    run.phone.imeisv, run.phone.is_sim = pdu.imeisv or run.phone.imeisv, kind == "sim"
    if kind == "sim" and run.cipher == "gea4" then
        log.info(("IMSI %s: GEA4 asked, the card answered as a SIM (4 octets of RES), which has no key for it: another"
            .. " cipher is used"):format(run.phone.imsi))
        procedure.enter(run, "authenticate")
        return "handled"
    end
    count.add "authentications"
    run.is_wrong = false
    run.procedure.authenticated(run, key_of(run))
    return "handled"
end

local function failed(run, pdu)
    local phone = run.phone
    if pdu.cause == SYNCH_FAILURE and pdu.auts and not run.is_synchronised
        and vectors.resynchronise(phone.imsi, run.card, run.vector.rand, pdu.auts) then
        count.add "resynchronisations"
        log.info(("IMSI %s: the card's SQN was not ours, and is now"):format(phone.imsi))
        run.is_synchronised = true
        procedure.enter(run, "authenticate")
        return "handled"
    elseif pdu.cause == MAC_FAILURE then
        note(run, "authentication failed, MAC", MAC_FAILURE, "the card has another K or OPc than phone { }")
    else
        note(run, "authentication failed", pdu.cause, "the card refuses what it is sent")
    end
    return wrong(run)
end

-- A phone that is attached has a new key: an XID Reset follows at once, for phones differ in the numbers and the IOV-UI
-- with which they go on, and in what they have had on SAPIs of user data before.
function security.take(phone, key)
    local record, ms_id = subscribers.of(phone.ms_id).ms, phone.ms_id
    phone.key, phone.cksn = key.gea > 0 and key or nil, key.cksn
    if record.cipher == "none" and key.gea == 0 then
        return
    end
    record.cipher, record.key = key.cipher, key.digits
    local iov_ui = exchange.rekeyed(ms_id)
    dp.ms_cipher { ms_id = ms_id, gea = key.gea, key = key.octets, iov_ui = iov_ui }
    signalling.keyed(phone.link, key.gea, key.octets, iov_ui)
    exchange.reset(ms_id)
end

-- Another one than the phone has by what we know, and by what it says: a key that only one side has is known by it.
local function new_cksn(ours, said)
    while true do
        local cksn = chance.number_32() % SETS
        if cksn ~= ours and cksn ~= said then
            return cksn
        end
    end
end

-- The state "authenticate" of a procedure, which has run.card of admission.lua, run.said_cksn if there is a REQUEST, and
-- the functions
--   authenticated(run, key)     the phone has proved it; key is its new one: { cksn, cipher, gea, octets, digits }
--   unanswered(run)             it has not; it is told so if its answers were wrong
--   unable(run, advice)         it can do none of the ciphers
security.state = {
    enter = function(run)
        local name = cipher_of(run.phone)
        if not name then
            return run.procedure.unable(run, ("it can do none of attach.ciphers, %s; its MS network capability is %s")
                :format(table.concat(network.cfg.attach.ciphers, ", "), hex.digits(run.phone.net_capability)))
        end
        run.cipher, run.vector = name, vectors.make(run.phone.imsi, run.card)
        run.reference = (run.reference or chance.number_32()) + 1 & 15
        run.cksn = new_cksn(run.phone.cksn, run.said_cksn)
    end,
    message = function(run)
        return frames.encode("gmm_authentication_request", {
            algorithm = ciphers.number[run.cipher], imeisv_request = 1, force_standby = 0, reference = run.reference,
            rand = run.vector.rand, cksn = run.cksn, autn = knows_autn(run.phone) and run.vector.autn or nil,
        })
    end,
    timer = "t3360",
    got = { gmm_authentication_response = answered, gmm_authentication_failure = failed },
    over = function(run)
        if run.is_wrong and not run.is_by_anybody then
            frames.send(run.phone, frames.encode("gmm_authentication_reject", {}), run)
        end
        run.procedure.unanswered(run)
    end,
}

return security
