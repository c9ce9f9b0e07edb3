-- expect: 81_rate_step.lua:8: nse[1].rate: found "64050 bit/s" (no multiple of 100 bit/s), allowed a rate from 100 bit/s to 6553 Mbit/s, such as "256 kbit/s"
-- expect: 81_rate_step.lua:12: nse[1].bvc[1].ms_rate: found "1 bit/s", allowed a rate from 100 bit/s to 6553 Mbit/s, such as "40 kbit/s"
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    rate = "64050 bit/s",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms_rate = "1 bit/s",
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
