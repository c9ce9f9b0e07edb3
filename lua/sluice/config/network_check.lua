-- Checks the parts of a configuration about the program and its network against each other: the clock
-- and the ports, addresses of one family, endpoints and tunnels given twice, packets larger than an
-- MTU. See cross.lua.
local addresses = require "sluice.base.addresses"
local check = require "sluice.config.check"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local schema_network = require "sluice.schema.network_keys"
local units = require "sluice.base.units"
local values = require "sluice.config.values"

local note, is_given = check.note, check.is_given

local BATCH_LEAST_NS = 1000000

local network = {}

-- Header octets around the information of an LLC UI frame in a Gb datagram: LLC with FCS 6, BSSGP with
-- PFI 18 and the MS's options, NS 4, UDP 8. Around an N-PDU on Gn: GTP-U 8, UDP 8. IP comes on top.
local GB_HEADER_OCTETS, GN_HEADER_OCTETS = 36, 16
local IPV4_OCTETS, IPV6_OCTETS = 20, 40

-- Notes a missing key, unless a misspelt one has been noted for it.
local function note_missing(state, record, key, constructor, why)
    if not is_given(state, record, key) and not state.node_of[record].meant[key] then
        note(state, record, key, "found nothing, allowed %s: %s",
            values.allowed(schema.constructor[constructor].key[key]), why)
    end
end

-- ---- The clock ----

local function check_virtual(state, cfg)
    local asked = 'run.clock = "virtual" has no ARP or neighbour discovery'
    note_missing(state, cfg.run, "duration", "run", 'run.clock = "virtual" needs an end')
    for _, name in ipairs { "gn", "gb" } do
        local port = cfg[name]
        if port and port.device and port.device ~= "net_ring" then
            note(state, port, "device", 'found %s, allowed only "net_ring" with'
                .. ' run.clock = "virtual"', values.show(port.device))
        elseif port then
            note_missing(state, port, "mac", name, "net_ring has no MAC address")
        end
    end
    for _, nse in ipairs(cfg.nse) do
        for _, nsvc in ipairs(nse.nsvc) do
            note_missing(state, nsvc, "peer_mac", "nsvc", asked)
        end
    end
    for _, ggsn in ipairs(cfg.ggsn) do
        note_missing(state, ggsn, "mac", "ggsn", asked)
    end
end

local function check_real(state, cfg)
    if cfg.lab then
        check.note_record(state, cfg.lab, 'found lab { }, allowed with run.clock = "virtual" only:'
            .. " lab { } simulates the network")
    end
    for _, name in ipairs { "gn", "gb" } do
        local port = cfg[name]
        if port and port.device == "net_ring" then
            note(state, port, "device", 'found "net_ring", allowed with run.clock = "virtual" only:'
                .. " real time needs a device with a network behind it")
        end
    end
    local cores, workers = cfg.run.cores, cfg.run.workers
    if cores and workers and #cores > workers + 1 then
        note(state, cfg.run, "cores", "found %d processors, allowed at most %d: one for control and"
            .. " one for each of run.workers", #cores, workers + 1)
    end
end

local function check_clock(state, cfg)
    local clock = cfg.run and cfg.run.clock
    if clock == "virtual" then
        check_virtual(state, cfg)
    elseif clock == "real" then
        check_real(state, cfg)
    end
    local duration, warmup = cfg.run and cfg.run.duration_ns, cfg.run and cfg.run.warmup_ns
    if duration and warmup and warmup >= duration then
        note(state, cfg.run, "warmup", "found %s, allowed less than the run's duration, %s",
            units.format("time", warmup), units.format("time", duration))
    end
    local batches = cfg.run and cfg.run.batches or 0
    if batches > 0 and batches < 5 then
        note(state, cfg.run, "batches", "found %d, allowed 0, or 5 to 100: an interval takes some", batches)
    elseif batches > 0 and clock == "real" then
        note(state, cfg.run, "batches", 'found %d, allowed with run.clock = "virtual" only', batches)
    elseif duration and warmup and warmup < duration and duration - warmup < batches * BATCH_LEAST_NS then
        note(state, cfg.run, "batches", "found %d in %s of measured time, allowed: batches of 1 ms at least", batches,
            units.format("time", duration - warmup))
    end
    local workers = cfg.run and cfg.run.workers
    if workers and workers > #cfg.nse and #cfg.nse > 0 then
        check.warn(state, cfg.run, "workers", ("found %d with %d NSEs; an NSE belongs to one worker,"
            .. " which leaves %d idle"):format(workers, #cfg.nse, workers - #cfg.nse))
    end
end

-- ---- Addresses ----

-- No host has the address of all hosts of a link.
local function check_host(state, port, key, address)
    local what = address and port.prefix and addresses.ipv4_of_all(address, port.prefix)
    if what then
        note(state, port, key, "found %s, with prefix = %d %s address, allowed a host's", address,
            port.prefix, what)
    end
end

local function check_gateway(state, port, key, own)
    local gateway, address = port[key], parts.first(port[own])
    local text = state.node_of[port].table
    if gateway and text[own] == nil then
        note(state, port, key, "found a gateway, allowed with %s only", own)
    elseif gateway and parts.has(port[own], gateway) then
        note(state, port, key, "found %s, the value of %s; allowed another one", gateway, own)
    elseif gateway and address and port.prefix and own == "address"
        and not addresses.ipv4_on_link(gateway, address, port.prefix) then
        note(state, port, key, "found %s, allowed one on the link, %s/%d", gateway, address,
            port.prefix)
    elseif own == "address" then
        check_host(state, port, key, gateway)
    end
end

local function has_address(state, port)
    local meant = state.node_of[port].meant
    return is_given(state, port, "address") or is_given(state, port, "address6") or meant.address
        or meant.address6
end

-- Of a list each worker has one, so its length is the number of workers, in both families. All are on
-- the link that the first one and the prefix name.
local PREFIX = { address = "prefix", address6 = "prefix6" }
local ON_LINK = { address = addresses.ipv4_on_link, address6 = addresses.ipv6_on_link }

local function check_list(state, port, key, other, workers)
    local list, seen, prefix = port[key], {}, port[PREFIX[key]]
    if type(list) == "string" and type(port[other]) == "table" and is_given(state, port, key) then
        note(state, port, key, "found one address, allowed a list: %s is one", other)
    elseif type(list) ~= "table" then
        return
    elseif workers and #list ~= workers then
        note(state, port, key, "found %d addresses, allowed one, or a list of %d: one for each of"
            .. " run.workers", #list, workers)
    end
    for _, address in ipairs(list) do
        if seen[address] then
            note(state, port, key, "found %s twice, allowed a list of different addresses", address)
        elseif address and list[1] and prefix and not ON_LINK[key](address, list[1], prefix) then
            note(state, port, key, "found %s, allowed one on the link of the first, %s/%d", address,
                list[1], prefix)
        end
        seen[address] = address ~= false
    end
end

local function check_hosts(state, port)
    for _, address in ipairs(type(port.address) == "table" and port.address or { port.address }) do
        check_host(state, port, "address", address)
    end
end

-- Two ports at one device: frames are the one's or the other's by their tags. The device is opened once,
-- so both have the same arguments.
local function check_shared(state, gn, gb)
    local of_gn, of_gb = gn and gn.device, gb and gb.device
    if not of_gn or not of_gb or of_gn == "net_ring" or of_gn:match("^[^,]+") ~= of_gb:match("^[^,]+") then
        return
    elseif of_gn ~= of_gb then
        note(state, gb, "device", "found %s, the device of gn, allowed with gn's arguments: %s", values.show(of_gb),
            values.show(of_gn))
    elseif gn.vlan == gb.vlan then
        note(state, gb, "device", "found %s, the device of gn, allowed with another vlan than gn's, %s",
            values.show(gb.device), gn.vlan or "none")
    elseif gn.mac and gb.mac and gn.mac ~= gb.mac then
        note(state, gb, "mac", "found %s, allowed the mac of gn, %s: they are at one device", gb.mac,
            gn.mac)
    end
end

local function check_port(state, cfg, name)
    local port = cfg[name]
    if not port then
        return
    end
    check_list(state, port, "address", "address6", cfg.run and cfg.run.workers)
    check_list(state, port, "address6", "address", cfg.run and cfg.run.workers)
    check_hosts(state, port)
    if not has_address(state, port) then
        note(state, port, "address", "found neither address nor address6, allowed one of them or"
            .. " both")
    end
    check_gateway(state, port, "gateway", "address")
    check_gateway(state, port, "gateway6", "address6")
end

-- Notes a peer of an address family in which the port has no address.
local function check_family(state, record, key, port, port_name)
    local address = record[key]
    if not (address and port and has_address(state, port)) then
        return
    end
    local own = addresses.is_ipv6(address) and "address6" or "address"
    if not is_given(state, port, own) then
        note(state, record, key, "found %s, allowed an address of a family that %s has: %s has no"
            .. " %s", values.show(address), port_name, port_name, own)
    end
end

local function place_text(state, record, key)
    local place = check.place(state.node_of[record], key)
    return math.type(place) == "integer" and "line " .. place or place
end

-- Notes the later of two places with the same value.
function network.note_again(state, record, key, shown, first, first_key)
    note(state, record, key, "found %s, taken by %s (%s), allowed one that is free", shown,
        state.node_of[first].path, place_text(state, first, first_key or key))
end

-- Notes each record with the same value as an earlier record of the list.
function network.note_equals(state, records, key)
    local first = {}
    for _, record in ipairs(records) do
        local value = record[key]
        if value ~= nil and first[value] then
            network.note_again(state, record, key, values.show(value), first[value])
        elseif value ~= nil then
            first[value] = record
        end
    end
end

-- Notes a peer with an address of the port itself. mac_key: nil if the address has none of its own.
local function check_own(state, record, key, port, mac_key)
    local own = port and record[key]
    for _, name in ipairs { "address", "address6" } do
        if own and parts.has(port[name], own) then
            network.note_again(state, record, key, own, port, name)
        end
    end
    if port and mac_key and record[mac_key] and record[mac_key] == port.mac then
        network.note_again(state, record, mac_key, record[mac_key], port, "mac")
    end
end

-- Notes a peer that is no station of the port's link, but all of them.
local function check_station(state, record, key, port, port_name)
    local address, own = record[key], port and parts.first(port.address)
    if not address or not own or not port.prefix or addresses.is_ipv6(address) then
        return
    end
    local what = addresses.ipv4_of_link(address, own, port.prefix)
    if what then
        note(state, record, key, "found %s, with %s.prefix = %d %s address, allowed a host's", address, port_name,
            port.prefix, what)
    end
end

local function check_peer(state, record, key, port, port_name, mac_key)
    check_own(state, record, key, port, mac_key)
    check_family(state, record, key, port, port_name)
    check_station(state, record, key, port, port_name)
end

-- names: of the keys with the address, the port and the MAC address.
local function check_endpoint(state, cfg, record, first, names)
    local address, port = record[names.address], record[names.port]
    local peer = address and port and (addresses.is_ipv6(address) and "[" .. address .. "]" or address)
    local endpoint = peer and peer .. ":" .. port
    if endpoint and first[endpoint] then
        network.note_again(state, record, names.address, "UDP endpoint " .. endpoint,
            first[endpoint].record, first[endpoint].key)
    elseif endpoint then
        first[endpoint] = { record = record, key = names.address }
    end
    check_peer(state, record, names.address, cfg.gb, "gb", names.mac)
end

local OF_NSVC = { address = "peer", port = "peer_port", mac = "peer_mac" }
local OF_ENDPOINT = { address = "address", port = "port", mac = "mac" } -- in bss { }

local function check_nsvcs(state, cfg)
    local nsvcs, own, first, most = {}, {}, {}, schema_network.NSVCS_AN_NSE
    for _, nse in ipairs(cfg.nse) do
        network.note_equals(state, nse.bvc, "bvci")
        if #nse.nsvc > most then
            note(state, nse.nsvc[most + 1], "nsvci", "found %d NS-VCs up to here, allowed at most %d"
                .. " in an NSE", most + 1, most)
        end
        table.move(nse.nsvc, 1, #nse.nsvc, #nsvcs + 1, nsvcs)
        local brought = nse.bss and nse.bss.endpoint or {}
        table.move(brought, 1, #brought, #own + 1, own)
    end
    network.note_equals(state, cfg.nse, "nsei")
    for _, nsvc in ipairs(nsvcs) do
        check_endpoint(state, cfg, nsvc, first, OF_NSVC)
    end
    for _, endpoint in ipairs(own) do
        check_endpoint(state, cfg, endpoint, first, OF_ENDPOINT)
    end
    table.move(own, 1, #own, #nsvcs + 1, nsvcs)
    network.note_equals(state, nsvcs, "nsvci")
end

local function check_ggsns(state, cfg)
    for i, ggsn in ipairs(cfg.ggsn) do
        if not is_given(state, ggsn, "name") then
            ggsn.name = "ggsn" .. i
        end
        check_peer(state, ggsn, "address", cfg.gn, "gn", "mac")
        check_peer(state, ggsn, "control", cfg.gn, "gn")
    end
    if cfg.run and cfg.run.clock == "real" and #cfg.ggsn == 0 and cfg.gn and not cfg.gn.from then
        check.warn(state, cfg.gn, "from", "found neither gn.from nor ggsn { }: no address may send to"
            .. " the PDP contexts")
    end
    network.note_equals(state, cfg.ggsn, "name")
    network.note_equals(state, cfg.ggsn, "address")
    network.note_equals(state, cfg.ggsn, "control")
end

local function check_lab(state, cfg)
    if cfg.lab then
        check_peer(state, cfg.lab, "ggsn", cfg.gn, "gn", "ggsn_mac")
    end
end

-- ---- Packets larger than an MTU ----

-- what: of what the octets are.
local function warn_mtu(state, record, key, what, octets, port, port_name, header_octets)
    local mtu = port and port.mtu_octets
    if mtu and octets and octets > mtu - header_octets then
        check.warn(state, record, key, ("found %s%d octets, of which %d fit a packet of %s.mtu, %d"
            .. " octets: larger ones are sent in fragments"):format(what, octets, mtu - header_octets,
            port_name, mtu))
    end
end

-- The largest IP packet of an application of the lab, either way, as a key of its record says it.
function network.warn_packet(state, cfg, record, key, octets)
    local ip = cfg.lab.ggsn and addresses.is_ipv6(cfg.lab.ggsn) and IPV6_OCTETS or IPV4_OCTETS
    warn_mtu(state, record, key, "IP packets of ", octets, cfg.gn, "gn", GN_HEADER_OCTETS + ip)
end

local function gb_header(nse)
    local ip = IPV4_OCTETS
    for _, nsvc in ipairs(nse.nsvc) do
        ip = nsvc.peer and addresses.is_ipv6(nsvc.peer) and IPV6_OCTETS or ip
    end
    return GB_HEADER_OCTETS + ip
end

-- An idle phone listens to its own paging group.
local function warn_paging(state, cfg, ms)
    if cfg.run and cfg.run.clock == "real" and ms.send_imsi == false then
        check.warn(state, ms, "send_imsi", "found false: a BSS such as OsmoPCU then assigns an idle MS its"
            .. " radio blocks in paging group 0, and a phone of another group does not hear that")
    end
end

local function warn_mss(state, cfg)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                warn_mtu(state, ms, "n201_u", "", ms.n201_u_octets, cfg.gb, "gb",
                    gb_header(nse) + parts.options_octets(ms))
                warn_paging(state, cfg, ms)
            end
        end
    end
end

function network.all(state, cfg)
    check_clock(state, cfg)
    check_port(state, cfg, "gn")
    check_port(state, cfg, "gb")
    check_shared(state, cfg.gn, cfg.gb)
    check_nsvcs(state, cfg)
    check_ggsns(state, cfg)
    check_lab(state, cfg)
    warn_mss(state, cfg)
end

return network
