-- Sluice as the SGSN of an OsmoPCU whose phones attach: one cell, and a GGSN that gives addresses by GTP-C.
-- config/osmopcu.md explains its use. No MS, TLLI or address is in this file. Eight phones have no keys, and one has;
-- a phone of the simulated radio has the card of its phone { }.
run { name = "osmopcu-attach", clock = "real", idle = "sleep" }

-- As in osmopcu.lua.
variants {
    default = "recommended",
    variant { name = "recommended", file = "recommended.lua",
        set = { "gb.cell_delay=300 ms", "class[*].lifetime=23 s", "class[*].bss_lifetime_least=13 s",
            "class[*].refuse_late=false" } },
}

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1", mtu = "1500 octets" }
gb { device = "net_af_packet1,iface=gb0", address = "198.51.100.1", port = 23000 }

attach { who = "listed" }                           -- "open": any IMSI of `networks`, too
phone { imsi = "001010000000001", count = 8, n201_u = "1420 octets" }
phone {                                             -- TEST KEYS, which everybody knows: put those of your card here,
    imsi = "001010000000101",                       -- and let nobody else read this file
    k = "000102030405060708090a0b0c0d0e0f", opc = "101112131415161718191a1b1c1d1e1f",
    n201_u = "1420 octets",
}
apn { name = "internet", ggsn = "ggsn1", default = true }
ggsn { name = "ggsn1", address = "192.0.2.2", control = "192.0.2.2" }

nse {
    nsei = 101,
    cell_rate = "as measured",
    nsvc { nsvci = 102, peer = "198.51.100.2", peer_port = 23001 },
    bvc { bvci = 103 },
}
