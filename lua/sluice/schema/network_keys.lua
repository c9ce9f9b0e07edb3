-- The part of the schema that says how the program runs and what is around it: clock and threads,
-- ports, NS-VCs, GGSNs. See schema.lua.
local described = require "sluice.schema.described"
local gb = require "sluice.schema.gb_keys"
local queues = require "sluice.schema.queues_keys"

local network = {}

local function mac(help, default, example)
    return {
        name = "mac", type = "mac", optional = true, default_help = default, example = example,
        help = help,
    }
end

local ASKED = "by ARP or neighbour discovery, in real time"

function network.ip(name, help)
    return { name = name, type = "ip", example = "192.0.2.1", help = help }
end

function network.udp_port(name, help)
    return { name = name, type = "integer", least = 1, most = 65535, default = 23000, help = help }
end

-- What both ports have.
-- addresses: the most of each family, or nil: one.
local function port_keys(protocol, ring_rx, ring_tx, addresses)
    local several = addresses and ", or one for each worker" or ""
    return described.port_keys({
        {
            name = "device", type = "device", default = "net_ring",
            help = "the DPDK port: net_ring is memory inside the program, for the lab",
        },
        {
            name = "address", type = addresses and "ipv4s" or "ipv4", most_items = addresses,
            optional = true, default_help = "none", example = "192.0.2.1",
            help = "the SGSN's IPv4 address for " .. protocol .. several,
        },
        "prefix",
        {
            name = "gateway", type = "ipv4", optional = true,
            default_help = "none: every address is on the link", example = "192.0.2.254",
            help = "the router to all other IPv4 addresses",
        },
        {
            name = "address6", type = addresses and "ipv6s" or "ipv6", most_items = addresses,
            optional = true, default_help = "none", example = "2001:db8::1",
            help = "the SGSN's IPv6 address for " .. protocol .. several,
        },
        "prefix6",
        {
            name = "gateway6", type = "ipv6", optional = true,
            default_help = "none: every address is on the link", example = "2001:db8::fe",
            help = "the router to all other IPv6 addresses",
        },
        mac("the port's MAC address; net_ring needs one", "the device's own",
            "02:53:4c:00:00:01"),
        "mtu", "rx_frames", "tx_frames",
    }, { rx_frames = { default_help = ring_rx }, tx_frames = { default_help = ring_tx } })
end

local function joined(...)
    local keys = {}
    for _, some in ipairs { ... } do
        table.move(some, 1, #some, #keys + 1, keys)
    end
    return keys
end

network.run = {
    name = "run", min = 1, max = 1, single = true, help = "one run of the program",
    keys = joined({
        { name = "name", type = "word", example = "quickstart", help = "the name of the run in reports" },
        {
            name = "clock", type = "choice", choices = { "virtual", "real" }, default = "virtual",
            help = "virtual: time jumps from event to event; real: with a real network",
        },
        {
            name = "duration", type = "time", least = "1 ms", most = "1440 min", example = "10 s",
            optional = true, default_help = "none with the real clock: the run ends at SIGINT or SIGTERM",
            help = "when the run ends, by its clock; the virtual clock needs a duration",
        },
        {
            name = "warmup", type = "time", least = "0 s", most = "1440 min", default = "0 s",
            help = "the beginning of the run that its figures leave out; less than duration",
        },
        {
            name = "batches", type = "integer", least = 0, most = 100, default = 0,
            help = "5 to 100 equal parts of the rest, each measured like a run, or 0; virtual clock only",
        },
        {
            name = "seed", type = "integer", least = 0, most = 1 << 53, default = 1,
            help = "the seed of all random numbers: same seed, same bytes",
        },
    }, described.keys "run", {
        {
            name = "cores", type = "integers", least = 0, most = 1023, most_items = 17,
            optional = true, default_help = "chosen: workers at the NUMA node of gn.device, each with a physical core, isolated ones first",
            example = "{ 0, 1 }",
            help = "processors in real time: the first for control, the others for workers",
        },
        {
            name = "idle", type = "choice", choices = { "sleep", "spin" }, default = "sleep",
            help = "what an idle worker does in real time: sleep for up to 1 ms, or poll",
        },
        {
            name = "user", type = "word", optional = true, example = "sluice",
            default_help = "for root: SUDO_UID, else the user sluice, else root with a warning",
            help = "user of the process once ports are open, in real time: a name or number",
        },
    }),
}

network.gn = {
    name = "gn", min = 1, max = 1, single = true,
    help = "the port towards the GGSN: GTP-U over UDP port 2152",
    keys = joined(port_keys("GTP-U", "4096", "1024", 16), described.keys "gn", {
        {
            name = "from", type = "nets", most_items = 11, optional = true,
            default_help = "for a context without a ggsn: every ggsn, and lab.ggsn",
            example = '{ "192.0.2.2", "198.51.100.0/24" }',
            help = "senders allowed to every context, beside its own GGSN: addresses, or nets with a /",
        },
    }),
}

network.gb = {
    name = "gb", min = 1, max = 1, single = true, help = "the port towards the BSS: NS over UDP",
    keys = joined(port_keys("NS", "1024", "1024; 2 with lab.gb_rate"), {
        network.udp_port("port", "the SGSN's UDP port for NS"),
    }, described.keys("gb", {
        cell_delay = queues.delay, ms_delay = queues.delay, pfc_delay = queues.delay,
        ready = { example = "44 s" },
    }), { gb.drain, gb.capture }),
}

network.NSVCS_AN_NSE = gb.NSVCS_AN_NSE

network.nsvc = {
    name = "nsvc", min = 0,
    help = ("an NS-VC: one UDP endpoint of the BSS, %d in an NSE at most"):format(
        network.NSVCS_AN_NSE),
    keys = {
        { name = "nsvci", type = "integer", least = 0, most = 65535, help = "NSVCI" },
        network.ip("peer", "the BSS's address"),
        network.udp_port("peer_port", "the BSS's UDP port"),
        {
            name = "peer_mac", type = "mac", example = "02:53:4c:00:01:01", optional = true,
            default_help = ASKED,
            help = "the next hop's MAC address: the BSS, or the router to the BSS",
        },
        {
            name = "weight", type = "integer", least = 1, most = 255, default = 1,
            help = "the NS-VC's share of the NSE's traffic, against the NSE's other NS-VCs",
        },
    },
}

network.ggsn = {
    name = "ggsn", min = 0, help = "a GGSN, where uplink N-PDUs go",
    keys = {
        {
            name = "name", type = "word", optional = true, example = "ggsn1",
            default_help = "ggsn1, ggsn2, ... by place in the file",
            help = "the name that pdp.ggsn refers to",
        },
        network.ip("address", "the GGSN's address for GTP-U"),
        mac("the next hop's MAC address: the GGSN, or the router to the GGSN", ASKED, "02:53:4c:00:02:01"),
        {
            name = "control", type = "ipv4", optional = true, example = "192.0.2.2",
            default_help = "none: contexts are those of the file",
            help = "the GGSN's address for GTP-C, UDP port 2123, by which phones' contexts are made",
        },
    },
}

return network
