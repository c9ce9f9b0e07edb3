-- The life of each BVC (TS 48.018 8.3, 8.4), as tables: what an event leads to in each state. BVCI
-- 0 of an NSE (nse.signalling) is reset first, which takes all of its cells down until each is
-- reset; it is never blocked. A cell that is up is flow.lua's. We reset what a BSS leaves down for
-- T2; of two RESETs that cross each is the other's acknowledgement (8.4.3).
--
-- An action gets the BVC, what came with the event (a PDU, a cause, or nothing) and the NS-VC, and
-- may return an outcome; without one it is "handled".
local areas = require "sluice.bssgp.areas"
local board = require "sluice.core.board"
local causes = require "sluice.core.causes"
local cells = require "sluice.bssgp.cells"
local count = require "count"
local dp = require "dp"
local features = require "sluice.bssgp.features"
local flow = require "sluice.bssgp.flow"
local gb = require "sluice.core.gb"
local log = require "log"
local pfc_entries = require "sluice.bssgp.pfc_entries"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local states = {}

local MOMENT_NS = 1000000000      -- that a BSS has for its own RESET of BVCI 0
local PAUSE_NS = 30000000000      -- after the last RESET of BVCI 0 that nobody answered

local function is_signalling(b)
    return b.bvci == 0
end

function states.name(b)
    return ("NSE %d, BVCI %d"):format(b.nse.nsei, b.bvci)
end

-- In the live view. An NSE without an NS-VC that may signal is down, whatever its BVCI 0 was; a cell may
-- be held by us.
function states.show(b)
    local nse = b.nse
    if is_signalling(b) then
        board.nse {
            nse_id = nse.id, nsei = nse.nsei, state = nse.ns_up and b.state or "down", features = nse.features,
            extended_features = nse.extended,
        }
    else
        board.bvc {
            bvc_id = b.id, nse_id = nse.id, bvci = b.bvci, state = b.held and "held" or b.state,
        }
    end
end

local tables -- of both kinds, below

-- A cell that is not up carries no user data either way; nor does one that is held by us, until the
-- BSS shows that it knows the cell. closed: what the dataplane knows of that.
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

-- What befalls all cells has its own time.
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

-- Values are forgotten, the bucket is empty, nothing goes down until FLOW-CONTROL-BVC.
local function start_anew(b)
    dp.bvc_reset { bvc_id = b.id }
    gate(b, false)
    flow.bvc_reset(b)
    world.tell("bvc_reset", b)
    pfc_entries.bvc_reset(b)
end

-- The BSS or we may reset a cell that stays down for long.
local function go_down(b)
    if b.nse.signalling.up and b.nse.cfg.ns ~= "manual" then
        wait(b, world.cfg.timers.t2_ns, "silence")
    else
        wait_no_more(b)
    end
end

local function lose(b)
    start_anew(b)
    go_down(b)
end

-- It is not where the file lets it be, so it stays down until the BSS or the file says otherwise.
local function refuse(b)
    areas.set(b, nil)
    wait_no_more(b)
end

local function refuse_anew(b)
    start_anew(b)
    refuse(b)
end

function cells.lost(b)
    happens(b, "lost")
end

-- Much of an MS comes on signalling, also while its cell is down.
local function come_up(b, pdu)
    if pdu.cell then
        areas.set(b, pdu.cell)
    end
    wait_no_more(b)
    world.tell("bvc_reset", b)
    flow.bvc_up(b)
end

-- RESET of a cell that was down already, or that we reset ourselves.
local function accept(b, pdu, nsvc)
    come_up(b, pdu)
    gb.send_signalling(b.nse, "bssgp_bvc_reset_ack", { bvci = b.bvci }, nsvc)
end

-- RESET of a cell that was up, or blocked.
local function accept_anew(b, pdu, nsvc)
    start_anew(b)
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
    wait(b, world.cfg.timers.t2_ns, "expired")
end

local function begin_reset(b, cause)
    b.tries = 0
    send_reset(b, cause or "o_and_m")
end

local function begin_reset_anew(b, cause)
    start_anew(b)
    begin_reset(b, cause)
end

-- T2 has expired.
local function repeat_reset(b)
    b.tries = b.tries + 1
    if b.tries <= world.cfg.timers.t2_retries then
        count.add "retries"
        return send_reset(b)
    end
    count.add "timeouts"
    log.warn(states.name(b) .. ": nobody answers BVC-RESET")
    return happens(b, "given_up")
end

-- The BSS speaks of it as one that is up.
function states.let_go(b)
    if b.held then
        gate(b, false)
    end
end

-- BLOCK and UNBLOCK are acknowledged in any state; what does not change has only that.
local function say_blocked(b, _, nsvc)
    gb.send_signalling(b.nse, "bssgp_bvc_block_ack", { bvci = b.bvci }, nsvc)
end

local function say_unblocked(b, _, nsvc)
    gb.send_signalling(b.nse, "bssgp_bvc_unblock_ack", { bvci = b.bvci }, nsvc)
end

local function block(b, pdu, nsvc)
    log.info(("%s is blocked: %s"):format(states.name(b), causes.text(causes.bssgp, pdu.cause)))
    say_blocked(b, pdu, nsvc)
end

-- ---- Actions of BVCI 0 ----

local function signalling_up(b, pdu, _, ...)
    wait_no_more(b)
    features.agree(b.nse, pdu.features, pdu.extended_features)
    cells.lose_all(b.nse, ...)
end

-- With the bitmaps that the RESET had: an older BSS knows none.
local function acknowledge(b, pdu, nsvc)
    local ours, extended = features.offered(b.nse)
    gb.send_signalling(b.nse, "bssgp_bvc_reset_ack", {
        bvci = 0, features = pdu.features and ours,
        extended_features = pdu.extended_features and extended,
    }, world.nsvc[nsvc.id] == nsvc and nsvc)
end

local function accept_signalling(b, pdu, nsvc)
    signalling_up(b, pdu, nsvc, acknowledge, b, pdu, nsvc)
end

-- It may have come up, or gone down, while its cells went down.
local function begin_reset_still(b, cause)
    if b.state == "resetting" then
        begin_reset(b, cause)
    end
end

local function begin_signalling(b, cause)
    wait_no_more(b)
    cells.lose_all(b.nse, begin_reset_still, b, cause)
end

local function pause(b)
    wait(b, PAUSE_NS, "silence")
end

local function moment(b)
    wait(b, MOMENT_NS, "silence")
end

-- A BSS that has reset its last NS-VC may have forgotten its cells: what is sent there would be
-- lost. It has a moment, once it can be heard again, to say so by its RESET of BVCI 0.
local function hold_cells(b)
    cells.hold_all(b.nse, true)
end

-- It knows them.
local function let_go(b)
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
            ns_up = { to = "down", act = moment },
            ns_down = { to = "down", act = wait_no_more },
            silence = { to = "resetting", act = begin_signalling },
            order = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
        },
        resetting = {
            ns_down = { to = "down", act = wait_no_more },
            expired = { to = "resetting", act = repeat_reset },
            given_up = { to = "down", act = pause },
            order = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
            reset_ack = { to = "up", act = signalling_up },
        },
        up = {
            ns_reset = { to = "up", act = hold_cells },
            ns_up = { to = "up", act = moment },
            ns_down = { to = "up", act = wait_no_more },
            silence = { to = "up", act = let_go },
            order = { to = "resetting", act = begin_signalling },
            reset = { to = "up", act = accept_signalling },
        },
    },
    cell = {
        down = {
            silence = { to = "resetting", act = begin_reset },
            order = { to = "resetting", act = begin_reset },
            reset = { to = "up", act = accept },
            refused = { to = "down", act = refuse },
            block = { to = "down", act = say_blocked },
            unblock = { to = "down", act = say_unblocked },
            lost = { to = "down", act = go_down },
        },
        resetting = {
            expired = { to = "resetting", act = repeat_reset },
            given_up = { to = "down", act = wait_no_more },
            order = { to = "resetting", act = begin_reset },
            reset = { to = "up", act = accept },
            refused = { to = "down", act = refuse },
            reset_ack = { to = "up", act = come_up },
            block = { to = "resetting", act = say_blocked },
            unblock = { to = "resetting", act = say_unblocked },
            lost = { to = "down", act = go_down },
        },
        up = {
            order = { to = "resetting", act = begin_reset_anew },
            reset = { to = "up", act = accept_anew },
            refused = { to = "down", act = refuse_anew },
            block = { to = "blocked", act = block },
            unblock = { to = "up", act = say_unblocked },
            lost = { to = "down", act = lose },
        },
        blocked = {
            order = { to = "resetting", act = begin_reset_anew },
            reset = { to = "up", act = accept_anew },
            refused = { to = "down", act = refuse_anew },
            block = { to = "blocked", act = say_blocked },
            unblock = { to = "up", act = say_unblocked },
            lost = { to = "down", act = lose },
        },
    },
}

states.wait_no_more, states.go_down = wait_no_more, go_down

return states
