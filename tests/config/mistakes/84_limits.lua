-- expect: 84_limits.lua:7: queue.cell_packets: found the number 0, allowed a whole number from 1 to 1048576
-- expect: 84_limits.lua:7: queue.ms_octets: found "1 kB", allowed a size from 1500 octets to 1000000 kB, such as "128 kB"
-- expect: 84_limits.lua:7: queue.flows: found the number 3, allowed one of 2, 4, 8, 16, 32, 64
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
queue { cell_packets = 0, ms_octets = "1 kB", flows = 3 }
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
