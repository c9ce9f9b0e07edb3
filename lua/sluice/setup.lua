-- From the normalised configuration to the dataplane and the lab: how large they are to be, and the
-- commands that fill them. Ids are given here, in the order of the file, from 0.
local classes = require "classes"
local units = require "sluice.units"

local setup = {}

-- A slow line takes a frame at a time; more than a few in the ring would be a queue that nobody
-- manages. Without a rate the ring is as large as a burst wants.
local GB_RING_SLOW, GB_RING_FAST = 2, 1024
local GN_RING = 4096

local slot_of_class = {}
for i, name in ipairs(classes) do
    slot_of_class[name] = i - 1
end

local function lab_of(cfg)
    return cfg.lab or { traffic = {} }
end

-- Calls visit(nse, bvc, ms, pdp, member) for each PDP context of each MS, member from 0.
local function each_pdp(cfg, visit)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                for member = 0, ms.count - 1 do
                    for _, pdp in ipairs(ms.pdp) do
                        visit(nse, bvc, ms, pdp, member)
                    end
                end
            end
        end
    end
end

local function count(cfg)
    local n = { nses = #cfg.nse, bvcs = 0, mss = 0, pdps = 0 }
    for _, nse in ipairs(cfg.nse) do
        n.bvcs = n.bvcs + #nse.bvc
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                n.mss = n.mss + ms.count
                n.pdps = n.pdps + ms.count * #ms.pdp
            end
        end
    end
    return n
end

local function address(text)
    local n = 0
    for part in text:gmatch("%d+") do
        n = n << 8 | tonumber(part)
    end
    return n
end

local function wants(traffic, ms, pdp, member)
    -- IMSIs of different lengths are different, whatever number they are
    return pdp.class == traffic.class and (not traffic.imsi or #traffic.imsi == #ms.imsi
        and tonumber(traffic.imsi) == tonumber(ms.imsi) + member)
end

local function sources_of(traffic, cfg)
    local n = 0
    each_pdp(cfg, function(_, _, ms, pdp, member)
        n = n + (wants(traffic, ms, pdp, member) and 1 or 0)
    end)
    return n
end

-- struct dp_config
function setup.dp_config(cfg)
    local n = count(cfg)
    local slow = (lab_of(cfg).gb_rate_bit_per_s or 0) > 0
    return {
        nses = n.nses, bvcs = math.max(n.bvcs, 1), mss = math.max(n.mss, 1),
        pdps = math.max(n.pdps, 1),
        queue_packets = cfg.queue.packets, queue_octets = cfg.queue.octets,
        gn_ring_frames = GN_RING, gb_ring_frames = slow and GB_RING_SLOW or GB_RING_FAST,
        gn_address = address(cfg.gn.address), gn_mac = cfg.gn.mac,
        gn_mtu_octets = cfg.gn.mtu_octets,
        gb_address = address(cfg.gb.address), gb_mac = cfg.gb.mac, gb_port = cfg.gb.port,
        gb_mtu_octets = cfg.gb.mtu_octets,
    }
end

-- struct lab_config
function setup.lab_config(cfg)
    local lab = lab_of(cfg)
    local sources = 0
    for _, traffic in ipairs(lab.traffic) do
        sources = sources + sources_of(traffic, cfg)
    end
    return {
        name = cfg.run.name, seed = cfg.run.seed, duration_ns = cfg.run.duration_ns,
        gb_rate_bit_per_s = lab.gb_rate_bit_per_s or 0,
        contexts = math.max(count(cfg).pdps, 1), sources = sources,
        sgsn_address = address(cfg.gn.address), sgsn_mac = cfg.gn.mac,
        ggsn_address = address(lab.ggsn or "0.0.0.0"),
        ggsn_mac = lab.ggsn_mac or "00:00:00:00:00:00",
    }
end

local function lifetimes_ms(cfg)
    local ms = {}
    for _, class in ipairs(cfg.class) do
        ms[class.name] = class.lifetime_ns // 1000000
    end
    return ms
end

local function start_nse(dp, id, nse)
    local nsvc = nse.nsvc[1]
    dp.nse {
        nse_id = id, nsei = nse.nsei, peer_address = address(nsvc.peer),
        peer_port = nsvc.peer_port, peer_mac = nsvc.peer_mac,
    }
end

-- One MS with its contexts; their TEIDs are added to `made.teids`.
local function start_ms(dp, lab, made, nse, ms, member)
    local tlli = ms.tlli + member
    dp.ms { ms_id = made.mss, bvc_id = made.bvcs, tlli = tlli, n201_u = ms.n201_u_octets }
    for _, pdp in ipairs(ms.pdp) do
        local class = slot_of_class[pdp.class]
        made.teids[#made.teids + 1] = dp.pdp {
            pdp_id = #made.teids, ms_id = made.mss, nsapi = pdp.nsapi, sapi = pdp.sapi,
            traffic_class = class, lifetime_ms = made.lifetime_ms[pdp.class],
        }
        lab.context {
            peer_address = address(nse.nsvc[1].peer), peer_port = nse.nsvc[1].peer_port,
            tlli = tlli, nsapi = pdp.nsapi, traffic_class = class,
        }
    end
    made.mss = made.mss + 1
end

local function start_bvc(dp, lab, made, nse_id, nse, bvc)
    dp.bvc { bvc_id = made.bvcs, nse_id = nse_id, bvci = bvc.bvci }
    for _, ms in ipairs(bvc.ms) do
        for member = 0, ms.count - 1 do
            start_ms(dp, lab, made, nse, ms, member)
        end
    end
    made.bvcs = made.bvcs + 1
end

-- NSEs, cells, MSs and contexts. Returns the TEIDs in the order of each_pdp.
local function start_tree(dp, lab, cfg)
    local made = { bvcs = 0, mss = 0, teids = {}, lifetime_ms = lifetimes_ms(cfg) }
    for i, nse in ipairs(cfg.nse) do
        start_nse(dp, i - 1, nse)
        for _, bvc in ipairs(nse.bvc) do
            start_bvc(dp, lab, made, i - 1, nse, bvc)
        end
    end
    return made.teids
end

local function packed_sizes(sizes)
    local packed = {}
    for i, octets in ipairs(sizes) do
        packed[i] = string.pack(">I2", octets)
    end
    return table.concat(packed)
end

local function start_sources(lab, cfg, traffic, teids)
    local sizes, i = packed_sizes(traffic.size_octets), 0
    each_pdp(cfg, function(_, _, ms, pdp, member)
        i = i + 1
        if wants(traffic, ms, pdp, member) then
            lab.source {
                teid = teids[i], ms_address = address(pdp.address) + member,
                start_ns = traffic.start_ns, stop_ns = traffic.stop_ns,
                rate_bit_per_s = traffic.rate_bit_per_s,
                poisson = traffic.pattern == "poisson", sizes = sizes,
            }
        end
    end)
end

-- The task that brings a run up: first all that receives, then, once the worker has it, all that
-- sends.
function setup.start(cfg)
    local dp, lab = require "dp", require "lab"
    local teids = start_tree(dp, lab, cfg)
    dp.settled()
    for _, traffic in ipairs(lab_of(cfg).traffic) do
        start_sources(lab, cfg, traffic, teids)
    end
end

return setup
