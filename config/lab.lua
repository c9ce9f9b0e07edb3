-- The whole lab in a minute of virtual time: hosts with TCP behind a GGSN, a BSS with flow control,
-- buffers and a radio, and MSs in which the other ends run. Each block is shown once; every value that
-- a block leaves out has a default (sluice check --keys).
--     sluice run config/lab.lua
--     sluice run config/lab.lua --set radio.down_coding=CS-4 --set lab.ftp.start="10 s"
run { name = "lab", duration = "60 s" }
gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:53:4c:00:00:02" }

-- A page that is older than 20 s is of no use, and neither is speech of more than 3 s. The BSS gets what
-- is left of a lifetime with each LLC PDU, and discards what has waited longer.
class { name = "background", lifetime = "20 s" }
class { name = "conversational", lifetime = "3 s", bss_lifetime_least = "2 s" }

nse {
    -- The procedures of Gb run: NS-RESET, BVC-RESET, flow control. areas: where its cells may be.
    nsei = 101, ns = "reset", areas = { "001-01-7-1" },
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" },
    -- The line of each NS-VC, each way.
    line { rate = "64 kbit/s", latency = "5 ms" },
    -- How the BSS behaves: what calls take from an MS is told by FLOW-CONTROL-MS with R = 0.
    bss { preemption = "flow-ms" },
    bvc {
        bvci = 2, ci = 4711,
        -- The air: 4 time slots, CS-2, 5 % of the blocks repeated. At 30 s calls take 3 of the slots for
        -- 10 s; from 15 s on one MS has a call of 6 s each 20 s.
        radio {
            slots = 4, down_coding = "CS-2", down_bler = "5 %", up_bler = "5 %",
            plan { kind = "calls", at = "30 s", lasts = "10 s", count = 3 },
            plan {
                kind = "ms-call", imsi = "001010000000002", at = "15 s", every = "20 s", lasts = "6 s",
            },
        },
        -- What the BSS says that it takes: R for the cell, Bmax as what R sends in 2 s, and R of each MS
        -- as measured.
        flow { rate = "40 kbit/s", bmax_time = "2 s", ms = "measured" },
        -- What it really has, for each MS, and its own CoDel (RFC 8289).
        buffer { ms_octets = "20 kB", priority = "precedence" },
        codel { target = "2 s" },
        ms {
            imsi = "001010000000001", count = 4,
            pdp { nsapi = 5, sapi = 5, class = "interactive-1", address = "10.0.0.1" },
            pdp { nsapi = 6, sapi = 11, class = "background", address = "10.0.1.1" },
        },
        ms {
            imsi = "001010000000101", count = 2,
            pdp { nsapi = 5, sapi = 3, class = "conversational", address = "10.0.2.1" },
            pdp { nsapi = 6, sapi = 9, class = "streaming", address = "10.0.3.1" },
        },
    },
}

lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    step = "1 s",                                -- of the time series
    gi { latency = "20 ms", loss = "0.1 %" },    -- between the hosts and the GGSN
    cake { rate = "none" },                      -- behind it; "36 kbit/s": CAKE for each cell
    mobile { n201_u = "1000 octets" },           -- the largest that the MSs agree to

    -- A stack of the file: Linux 2.4 with a window of 16 kB. The others are built in. outside = "quic" or
    -- "tunnel" has UDP in its IP packets, of which nothing can be read, as QUIC or a VPN.
    tcp { name = "small-window", base = "linux-2.4", receive_window = "16384 octets" },

    -- From 20 s on each MS has a phone call of 5 s (SUSPEND, RESUME) every 40 s, not all at one time; one
    -- is out of reach for 3 s. move { cells = { "101-2", "101-3" } } would change cells.
    suspend { at = "20 s", every = "40 s", lasts = "5 s", spread = "20 s" },
    away { imsi = "001010000000003", at = "10 s", lasts = "3 s" },

    -- One of each in every context of its class: a download of 100 kB, the web, a ping each second. The
    -- users of the web do not begin at one instant, but each at a random time within 10 s.
    ftp { class = "background", size = "100 kB", ms_tcp = "small-window", start = "5 s" },
    http {
        class = "interactive-1", connections = 2, embedded = 3,
        main_law = "lognormal", main = "5 kB", main_deviation = "5 kB",
        think_law = "exponential", think = "5 s", spread = "10 s",
    },
    ping { class = "interactive-1", size = "32 octets" },
    -- Talk spurts of 3 s with pauses, one MS at a time; and a stream whose rate changes each second.
    ptt { class = "conversational", group = 1, talk = "3 s", silence = "2 s" },
    stream { class = "streaming", rate = "4 kbit/s", peak = "8 kbit/s", packet = "200 octets" },
    -- Plain datagrams, in this MS only and up.
    traffic {
        class = "background", imsi = "001010000000004", way = "up", rate = "500 bit/s",
        size = "100 octets", pattern = "poisson",
    },
}
