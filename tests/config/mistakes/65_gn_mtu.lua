-- expect: 65_gn_mtu.lua:18: lab.traffic[1].size: found 1465 octets, allowed at most 1464 with gn.mtu of 1500 octets and 36 octets of headers (no fragments yet)
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1,
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = { "1464 octets", "1465 octets" }, rate = "8 kbit/s" },
}
