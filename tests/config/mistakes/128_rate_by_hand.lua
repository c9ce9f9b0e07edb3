-- expect: 128_rate_by_hand.lua:11: nse[1].bvc[1].rate: found a rate by hand, allowed with flow_control = "open" or ns = "manual" of its nse only: else nothing goes before the BSS says it
-- expect: 128_rate_by_hand.lua:11: nse[1].bvc[1].ms_rate: found a rate by hand, allowed with flow_control = "open" or ns = "manual" of its nse only: else nothing goes before the BSS says it
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "reset",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        rate = "40 kbit/s", ms_rate = "8 kbit/s",
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
