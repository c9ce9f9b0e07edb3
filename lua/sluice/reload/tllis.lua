-- Assigns TLLIs to the MSs of a new configuration. A TLLI of the file is used, or refused if another MS
-- of the NSE has it, or had it until now and stays. Without a TLLI in the file an MS keeps the one in
-- force; a new MS gets the TLLI of its place in the file, or the first free one.
local bisect = require "sluice.base.bisect"
local breath = require "sluice.base.breath"
local dp = require "dp"
local subscribers = require "sluice.subscribers.registry"
local jobs = require "sluice.core.jobs"
local network = require "sluice.core.network"

local tllis = {}

local FIRST, LAST = 0xC0000000, 0xFFFFFFFE -- local TLLIs (23.003 2.6)

local MEMBERS_A_BREATH = 1024

-- ---- TLLIs of the file, by NSE: sorted spans { first, last, piece } ----

local function last_of(span)
    return span.last
end

-- The place of the first span that ends at or behind `tlli`.
local function place_of(spans, tlli)
    return bisect(spans, last_of, tlli - 1) + 1
end

-- The span with a TLLI from first to last; nil if all are free.
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

-- ---- TLLIs in force ----

-- The IMSI and member of an MS that stays and has, or just had, one of the piece's TLLIs in the NSE;
-- nil if there is none.
local function holder(plan, piece)
    local nse = network.nse_of_nsei[piece.nsei]
    for member = 0, nse and piece.count - 1 or -1 do
        if member % MEMBERS_A_BREATH == MEMBERS_A_BREATH - 1 then
            jobs.breathe()
        end
        local ms_id = dp.ms_of(nse.id, piece.new.tlli + member)
        local imsi = ms_id and subscribers.imsi(ms_id)
        if imsi and not plan.is_removed(imsi) and not plan.is_member(piece, imsi, member) then
            return imsi, member
        end
    end
    return nil
end

-- One reload cannot pass a TLLI from one MS to another that both stay.
local function check_in_force(plan, piece)
    local imsi, member = holder(plan, piece)
    if imsi then
        plan.critic:note(piece.record, "tlli", ("%s of IMSI %s is in use by IMSI %s; allowed: a free"
            .. " TLLI; a reload without the other MS frees it"):format(
            text_of(piece.new.tlli + member), piece.imsi, imsi))
    end
end

-- ---- Each piece ----

local function is_given(piece)
    return not piece.record.tlli_by_place
end

local function take_given(plan, spans, piece)
    local other = taken(spans, piece.new.tlli, piece.new.tlli + piece.count - 1)
    if other then
        plan.critic:note(piece.record, "tlli", ("%s is in use by IMSI %s; allowed: a free TLLI"):format(
            text_of(piece.new.tlli), other.piece.imsi))
    else
        add(spans, piece)
    end
end

-- The first TLLI from `from` on that begins `count` TLLIs which the file does not use.
local function free_from(spans, from, count)
    local i = place_of(spans, from)
    while spans[i] and spans[i].first <= from + count - 1 do
        from, i = spans[i].last + 1, i + 1
    end
    return from
end

-- Searches from the TLLI of the piece's place in the file, then from FIRST.
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
            return plan.critic:note(piece.record, "tlli", ("no %d free TLLIs in a row; give tlli in the"
                .. " file"):format(piece.count))
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
        return piece.old and not is_given(piece)
    end, function(_, spans, piece)
        piece.new.tlli = piece.old.tlli
        take_given(plan, spans, piece)
    end)
    each(function(piece)
        return is_given(piece)
    end, take_given)
    each(function(piece)
        return not piece.old and not is_given(piece)
    end, choose)
    each(function(piece)
        return is_given(piece) or piece.old and piece.nsei ~= piece.old_nsei
    end, function(_, _, piece)
        local same = piece.old and piece.old.tlli == piece.new.tlli
        if piece.old and not same and piece.nsei ~= piece.old_nsei then
            plan.critic:note(piece.record, "tlli", "an MS changes TLLI and NSE at once; allowed: one of"
                .. " them in a reload")
        elseif not same or piece.nsei ~= piece.old_nsei then
            check_in_force(plan, piece)
        end
    end)
end

return tllis
