-- A contest: frames with the TLLI of an MS without a key come from another NSE than the one that has the
-- MS, or such frames of an MS with a key as prove nothing come from another cell of its NSE. So both cells
-- are paged, T3313 apart, and where the MS answers decides. The MS's home is the NSE of the file, or the one
-- in which a key has last proven it (roam.lua). In this order:
--   an answer at home, from another NSE, wins at once;
--   an answer in the cell that has the MS keeps the MS there;
--   an answer in the claiming cell, or from its NSE if that is another one, moves the MS there when the pages have
--     run out.
-- An answer is any frame after the first page. Packets go on to the cell that has the MS meanwhile, and
-- nothing is held. A refused claim rests for T3313: so whatever is forged costs an MS one page in T3313,
-- and one at home none of its packets. One page has to be enough within an NSE, and an answer within three
-- seconds: there an MS changes its cell often, downlink alone goes to its old cell meanwhile, and user data
-- under its key ends the contest. One page is enough in standby, too, where the MS may be anywhere; and between
-- NSEs that both list the area (nse.areas), where it may come and go.
--
-- There are CONTESTS_MAX contests at most, and one NSE may have begun as many as are free, so that
-- others' claims find room; beyond that a claim is ignored.
local areas = require "sluice.bssgp.areas"
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local hints = require "sluice.core.hints"
local network = require "sluice.core.network"
local paging = require "sluice.ms.paging"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"

local contest = {}

local CONTESTS_MAX = 20000
local WITHIN_NS = 3000000000 -- a page on the CCCH takes 2.1 s at most, nine multiframes; and an access

-- By ms_id { ms_id, bvc = the claiming cell, nse = its NSE, from = the NSE that has the MS (may be nse), take,
-- is_home = the claiming NSE is the MS's home, answered = it has been heard there since the first page,
-- most = pages, every_ns, paged, began_ns, resting = the claim is refused, timer }.
local contests, n = {}, 0

local function end_of(c)
    timers.stop(c.timer)
    contests[c.ms_id], n = nil, n - 1
    c.nse.contests = c.nse.contests - 1
end

-- The MS is removed, or gets a key.
function contest.stop(ms_id)
    if contests[ms_id] then
        end_of(contests[ms_id])
    end
end

subscribers.watch("removed", contest.stop)
subscribers.watch("rekeyed", contest.stop)

-- The MS has changed its NSE by other means. Its home's claim goes on: else two NSEs could hand the MS to
-- each other, and its home would begin again each time.
subscribers.watch("changed_nse", function(ms_id)
    local c = contests[ms_id]
    local own = c and network.bvc[dp.ms_cell(ms_id)]
    if c and c.is_home and own and own.nse ~= c.nse then
        c.from = own.nse
    else
        contest.stop(ms_id)
    end
end)

-- Both NSEs list the area of their cells.
local function are_listed(a, b)
    local area = areas.of(a.cell)
    return area ~= nil and areas.lists(a.nse, area) and areas.lists(b.nse, area)
end

-- The cell that has the MS, and the claiming cell; nil if the contest is void: the MS is in the claiming cell
-- already, one of both has gone, or they are of two NSEs and no longer in one routeing area. The area is not
-- asked where the MS's home claims it: a thief who has the MS could say that its cell is in another area.
local function cells_of(c)
    local own, other = network.bvc[dp.ms_cell(c.ms_id)], network.bvc[c.bvc.id]
    if own and own.nse == c.from and own ~= other and other == c.bvc and other.up
        and (c.is_home or own.nse == other.nse or areas.same(own.cell, other.cell)) then
        return own, other
    end
end

local function moves(c, how)
    local own, other = cells_of(c)
    end_of(c)
    return own ~= nil and c.take(c.ms_id, own, other, how)
end

-- The pages have run out, or the cell that has the MS has lost it.
local function decide(c)
    if not c.answered then
        end_of(c)
        count.add "claims_refused"
    else
        moves(c, "it answers here, and not there")
    end
end

local function attempt(c)
    local own, other = cells_of(c)
    if not own then
        return end_of(c)
    elseif c.paged == c.most then
        count.add "timeouts"
        return decide(c)
    end
    c.paged = c.paged + 1
    count.add(c.paged == 1 and "pages" or "retries")
    c.timer = timers.after(c.every_ns, attempt, c)
    paging.page(c.ms_id, own)
    paging.page(c.ms_id, other)
end

local function begin(c)
    contests[c.ms_id], n = c, n + 1
    c.nse.contests = (c.nse.contests or 0) + 1
    dp.ms_listen { ms_id = c.ms_id }
    attempt(c)
end

local function has_room(nse)
    return (nse.contests or 0) < CONTESTS_MAX - n
end

-- Another frame from the claiming NSE. Returns whether the MS has moved. Within an NSE a third cell has not been
-- paged, so that its frame answers nothing, and claims nothing until the contest has ended.
local function answers(c, bvc)
    if c.from == c.nse and c.bvc ~= bvc then
        count.add "claims_unheard"
        return false
    end
    c.bvc, c.answered = bvc, true
    return c.is_home and moves(c, "it answers here, at home")
end

-- A frame of the MS has come in bvc; own is the cell that has the MS. may(): whether the NSE's limit allows a
-- contest; take(ms_id, own, bvc, how) moves the MS. Returns whether it has moved.
function contest.claim(ms_id, own, bvc, home, may, take)
    local c, is_home = contests[ms_id], bvc.nse == home
    if c and c.nse == bvc.nse and not c.resting then
        return answers(c, bvc)
    elseif c and not is_home and (c.resting or c.is_home or c.answered) then
        return false
    elseif not has_room(bvc.nse) or not is_home and not may() then
        count.add "claims_unheard"
        return false
    end
    contest.stop(ms_id)
    local within, t3313_ns = own.nse == bvc.nse, network.cfg.timers.t3313_ns
    local one = within or paging.in_standby(ms_id) or are_listed(own, bvc)
    count.add "claims_paged"
    begin {
        ms_id = ms_id, bvc = bvc, nse = bvc.nse, from = own.nse, take = take, is_home = is_home, paged = 0,
        most = one and 1 or 1 + network.cfg.timers.t3313_retries, began_ns = clock.now_ns,
        every_ns = within and math.min(WITHIN_NS, t3313_ns) or t3313_ns,
    }
    return false
end

-- The MS was heard in the cell that has it. That refuses a claim, but its home's.
function contest.heard(ms_id)
    local c = contests[ms_id]
    if not c or c.resting or c.is_home then
        return
    elseif not cells_of(c) then
        return end_of(c)
    end
    count.add "claims_refused"
    if c.from ~= c.nse then
        hints.contested(subscribers.imsi(ms_id), c.from, c.nse)
    end
    timers.stop(c.timer)
    c.resting, c.timer = true, timers.after(network.cfg.timers.t3313_ns, end_of, c)
end

-- The NSE that has the MS says that it is in a call, where no page finds it. That ends a claim, but its
-- home's: the NSE may have the MS by a claim that was not true.
function contest.suspended(ms_id)
    local c = contests[ms_id]
    if c and not c.is_home then
        end_of(c)
    end
end

-- The NSE that has the MS says that it is not there.
subscribers.watch("lost", function(ms_id)
    local c = contests[ms_id]
    if c and c.answered and not c.resting then
        decide(c)
    end
end)

-- The number of contests, those that rest included; for tests.
function contest.count()
    return n
end

return contest
