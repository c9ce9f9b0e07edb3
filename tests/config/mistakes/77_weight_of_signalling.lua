-- expect: 77_weight_of_signalling.lua:6: class[1].weight: found 5, allowed none: signalling goes before all others
-- expect: 77_weight_of_signalling.lua:7: class[2].weight: found the number 0, allowed a whole number from 1 to 10000
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
class { name = "signalling", weight = 5 }
class { name = "streaming", weight = 0 }
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
