-- BVCs (TS 48.018 8.3, 8.4): which there are, the PDUs that are about one, and what `sluice ctl
-- bvc` shows and does. What a PDU leads to is in the tables of states.lua.
local areas = require "sluice.bssgp.areas"
local board = require "sluice.core.board"
local breath = require "sluice.base.breath"
local causes = require "sluice.core.causes"
local cells = require "sluice.bssgp.cells"
local clock = require "sluice.core.clock"
local count = require "count"
local features = require "sluice.bssgp.features"
local flow = require "sluice.bssgp.flow"
local hints = require "sluice.core.hints"
local log = require "log"
local pdus = require "sluice.bssgp.pdus"
local requests = require "sluice.core.requests"
local states = require "sluice.bssgp.states"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local bvc = {}

local AGAIN_NS = 10000000000 -- from a reset that a STATUS led to, to the next

-- ---- Who is there ----

local function begin_cell(b)
    cells.begin_cell(b)
    local manual = b.nse.cfg.ns == "manual"
    b.state, b.up, b.tries = manual and "up" or "down", manual, 0
    b.held, b.closed = false, not manual
    if manual then
        flow.by_hand(b)
    else
        states.go_down(b)
    end
    states.show(b)
end

local function begin_nse(nse)
    cells.begin_nse(nse)
    local manual = nse.cfg.ns == "manual"
    nse.signalling = {
        nse = nse, bvci = 0, state = manual and "up" or "down", up = manual, tries = 0,
    }
    features.agree(nse, 0, 0)
    states.show(nse.signalling)
end

world.watch("nse_added", begin_nse)
world.watch("nse_removed", function(nse)
    states.wait_no_more(nse.signalling)
    board.gone_nse { nse_id = nse.id }
end)
world.watch("bvc_added", begin_cell)
world.watch("bvc_removed", function(b)
    states.wait_no_more(b)
    board.gone_bvc { bvc_id = b.id }
end)

-- The first NS-VC of the NSE may carry data; none may any more; the BSS has reset the last. What
-- was up stays so: a BSS that has forgotten it resets.
function bvc.nse_up(nse)
    states.happens(nse.signalling, "ns_up")
    states.show(nse.signalling)
end

function bvc.nse_down(nse)
    states.happens(nse.signalling, "ns_down")
    states.show(nse.signalling)
end

function bvc.nse_reset(nse)
    states.happens(nse.signalling, "ns_reset")
end

-- The file lists other areas for the NSE: whether a cell that is down, or that may not be where it is,
-- may be there now, its BSS is asked. In a job.
local function ask(b)
    if world.bvc[b.id] ~= b then
        return
    elseif b.cell and not areas.allows(b.nse, b.cell) then
        areas.set(b, nil)
    elseif b.state ~= "down" then
        return
    end
    states.happens(b, "order", "o_and_m")
end

function bvc.areas_changed(nse)
    for _, b in breath.each(table.move(nse.bvc_list, 1, #nse.bvc_list, 1, {})) do
        timers.after(0, ask, b)
    end
end

-- ---- PDUs ----

-- The BVC that a PDU on signalling is about; nil: there is none.
local function named(nse, bvci)
    local b = nse.bvcs[bvci]
    if bvci == 0 then
        return nse.signalling
    elseif b then
        cells.catch_up(b)
    end
    return b
end

local function unknown(nse, bvci, octets, nsvc)
    return pdus.refuse(nse, 0, "bvci_unknown", octets, nsvc, bvci)
end

-- A cell that is not in the file, if the NSE may have such.
local function made(nse, bvci)
    if nse.cfg.cells ~= "any" or nse.coming[bvci] or bvci < 2 or bvci > 65534 then
        return nil
    elseif nse.made >= nse.cfg.own_bvcs then
        log.error(("NSE %d, BVCI %d: it has the %d cells that its BSS may make (nse.cells_most,"
            .. " room.bvcs)"):format(nse.nsei, bvci, nse.cfg.own_bvcs))
        return nil
    end
    local b, why = world.add_bvc(nse, bvci)
    if not b then
        log.error(("NSE %d, BVCI %d: %s"):format(nse.nsei, bvci,
            why == "room" and "no room for one more cell" or why))
    end
    return b
end

-- The cell is in an area that the file does not list for its NSE. The clauses know no negative
-- acknowledgement; what cannot be meant is told by STATUS (9), and the cell is not up.
local function misplaced(nse, pdu, nsvc, octets)
    local b = nse.bvcs[pdu.bvci]
    count.add "areas_refused"
    hints.no_area(nse, pdu.bvci, areas.text(pdu.cell))
    if b then
        cells.catch_up(b)
        states.happens(b, "refused")
    end
    return pdus.refuse(nse, 0, "semantically_incorrect", octets, nsvc)
end

local function is_misplaced(nse, pdu)
    return pdu.bvci ~= 0 and pdu.cell and not areas.allows(nse, pdu.cell)
end

-- A BSS says which cell a BVC is (10.4.12).
local function reset(nse, _, pdu, nsvc, octets)
    if pdu.bvci ~= 0 and not pdu.cell then
        return pdus.refuse(nse, 0, "missing_conditional", octets, nsvc)
    elseif is_misplaced(nse, pdu) then
        return misplaced(nse, pdu, nsvc, octets)
    end
    local b = named(nse, pdu.bvci) or made(nse, pdu.bvci)
    if not b then
        if nse.cfg.cells ~= "any" then
            hints.no_cell(nse, pdu.bvci)
        end
        return unknown(nse, pdu.bvci, octets, nsvc)
    end
    log.info(("%s: BVC-RESET, %s"):format(states.name(b), causes.text(causes.bssgp, pdu.cause)))
    return states.happens(b, "reset", pdu, nsvc)
end

local function on_named(event)
    return function(nse, _, pdu, nsvc, octets)
        local b = named(nse, pdu.bvci)
        if not b then
            return unknown(nse, pdu.bvci, octets, nsvc)
        end
        return states.happens(b, event, pdu, nsvc)
    end
end

-- BVCI 0 is never blocked (8.3).
local function on_cell(event)
    local take = on_named(event)
    return function(nse, cell, pdu, nsvc, octets)
        if pdu.bvci == 0 then
            return pdus.refuse(nse, 0, "invalid_mandatory", octets, nsvc)
        end
        return take(nse, cell, pdu, nsvc, octets)
    end
end

local function on(name, handler)
    pdus.on(name, { on = "signalling", any_state = true, handler = handler })
end

local reset_ack = on_named "reset_ack"

on("bssgp_bvc_reset", reset)
on("bssgp_bvc_reset_ack", function(nse, cell, pdu, nsvc, octets)
    if is_misplaced(nse, pdu) then
        return misplaced(nse, pdu, nsvc, octets)
    end
    return reset_ack(nse, cell, pdu, nsvc, octets)
end)
on("bssgp_bvc_block", on_cell "block")
on("bssgp_bvc_unblock", on_cell "unblock")

-- ---- STATUS from the BSS ----

-- What the BSS says to our BVC-RESET itself; all else may have been on its way before that.
local function has_no_such_cell(pdu)
    return pdu.cause == causes.bssgp.bvci_unknown and pdu.pdu_in_error
        and pdus.name_of(pdu.pdu_in_error) == "bssgp_bvc_reset"
end

-- What the BSS does not know, or has blocked, and we have up: both begin anew, if not too often.
local function disagree(b, pdu)
    if b.state == "resetting" and b.bvci ~= 0 then
        return has_no_such_cell(pdu) and states.happens(b, "given_up") or "ignored"
    elseif not b.up and (b.state ~= "blocked" or pdu.cause == causes.bssgp.bvci_blocked)
            or b.disagreed_ns and clock.now_ns < b.disagreed_ns + AGAIN_NS then
        return "ignored"
    end
    b.disagreed_ns = clock.now_ns
    return states.happens(b, "order", "o_and_m")
end

local function status(nse, _, pdu)
    log.warn(("NSE %d: STATUS %s%s%s"):format(nse.nsei, causes.text(causes.bssgp, pdu.cause),
        pdu.bvci and (", BVCI %d"):format(pdu.bvci) or "",
        pdu.pdu_in_error and ", to " .. (pdus.name_of(pdu.pdu_in_error) or "no PDU") or ""))
    local known = pdu.cause == causes.bssgp.bvci_unknown or pdu.cause == causes.bssgp.bvci_blocked
    local b = known and pdu.bvci and named(nse, pdu.bvci)
    return b and disagree(b, pdu) or "handled"
end

pdus.on("bssgp_status", { on = "any", any_state = true, handler = status })

-- ---- sluice ctl bvc ----

local function describe(b)
    local cell, f = b.cell, b.flow
    local text = states.name(b) .. ": " .. b.state
    if cell then
        text = ("%s, cell %s-%d"):format(text, areas.text(cell), cell.ci)
    end
    return f and text .. ", " .. flow.describe(f) or text
end

-- A request is a job, and may be interrupted; what it begins is not.
local function order(asked)
    local nse = world.nse_of_nsei[asked.nsei]
    local b = nse and named(nse, asked.bvci)
    if b then
        states.happens(b, "order", "o_and_m")
    end
end

requests.on("bvc", "bvc NSEI BVCI [reset]", function(words)
    local nse = world.nse_of_nsei[math.tointeger(words[2])]
    local b = nse and named(nse, math.tointeger(words[3]))
    if not b then
        return false, "no such BVC: bvc NSEI BVCI [reset]"
    elseif words[4] == "reset" then
        timers.after(0, order, { nsei = nse.nsei, bvci = b.bvci })
        return true, states.name(b) .. ": BVC-RESET is on its way"
    elseif words[4] then
        return false, "bvc NSEI BVCI, or bvc NSEI BVCI reset"
    end
    return true, describe(b)
end)

return bvc
