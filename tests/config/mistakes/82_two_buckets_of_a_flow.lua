-- expect: 82_two_buckets_of_a_flow.lua:13: nse[1].bvc[1].ms[1].pdp[2].rate: found a second bucket for class background (nse[1].bvc[1].ms[1].pdp[1] has one), allowed one: contexts of one PFI, or of one class without any, share a bucket
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
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", rate = "8 kbit/s" },
            pdp { nsapi = 6, class = "background", address = "10.0.0.2", rate = "9 kbit/s" },
        },
    },
}
