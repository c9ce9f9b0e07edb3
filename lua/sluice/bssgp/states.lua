-- The states of a BVC (TS 48.018 8.3, 8.4) as tables: the next state and the action for each event.
-- BVCI 0 of an NSE (nse.signalling) is reset first and never blocked; its reset takes all cells of the
-- NSE down until each is reset. The SGSN sends BVC-RESET for a cell that stays down for T2. When two
-- BVC-RESETs cross, each acknowledges the other (8.4.3). flow_control.lua handles a cell that is up.
--
-- Events: reset, reset_ack, block, unblock  PDUs of the BSS
--         own_reset    the SGSN is to send BVC-RESET (operator, STATUS of the BSS, reload)
--         t2           T2 has expired
--         given_up     no BVC-RESET-ACK after all retries of T2, or STATUS "BVCI unknown" to BVC-RESET
--         bvci0_reset  BVCI 0 of the cell's NSE was reset
--         wrong_area   nse.areas does not allow the cell's routeing area
--         ns_up, ns_down, ns_reset  the NSE has an unblocked NS-VC, has none, has its last NS-VC reset
--         no_reset     after ns_up or given_up the BSS sent no BVC-RESET of BVCI 0 in time
--
-- An action gets the BVC, the event's argument (a PDU, a cause, or nil) and the NS-VC. It may return an
-- outcome; nil is "handled".
local areas = require "sluice.bssgp.areas"
local board = require "sluice.core.board"
local causes = require "sluice.core.causes"
local cells = require "sluice.bssgp.cells"
local count = require "count"
local dp = require "dp"
local features = require "sluice.bssgp.features"
local flow_control = require "sluice.bssgp.flow_control"
local gb = require "sluice.core.gb"
local log = require "log"
local pfc_entries = require "sluice.bssgp.pfc_entries"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local states = {}

local BSS_RESET_NS = 1000000000   -- from ns_up: time for the BSS's own BVC-RESET of BVCI 0
local PAUSE_NS = 30000000000      -- from given_up of BVCI 0 to the next BVC-RESET

local function is_signalling(b)
    return b.bvci == 0
end

function states.name(b)
    return ("NSE %d, BVCI %d"):format(b.nse.nsei, b.bvci)
end

-- For the live view. An NSE without an unblocked NS-VC is shown as down whatever the state of BVCI 0. A
-- held cell is shown as held.
function states.show(b)
    local nse = b.nse
    if is_signalling(b) then
        board.nse {
            nse_id = nse.id, nsei = nse.nsei, state = nse.ns_up and b.state or "down",
            features = nse.features, extended_features = nse.extended,
        }
    else
        board.bvc {
            bvc_id = b.id, nse_id = nse.id, bvci = b.bvci, state = b.held and "held" or b.state,
        }
    end
end

local tables -- below

-- A cell carries user data only if it is up and not held; a held cell waits until the BSS shows that it
-- knows the cell. closed: the dataplane's copy of that.
local function gate(b, held)
    local was = b.held
    b.held = held
    if was ~= held then
        states.show(b)
    end
    local closed = held or not b.up
    if b.closed ~= closed then
        b.closed = closed
        dp.bvc_block { bvc_id = b.id, blocked = closed }
    end
end

local function enter(b, to)
    local from = b.state
    b.state, b.up = to, to == "up"
    if not is_signalling(b) then
        gate(b, b.held)
    end
    if from ~= to then
        log.info(("%s: %s, was %s"):format(states.name(b), to, from))
    end
end

-- Returns the outcome.
function states.happens(b, event, ...)
    local step = tables[is_signalling(b) and "signalling" or "cell"][b.state][event]
    if not step then
        return "ignored"
    end
    enter(b, step.to)
    local outcome = step.act(b, ...)
    states.show(b)
    return outcome or "handled"
end

local happens = states.happens

-- ---- Timers ----

-- An outstanding event for all cells of the NSE replaces the expiry.
local function fire(wait)
    local b = wait.bvc
    b.timer = nil
    if is_signalling(b) or not cells.catch_up(b) then
        happens(b, wait.event)
    end
end

local function wait(b, ns, event)
    timers.stop(b.timer)
    b.timer = timers.after(ns, fire, { bvc = b, event = event })
end

local function wait_no_more(b)
    timers.stop(b.timer)
    b.timer, b.tries = nil, 0
end

-- ---- Actions ----

-- Forgets flow control and empties the bucket; the cell sends nothing until FLOW-CONTROL-BVC.
local function forget(b)
    dp.bvc_reset { bvc_id = b.id }
    gate(b, false)
    flow_control.bvc_reset(b)
    network.tell("bvc_reset", b)
    pfc_entries.bvc_reset(b)
end

-- The BSS has T2 to reset the cell; then the SGSN does.
local function go_down(b)
    b.given_up = false
    if b.nse.signalling.up and b.nse.cfg.ns ~= "manual" then
        wait(b, network.cfg.timers.t2_ns, "t2")
    else
        wait_no_more(b)
    end
end

local function forget_and_go_down(b)
    forget(b)
    go_down(b)
end

-- The cell stays down until a BVC-RESET or a reload brings an allowed area.
local function refuse(b)
    areas.set(b, nil)
    wait_no_more(b)
    b.given_up = false
end

local function forget_and_refuse(b)
    forget(b)
    refuse(b)
end

function cells.bvci0_reset(b)
    happens(b, "bvci0_reset")
end

-- BVCI 0 carries PDUs about MSs (SUSPEND, FLUSH-LL-ACK) also while the cell is down, so bvc_reset is
-- told here too.
local function come_up(b, pdu)
    if pdu.cell then
        areas.set(b, pdu.cell)
    end
    wait_no_more(b)
    network.tell("bvc_reset", b)
    flow_control.bvc_up(b)
end

-- BVC-RESET of a cell that is down or resetting.
local function accept(b, pdu, nsvc)
    come_up(b, pdu)
    gb.send_signalling(b.nse, "bssgp_bvc_reset_ack", { bvci = b.bvci }, nsvc)
end

-- BVC-RESET of a cell that is up or blocked.
local function forget_and_accept(b, pdu, nsvc)
    forget(b)
    accept(b, pdu, nsvc)
end

local function send_reset(b, cause)
    b.cause = cause or b.cause
    local pdu = { bvci = b.bvci, cause = causes.bssgp[b.cause] }
    if is_signalling(b) then
        local extended
        pdu.features, extended = features.offered(b.nse)
        pdu.extended_features = extended ~= 0 and extended or nil
    end
    gb.send_signalling(b.nse, "bssgp_bvc_reset", pdu)
    wait(b, network.cfg.timers.t2_ns, "t2")
end

local function begin_reset(b, cause)
    b.tries = 0
    send_reset(b, cause or "o_and_m")
end

local function forget_and_reset(b, cause)
    forget(b)
    begin_reset(b, cause)
end

local function repeat_reset(b)
    b.tries = b.tries + 1
    if b.tries <= network.cfg.timers.t2_retries then
        count.add "retries"
        return send_reset(b)
    end
    count.add "timeouts"
    log.warn(states.name(b) .. ": no BVC-RESET-ACK")
    return happens(b, "given_up")
end

-- The cell stays down until the BSS shows that it has the cell (see bvc.lua).
local function give_up(b)
    wait_no_more(b)
    b.given_up = true
end

-- A PDU of the BSS shows that it has the cell up.
function states.let_go(b)
    if b.held then
        gate(b, false)
    end
end

-- BVC-BLOCK and BVC-UNBLOCK are acknowledged in any state.
local function acknowledge_block(b, _, nsvc)
    gb.send_signalling(b.nse, "bssgp_bvc_block_ack", { bvci = b.bvci }, nsvc)
end

local function acknowledge_unblock(b, _, nsvc)
    gb.send_signalling(b.nse, "bssgp_bvc_unblock_ack", { bvci = b.bvci }, nsvc)
end

local function block(b, pdu, nsvc)
    log.info(("%s is blocked: %s"):format(states.name(b), causes.text(causes.bssgp, pdu.cause)))
    acknowledge_block(b, pdu, nsvc)
end

-- ---- Actions of BVCI 0 ----

local function signalling_up(b, pdu, _, ...)
    wait_no_more(b)
    features.agree(b.nse, pdu.features, pdu.extended_features)
    cells.reset_all(b.nse, ...)
end

-- The ACK has the bitmaps that the BVC-RESET had: an older BSS knows none.
local function acknowledge(b, pdu, nsvc)
    local ours, extended = features.offered(b.nse)
    gb.send_signalling(b.nse, "bssgp_bvc_reset_ack", {
        bvci = 0, features = pdu.features and ours,
        extended_features = pdu.extended_features and extended,
    }, network.nsvc[nsvc.id] == nsvc and nsvc)
end

local function accept_signalling(b, pdu, nsvc)
    signalling_up(b, pdu, nsvc, acknowledge, b, pdu, nsvc)
end

-- BVCI 0 may have changed its state while the job took the cells down.
local function begin_reset_still(b, cause)
    if b.state == "resetting" then
        begin_reset(b, cause)
    end
end

local function begin_signalling(b, cause)
    wait_no_more(b)
    cells.reset_all(b.nse, begin_reset_still, b, cause)
end

local function pause(b)
    wait(b, PAUSE_NS, "no_reset")
end

local function await_reset(b)
    wait(b, BSS_RESET_NS, "no_reset")
end

-- A BSS that has reset its last NS-VC may have restarted and forgotten its cells, so user data waits.
-- The BSS has BSS_RESET_NS from ns_up to send BVC-RESET of BVCI 0.
local function hold_cells(b)
    cells.hold_all(b.nse, true)
end

-- Without BVC-RESET of BVCI 0 the BSS still knows its cells.
local function release_cells(b)
    cells.hold_all(b.nse, false)
end

function cells.hold(b, whether)
    if not whether then
        states.let_go(b)
    elseif b.up then
        gate(b, true)
    end
end

-- ---- The tables ----

tables = {
    signalling = {
        down = {
            ns_up = { to = "down", act = await_reset },
            ns_down = { to = "down", act = wait_no_more },
            no_reset = { to = "resetting", act = begin_signalling },
            own_reset = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
        },
        resetting = {
            ns_down = { to = "down", act = wait_no_more },
            t2 = { to = "resetting", act = repeat_reset },
            given_up = { to = "down", act = pause },
            own_reset = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
            reset_ack = { to = "up", act = signalling_up },
        },
        up = {
            ns_reset = { to = "up", act = hold_cells },
            ns_up = { to = "up", act = await_reset },
            ns_down = { to = "up", act = wait_no_more },
            no_reset = { to = "up", act = release_cells },
            own_reset = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
        },
    },
    cell = {
        down = {
            t2 = { to = "resetting", act = begin_reset },
            own_reset = { to = "resetting", act = begin_reset },
            reset = { to = "up", act = accept },
            wrong_area = { to = "down", act = refuse },
            block = { to = "down", act = acknowledge_block },
            unblock = { to = "down", act = acknowledge_unblock },
            bvci0_reset = { to = "down", act = go_down },
        },
        resetting = {
            t2 = { to = "resetting", act = repeat_reset },
            given_up = { to = "down", act = give_up },
            own_reset = { to = "resetting", act = begin_reset },
            reset = { to = "up", act = accept },
            wrong_area = { to = "down", act = refuse },
            reset_ack = { to = "up", act = come_up },
            block = { to = "resetting", act = acknowledge_block },
            unblock = { to = "resetting", act = acknowledge_unblock },
            bvci0_reset = { to = "down", act = go_down },
        },
        up = {
            own_reset = { to = "resetting", act = forget_and_reset },
            reset = { to = "up", act = forget_and_accept },
            wrong_area = { to = "down", act = forget_and_refuse },
            block = { to = "blocked", act = block },
            unblock = { to = "up", act = acknowledge_unblock },
            bvci0_reset = { to = "down", act = forget_and_go_down },
        },
        blocked = {
            own_reset = { to = "resetting", act = forget_and_reset },
            reset = { to = "up", act = forget_and_accept },
            wrong_area = { to = "down", act = forget_and_refuse },
            block = { to = "blocked", act = acknowledge_block },
            unblock = { to = "up", act = acknowledge_unblock },
            bvci0_reset = { to = "down", act = forget_and_go_down },
        },
    },
}

states.wait_no_more, states.go_down = wait_no_more, go_down

return states
