-- Where an MS is (TS 23.060 6.9.1.1, cell update). Inside its NSE the path moves it by its user
-- data, and says so; by a frame that is control's, and from one NSE to another, control does.
--
-- A TLLI is a claim that anybody on the air, or any BSS, can make, and a good FCS proves no more than that
-- nothing was damaged. Control has no keys to try. Who has a key is believed inside its NSE when it
-- answers a page; who has none, at once. From another NSE only inside one routeing area, for no further is
-- a TLLI one MS's name (TS 23.003 2.6), and only if no second MS of the area has it. There, believed are
--   an MS that its own cell does not have: its BSS has said so, or it has not answered a page there;
--   if the file lists the area for both NSEs (nse.areas), so that either may have MSs of the other's:
--     without a key all of them, as many a second as make all MSs of the old NSE in a minute;
--     with a key one that answers a page in the area: by any frame, so who is there can forge that.
-- Anybody else is paged in its own cell alone, and is where it was claimed to be if it is silent
-- there. Its queue goes on where it was until then, so a lie costs the MS a page, and the truth the time
-- of four. Pages have that same limit a second, for each NSE that claims; what is beyond is not heard.
-- All else changes nothing and has no answer: whoever attaches or comes from another area speaks GMM,
-- which is not here.
local areas = require "sluice.bssgp.areas"
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local flow = require "sluice.bssgp.flow"
local flush = require "sluice.ms.flush"
local hints = require "sluice.core.hints"
local members = require "sluice.subscribers.members"
local paging = require "sluice.ms.paging"
local subscribers = require "sluice.subscribers.registry"
local suspend = require "sluice.ms.suspend"
local suspended = require "sluice.ms.suspended"
local wire = require "wire"
local world = require "sluice.core.world"

local roam = {}

local LEAST_A_SECOND = 20 -- moves and pages by claims of an NSE
local A_MINUTE_S = 60

-- ---- Moves ----

-- It is in the new cell, here and in the dataplane. Without an old one there is nobody to tell. If
-- it is being paged it goes on being paged, there, until it is heard.
local function settle(ms_id, tlli, old, new)
    suspended.moved(ms_id, new)
    flow.moved(ms_id)
    if old then
        flush.start(ms_id, tlli, old, new)
    end
end

-- False: it stays where it is.
local function move(ms_id, new)
    if not members.may_move(ms_id, new.id) then
        return false
    end
    local old_id, tlli = dp.ms_cell(ms_id)
    dp.ms_move { ms_id = ms_id, bvc_id = new.id }
    settle(ms_id, tlli, world.bvc[old_id], new)
    return true
end

-- The cell that it is in is being removed: back to where it was, or to its record's, or to any.
local function move_back(ms_id, going, old_bvc_id)
    local record = subscribers.of(ms_id)
    local to = world.bvc[old_bvc_id] or record and world.bvc[record.bvc_id] or going.nse.bvc_list[1]
    if to and members.may_move(ms_id, to.id) then
        dp.ms_move { ms_id = ms_id, bvc_id = to.id }
        settle(ms_id, nil, nil, to)
    end
    return to and "handled" or "ignored"
end

local function take_move(ms_id, old_bvc_id, new_bvc_id)
    local bvc_id, tlli = dp.ms_cell(ms_id)
    if bvc_id ~= new_bvc_id then -- it has been moved on since
        return "ignored"
    end
    if not world.bvc[new_bvc_id] then
        local going = world.going[new_bvc_id]
        return going and move_back(ms_id, going, old_bvc_id) or "ignored"
    end
    settle(ms_id, tlli, world.bvc[old_bvc_id], world.bvc[new_bvc_id])
    return "handled"
end

-- Event: the path has moved it, within its NSE.
function roam.moved(ms_id, old_bvc_id, new_bvc_id)
    local outcome = take_move(ms_id, old_bvc_id, new_bvc_id)
    subscribers.tell("seen", ms_id)
    return outcome
end

subscribers.watch("moved", roam.moved)

-- ---- What is heard ----

-- It has been heard where it is, after somebody claimed it to be in that cell.
local function note_untrue(ms_id, claimed)
    local cell = world.bvc[dp.ms_cell(ms_id)]
    if cell and cell.nse ~= claimed.nse then
        count.add "claims_refused"
        hints.not_moved(subscribers.imsi(ms_id), cell.nse, claimed.nse, "it has been heard there")
    end
end

-- It need not be paged any more.
local function answered(ms_id)
    local _, claimed = paging.stop(ms_id)
    if claimed then
        note_untrue(ms_id, claimed)
    end
end

-- It is where we have it: nothing is held.
local function release(ms_id)
    answered(ms_id)
    suspend.forget(ms_id)
    dp.ms_release { ms_id = ms_id }
end

-- Event: a good frame of its user data has ended the hold, or was listened for.
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

-- Whether the NSE may bring one more of those about in this second.
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

-- From an NSE to another.
local function take_over(ms_id, old, bvc, how)
    if not move(ms_id, bvc) then
        return false
    end
    count.add "claims_moved"
    hints.moved(subscribers.imsi(ms_id), old.nse, bvc.nse, how)
    return true
end

-- It has been paged in its own cell, for somebody claimed it to be in that one, and not been heard. False:
-- it stays where it was.
local function silent(ms_id, bvc)
    local old = world.bvc[dp.ms_cell(ms_id)]
    if not old or world.bvc[bvc.id] ~= bvc or not bvc.up or not areas.same(old.cell, bvc.cell)
        or not take_over(ms_id, old, bvc, "it was not heard in its own cell") then
        return false
    end
    release(ms_id)
    return true
end

-- In its own cell alone, or with all others of the area. False: nobody is moved yet.
local function ask(ms_id, old, bvc, alone)
    local when_silent = alone and silent
    if alone and suspended.of(ms_id) then -- whom nobody pages
        count.add "claims_refused"
        hints.not_moved(subscribers.imsi(ms_id), old.nse, bvc.nse, "it is in a call there")
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

-- Both cells are of one area.
local function are_listed(old, bvc)
    local area = areas.of(bvc.cell)
    return areas.lists(old.nse, area) and areas.lists(bvc.nse, area)
end

local function claim_from_elsewhere(ms_id, old, bvc)
    local listed, key = are_listed(old, bvc), has_key(ms_id)
    if paging.is_gone(ms_id) then
        return take_over(ms_id, old, bvc, "its own cell does not have it")
    elseif listed and key and paging.is_on(ms_id) then
        return take_over(ms_id, old, bvc, "it has answered a page")
    elseif listed and not key and may(bvc.nse, "moves", old) then
        return take_over(ms_id, old, bvc, "nse.areas has their area for both")
    end
    return ask(ms_id, old, bvc, not (listed and key))
end

-- A frame of the MS, whose FCS was good where it can be read, has come in a cell: true, and the MS
-- is there from now on; false: it is not believed, or there is no room for it.
local function claim(ms_id, bvc)
    local old = world.bvc[dp.ms_cell(ms_id)]
    if old == bvc then
        return true
    elseif old and old.nse ~= bvc.nse then
        return claim_from_elsewhere(ms_id, old, bvc)
    elseif has_key(ms_id) and not paging.is_on(ms_id) and not paging.is_gone(ms_id) then
        return ask(ms_id, old or bvc, bvc, false)
    end
    return move(ms_id, bvc)
end

-- A frame of it that was control's, with a good FCS, in that cell.
function roam.heard_by_control(ms_id, bvc)
    if claim(ms_id, bvc) then
        release(ms_id)
    end
end

-- An enciphered FCS is taken for good.
local function is_frame(llc)
    return llc and (wire.llc_ui.decode(llc) or wire.llc_u.decode(llc)) and true
end

-- The only MS of that TLLI that another NSE has in a cell of the same routeing area.
local function elsewhere(nse, bvc, tlli)
    local area, found = areas.of(bvc.cell), nil
    for _, other in ipairs(area and areas.nses(area) or {}) do
        local ms_id = other ~= nse and dp.ms_of(other.id, tlli)
        local cell = ms_id and world.bvc[dp.ms_cell(ms_id)]
        if cell and areas.of(cell.cell) == area then
            if found then
                return nil
            end
            found = ms_id
        end
    end
    return found
end

-- UL-UNITDATA of a TLLI that the NSE does not know.
function roam.unknown(nse, bvc, tlli, llc)
    local ms_id = bvc and is_frame(llc) and elsewhere(nse, bvc, tlli)
    if not ms_id or not claim(ms_id, bvc) then
        return "ignored"
    end
    release(ms_id)
    return "handled"
end

return roam
