-- expect: 73_aqm_probability.lua:6: class[1].aqm.max_p: found the number 0.2 (no unit; units: ppm, %), allowed a probability from 0 ppm to 100 %, such as "20 %"
-- expect: 73_aqm_probability.lua:6: class[1].aqm.weight: found "120 %", allowed a probability from 100 ppm to 100 %, such as "10 %"
run { name = "x", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
class { name = "background", aqm { name = "red", max_p = 0.2, weight = "120 %" } }
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
