-- What rows behind `from real.lua` start from: a configuration that is right in real time.
run { name = "mistake", clock = "real" }
gn { device = "net_tap0", address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { device = "net_tap1", address = "198.51.100.1", mac = "02:00:00:00:00:02" }
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
ggsn { address = "192.0.2.2" }
