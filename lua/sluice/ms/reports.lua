-- What the BSS tells of an MS (TS 48.018): RADIO-STATUS (7.3), RA-CAPABILITY-UPDATE (7.2),
-- LLC-DISCARDED (8.2.4).
local causes = require "sluice.core.causes"
local count = require "count"
local dp = require "dp"
local gb = require "sluice.core.gb"
local hex = require "sluice.base.hex"
local log = require "log"
local paging = require "sluice.ms.paging"
local pdus = require "sluice.bssgp.pdus"
local subscribers = require "sluice.subscribers.registry"
local suspended = require "sluice.ms.suspended"
local world = require "sluice.core.world"

-- ---- RADIO-STATUS ----

-- A P-TMSI is the TLLI that is made of it (TS 23.003 2.6).
local LOCAL_TLLI = 0xc0000000

-- Its id and cell; nil: no MS of that NSE.
local function named(nse, pdu)
    local ms_id = pdu.imsi and subscribers.by_imsi(pdu.imsi)
        or pdu.tlli and dp.ms_of(nse.id, pdu.tlli)
        or pdu.tmsi and dp.ms_of(nse.id, pdu.tmsi | LOCAL_TLLI)
    local cell = ms_id and world.bvc[dp.ms_cell(ms_id)]
    if cell and cell.nse == nse then
        return ms_id, cell
    end
end

-- By radio cause (11.3.29). Whoever is lost is held until heard, and paged when something waits; after
-- a reselection only when there was time for one. "Prepare" announces, no more; after a failure it is
-- where it was.
local on_radio = {
    [causes.radio.contact_lost] = paging.lose,
    [causes.radio.link_insufficient] = paging.lose,
    [causes.radio.reselection_ordered] = paging.later,
    [causes.radio.reselection_failure] = function(ms_id)
        paging.stop(ms_id)
        dp.ms_release { ms_id = ms_id }
    end,
}

-- What is told of a cell that the MS has left is no longer so. A call's end is told otherwise.
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

-- Capabilities go with cause "ok" and no other (10.3.4).
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

-- A bucket does not go below empty, so nobody is credited more than was charged. Of an MS that has
-- left the cell, only the cell's own bucket has anything to do with it.
local function credit(ms_id, bvc, pdu)
    dp.bvc_credit { bvc_id = bvc.id, octets = pdu.octets }
    if dp.ms_cell(ms_id) ~= bvc.id then
        return
    end
    dp.ms_credit { ms_id = ms_id, octets = pdu.octets }
    local slot = pdu.pfi and subscribers.slots_of(ms_id, pdu.pfi)[1] -- they share one bucket
    if slot then
        dp.pfc_credit { ms_id = ms_id, slot = slot, octets = pdu.octets }
    end
end

-- What lay in the BSS for longer than its lifetime is a queue that was too long there.
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
        log.warn(("LLC PDUs discarded by the BSS: %d of %d octets, NSE %d, BVCI %d, IMSI %s")
            :format(pdu.frames, pdu.octets, nse.nsei, bvc.bvci, subscribers.imsi(ms_id)))
        return "handled"
    end,
})
