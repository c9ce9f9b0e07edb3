-- Before and after in one cell, in virtual time: four users browse while three MSs download. The BSS
-- answers as osmo-pcu does: it offers a bucket of 10 s, so by default the whole queue waits in the BSS,
-- first in, first out.
--     sluice run config/quickstart.lua --variant all      both variants, side by side
--     sluice run config/quickstart.lua                    the recommended one alone
--     sluice check config/quickstart.lua                  print the file with all defaults
run {
    name = "quickstart",
    clock = "virtual",      -- time jumps from event to event: two minutes take far less
    duration = "120 s",
    seed = 1,               -- same seed, same bytes, in all results
}
log { level = "error" }     -- leaves out a line for each old packet that the BSS discards

variants {
    default = "recommended",
    -- A plain SGSN: one first-in, first-out queue for each class, which drops new packets when it is full,
    -- and the whole bucket that the BSS offers is used.
    variant {
        name = "tail-drop",
        set = {
            "class[*].aqm.name=tail-drop", "queue.overflow=tail",
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
        },
    },
    variant { name = "recommended", file = "recommended.lua" },
}

-- The two ports. net_ring is memory inside the program: no NIC, no privilege, real mbufs.
gn {
    device = "net_ring",
    address = "192.0.2.1",          -- outer destination of the GGSN's GTP-U packets
    mac = "02:53:4c:00:00:01",
    mtu = "1536 octets",            -- a packet of 1500 and 36 octets of GTP-U, UDP and IP
}
gb {
    device = "net_ring",
    address = "198.51.100.1",       -- outer source of the SGSN's NS over UDP
    mac = "02:53:4c:00:00:02",
    port = 23000,
}

nse {
    nsei = 101,             -- NS-VC and cell come up by NS-RESET and BVC-RESET
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line { latency = "5 ms" },
    bvc {
        bvci = 2,
        -- A carrier with eight time slots of CS-2; an MS may have four down and two up: 96 kbit/s for the
        -- whole cell, at most 48 kbit/s for one MS.
        radio { carriers = 1, slots = 8, down_slots = 4, up_slots = 2 },
        -- Each second the BSS sends R, the rate of the radio, and Bmax, what R sends in 10 s. An MS's R is
        -- the rate of its four slots, as with osmo-pcu.
        flow { rate = "96 kbit/s", measured = true, bmax_time = "10 s", ms_rate = "48 kbit/s" },
        -- IMSI, TLLI and addresses count up. Three MSs download, four browse; each pings as well.
        ms {
            imsi = "001010000000001", count = 3,
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
        },
        ms {
            imsi = "001010000000101", count = 4,
            pdp { nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.2.1" },
        },
    },
}

lab {
    ggsn = "192.0.2.2",
    ggsn_mac = "02:53:4c:00:02:01",
    gi { latency = "20 ms" },       -- to the hosts, and back
    -- A current Linux at both ends (CUBIC, SACK, RACK, an initial window of 10 segments), with ECN.
    tcp { name = "today", base = "linux", ecn = true },

    ftp { class = "background", imsi = "001010000000001", host_tcp = "today", ms_tcp = "today" },
    ftp {
        class = "background", imsi = "001010000000002", host_tcp = "today", ms_tcp = "today",
        start = "5 s",
    },
    ftp {
        class = "background", imsi = "001010000000003", host_tcp = "today", ms_tcp = "today",
        start = "10 s",
    },
    -- Pages of about 11 kB, as phones of that time requested, and 10 s to read each.
    http {
        class = "interactive-1", host_tcp = "today", ms_tcp = "today",
        main = "5 kB", embedded = 2, embedded_size = "3 kB", embedded_size_law = "exponential",
        embedded_size_most = "20 kB", think = "10 s", think_law = "exponential",
    },
    ping { class = "background", interval = "2 s" },
    ping { class = "interactive-1", interval = "2 s" },
}
