-- The IP sub-network service of an NSE (TS 48.016 6, 7.4b): the BSS says how much it has (SNS-SIZE)
-- and its endpoints (SNS-CONFIG), we say ours; then each pair of endpoints of one family is an
-- NS-VC, tested by NS-ALIVE, without RESET and BLOCK. SNS-ADD, -DELETE and -CHANGEWEIGHT change the
-- set while it runs (sns_change.lua).
--
-- All or nothing: a PDU is checked whole, then carried out. The SNS-SIZE of a stranger is taken only
-- while no NS-VC of the NSE is alive, and changes nothing, for anybody can send one: several may
-- have their answer beside each other, and who goes on with SNS-CONFIG has the NSE.
local causes = require "sluice.core.causes"
local clock = require "sluice.core.clock"
local count = require "count"
local endpoints = require "sluice.ns.sns_endpoints"
local gb = require "sluice.core.gb"
local hints = require "sluice.core.hints"
local log = require "log"
local ns_status = require "sluice.ns.status"
local ns_vc = require "sluice.ns.vc"
local schema_network = require "sluice.config.network_keys"
local sns_nsvcs = require "sluice.ns.sns_nsvcs"
local take_change = require "sluice.ns.sns_change"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local sns = {}

-- States of nse.sns: absent; "sized" (the BSS's SNS-CONFIG is awaited); "configuring" (the
-- acknowledgement of ours is); "configured".

local function say(nse, what)
    log.info(("NSE %d: SNS %s"):format(nse.nsei, what))
end

local function lose(nse, why)
    say(nse, "is lost: " .. why)
    sns_nsvcs.clear(nse)
end

-- ---- SNS-SIZE (7.4b.1.1) ----

local function size_fault(size)
    local ip4 = endpoints.reachable(4) and size.ip4 or 0
    local ip6 = endpoints.reachable(6) and size.ip6 or 0
    if ip4 + ip6 == 0 then
        return size.ip6 > 0 and "invalid_ip6_endpoints" or "invalid_ip4_endpoints"
    elseif ip4 + ip6 > size.nsvcs or size.ip4 + size.ip6 > schema_network.NSVCS_AN_NSE then
        return "invalid_nsvcs"
    end
end

-- What was agreed upon before is still in force: the SNS-SIZE was a late one.
local function abandon(nse)
    count.add("timeouts")
    if nse.sns.before and sns_nsvcs.is_alive(nse) then
        say(nse, "goes on as before: no SNS-CONFIG has come")
        nse.sns = nse.sns.before
    else
        lose(nse, "the BSS does not go on")
    end
end

-- It has so long for its next step as it would have to repeat one.
local function await(nse)
    local t = world.cfg.timers
    timers.stop(nse.sns.timer)
    nse.sns.timer = timers.after(t.tsns_prov_ns * (t.tsns_prov_retries + 1), abandon, nse)
end

local function answer(on, name, pdu, cause)
    gb.send_ns(on, name, { nsei = pdu.nsei, cause = cause and causes.ns[cause] })
    return cause and "refused" or "handled"
end

-- The state before it, if the NSE is up: its NS-VCs stay until the BSS says what comes in their
-- place.
local function state_before(nse)
    local state = nse.sns
    if state and state.name == "configured" and sns_nsvcs.is_alive(nse) then
        return state
    end
    return state and state.before
end

local function begin_anew(nse, size, on, octets)
    local before = state_before(nse)
    if before then
        timers.stop(nse.sns.timer)
    else
        sns_nsvcs.clear(nse, on)
    end
    nse.sns = {
        name = "sized", size = size, set = endpoints.set(), on = on, before = before,
        size_octets = octets, since_ns = clock.now_ns,
    }
    say(nse, ("begins: %d IPv4 and %d IPv6 endpoints"):format(size.ip4, size.ip6))
    await(nse)
end

-- A network may double it; nobody repeats it sooner than the least Tsns-prov. Or the BSS has begun
-- again so soon: then its SNS-CONFIG follows, and has ours in return (repeat_config).
local REPEATED_NS = 1000000000

local function is_doubled(nse, octets)
    return nse.sns and nse.sns.size_octets == octets
        and clock.now_ns - nse.sns.since_ns < REPEATED_NS
end

local function size_of(pdu)
    return { ip4 = pdu.ip4_endpoints or 0, ip6 = pdu.ip6_endpoints or 0, nsvcs = pdu.max_ns_vcs }
end

local function take_size(nse, pdu, on, octets)
    if is_doubled(nse, octets) then
        nse.sns.again = nse.sns.name ~= "sized"
        return answer(on, "sns_size_ack", pdu)
    end
    local size = size_of(pdu)
    local cause = size_fault(size)
    local set = nse.sns and nse.sns.set
    if not cause and (pdu.reset_flag or not set) then
        begin_anew(nse, size, on, octets)
    elseif not cause then
        cause = #set.list > 0 and endpoints.fault(set, size) or nil
        nse.sns.size = cause and nse.sns.size or size
    end
    return answer(on, "sns_size_ack", pdu, cause)
end

-- ---- SNS-CONFIG (7.4b.1.2) ----

local function unanswered(nse)
    local state, t = nse.sns, world.cfg.timers
    if world.nsvc[state.on.id] ~= state.on then
        return lose(nse, "its endpoint is another NSE's now")
    elseif state.tries >= t.tsns_prov_retries then
        count.add("timeouts")
        if state.configured then
            say(nse, "goes on as before: our second SNS-CONFIG has got no answer")
            state.name = "configured"
            return
        end
        return lose(nse, "our SNS-CONFIG has got no answer")
    end
    state.tries = state.tries + 1
    count.add("retries")
    sns.send_config(nse)
end

function sns.send_config(nse)
    local state = nse.sns
    local pdu = endpoints.ours(state.size)
    pdu.end_flag, pdu.nsei = true, nse.nsei
    state.timer = timers.after(world.cfg.timers.tsns_prov_ns, unanswered, nse)
    gb.send_ns(state.on, "sns_config", pdu)
end

local function begin_config(nse)
    local state = nse.sns
    timers.stop(state.timer)
    if state.before then
        sns_nsvcs.clear(nse, state.on)
        nse.sns, state.before = state, nil
    end
    state.name, state.tries, state.again = "configuring", 0, false
    sns_nsvcs.apply(nse)
    sns.send_config(nse)
end

-- What it says goes beside what those before it said, whose end flag was not set.
local function take_config(nse, pdu, on)
    local state = nse.sns
    local set = endpoints.copy(state.set)
    for _, one in ipairs(endpoints.of(pdu)) do
        endpoints.put(set, one)
    end
    local cause = sns_nsvcs.fault(nse, set)
    if cause == "invalid_weights" and not pdu.end_flag then
        cause = nil
    end
    answer(on, "sns_config_ack", pdu, cause)
    if cause then
        say(nse, "is refused: " .. cause)
        return "refused"
    end
    state.set, state.on = set, on
    if pdu.end_flag then
        begin_config(nse)
    end
end

-- An SNS-CONFIG once more, for its answer was lost, is acknowledged; another one comes too late. But
-- behind an SNS-SIZE once more it may be that of a BSS which has begun again: then it needs ours, too,
-- and what it says counts. If the network has doubled both, our second one does no harm.
local function repeat_config(nse, pdu, on)
    local state = nse.sns
    local known = endpoints.holds(state.set, endpoints.of(pdu))
    if state.again and not known then
        begin_anew(nse, state.size, on, state.size_octets)
        return take_config(nse, pdu, on)
    end
    local outcome = answer(on, "sns_config_ack", pdu, not known and "incompatible_with_state" or nil)
    if state.again and pdu.end_flag then
        state.on, state.configured = on, state.configured or state.name == "configured"
        begin_config(nse)
    end
    return outcome
end

local function take_config_ack(nse, pdu)
    local state = nse.sns
    if state.name ~= "configuring" then
        return "ignored"
    end
    timers.stop(state.timer)
    if pdu.cause then
        lose(nse, ("the BSS refuses our SNS-CONFIG, cause 0x%02x"):format(pdu.cause))
        return "handled"
    end
    say(nse, ("is configured: %d endpoints"):format(#state.set.list))
    if state.configured then
        sns_nsvcs.test(nse)
    end
    state.name, state.configured = "configured", true
    sns_nsvcs.apply(nse)
end

-- ---- What comes ----

-- What each state takes; SNS-SIZE is taken in all.
local on_state = {
    sized = { sns_config = take_config },
    configuring = { sns_config = repeat_config, sns_config_ack = take_config_ack },
    configured = {
        sns_config = repeat_config, sns_add = take_change, sns_delete = take_change,
        sns_changeweight = take_change,
    },
}

-- Answers are never answered.
local IS_ANSWER = { sns_ack = true, sns_config_ack = true, sns_size_ack = true }

local function refuse(nsvc, name, octets, cause)
    return IS_ANSWER[name] and "ignored" or ns_status.send(nsvc, cause, octets)
end

local function drop(nsvc)
    count.add("timeouts")
    world.remove_nsvc(nsvc)
end

-- nsvc.offer is what a stranger has said: { first, size, octets, timer }: a timer that
-- takes it, and how long it is kept; "size" is nil until it is good.
local function keep_offer(nsvc, ns)
    timers.stop(nsvc.offer.timer)
    nsvc.offer.timer = timers.after(ns, drop, nsvc)
end

local function take_offer(nsvc, pdu, octets)
    local size, t = size_of(pdu), world.cfg.timers
    local cause = size_fault(size)
    if not cause then
        nsvc.offer.size, nsvc.offer.octets = size, octets
        keep_offer(nsvc, t.tsns_prov_ns * (t.tsns_prov_retries + 1))
    end
    return answer(nsvc, "sns_size_ack", pdu, cause)
end

local function input_offer(nsvc, name, pdu, octets)
    local nse, offer = nsvc.nse, nsvc.offer
    if name == "sns_size" then
        return take_offer(nsvc, pdu, octets)
    elseif name == "sns_config" and offer.size and not sns_nsvcs.is_alive(nse) then
        sns_nsvcs.own(nsvc)
        begin_anew(nse, offer.size, nsvc, offer.octets)
        return take_config(nse, pdu, nsvc) or "handled"
    end
    return refuse(nsvc, name, octets, "incompatible_with_state")
end

-- From an NS-VC. Returns the outcome.
function sns.input(nsvc, name, pdu, octets)
    local nse = nsvc.nse
    if nsvc.offer and name == "sns_size" and pdu.nsei ~= nse.nsei then
        world.remove_nsvc(nsvc) -- it was somebody else's word
        return sns.stranger(name, pdu, octets, nsvc.address, nsvc.port)
    elseif nse.cfg.ns ~= "sns" then
        return refuse(nsvc, name, octets, "protocol_error")
    elseif pdu.nsei ~= nse.nsei then
        return refuse(nsvc, name, octets, "semantically_incorrect")
    elseif nsvc.offer then
        return input_offer(nsvc, name, pdu, octets)
    elseif name == "sns_size" then
        return take_size(nse, pdu, nsvc, octets)
    end
    local take = nse.sns and on_state[nse.sns.name][name]
    if take then
        return take(nse, pdu, nsvc, name, octets) or "handled"
    end
    return refuse(nsvc, name, octets, "incompatible_with_state")
end

-- Whether an unknown endpoint may begin.
local function may_begin(nse)
    if sns_nsvcs.is_alive(nse) then
        log.warn(("SNS-SIZE of NSE %d from an unknown endpoint, while it is up"):format(nse.nsei))
        return false
    end
    return true
end

-- From an endpoint that no NS-VC has: only an SNS-SIZE, which makes one of it to answer on, once
-- its neighbour has been found.
function sns.stranger(name, pdu, octets, address, port)
    local nse = name == "sns_size" and world.nse_of_nsei[pdu.nsei]
    if name == "sns_size" and (not nse or nse.cfg.ns ~= "sns") then
        hints.stranger("SNS-SIZE", pdu.nsei, address, port, "sns")
        return "ignored"
    end
    local on = nse and may_begin(nse) and sns_nsvcs.add_stranger(nse, address, port)
    if not on then
        return "ignored"
    end
    on.offer = { first = timers.after(ns_vc.NEIGHBOUR_NS, function()
        sns.input(on, name, pdu, octets)
    end) }
    keep_offer(on, world.cfg.timers.tsns_prov_ns)
    return "handled"
end

-- When NS-ALIVE has failed on every NS-VC of an NSE, its SNS configuration no longer counts: the BSS
-- has to begin again with SNS-SIZE.
local function look(nse)
    if not nse.sns or nse.sns.name ~= "configured" then
        return
    end
    for _, nsvc in ipairs(nse.nsvcs) do
        if not nsvc.offer and (nsvc.alive or not nsvc.vc.failed) then
            return
        end
    end
    lose(nse, "none of its NS-VCs answers")
end

world.watch("nsvc_failed", function(nsvc)
    timers.after(0, look, nsvc.nse)
end)

-- The NSE is removed, its NS-VCs have been before.
world.watch("nse_removed", function(nse)
    timers.stop(nse.sns and nse.sns.timer)
    nse.sns = nil
end)

return sns
