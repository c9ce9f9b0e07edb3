-- A small complete scenario without TCP and without a BSS that answers, which many tests change and
-- count: one cell of 40 kbit/s, twelve MSs, three classes of traffic, ten seconds of virtual time. From
-- 3 s to 4.5 s the background offers more than twice what the cell carries: the background's queue
-- fills and its AQM drops, while speech and web, with higher weights, get the rates that they offer.
run {
    name = "udp",
    clock = "virtual",      -- time jumps from event to event: ten seconds take far less
    duration = "10 s",
    seed = 1,               -- same seed, same bytes, in the summary and in both captures
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

-- Classes share the cell by weight: conversational 900, interactive-1 50, background 5 are the
-- defaults. Other classes use the share that a class leaves. Each class has an AQM: by default cobalt
-- with ecn, for the queue of each MS. Here the background has RED instead, over the class's whole queue
-- in the cell, and N-PDUs live 5 s at most, SGSN and BSS together.
class {
    name = "background", weight = 5, lifetime = "5 s", scope = "cell",
    aqm { name = "red", min = "2 kB", max = "6 kB", max_p = "50 %", weight = "50 %" },
}

-- The limit of all queues together; the limits of each cell and each MS have their defaults.
queue { packets = 512, octets = "256 kB" }

nse {
    nsei = 101, ns = "manual",
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    bvc {
        bvci = 2,
        -- The cell's bucket (BSSGP flow control), from the file since the BSS of the lab sends none.
        -- 4 kB are 0.8 s of data at the BSS; all other data waits here.
        rate = "40 kbit/s", bucket = "4 kB",
        -- Eight MSs with web and mail. IMSI, TLLI and addresses count up: 10.0.0.1 to
        -- 10.0.0.8. N201-U has the default of 500 octets: a packet of 576 octets is sent
        -- in two LLC PDUs, one of 1500 in four. SAPIs 3, 5, 9, 11 are the four for user data.
        ms {
            imsi = "001010000000001", count = 8,
            pdp { nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.0.1" },
            pdp { nsapi = 6, sapi = 11, class = "background", address = "10.0.1.1" },
        },
        -- Four MSs in a push-to-talk group. N201-U is the largest for Gb's MTU of 1500.
        ms {
            imsi = "001010000000101", count = 4, n201_u = "1434 octets",
            pdp { nsapi = 5, sapi = 3, class = "conversational", address = "10.0.2.1" },
        },
    },
}

lab {
    ggsn = "192.0.2.2",
    ggsn_mac = "02:53:4c:00:02:01",
    gb_rate = "256 kbit/s",         -- four time slots of an E1, as Frame Relay had them

    -- Rates count inner IP octets of each PDP context. In the cell each LLC PDU adds LLC with FCS
    -- and SNDCP, on the line also BSSGP, NS, UDP, IP.
    -- Web: 8 x 1.5 kbit/s, acknowledgements, small and full packets at random gaps.
    traffic {
        class = "interactive-1", rate = "1.5 kbit/s", pattern = "poisson",
        size = { "40 octets", "576 octets", "1500 octets" },
    },
    -- Speech: 4 x 2 kbit/s, one packet of 100 octets every 400 ms.
    traffic { class = "conversational", rate = "2 kbit/s", size = "100 octets" },
    -- Mail in the background: 8 x 1 kbit/s.
    traffic { class = "background", rate = "1 kbit/s", pattern = "poisson", size = "576 octets" },
    -- The burst: 8 x 12 kbit/s more for 1.5 s, with the rest and all headers over three times the
    -- cell.
    traffic {
        class = "background", rate = "12 kbit/s", size = "576 octets",
        start = "3 s", stop = "4.5 s",
    },
}
