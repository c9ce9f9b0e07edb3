-- LLC (TS 44.064): the uplink frames that workers do not handle and pass to control (UL-UNITDATA).
-- exchange.lua handles XID, and signalling.lua the UI frames of GMM and SM if some handler wants them. Sluice
-- has no ABM: SABM and DISC get DM (8.5.1.2, 8.5.4), and other frames of an ABM are ignored, as are all
-- other UI frames.
local count = require "count"
local dp = require "dp"
local exchange = require "sluice.llc.exchange"
local log = require "log"
local pdus = require "sluice.bssgp.pdus"
local roam = require "sluice.ms.roam"
local signalling = require "sluice.llc.signalling"
local subscribers = require "sluice.subscribers.registry"
local wire = require "wire"
local xid = require "sluice.llc.xid"

local DM, DISC, SABM, XID = 1, 4, 7, 11
local NAMES = { [0] = "NULL", [1] = "DM", [4] = "DISC", [6] = "UA", [7] = "SABM", [8] = "FRMR",
    [11] = "XID" }

local function dm(ms_id, frame)
    count.pdu_out("llc_u")
    dp.llc {
        ms_id = ms_id, pdu = wire.llc_u.encode {
            cr = false, sapi = frame.sapi, pf = frame.pf, command = DM, info = "",
        },
    }
    return "refused"
end

-- C/R is set in a response of an MS (6.2.2).
local function take_u(ms_id, octets, frame)
    if frame.command == XID then
        count.pdu_in("llc_xid")
        local pdu, bad = xid.read(octets, frame)
        if frame.cr then
            return exchange.take_response(ms_id, pdu, bad)
        end
        return exchange.take_command(ms_id, pdu, bad)
    end
    count.pdu_in("llc_u")
    if not frame.cr and (frame.command == SABM or frame.command == DISC) then
        return dm(ms_id, frame)
    end
    return "ignored"
end

local function about(ms_id, frame, what)
    log.debug(("IMSI %s: LLC %s frame on SAPI %d is ignored"):format(subscribers.imsi(ms_id), what,
        frame.sapi))
    return "ignored"
end

-- Returns the frame if its form and FCS are good, which shows that the MS was heard; and whether it is
-- a U frame. I and S frames belong to an ABM and are not decoded. An enciphered UI frame cannot be
-- deciphered here: only workers and signalling.lua keep N(U).
local function read(octets)
    local control = octets:byte(2) or 0
    if control & 0xE0 == 0xE0 then
        return wire.llc_u.decode(octets), true
    elseif control & 0xE0 == 0xC0 then
        local frame = wire.llc_ui.decode(octets)
        return frame and not frame.enciphered and frame, false
    end
end

local function take(ms_id, octets, frame, unnumbered)
    if not xid.defaults[frame.sapi] then
        return about(ms_id, frame, "reserved")
    elseif not unnumbered then
        return about(ms_id, frame, "UI")
    end
    local outcome = take_u(ms_id, octets, frame)
    if outcome == "ignored" then
        about(ms_id, frame, NAMES[frame.command] or "unknown")
    end
    return outcome
end

-- An uplink frame of a known MS. It is answered before exchange.seen may begin an XID. Where control does
-- not believe that the MS is, its frames say nothing: an XID in its name would be anybody's.
local function input(bvc, ms_id, octets)
    local frame, unnumbered = read(octets)
    if not frame then
        count.add("llc_bad")
        return "ignored"
    elseif not roam.heard_by_control(ms_id, bvc, octets) then
        return "ignored"
    end
    local outcome = take(ms_id, octets, frame, unnumbered)
    exchange.seen(ms_id)
    return outcome
end

pdus.on("bssgp_ul_unitdata", {
    on = "ptp",
    handler = function(nse, bvc, pdu, _, _, ms_id)
        ms_id = ms_id or dp.ms_of(nse.id, pdu.tlli)
        local octets = pdu.llc_pdu
        local outcome = signalling.takes(octets) and signalling.input(nse, bvc, pdu.tlli, ms_id, octets)
        if outcome then
            return outcome
        elseif ms_id then
            return input(bvc, ms_id, octets)
        end
        outcome = roam.unknown(nse, bvc, pdu.tlli, octets)
        local frame, unnumbered = read(octets)
        local is_enciphered = signalling.is_enciphered(octets)
        if outcome == "ignored" and (is_enciphered or frame and not unnumbered) then -- an XID response may be to our own Reset
            return signalling.of_nobody(nse, bvc, pdu.tlli, is_enciphered)
        end
        return outcome
    end,
})
