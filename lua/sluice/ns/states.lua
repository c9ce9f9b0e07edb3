-- The states of an NS-VC (TS 48.016 7.2 to 7.4) as a table, and what happens on the way into each:
-- the dataplane is told, the cells are told if it was the first or the last, and what the state
-- asks of the BSS is sent, and again until it is answered. What PDUs do is in vc.lua.
local addresses = require "sluice.base.addresses"
local board = require "sluice.core.board"
local bvc = require "sluice.bssgp.bvc"
local causes = require "sluice.core.causes"
local count = require "count"
local gb = require "sluice.core.gb"
local log = require "log"
local ns_test = require "sluice.ns.test"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local ns_state = {}

-- alive, open: what it may carry. unitdata: what becomes of data that comes in it: while a
-- procedure of ours runs, the BSS may be ahead of us or behind, so no STATUS. send, timer,
-- given_up: what is sent on entry and again at each timeout, and where it ends when the retries
-- have.
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

function ns_state.name(nsvc)
    return ("NS-VC %s of NSE %d (%s)"):format(nsvc.nsvci or "-", nsvc.nse.nsei,
        addresses.at(nsvc.address, nsvc.port))
end

-- In the live view. What goes to nobody arrives nowhere, whatever was agreed on with him before.
function ns_state.show(nsvc)
    board.nsvc {
        nsvc_id = nsvc.id, nse_id = nsvc.nse.id, nsvci = nsvc.nsvci or 0,
        state = nsvc.silent and "no neighbour" or nsvc.state,
    }
end

-- The NSE may signal, or may not any more: the cells are told.
function ns_state.settle(nse)
    local up = gb.link(nse, 0) ~= nil
    if world.nse[nse.id] ~= nse or up == (nse.ns_up or false) then
        return
    end
    nse.ns_up = up
    local tell = nse.cfg.ns == "manual" and log.debug or log.info -- that one is up by the file
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
    return nsvc.vc.tries < world.cfg.timers[timer .. "_retries"]
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
        ns_state.enter(nsvc, state.given_up, state.send .. " has got no answer", "again")
    end
end

function request(nsvc)
    local state = ns_state.states[nsvc.state]
    nsvc.vc.timer = timers.after(world.cfg.timers[state.timer .. "_ns"], unanswered, nsvc)
    gb.send_ns(nsvc, state.send, requests[state.send](nsvc))
end

-- ---- States ----

-- In "dead" and in "blocked" nothing is sent, but it may be ours to go on after a while.
local GOES_ON = { dead = "reset", blocked = "unblocking" }

local function go_on(nsvc)
    nsvc.vc.cause = "o_and_m"
    ns_state.enter(nsvc, GOES_ON[nsvc.state], "begun by us")
end

-- A new neighbour's Ethernet address is being asked for; what is sent before it answers is lost.
ns_state.NEIGHBOUR_NS = 100000000

function ns_state.pause(nsvc, again)
    local t = world.cfg.timers
    local ns = { first = ns_state.NEIGHBOUR_NS, soon = t.tns_block_ns, again = t.tns_test_ns }
    nsvc.vc.timer = timers.after(ns[again], go_on, nsvc)
end

local function tell(nsvc, was, why)
    local state = ns_state.states[nsvc.state]
    nsvc.alive = state.alive or false
    if nsvc.blocked ~= not state.open then
        world.set_nsvc(nsvc, not state.open)
    end
    if was ~= nsvc.state then
        ns_state.show(nsvc)
        log.info(("%s is %s, was %s: %s"):format(ns_state.name(nsvc), nsvc.state, was, why))
    end
end

-- again: nil, "again" or "soon": whether it is ours to go on from there, and when.
function ns_state.enter(nsvc, next, why, again)
    local vc, was = nsvc.vc, nsvc.state
    timers.stop(vc.timer)
    nsvc.state, vc.timer, vc.tries, vc.given_up = next, nil, 0, again == "again"
    if vc.mode == "reset" and not ns_state.states[next].alive then
        ns_test.stop(nsvc)
    end
    if again and not vc.barred and vc.mode == "reset" then
        ns_state.pause(nsvc, again)
    end
    tell(nsvc, was, why)
    if ns_state.states[next].send then
        request(nsvc)
    end
    ns_state.settle(nsvc.nse)
end

return ns_state
