-- expect: 149_nine_packet_flows.lua:20: nse[1].bvc[1].ms[1].pdp[9].pfi: found one packet flow more, allowed 8 of an MS: one for each class and PFI
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", pfi = 8 },
            pdp { nsapi = 6, class = "background", address = "10.0.0.2", pfi = 9 },
            pdp { nsapi = 7, class = "background", address = "10.0.0.3", pfi = 10 },
            pdp { nsapi = 8, class = "background", address = "10.0.0.4", pfi = 11 },
            pdp { nsapi = 9, class = "background", address = "10.0.0.5", pfi = 12 },
            pdp { nsapi = 10, class = "background", address = "10.0.0.6", pfi = 13 },
            pdp { nsapi = 11, class = "background", address = "10.0.0.7", pfi = 14 },
            pdp { nsapi = 12, class = "background", address = "10.0.0.8" },
            pdp { nsapi = 13, class = "background", address = "10.0.0.9", pfi = 15 },
        },
    },
}
