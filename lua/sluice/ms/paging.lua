-- PAGING-PS (TS 48.018 7.1 and 10.3.1; TS 24.008 4.7.9): an MS is asked to show itself: first in its
-- last cell, again in the whole routeing area, T3313 apart. Why it is paged decides what becomes of it:
--   standby  (READY has run out, or RADIO-STATUS said that it is lost, and something waits) its queue is
--            held until it is heard; if it does not answer, what waits is dropped, and it stays in
--            standby: its next packet pages again;
--   claimed  (roam.lua) nothing is held, for it may be somebody else's word: control listens for it.
--            Its cell alone is paged, if its silence there is what is asked for.
--
-- There is an entry only while an MS is being paged, or is not yet to be. Of those that BSSs have named
-- there are ENTRIES_MAX at most, and an NSE has no more than are free behind it, so that there is room
-- for another's; one more goes on as it was. Who is in standby is held by the entry, too, for it may
-- have been released since the worker asked for the page; so what is dropped in the end was never free
-- to go.
local areas = require "sluice.bssgp.areas"
local board = require "sluice.core.board"
local count = require "count"
local dp = require "dp"
local gb = require "sluice.core.gb"
local log = require "log"
local requests = require "sluice.core.requests"
local subscribers = require "sluice.subscribers.registry"
local suspended = require "sluice.ms.suspended"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local paging = {}

local ENTRIES_MAX = 20000

-- By ms_id: { ms_id, why, nse (that has named it; it counts them), attempt (0: not yet), timer, wanted
-- (a packet waits, too), claim = { bvc, silent (whom to tell if its old cell's silence decides) } }. And
-- of whom the BSS has said that it is lost: true.
local entries, n, lost = {}, 0, {}

-- Best effort, and data: what waits is no signalling (11.3.28).
local QOS = {
    peak_bit_per_s = 0, not_ack = true, user_data = true, rlc_unack = false, precedence = 1,
}

-- ---- One PAGING-PS ----

-- A TLLI of the MS's own P-TMSI is that P-TMSI (TS 23.003 2.6). Without it the page is by the IMSI,
-- upon which an MS attaches anew (24.008 4.7.9.1.2).
local LOCAL = 3

local function page_of(ms_id, tlli)
    local record = subscribers.of(ms_id)
    return {
        imsi = subscribers.imsi(ms_id), drx = record.ms.drx, qos = QOS,
        p_tmsi = tlli >> 30 == LOCAL and tlli or nil,
    }
end

local function rai_of(cell)
    return {
        mcc = cell.mcc, mnc = cell.mnc, mnc_digits = cell.mnc_digits, lac = cell.lac,
        rac = cell.rac,
    }
end

-- All NSEs that have cells of the area.
local function send_wide(bvc, page)
    page.routeing_area = rai_of(bvc.cell)
    for _, nse in ipairs(areas.nses(areas.of(bvc.cell))) do
        if nse == bvc.nse or nse.signalling.up then
            gb.send_signalling(nse, "bssgp_paging_ps", page)
        end
    end
end

local function send(ms_id, wide)
    local bvc_id, tlli = dp.ms_cell(ms_id)
    local bvc = world.bvc[bvc_id]
    if not bvc then
        return false
    end
    local page = page_of(ms_id, tlli)
    if wide and bvc.cell then
        send_wide(bvc, page)
        return true
    end
    page.bvci = bvc.bvci
    return gb.send_signalling(bvc.nse, "bssgp_paging_ps", page)
end

-- ---- The procedure ----

local function is_suspended(ms_id)
    return suspended.of(ms_id) ~= nil
end

-- In the live view, while there is such an MS.
function paging.show(ms_id)
    if dp.ms_cell(ms_id) then
        board.ms {
            ms_id = ms_id, imsi = subscribers.imsi(ms_id),
            state = is_suspended(ms_id) and "suspended" or paging.is_on(ms_id) and "paged" or "up",
        }
    end
end

local function end_of(entry)
    timers.stop(entry.timer)
    entries[entry.ms_id], n = nil, n - 1
    if entry.nse then
        entry.nse.named = entry.nse.named - 1
    end
    paging.show(entry.ms_id)
end

-- Whom nobody has heard in its old cell is where it was claimed to be.
local function is_there_now(entry)
    local claim = entry.claim
    return claim and claim.silent and claim.silent(entry.ms_id, claim.bvc)
end

local function give_up(entry)
    count.add("timeouts")
    log.info("no answer to the paging of IMSI " .. subscribers.imsi(entry.ms_id))
    if not is_there_now(entry) and (entry.why == "standby" or entry.wanted) then
        dp.ms_flush { ms_id = entry.ms_id }
    end
end

local attempt

-- Who is in standby has been silent for long, so one page without an answer is enough for a claim.
local function again(entry)
    if entry.attempt > world.cfg.timers.t3313_retries or entry.why == "standby" and entry.claim then
        end_of(entry)
        give_up(entry)
    else
        attempt(entry)
    end
end

function attempt(entry)
    entry.attempt = entry.attempt + 1
    count.add(entry.attempt == 1 and "pages" or "retries")
    entry.timer = timers.after(world.cfg.timers.t3313_ns, again, entry)
    paging.show(entry.ms_id)
    local claim = entry.why == "claimed" and entry.claim
    send(entry.ms_id, claim and not claim.silent or not claim and entry.attempt > 1)
end

-- Nil: it has gone, or there is no room; an NSE may name as many MSs as it likes, but for an MS in
-- standby, which none has named, something has come, which is bounded by the queue.
local function new(ms_id, why, nse)
    if not dp.ms_cell(ms_id) or nse and (nse.named or 0) >= ENTRIES_MAX - n then
        return nil
    end
    local entry = { ms_id = ms_id, why = why, nse = nse, attempt = 0 }
    entries[ms_id], n = entry, n + 1
    if nse then
        nse.named = (nse.named or 0) + 1
    end
    return entry
end

-- Event `page`: something is queued for an MS in standby, and held. One that is suspended is not
-- paged (TS 23.060 16.2.1).
function paging.wanted(ms_id)
    local entry = entries[ms_id]
    if is_suspended(ms_id) or not dp.ms_cell(ms_id) then
        return "ignored"
    elseif entry then
        entry.wanted = true
        return "ignored"
    end
    dp.ms_freeze { ms_id = ms_id, until_heard = true }
    attempt(new(ms_id, "standby"))
    return "handled"
end

-- Its BSS says that it is not there any more: nothing goes to it until it is heard, and it is paged
-- when something waits. Who has been claimed meanwhile is where it was claimed to be.
function paging.lose(ms_id)
    local entry = entries[ms_id]
    if not dp.ms_cell(ms_id) then
        return
    end
    lost[ms_id] = true
    if entry and entry.why ~= "standby" then
        end_of(entry)
    end
    if not entry or not is_there_now(entry) then
        dp.ms_standby { ms_id = ms_id }
    end
end

local function lose_now(entry)
    local wanted = entry.wanted
    paging.lose(entry.ms_id)
    if wanted then
        paging.wanted(entry.ms_id)
    end
end

-- It has been told to go to another cell, so nothing is asked of it before T3313 has passed.
function paging.later(ms_id)
    local entry = entries[ms_id]
    if entry and entry.why == "claimed" then
        return paging.lose(ms_id)
    end
    local bvc = world.bvc[dp.ms_cell(ms_id)]
    entry = not entry and bvc and new(ms_id, "ordered", bvc.nse)
    if entry then
        lost[ms_id] = true
        dp.ms_freeze { ms_id = ms_id, until_heard = true }
        entry.timer = timers.after(world.cfg.timers.t3313_ns, lose_now, entry)
    end
end

-- Somebody says that he is that MS, in another cell: it is paged, and goes on as it was meanwhile. What
-- is said of one that is being paged already counts when it has not answered. silent(ms_id, bvc): it is
-- paged in its own cell alone, and this is called if it has not been heard there; true: so it is in the
-- other now. False: there is no room.
function paging.claimed(ms_id, bvc, silent)
    local entry = entries[ms_id] or new(ms_id, "claimed", bvc.nse)
    if not entry then
        return false
    end
    entry.claim = { bvc = bvc, silent = silent }
    if entry.attempt == 0 and entry.why == "claimed" then
        dp.ms_listen { ms_id = ms_id }
        attempt(entry)
    end
    return true
end

-- It has been heard, or is no more, or there are others to ask it. Returns what `paging.resume` wants,
-- and the cell that it was claimed to be in; nil: it was not paged.
function paging.stop(ms_id)
    local entry = entries[ms_id]
    local was = lost[ms_id] and "lost" or entry and entry.why
    lost[ms_id] = nil
    if entry then
        end_of(entry)
    end
    return was, entry and entry.claim and entry.claim.bvc
end

subscribers.watch("removed", paging.stop)

-- After a call: where it is was not known before that, either.
function paging.resume(ms_id, was)
    if was == "lost" then
        paging.lose(ms_id)
    elseif was == "standby" then
        paging.wanted(ms_id)
    end
end

-- A page has gone out, so an answer is expected.
function paging.is_on(ms_id)
    return entries[ms_id] ~= nil and entries[ms_id].attempt > 0
end

-- Its cell does not have it: its BSS has said so, or it is in standby and has not answered there.
function paging.is_gone(ms_id)
    local entry = entries[ms_id]
    return lost[ms_id] or entry ~= nil and entry.why == "standby" and entry.attempt > 1
end

-- How many are being paged; for tests.
function paging.count()
    return n
end

-- One page, beside the procedure, which neither holds nor flushes anything.
requests.on("page", "page IMSI", function(words)
    local ms_id = words[2] and subscribers.by_imsi(words[2])
    if not ms_id then
        return false, "there is no MS of that IMSI"
    end
    if not send(ms_id, false) then
        return false, "not paged: it is in no cell, or no NS-VC of its NSE is up"
    end
    return true, "paged in its last cell"
end)

return paging
