-- Sluice as the SGSN of an OsmoPCU: one cell, eight MSs. config/osmopcu.md explains its use.
-- osmo-pcu has the NSEI, NSVCI, BVCI and NS endpoints from its BTS: `sluice bts` takes them from this file.
-- No phone attaches here: the MSs, with TLLIs and addresses, come from this file. See osmopcu-attach.lua.
run { name = "osmopcu", clock = "real", idle = "sleep" }

-- OsmoPCU offers a bucket of 10 s. With recommended.lua Sluice fills it only to what the radio needs, so packets
-- wait here, under the AQM, and not in OsmoPCU. --variant as-offered fills it.
-- cell_delay: OsmoPCU has a queue for each MS, and time slots are idle while these are empty. With packets of 500 octets
-- eight MSs get 94 % of eight time slots at 20 ms, 98 % at 300 ms. cell_rate below keeps a
-- download's queue there equally short.
-- lifetime, bss_lifetime_least: an LLC PDU is at its MS a few seconds after OsmoPCU has it, and no calls take its time
-- slots. So Sluice has 10 s of the lifetime, and not 6. With sixteen downloads an MS's turn comes each 4.3 s. What TCP
-- sent again expired behind the packet before it, and for 20 to 30 s, until TCP sent it once more, the MS got nothing.
-- recommended.lua has 13 s for downloads. Here a longer time costs the ping beside 39 MSs: its p95 is 0.46 s with 10 s,
-- 0.75 s with 13 s, and 1.4 s with 18 s, when all of them stand in OsmoPCU, which has 32 TFIs. Where a flow's share is
-- more than 6 kbit/s `aqm.stale` ends the wait before 10 s.
-- refuse_late: in 10 s most of what it would refuse gets through. Sixteen have 80 time-outs with it, 88 without, but
-- send 1296 segments again for 306 (two runs of 20 minutes in virtual time, with ECN and without).
variants {
    default = "recommended",
    variant { name = "recommended", file = "recommended.lua",
        set = { "gb.cell_delay=300 ms", "class[*].lifetime=23 s", "class[*].bss_lifetime_least=13 s",
            "class[*].refuse_late=false" } },
    variant {
        name = "as-offered", file = "recommended.lua",
        set = { "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered" },
    },
    variant {       -- a plain SGSN, as in quickstart.lua
        name = "tail-drop",
        set = {
            "class[*].aqm.name=tail-drop", "queue.overflow=tail",
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
        },
    },
}

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1", mtu = "1500 octets" }
gb {
    device = "net_af_packet1,iface=gb0",
    address = "198.51.100.1", port = 23000,     -- the SGSN's address in the BTS's configuration
}
ggsn { name = "ggsn1", address = "192.0.2.2" }

nse {
    nsei = 101,
    cell_rate = "as measured",      -- OsmoPCU offers R as if its radio had no control blocks
    nsvc { nsvci = 102, peer = "198.51.100.2", peer_port = 23001 },
    bvc {
        bvci = 103,
        ms {
            imsi = "001010000000001", count = 8,    -- IMSI, TLLI and address count up
            tlli = 0xc0000001,
            n201_u = "1420 octets",                 -- one LLC PDU for each N-PDU up to this size: OsmoPCU's CoDel
                                                    -- then drops whole packets, not a segment of each
            ra_capability = "32a5158000",           -- GSM 1800, multislot class 12: 4 PDCHs down
            pdp { nsapi = 5, class = "background", address = "10.0.0.1", ggsn_teid = 1 },
        },
    },
}
