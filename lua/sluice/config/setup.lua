-- Makes the sizes of the program, the dataplane and the lab from the normalised configuration.
-- start.lua fills them.
local addresses = require "sluice.base.addresses"
local breath = require "sluice.base.breath"
local parts = require "sluice.config.parts"
local schema_queues = require "sluice.config.queues_keys"

local setup = {}

-- A slow line takes one frame at a time; more than a few frames in the ring would be an unmanaged
-- queue. Without a rate the ring has room for a burst.
local FRAMES_SLOW, FRAMES_FAST = 2, 1024
local GN_RX_FRAMES = 4096

local GTPU_PORT = 2152
local NO_IPV4, NO_IPV6, NO_MAC = "0.0.0.0", "::", "00:00:00:00:00:00"

local function lab_of(cfg)
    return cfg.lab or { traffic = {} }
end

-- There is always room for the longest IMSI, so that a reload may bring a longer IMSI or switch
-- send_imsi on. Its 10 octets are 2 % of the memory of an MS.
local IMSI_OCTETS = parts.options_octets { send_imsi = true, imsi = ("9"):rep(15) }

-- Counts the PDP contexts and keys of the file, and the octets of the longest options.
local function count(cfg)
    local n = { pdps = 0, ciphers = 0, options_octets = IMSI_OCTETS }
    for _, nse in breath.each(cfg.nse) do
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                n.pdps = n.pdps + ms.count * #ms.pdp
                n.ciphers = n.ciphers + (ms.cipher == "none" and 0 or ms.count)
                n.options_octets = math.max(n.options_octets, parts.options_octets(ms))
            end
        end
    end
    return n
end

local function sources_of(traffic, cfg)
    local n = 0
    parts.each_pdp(cfg, function(_, _, ms, pdp, member)
        n = n + (parts.wants(traffic, ms, pdp, member) and 1 or 0)
    end)
    return n
end

local place_of_scope = {}
for i, name in ipairs(schema_queues.scopes) do
    place_of_scope[name] = i - 1
end

-- The struct dp_class of each class, and whether a class has queues by flow.
local function dp_classes(cfg)
    local list, flows = {}, false
    for i, class in ipairs(cfg.class) do
        local params, place = schema_queues.params(class.aqm)
        list[i] = {
            weight = class.weight or 1, packets = class.packets, octets = class.octets,
            lifetime_ns = class.lifetime_ns, bss_least_ns = class.bss_lifetime_least_ns,
            bss_most_ns = class.bss_lifetime_most_ns or 0, flows = class.flows,
            scope = place_of_scope[class.scope], aqm = place - 1, aqm_params = params,
        }
        flows = flows or class.flows
    end
    return list, flows
end

-- struct dp_port
local function port(p, udp_port, rx_frames, tx_frames)
    return {
        device = p.device, rx_frames = p.rx_frames or rx_frames,
        tx_frames = p.tx_frames or tx_frames, mac = p.mac or NO_MAC,
        ipv4 = addresses.ipv4_number(p.address or NO_IPV4), ipv4_prefix = p.prefix,
        ipv4_gateway = addresses.ipv4_number(p.gateway or NO_IPV4),
        ipv6 = p.address6 or NO_IPV6, ipv6_prefix = p.prefix6,
        ipv6_gateway = p.gateway6 or NO_IPV6, udp_port = udp_port, mtu_octets = p.mtu_octets,
    }
end

-- struct run_config
function setup.run_config(cfg)
    local run = cfg.run
    return {
        name = run.name, seed = run.seed, real = run.clock == "real",
        duration_ns = run.duration_ns or 0, spin = run.idle == "spin",
        user = run.user or "", policy = cfg.policy and cfg.policy.path or "",
        cores = string.pack((">I2"):rep(#(run.cores or {})), table.unpack(run.cores or {})),
    }
end

-- struct dp_config
function setup.dp_config(cfg)
    local n, queue, room = count(cfg), cfg.queue, cfg.room
    local slow = (lab_of(cfg).gb_rate_bit_per_s or 0) > 0
    local class_list, flows = dp_classes(cfg)
    return {
        nses = room.nses, nsvcs = room.nsvcs, ggsns = room.ggsns, bvcs = room.bvcs,
        mss = room.mss, pdps = room.pdps, pfcs_an_ms = room.flows,
        worker_mss = room.worker_mss, worker_pdps = room.worker_pdps,
        flows_a_pfc = flows and queue.flows or 0, flow_quantum_octets = queue.flow_quantum_octets,
        queue_packets = queue.packets, queue_octets = queue.octets,
        nse_packets = queue.nse_packets or 0, nse_octets = queue.nse_octets or 0xffffffff,
        tail_drop = queue.overflow == "tail", hold_ns = queue.hold_ns,
        bvc_packets = queue.cell_packets, bvc_octets = queue.cell_octets,
        ms_packets = queue.ms_packets, ms_octets = queue.ms_octets,
        bvc_delay_ns = cfg.gb.cell_delay_ns, ms_delay_ns = cfg.gb.ms_delay_ns,
        pfc_delay_ns = cfg.gb.flow_delay_ns, ready_ns = cfg.gb.ready_ns, classes = class_list,
        seed = cfg.run.seed, teid_seed = cfg.run.clock == "real" and 0 or cfg.run.seed + 1,
        workers = cfg.run.workers, real_time = cfg.run.clock == "real",
        ms_options_octets = n.options_octets,
        error_indications_per_s = cfg.gn.error_indications,
        gn = port(cfg.gn, GTPU_PORT, GN_RX_FRAMES, FRAMES_FAST),
        gb = port(cfg.gb, cfg.gb.port, FRAMES_FAST, slow and FRAMES_SLOW or FRAMES_FAST),
    }
end

-- struct lab_config. Without lab { } Gn has no GGSN, and the addresses are 0.
function setup.lab_config(cfg)
    local lab = lab_of(cfg)
    local n, sources = count(cfg), 0
    for _, traffic in ipairs(lab.traffic) do
        sources = sources + sources_of(traffic, cfg)
    end
    local ipv6 = lab.ggsn and addresses.is_ipv6(lab.ggsn)
    return {
        name = cfg.run.name, seed = cfg.run.seed, duration_ns = cfg.run.duration_ns,
        gb_rate_bit_per_s = lab.gb_rate_bit_per_s or 0,
        endpoints = cfg.room.nsvcs, contexts = math.max(n.pdps, 1), ciphers = n.ciphers,
        sources = sources, workers = cfg.run.workers,
        sgsn_address = parts.address(ipv6 and cfg.gn.address6 or cfg.gn.address or NO_IPV4),
        sgsn_mac = cfg.gn.mac, ggsn_address = parts.address(lab.ggsn or NO_IPV4),
        ggsn_mac = lab.ggsn_mac or NO_MAC, gn_mtu_octets = cfg.gn.mtu_octets,
    }
end

return setup
