-- SNS-ADD, SNS-DELETE and SNS-CHANGEWEIGHT of the BSS (TS 48.016 7.4b.2 to 7.4b.4). Each PDU is checked
-- whole, then carried out; a change after which all weights are 0 is refused. The SGSN has one endpoint
-- of each family, so it never sends these PDUs.
local causes = require "sluice.core.causes"
local endpoints = require "sluice.ns.sns_endpoints"
local gb = require "sluice.core.gb"
local log = require "log"
local shown = require "sluice.base.shown"
local sns_nsvcs = require "sluice.ns.sns_nsvcs"

-- Each function changes `set` by one endpoint, or returns the cause of its refusal.
local change = {}

function change.sns_add(set, one)
    if set.by_name[one.name] then
        return "protocol_error"
    end
    endpoints.put(set, one)
end

function change.sns_changeweight(set, one)
    if not set.by_name[one.name] then
        return "unknown_endpoint"
    end
    endpoints.put(set, one)
end

function change.sns_delete(set, one)
    if not set.by_name[one.name] then
        return "unknown_endpoint"
    end
    endpoints.remove(set, one)
end

-- For SNS-DELETE with an address: all endpoints with that address.
local function of_address(set, address)
    local list = {}
    for _, one in ipairs(set.list) do
        if one.address == address then
            list[#list + 1] = one
        end
    end
    return list
end

-- Returns the changed set; or nil, the cause, and the wrong endpoint.
local function changed(nse, name, pdu)
    local set = endpoints.copy(nse.sns.set)
    local list = pdu.address and of_address(set, pdu.address) or endpoints.of(pdu)
    if #list == 0 then
        return nil, pdu.address and "unknown_address" or "missing_essential"
    end
    for _, one in ipairs(list) do
        local cause = change[name](set, one)
        if cause then
            return nil, cause, one
        end
    end
    local cause, one = sns_nsvcs.fault(nse, set)
    return not cause and set, cause, one
end

-- SNS-ACK names the wrong endpoint, or repeats the endpoints of a successful SNS-DELETE, as peers
-- expect.
local function acknowledge(nse, pdu, on, name, cause, wrong)
    local ip4, ip6
    if wrong then
        ip4, ip6 = endpoints.fields(wrong)
    elseif name == "sns_delete" and not cause then
        ip4, ip6 = pdu.ip4_endpoints, pdu.ip6_endpoints
    end
    gb.send_ns(on, "sns_ack", {
        nsei = nse.nsei, transaction = pdu.transaction, cause = cause and causes.ns[cause],
        ip4_endpoints = ip4, ip6_endpoints = ip6,
    })
    return cause and "refused" or "handled"
end

-- A repeated PDU (the BSS missed the SNS-ACK) gets the same answer and changes nothing.
return function(nse, pdu, on, name, octets)
    local state = nse.sns
    local last = state.last
    if last and last.octets == octets then
        return acknowledge(nse, pdu, on, name, last.cause, last.wrong)
    end
    local set, cause, wrong = changed(nse, name, pdu)
    state.last = { octets = octets, cause = cause, wrong = wrong }
    acknowledge(nse, pdu, on, name, cause, wrong)
    if cause then
        return "refused"
    end
    state.set = set
    log.info(("NSE %d: %s: %d endpoints now"):format(nse.nsei, shown.pdu(name), #set.list))
    sns_nsvcs.apply(nse)
end

