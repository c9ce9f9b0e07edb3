-- NS-VCs that the BSS adds: an NS-RESET (TS 48.016 7.3) with the NSEI of an NSE with dynamic = true
-- adds an NS-VC to the sender's endpoint. An endpoint takes over an NSVCI only from an NS-VC that is
-- dead. An NS-VC that stays dead is removed.
local addresses = require "sluice.base.addresses"
local hints = require "sluice.core.hints"
local log = require "log"
local ns_state = require "sluice.ns.states"
local ns_vc = require "sluice.ns.vc"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local ns_dynamic = {}

local WATCH_NS = 120000000000 -- between two checks; an NS-VC that is dead at two of them is removed

local function of_nsvci(nsvci)
    for _, nse in ipairs(network.nses) do
        for _, nsvc in ipairs(nse.nsvcs) do
            if nsvc.nsvci == nsvci then
                return nsvc
            end
        end
    end
end

-- Anybody may send an NS-RESET with a false source address; an NS-ALIVE-ACK proves that the address is
-- the peer's.
local function is_owned(nsvc)
    return nsvc.cfg ~= nil or nsvc.alive and nsvc.vc.proved
end

-- Returns whether the NSVCI is free; removes an unproved NS-VC of the same NSE that has the NSVCI.
local function make_free(nse, nsvci)
    local old = of_nsvci(nsvci)
    if not old then
        return true
    end
    if old.nse ~= nse or is_owned(old) then
        log.warn(("NS-RESET of NSE %d from an unknown endpoint: NSVCI %d is in use"):format(
            nse.nsei, nsvci))
        return false
    end
    network.remove_nsvc(old)
    return true
end

local function watch(nsvc)
    if network.nsvc[nsvc.id] ~= nsvc then
        return
    end
    if not nsvc.alive and nsvc.dead_before then
        log.info(ns_state.name(nsvc) .. " is removed: it stays dead")
        network.remove_nsvc(nsvc)
        return
    end
    nsvc.dead_before = not nsvc.alive
    nsvc.watch = timers.after(WATCH_NS, watch, nsvc)
end

-- Unknown endpoints can add NS-VCs without end, so a removed NS-VC leaves no timer behind.
network.watch("nsvc_removed", function(nsvc)
    timers.stop(nsvc.watch)
    timers.stop(nsvc.first)
end)

-- If there is no room, the new NS-VC replaces an unproved one.
local function add(nse, given)
    local nsvc, why = network.add_nsvc(nse, given)
    for _, old in ipairs(why == "room" and nse.nsvcs or {}) do
        if not is_owned(old) then
            network.remove_nsvc(old)
            return network.add_nsvc(nse, given)
        end
    end
    return nsvc, why
end

function ns_dynamic.reset(pdu, octets, address, port)
    local nse = network.nse_of_nsei[pdu.nsei]
    if not nse or not nse.cfg.dynamic then
        hints.stranger("NS-RESET", pdu.nsei, address, port, "reset")
        return "ignored"
    elseif not make_free(nse, pdu.ns_vci) then
        return "ignored"
    end
    local nsvc, why = add(nse, {
        nsvci = pdu.ns_vci, address = address, port = port, blocked = true,
    })
    if not nsvc then
        log.warn(("NSE %d: no NS-VC %d for %s port %d: %s"):format(nse.nsei, pdu.ns_vci,
            addresses.shown(address), port, ns_state.reasons[why] or why))
        return "ignored"
    end
    nsvc.watch = timers.after(WATCH_NS, watch, nsvc)
    nsvc.first = timers.after(ns_vc.NEIGHBOUR_NS, function()
        if network.nsvc[nsvc.id] == nsvc and nsvc.state == "dead" then
            ns_vc.input(nsvc, "ns_reset", pdu, octets)
        end
    end)
    return "handled"
end

return ns_dynamic
