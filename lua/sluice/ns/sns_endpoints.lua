-- Endpoints of the IP sub-network service (TS 48.016 6.2, 10.3.2b, 10.3.2c): converts the lists of an
-- SNS PDU to the dataplane's address format, and checks endpoints and sets. A set has at most the
-- number of endpoints of SNS-SIZE, and both sums of weights are above 0 (else "invalid weights").
local addresses = require "sluice.base.addresses"
local parts = require "sluice.config.parts"
local network = require "sluice.core.network"

local sns_endpoints = {}

-- A unicast address of one host: neither 0.0.0.0/8 nor multicast, broadcast (of our link, too) or loopback.
local function is_host4(number)
    local first, gb = number >> 24, network.cfg.gb
    local of_link = gb.address and gb.prefix
        and addresses.ipv4_of_link(addresses.ipv4_text(number), parts.first(gb.address), gb.prefix)
    return first > 0 and first ~= 127 and first < 224 and not of_link
end

local function is_host6(address)
    return address ~= "::" and address ~= "::1" and not address:find "^ff"
        and not address:find "^::ffff:%d+%."
end

local function own(family)
    local gb = network.cfg.gb
    if family == 4 then
        return gb.address and parts.address(gb.address)
    end
    return gb.address6
end

local function endpoint(item, family, address, good)
    return {
        address = address, port = item.udp_port, name = address .. "|" .. item.udp_port,
        family = family, signalling_weight = item.signalling_weight,
        data_weight = item.data_weight, item = item,
        good = good and item.udp_port > 0 and address ~= own(family),
    }
end

-- The endpoints of a PDU as one list: IPv4 first, each family in the PDU's order.
function sns_endpoints.of(pdu)
    local list = {}
    for _, item in ipairs(pdu.ip4_endpoints or {}) do
        local address = parts.address(addresses.ipv4_text(item.address))
        list[#list + 1] = endpoint(item, 4, address, is_host4(item.address))
    end
    for _, item in ipairs(pdu.ip6_endpoints or {}) do
        list[#list + 1] = endpoint(item, 6, item.address, is_host6(item.address))
    end
    return list
end

-- The two lists (IPv4, IPv6) with which an SNS-ACK names the wrong endpoint.
function sns_endpoints.fields(wrong)
    return wrong.family == 4 and { wrong.item } or nil, wrong.family == 6 and { wrong.item } or nil
end

-- The SGSN's endpoints, one of each family that the BSS has too, so their weights decide nothing.
function sns_endpoints.ours(size)
    local gb, pdu = network.cfg.gb, {}
    if gb.address and size.ip4 > 0 then
        pdu.ip4_endpoints = { {
            address = addresses.ipv4_number(gb.address), udp_port = gb.port, signalling_weight = 1,
            data_weight = 1,
        } }
    end
    if gb.address6 and size.ip6 > 0 then
        pdu.ip6_endpoints = { {
            address = gb.address6, udp_port = gb.port, signalling_weight = 1, data_weight = 1,
        } }
    end
    return pdu
end

-- Returns whether the SGSN has an address of the family.
function sns_endpoints.reachable(family)
    return own(family) ~= nil
end

-- ---- Sets: a list in order, and by name ----

function sns_endpoints.set()
    return { list = {}, by_name = {} }
end

function sns_endpoints.copy(set)
    local copy = sns_endpoints.set()
    for _, one in ipairs(set.list) do
        sns_endpoints.put(copy, one)
    end
    return copy
end

-- Replaces the endpoint with the same name, or appends.
function sns_endpoints.put(set, one)
    local old = set.by_name[one.name]
    set.by_name[one.name] = one
    for i, each in ipairs(old and set.list or {}) do
        if each == old then
            set.list[i] = one
            return
        end
    end
    set.list[#set.list + 1] = one
end

function sns_endpoints.remove(set, one)
    local old = set.by_name[one.name]
    set.by_name[one.name] = nil
    for i, each in ipairs(set.list) do
        if each == old then
            table.remove(set.list, i)
            return
        end
    end
end

-- Returns whether the set has each endpoint of the list with the same weights.
function sns_endpoints.holds(set, list)
    for _, one in ipairs(list) do
        local there = set.by_name[one.name]
        if not there or there.signalling_weight ~= one.signalling_weight
            or there.data_weight ~= one.data_weight then
            return false
        end
    end
    return true
end

local function count_of(set, family)
    local n = 0
    for _, one in ipairs(set.list) do
        n = n + (one.family == family and 1 or 0)
    end
    return n
end

-- Returns nil, or the cause why the set is not allowed. Only reachable endpoints count in the weights.
function sns_endpoints.fault(set, size)
    if count_of(set, 4) > size.ip4 then
        return "invalid_ip4_endpoints"
    elseif count_of(set, 6) > size.ip6 then
        return "invalid_ip6_endpoints"
    end
    local signalling, data = 0, 0
    for _, one in ipairs(set.list) do
        if sns_endpoints.reachable(one.family) then
            signalling, data = signalling + one.signalling_weight, data + one.data_weight
        end
    end
    return (signalling == 0 or data == 0) and "invalid_weights" or nil
end

return sns_endpoints
