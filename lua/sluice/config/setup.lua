-- Makes the sizes of the program, the dataplane and the lab from the normalised configuration.
-- start.lua fills them.
local addresses = require "sluice.base.addresses"
local breath = require "sluice.base.breath"
local from_c = require "sluice.schema.described"
local limits = require "limits"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local schema_queues = require "sluice.schema.queues_keys"

local setup = {}

-- A slow line takes one frame at a time; more than a few frames in the ring would be an unmanaged
-- queue. Without a rate the ring has room for a burst.
local FRAMES_SLOW, FRAMES_FAST = 2, 1024
local GN_RX_FRAMES = 4096

local GTPU_PORT = 2152
local NO_IPV4, NO_IPV6, NO_MAC = "0.0.0.0", "::", "00:00:00:00:00:00"

-- There is always room for the longest IMSI, so that a reload may bring a longer IMSI or switch
-- send_imsi on. Its 10 octets are 2 % of the memory of an MS.
local IMSI_OCTETS = parts.options_octets { send_imsi = true, imsi = ("9"):rep(15) }

-- A phone that attaches says what its options are.
local PHONE_OCTETS = parts.options_octets {
    send_imsi = true, imsi = ("9"):rep(15), drx = 0, ra_capability = ("00"):rep(48),
}

-- Counts the PDP contexts and keys of the file, and the octets of the longest options.
local function count(cfg)
    local n = { pdps = 0, ciphers = 0, options_octets = cfg.attach and PHONE_OCTETS or IMSI_OCTETS }
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

-- As the dataplane numbers them.
local function place_of(choices, name)
    for i, choice in ipairs(choices) do
        if choice == name then
            return i - 1
        end
    end
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
            refuse_late = class.refuse_late, window_ns = class.window_ns,
            scope = place_of(schema_queues.scopes, class.scope), aqm = place - 1, aqm_params = params,
        }
        flows = flows or class.flows
    end
    return list, flows
end

-- What the file's keys say that the dataplane describes, by the names of its fields. A choice is its
-- place, and what is not there is 0.
local function described(fields, keys_of)
    local values = {}
    for _, field in ipairs(fields) do
        local record, key = keys_of(field.key and field.key.name or "")
        local value = key and record[key.out]
        if key and key.type == "choice" and type(value) == "string" then
            value = place_of(key.choices, value)
        end
        values[field.name] = key and (value or 0)
    end
    return values
end

-- struct dp_port
local function port(name, p, udp_port, rx_frames, tx_frames)
    local values = described(limits[name].fields, function(key_name)
        return p, schema.constructor[name].key[key_name]
    end)
    values.device, values.mac, values.port = p.device, p.mac or NO_MAC, udp_port
    values.rx_frames, values.tx_frames = p.rx_frames or rx_frames, p.tx_frames or tx_frames
    values.address = addresses.ipv4_number(parts.first(p.address) or NO_IPV4)
    values.gateway = addresses.ipv4_number(p.gateway or NO_IPV4)
    values.address6, values.gateway6 = parts.first(p.address6) or NO_IPV6, p.gateway6 or NO_IPV6
    return values
end

-- The struct dp_addresses: an address for each worker, if there are lists.
local function addresses_of(p, workers)
    local ipv4, ipv6 = p.address, p.address6
    local list, several = {}, type(ipv4) == "table" or type(ipv6) == "table"
    for i = 1, several and workers or 0 do
        list[i] = {
            address = addresses.ipv4_number(ipv4 and ipv4[i] or NO_IPV4),
            address6 = ipv6 and ipv6[i] or NO_IPV6,
        }
    end
    return list
end

-- struct run_config
function setup.run_config(cfg)
    local run = cfg.run
    return {
        name = run.name, seed = run.seed, real = run.clock == "real",
        duration_ns = run.duration_ns or 0, warmup_ns = run.warmup_ns, batches = run.batches, spin = run.idle == "spin",
        user = run.user or "", policy = cfg.policy and cfg.policy.path or "",
        cores = string.pack((">I2"):rep(#(run.cores or {})), table.unpack(run.cores or {})),
    }
end

-- struct dp_config
function setup.dp_config(cfg)
    local n = count(cfg)
    local slow = cfg.lab ~= nil and cfg.lab.gb_rate_bit_per_s > 0
    local class_list, flows = dp_classes(cfg)
    local dp = described(limits, function(key_name)
        local block, name = key_name:match("^(%w+)%.(.+)$")
        return cfg[block], block and schema.constructor[block].key[name]
    end)
    dp.queue_flows = flows and dp.queue_flows or 0
    dp.classes, dp.ms_options_octets = class_list, n.options_octets
    dp.real_time = cfg.run.clock == "real"
    dp.seed, dp.secret_seed = cfg.run.seed, dp.real_time and 0 or cfg.run.seed + 1
    dp.gn = port("gn", cfg.gn, GTPU_PORT, GN_RX_FRAMES, FRAMES_FAST)
    dp.gn_addresses = addresses_of(cfg.gn, cfg.run.workers)
    dp.gb = port("gb", cfg.gb, cfg.gb.port, FRAMES_FAST, slow and FRAMES_SLOW or FRAMES_FAST)
    return dp
end

-- struct lab_config. Without lab { } Gn has no GGSN, and the addresses are 0.
function setup.lab_config(cfg)
    local lab = cfg.lab or {}
    local ipv6 = lab.ggsn and addresses.is_ipv6(lab.ggsn)
    local function values(name)
        return from_c.values(schema.constructor[name], lab[name], {})
    end
    return {
        name = cfg.run.name, seed = cfg.run.seed, duration_ns = cfg.run.duration_ns,
        step_ns = lab.step_ns or 0, passive = lab.passive == true,
        gb_rate_bit_per_s = lab.gb_rate_bit_per_s or 0, workers = cfg.run.workers,
        gn_address = parts.address(parts.first(ipv6 and cfg.gn.address6 or cfg.gn.address) or NO_IPV4),
        gn_mac = cfg.gn.mac, gn_mtu_octets = cfg.gn.mtu_octets, gn_vlan = cfg.gn.vlan or 0,
        ggsn_address = parts.address(lab.ggsn or NO_IPV4), ggsn_mac = lab.ggsn_mac or NO_MAC,
        gb_address = parts.address(cfg.gb.address or NO_IPV4), gb_address6 = cfg.gb.address6 or NO_IPV6,
        gb_mac = cfg.gb.mac, gb_port = cfg.gb.port, gb_mtu_octets = cfg.gb.mtu_octets,
        gb_vlan = cfg.gb.vlan or 0,
        gi = values "gi", cake = values "cake", mobile = values "mobile",
    }
end

return setup
