-- The cell of each MS (TS 23.060 6.9.1.1, cell update). A worker moves an MS inside its NSE on user
-- data and reports the move; control moves an MS on other frames, and from one NSE to another.
--
-- A frame with an MS's TLLI in another cell is a claim: any phone or BSS can send one, a good FCS
-- proves only that the frame is undamaged, and control cannot check a ciphering key. Inside the MS's
-- NSE control believes the claim at once if the MS has no key, and after an answer to a page if the MS
-- has one. From another NSE control considers only a claim in the MS's routeing area, where a TLLI is
-- unique (TS 23.003 2.6), and only if one MS of the area has the TLLI. Then it believes
--   a claim for an MS that is not in its own cell: RADIO-STATUS said so, or a page there had no answer;
--   if nse.areas lists the area for both NSEs:
--     any claim for an MS without a key, up to a limit per second that moves all MSs of the old NSE
--     in a minute;
--     for an MS with a key, an answer to a page in the area: any frame, which a phone there can forge.
-- For any other claim control pages the MS in its own cell only, and believes the claim if the MS does
-- not answer there. The MS's queue goes on in the old cell until then: a false claim costs the MS one
-- page, a true one the time of four pages. The same limit per second holds for the pages of each
-- claiming NSE; claims beyond it are ignored. A phone that attaches or comes from another routeing area
-- needs GMM, which Sluice does not have: its frames change nothing.
local areas = require "sluice.bssgp.areas"
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local flow_control = require "sluice.bssgp.flow_control"
local flush = require "sluice.ms.flush"
local hints = require "sluice.core.hints"
local members = require "sluice.subscribers.members"
local paging = require "sluice.ms.paging"
local subscribers = require "sluice.subscribers.registry"
local suspend = require "sluice.ms.suspend"
local suspended = require "sluice.ms.suspended"
local wire = require "wire"
local network = require "sluice.core.network"

local roam = {}

local LEAST_A_SECOND = 20 -- least limit on moves and pages by claims of an NSE
local A_MINUTE_S = 60

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

-- The MS was heard in its own cell after a claim from the cell `claimed`.
local function note_untrue(ms_id, claimed)
    local cell = network.bvc[dp.ms_cell(ms_id)]
    if cell and cell.nse ~= claimed.nse then
        count.add "claims_refused"
        hints.not_moved(subscribers.imsi(ms_id), cell.nse, claimed.nse, "the MS answers in its own cell")
    end
end

-- Ends the paging of the MS.
local function answered(ms_id)
    local _, claimed = paging.stop(ms_id)
    if claimed then
        note_untrue(ms_id, claimed)
    end
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

-- Counts one more move or page (kind) by claims of the NSE in this second; returns false beyond the
-- limit.
local function may(nse, kind, old)
    local second = clock.now_ns // 1000000000
    if not nse.claims or nse.claims.second ~= second then
        nse.claims = { second = second, moves = 0, pages = 0 }
    end
    local most = math.max(LEAST_A_SECOND, (old.nse.cfg.mss or 0) // A_MINUTE_S)
    if nse.claims[kind] >= most then
        return false
    end
    nse.claims[kind] = nse.claims[kind] + 1
    return true
end

-- Moves the MS from its NSE to another.
local function take_over(ms_id, old, bvc, how)
    if not move(ms_id, bvc) then
        return false
    end
    count.add "claims_moved"
    hints.moved(subscribers.imsi(ms_id), old.nse, bvc.nse, how)
    return true
end

-- The MS has not answered in its own cell after a claim from bvc. Returns false if the MS stays.
local function silent(ms_id, bvc)
    local old = network.bvc[dp.ms_cell(ms_id)]
    if not old or network.bvc[bvc.id] ~= bvc or not bvc.up or not areas.same(old.cell, bvc.cell)
        or not take_over(ms_id, old, bvc, "not heard in its own cell") then
        return false
    end
    release(ms_id)
    return true
end

-- Pages the MS in its own cell only (alone), or in the routeing area. Returns false: the MS stays for
-- now.
local function ask(ms_id, old, bvc, alone)
    local when_silent = alone and silent
    if alone and suspended.of(ms_id) then -- a suspended MS is not paged
        count.add "claims_refused"
        hints.not_moved(subscribers.imsi(ms_id), old.nse, bvc.nse, "the MS is in a call there")
    elseif paging.is_on(ms_id) then
        paging.claimed(ms_id, bvc, when_silent)
    elseif old.nse ~= bvc.nse and not may(bvc.nse, "pages", old)
        or not paging.claimed(ms_id, bvc, when_silent) then
        count.add "claims_unheard"
    else
        count.add "claims_paged"
    end
    return false
end

-- Both cells are in one area.
local function are_listed(old, bvc)
    local area = areas.of(bvc.cell)
    return areas.lists(old.nse, area) and areas.lists(bvc.nse, area)
end

local function claim_from_elsewhere(ms_id, old, bvc)
    local listed, key = are_listed(old, bvc), has_key(ms_id)
    if paging.is_gone(ms_id) then
        return take_over(ms_id, old, bvc, "its own cell has lost it")
    elseif listed and key and paging.is_on(ms_id) then
        return take_over(ms_id, old, bvc, "the MS has answered a page")
    elseif listed and not key and may(bvc.nse, "moves", old) then
        return take_over(ms_id, old, bvc, "nse.areas lists the area for both NSEs")
    end
    return ask(ms_id, old, bvc, not (listed and key))
end

-- A frame of the MS has come in a cell; its FCS is good or enciphered. Returns true if the MS is in the
-- cell now; false if control does not believe the claim, or the cell's worker has no room for the MS.
local function claim(ms_id, bvc)
    local old = network.bvc[dp.ms_cell(ms_id)]
    if old == bvc then
        return true
    elseif old and old.nse ~= bvc.nse then
        return claim_from_elsewhere(ms_id, old, bvc)
    elseif has_key(ms_id) and not paging.is_on(ms_id) and not paging.is_gone(ms_id) then
        return ask(ms_id, old or bvc, bvc, false)
    end
    return move(ms_id, bvc)
end

-- A frame of the MS for control, with a good FCS, has come in the cell.
function roam.heard_by_control(ms_id, bvc)
    if claim(ms_id, bvc) then
        release(ms_id)
    end
end

-- An enciphered FCS cannot be checked and counts as good.
local function is_frame(llc)
    return llc and (wire.llc_ui.decode(llc) or wire.llc_u.decode(llc)) and true
end

-- The MS with the TLLI in the same routeing area of another NSE; nil if none or several.
local function elsewhere(nse, bvc, tlli)
    local area, found = areas.of(bvc.cell), nil
    for _, other in ipairs(area and areas.nses(area) or {}) do
        local ms_id = other ~= nse and dp.ms_of(other.id, tlli)
        local cell = ms_id and network.bvc[dp.ms_cell(ms_id)]
        if cell and areas.of(cell.cell) == area then
            if found then
                return nil
            end
            found = ms_id
        end
    end
    return found
end

-- UL-UNITDATA with a TLLI that the NSE does not know.
function roam.unknown(nse, bvc, tlli, llc)
    local ms_id = bvc and is_frame(llc) and elsewhere(nse, bvc, tlli)
    if not ms_id or not claim(ms_id, bvc) then
        return "ignored"
    end
    release(ms_id)
    return "handled"
end

return roam
