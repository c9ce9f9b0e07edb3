-- The task that brings a run up: the commands that fill the dataplane, and in the lab those who
-- receive and send. Ids are given here, in the order of the file, from 0.
local addresses = require "sluice.addresses"
local ciphers = require "sluice.ciphers"
local classes = require "classes"
local parts = require "sluice.setup_parts"

local slot_of_class = {}
for i, name in ipairs(classes) do
    slot_of_class[name] = i - 1
end

-- Rates reach the dataplane in the wire's unit.
local function hundreds(bit_per_s)
    return bit_per_s and bit_per_s // 100
end

-- A bucket as a command has it; without a rate it does not limit.
local function bucket(command, record, prefix)
    command[prefix .. "rate_100_bit_per_s"] = hundreds(record[prefix .. "rate_bit_per_s"])
    command[prefix .. "bucket_octets"] = record[prefix .. "bucket_octets"] or 0
    return command
end

local function start_ggsns(world, cfg)
    for i, ggsn in ipairs(cfg.ggsn) do
        world.dp.ggsn {
            ggsn_id = i - 1, address = parts.address(ggsn.address), mac = ggsn.mac,
        }
        world.ggsn_ids[ggsn.name] = i - 1
    end
end

local function start_nse(world, id, nse)
    world.dp.nse { nse_id = id, nsei = nse.nsei }
    for _, nsvc in ipairs(nse.nsvc) do
        local peer = parts.address(nsvc.peer)
        world.dp.nsvc {
            nsvc_id = world.nsvcs, nse_id = id, nsvci = nsvc.nsvci, peer_address = peer,
            peer_port = nsvc.peer_port, peer_mac = nsvc.peer_mac, weight = nsvc.weight,
        }
        world.receiver.endpoint { nse_id = id, address = peer, port = nsvc.peer_port }
        world.nsvcs = world.nsvcs + 1
    end
    world.dp.nse_flow(bucket({ nse_id = id }, nse, ""))
end

local function start_pfcs(dp, ms_id, flows)
    for i, flow in ipairs(flows) do
        local slot, class = i - 1, slot_of_class[flow.class]
        dp.pfc { ms_id = ms_id, slot = slot, traffic_class = class }
        if flow.rate_bit_per_s then
            dp.pfc_flow(bucket({ ms_id = ms_id, slot = slot }, flow, ""))
        end
    end
end

-- The same key here and at the receiver.
local function start_cipher(world, nse_id, ms, member)
    local gea, key = ciphers.number[ms.cipher], ciphers.key(ms.key, member)
    world.dp.ms_cipher { ms_id = world.mss, gea = gea, key = key, iov_ui = ms.iov_ui }
    world.receiver.cipher {
        nse_id = nse_id, tlli = ms.tlli + member, gea = gea, key = key, iov_ui = ms.iov_ui,
    }
end

local function imsi_of(ms, member)
    return ("%0" .. #ms.imsi .. "d"):format(math.tointeger(tonumber(ms.imsi)) + member)
end

local function octets_of(hex)
    return hex and hex:gsub("%x%x", function(octet)
        return string.char(tonumber(octet, 16))
    end) or nil
end

local function start_options(world, ms, member)
    world.dp.ms_options {
        ms_id = world.mss, ra_capability = octets_of(ms.ra_capability), drx = ms.drx,
        priority = ms.priority, imsi = ms.send_imsi and imsi_of(ms, member) or nil,
    }
end

local function start_pdp(world, nse_id, ms, member, pdp, slot)
    local id, tlli = #world.teids, ms.tlli + member
    local teid = world.dp.pdp {
        pdp_id = id, ms_id = world.mss, slot = slot, nsapi = pdp.nsapi, sapi = pdp.sapi,
        pfi = pdp.pfi, ggsn_id = world.ggsn_ids[pdp.ggsn],
        ggsn_teid = pdp.ggsn_teid and pdp.ggsn_teid + member or 0,
    }
    world.teids[id + 1] = teid
    world.receiver.context {
        nse_id = nse_id, tlli = tlli, nsapi = pdp.nsapi, traffic_class = slot_of_class[pdp.class],
    }
    world.contexts.context {
        imsi = imsi_of(ms, member), tlli = tlli, nsapi = pdp.nsapi, teid = teid,
        address = addresses.ipv4_number(pdp.address) + member,
    }
end

-- One MS with its packet flows and contexts.
local function start_ms(world, nse_id, ms, member, slots, flows)
    local dp, id = world.dp, world.mss
    dp.ms {
        ms_id = id, bvc_id = world.bvcs, tlli = ms.tlli + member, n201_u = ms.n201_u_octets,
    }
    if ms.cipher ~= "none" then
        start_cipher(world, nse_id, ms, member)
    end
    if parts.has_options(ms) then
        start_options(world, ms, member)
    end
    if ms.rate_bit_per_s then
        dp.ms_flow(bucket({ ms_id = id }, ms, ""))
    end
    start_pfcs(dp, id, flows)
    for _, pdp in ipairs(ms.pdp) do
        start_pdp(world, nse_id, ms, member, pdp, slots[pdp.class])
    end
    world.mss = world.mss + 1
end

local function start_bvc(world, nse_id, bvc)
    world.dp.bvc { bvc_id = world.bvcs, nse_id = nse_id, bvci = bvc.bvci }
    world.dp.bvc_flow(bucket(bucket({ bvc_id = world.bvcs }, bvc, ""), bvc, "ms_"))
    for _, ms in ipairs(bvc.ms) do
        local slots, flows = parts.slots_of(ms)
        for member = 0, ms.count - 1 do
            start_ms(world, nse_id, ms, member, slots, flows)
        end
    end
    world.bvcs = world.bvcs + 1
end

local function start_tree(world, cfg)
    for i, nse in ipairs(cfg.nse) do
        start_nse(world, i - 1, nse)
        for _, bvc in ipairs(nse.bvc) do
            start_bvc(world, i - 1, bvc)
        end
    end
end

local function packed_sizes(sizes)
    local packed = {}
    for i, octets in ipairs(sizes) do
        packed[i] = string.pack(">I2", octets)
    end
    return table.concat(packed)
end

-- `teids` are in the order of each_pdp.
local function start_sources(lab, cfg, traffic, teids)
    local sizes, i = packed_sizes(traffic.size_octets), 0
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
local NOBODY = { endpoint = nothing, cipher = nothing, context = nothing }

-- First all that receives, then, once the workers have it, all that sends. In real time the network
-- is there already, and is told our TEIDs.
return function(cfg)
    local virtual = cfg.run.clock == "virtual"
    local lab = virtual and require "lab"
    local world = {
        dp = require "dp", receiver = lab or NOBODY,
        contexts = virtual and NOBODY or require "contexts",
        nsvcs = 0, bvcs = 0, mss = 0, teids = {}, ggsn_ids = {},
    }
    start_ggsns(world, cfg)
    start_tree(world, cfg)
    world.dp.settled()
    for _, traffic in ipairs(lab and cfg.lab and cfg.lab.traffic or {}) do
        start_sources(lab, cfg, traffic, world.teids)
    end
end
