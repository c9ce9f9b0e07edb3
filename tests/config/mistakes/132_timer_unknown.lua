-- expect: 132_timer_unknown.lua:5: timers.t4: found an unknown key, allowed tns_block, tns_block_retries, tns_reset, tns_reset_retries, tns_test, tns_alive, tns_alive_retries, tsns_prov, tsns_prov_retries, t2, t2_retries, t5, t5_retries, t7, t7_retries, th, t3313, t3313_retries, t200, t200_retries; did you mean t2?
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
timers { t4 = "1 s" }
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
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
