-- The IP sub-network service of an NSE (TS 48.016 6, 7.4b): the BSS sends the number of its endpoints
-- (SNS-SIZE) and their list (SNS-CONFIG), the SGSN sends its own list; then each pair of endpoints of
-- one family is an NS-VC, tested by NS-ALIVE, without RESET and BLOCK. SNS-ADD, SNS-DELETE and
-- SNS-CHANGEWEIGHT change the set later (sns_change.lua).
--
-- Each PDU is checked whole, then carried out, so a bad PDU changes nothing. Anybody can send an
-- SNS-SIZE: from an unknown endpoint it is answered only while no NS-VC of the NSE is alive, and
-- changes no state of the NSE. Several endpoints may hold such an offer; the first SNS-CONFIG decides.
local causes = require "sluice.core.causes"
local clock = require "sluice.core.clock"
local count = require "count"
local endpoints = require "sluice.ns.sns_endpoints"
local gb = require "sluice.core.gb"
local hints = require "sluice.core.hints"
local log = require "log"
local ns_status = require "sluice.ns.status"
local ns_vc = require "sluice.ns.vc"
local schema_network = require "sluice.schema.network_keys"
local shown = require "sluice.base.shown"
local sns_nsvcs = require "sluice.ns.sns_nsvcs"
local take_change = require "sluice.ns.sns_change"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local sns = {}

-- States of nse.sns: absent; "sized" (waits for the BSS's SNS-CONFIG); "configuring" (waits for the
-- SNS-CONFIG-ACK to ours); "configured".

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

-- No SNS-CONFIG followed the SNS-SIZE. An earlier configuration with a live NS-VC stays in force.
local function abandon(nse)
    count.add("timeouts")
    if nse.sns.before and sns_nsvcs.is_alive(nse) then
        say(nse, "keeps its configuration: no SNS-CONFIG followed SNS-SIZE")
        nse.sns = nse.sns.before
    else
        lose(nse, "no SNS-CONFIG followed SNS-SIZE")
    end
end

-- The BSS may repeat a lost PDU Tsns-prov-retries times, so the wait covers all its tries.
local function await(nse)
    local t = network.cfg.timers
    timers.stop(nse.sns.timer)
    nse.sns.timer = timers.after(t.tsns_prov_ns * (t.tsns_prov_retries + 1), abandon, nse)
end

local function answer(on, name, pdu, cause)
    gb.send_ns(on, name, { nsei = pdu.nsei, cause = cause and causes.ns[cause] })
    return cause and "refused" or "handled"
end

-- The earlier state, if the NSE is up: the old NS-VCs stay until the BSS's SNS-CONFIG replaces them.
local function state_before(nse)
    local state = nse.sns
    if state and state.name == "configured" and sns_nsvcs.is_alive(nse) then
        return state
    end
    return state and state.before
end

local function restart(nse, size, on, octets)
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

-- A network may duplicate an SNS-SIZE; a BSS repeats one after Tsns-prov (1 s at least). If the BSS has
-- restarted within that second, its SNS-CONFIG follows and repeat_config answers with ours.
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
        restart(nse, size, on, octets)
    elseif not cause then
        cause = #set.list > 0 and endpoints.fault(set, size) or nil
        nse.sns.size = cause and nse.sns.size or size
    end
    return answer(on, "sns_size_ack", pdu, cause)
end

-- ---- SNS-CONFIG (7.4b.1.2) ----

local function unanswered(nse)
    local state, t = nse.sns, network.cfg.timers
    if network.nsvc[state.on.id] ~= state.on then
        return lose(nse, "another NSE has its endpoint now")
    elseif state.tries >= t.tsns_prov_retries then
        count.add("timeouts")
        if state.configured then
            say(nse, "keeps its configuration: no SNS-CONFIG-ACK to our second SNS-CONFIG")
            state.name = "configured"
            return
        end
        return lose(nse, "no SNS-CONFIG-ACK")
    end
    state.tries = state.tries + 1
    count.add("retries")
    sns.send_config(nse)
end

function sns.send_config(nse)
    local state = nse.sns
    local pdu = endpoints.ours(state.size)
    pdu.end_flag, pdu.nsei = true, nse.nsei
    state.timer = timers.after(network.cfg.timers.tsns_prov_ns, unanswered, nse)
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

-- The endpoints of all SNS-CONFIGs up to the one with the end flag form one set.
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

-- A repeated SNS-CONFIG (the BSS missed the ACK) is acknowledged; one with other endpoints is refused
-- as late. After a repeated SNS-SIZE the BSS may have restarted: then its SNS-CONFIG counts and gets
-- ours in return. If the network duplicated both PDUs, our second SNS-CONFIG does no harm.
local function repeat_config(nse, pdu, on)
    local state = nse.sns
    local known = endpoints.holds(state.set, endpoints.of(pdu))
    if state.again and not known then
        restart(nse, state.size, on, state.size_octets)
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

-- Which PDUs each state takes; every state takes SNS-SIZE.
local on_state = {
    sized = { sns_config = take_config },
    configuring = { sns_config = repeat_config, sns_config_ack = take_config_ack },
    configured = {
        sns_config = repeat_config, sns_add = take_change, sns_delete = take_change,
        sns_changeweight = take_change,
    },
}

-- A STATUS never answers an acknowledgement.
local IS_ANSWER = { sns_ack = true, sns_config_ack = true, sns_size_ack = true }

local function refuse(nsvc, name, octets, cause)
    return IS_ANSWER[name] and "ignored" or ns_status.send(nsvc, cause, octets)
end

local function drop(nsvc)
    count.add("timeouts")
    network.remove_nsvc(nsvc)
end

-- nsvc.offer is the SNS-SIZE of an unknown endpoint: { first, size, octets, timer }. The timer `first`
-- handles the SNS-SIZE, `timer` removes the NS-VC; size is nil until an SNS-SIZE has passed its checks.
local function keep_offer(nsvc, ns)
    timers.stop(nsvc.offer.timer)
    nsvc.offer.timer = timers.after(ns, drop, nsvc)
end

local function take_offer(nsvc, pdu, octets)
    local size, t = size_of(pdu), network.cfg.timers
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
        restart(nse, offer.size, nsvc, offer.octets)
        return take_config(nse, pdu, nsvc) or "handled"
    end
    return refuse(nsvc, name, octets, "incompatible_with_state")
end

-- An SNS PDU on an NS-VC. Returns the outcome.
function sns.input(nsvc, name, pdu, octets)
    local nse = nsvc.nse
    if nsvc.offer and name == "sns_size" and pdu.nsei ~= nse.nsei then
        network.remove_nsvc(nsvc) -- the endpoint belongs to another NSE
        return sns.stranger(name, pdu, octets, nsvc.address, nsvc.port)
    elseif nse.cfg.ns ~= "sns" then
        hints.other_service(nsvc, shown.pdu(name), "sns")
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

-- Returns whether an unknown endpoint may start the procedure.
local function may_begin(nse)
    if sns_nsvcs.is_alive(nse) then
        log.warn(("NSE %d: SNS-SIZE from an unknown endpoint is ignored: the NSE is up"):format(nse.nsei))
        return false
    end
    return true
end

-- An SNS PDU from an endpoint without an NS-VC: only SNS-SIZE is taken. An NS-VC is added to carry the
-- answer, which waits until ARP or neighbour discovery has found the next hop.
function sns.stranger(name, pdu, octets, address, port)
    local nse = name == "sns_size" and network.nse_of_nsei[pdu.nsei]
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
    keep_offer(on, network.cfg.timers.tsns_prov_ns)
    return "handled"
end

-- When NS-ALIVE has failed on every NS-VC of an NSE, the SNS configuration of the NSE is void: the BSS
-- has to restart with SNS-SIZE.
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

network.watch("nsvc_failed", function(nsvc)
    timers.after(0, look, nsvc.nse)
end)

-- The NSE's NS-VCs have been removed before.
network.watch("nse_removed", function(nse)
    timers.stop(nse.sns and nse.sns.timer)
    nse.sns = nil
end)

return sns
