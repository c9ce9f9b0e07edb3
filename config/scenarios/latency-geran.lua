-- "latency-geran": FTP, HTTP and ping over EDGE and over GERAN evolution ("gev"), against the RLC round trip and the
-- latency from the server to the BTS (a contribution to 3GPP TSG GERAN; Fig. 2 to 10). And, beyond the paper, a
-- ping beside a download in the same MS.
--     sluice run config/scenarios/latency-geran.lua --variant gev --point rlc_rtt=50ms,server_to_bts=10ms
--     sluice run config/scenarios/latency-geran.lua --variant all --seeds 6..10
--
-- A comment says where a value comes from: (paper); (standard); (fit), found on seeds 1 to 5 and judged on 6 to 10;
-- (ours), for what the paper does not have. The same values hold for all figures.

-- ---- Knobs ----
local BLER = "9 %"          -- (paper) Table 1 has 10 %; its text draws from 1 to 100, and less than 10 is an error
local MSS = 1460            -- (paper) packets of 1500 octets with their 40 of TCP and IP
local ACK_EVERY = 3         -- (fit) segments for an ACK at once; the paper gives only the delay, 100 ms
local TICK = "500 ms"       -- (fit) BSD's slow timer: time-outs as rare as the paper has them
local REQUEST = "500 octets"    -- (fit) what asks for an object
local HEADER = "1200 octets"    -- (fit) in front of an object, beside the paper's packets of 1500 octets each
local UP_REACTION = "0 s"   -- (fit) an answer goes in the block period that starts as the question has arrived
local HEADERS = "10 octets"     -- (paper) IP packets cross the radio, and 64 octets "in a single PDU" of 71 with their length
                                -- indicator: without the 6 octets of LLC and the 4 of SNDCP that ours have
local PING_WAY = "down"     -- (fit) the server pings, at all phases of the block period; the paper leaves it open

local FILES, PINGS = 10, 50 -- (paper)
local PAGES = 10            -- (ours) the paper loads one; ten have a narrower interval and the same mean

run {
    name = "latency-geran",
    clock = "virtual",
    duration = "1400 s",
    seed = 1,
    workers = 1,
}
log { level = "error" }

-- ---- Variants ----
-- (ours) What a BSS tells that holds little itself: R is what its radio carries with its repetitions, less 5 %,
-- and Bmax is OsmoPCU's 10 s.
local TOLD = {
    "flow.rate=392 kbit/s", "flow.bmax=by time", "flow.ms_rate=the radio's", "flow.ms_bmax=by time",
}
variants {
    default = "gev",
    -- The paper's two systems: the BTS takes all, first in, first out, without an end.
    variant { name = "gev" },
    variant {
        name = "edge",      -- (paper) Table 1: MCS-6, four slots down and two up
        set = {
            "radio.down_rate=113600 bit/s", "radio.down_pdu=71 octets",
            "radio.up_rate=56800 bit/s", "radio.up_pdu=71 octets",
        },
    },
    -- (paper) "a reduction to 1 % will essentially remove the impact of RLC RTT"
    variant { name = "bler-1", set = { "radio.down_bler=1 %", "radio.up_bler=1 %" } },
    -- Beyond the paper (ours), all on the radio of "gev". The ping goes first at the last queue before the
    -- radio, so that it waits for nothing but blocks on the air: no scheduler can do more.
    variant { name = "ideal", set = { "lab.ping[3].class=conversational", "buffer.priority=precedence" } },
    variant { name = "recommended", file = "../recommended.lua", set = TOLD },
    -- What comes to mind instead: a buffer of 12 kB at the radio, CoDel there, queues by flow and COBALT in
    -- an SGSN that the BSS never holds back.
    variant { name = "small-buffer", set = "buffer.ms_pdus=8" },
    variant { name = "bss-codel", set = { "codel.target=100 ms", "codel.interval=1 s", "codel.idle=1500 octets" } },
    variant {
        name = "fq-alone", file = "../recommended.lua",
        set = { "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered" },
    },
}
sweep {
    axis {
        key = "radio.round_trip", name = "rlc_rtt",
        values = { "50 ms", "100 ms", "200 ms", "300 ms" },     -- (paper) from 50 to 300 ms
    },
    axis {
        key = "gi.latency", name = "server_to_bts",
        values = { "10 ms", "50 ms", "100 ms", "200 ms" },      -- (paper) from 10 to 200 ms
    },
}

-- ---- The SGSN: in the paper there is none, so that it holds nothing back (ours) ----
gn {
    device = "net_ring",
    address = "192.0.2.1",
    mac = "02:53:4c:00:00:01",
    mtu = "1536 octets",
    rx_frames = 4096, tx_frames = 1024,
}
gb {
    device = "net_ring",
    address = "198.51.100.1",
    mac = "02:53:4c:00:00:02",
    mtu = "1600 octets",    -- a packet of 1500 octets goes in one LLC PDU and one frame
    port = 23000,
    rx_frames = 1024, tx_frames = 1024,
    cell_delay = "as offered", ms_delay = "as offered", pfc_delay = "as offered",
}
queue {
    packets = 4096, octets = "4000 kB",
    cell_packets = 1024, cell_octets = "1000 kB",
    ms_packets = 256, ms_octets = "128 kB",     -- more than TCP's window
    overflow = "tail", hold = "300 s",
    flows = 16, flow_quantum = "300 octets",
}
class {
    name = "background",
    weight = 5,
    packets = 4096, octets = "4000 kB",
    lifetime = "unlimited", bss_lifetime_least = "1 s",
    flows = false, scope = "ms",
    aqm { name = "tail-drop" },
}
class {
    name = "conversational",        -- of "ideal" only
    weight = 900,
    packets = 4096, octets = "4000 kB",
    lifetime = "unlimited", bss_lifetime_least = "1 s",
    flows = false, scope = "ms",
    aqm { name = "tail-drop" },
}

-- ---- The radio, Table 1: GERAN evolution; EDGE is a variant ----
nse {
    nsei = 101, ns = "reset", flow_control = "wait", features = {},
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01", weight = 1 },
    -- (paper) all of the latency is in gi.latency
    line { rate = "unlimited", latency = "0 s", jitter = "0 s", loss = "0 %", queue_packets = 0 },
    bss {
        pfc = false, cbl = false, inr = false, pfc_fc = false, gigabit = false,
        tell_discards = true, tell_radio_losses = false, gather = "at once", preemption = "nothing",
    },
    bvc {
        bvci = 2,
        radio {
            slots = 1, period = "20 ms",        -- (paper) TTI
            round_trip = "50 ms",               -- (paper) the sweep's; in whole TTIs, so that 50 ms are 60
            down_coding = "rate", down_rate = "454400 bit/s", down_pdu = "142 octets",      -- (paper)
            up_coding = "rate", up_rate = "227200 bit/s", up_pdu = "71 octets",             -- (paper)
            free_headers = HEADERS,
            down_bler = BLER, up_bler = BLER,
            down_control = "0 %", up_control = "0 %",               -- (paper) none is spoken of
            down_window = 65536, up_window = 65536,                 -- (paper) unlimited
            down_slots = "unlimited", up_slots = "unlimited",       -- (paper) one MS at a time has all
            -- (paper) no TBFs: a packet goes in the next TTI
            down_setup = "0 s", down_setup_beside = "0 s", down_release = "1000 s",
            up_setup = "0 s", up_setup_beside = "0 s", up_release = "1000 s",
            up_reaction = UP_REACTION, up_buffer = "unlimited", up_discard = "never",
        },
        -- (paper) "RLC buffer and window size are unlimited": the BSS takes all, first in, first out.
        flow {
            interval = "1 s", repeats = true, measured = false, measurement = true, ms = "none", pfc = false,
            rate = "100 Mbit/s", bmax = "1000 kB", bmax_time = "10 s",
            ms_rate = "100 Mbit/s", ms_bmax = "1000 kB", ms_bmax_time = "10 s",
        },
        buffer {
            ms_pdus = "unlimited", ms_octets = "unlimited", cell_pdus = "unlimited", cell_octets = "unlimited",
            priority = "none",
        },
        codel { target = "off", interval = "4 s", idle = "512 octets" },
        -- One MS for each experiment, after one another, and the last one for what is beyond.
        ms {
            imsi = "001010000000001", count = 5, n201_u = "1520 octets", cipher = "none", send_imsi = true,
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
            pdp { nsapi = 6, sapi = 3, class = "conversational", address = "10.0.2.1" },     -- of "ideal"
        },
    },
}

lab {
    ggsn = "192.0.2.2",
    ggsn_mac = "02:53:4c:00:02:01",
    gb_rate = "unlimited",
    step = "none",
    -- (paper) the sweep's latency, and no losses
    gi { rate = "unlimited", latency = "10 ms", jitter = "0 s", loss = "0 %", queue_packets = 0 },
    mobile { n201_u = "1520 octets", answers_xid = true, protects_all = true },
    -- ---- TCP, Table 2 ----
    tcp {
        name = "paper", base = "newreno-ns2",
        congestion = "newreno", recovery = "newreno", reduction = "at-once",    -- (paper)
        mss = MSS .. " octets",
        initial_window = 2,                                     -- (paper)
        cwnd_most = 42 * MSS .. " octets",                      -- (paper)
        initial_ssthresh = 40 * MSS .. " octets",               -- (paper)
        rto_min = "1 s", rto_min_limits = "time-out",           -- (paper)
        rto_initial = "3 s", rto_max = "60 s",                  -- (standard) RFC 2988
        ack_delay = "100 ms", ack_delay_least = "always the longest", quick_acks = "none",      -- (paper)
        ack_every = ACK_EVERY,
        tick = TICK,
        sample_each_ack = false, count_octets = "by ACKs", dupthresh = 3,       -- (standard) of that time
        limited_transmit = false, impatient = false, burst = "unlimited", spurious = "none",
        idle_restart = false, nagle = false, tail_probe = false, hystart = false,
        timestamps = false, sack = false, dsack = false, ecn = false,
        receive_window = "65535 octets", window_scale = "none", send_buffer = "unlimited",      -- never limit
        syn_retries = 12, retries = 100, time_wait = "60 s",
    },
    -- Fig. 2 to 4: ten downloads of 100 kB.
    ftp {
        class = "background", imsi = "001010000000001", host_tcp = "paper", ms_tcp = "paper",
        way = "down", opener = "ms", request = "none", size = "100 kB", files = FILES,
        start = "10 s", spread = "0 s", pause = "2002 ms",
    },
    -- Fig. 5 and 6: Table 3, one object after the other, each on a connection of its own (fit).
    http {
        class = "background", imsi = "001010000000002", host_tcp = "paper", ms_tcp = "paper",
        client = "ms", connections = 1, reuse = "object", round_trips = 1, request = REQUEST, header = HEADER,
        main = "none", pages = PAGES, think = "2002 ms", think_law = "fixed",
        objects = {
            41 * 1500 .. " octets", 45 * 1500 .. " octets", 8 * 1500 .. " octets", 7 * 1500 .. " octets",
            4 * 1500 .. " octets", 4 * 1500 .. " octets", 3 * 1500 .. " octets", 2 * 1500 .. " octets",
        },
        start = "200 s", spread = "0 s",
    },
    -- Fig. 7 and 9, Fig. 8 and 10: packets of 64 and of 1500 octets with their headers.
    ping {
        class = "background", imsi = "001010000000003", way = PING_WAY, size = 64 - 28 .. " octets",
        count = PINGS, interval = "2002 ms", start = "800 s", spread = "0 s", timeout = "100 s",
    },
    ping {
        class = "background", imsi = "001010000000004", way = PING_WAY, size = 1500 - 28 .. " octets",
        count = PINGS, interval = "2002 ms", start = "950 s", spread = "0 s", timeout = "100 s",
    },
    -- Beyond (ours): a download without end, and from 20 s later a ping of 64 octets in the same MS.
    ftp {
        class = "background", imsi = "001010000000005", host_tcp = "paper", ms_tcp = "paper",
        way = "down", opener = "ms", request = "none", size = "unlimited", start = "1100 s",
        spread = "0 s",
    },
    ping {
        class = "background", imsi = "001010000000005", way = PING_WAY, size = 64 - 28 .. " octets",
        interval = "502 ms", start = "1120 s", stop = "1395 s", spread = "0 s", timeout = "100 s",
    },
}
