-- The test procedure of an NS-VC (TS 48.016 7.4): NS-ALIVE at each Tns-test, repeated at each Tns-alive
-- until NS-ALIVE-ACK comes or NS-ALIVE-RETRIES are used up. The test runs beside the NS-VC's state; the
-- workers answer the BSS's own NS-ALIVE. A failed test stops and calls ns_test.failed, which vc.lua
-- sets; ns_test.changed (states.lua) shows whether there are answers. If NS-ALIVE is all that brings the NS-VC up, NS-ALIVE goes on, so that the NS-VC is up soon after
-- its BSS is back.
local clock = require "sluice.core.clock"
local count = require "count"
local gb = require "sluice.core.gb"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local ns_test = {}

local AGAIN_NS = 1000000000 -- on a dead NS-VC, from one question to the next
local GAP_NS = 1000000      -- between the questions on two dead NS-VCs

-- Nanoseconds until a dead NS-VC is asked again. Dead NS-VCs take turns, so that ten thousand of them
-- cost no more than a thousand.
local turn_ns = 0

function ns_test.again_ns()
    turn_ns = math.max(clock.now_ns + AGAIN_NS, turn_ns + GAP_NS)
    return turn_ns - clock.now_ns
end

-- An endpoint of the file, or one that has answered, was not made up by a false source address.
function ns_test.may_insist(nsvc)
    return nsvc.cfg or nsvc.vc.proved
end

local function ask(nsvc, unanswered)
    local ns = nsvc.vc.insists and ns_test.again_ns() or network.cfg.timers.tns_alive_ns
    nsvc.vc.test = timers.after(ns, unanswered, nsvc)
    gb.send_ns(nsvc, "ns_alive", {})
end

local function unanswered(nsvc)
    local vc = nsvc.vc
    if not vc.insists and vc.test_tries >= network.cfg.timers.tns_alive_retries then
        count.add("timeouts")
        vc.test, vc.asked = nil, false
        return ns_test.failed(nsvc)
    end
    vc.test_tries = vc.test_tries + 1
    count.add("retries")
    ask(nsvc, unanswered)
    if vc.test_tries == 1 then
        ns_test.changed(nsvc)
    end
end

-- Asks a dead NS-VC from now on, until it answers.
function ns_test.insist(nsvc)
    nsvc.vc.insists = true
    ns_test.start(nsvc)
end

-- Starts a test now; a running one ends.
function ns_test.start(nsvc)
    local vc = nsvc.vc
    timers.stop(vc.test)
    vc.test_tries, vc.asked = 0, true
    ask(nsvc, unanswered)
end

-- Whether the last NS-ALIVE has had no answer in time.
function ns_test.is_unanswered(nsvc)
    return nsvc.vc.asked and nsvc.vc.test_tries > 0
end

-- Starts a test after `ns` nanoseconds.
function ns_test.start_in(nsvc, ns)
    timers.stop(nsvc.vc.test)
    nsvc.vc.asked = false
    nsvc.vc.test = timers.after(ns, ns_test.start, nsvc)
end

function ns_test.stop(nsvc)
    timers.stop(nsvc.vc.test)
    nsvc.vc.test, nsvc.vc.asked, nsvc.vc.insists = nil, false, false
end

-- NS-ALIVE-ACK has come. Returns false if no NS-ALIVE is outstanding.
function ns_test.answered(nsvc)
    local asked = nsvc.vc.asked
    if asked then
        local was = ns_test.is_unanswered(nsvc)
        nsvc.vc.insists = false
        ns_test.start_in(nsvc, network.cfg.timers.tns_test_ns)
        if was then
            ns_test.changed(nsvc)
        end
    end
    return asked
end

return ns_test
