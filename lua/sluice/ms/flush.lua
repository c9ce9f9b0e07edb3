-- FLUSH-LL (TS 48.018 8.1, 10.4.1): tells the cell that an MS has left what to do with the MS's queued
-- LLC PDUs. The BSS transfers the PDUs only inside one routeing area, and to another NSE only with
-- feature Inter-NSE re-routing (INR); else the BSS deletes the PDUs, and the SGSN sends none again, for
-- its LLC keeps no copies. The clauses have no timer for FLUSH-LL; here T5 repeats a lost one.
--
-- A new cell change ends an unanswered FLUSH-LL of the MS: its repetition would transfer PDUs to a cell
-- that the MS has left.
local areas = require "sluice.bssgp.areas"
local count = require "count"
local features = require "sluice.bssgp.features"
local gb = require "sluice.core.gb"
local pdus = require "sluice.bssgp.pdus"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local flush = {}

local ENTRIES_MAX = 10000 -- a FLUSH-LL beyond these is sent once
local TRANSFERRED = 1     -- flush action, 11.3.13

-- of_ms: by ms_id { ms_id, key, pdu, old, resets, attempt, timer }; of_key: by NSE and TLLI, which
-- FLUSH-LL-ACK carries.
local of_ms, of_key, n = {}, {}, 0

local function key_of(nse, tlli)
    return nse.id << 32 | tlli
end

local function end_of(entry)
    timers.stop(entry.timer)
    of_ms[entry.ms_id], of_key[entry.key], n = nil, nil, n - 1
end

-- Returns whether the old cell was neither removed nor reset since.
local function is_pending(entry)
    return network.bvc[entry.old.id] == entry.old and entry.old.flush_resets == entry.resets
end

local send

local function again(entry)
    if not is_pending(entry) then
        end_of(entry)
    elseif entry.attempt > network.cfg.timers.t5_retries then
        count.add("timeouts")
        end_of(entry)
    else
        count.add("retries")
        send(entry)
    end
end

function send(entry)
    entry.attempt = entry.attempt + 1
    entry.timer = timers.after(network.cfg.timers.t5_ns, again, entry)
    gb.send_signalling(entry.old.nse, "bssgp_flush_ll", entry.pdu)
end

local function may_transfer(old, new)
    if old.nse.cfg.flush ~= "transfer" then
        return false
    end
    local same = areas.same(old.cell, new.cell)
    if old.nse == new.nse then
        return same ~= false -- an unknown area counts as the same within one NSE
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

-- The MS has moved from the old cell to the new one.
function flush.start(ms_id, tlli, old, new)
    flush.forget(ms_id)
    local pdu, key = pdu_of(tlli, old, new), key_of(old.nse, tlli)
    if n >= ENTRIES_MAX then
        gb.send_signalling(old.nse, "bssgp_flush_ll", pdu)
        return
    end
    if of_key[key] then -- another MS had the TLLI in the old NSE
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

-- A BVC-RESET empties the cell's queues; waiting entries find that at their next T5 (is_pending).
network.watch("bvc_reset", function(bvc)
    bvc.flush_resets = (bvc.flush_resets or 0) + 1
end)

-- The number of unanswered FLUSH-LLs; for tests.
function flush.count()
    return n
end

-- Returns whether the FLUSH-LL-ACK answers the entry's cell change, not an earlier one.
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
