-- Phones attach in the lab, in virtual time: one by one in a quiet cell, and a crowd that is switched on at once, as
-- behind the end of a power cut. They get P-TMSI, PDP context and address by GMM, SM and GTP-C, and then they are used.
-- summary.json and the page say how long it takes until they are attached, have a context and get their first packet.
--     sluice run config/phones.lua
run { name = "phones", clock = "virtual", duration = "300 s", seed = 1 }
log { level = "error" }

gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02" }

-- The lab's GGSN speaks GTP-C, as the address of lab.ggsn has a ggsn { } with control.
ggsn { name = "ggsn1", address = "192.0.2.2", control = "192.0.2.2", mac = "02:53:4c:00:02:01" }
apn { name = "internet", default = true }

attach { who = "listed", rate = 500 }
-- In the lab a phone { } with a cell is switched on there.
-- With test keys, which are no operator's, it proves who it is, and enciphers by GEA4.
phone {
    imsi = "001010000000001", count = 10, class = "interactive-1", cell = "101-2", on = "1 s", apart = "10 s",
    k = "000102030405060708090a0b0c0d0e0f", opc = "101112131415161718191a1b1c1d1e1f",
}
phone { imsi = "001010000000101", count = 40, class = "interactive-1", cell = "101-3", on = "1 s" }

nse {
    nsei = 101,
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" },
    line { latency = "5 ms" },
    bvc {
        bvci = 2,
        radio { carriers = 1, slots = 4, down_slots = 4, up_slots = 2 },
        flow { rate = "48 kbit/s", measured = true },
    },
    bvc {
        bvci = 3,
        radio { carriers = 1, slots = 4, down_slots = 4, up_slots = 2 },
        flow { rate = "48 kbit/s", measured = true },
    },
}

lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    gi { latency = "20 ms" },
    ping { class = "interactive-1", size = "32 octets", interval = "30 s" },
}
