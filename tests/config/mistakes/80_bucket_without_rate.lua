-- expect: 80_bucket_without_rate.lua:11: nse[1].bvc[1].bucket: found a bucket without a rate, allowed with rate only
-- expect: 80_bucket_without_rate.lua:14: nse[1].bvc[1].ms[1].pdp[1].bucket: found a bucket without a rate, allowed with rate only
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        bucket = "4 kB",
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", bucket = "1 kB" },
        },
    },
}
