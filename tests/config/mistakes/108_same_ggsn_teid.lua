-- expect: 108_same_ggsn_teid.lua:14: nse[1].bvc[1].ms[1].pdp[2].ggsn_teid: found 0x00000002 and the 1 after it, taken by nse[1].bvc[1].ms[1].pdp[1] (line 13), allowed one that is free
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
ggsn { address = "192.0.2.3", mac = "02:00:00:00:00:05" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", count = 2,
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", ggsn_teid = 1 },
            pdp { nsapi = 6, class = "background", address = "10.0.1.1", ggsn_teid = 2 },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
