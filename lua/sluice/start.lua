-- Brings a configuration up: sends the commands that fill the dataplane, and fills the lab. All in the
-- order of the file; network assigns the ids.
local contexts = require "contexts" -- in real time, else empty
local dp = require "dp"
local own_buckets = require "sluice.bssgp.own_buckets"
local lab = require "sluice.lab.fill"
local parts = require "sluice.config.parts"
local ranges = require "sluice.subscribers.ranges"
local paths = require "sluice.gtpc.path"
local setup = require "sluice.config.setup"
local network = require "sluice.core.network"

local function start_ggsns(cfg)
    dp.gn_from(parts.gn_from(cfg))
    for _, ggsn in ipairs(cfg.ggsn) do
        local id = network.ids.ggsn:take()
        dp.ggsn {
            ggsn_id = id, address = parts.address(ggsn.address), mac = ggsn.mac,
            gtpc = ggsn.control == ggsn.address or nil,
        }
        network.ggsn_ids[ggsn.name] = id
        if cfg.lab and ggsn.address == cfg.lab.ggsn then
            network.ggsn_ids.lab = id
        end
    end
    if cfg.lab and not network.ggsn_ids.lab then
        local id = network.ids.ggsn:take()
        dp.ggsn { ggsn_id = id, address = parts.address(cfg.lab.ggsn), mac = cfg.lab.ggsn_mac }
        network.ggsn_ids.lab = id
    end
end

local function start_nse(record)
    local nse = assert(network.add_nse(record))
    lab.nse(nse.id, record)
    for _, nsvc in ipairs(record.nsvc) do
        local address = parts.address(nsvc.peer)
        assert(network.add_nsvc(nse, {
            nsvci = nsvc.nsvci, address = address, port = nsvc.peer_port, mac = nsvc.peer_mac,
            weight = nsvc.weight, blocked = record.ns ~= "manual", cfg = nsvc,
        }))
        lab.endpoint(nse.id, nsvc)
    end
    dp.nse_bucket(parts.bucket({ nse_id = nse.id }, record, ""))
    for _, bvc in ipairs(record.bvc) do
        local id = assert(network.add_bvc(nse, bvc.bvci, bvc)).id
        lab.cell(nse.id, id, bvc)
        for _, ms in ipairs(bvc.ms) do
            assert(ranges.add(nse.id, id, ms))
        end
    end
end

local function nothing() end
local NONE = { context = nothing, gone = nothing, written = nothing }

-- First the dataplane, then, once the workers have applied all commands, the applications of the lab.
-- In real time contexts.json gets the TEIDs.
return function(cfg)
    local sizes = setup.dp_config(cfg)
    network.begin(cfg, sizes)
    own_buckets.begin(sizes.mss)
    network.contexts = cfg.run.clock == "virtual" and NONE or contexts
    start_ggsns(cfg)
    for _, nse in ipairs(cfg.nse) do
        start_nse(nse)
    end
    lab.phones(cfg)
    dp.settled()
    paths.begin()
    lab.happenings(cfg)
end
