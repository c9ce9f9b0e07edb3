-- FLUSH-LL (TS 48.018 8.1, 10.4.1): the cell that an MS has left is told what to do with what it
-- has queued for it. Transferred it is inside one routeing area only, and to another NSE only if
-- the old one has Inter-NSE re-routing; else it is deleted, and since LLC keeps no copies here
-- nothing is sent again. The clauses have no timer for it; it is repeated by T5, for a PDU may be
-- lost.
--
-- The latest change of an MS is the one that counts: where a former one stands unanswered, its
-- repetition would send data after the MS to where it is no more.
local areas = require "sluice.bssgp.areas"
local count = require "count"
local features = require "sluice.bssgp.features"
local gb = require "sluice.core.gb"
local pdus = require "sluice.bssgp.pdus"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local flush = {}

local ENTRIES_MAX = 10000 -- beyond, a FLUSH-LL is sent once
local TRANSFERRED = 1     -- of the flush action, 11.3.13

-- By MS: { ms_id, key, pdu, old, resets, attempt, timer }. By NSE and TLLI, as the answer has them.
local of_ms, of_key, n = {}, {}, 0

local function key_of(nse, tlli)
    return nse.id << 32 | tlli
end

local function end_of(entry)
    timers.stop(entry.timer)
    of_ms[entry.ms_id], of_key[entry.key], n = nil, nil, n - 1
end

-- The old cell is as it was: it has not been removed, nor reset.
local function is_pending(entry)
    return world.bvc[entry.old.id] == entry.old and entry.old.flush_resets == entry.resets
end

local send

local function again(entry)
    if not is_pending(entry) then
        end_of(entry)
    elseif entry.attempt > world.cfg.timers.t5_retries then
        count.add("timeouts")
        end_of(entry)
    else
        count.add("retries")
        send(entry)
    end
end

function send(entry)
    entry.attempt = entry.attempt + 1
    entry.timer = timers.after(world.cfg.timers.t5_ns, again, entry)
    gb.send_signalling(entry.old.nse, "bssgp_flush_ll", entry.pdu)
end

local function may_transfer(old, new)
    if old.nse.cfg.flush ~= "transfer" then
        return false
    end
    local same = areas.same(old.cell, new.cell)
    if old.nse == new.nse then
        return same ~= false -- a cell that says nothing of its area is of its NSE's
    end
    return same and old.nse.features & features.bit.inr ~= 0
end

local function pdu_of(tlli, old, new)
    local transfer = may_transfer(old, new)
    return {
        tlli = tlli, old_bvci = old.bvci, new_bvci = transfer and new.bvci or nil,
        nsei = transfer and old.nse ~= new.nse and new.nse.nsei or nil,
    }
end

-- The MS has gone from one cell to the other.
function flush.start(ms_id, tlli, old, new)
    flush.forget(ms_id)
    local pdu, key = pdu_of(tlli, old, new), key_of(old.nse, tlli)
    if n >= ENTRIES_MAX then
        gb.send_signalling(old.nse, "bssgp_flush_ll", pdu)
        return
    end
    if of_key[key] then -- another had that TLLI there
        end_of(of_key[key])
    end
    local entry = {
        ms_id = ms_id, key = key, pdu = pdu, old = old, resets = old.flush_resets, attempt = 0,
    }
    of_ms[ms_id], of_key[key], n = entry, entry, n + 1
    send(entry)
end

function flush.forget(ms_id)
    if of_ms[ms_id] then
        end_of(of_ms[ms_id])
    end
end

subscribers.watch("removed", flush.forget)

-- What it had queued is gone; those that wait for it see that when their time comes.
world.watch("bvc_reset", function(bvc)
    bvc.flush_resets = (bvc.flush_resets or 0) + 1
end)

-- How many are unanswered; for tests.
function flush.count()
    return n
end

-- One that answers a former change, by its cell, ends nothing.
local function answers(entry, pdu)
    return pdu.action ~= TRANSFERRED or pdu.new_bvci == entry.pdu.new_bvci
end

pdus.on("bssgp_flush_ll_ack", {
    on = "signalling",
    handler = function(nse, _, pdu)
        local entry = of_key[key_of(nse, pdu.tlli)]
        if not entry or not answers(entry, pdu) then
            return "ignored"
        end
        end_of(entry)
        count.add(pdu.action == TRANSFERRED and "flush_transferred" or "flush_deleted", pdu.octets)
        return "handled"
    end,
})

return flush
