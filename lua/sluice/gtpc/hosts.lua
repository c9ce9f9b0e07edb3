-- The hosts of GGSNs in the dataplane, by address and use: GTP-C (the port 2123 of one host alone), or GTP-U. Those
-- of the file are there from the start; a GGSN may name others in its answers, which stay while somebody holds them.
local addresses = require "sluice.base.addresses"
local dp = require "dp"
local log = require "log"
local network = require "sluice.core.network"
local parts = require "sluice.config.parts"

local hosts = {}

-- By use and address, as events have it: { ggsn_id, held, gtpc, address }; held is nil for one of the file.
local of = { gtpc = {}, gtpu = {} }

local function use(gtpc)
    return gtpc and of.gtpc or of.gtpu
end

-- One of the file.
function hosts.put(address, gtpc, ggsn_id)
    use(gtpc)[address] = { ggsn_id = ggsn_id, gtpc = gtpc, address = address }
end

local function make(address, gtpc, mac)
    local id = network.ids.ggsn:take()
    if not id then
        log.warn(("GGSN %s: no place for its address; raise room.ggsns"):format(addresses.shown(address)))
        return nil
    end
    local good, why = pcall(dp.ggsn, { ggsn_id = id, address = address, mac = mac, gtpc = gtpc or nil })
    if not good then
        network.ids.ggsn:give(id)
        log.warn(("GGSN %s: its address cannot be used: %s"):format(addresses.shown(address), why))
        return nil
    end
    return id
end

-- Returns the host, made if it is new; nil without room, or if it cannot be a GGSN's address.
function hosts.hold(address, gtpc, mac)
    local host = use(gtpc)[address]
    if not host then
        local id = make(address, gtpc, mac)
        if not id then
            return nil
        end
        host = { ggsn_id = id, gtpc = gtpc, address = address, held = 0 }
        network.data_hosts[address] = not gtpc and id or network.data_hosts[address]
        use(gtpc)[address] = host
    end
    host.held = host.held and host.held + 1
    return host
end

-- No context of the dataplane may use it any more when nobody holds it.
function hosts.release(host)
    if not host or not host.held then
        return
    end
    host.held = host.held - 1
    if host.held == 0 then
        use(host.gtpc)[host.address] = nil
        if not host.gtpc then
            network.data_hosts[host.address] = nil
        end
        dp.ggsn_remove { ggsn_id = host.ggsn_id }
        network.ids.ggsn:give(host.ggsn_id)
    end
end

-- Our IPv4 address on Gn as a number: worker 0's, which sends GTP-C.
function hosts.own_address()
    return addresses.ipv4_number(parts.first(network.cfg.gn.address))
end

return hosts
