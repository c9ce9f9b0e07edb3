-- expect: 78_lifetime_parts.lua:6: class[1].bss_lifetime_least: found 3 s, allowed no more than lifetime, 2 s
-- expect: 78_lifetime_parts.lua:7: class[2].bss_lifetime_most: found 2 s, allowed no less than bss_lifetime_least, 3 s
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
class { name = "streaming", lifetime = "2 s", bss_lifetime_least = "3 s" }
class { name = "background", bss_lifetime_least = "3 s", bss_lifetime_most = "2 s" }
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
