-- The cell of each MS (TS 23.060 6.9.1.1, cell update). A worker moves an MS inside its NSE on user
-- data and reports the move; control moves an MS on other frames, and from one NSE to another.
--
-- A frame with an MS's TLLI in another cell is a claim: any phone or BSS can send one, and a good FCS
-- proves only that the frame is undamaged. Inside the MS's NSE control believes the claim at once if the
-- MS has no key, is paged, or has been lost in its cell; else both cells are paged (contest.lua). From
-- another NSE control considers only a claim in the MS's routeing area, where a TLLI is unique (TS 23.003
-- 2.6), and only if one MS of the area has the TLLI. Then
--   an MS with a key moves if the claiming frame is enciphered with its key, and newer than all that it
--     has sent: its worker tries that (ms_prove). Nothing else moves it, neither silence nor an answer;
--   an MS without a key moves at once if its own cell has lost it: RADIO-STATUS said so, or a page there
--     had no answer. Else both cells are paged, and the MS's answers decide (contest.lua).
-- Contests begun by claims of an NSE, or of a cell within its NSE, have a limit per second, which all MSs of
-- the larger NSE of both can meet within a minute; keys tried have one that keeps the cost low, and that the
-- phones of honest cells do not reach. Claims beyond are ignored. A phone that attaches or comes from another
-- routeing area needs GMM (gmm/): its other frames change nothing.
local areas = require "sluice.bssgp.areas"
local clock = require "sluice.core.clock"
local contest = require "sluice.ms.contest"
local count = require "count"
local dp = require "dp"
local flow_control = require "sluice.bssgp.flow_control"
local flush = require "sluice.ms.flush"
local hints = require "sluice.core.hints"
local members = require "sluice.subscribers.members"
local paging = require "sluice.ms.paging"
local seeded = require "sluice.base.seeded"
local subscribers = require "sluice.subscribers.registry"
local suspend = require "sluice.ms.suspend"
local suspended = require "sluice.ms.suspended"
local wire = require "wire"
local network = require "sluice.core.network"

local roam = {}

-- By claims of an NSE in a second: keys tried, a few microseconds of a worker each; and contests begun.
local KEYS_MOST, CONTESTS_LEAST = 1000, 20
local A_MINUTE_S = 60
local NSES_MOST = 64 -- that are asked for a TLLI, as MSs with one TLLI by dp.mss_of
local LLC_OCTETS_MAX = 3 + 1520 + 3 -- of a UI frame: header, N201-U at most, FCS

-- ---- Moves ----

-- The MS is in the new cell in control and dataplane. Without an old cell no FLUSH-LL is sent. A
-- running page goes on in the new cell.
local function settle(ms_id, tlli, old, new)
    suspended.moved(ms_id, new)
    flow_control.moved(ms_id)
    if old then
        flush.start(ms_id, tlli, old, new)
        if old.nse ~= new.nse then
            subscribers.tell("changed_nse", ms_id)
        end
    end
end

-- Returns false if the MS stays in its cell.
local function move(ms_id, new)
    if not members.may_move(ms_id, new.id) then
        return false
    end
    local old_id, tlli = dp.ms_cell(ms_id)
    dp.ms_move { ms_id = ms_id, bvc_id = new.id }
    settle(ms_id, tlli, network.bvc[old_id], new)
    return true
end

-- The MS's new cell is being removed: the MS goes to its old cell, to its cell in the file, or to any
-- cell of the NSE.
local function move_back(ms_id, going, old_bvc_id)
    local record = subscribers.of(ms_id)
    local to = network.bvc[old_bvc_id] or record and network.bvc[record.bvc_id] or going.nse.bvc_list[1]
    if to and members.may_move(ms_id, to.id) then
        dp.ms_move { ms_id = ms_id, bvc_id = to.id }
        settle(ms_id, nil, nil, to)
    end
    return to and "handled" or "ignored"
end

local function take_move(ms_id, old_bvc_id, new_bvc_id)
    local bvc_id, tlli = dp.ms_cell(ms_id)
    if bvc_id ~= new_bvc_id then -- the MS has moved again since
        return "ignored"
    end
    if not network.bvc[new_bvc_id] then
        local going = network.going[new_bvc_id]
        return going and move_back(ms_id, going, old_bvc_id) or "ignored"
    end
    settle(ms_id, tlli, network.bvc[old_bvc_id], network.bvc[new_bvc_id])
    return "handled"
end

-- Event `moved`: a worker has moved the MS within its NSE.
function roam.moved(ms_id, old_bvc_id, new_bvc_id)
    local outcome = take_move(ms_id, old_bvc_id, new_bvc_id)
    subscribers.tell("seen", ms_id)
    return outcome
end

subscribers.watch("moved", roam.moved)

-- ---- Frames from the MS ----

-- Ends the paging of the MS.
local function answered(ms_id)
    paging.stop(ms_id)
    contest.heard(ms_id)
end

-- The MS is in its cell: its queue is released.
local function release(ms_id)
    answered(ms_id)
    suspend.forget(ms_id)
    dp.ms_release { ms_id = ms_id }
end

-- Event `heard`: a worker got a good frame of user data from a held MS, or from one that control
-- listens for (ms_listen).
function roam.heard(ms_id)
    answered(ms_id)
    suspend.heard(ms_id)
    subscribers.tell("seen", ms_id)
    return "handled"
end

-- ---- Claims ----

local function has_key(ms_id)
    local record = subscribers.of(ms_id)
    return record and record.ms.cipher ~= "none"
end

-- The NSE in which an MS's key has last proven it, by ms_id, if that is not the NSE of the file.
local proven = {}

local function forget(ms_id)
    proven[ms_id] = nil
end

subscribers.watch("removed", forget)
subscribers.watch("moved", forget)

local function home_of(ms_id)
    local nse, record = proven[ms_id], subscribers.of(ms_id)
    if nse and network.nse[nse.id] == nse then
        return nse
    end
    return record and network.nse[record.nse_id]
end

-- MSs that are not in the NSE of the file: ids by seeded TLLI, which is by ms_id. Who has such an MS by a claim
-- that was not true may say that its cell is in another area, so that no claim of the MS's true place
-- would be in the MS's area. So the MS's area is no matter for a claim of its home, nor for a key.
local away, key_of = {}, {}

local function come_back(ms_id)
    local ids = away[key_of[ms_id]]
    for i, id in ipairs(ids or {}) do
        if id == ms_id then
            table.remove(ids, i)
        end
    end
    if ids and not ids[1] then
        away[key_of[ms_id]] = nil
    end
    key_of[ms_id] = nil
end

-- Where the MS is, and by which TLLI, after either has changed.
local function look_again(ms_id)
    come_back(ms_id)
    local bvc_id, tlli = dp.ms_cell(ms_id)
    local cell, record = network.bvc[bvc_id], subscribers.of(ms_id)
    if cell and record and cell.nse.id ~= record.nse_id then
        local key = seeded(tlli)
        away[key] = away[key] or {}
        table.insert(away[key], ms_id)
        key_of[ms_id] = key
    end
end

subscribers.watch("removed", come_back)
subscribers.watch("changed_nse", look_again)
subscribers.watch("changed_tlli", look_again)

-- The MS with the TLLI that is away, and of which is(ms_id) holds; nil if none.
local function away_one(tlli, is)
    for _, ms_id in ipairs(away[seeded(tlli)] or {}) do
        if is(ms_id) then
            return ms_id
        end
    end
end

-- Counts one more key tried or contest begun (kind) by claims of the NSE or cell in this second; returns
-- false beyond the limit.
local function may(where, kind, most)
    local second = clock.now_ns // 1000000000
    if not where.claims or where.claims.second ~= second then
        where.claims = { second = second, keys = 0, contests = 0 }
    end
    if where.claims[kind] >= most then
        return false
    end
    where.claims[kind] = where.claims[kind] + 1
    return true
end

-- Within an NSE each cell has a limit of its own, so that a phone in one of them leaves the others theirs.
local function contest_of(ms_id, old, bvc, home, take)
    return contest.claim(ms_id, old, bvc, home, function()
        local mss = math.max(old.nse.cfg.mss or 0, bvc.nse.cfg.mss or 0)
        local where = old.nse == bvc.nse and bvc or bvc.nse
        return may(where, "contests", math.max(CONTESTS_LEAST, mss // A_MINUTE_S))
    end, take)
end

-- Moves the MS from its NSE to another, where it has been heard. Returns false if the MS stays.
local function take_over(ms_id, old, bvc, how)
    if not move(ms_id, bvc) then
        return false
    end
    count.add "claims_moved"
    hints.moved(subscribers.imsi(ms_id), old.nse, bvc.nse, how)
    release(ms_id)
    return true
end

local function unproven(ms_id, old, bvc)
    count.add "claims_unproven"
    subscribers.tell("unproven", ms_id, bvc)
    hints.unproven(subscribers.imsi(ms_id), old.nse, bvc.nse)
end

-- The worker answers by the events `proven` and `unproven`. Frames other than enciphered UI frames prove
-- nothing and need no worker.
local function try_key(ms_id, old, bvc, llc)
    local frame = #llc <= LLC_OCTETS_MAX and wire.llc_ui.decode(llc)
    if not frame or not frame.enciphered then
        unproven(ms_id, old, bvc)
    elseif may(bvc.nse, "keys", KEYS_MOST) then
        dp.ms_prove { ms_id = ms_id, bvc_id = bvc.id, pdu = llc }
    else
        count.add "claims_unheard"
    end
    return false
end

-- Calls fn if the claim is still one: the MS may have moved since its key was tried, and the cell may
-- have gone.
local function with_claim(ms_id, bvc_id, fn)
    local old, bvc = network.bvc[dp.ms_cell(ms_id)], network.bvc[bvc_id]
    if not old or not bvc or old.nse == bvc.nse or not (key_of[ms_id] or areas.same(old.cell, bvc.cell)) then
        return "ignored"
    end
    fn(ms_id, old, bvc)
    return "handled"
end

-- Event `proven`: the MS's key has deciphered a frame that came in the cell of another NSE.
function roam.proven(ms_id, bvc_id)
    return with_claim(ms_id, bvc_id, function(_, old, bvc)
        if take_over(ms_id, old, bvc, "its key proves it") then
            proven[ms_id] = bvc.nse
            subscribers.tell("seen", ms_id)
        end
    end)
end

-- Event `unproven`.
function roam.unproven(ms_id, bvc_id)
    return with_claim(ms_id, bvc_id, unproven)
end

-- Returns whether the MS is there now.
local function claim_from_elsewhere(ms_id, old, bvc, llc)
    local home = home_of(ms_id)
    if has_key(ms_id) then
        return try_key(ms_id, old, bvc, llc)
    elseif paging.is_gone(ms_id) then
        return take_over(ms_id, old, bvc, "its own cell has lost it")
    elseif suspended.of(ms_id) and bvc.nse ~= home then -- a suspended MS is not paged
        count.add "claims_refused"
        hints.in_call(subscribers.imsi(ms_id), old.nse, bvc.nse)
        return false
    end
    return contest_of(ms_id, old, bvc, home, take_over)
end

local function take_cell(ms_id, _, bvc)
    if move(ms_id, bvc) then
        release(ms_id)
        return true
    end
    return false
end

-- A frame of the MS has come in a cell; its FCS is good or enciphered. Returns true if the MS is in the
-- cell now; false if control does not believe the claim, or the cell's worker has no room for the MS.
local function claim(ms_id, bvc, llc)
    local old = network.bvc[dp.ms_cell(ms_id)]
    if old == bvc then
        return true
    elseif old and old.nse ~= bvc.nse then
        return claim_from_elsewhere(ms_id, old, bvc, llc)
    elseif old and has_key(ms_id) and not paging.is_on(ms_id) and not paging.is_gone(ms_id) then
        if suspended.of(ms_id) then -- a suspended MS is not paged
            count.add "claims_refused"
            return false
        end
        return contest_of(ms_id, old, bvc, nil, take_cell)
    end
    return move(ms_id, bvc)
end

-- A frame of the MS for control, with a good FCS, has come in the cell. Returns whether the MS is there.
function roam.heard_by_control(ms_id, bvc, llc)
    local is_there = claim(ms_id, bvc, llc)
    if is_there then
        release(ms_id)
    end
    return is_there
end

-- The MS has said by GMM that it is in the cell now (routeing area update). Returns false if it stays where it was, as
-- the cell's worker has no room.
function roam.arrived(ms_id, bvc)
    if dp.ms_cell(ms_id) ~= bvc.id and not move(ms_id, bvc) then
        return false
    end
    release(ms_id)
    return true
end

-- Control has deciphered a frame of the MS that came in the cell, with its key. Returns false if the MS stays where it was,
-- as the cell's worker has no room.
function roam.shown(ms_id, bvc)
    local old = network.bvc[dp.ms_cell(ms_id)]
    if old and old.nse ~= bvc.nse then
        if not take_over(ms_id, old, bvc, "its key proves it") then
            return false
        end
        proven[ms_id] = bvc.nse
        return true
    end
    return roam.arrived(ms_id, bvc)
end

-- An enciphered FCS cannot be checked and counts as good.
local function is_frame(llc)
    return llc and (wire.llc_ui.decode(llc) or wire.llc_u.decode(llc)) and true
end

-- MSs with the TLLI, those of the area among them. Anybody can ask, so the area's NSEs are asked, if they are 64 at
-- most; else all, whose MSs are looked at if these are 64 at most, as they are not where each NSE counts from one number.
local function with_tlli(area, tlli)
    local nses, ids = areas.nses(area), {}
    if #nses > NSES_MOST then
        return dp.mss_of(tlli) or {}
    end
    for i = 1, #nses do
        ids[#ids + 1] = dp.ms_of(nses[i].id, tlli)
    end
    return ids
end

-- The MS with the TLLI in the same routeing area of another NSE; nil if none or several.
local function in_area(nse, bvc, tlli)
    local area, found = areas.of(bvc.cell), nil
    for _, ms_id in ipairs(area and with_tlli(area, tlli) or {}) do
        local cell = network.bvc[dp.ms_cell(ms_id)]
        if cell and cell.nse ~= nse and areas.of(cell.cell) == area then
            if found then
                return nil
            end
            found = ms_id
        end
    end
    return found
end

-- The MS that a frame with the TLLI may be of.
local function elsewhere(nse, bvc, tlli)
    local function is_home(ms_id)
        return home_of(ms_id) == nse
    end
    return away_one(tlli, is_home) or in_area(nse, bvc, tlli) or away_one(tlli, has_key)
end

-- UL-UNITDATA with a TLLI that the NSE does not know.
function roam.unknown(nse, bvc, tlli, llc)
    local ms_id = bvc and is_frame(llc) and elsewhere(nse, bvc, tlli)
    local has_cell = ms_id and network.bvc[dp.ms_cell(ms_id)] ~= nil -- else its cell is being removed
    return has_cell and claim(ms_id, bvc, llc) and "handled" or "ignored"
end

return roam
