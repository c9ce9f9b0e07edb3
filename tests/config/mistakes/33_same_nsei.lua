-- expect: 33_same_nsei.lua:17: nse[2].nsei: found the number 1, taken by nse[1] (line 6), allowed one that is free
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 2, peer = "198.51.100.3", peer_mac = "02:00:00:00:00:05" },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
