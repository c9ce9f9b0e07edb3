-- SUSPEND and RESUME (TS 48.018 7.4, 7.5; TS 23.060 16.2.1): while an MS is in a call, its queue is
-- frozen and the MS is not paged. A repeated PDU gets the same answer: a suspended MS keeps its suspend
-- reference number, and RESUME of an MS that is not suspended succeeds with any number. So an MS has
-- state here only while it is suspended.
--
-- A suspension ends by RESUME with its number; by BVC-RESET of the cell, since the BSS has forgotten
-- the suspension; and by any good uplink frame, such as the routeing area update that TS 23.060
-- requires of an MS that the BSS could not resume.
local causes = require "sluice.core.causes"
local contest = require "sluice.ms.contest"
local dp = require "dp"
local gb = require "sluice.core.gb"
local paging = require "sluice.ms.paging"
local pdus = require "sluice.bssgp.pdus"
local subscribers = require "sluice.subscribers.registry"
local suspended = require "sluice.ms.suspended"
local network = require "sluice.core.network"

local suspend = {}

local references = 0

local function begin(ms_id, bvc)
    contest.suspended(ms_id)
    dp.ms_freeze { ms_id = ms_id, until_heard = true }
    references = (references + 1) % 256
    local entry = { ms_id = ms_id, reference = references, paged = paging.stop(ms_id) }
    suspended.add(entry, bvc)
    paging.show(ms_id)
    return entry
end

local function forget(entry)
    suspended.remove(entry)
    paging.show(entry.ms_id)
end

local function resume(entry)
    forget(entry)
    dp.ms_release { ms_id = entry.ms_id }
end

-- ---- Ends without RESUME ----

-- A good uplink frame has come from the MS.
function suspend.heard(ms_id)
    local entry = suspended.of(ms_id)
    if entry then
        resume(entry)
    end
end

function suspend.forget(ms_id)
    local entry = suspended.of(ms_id)
    if entry then
        forget(entry)
    end
end

subscribers.watch("removed", suspend.forget)

network.watch("bvc_reset", function(bvc)
    local entry = suspended.last_of(bvc)
    while entry do
        resume(entry)
        entry = suspended.last_of(bvc)
    end
end)

-- ---- PDUs ----

local function answer(nse, name, pdu, nsvc, more)
    local reply = more or {}
    reply.tlli, reply.routeing_area = pdu.tlli, pdu.routeing_area
    gb.send_signalling(nse, name, reply, nsvc)
    return reply.cause and "refused" or "handled"
end

pdus.on("bssgp_suspend", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc)
        local ms_id = dp.ms_of(nse.id, pdu.tlli)
        local bvc = ms_id and network.bvc[dp.ms_cell(ms_id)]
        if not bvc then
            return answer(nse, "bssgp_suspend_nack", pdu, nsvc, { cause = causes.bssgp.unknown_ms })
        end
        local entry = suspended.of(ms_id) or begin(ms_id, bvc)
        return answer(nse, "bssgp_suspend_ack", pdu, nsvc, { suspend_reference = entry.reference })
    end,
})

pdus.on("bssgp_resume", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc)
        local ms_id = dp.ms_of(nse.id, pdu.tlli)
        local entry = suspended.of(ms_id or -1)
        local cause = not ms_id and "unknown_ms"
            or entry and entry.reference ~= pdu.suspend_reference and "semantically_incorrect"
        if cause then
            return answer(nse, "bssgp_resume_nack", pdu, nsvc, { cause = causes.bssgp[cause] })
        end
        if entry then
            resume(entry)
            paging.resume(ms_id, entry.paged)
        end
        return answer(nse, "bssgp_resume_ack", pdu, nsvc)
    end,
})

return suspend
