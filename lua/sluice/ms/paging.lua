-- PAGING-PS (TS 48.018 7.1 and 10.3.1; TS 24.008 4.7.9): pages an MS first in its last cell, then in
-- the whole routeing area, T3313 apart. The reason of the page decides what follows:
--   standby  (the READY timer has expired, RADIO-STATUS reported the MS lost, or the worker has seen that
--            the BSS discards all, and a packet waits) the MS's queue is held until the MS is heard.
--            Without an answer the queue is dropped and the MS stays in standby: the next packet pages
--            again.
--   ordered  (RADIO-STATUS: cell reselection ordered) the page starts T3313 later.
--
-- An MS has an entry only while it is paged or a page is scheduled. BSSs can cause at most ENTRIES_MAX
-- entries, and one NSE at most as many as remain free, so that other NSEs find room; beyond that an order
-- is ignored. The entry of an MS in standby holds the MS's queue itself, since the MS may have
-- been released after the worker asked for the page; so the dropped packets were never free to go.
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
local network = require "sluice.core.network"

local paging = {}

local ENTRIES_MAX = 20000

-- entries: by ms_id { ms_id, why, nse (the NSE that caused the entry; nse.named counts such entries),
-- attempt (0: not paged yet), timer, wanted (a packet waits) }. lost: by ms_id true, after RADIO-STATUS
-- reported the MS lost.
local entries, n, lost = {}, 0, {}

-- QoS profile: best effort, user data (11.3.28).
local QOS = {
    peak_bit_per_s = 0, not_ack = true, user_data = true, rlc_unack = false, precedence = 1,
}

-- ---- One PAGING-PS ----

-- A local TLLI equals the P-TMSI (TS 23.003 2.6). Without a P-TMSI the page has the IMSI, after which
-- an MS attaches again (24.008 4.7.9.1.2).
local LOCAL = 3

-- By ms_id a list of P-TMSIs, any of which the MS may have; nil: of an MS of the file.
local p_tmsis_of

-- fn(ms_id) -> that list.
function paging.by(fn)
    p_tmsis_of = fn
end

local function page_of(ms_id, p_tmsi)
    local record = subscribers.of(ms_id)
    return { imsi = subscribers.imsi(ms_id), drx = record.ms.drx, qos = QOS, p_tmsi = p_tmsi }
end

local function pages_of(ms_id, tlli)
    local p_tmsis, pages = p_tmsis_of and p_tmsis_of(ms_id), {}
    for i, p_tmsi in ipairs(p_tmsis or {}) do
        pages[i] = page_of(ms_id, p_tmsi)
    end
    return p_tmsis and pages or { page_of(ms_id, tlli >> 30 == LOCAL and tlli or nil) }
end

local function rai_of(cell)
    return {
        mcc = cell.mcc, mnc = cell.mnc, mnc_digits = cell.mnc_digits, lac = cell.lac,
        rac = cell.rac,
    }
end

-- Pages in all NSEs with cells in the routeing area.
local function send_wide(bvc, page)
    page.routeing_area = rai_of(bvc.cell)
    for _, nse in ipairs(areas.nses(areas.of(bvc.cell))) do
        if nse == bvc.nse or nse.signalling.up then
            gb.send_signalling(nse, "bssgp_paging_ps", page)
        end
    end
end

-- Pages the MS once in that cell, which need not be its own.
function paging.page(ms_id, bvc)
    local _, tlli = dp.ms_cell(ms_id)
    local is_sent
    for _, page in ipairs(pages_of(ms_id, tlli)) do
        page.bvci = bvc.bvci
        is_sent = gb.send_signalling(bvc.nse, "bssgp_paging_ps", page)
    end
    return is_sent
end

local function send(ms_id, wide)
    local bvc_id, tlli = dp.ms_cell(ms_id)
    local bvc = network.bvc[bvc_id]
    if not bvc then
        return false
    elseif wide and bvc.cell then
        for _, page in ipairs(pages_of(ms_id, tlli)) do
            send_wide(bvc, page)
        end
        return true
    end
    return paging.page(ms_id, bvc)
end

-- ---- The procedure ----

local function is_suspended(ms_id)
    return suspended.of(ms_id) ~= nil
end

-- For the live view.
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

local function give_up(entry)
    count.add("timeouts")
    log.info("IMSI " .. subscribers.imsi(entry.ms_id) .. ": no answer to PAGING-PS")
    if entry.why == "standby" or entry.wanted then
        dp.ms_flush { ms_id = entry.ms_id }
    end
end

local attempt

local function again(entry)
    if entry.attempt > network.cfg.timers.t3313_retries then
        end_of(entry)
        give_up(entry)
    else
        attempt(entry)
    end
end

function attempt(entry)
    entry.attempt = entry.attempt + 1
    count.add(entry.attempt == 1 and "pages" or "retries")
    entry.timer = timers.after(network.cfg.timers.t3313_ns, again, entry)
    paging.show(entry.ms_id)
    send(entry.ms_id, entry.attempt > 1)
end

-- Returns nil if the MS is removed, or if nse has no more room. Entries without an NSE (standby) need
-- no limit: each has a queued packet, and queues are limited, or something of ours to hear.
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

-- Event `page`: a worker has queued a packet for an MS in standby; or control has something to say to it. A suspended MS is not paged (TS
-- 23.060 16.2.1).
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

-- RADIO-STATUS reports the MS lost: the MS goes to standby, and the next packet pages it.
function paging.lose(ms_id)
    local entry = entries[ms_id]
    if not dp.ms_cell(ms_id) then
        return
    end
    lost[ms_id] = true
    if entry and entry.why ~= "standby" then
        end_of(entry)
    end
    dp.ms_standby { ms_id = ms_id }
    subscribers.tell("lost", ms_id)
end

local function lose_now(entry)
    local wanted = entry.wanted
    paging.lose(entry.ms_id)
    if wanted then
        paging.wanted(entry.ms_id)
    end
end

-- RADIO-STATUS: the BSS has ordered a cell reselection, so the page waits for T3313.
function paging.later(ms_id)
    local bvc = network.bvc[dp.ms_cell(ms_id)]
    local entry = not entries[ms_id] and bvc and new(ms_id, "ordered", bvc.nse)
    if entry then
        lost[ms_id] = true
        dp.ms_freeze { ms_id = ms_id, until_heard = true }
        entry.timer = timers.after(network.cfg.timers.t3313_ns, lose_now, entry)
        subscribers.tell("lost", ms_id)
    end
end

-- Ends paging: the MS was heard, removed or suspended. Returns the argument for `paging.resume`; nil if
-- the MS was not paged.
function paging.stop(ms_id)
    local entry = entries[ms_id]
    local was = lost[ms_id] and "lost" or entry and entry.why
    lost[ms_id] = nil
    if entry then
        end_of(entry)
    end
    return was
end

subscribers.watch("removed", paging.stop)

-- After a suspension: an MS that was lost or in standby before is so again.
function paging.resume(ms_id, was)
    if was == "lost" then
        paging.lose(ms_id)
    elseif was == "standby" then
        paging.wanted(ms_id)
    end
end

-- Returns whether a page is unanswered.
function paging.is_on(ms_id)
    return entries[ms_id] ~= nil and entries[ms_id].attempt > 0
end

-- Returns whether a packet waits for an answer to a page.
function paging.in_standby(ms_id)
    return entries[ms_id] ~= nil and entries[ms_id].why == "standby"
end

-- Returns whether the MS is not in its cell: RADIO-STATUS said so, or a page there had no answer.
function paging.is_gone(ms_id)
    local entry = entries[ms_id]
    return lost[ms_id] or entry ~= nil and entry.why == "standby" and entry.attempt > 1
end

-- The number of entries; for tests.
function paging.count()
    return n
end

-- Sends one page outside the procedure, without holding or dropping the queue.
requests.on("page", function(words)
    local ms_id = words[2] and subscribers.by_imsi(words[2])
    if not ms_id then
        return false, "unknown IMSI; " .. requests.usage "page"
    end
    if not send(ms_id, false) then
        return false, "not paged: the MS is in no cell, or its NSE has no unblocked NS-VC"
    end
    return true, "paged in its last cell"
end)

return paging
