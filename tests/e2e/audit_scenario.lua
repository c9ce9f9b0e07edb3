-- What audit_scenario.py captures: packets that come when they come (open loop), for six MSs in two cells, two of them
-- with two contexts, and one that is in a third cell of another NSE and goes to the first. One cell gets other buckets
-- again and again, and so do three MSs of another one. What the BSSs say does not depend on what is sent, and the queue
-- is that of sluice audit --scenario's variant tail-drop.
run { name = "captured", duration = "240 s", seed = 1 }
gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:53:4c:00:00:02", mtu = "1600 octets", cell_delay = "20 ms", ms_delay = "60 ms" }
queue {
    packets = 100000, octets = "100000 kB", cell_packets = 50000, cell_octets = "50000 kB",
    ms_packets = 10000, ms_octets = "100 kB", overflow = "tail",
}
local classes = {
    "background", "interactive-1", "interactive-2", "interactive-3", "streaming", "conversational",
}
for i = 1, #classes do
    class {
        name = classes[i], lifetime = "100 s", bss_lifetime_least = "20 s", flows = false, scope = "ms",
        packets = 50000, octets = "50000 kB", aqm { name = "tail-drop" },
    }
end
variants {
    default = "tail-drop",
    variant { name = "tail-drop" },
    variant { name = "codel", set = { "class.aqm.name=codel" } },
    variant { name = "flows", set = { "class.flows=true" } },
}

local function ms_of(imsi, address, count, second)
    return ms {
        imsi = imsi, count = count, n201_u = "1520 octets",
        pdp { nsapi = 5, sapi = 11, class = "interactive-1", address = address },
        second and pdp { nsapi = 6, sapi = 11, class = "interactive-1", address = second } or nil,
    }
end

nse {
    nsei = 7, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" },
    bvc {
        bvci = 2, ms_of("262420000000001", "10.0.0.1", 4), flow { trace = "audit_scenario.mss.csv" },
    },
    bvc { bvci = 3, ms_of("262420000000101", "10.0.1.1", 2, "10.0.3.1"), flow { trace = "audit_scenario.flow.csv" } },
}
nse {
    nsei = 900, nsvc { nsvci = 102, peer = "198.51.100.3", peer_mac = "02:53:4c:00:01:02" },
    bvc { bvci = 2, ms_of("262420000000201", "10.0.2.1", 1), flow { rate = "12 kbit/s", bmax_time = "3 s" } },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    traffic {
        class = "interactive-1", rate = "4 kbit/s", pattern = "poisson", size = { "40 octets", "576 octets", "1500 octets" },
        start = "5 s", stop = "200 s",
    },
    traffic {
        class = "interactive-1", rate = "10 kbit/s", on = "5 s", off = "20 s", pattern = "poisson",
        size = { "576 octets", "1500 octets" }, start = "5 s", stop = "200 s", ecn = true,
    },
    move { imsi = "262420000000201", at = "100 s", cells = { "7-2" } },
    move { imsi = "262420000000002", at = "50 s", every = "40 s", times = 2, cells = { "7-3", "7-2" } },
}
