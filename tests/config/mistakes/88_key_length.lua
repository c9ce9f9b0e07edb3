-- expect: 88_key_length.lua:12: nse[1].bvc[1].ms[1].key: found 16 hexadecimal digits, allowed 32 with cipher = "gea4"
-- expect: 88_key_length.lua:16: nse[1].bvc[1].ms[2].key: found 32 hexadecimal digits, allowed 16 with cipher = "gea3"
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", cipher = "gea4", key = "0123456789abcdef",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
        ms {
            imsi = "001010000000002", cipher = "gea3", key = "0123456789abcdef0123456789abcdef",
            pdp { nsapi = 5, class = "background", address = "10.0.0.2" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
