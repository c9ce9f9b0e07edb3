-- The smallest whole world: one BSS with one cell, twelve MSs, three classes of traffic, ten
-- seconds of virtual time on a Gb line of 64 kbit/s. From 3 s to 4.5 s a burst offers more than the
-- line carries, so that the queue fills and drops; then it drains.
--     sluice run config/quickstart.lua            run it
--     sluice check config/quickstart.lua          see every default filled in
--     sluice run config/quickstart.lua --set lab.gb_rate="128 kbit/s"
run {
    name = "quickstart",
    clock = "virtual",      -- time jumps from event to event: ten seconds take far less
    duration = "10 s",
    seed = 1,               -- same seed, same bytes, in the summary and in both captures
}

-- The two ports. net_ring is memory inside the program: no NIC, no privilege, real mbufs.
gn {
    device = "net_ring",
    address = "192.0.2.1",          -- outer destination of the GTP-U that the GGSN sends us
    mac = "02:53:4c:00:00:01",
    mtu = "1536 octets",            -- a packet of 1500 and 36 octets of GTP-U, UDP and IP
}
gb {
    device = "net_ring",
    address = "198.51.100.1",       -- outer source of our NS over UDP
    mac = "02:53:4c:00:00:02",
    port = 23000,
}

-- One FIFO for all: no class, no MS is favoured. What is full first drops (queue_full); 8 kB take
-- the line a good second.
queue { packets = 64, octets = "8 kB" }

nse {
    nsei = 101,
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    bvc {
        bvci = 2,
        -- Eight browsers that also fetch mail. IMSI, TLLI and addresses count up: 10.0.0.1 to
        -- 10.0.0.8. N201-U is left at its default of 500 octets: a packet of 576 octets travels
        -- in two LLC PDUs, one of 1500 in four. SAPIs 3, 5, 9, 11 are the four for user data.
        ms {
            imsi = "001010000000001", count = 8,
            pdp { nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.0.1" },
            pdp { nsapi = 6, sapi = 11, class = "background", address = "10.0.1.1" },
        },
        -- Four in a push-to-talk group. N201-U as large as Gb's MTU of 1500 lets
        -- it be.
        ms {
            imsi = "001010000000101", count = 4, n201_u = "1444 octets",
            pdp { nsapi = 5, sapi = 3, class = "conversational", address = "10.0.2.1" },
        },
    },
}

lab {
    ggsn = "192.0.2.2",
    ggsn_mac = "02:53:4c:00:02:01",
    gb_rate = "64 kbit/s",          -- one time slot of an E1, as Frame Relay had it

    -- Rates count inner IP octets of each PDP context. On the line each LLC PDU adds its headers:
    -- LLC with FCS, BSSGP, NS, UDP, IP.
    -- Web: 8 x 1.5 kbit/s, acknowledgements, small and full packets at random gaps.
    traffic {
        class = "interactive-1", rate = "1.5 kbit/s", pattern = "poisson",
        size = { "40 octets", "576 octets", "1500 octets" },
    },
    -- Speech: 4 x 2 kbit/s, one packet of 100 octets every 400 ms.
    traffic { class = "conversational", rate = "2 kbit/s", size = "100 octets" },
    -- Mail in the background: 8 x 1 kbit/s.
    traffic { class = "background", rate = "1 kbit/s", pattern = "poisson", size = "576 octets" },
    -- The burst: 8 x 12 kbit/s more for 1.5 s, with the rest and all headers over twice the line.
    traffic {
        class = "background", rate = "12 kbit/s", size = "576 octets",
        start = "3 s", stop = "4.5 s",
    },
}
