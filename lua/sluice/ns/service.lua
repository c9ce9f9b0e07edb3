-- The network service on Gb (TS 48.016): dispatches each NS PDU. NS-UNITDATA goes to BSSGP; RESET,
-- BLOCK and ALIVE go to the NS-VC's state (vc.lua); SNS PDUs go to sns.lua. A PDU from an endpoint
-- without an NS-VC may add an NS-VC (dynamic.lua, sns.lua). NS-STATUS (7.5), limited to a few a second,
-- answers a PDU that cannot be decoded.
local count = require "count"
local hints = require "sluice.core.hints"
local ns_dynamic = require "sluice.ns.dynamic"
local ns_state = require "sluice.ns.states"
local ns_status = require "sluice.ns.status"
local ns_vc = require "sluice.ns.vc"
local pdus = require "sluice.bssgp.pdus"
local requests = require "sluice.core.requests"
local shown = require "sluice.base.shown"
local sns = require "sluice.ns.sns"
local wire = require "wire"
local network = require "sluice.core.network"

local ns = {}

local UNITDATA, STATUS = 0x00, 0x08
local SDU_FROM = 5 -- behind type, control bits and BVCI

local function input_unitdata(nsvc, pdu, ms_id)
    local what = ns_vc.unitdata(nsvc)
    if what == "take" then
        local bvci = pdu:byte(3) << 8 | pdu:byte(4)
        return pdus.input(nsvc.nse, nsvc, bvci, pdu, SDU_FROM, ms_id)
    end
    ns_vc.wake(nsvc)
    return what == "status" and ns_status.send(nsvc, "nsvc_blocked", pdu) or "ignored"
end

local function is_sns(name)
    return name:sub(1, 4) == "sns_"
end

-- An NS PDU from a known NS-VC. Returns the outcome.
function ns.input(nsvc, pdu, ms_id)
    local kind = pdu:byte()
    if kind == UNITDATA and #pdu >= SDU_FROM - 1 then
        return input_unitdata(nsvc, pdu, ms_id)
    end
    local name, fields, fault = wire.ns.decode(pdu)
    if not name then
        return kind == STATUS and "ignored" or ns_status.send(nsvc, ns_status.cause_of(fault), pdu)
    end
    count.pdu_in(name)
    if is_sns(name) then
        return sns.input(nsvc, name, fields, pdu)
    end
    return ns_vc.input(nsvc, name, fields, pdu)
end

-- A PDU from an endpoint without an NS-VC: NS-RESET and SNS PDUs may add an NS-VC; others get no
-- answer.
function ns.stranger(pdu, address, port)
    local name, fields = wire.ns.decode(pdu)
    if not name then
        return "ignored"
    end
    count.pdu_in(name)
    if name == "ns_reset" then
        return ns_dynamic.reset(fields, pdu, address, port)
    elseif is_sns(name) then
        return sns.stranger(name, fields, pdu, address, port)
    end
    return "ignored"
end

local names = {} -- by type

for _, name in ipairs(wire.names) do
    if name:sub(1, 3) == "ns_" then
        names[wire[name].type] = shown.pdu(name)
    end
end

-- Any other NS PDU from an endpoint without an NS-VC. kind: the type octet.
function ns.unlisted(kind, address, port)
    if not network.nsvc_of_endpoint(address .. "|" .. port) then
        hints.unlisted(names[kind:byte()] or "an NS PDU", address, port)
    end
    return "ignored"
end

-- silent: the NS-VC's next hop answers neither ARP nor neighbour discovery.
function ns.neighbour(nsvc, silent)
    nsvc.silent = silent
    hints.neighbour(nsvc, ns_state.name(nsvc), silent)
    ns_state.show(nsvc)
    return "handled"
end

-- ICMP reports the endpoint as unreachable.
function ns.unreachable(address, port)
    local nsvc = network.nsvc_of_endpoint(address .. "|" .. port)
    return nsvc and ns_vc.unreachable(nsvc) or "ignored"
end

local begun = false

network.watch("nsvc_added", function(nsvc)
    if begun then
        ns_vc.begin(nsvc)
    end
end)

-- Called once the dataplane has the configuration.
function ns.begin()
    begun = true
    for _, nse in ipairs(network.nses) do
        for _, nsvc in ipairs(nse.nsvcs) do
            ns_vc.begin(nsvc)
        end
    end
end

requests.on("nsvc", function(words)
    local nsei, nsvci = math.tointeger(words[2]), math.tointeger(words[3])
    if not nsei or not nsvci then
        return false, requests.usage "nsvc"
    end
    return ns_vc.operate(nsei, nsvci, words[4])
end)

return ns
