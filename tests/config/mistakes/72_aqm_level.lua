-- expect: 72_aqm_level.lua:6: class[1].aqm.min: found the number 15000 (no unit), allowed a level as time, octets or N-PDUs, such as "1 s", "15 kB", "50 packets", from 1 to 60000000000 ns, octets or packets
-- expect: 72_aqm_level.lua:6: class[1].aqm.max: found "45 dB", allowed a level as time, octets or N-PDUs, such as "1 s", "15 kB", "50 packets", from 1 to 60000000000 ns, octets or packets
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
class { name = "background", aqm { name = "red", min = 15000, max = "45 dB" } }
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
