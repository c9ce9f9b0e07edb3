-- expect: 85_cipher_not_to_be_had.lua:13: nse[1].bvc[1].ms[1].cipher: found "gea1" (broken by design: 40 bits of its key count), allowed one of "none", "gea3", "gea4"
-- expect: 85_cipher_not_to_be_had.lua:17: nse[1].bvc[1].ms[2].cipher: found "gea2" (broken), allowed one of "none", "gea3", "gea4"
-- expect: 85_cipher_not_to_be_had.lua:21: nse[1].bvc[1].ms[3].cipher: found "gea5" (its key and its initial value are not public), allowed one of "none", "gea3", "gea4"
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", cipher = "gea1",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
        ms {
            imsi = "001010000000002", cipher = "gea2",
            pdp { nsapi = 5, class = "background", address = "10.0.0.2" },
        },
        ms {
            imsi = "001010000000003", cipher = "gea5",
            pdp { nsapi = 5, class = "background", address = "10.0.0.3" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
