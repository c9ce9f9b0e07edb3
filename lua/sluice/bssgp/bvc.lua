-- BVCs (TS 48.018 8.3, 8.4): added and removed BVCs, the PDUs about a BVC, and `sluice ctl bvc`. The
-- tables in states.lua say what each PDU leads to.
local areas = require "sluice.bssgp.areas"
local board = require "sluice.core.board"
local breath = require "sluice.base.breath"
local causes = require "sluice.core.causes"
local cells = require "sluice.bssgp.cells"
local clock = require "sluice.core.clock"
local count = require "count"
local features = require "sluice.bssgp.features"
local flow_control = require "sluice.bssgp.flow_control"
local hints = require "sluice.core.hints"
local log = require "log"
local pdus = require "sluice.bssgp.pdus"
local requests = require "sluice.core.requests"
local shown = require "sluice.base.shown"
local states = require "sluice.bssgp.states"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local bvc = {}

local AGAIN_NS = 10000000000 -- least time between two resets because both sides' states differ

-- ---- Added and removed BVCs ----

local function begin_cell(b)
    cells.begin_cell(b)
    local manual = b.nse.cfg.ns == "manual"
    b.state, b.up, b.tries = manual and "up" or "down", manual, 0
    b.held, b.closed = false, not manual
    if manual then
        flow_control.set_from_file(b)
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

network.watch("nse_added", begin_nse)
network.watch("nse_removed", function(nse)
    states.wait_no_more(nse.signalling)
    board.gone_nse { nse_id = nse.id }
end)
network.watch("bvc_added", begin_cell)
network.watch("bvc_removed", function(b)
    states.wait_no_more(b)
    board.gone_bvc { bvc_id = b.id }
end)

-- nse_up: the first NS-VC of the NSE is unblocked. nse_down: no NS-VC is unblocked any more. nse_reset:
-- the BSS has reset the last NS-VC. BVCs that are up stay up: a BSS that has restarted sends BVC-RESET.
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

-- After a change of nse.areas a BVC-RESET asks the BSS for the area of each cell that is down, and
-- of each cell in an area that is no longer allowed. Runs in a job.
local function ask(b)
    if network.bvc[b.id] ~= b then
        return
    elseif b.cell and not areas.allows(b.nse, b.cell) then
        areas.set(b, nil)
    elseif b.state ~= "down" then
        return
    end
    states.happens(b, "own_reset", "o_and_m")
end

function bvc.areas_changed(nse)
    for _, b in breath.each(table.move(nse.bvc_list, 1, #nse.bvc_list, 1, {})) do
        timers.after(0, ask, b)
    end
end

-- ---- PDUs ----

-- The BVC that a PDU on BVCI 0 names; nil if the NSE has no such BVC.
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

-- Adds a cell that is not in the file, if the NSE has cells = "any".
local function made(nse, bvci)
    if nse.cfg.cells ~= "any" or nse.coming[bvci] or bvci < 2 or bvci > 65534 then
        return nil
    elseif nse.made >= nse.cfg.own_bvcs then
        log.error(("NSE %d, BVCI %d: BVC-RESET refused: the BSS has added %d cells already; raise"
            .. " nse.cells_most or room.bvcs"):format(nse.nsei, bvci, nse.cfg.own_bvcs))
        return nil
    end
    local b, why = network.add_bvc(nse, bvci)
    if not b then
        log.error(("NSE %d, BVCI %d: BVC-RESET refused: %s"):format(nse.nsei, bvci,
            why == "room" and "no room for one more cell; raise room.bvcs" or why))
    end
    return b
end

-- The cell is in an area that nse.areas does not list. TS 48.018 has no negative answer to BVC-RESET,
-- so a STATUS tells the BSS (9), and the cell is not up.
local function misplaced(nse, pdu, nsvc, octets)
    local b = nse.bvcs[pdu.bvci]
    count.add "areas_refused"
    hints.no_area(nse, pdu.bvci, areas.text(pdu.cell))
    if b then
        cells.catch_up(b)
        states.happens(b, "wrong_area")
    end
    return pdus.refuse(nse, 0, "semantically_incorrect", octets, nsvc)
end

local function is_misplaced(nse, pdu)
    return pdu.bvci ~= 0 and pdu.cell and not areas.allows(nse, pdu.cell)
end

-- The BVC-RESET of a cell carries its cell identifier (10.4.12).
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
    log.info(("%s: BVC-RESET from the BSS, %s"):format(states.name(b),
        causes.text(causes.bssgp, pdu.cause)))
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

-- The STATUS answers our BVC-RESET; any other STATUS may be older than the BVC-RESET.
local function has_no_such_cell(pdu)
    return pdu.cause == causes.bssgp.bvci_unknown and pdu.pdu_in_error
        and pdus.name_of(pdu.pdu_in_error) == "bssgp_bvc_reset"
end

-- Restores both sides' state, at most once in AGAIN_NS.
local function reset_again(b)
    if b.disagreed_ns and clock.now_ns < b.disagreed_ns + AGAIN_NS then
        return "ignored"
    end
    b.disagreed_ns = clock.now_ns
    return states.happens(b, "own_reset", "o_and_m")
end

-- The SGSN has given up a cell, and a PDU shows that the BSS has it up.
network.watch("bvc_heard", reset_again)

-- The BSS does not know, or has blocked, a BVC that is up here.
local function disagree(b, pdu)
    if b.state == "resetting" and b.bvci ~= 0 then
        return has_no_such_cell(pdu) and states.happens(b, "given_up") or "ignored"
    elseif not b.up and (b.state ~= "blocked" or pdu.cause == causes.bssgp.bvci_blocked) then
        return "ignored"
    end
    return reset_again(b)
end

local function status(nse, _, pdu)
    local name = pdu.pdu_in_error and pdus.name_of(pdu.pdu_in_error)
    log.warn(("NSE %d: STATUS from the BSS: %s%s%s"):format(nse.nsei,
        causes.text(causes.bssgp, pdu.cause), pdu.bvci and (", BVCI %d"):format(pdu.bvci) or "",
        pdu.pdu_in_error and ", to " .. (name and shown.pdu(name) or "an unknown PDU") or ""))
    local known = pdu.cause == causes.bssgp.bvci_unknown or pdu.cause == causes.bssgp.bvci_blocked
    local b = known and pdu.bvci and named(nse, pdu.bvci)
    return b and disagree(b, pdu) or "handled"
end

pdus.on("bssgp_status", { on = "any", any_state = true, handler = status })

-- ---- sluice ctl bvc ----

local function describe(b)
    local cell = b.cell
    local text = states.name(b) .. ": " .. b.state
    if cell then
        text = ("%s, cell %s-%d"):format(text, areas.text(cell), cell.ci)
    end
    return b.flow_control and text .. ", " .. flow_control.describe(b) or text
end

-- A job may be suspended, so a timer of 0 starts the procedure.
local function start_reset(asked)
    local nse = network.nse_of_nsei[asked.nsei]
    local b = nse and named(nse, asked.bvci)
    if b then
        states.happens(b, "own_reset", "o_and_m")
    end
end

requests.on("bvc", function(words)
    local nse = network.nse_of_nsei[math.tointeger(words[2])]
    local b = nse and named(nse, math.tointeger(words[3]))
    if not b then
        return false, "no such BVC; " .. requests.usage "bvc"
    elseif words[4] == "reset" and nse.cfg.ns == "manual" then
        return false, ("NSE %d has ns = \"manual\": nobody there answers a BVC-RESET"):format(nse.nsei)
    elseif words[4] == "reset" then
        timers.after(0, start_reset, { nsei = nse.nsei, bvci = b.bvci })
        return true, states.name(b) .. ": BVC-RESET started"
    elseif words[4] then
        return false, requests.usage "bvc"
    end
    return true, describe(b)
end)

return bvc
