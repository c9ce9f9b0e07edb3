-- Which TLLIs the MSs of another configuration have. One that the file gives is taken, or refused
-- if another MS of the NSE has it, or had it until now and stays. One that the file does not give
-- is that in force; a new MS gets its place in the file, or the first free ones.
local bisect = require "sluice.base.bisect"
local breath = require "sluice.base.breath"
local dp = require "dp"
local subscribers = require "sluice.subscribers.registry"
local world = require "sluice.core.world"

local tllis = {}

local FIRST, LAST = 0xC0000000, 0xFFFFFFFE -- local TLLIs (23.003 2.6)

local MEMBERS_A_BREATH = 1024

-- ---- Those of the file, by NSE: sorted spans { first, last, piece } ----

local function last_of(span)
    return span.last
end

-- The place of the first span that ends at or behind `tlli`.
local function place_of(spans, tlli)
    return bisect(spans, last_of, tlli - 1) + 1
end

-- The span that has one of these; nil: they are free.
local function taken(spans, first, last)
    local span = spans[place_of(spans, first)]
    return span and span.first <= last and span or nil
end

local function add(spans, piece)
    local first = piece.new.tlli
    table.insert(spans, place_of(spans, first), {
        first = first, last = first + piece.count - 1, piece = piece,
    })
end

local function text_of(tlli)
    return ("0x%08X"):format(tlli)
end

-- ---- Those in force ----

-- An MS that stays and has one of the piece's TLLIs in its NSE, or had it just before; nil: none.
local function holder(plan, piece)
    local nse = world.nse_of_nsei[piece.nsei]
    for member = 0, nse and piece.count - 1 or -1 do
        if member % MEMBERS_A_BREATH == MEMBERS_A_BREATH - 1 then
            world.breathe()
        end
        local ms_id = dp.ms_of(nse.id, piece.new.tlli + member)
        local imsi = ms_id and subscribers.imsi(ms_id)
        if imsi and not plan.is_removed(imsi) and not plan.is_member(piece, imsi, member) then
            return imsi, member
        end
    end
    return nil
end

-- What cannot be made in one go, whatever the order: a TLLI from hand to hand.
local function check_in_force(plan, piece)
    local imsi, member = holder(plan, piece)
    if imsi then
        plan.critic.note(piece.record, "tlli", ("found %s for IMSI %s, which IMSI %s has in force,"
            .. " allowed one that is free; it is after a reload without that MS"):format(
            text_of(piece.new.tlli + member), piece.imsi, imsi))
    end
end

-- ---- Each piece ----

local function is_given(plan, piece)
    return plan.critic.is_given(piece.record, "tlli")
end

local function take_given(plan, spans, piece)
    local other = taken(spans, piece.new.tlli, piece.new.tlli + piece.count - 1)
    if other then
        plan.critic.note(piece.record, "tlli", ("found %s, which IMSI %s has, allowed one that is"
            .. " free"):format(text_of(piece.new.tlli), other.piece.imsi))
    else
        add(spans, piece)
    end
end

-- The first TLLI from `from` on that begins so many which the file does not use.
local function free_from(spans, from, count)
    local i = place_of(spans, from)
    while spans[i] and spans[i].first <= from + count - 1 do
        from, i = spans[i].last + 1, i + 1
    end
    return from
end

-- From its place in the file on, then from the beginning.
local function choose(plan, spans, piece)
    local from, again = piece.new.tlli, false
    while true do
        piece.new.tlli = free_from(spans, from, piece.count)
        local member
        if piece.new.tlli + piece.count - 1 <= LAST then
            member = select(2, holder(plan, piece))
            if not member then
                return add(spans, piece)
            end
        elseif again then
            return plan.critic.note(piece.record, "tlli", "found no " .. piece.count
                .. " TLLIs that are free, allowed some that the file gives")
        end
        again = again or not member
        from = member and piece.new.tlli + member + 1 or FIRST
    end
end

-- Gives each piece's `new` its TLLI. `plan` is { critic, pieces, is_removed(imsi),
-- is_member(piece, imsi, member) }.
function tllis.set(plan)
    local spans_of = {}
    local function each(wanted, fn)
        for _, piece in breath.each(plan.pieces) do
            if piece.new and wanted(piece) then
                spans_of[piece.nsei] = spans_of[piece.nsei] or {}
                fn(plan, spans_of[piece.nsei], piece)
            end
        end
    end
    each(function(piece)
        return piece.old and not is_given(plan, piece)
    end, function(_, spans, piece)
        piece.new.tlli = piece.old.tlli
        take_given(plan, spans, piece)
    end)
    each(function(piece)
        return is_given(plan, piece)
    end, take_given)
    each(function(piece)
        return not piece.old and not is_given(plan, piece)
    end, choose)
    each(function(piece)
        return is_given(plan, piece) or piece.old and piece.nsei ~= piece.old_nsei
    end, function(_, _, piece)
        local same = piece.old and piece.old.tlli == piece.new.tlli
        if piece.old and not same and piece.nsei ~= piece.old_nsei then
            plan.critic.note(piece.record, "tlli", "found another TLLI and another NSE at once,"
                .. " allowed one of them in a reload")
        elseif not same or piece.nsei ~= piece.old_nsei then
            check_in_force(plan, piece)
        end
    end)
end

return tllis
