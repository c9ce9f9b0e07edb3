-- expect: 59_several.lua:6: run.duration: found "1 sec" (an unknown unit; units: ns, us, ms, s, min, h), allowed a time from 1 ms to 1440 min, such as "10 s"; did you mean "1 s"?
-- expect: 59_several.lua:10: nse[1].nsei: found the number -1, allowed a whole number from 0 to 65535
-- expect: 59_several.lua:16: nse[1].bvc[1].ms[1].pdp[1].nsapi: found the number 4, allowed a whole number from 5 to 15
-- expect: 59_several.lua:22: lab.traffic[1].rate: found "8 kbit/h" (an unknown unit; units: bit/s, kbit/s, Mbit/s), allowed a rate from 100 bit/s to 100000 Mbit/s, such as "20 kbit/s"; did you mean "8 kbit/s"?
-- expect: 59_several.lua:22: lab.traffic[1].pattern: found "random", allowed one of "constant", "poisson"
run { name = "mistake", duration = "1 sec" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = -1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001",
            pdp { nsapi = 4, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/h", pattern = "random" },
}
