-- expect: 87_key_form.lua:11: nse[1].bvc[1].ms[1].key: found a text of 16 characters, allowed 16 to 32 hexadecimal digits in quotes, such as "000102030405060708090a0b0c0d0e0f"
run { name = "mistake", duration = "1 s" }
gn { address = "192.0.2.1", mac = "02:00:00:00:00:01" }
gb { address = "198.51.100.1", mac = "02:00:00:00:00:02" }
nse {
    nsei = 1, ns = "manual",
    nsvc { nsvci = 1, peer = "198.51.100.2", peer_mac = "02:00:00:00:00:03" },
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", cipher = "gea3", key = "0123456789abcdeg",
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:00:00:00:00:04",
    traffic { class = "background", size = "576 octets", rate = "8 kbit/s" },
}
