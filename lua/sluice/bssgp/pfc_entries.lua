-- The states of BSS packet flow contexts (pfc.lua): by ms_id a list of
--   { ms_id, pfi, tlli, bvc, time, state, left, timer, asked, granted, cause }
-- An entry belongs to one cell, and to the time from one BVC-RESET of the cell to the next.
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local entries = {}

-- By state, the next state for each event; an event without a next state is ignored. An entry in state
-- "none" is not kept. Events are PDUs; expired: the last T7.
local NEXT = {
    none = { download = "creating", modify = "up", delete_req = "deleting" },
    creating = {
        download = "creating", ack = "up", nack = "refused", modify = "creating",
        delete_req = "deleting", expired = "none",
    },
    up = { download = "creating", modify = "up", delete_req = "deleting" },
    refused = { download = "creating", modify = "up", delete_req = "deleting" },
    deleting = { delete_ack = "none", expired = "none" },
}

local of_ms = {}

-- The number of BVC-RESETs of the cell: the BSS has forgotten a PFC from before the last one.
local function time_of(bvc)
    return bvc.pfc_time or 0
end

function entries.bvc_reset(bvc)
    bvc.pfc_time = time_of(bvc) + 1
end

function entries.is_current(entry)
    return network.bvc[entry.bvc.id] == entry.bvc and entry.time == time_of(entry.bvc)
end

function entries.drop(entry)
    timers.stop(entry.timer)
    local list = of_ms[entry.ms_id] or {}
    for i, each in ipairs(list) do
        if each == entry then
            table.remove(list, i)
        end
    end
    if #list == 0 then
        of_ms[entry.ms_id] = nil
    end
end

function entries.forget(ms_id)
    for _, entry in ipairs(of_ms[ms_id] or {}) do
        timers.stop(entry.timer)
    end
    of_ms[ms_id] = nil
end

subscribers.watch("removed", entries.forget)

function entries.find(ms_id, pfi)
    for _, entry in ipairs(of_ms[ms_id] or {}) do
        if entry.pfi == pfi then
            if entries.is_current(entry) then
                return entry
            end
            return entries.drop(entry)
        end
    end
end

-- Finds or makes the entry; a new entry is in state "none".
function entries.entry_of(ms_id, pfi)
    return entries.find(ms_id, pfi) or { ms_id = ms_id, pfi = pfi, state = "none" }
end

local function keep(entry)
    of_ms[entry.ms_id] = of_ms[entry.ms_id] or {}
    local list = of_ms[entry.ms_id]
    list[#list + 1] = entry
end

-- Enters the next state for the event. Returns false if the state ignores the event.
function entries.step(entry, event)
    local state = NEXT[entry.state][event]
    if not state then
        return false
    end
    if entry.state == "none" then
        keep(entry)
    end
    timers.stop(entry.timer)
    entry.state = state
    if state == "none" then
        entries.drop(entry)
    end
    return true
end

-- Sets the cell of the entry, and the TLLI of the MS there.
function entries.is_at(entry, bvc, tlli)
    entry.bvc, entry.time, entry.tlli = bvc, time_of(bvc), tlli
end

return entries
