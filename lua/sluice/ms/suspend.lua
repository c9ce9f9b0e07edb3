-- SUSPEND and RESUME (TS 48.018 7.4, 7.5; TS 23.060 16.2.1): while an MS is in a call its queue is
-- frozen and it is not paged. Both are answered alike when they are repeated: a suspended MS keeps
-- its suspend reference number, and one that is not suspended has been resumed, whatever the
-- number. So nothing is remembered of an MS beyond its suspension.
--
-- It ends by RESUME with its number; by BVC-RESET of its cell, for the BSS knows nothing of it any
-- more; and by any good uplink frame, as by the routeing area update that 23.060 has an MS send
-- whom the BSS has not resumed. So the hold is the one that ends when the MS is heard.
local bssgp = require "sluice.bssgp.bssgp"
local causes = require "sluice.core.causes"
local dp = require "dp"
local gb = require "sluice.core.gb"
local paging = require "sluice.ms.paging"
local world = require "sluice.core.world"

local suspend = {}

-- By ms_id: { ms_id, reference, bvc, place, paged }; each cell has a list of its own, `place` is in
-- it.
local suspended, n = {}, 0
local references = 0

local function join(entry, bvc)
    bvc.suspended = bvc.suspended or {}
    entry.bvc, entry.place = bvc, #bvc.suspended + 1
    bvc.suspended[entry.place] = entry
end

-- The last of the list takes its place.
local function leave(entry)
    local list = entry.bvc.suspended
    local last = list[#list]
    list[entry.place], last.place = last, entry.place
    list[#list] = nil
end

local function begin(ms_id, bvc)
    dp.ms_freeze { ms_id = ms_id, until_heard = true }
    references = (references + 1) % 256
    local entry = { ms_id = ms_id, reference = references, paged = (paging.stop(ms_id)) }
    suspended[ms_id], n = entry, n + 1
    join(entry, bvc)
    paging.show(ms_id)
    return entry
end

local function forget(entry)
    leave(entry)
    suspended[entry.ms_id], n = nil, n - 1
    paging.show(entry.ms_id)
end

local function resume(entry)
    forget(entry)
    dp.ms_release { ms_id = entry.ms_id }
end

function suspend.is_suspended(ms_id)
    return suspended[ms_id] ~= nil
end

-- For tests.
function suspend.count()
    return n
end

-- ---- From elsewhere ----

-- Something good has come from it.
function suspend.heard(ms_id)
    if suspended[ms_id] then
        resume(suspended[ms_id])
    end
end

function suspend.moved(ms_id, bvc)
    local entry = suspended[ms_id]
    if entry then
        leave(entry)
        join(entry, bvc)
    end
end

function suspend.forget(ms_id)
    if suspended[ms_id] then
        forget(suspended[ms_id])
    end
end

function suspend.bvc_reset(bvc)
    local list = bvc.suspended or {}
    while list[1] do
        resume(list[#list])
    end
end

-- ---- PDUs ----

local function answer(nse, name, pdu, nsvc, more)
    local reply = more or {}
    reply.tlli, reply.routeing_area = pdu.tlli, pdu.routeing_area
    gb.send_signalling(nse, name, reply, nsvc)
    return reply.cause and "refused" or "handled"
end

bssgp.on("bssgp_suspend", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc)
        local ms_id = dp.ms_of(nse.id, pdu.tlli)
        local bvc = ms_id and world.bvc[dp.ms_cell(ms_id)]
        if not bvc then
            return answer(nse, "bssgp_suspend_nack", pdu, nsvc, { cause = causes.bssgp.unknown_ms })
        end
        local entry = suspended[ms_id] or begin(ms_id, bvc)
        return answer(nse, "bssgp_suspend_ack", pdu, nsvc, { suspend_reference = entry.reference })
    end,
})

bssgp.on("bssgp_resume", {
    on = "signalling",
    handler = function(nse, _, pdu, nsvc)
        local ms_id = dp.ms_of(nse.id, pdu.tlli)
        local entry = suspended[ms_id or -1]
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
