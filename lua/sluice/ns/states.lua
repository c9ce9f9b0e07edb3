-- The states of an NS-VC (TS 48.016 7.2 to 7.4) as a table. On entry into a state this module tells the
-- dataplane, tells BSSGP if the NSE came up or went down by it, and sends the state's PDU (NS-RESET,
-- NS-BLOCK, NS-UNBLOCK) until the ACK comes. vc.lua has the received PDUs. On a dead NS-VC NS-RESET goes
-- on, so that the NS-VC is up soon after its BSS is back.
local addresses = require "sluice.base.addresses"
local board = require "sluice.core.board"
local bvc = require "sluice.bssgp.bvc"
local causes = require "sluice.core.causes"
local count = require "count"
local gb = require "sluice.core.gb"
local log = require "log"
local shown = require "sluice.base.shown"
local ns_test = require "sluice.ns.test"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local ns_state = {}

-- alive: NS-ALIVE runs or is answered; open: the NS-VC may carry NS-UNITDATA. unitdata: what a received
-- NS-UNITDATA leads to; while a procedure of the SGSN runs, the BSS may already be in the next state,
-- so no NS-STATUS. send: the PDU sent on entry and at each expiry of `timer`; given_up: the state after
-- the last retry.
ns_state.states = {
    dead = { unitdata = "ignore" },
    reset = { unitdata = "ignore", send = "ns_reset", timer = "tns_reset", given_up = "dead" },
    blocked = { alive = true, unitdata = "status" },
    unblocking = {
        alive = true, unitdata = "ignore", send = "ns_unblock", timer = "tns_block",
        given_up = "blocked",
    },
    blocking = {
        alive = true, unitdata = "take", send = "ns_block", timer = "tns_block",
        given_up = "blocked",
    },
    unblocked = { alive = true, open = true, unitdata = "take" },
}

-- The reasons of network.add_nsvc, for the log.
ns_state.reasons = {
    room = "no room (nse.nsvcs_most, room.nsvcs)", taken = "another NS-VC has the endpoint",
}

function ns_state.name(nsvc)
    return ("NS-VC %s of NSE %d (%s)"):format(nsvc.nsvci or "-", nsvc.nse.nsei,
        addresses.at(nsvc.address, nsvc.port))
end

-- For the live view. Without a neighbour no PDU arrives, so "no neighbour" hides the state. An NS-VC
-- stays unblocked while its BSS has not answered NS-ALIVE, but hardly carries anything.
local function word_of(nsvc)
    local unanswered = nsvc.state == "unblocked" and ns_test.is_unanswered(nsvc)
    return nsvc.silent and "no neighbour" or nsvc.state .. (unanswered and ", no answer" or "")
end

function ns_state.show(nsvc)
    board.nsvc {
        nsvc_id = nsvc.id, nse_id = nsvc.nse.id, nsvci = nsvc.nsvci or 0, state = word_of(nsvc),
    }
end

ns_test.changed = ns_state.show

-- Tells BSSGP when the NSE gets its first NS-VC for signalling, or has lost the last.
function ns_state.settle(nse)
    local up = gb.link(nse, 0) ~= nil
    if network.nse[nse.id] ~= nse or up == (nse.ns_up or false) then
        return
    end
    nse.ns_up = up
    local tell = nse.cfg.ns == "manual" and log.debug or up and log.info or log.warn -- ns = "manual" is always up
    tell(("NSE %d is %s"):format(nse.nsei, up and "up" or "down"))
    if up then
        bvc.nse_up(nse)
    else
        bvc.nse_down(nse)
    end
end

-- ---- What is sent ----

function ns_state.ids(nsvc)
    return { ns_vci = nsvc.nsvci or 0, nsei = nsvc.nse.nsei }
end

local requests = {}

function requests.ns_reset(nsvc)
    local pdu = ns_state.ids(nsvc)
    pdu.cause = causes.ns[nsvc.vc.cause or "o_and_m"]
    return pdu
end

function requests.ns_block(nsvc)
    return { cause = causes.ns.o_and_m, ns_vci = nsvc.nsvci or 0 }
end

function requests.ns_unblock()
    return {}
end

-- ---- Timers ----

local function tries_left(nsvc, timer)
    return nsvc.vc.tries < network.cfg.timers[timer .. "_retries"]
end

local request

local function unanswered(nsvc)
    local state = ns_state.states[nsvc.state]
    if tries_left(nsvc, state.timer) then
        nsvc.vc.tries = nsvc.vc.tries + 1
        count.add("retries")
        request(nsvc)
    else
        count.add("timeouts")
        local why = ("no %s-ACK"):format(shown.pdu(state.send))
        ns_state.enter(nsvc, state.given_up, why, "tns_test")
    end
end

function request(nsvc)
    local state = ns_state.states[nsvc.state]
    nsvc.vc.timer = timers.after(network.cfg.timers[state.timer .. "_ns"], unanswered, nsvc)
    gb.send_ns(nsvc, state.send, requests[state.send](nsvc))
end

-- ---- States ----

-- "dead" and "blocked" send nothing, but the SGSN may start the next procedure after a pause.
local GOES_ON = { dead = "reset", blocked = "unblocking" }

local function go_on(nsvc)
    nsvc.vc.cause = "o_and_m"
    ns_state.enter(nsvc, GOES_ON[nsvc.state], "the SGSN starts it")
end

-- PDUs sent before ARP or neighbour discovery has found a new neighbour are lost.
ns_state.NEIGHBOUR_NS = 100000000

-- pause: "neighbour", "tns_block" or "tns_test".
function ns_state.pause(nsvc, pause)
    local t = network.cfg.timers
    local ns = {
        neighbour = ns_state.NEIGHBOUR_NS, tns_block = t.tns_block_ns, tns_test = t.tns_test_ns,
    }
    nsvc.vc.timer = timers.after(ns[pause], go_on, nsvc)
end

-- The BSS may be back at any time.
local function insist(nsvc)
    count.add("retries")
    nsvc.vc.timer = timers.after(ns_test.again_ns(), insist, nsvc)
    gb.send_ns(nsvc, "ns_reset", requests.ns_reset(nsvc))
end

local function tell(nsvc, was, why)
    local state = ns_state.states[nsvc.state]
    nsvc.alive = state.alive or false
    if nsvc.blocked ~= not state.open then
        network.set_nsvc(nsvc, not state.open)
    end
    if was ~= nsvc.state then
        ns_state.show(nsvc)
        local lost = was == "unblocked" and (nsvc.state == "dead" or nsvc.state == "reset")
        local say = lost and log.warn or log.info
        say(("%s is %s, was %s: %s"):format(ns_state.name(nsvc), nsvc.state, was, why))
    end
end

-- pause: the time after which the SGSN goes on from there (see ns_state.pause); nil: it does not. An NS-VC
-- that the operator has blocked is reset, but not unblocked.
function ns_state.enter(nsvc, next, why, pause)
    local vc, was = nsvc.vc, nsvc.state
    timers.stop(vc.timer)
    nsvc.state, vc.timer, vc.tries, vc.given_up = next, nil, 0, pause == "tns_test"
    if vc.mode == "reset" and not ns_state.states[next].alive then
        ns_test.stop(nsvc)
    end
    if pause and not (vc.barred and next == "blocked") and vc.mode == "reset" then
        (next == "dead" and ns_test.may_insist(nsvc) and insist or ns_state.pause)(nsvc, pause)
    end
    tell(nsvc, was, why)
    if ns_state.states[next].send then
        request(nsvc)
    end
    ns_state.settle(nsvc.nse)
end

return ns_state
