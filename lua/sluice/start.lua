-- Brings a configuration up: sends the commands that fill the dataplane, and in the lab adds the
-- receiver's endpoints and the sources. All in the order of the file; network assigns the ids.
local addresses = require "sluice.base.addresses"
local contexts = require "contexts" -- in real time, else empty
local dp = require "dp"
local own_buckets = require "sluice.bssgp.own_buckets"
local lab = require "lab" -- in virtual time, else empty
local parts = require "sluice.config.parts"
local ranges = require "sluice.subscribers.ranges"
local setup = require "sluice.config.setup"
local network = require "sluice.core.network"

local function start_ggsns(cfg)
    dp.gn_from(parts.gn_from(cfg))
    for _, ggsn in ipairs(cfg.ggsn) do
        local id = network.ids.ggsn:take()
        dp.ggsn { ggsn_id = id, address = parts.address(ggsn.address), mac = ggsn.mac }
        network.ggsn_ids[ggsn.name] = id
    end
end

local function start_nse(record, receiver)
    local nse = assert(network.add_nse(record))
    for _, nsvc in ipairs(record.nsvc) do
        local address = parts.address(nsvc.peer)
        assert(network.add_nsvc(nse, {
            nsvci = nsvc.nsvci, address = address, port = nsvc.peer_port, mac = nsvc.peer_mac,
            weight = nsvc.weight, blocked = record.ns ~= "manual", cfg = nsvc,
        }))
        receiver.endpoint { nse_id = nse.id, address = address, port = nsvc.peer_port }
    end
    dp.nse_bucket(parts.bucket({ nse_id = nse.id }, record, ""))
    for _, bvc in ipairs(record.bvc) do
        local id = assert(network.add_bvc(nse, bvc.bvci, bvc)).id
        for _, ms in ipairs(bvc.ms) do
            assert(ranges.add(nse.id, id, ms))
        end
    end
end

-- teids: in the order of parts.each_pdp.
local function start_sources(cfg, traffic, teids)
    local sizes, i = parts.packed(traffic.size_octets), 0
    parts.each_pdp(cfg, function(_, _, ms, pdp, member)
        i = i + 1
        if parts.wants(traffic, ms, pdp, member) then
            lab.source {
                teid = teids[i], ms_address = addresses.ipv4_number(pdp.address) + member,
                start_ns = traffic.start_ns, stop_ns = traffic.stop_ns,
                rate_bit_per_s = traffic.rate_bit_per_s,
                poisson = traffic.pattern == "poisson", ect = traffic.ecn, sizes = sizes,
            }
        end
    end)
end

local function nothing() end
local NONE = {
    endpoint = nothing, cipher = nothing, context = nothing, gone = nothing, written = nothing,
}

-- In virtual time: first the dataplane and the receiver, then, once the workers have applied all
-- commands, the sources. In real time the GGSNs exist already; contexts.json gives them the TEIDs.
return function(cfg)
    local virtual = cfg.run.clock == "virtual"
    local sizes = setup.dp_config(cfg)
    network.begin(cfg, sizes)
    own_buckets.begin(sizes.mss)
    network.receiver = virtual and lab or NONE
    network.contexts = virtual and NONE or contexts
    network.teids = virtual and {} or nil
    start_ggsns(cfg)
    for _, nse in ipairs(cfg.nse) do
        start_nse(nse, network.receiver)
    end
    dp.settled()
    for _, traffic in ipairs(virtual and cfg.lab and cfg.lab.traffic or {}) do
        start_sources(cfg, traffic, network.teids)
    end
    network.teids = nil
end
