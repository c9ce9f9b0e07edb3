-- expect: 158_two_in_a_wide_span.lua:12: nse[1].bvc[1].ms[2].imsi: found "001010000000010", taken by nse[1].bvc[1].ms[1] (line 11), allowed one that is free
-- expect: 158_two_in_a_wide_span.lua:14: nse[1].bvc[1].ms[3].imsi: found "001010000000020", taken by nse[1].bvc[1].ms[1] (line 11), allowed one that is free
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms { imsi = "001010000000000", count = 100 },
        ms { imsi = "001010000000010" },
        ms {
            imsi = "001010000000020",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
