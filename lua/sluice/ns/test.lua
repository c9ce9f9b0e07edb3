-- The test procedure of an NS-VC (TS 48.016 7.4): NS-ALIVE at each Tns-test, repeated at each Tns-alive
-- until NS-ALIVE-ACK comes or NS-ALIVE-RETRIES are used up. The test runs beside the NS-VC's state; the
-- workers answer the BSS's own NS-ALIVE. A failed test stops and calls ns_test.failed, which vc.lua
-- sets.
local count = require "count"
local gb = require "sluice.core.gb"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local ns_test = {}

local function ask(nsvc, unanswered)
    nsvc.vc.test = timers.after(network.cfg.timers.tns_alive_ns, unanswered, nsvc)
    gb.send_ns(nsvc, "ns_alive", {})
end

local function unanswered(nsvc)
    local vc = nsvc.vc
    if vc.test_tries >= network.cfg.timers.tns_alive_retries then
        count.add("timeouts")
        vc.test, vc.asked = nil, false
        return ns_test.failed(nsvc)
    end
    vc.test_tries = vc.test_tries + 1
    count.add("retries")
    ask(nsvc, unanswered)
end

-- Starts a test now; a running one ends.
function ns_test.start(nsvc)
    local vc = nsvc.vc
    timers.stop(vc.test)
    vc.test_tries, vc.asked = 0, true
    ask(nsvc, unanswered)
end

-- Starts a test after `ns` nanoseconds.
function ns_test.start_in(nsvc, ns)
    timers.stop(nsvc.vc.test)
    nsvc.vc.asked = false
    nsvc.vc.test = timers.after(ns, ns_test.start, nsvc)
end

function ns_test.stop(nsvc)
    timers.stop(nsvc.vc.test)
    nsvc.vc.test, nsvc.vc.asked = nil, false
end

-- NS-ALIVE-ACK has come. Returns false if no NS-ALIVE is outstanding.
function ns_test.answered(nsvc)
    local asked = nsvc.vc.asked
    if asked then
        ns_test.start_in(nsvc, network.cfg.timers.tns_test_ns)
    end
    return asked
end

return ns_test
