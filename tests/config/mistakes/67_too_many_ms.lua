-- expect: 67_too_many_ms.lua:27: nse[1].bvc[1].ms[5].count: found 5000000 MSs up to here, allowed at most 4194304
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "00101000000000", count = 1000000,
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
        ms {
            imsi = "00101100000000", count = 1000000,
            pdp { nsapi = 5, class = "background", address = "11.0.0.1" },
        },
        ms {
            imsi = "00101200000000", count = 1000000,
            pdp { nsapi = 5, class = "background", address = "12.0.0.1" },
        },
        ms {
            imsi = "00101300000000", count = 1000000,
            pdp { nsapi = 5, class = "background", address = "13.0.0.1" },
        },
        ms {
            imsi = "00101400000000", count = 1000000,
            pdp { nsapi = 5, class = "background", address = "14.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
