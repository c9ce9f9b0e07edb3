-- The NS-VCs of an NSE with the IP sub-network service (TS 48.016 6): one for each BSS endpoint of the
-- agreed set, if the SGSN has an address of the same family. The NS-VC has the endpoint's weights.
local addresses = require "sluice.base.addresses"
local endpoints = require "sluice.ns.sns_endpoints"
local log = require "log"
local ns_state = require "sluice.ns.states"
local ns_test = require "sluice.ns.test"
local ns_vc = require "sluice.ns.vc"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local sns_nsvcs = {}

function sns_nsvcs.is_alive(nse)
    for _, nsvc in ipairs(nse.nsvcs) do
        if nsvc.alive then
            return true
        end
    end
    return false
end

-- The NS-VC stops being an offer (nsvc.offer, sns.lua).
function sns_nsvcs.own(nsvc)
    if nsvc.offer then
        timers.stop(nsvc.offer.first)
        timers.stop(nsvc.offer.timer)
        nsvc.offer = nil
    end
end

network.watch("nsvc_removed", sns_nsvcs.own)

local function add_blocked(nse, address, port, signalling_weight, data_weight)
    return network.add_nsvc(nse, {
        address = address, port = port, blocked = true, signalling_weight = signalling_weight,
        data_weight = data_weight,
    })
end

-- Adds a blocked NS-VC for an unknown endpoint; without room it replaces the oldest offer.
function sns_nsvcs.add_stranger(nse, address, port)
    local added, why = add_blocked(nse, address, port, 0, 0)
    for _, old in ipairs(why == "room" and nse.nsvcs or {}) do
        if old.offer then
            network.remove_nsvc(old)
            return add_blocked(nse, address, port, 0, 0)
        end
    end
    return added
end

-- Forgets the SNS state and removes all NS-VCs except `but`.
function sns_nsvcs.clear(nse, but)
    local state = nse.sns
    timers.stop(state and state.timer)
    nse.sns = nil
    for _, nsvc in ipairs(table.move(nse.nsvcs, 1, #nse.nsvcs, 1, {})) do
        if nsvc ~= but then
            network.remove_nsvc(nsvc)
        end
    end
    if but then
        ns_vc.forget(but)
    end
end

local function set_weights(nsvc, one)
    nsvc.signalling_weight = one.signalling_weight
    if nsvc.data_weight ~= one.data_weight then
        network.set_nsvc(nsvc, nsvc.blocked, one.data_weight)
    end
    ns_state.settle(nsvc.nse)
end

local function ensure_nsvc(nse, one)
    local nsvc, why = network.nsvc_of_endpoint(one.name), nil
    if nsvc and nsvc.nse ~= nse then
        nsvc, why = nil, "taken" -- by a reload
    elseif nsvc then
        sns_nsvcs.own(nsvc)
        set_weights(nsvc, one)
    else
        nsvc, why = add_blocked(nse, one.address, one.port, one.signalling_weight, one.data_weight)
    end
    if not nsvc then
        log.warn(("NSE %d: no NS-VC for %s: %s"):format(nse.nsei,
            addresses.at(one.address, one.port), ns_state.reasons[why] or why))
    elseif nse.sns.name == "configured" then
        ns_vc.start_test(nsvc)
    end
end

-- Adds and removes NS-VCs to match the set. Once configured, the NS-VC that carried SNS-SIZE goes too,
-- unless its endpoint is in the set.
function sns_nsvcs.apply(nse)
    local set = nse.sns.set
    local keep = nse.sns.name ~= "configured" and nse.sns.on
    for _, nsvc in ipairs(table.move(nse.nsvcs, 1, #nse.nsvcs, 1, {})) do
        if not set.by_name[nsvc.endpoint] and nsvc ~= keep then
            network.remove_nsvc(nsvc)
        end
    end
    for _, one in ipairs(set.list) do
        if endpoints.reachable(one.family) then
            ensure_nsvc(nse, one)
        end
    end
end

-- Tests all NS-VCs now: a BSS that has restarted may wait for NS-ALIVE.
function sns_nsvcs.test(nse)
    for _, nsvc in ipairs(nse.nsvcs) do
        if not nsvc.offer then
            ns_test.start(nsvc)
        end
    end
end

-- Returns nil, or the cause why the set cannot become NS-VCs, and the wrong endpoint.
function sns_nsvcs.fault(nse, set)
    local cause = endpoints.fault(set, nse.sns.size)
    local new = 0
    for _, one in ipairs(set.list) do
        local other = network.nsvc_of_endpoint(one.name)
        if not one.good or other and other.nse ~= nse then
            return one.family == 4 and "invalid_ip4_endpoints" or "invalid_ip6_endpoints", one
        end
        new = new + (other and 0 or 1)
    end
    return cause or new > network.ids.nsvc:left() and "invalid_nsvcs" or nil
end

return sns_nsvcs
