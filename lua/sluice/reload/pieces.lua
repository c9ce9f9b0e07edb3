-- Compares the MSs in force with those of a new file: ranges of IMSIs, cut at each begin and end of a
-- range of either. A piece is
--   { imsi, count, old ({ tlli, pdp } in force, pdp that of its record; nil: added), new (the slice of the file, nil:
--     removed), old_nsei, old_bvci, nsei, bvci, record (of the file, for messages) }
-- Pieces are in the order of IMSIs; a slice is a normalised record of `count` MSs, the file's own if it is whole: what is
-- copied here the collector would have to go through at once.
local breath = require "sluice.base.breath"
local parts = require "sluice.config.parts"
local subscribers = require "sluice.subscribers.registry"
local network = require "sluice.core.network"

local pieces = {}

local LENGTH_MOST = 15

local function add_span(spans, ms, nsei, bvci)
    spans[#ms.imsi] = spans[#ms.imsi] or {}
    table.insert(spans[#ms.imsi], {
        first = math.tointeger(tonumber(ms.imsi)), count = ms.count, ms = ms, nsei = nsei, bvci = bvci,
    })
end

-- The ranges of the file, and of these phone { }, by length of IMSI, sorted: { first, count, ms, nsei, bvci }.
local function spans_of(cfg, phones)
    local spans = {}
    for _, nse in breath.each(cfg.nse) do
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                add_span(spans, ms, nse.nsei, bvc.bvci)
            end
        end
    end
    for _, phone in breath.each(phones) do
        add_span(spans, phone)
    end
    for length = 1, LENGTH_MOST do
        breath.sort(spans[length] or {}, function(a, b)
            return a.first < b.first
        end)
    end
    return spans
end

-- The ranges in force with IMSIs of one length.
local function spans_in_force(length)
    local spans = {}
    for i, record in breath.each(subscribers.spans[length] or {}) do
        spans[i] = {
            first = record.first_imsi, count = record.count, ms = record.ms,
            nsei = network.nse[record.nse_id].nsei, bvci = network.bvc[record.bvc_id].bvci,
        }
    end
    return spans
end

local function last_of(span)
    return span.first + span.count - 1
end

local function slice_of(span, first, count)
    return count == span.count and span.ms or parts.slice(span.ms, first - span.first, count)
end

local function make(length, first, last, old, new)
    local count = last - first + 1
    local piece = {
        imsi = ("%0" .. length .. "d"):format(first), count = count,
        old = old and { tlli = old.ms.tlli + first - old.first, pdp = old.ms.pdp },
        new = new and slice_of(new, first, count),
    }
    if old then
        piece.old_nsei, piece.old_bvci = old.nsei, old.bvci
    end
    if new then
        piece.nsei, piece.bvci, piece.record = new.nsei, new.bvci, new.ms
    end
    return piece
end

-- The last IMSI of the piece that begins at `from`: `stop`, or before the next begin or end of `span`.
local function stop_of(from, span, stop)
    if not span then
        return stop
    elseif span.first > from then
        return math.min(stop, span.first - 1)
    end
    return math.min(stop, last_of(span))
end

local function covers(span, from)
    return span and span.first <= from and span or nil
end

local function next_start(old, new, from)
    local first_old, first_new = old and old.first, new and new.first
    return math.max(from, math.min(first_old or first_new, first_new or first_old))
end

-- Calls visit(first, last, old, new) for each piece, old and new the spans or nil.
local function merge(olds, news, visit)
    local i, j, from = 1, 1, 0
    while olds[i] or news[j] do
        breath.take()
        from = next_start(olds[i], news[j], from)
        local last = stop_of(from, news[j], stop_of(from, olds[i], math.maxinteger))
        visit(from, last, covers(olds[i], from), covers(news[j], from))
        from = last + 1
        i = i + (olds[i] and last_of(olds[i]) < from and 1 or 0)
        j = j + (news[j] and last_of(news[j]) < from and 1 or 0)
    end
end

function pieces.of(cfg)
    local spans, list = spans_of(cfg, {}), {}
    for length = 1, LENGTH_MOST do
        merge(spans_in_force(length), spans[length] or {}, function(first, last, old, new)
            list[#list + 1] = make(length, first, last, old, new)
        end)
    end
    return list
end

-- Calls visit(before, after) for the ms { } and phone { } that have IMSIs in common, of two files, whatever their cells.
function pieces.each_in_both(old, new, visit)
    local olds, news = spans_of(old, old.phone or {}), spans_of(new, new.phone or {})
    for length = 1, LENGTH_MOST do
        merge(olds[length] or {}, news[length] or {}, function(_, _, before, after)
            if before and after then
                visit(before.ms, after.ms)
            end
        end)
    end
end

return pieces
