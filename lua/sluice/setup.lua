-- From the normalised configuration to the dataplane and the lab: how large they are to be, and the
-- commands that fill them. Ids are given here, in the order of the file, from 0.
local ciphers = require "sluice.ciphers"
local classes = require "classes"
local schema_queues = require "sluice.schema_queues"

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

-- The packet flows of an ms record, one for each class that its contexts have, as they come: the
-- slot of each class, and the list of flows by slot. Until the BSS knows packet flows
-- (CREATE-BSS-PFC), a flow is an MS's traffic of a class.
local function slots_of(ms)
    local slots, list = {}, {}
    for _, pdp in ipairs(ms.pdp) do
        if not slots[pdp.class] then
            slots[pdp.class] = #list
            list[#list + 1] = { class = pdp.class }
        end
        local flow = list[slots[pdp.class] + 1]
        flow.rate_bit_per_s = flow.rate_bit_per_s or pdp.rate_bit_per_s
        flow.bucket_octets = flow.bucket_octets or pdp.bucket_octets
    end
    return slots, list
end

local function count(cfg)
    local n = { nses = #cfg.nse, bvcs = 0, mss = 0, pdps = 0, ciphers = 0, pfcs_an_ms = 1 }
    for _, nse in ipairs(cfg.nse) do
        n.bvcs = n.bvcs + #nse.bvc
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                n.mss = n.mss + ms.count
                n.pdps = n.pdps + ms.count * #ms.pdp
                n.ciphers = n.ciphers + (ms.cipher == "none" and 0 or ms.count)
                n.pfcs_an_ms = math.max(n.pfcs_an_ms, #select(2, slots_of(ms)))
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

local place_of_scope = {}
for i, name in ipairs(schema_queues.scopes) do
    place_of_scope[name] = i - 1
end

-- struct dp_class of each class, and whether one has queues by flow.
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

-- struct dp_config
function setup.dp_config(cfg)
    local n, queue = count(cfg), cfg.queue
    local slow = (lab_of(cfg).gb_rate_bit_per_s or 0) > 0
    local class_list, flows = dp_classes(cfg)
    return {
        nses = n.nses, bvcs = math.max(n.bvcs, 1), mss = math.max(n.mss, 1),
        pdps = math.max(n.pdps, 1), pfcs_an_ms = n.pfcs_an_ms,
        flows_a_pfc = flows and queue.flows or 0, flow_quantum_octets = queue.flow_quantum_octets,
        queue_packets = queue.packets, queue_octets = queue.octets,
        bvc_packets = queue.cell_packets, bvc_octets = queue.cell_octets,
        ms_packets = queue.ms_packets, ms_octets = queue.ms_octets,
        bvc_delay_ns = cfg.gb.cell_delay_ns, ms_delay_ns = cfg.gb.ms_delay_ns,
        pfc_delay_ns = cfg.gb.flow_delay_ns, classes = class_list, seed = cfg.run.seed,
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
    local n, sources = count(cfg), 0
    for _, traffic in ipairs(lab.traffic) do
        sources = sources + sources_of(traffic, cfg)
    end
    return {
        name = cfg.run.name, seed = cfg.run.seed, duration_ns = cfg.run.duration_ns,
        gb_rate_bit_per_s = lab.gb_rate_bit_per_s or 0,
        contexts = math.max(n.pdps, 1), ciphers = n.ciphers, sources = sources,
        sgsn_address = address(cfg.gn.address), sgsn_mac = cfg.gn.mac,
        ggsn_address = address(lab.ggsn or "0.0.0.0"),
        ggsn_mac = lab.ggsn_mac or "00:00:00:00:00:00",
    }
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

local function start_nse(dp, id, nse)
    local nsvc = nse.nsvc[1]
    dp.nse {
        nse_id = id, nsei = nse.nsei, peer_address = address(nsvc.peer),
        peer_port = nsvc.peer_port, peer_mac = nsvc.peer_mac,
    }
    dp.nse_flow(bucket({ nse_id = id }, nse, ""))
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
local function start_cipher(dp, lab, ms_id, nse, ms, member)
    local gea, key = ciphers.number[ms.cipher], ciphers.key(ms.key, member)
    dp.ms_cipher { ms_id = ms_id, gea = gea, key = key, iov_ui = ms.iov_ui }
    lab.cipher {
        peer_address = address(nse.nsvc[1].peer), peer_port = nse.nsvc[1].peer_port,
        tlli = ms.tlli + member, gea = gea, key = key, iov_ui = ms.iov_ui,
    }
end

-- One MS with its packet flows and contexts; their TEIDs are added to `made.teids`.
local function start_ms(dp, lab, made, nse, ms, member, slots, flows)
    local tlli = ms.tlli + member
    dp.ms { ms_id = made.mss, bvc_id = made.bvcs, tlli = tlli, n201_u = ms.n201_u_octets }
    if ms.cipher ~= "none" then
        start_cipher(dp, lab, made.mss, nse, ms, member)
    end
    if ms.rate_bit_per_s then
        dp.ms_flow(bucket({ ms_id = made.mss }, ms, ""))
    end
    start_pfcs(dp, made.mss, flows)
    for _, pdp in ipairs(ms.pdp) do
        made.teids[#made.teids + 1] = dp.pdp {
            pdp_id = #made.teids, ms_id = made.mss, slot = slots[pdp.class], nsapi = pdp.nsapi,
            sapi = pdp.sapi,
        }
        lab.context {
            peer_address = address(nse.nsvc[1].peer), peer_port = nse.nsvc[1].peer_port,
            tlli = tlli, nsapi = pdp.nsapi, traffic_class = slot_of_class[pdp.class],
        }
    end
    made.mss = made.mss + 1
end

local function start_bvc(dp, lab, made, nse_id, nse, bvc)
    dp.bvc { bvc_id = made.bvcs, nse_id = nse_id, bvci = bvc.bvci }
    dp.bvc_flow(bucket(bucket({ bvc_id = made.bvcs }, bvc, ""), bvc, "ms_"))
    for _, ms in ipairs(bvc.ms) do
        local slots, flows = slots_of(ms)
        for member = 0, ms.count - 1 do
            start_ms(dp, lab, made, nse, ms, member, slots, flows)
        end
    end
    made.bvcs = made.bvcs + 1
end

-- NSEs, cells, MSs and contexts. Returns the TEIDs in the order of each_pdp.
local function start_tree(dp, lab, cfg)
    local made = { bvcs = 0, mss = 0, teids = {} }
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
                poisson = traffic.pattern == "poisson", ect = traffic.ecn, sizes = sizes,
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
