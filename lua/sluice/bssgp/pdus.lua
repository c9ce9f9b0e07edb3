-- Checks each received BSSGP PDU (TS 48.018 clause 10), then calls the PDU's handler: the NSE has the
-- BVCI, a BSS may send the PDU on this kind of BVC, the BVC's state allows it, its feature is in force,
-- and it decodes. A failed check is answered by STATUS with a cause (10.4.14, 11.3.8); a STATUS is
-- never answered.
local cells = require "sluice.bssgp.cells"
local count = require "count"
local features = require "sluice.bssgp.features"
local gb = require "sluice.core.gb"
local log = require "log"
local shown = require "sluice.base.shown"
local wire = require "wire"
local network = require "sluice.core.network"

local pdus = {}

-- By type octet: { name, decode }, and the registration (pdus.on) of PDUs that a BSS may send.
local entries = {}

for _, name in ipairs(wire.names) do
    if name:sub(1, 6) == "bssgp_" then
        entries[wire[name].type] = { name = name, decode = wire[name].decode }
    end
end

-- given: on = "ptp"|"signalling"|"any"; handler; feature, a word of features.lua; any_state: also on a
-- BVC that is not up; values: the handler gets the fields as arguments instead of a table.
--     handler(nse, bvc, pdu, nsvc, octets, ms_id) -> outcome      octets: the BSSGP PDU
--     handler(nse, bvc, nsvc, octets, from, ...) -> outcome       with values: the PDU's fields
-- bvc is nil on BVCI 0.
function pdus.on(name, given)
    local entry = entries[wire[name].type]
    entry.on_ptp, entry.on_signalling = given.on ~= "signalling", given.on ~= "ptp"
    entry.handler, entry.any_state = given.handler, given.any_state
    entry.feature = given.feature and features.bit[given.feature] or 0
    entry.values = given.values and wire[name].values
end

local STATUS = wire.bssgp_status.type

-- Sends and logs a STATUS on the BVC. octets: the PDU in error.
function pdus.refuse(nse, bvci, cause, octets, nsvc, wrong_bvci)
    if octets:byte() == STATUS then
        return "ignored"
    end
    if gb.status(nse, bvci, cause, octets, wrong_bvci, nsvc) then
        local entry = entries[octets:byte()]
        log.info(("NSE %d, BVCI %d: STATUS, %s, to %s"):format(nse.nsei, wrong_bvci or bvci,
            (cause:gsub("_", " ")), entry and shown.pdu(entry.name) or "an unknown PDU"))
    end
    return "refused"
end

-- The cause by the decoder's error (wire_err.def); any other error is in a mandatory element (9).
local CAUSES = {
    TYPE = "protocol_error", MISSING_IE = "missing_mandatory",
    MISSING_CONDITIONAL = "missing_conditional", CONDITIONAL_IE = "conditional_error",
    UNEXPECTED_IE = "unexpected_conditional",
}

local function unreadable(nse, bvci, fault, octets, nsvc)
    return pdus.refuse(nse, bvci, CAUSES[fault] or "invalid_mandatory", octets, nsvc)
end

-- Why a PDU is refused: the cause, and the BVCI that belongs to the cause.
local function objection(nse, entry, bvc, bvci, type)
    if bvci ~= 0 and not bvc then
        return "bvci_unknown", bvci
    elseif features.lacks(type) then
        return "not_compatible_with_features"
    elseif not entry or not entry.handler or not (bvc and entry.on_ptp or
            not bvc and entry.on_signalling) then
        return "protocol_error"
    elseif bvc and bvc.state == "blocked" then
        return "bvci_blocked", bvci
    elseif not (bvc or nse.signalling).up then
        return "not_compatible_with_state"
    end
    return "not_compatible_with_features"
end

local function turn_away(nse, entry, bvc, bvci, octets, nsvc)
    if bvc and bvc.state == "down" and bvc.given_up then
        network.tell("bvc_heard", bvc)
    end
    local cause, wrong_bvci = objection(nse, entry, bvc, bvci, octets:byte())
    return pdus.refuse(nse, wrong_bvci and 0 or bvci, cause, octets, nsvc, wrong_bvci)
end

local function acceptable(nse, entry, bvc, bvci)
    if not (bvc and entry.on_ptp or bvci == 0 and entry.on_signalling) then
        return false
    end
    return ((bvc or nse.signalling).up or entry.any_state)
        and nse.features & entry.feature == entry.feature
end

local function with_values(entry, nse, bvc, nsvc, octets, from, first, ...)
    if first then
        return entry.handler(nse, bvc, nsvc, octets, from, first, ...)
    end
    local _, fault = ...
    return unreadable(nse, bvc and bvc.bvci or 0, fault, octets:sub(from), nsvc)
end

-- Handles an NS SDU: the octets from `from` on. ms_id: the MS, if a worker has found it. Returns the
-- outcome.
function pdus.take(nse, nsvc, bvci, octets, from, ms_id)
    local entry, bvc = entries[octets:byte(from)], nse.bvcs[bvci]
    if bvc then
        cells.catch_up(bvc)
    end
    if not entry or not acceptable(nse, entry, bvc, bvci) then
        return turn_away(nse, entry, bvc, bvci, octets:sub(from), nsvc)
    end
    if bvc and bvc.held then
        cells.hold(bvc, false)
    end
    if entry.values then
        return with_values(entry, nse, bvc, nsvc, octets, from, entry.values(octets, from))
    end
    octets = octets:sub(from)
    local pdu, _, fault = entry.decode(octets)
    if not pdu then
        return unreadable(nse, bvci, fault, octets, nsvc)
    end
    return entry.handler(nse, bvc, pdu, nsvc, octets, ms_id)
end

-- Counts and handles a received NS SDU.
function pdus.input(nse, nsvc, bvci, octets, from, ms_id)
    local entry = entries[octets:byte(from)]
    if entry then
        count.pdu_in(entry.name)
    end
    return pdus.take(nse, nsvc, bvci, octets, from, ms_id)
end

-- The name of a PDU in error; nil for an unknown type.
function pdus.name_of(octets)
    local entry = entries[octets:byte()]
    return entry and entry.name
end

return pdus
