-- expect: 94_real_ring.lua:4: gb.device: found "net_ring", allowed with run.clock = "virtual" only: real time needs a device that somebody is behind
run { name = "mistake", clock = "real" }
gn { device = "net_tap0", address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
