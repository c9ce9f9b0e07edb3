-- PAGING-PS (TS 48.018 7.1 and 10.3.1; TS 24.008 4.7.9): an MS whose queue is held until it is
-- heard is asked to show itself: first in its last cell, again in the whole routeing area, T3313
-- apart. Why it is paged decides what becomes of it if it does not answer:
--   standby  what is queued is dropped, and it stays in standby: its next packet pages again;
--   lost     (RADIO-STATUS) the same, but the hold ends: the BSS will say if it is still lost;
--   claimed  (roam.lua) nothing is dropped, for it may have been somebody else's word.
--
-- There is an entry only while an MS is being paged. Of those that a BSS has named there are
-- ENTRIES_MAX at most; one more goes on as it was. Its queue is held by the entry, too, for it may
-- have been released since the worker asked for the page; so what is dropped in the end was never
-- free to go.
local board = require "sluice.board"
local count = require "count"
local dp = require "dp"
local gb = require "sluice.gb"
local log = require "log"
local requests = require "sluice.requests"
local subscribers = require "sluice.subscribers"
local timers = require "sluice.timers"
local world = require "sluice.world"

local paging = {}

local ENTRIES_MAX = 10000

-- By ms_id: { ms_id, why, attempt (0: not yet), timer }
local entries, n = {}, 0

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

-- A routeing area as a number; nil: the cell has not said.
local function area_of(cell)
    return cell and (((cell.mcc << 10 | cell.mnc) << 2 | cell.mnc_digits) << 16 | cell.lac) << 8
        | cell.rac
end

-- Whether two cell identifiers are of one routeing area; nil: one of them is unknown.
function paging.same_area(a, b)
    if not a or not b then
        return nil
    end
    return area_of(a) == area_of(b)
end

local function find(nse, area)
    for _, bvc in ipairs(nse.bvc_list) do
        if area_of(bvc.cell) == area then
            return true
        end
    end
    return false
end

-- An NSE may have thousands of cells, so it is remembered until one of them is reset; but not of
-- more areas than a BSS has, for another BSS may name as many as it likes.
local AREAS_MOST = 64

local function is_in(nse, area)
    if not nse.areas or nse.areas_known == AREAS_MOST then
        nse.areas, nse.areas_known = {}, 0
    end
    if nse.areas[area] == nil then
        nse.areas[area], nse.areas_known = find(nse, area), nse.areas_known + 1
    end
    return nse.areas[area]
end

-- A cell may say another area from now on.
function paging.bvc_reset(bvc)
    bvc.nse.areas = nil
end

-- All NSEs that have cells of the area.
local function send_wide(bvc, page)
    local area = area_of(bvc.cell)
    page.routeing_area = rai_of(bvc.cell)
    for _, nse in ipairs(world.nses) do
        if nse == bvc.nse or nse.signalling.up and is_in(nse, area) then
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
    return require "sluice.suspend".is_suspended(ms_id)
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
    paging.show(entry.ms_id)
end

local function give_up(ms_id, why)
    count.add("timeouts")
    log.info("no answer to the paging of IMSI " .. subscribers.imsi(ms_id))
    if why ~= "claimed" then
        dp.ms_flush { ms_id = ms_id }
    end
    if why ~= "standby" and not is_suspended(ms_id) then
        dp.ms_release { ms_id = ms_id }
    end
end

local attempt

local function again(entry)
    if entry.attempt > world.cfg.timers.t3313_retries then
        end_of(entry)
        give_up(entry.ms_id, entry.why)
    else
        attempt(entry)
    end
end

function attempt(entry)
    entry.attempt = entry.attempt + 1
    count.add(entry.attempt == 1 and "pages" or "retries")
    entry.timer = timers.after(world.cfg.timers.t3313_ns, again, entry)
    paging.show(entry.ms_id)
    send(entry.ms_id, entry.why == "claimed" or entry.attempt > 1)
end

-- It is held from now on. Nil: it has gone, or there is no room; the BSS may name as many MSs as it
-- likes, but for an MS in standby something has come, which is bounded by the queue.
local function new(ms_id, why)
    if not dp.ms_cell(ms_id) or why ~= "standby" and n >= ENTRIES_MAX then
        return nil
    end
    dp.ms_freeze { ms_id = ms_id, until_heard = true }
    local entry = { ms_id = ms_id, why = why, attempt = 0 }
    entries[ms_id], n = entry, n + 1
    return entry
end

-- Who is being paged already goes on being paged.
function paging.start(ms_id, why)
    if not paging.is_on(ms_id) then
        paging.stop(ms_id)
        local entry = new(ms_id, why)
        if entry then
            attempt(entry)
        end
    end
end

-- It has been told to go to another cell, so nothing is asked of it before T3313 has passed.
function paging.later(ms_id)
    local entry = not entries[ms_id] and new(ms_id, "lost")
    if entry then
        entry.timer = timers.after(world.cfg.timers.t3313_ns, again, entry)
    end
end

-- It has been heard, or is no more. Why it was being paged; nil: it was not.
function paging.stop(ms_id)
    local entry = entries[ms_id]
    if entry then
        end_of(entry)
    end
    return entry and entry.why
end

-- A page has gone out, so an answer is expected.
function paging.is_on(ms_id)
    return entries[ms_id] ~= nil and entries[ms_id].attempt > 0
end

-- Event `page`: something is queued for an MS in standby, and held. One that is suspended is not
-- paged (TS 23.060 16.2.1).
function paging.wanted(ms_id)
    if is_suspended(ms_id) or entries[ms_id] or not dp.ms_cell(ms_id) then
        return "ignored"
    end
    paging.start(ms_id, "standby")
    return "handled"
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
