-- What the BSS tells of an MS (TS 48.018): RADIO-STATUS (7.3), RA-CAPABILITY-UPDATE (7.2),
-- LLC-DISCARDED (8.2.4), and the face of what else goes on with MSs: suspend.lua, paging.lua,
-- roam.lua, flush.lua. State is kept only of those with whom something is going on, by ms_id.
local bssgp = require "sluice.bssgp.bssgp"
local causes = require "sluice.core.causes"
local count = require "count"
local dp = require "dp"
local flush = require "sluice.ms.flush"
local gb = require "sluice.core.gb"
local hex = require "sluice.base.hex"
local log = require "log"
local paging = require "sluice.ms.paging"
local roam = require "sluice.ms.roam"
local subscribers = require "sluice.subscribers.registry"
local suspend = require "sluice.ms.suspend"
local world = require "sluice.core.world"

local ms = {}

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
bssgp.on("bssgp_radio_status", {
    on = "ptp",
    handler = function(nse, bvc, pdu, nsvc, octets)
        local ms_id, cell = named(nse, pdu)
        if not ms_id then
            return bssgp.refuse(nse, bvc.bvci, "unknown_ms", octets, nsvc)
        end
        local act = on_radio[pdu.cause]
        if not act or cell ~= bvc or suspend.is_suspended(ms_id) then
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

bssgp.on("bssgp_ra_capability_update", {
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
    local slot = pdu.pfi and subscribers.slots_of(ms_id, pdu.pfi)[1] -- one bucket, whatever slots it has
    if slot then
        dp.pfc_credit { ms_id = ms_id, slot = slot, octets = pdu.octets }
    end
end

-- What lay in the BSS for longer than its lifetime is a queue that was too long there.
bssgp.on("bssgp_llc_discarded", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc, octets)
        local bvc, ms_id = nse.bvcs[pdu.bvci], dp.ms_of(nse.id, pdu.tlli)
        if not bvc then
            return bssgp.refuse(nse, 0, "bvci_unknown", octets, nsvc, pdu.bvci)
        elseif not ms_id then
            return bssgp.refuse(nse, 0, "unknown_ms", octets, nsvc)
        end
        credit(ms_id, bvc, pdu)
        count.add("discarded_frames", pdu.frames)
        count.add("discarded_octets", pdu.octets)
        log.warn(("LLC PDUs discarded by the BSS: %d of %d octets, NSE %d, BVCI %d, IMSI %s")
            :format(pdu.frames, pdu.octets, nse.nsei, bvc.bvci, subscribers.imsi(ms_id)))
        return "handled"
    end,
})

-- ---- What others tell ----

-- Event: the path has moved it, within its NSE.
function ms.moved(ms_id, old_bvc_id, new_bvc_id)
    local outcome = roam.moved(ms_id, old_bvc_id, new_bvc_id)
    require "sluice.llc.frames".seen(ms_id)
    return outcome
end

-- It need not be paged any more.
local function answered(ms_id)
    local _, claimed = paging.stop(ms_id)
    if claimed then
        roam.answered(ms_id, claimed)
    end
end

-- Event: a good frame of its user data has ended the hold, or was listened for.
function ms.heard(ms_id)
    answered(ms_id)
    suspend.heard(ms_id)
    require "sluice.llc.frames".seen(ms_id)
    return "handled"
end

-- A frame of it that was control's, with a good FCS, in that cell.
function ms.heard_by_control(ms_id, bvc)
    if not bvc or roam.claim(ms_id, bvc) then
        answered(ms_id)
        suspend.forget(ms_id)
        dp.ms_release { ms_id = ms_id }
    end
end

-- UL-UNITDATA of a TLLI that the NSE does not know.
function ms.unknown(nse, bvc, tlli, llc)
    local ms_id = roam.unknown(nse, bvc, tlli, llc)
    if not ms_id then
        return "ignored"
    end
    ms.heard_by_control(ms_id)
    return "handled"
end

function ms.bvc_reset(bvc)
    flush.bvc_reset(bvc)
    suspend.bvc_reset(bvc)
end

-- It has been removed.
function ms.forget(ms_id)
    paging.stop(ms_id)
    suspend.forget(ms_id)
    flush.forget(ms_id)
end

subscribers.watch("removed", ms.forget)
subscribers.watch("moved", ms.moved)

return ms
