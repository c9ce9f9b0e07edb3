-- expect: 150_gn_from.lua:5: gn.from[2]: found "198.51.100.0/33", allowed a unicast IPv4 or IPv6 address, or a net such as "198.51.100.0/24"
run { name = "mistake", duration = "1 s" }
gn {
    address = "192.0.2.1", mac = "02:00:00:00:00:01",
    from = { "192.0.2.2", "198.51.100.0/33", "2001:db8::/32" },
}
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc { bvci = 2, ms { imsi = "001010000000001",
        pdp { nsapi = 5, class = "background", address = "10.0.0.1" } } },
}
