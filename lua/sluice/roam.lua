-- Where an MS is (TS 23.060 6.9.1.1, cell update). Inside its NSE the path moves it by its user
-- data, and says so; by a frame that is control's, and from one NSE to another, control does.
--
-- A TLLI is a claim that anybody on the air can make, and a good FCS proves no more than that
-- nothing was damaged. What is believed:
--   an MS without a key: a frame with a good FCS, as inside an NSE;
--   an MS with a key: what answers a page. Control has no keys to try, so any other claim has it
--     paged in the whole routeing area, its queue held until it is heard. So a lie costs the MS a
--     page, and the truth a second.
-- From another NSE only inside one routeing area, for no further is a TLLI one MS's name (TS 23.003
-- 2.6), and only if no second NSE knows it. All else changes nothing and has no answer: whoever
-- attaches or comes from another area speaks GMM, which is not here.
local dp = require "dp"
local flow = require "sluice.flow"
local flush = require "sluice.flush"
local paging = require "sluice.paging"
local subscribers = require "sluice.subscribers"
local suspend = require "sluice.suspend"
local wire = require "wire"
local world = require "sluice.world"

local roam = {}

-- ---- Moves ----

-- It is in the new cell, here and in the dataplane. Without an old one there is nobody to tell. If
-- it is being paged it goes on being paged, there, until it is heard.
local function settle(ms_id, tlli, old, new)
    suspend.moved(ms_id, new)
    flow.moved(ms_id)
    if old then
        flush.start(ms_id, tlli, old, new)
    end
end

-- False: it stays where it is.
local function move(ms_id, new)
    if not subscribers.may_move(ms_id, new.id) then
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
    if to and subscribers.may_move(ms_id, to.id) then
        dp.ms_move { ms_id = ms_id, bvc_id = to.id }
        settle(ms_id, nil, nil, to)
    end
    return to and "handled" or "ignored"
end

-- Event `moved`.
function roam.moved(ms_id, old_bvc_id, new_bvc_id)
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

-- ---- Claims ----

local function has_key(ms_id)
    local record = subscribers.of(ms_id)
    return record and record.ms.cipher ~= "none"
end

-- A frame of the MS, whose FCS was good where it can be read, has come in a cell: true, and the MS
-- is there from now on; false: it is not believed, or there is no room for it.
function roam.claim(ms_id, bvc)
    if dp.ms_cell(ms_id) == bvc.id then
        return true
    end
    if has_key(ms_id) and not paging.is_on(ms_id) then
        paging.start(ms_id, "claimed")
        return false
    end
    return move(ms_id, bvc)
end

-- An enciphered FCS is taken for good.
local function is_frame(llc)
    return llc and (wire.llc_ui.decode(llc) or wire.llc_u.decode(llc)) and true
end

-- The only MS of that TLLI in other NSEs, if its cell is in the same routeing area.
local function elsewhere(nse, bvc, tlli)
    local found
    for _, other in ipairs(world.nses) do
        local ms_id = other ~= nse and dp.ms_of(other.id, tlli)
        if ms_id and found then
            return nil
        end
        found = ms_id or found
    end
    local cell = found and world.bvc[dp.ms_cell(found)]
    return cell and paging.same_area(cell.cell, bvc.cell) and found
end

-- UL-UNITDATA of a TLLI that the NSE does not know: the MS that it is of now, or nil.
function roam.unknown(nse, bvc, tlli, llc)
    local ms_id = bvc and is_frame(llc) and elsewhere(nse, bvc, tlli)
    return ms_id and roam.claim(ms_id, bvc) and ms_id or nil
end

return roam
