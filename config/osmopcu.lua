-- Sluice as the SGSN of an OsmoPCU: one cell, eight MSs. config/osmopcu.md says how to use it.
-- The BTS gives osmo-pcu its NSEI, NSVCI, BVCI and NS endpoints; the numbers here have to be the same.
-- No phone can attach (there is no GMM): MSs, with their TLLIs and addresses, are those of this file.
run { name = "osmopcu", clock = "real", idle = "sleep" }

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1", mtu = "1500 octets" }
gb {
    device = "net_af_packet1,iface=gb0",
    address = "198.51.100.1", port = 23000,     -- what the BTS's configuration names as its SGSN
    -- OsmoPCU offers a bucket of 10 s. Sluice uses as much of it as the radio sends in this time, so
    -- that packets wait here, under the AQM, and not there. "as offered" uses the whole bucket.
    cell_delay = "0.6 s", ms_delay = "0.6 s",
}
ggsn { name = "ggsn1", address = "192.0.2.2" }

class { name = "background", lifetime = "20 s", aqm { name = "cobalt" } }

nse {
    nsei = 101,
    nsvc { nsvci = 102, peer = "198.51.100.2", peer_port = 23001 },
    bvc {
        bvci = 103,
        ms {
            imsi = "001010000000001", count = 8,    -- IMSI, TLLI and address count up
            tlli = 0xc0000001,
            n201_u = "1420 octets",                 -- an N-PDU up to that is one LLC PDU: OsmoPCU's CoDel drops
                                                    -- whole packets then, and not a segment of each
            ra_capability = "32a5158000",           -- GSM 1800, multislot class 12: 4 PDCHs down
            pdp { nsapi = 5, class = "background", address = "10.0.0.1" },
        },
    },
}
