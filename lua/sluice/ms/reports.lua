-- The BSS's reports about an MS (TS 48.018): RADIO-STATUS (7.3), RA-CAPABILITY-UPDATE (7.2),
-- LLC-DISCARDED (8.2.4).
local causes = require "sluice.core.causes"
local count = require "count"
local dp = require "dp"
local gb = require "sluice.core.gb"
local hex = require "sluice.base.hex"
local hints = require "sluice.core.hints"
local paging = require "sluice.ms.paging"
local pdus = require "sluice.bssgp.pdus"
local subscribers = require "sluice.subscribers.registry"
local suspended = require "sluice.ms.suspended"
local network = require "sluice.core.network"

-- ---- RADIO-STATUS ----

-- The local TLLI of a P-TMSI has its two first bits set (TS 23.003 2.6).
local LOCAL_TLLI = 0xc0000000

-- The id and cell of the MS that the PDU names; nil if the NSE has no such MS.
local function named(nse, pdu)
    local ms_id = pdu.imsi and subscribers.by_imsi(pdu.imsi)
        or pdu.tlli and dp.ms_of(nse.id, pdu.tlli)
        or pdu.tmsi and dp.ms_of(nse.id, pdu.tmsi | LOCAL_TLLI)
    local cell = ms_id and network.bvc[dp.ms_cell(ms_id)]
    if cell and cell.nse == nse then
        return ms_id, cell
    end
end

-- By radio cause (11.3.29). A lost MS goes to standby; after "cell reselection ordered" T3313 later.
-- "Cell reselection prepare" changes nothing. After "cell reselection failure" the MS is still in its
-- cell.
local on_radio = {
    [causes.radio.contact_lost] = paging.lose,
    [causes.radio.link_insufficient] = paging.lose,
    [causes.radio.reselection_ordered] = paging.later,
    [causes.radio.reselection_failure] = function(ms_id)
        paging.stop(ms_id)
        dp.ms_release { ms_id = ms_id }
    end,
}

-- A RADIO-STATUS on a cell that the MS has left is late and ignored, also one for a suspended MS, which
-- RESUME or a frame ends.
pdus.on("bssgp_radio_status", {
    on = "ptp",
    handler = function(nse, bvc, pdu, nsvc, octets)
        local ms_id, cell = named(nse, pdu)
        if not ms_id then
            return pdus.refuse(nse, bvc.bvci, "unknown_ms", octets, nsvc)
        end
        local act = on_radio[pdu.cause]
        if not act or cell ~= bvc or suspended.of(ms_id) then
            return "ignored"
        end
        act(ms_id)
        return "handled"
    end,
})

-- ---- RA-CAPABILITY-UPDATE ----

-- The capability is present with cause "OK" only (10.3.4).
local function capabilities(pdu, ms_id)
    local record = ms_id and subscribers.of(ms_id)
    local digits = record and record.ms.ra_capability
    local capability = digits and hex.octets(digits)
    return {
        tlli = pdu.tlli, tag = pdu.tag, imsi = record and subscribers.imsi(ms_id),
        cause = causes.ra_update[not record and "tlli_unknown"
            or capability and "ok" or "no_capabilities"],
        ra_capability = capability,
    }
end

pdus.on("bssgp_ra_capability_update", {
    on = "ptp",
    handler = function(nse, bvc, pdu, nsvc)
        local answer = capabilities(pdu, dp.ms_of(nse.id, pdu.tlli))
        gb.send_ptp(bvc, "bssgp_ra_capability_update_ack", answer, nsvc)
        return answer.cause == causes.ra_update.ok and "handled" or "refused"
    end,
})

-- ---- LLC-DISCARDED ----

-- Takes discarded octets out of the buckets again; a bucket's level does not go below 0. If the MS has
-- left the cell, only the cell's bucket is credited.
local function credit(ms_id, bvc, pdu)
    dp.bvc_credit { bvc_id = bvc.id, octets = pdu.octets, discarded = pdu.frames }
    if dp.ms_cell(ms_id) ~= bvc.id then
        return
    end
    dp.ms_credit { ms_id = ms_id, octets = pdu.octets, discarded = pdu.frames }
    local slot = pdu.pfi and subscribers.slots_of(ms_id, pdu.pfi)[1] -- slots of a PFI share one bucket
    if slot then
        dp.pfc_credit { ms_id = ms_id, slot = slot, octets = pdu.octets }
    end
end

-- The BSS has discarded PDUs, most often after their lifetime: its queue is too long, or the MS does not
-- answer. That is for the worker to tell, which knows what it has sent and when the MS was heard.
pdus.on("bssgp_llc_discarded", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc, octets)
        local bvc, ms_id = nse.bvcs[pdu.bvci], dp.ms_of(nse.id, pdu.tlli)
        if not bvc then
            return pdus.refuse(nse, 0, "bvci_unknown", octets, nsvc, pdu.bvci)
        elseif not ms_id then
            return pdus.refuse(nse, 0, "unknown_ms", octets, nsvc)
        end
        credit(ms_id, bvc, pdu)
        count.add("discarded_frames", pdu.frames)
        count.add("discarded_octets", pdu.octets)
        hints.discards(bvc, pdu.frames, pdu.octets, subscribers.imsi(ms_id))
        return "handled"
    end,
})
