-- BSS packet flow contexts (TS 48.018 clause 8a): CREATE, MODIFY and DELETE, while the feature PFC is
-- in force. A packet flow is made of an MS's PDP contexts with one PFI of 4 or more (the BSS knows PFIs
-- 0 to 3 by itself); abqp.lua makes its profile. The SGSN sends CREATE-BSS-PFC after DOWNLOAD-BSS-PFC
-- or on `sluice ctl pfc`. The BSS deletes a PFC that was idle for the packet flow timer without a PDU.
--
-- The profile that the BSS grants is stored and shown only. Flow control alone decides what a packet
-- flow may send; a packet flow without a PFC still sends.
local abqp = require "sluice.bssgp.abqp"
local count = require "count"
local dp = require "dp"
local entries = require "sluice.bssgp.pfc_entries"
local features = require "sluice.bssgp.features"
local gb = require "sluice.core.gb"
local hex = require "sluice.base.hex"
local log = require "log"
local pdus = require "sluice.bssgp.pdus"
local requests = require "sluice.core.requests"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local PFI_LEAST = 4
local TIMER_OFF_S = 0xFFFFFFFF
local T10_S = 10 -- how long a BSS may queue a request that has an allocation priority

-- ---- Packet flows ----

-- The MS's packet flows with the PFI, each { class, pfi, slot, rate_bit_per_s }.
local function flows_of(ms_id, pfi)
    local list = {}
    for _, pfc in ipairs(subscribers.slots(ms_id) or {}) do
        if pfc.pfi == pfi and pfi >= PFI_LEAST then
            list[#list + 1] = pfc
        end
    end
    return list
end

-- The profile of the first flow with the PFI: flows that share a PFI are alike (23.060 clause 12.6.3).
local function profile_of(entry)
    return abqp.profile(flows_of(entry.ms_id, entry.pfi)[1])
end

-- The READY timer, 6 s at least, as a GPRS timer can say it (24.008 clause 10.5.7.3).
local function packet_flow_timer_s()
    local ready_ns = network.cfg.gb.ready_ns
    if not ready_ns or ready_ns == 0 then
        return TIMER_OFF_S
    end
    local s = math.max((ready_ns + 999999999) // 1000000000, 6)
    for _, unit in ipairs { 2, 60, 360 } do
        local units = (s + unit - 1) // unit
        if units <= 31 then
            return units * unit
        end
    end
    return TIMER_OFF_S
end

-- ---- Sending ----

local function send_create(entry, reply_on)
    local record = subscribers.of(entry.ms_id)
    local ms = record.ms
    entry.asked = abqp.encode(profile_of(entry))
    gb.send_ptp(entry.bvc, "bssgp_create_bss_pfc", {
        tlli = entry.tlli, imsi = ms.send_imsi and subscribers.imsi(entry.ms_id) or nil,
        pfi = entry.pfi, packet_flow_timer_s = packet_flow_timer_s(), abqp = entry.asked,
        ra_capability = ms.ra_capability and hex.octets(ms.ra_capability),
        priority = ms.priority, t10_s = ms.priority and T10_S or nil,
    }, reply_on)
end

local function send_delete(entry, reply_on)
    gb.send_ptp(entry.bvc, "bssgp_delete_bss_pfc", { tlli = entry.tlli, pfi = entry.pfi }, reply_on)
end

local SEND = { creating = send_create, deleting = send_delete }

local function name_of(entry)
    return ("packet flow %d of MS %s"):format(entry.pfi, subscribers.imsi(entry.ms_id))
end

local t7

local function guard(entry)
    timers.stop(entry.timer)
    entry.timer = timers.after(network.cfg.timers.t7_ns, t7, entry)
end

function t7(entry)
    if not entries.is_current(entry) or entry.state == "creating"
            and not flows_of(entry.ms_id, entry.pfi)[1] then
        return entries.drop(entry) -- the MS has left the cell, or lost the packet flow
    elseif entry.left == 0 then
        count.add("timeouts")
        log.info(("%s: the BSS does not answer within T7"):format(name_of(entry)))
        return entries.drop(entry)
    end
    entry.left = entry.left - 1
    count.add("retries")
    guard(entry)
    SEND[entry.state](entry)
end

local function begin(entry, event, bvc, tlli, reply_on)
    local before = entry.state
    if not entries.step(entry, event) then
        return "ignored"
    end
    entries.is_at(entry, bvc, tlli)
    if entry.state ~= before then
        entry.left = network.cfg.timers.t7_retries
    end
    guard(entry)
    SEND[entry.state](entry, reply_on)
    return "handled"
end

-- ---- From the BSS ----

-- handler(entry, bvc, pdu, nsvc, octets, nse) for PDUs about an MS. A request (asks) for an unknown MS
-- gets a STATUS; an answer without our request is ignored.
local function on(name, asks, handler)
    pdus.on(name, {
        on = "ptp", feature = "pfc",
        handler = function(nse, bvc, pdu, nsvc, octets)
            local ms_id = dp.ms_of(nse.id, pdu.tlli)
            if not ms_id and asks then
                return pdus.refuse(nse, bvc.bvci, "unknown_ms", octets, nsvc)
            end
            local entry = ms_id and (asks and entries.entry_of or entries.find)(ms_id, pdu.pfi)
            if not entry or not asks and entry.bvc ~= bvc then
                return "ignored"
            end
            return handler(entry, bvc, pdu, nsvc, octets, nse)
        end,
    })
end

-- DOWNLOAD-BSS-PFC is not answered if no context has the PFI (8a.1.1), or while the PFC is being
-- deleted.
on("bssgp_download_bss_pfc", true, function(entry, bvc, pdu, nsvc)
    if not flows_of(entry.ms_id, pdu.pfi)[1] then
        return "ignored"
    end
    return begin(entry, "download", bvc, pdu.tlli, nsvc)
end)

on("bssgp_create_bss_pfc_ack", false, function(entry, _, pdu)
    if not entries.step(entry, "ack") then
        return "ignored"
    end
    entry.granted, entry.cause = pdu.abqp, pdu.cause
    if pdu.abqp ~= entry.asked then
        log.info(("%s: the BSS grants another profile"):format(name_of(entry)))
    end
    return "handled"
end)

on("bssgp_create_bss_pfc_nack", false, function(entry, _, pdu)
    if not entries.step(entry, "nack") then
        return "ignored"
    end
    entry.granted, entry.cause = nil, pdu.cause
    log.info(("%s: refused by the BSS, cause 0x%02x"):format(name_of(entry), pdu.cause))
    return "handled"
end)

-- The ACK carries the BSS's profile, limited to ours (8a.2).
on("bssgp_modify_bss_pfc", true, function(entry, bvc, pdu, nsvc, octets, nse)
    local wanted = abqp.decode(pdu.abqp)
    if not wanted then
        return pdus.refuse(nse, bvc.bvci, "invalid_mandatory", octets, nsvc)
    elseif not flows_of(entry.ms_id, pdu.pfi)[1] then
        gb.send_ptp(bvc, "bssgp_delete_bss_pfc", { tlli = pdu.tlli, pfi = pdu.pfi }, nsvc)
        return "refused"
    end
    local creating = entry.state == "creating"
    if not entries.step(entry, "modify") then
        return "ignored"
    end
    entries.is_at(entry, bvc, pdu.tlli)
    if creating then
        guard(entry)
    end
    entry.granted = abqp.encode(abqp.bounded(wanted, profile_of(entry)))
    gb.send_ptp(bvc, "bssgp_modify_bss_pfc_ack", {
        tlli = pdu.tlli, pfi = pdu.pfi, packet_flow_timer_s = packet_flow_timer_s(),
        abqp = entry.granted,
    }, nsvc)
    return "handled"
end)

-- DELETE-BSS-PFC answers the request for an unknown PFC, without T7.
on("bssgp_delete_bss_pfc_req", true, function(entry, bvc, pdu, nsvc)
    if entry.state == "none" and not flows_of(entry.ms_id, pdu.pfi)[1] then
        gb.send_ptp(bvc, "bssgp_delete_bss_pfc", { tlli = pdu.tlli, pfi = pdu.pfi }, nsvc)
        return "handled"
    end
    entry.cause = pdu.cause
    return begin(entry, "delete_req", bvc, pdu.tlli, nsvc)
end)

on("bssgp_delete_bss_pfc_ack", false, function(entry)
    return entries.step(entry, "delete_ack") and "handled" or "ignored"
end)

-- ---- sluice ctl pfc ----

-- The PFIs of 4 and more of an MS, each once.
local function pfis_of(ms_id)
    local list, seen = {}, {}
    for _, pfc in ipairs(subscribers.slots(ms_id)) do
        if pfc.pfi and pfc.pfi >= PFI_LEAST and not seen[pfc.pfi] then
            seen[pfc.pfi], list[#list + 1] = true, pfc.pfi
        end
    end
    return list
end

local function rates(octets)
    local profile = octets and abqp.decode(octets)
    return profile and (" down %d bit/s"):format(profile.mbr_down_bit_per_s or 0) or ""
end

local function text_of(ms_id)
    local lines = {}
    for i, pfi in ipairs(pfis_of(ms_id)) do
        local entry = entries.find(ms_id, pfi)
        lines[i] = ("PFI %d: %s%s%s"):format(pfi, entry and entry.state or "none",
            entry and rates(entry.granted) or "",
            entry and entry.cause and (", cause 0x%02x"):format(entry.cause) or "")
    end
    return #lines > 0 and table.concat(lines, "\n") or "no PDP context of this MS has a PFI"
end

local VERBS = { create = "download", delete = "delete_req" }

local function has_pfc(bvc)
    return bvc and bvc.up and bvc.nse.features & features.bit.pfc ~= 0
end

local function ask(asked)
    local ms_id = subscribers.by_imsi(asked.imsi)
    if not ms_id then
        return
    end
    local bvc_id, tlli = dp.ms_cell(ms_id)
    local bvc = network.bvc[bvc_id]
    for _, pfi in ipairs(has_pfc(bvc) and pfis_of(ms_id) or {}) do
        begin(entries.entry_of(ms_id, pfi), asked.event, bvc, tlli)
    end
end

-- A job may be suspended, so a timer of 0 starts the procedure.
requests.on("pfc", function(words)
    local ms_id = words[2] and subscribers.by_imsi(words[2])
    if not ms_id or words[3] and not VERBS[words[3]] then
        return false, "unknown IMSI or action; " .. requests.usage "pfc"
    end
    local bvc_id = dp.ms_cell(ms_id)
    if words[3] and not has_pfc(network.bvc[bvc_id]) then
        return false, "the MS's cell is not up, or feature PFC is not in force at its BSS"
    elseif words[3] then
        timers.after(0, ask, { imsi = words[2], event = VERBS[words[3]] })
    end
    return true, text_of(ms_id)
end)
