-- "Impact of GPRS buffering on TCP performance" (Wennstroem, Brunstrom, Rendon; Electronics Letters,
-- 2004): one MS downloads for 15 minutes; the BSSGP buffers discard after 63 s or after 5 s, on 1, 2
-- or 3 PDCHs. Then, on 1 PDCH with a ping beside it, what Sluice makes of the same testbed.
--     sluice run config/scenarios/buffer-2004.lua --variant all --seeds 6..10
-- Behind each value stands where it comes from: the paper (Table 1 or its text), a standard, a fit
-- (seeds 1 to 5, one value for all variants), or that it does not matter here. Values that stand without
-- a word are today's defaults, so that a changed default moves nothing.
run {
    name = "buffer-2004",
    clock = "virtual",
    duration = "900 s",     -- paper: 15 min a measurement
    seed = 1,
    workers = 1,
}
log { level = "error" }

-- The paper's measurements. Paper: "one logical BSSGP buffer" in SGSN and BSC, in which data is discarded
-- after the setting's time. Fit: SGSN and BSC each count that time from when a packet came to them;
-- counted once for both, the longest RTT would be 5 s and a packet's time on the air, and the paper has 9 s and 8 s.
local function testbed(pdchs, buffer_s)
    return {
        "radio.slots=" .. pdchs,
        "class[background].lifetime=" .. 2 * buffer_s .. " s",
        "class[background].bss_lifetime_least=" .. buffer_s .. " s",
        "class[background].bss_lifetime_most=" .. buffer_s .. " s",
    }
end

-- 1 PDCH with a ping, which the paper calls interactive traffic beside bulk; hosts with ECN.
local function beside(more, buffer_s)
    local list = buffer_s and testbed(1, buffer_s) or { "radio.slots=1" }
    list[#list + 1] = "ping.start=60 s"
    list[#list + 1] = "tcp.ecn=true"
    for i = 1, #more do
        list[#list + 1] = more[i]
    end
    return list
end

variants {
    default = "63s-1pdch",
    variant { name = "63s-1pdch", set = testbed(1, 63) },
    variant { name = "63s-2pdch", set = testbed(2, 63) },
    variant { name = "63s-3pdch", set = testbed(3, 63) },
    variant { name = "5s-1pdch", set = testbed(1, 5) },
    variant { name = "5s-2pdch", set = testbed(2, 5) },
    variant { name = "5s-3pdch", set = testbed(3, 5) },

    -- Beyond the paper. recommended.lua is Sluice's answer, for hosts with ECN and without.
    variant { name = "63s-1pdch-ping", set = beside({}, 63) },
    variant { name = "5s-1pdch-ping", set = beside({}, 5) },
    variant { name = "recommended", file = "../recommended.lua", set = beside {} },
    variant { name = "recommended-no-ecn", file = "../recommended.lua", set = beside { "tcp.ecn=false" } },
    -- Sluice's queue swapped for the obvious: tail drop at four packets, without queues by flow,
    variant {
        name = "small-tail-drop", file = "../recommended.lua",
        set = beside {
            "class[*].aqm.name=tail-drop", "class[*].flows=false", "class[*].scope=ms",
            "queue.overflow=tail", "queue.ms_octets=6000 octets",
        },
    },
    -- all of the queue in the BSS, and its CoDel as OsmoPCU has it,
    variant {
        name = "bss-codel",
        set = beside({ "flow.bmax_time=63 s", "flow.ms_bmax_time=63 s", "codel.target=200 ms" }, 63),
    },
    -- queues by flow and COBALT, but the bucket as the BSS offers it.
    variant {
        name = "flows-no-flow-control", file = "../recommended.lua",
        set = beside {
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
            "flow.bmax_time=63 s", "flow.ms_bmax_time=63 s",
            "class[*].bss_lifetime_least=4100 ms",
        },
    },
}

gn {
    device = "net_ring",
    address = "192.0.2.1",
    mac = "02:53:4c:00:00:01",
    mtu = "1536 octets",    -- a packet of 1500 and 36 octets of GTP-U, UDP and IP
}
gb {
    device = "net_ring",
    address = "198.51.100.1",
    mac = "02:53:4c:00:00:02",
    port = 23000,
    cell_delay = "as offered",      -- paper: a plain SGSN; it fills what the BSC offers
    ms_delay = "as offered",
    pfc_delay = "as offered",
}
-- Paper: nothing is said of a limit in octets, so there is none that 64 kB would reach.
queue {
    packets = 4096, octets = "4000 kB", cell_packets = 1024, cell_octets = "1000 kB",
    ms_packets = 256, ms_octets = "128 kB",
    overflow = "tail", hold = "300 s",
    flows = 16, flow_quantum = "300 octets",    -- of the variants with queues by flow
}
class {
    name = "background",
    weight = 5,                     -- the only class with traffic
    packets = 4096, octets = "4000 kB",
    flows = false, scope = "ms",
    aqm { name = "tail-drop" },     -- paper: only the buffer's time discards
}

nse {
    nsei = 101,
    ns = "reset",
    flow_control = "wait",
    features = { "cbl" },
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line {
        latency = "5 ms",           -- does not matter
        rate = "unlimited", jitter = "0 s", loss = "0 %",
    },
    bss {
        cbl = true,                 -- 48.018 11.3.45: the BSC tells how full the bucket is, each second
        tell_discards = true, tell_radio_losses = false, gather = "at once",        -- 48.018 8.2.4
    },
    bvc {
        bvci = 2,
        radio {
            carriers = 1,
            slots = 1,              -- paper: PDCHs 1, 2, 3; the variants set it
            period = "20 ms",       -- 45.002
            round_trip = "120 ms",  -- 44.060 annex I
            down_coding = "CS-2",   -- paper: 30 octets a block for LLC, 12 kbit/s a PDCH
            up_coding = "CS-2",
            down_slots = 4,         -- more than there are
            up_slots = 1,           -- does not matter: ACKs need no more
            down_window = 64,       -- 44.060 9.1.9
            up_window = 64,
            -- Fit: with the LLC headers this leaves TCP 10.4 kbit/s a PDCH. One number, two names: blocks
            -- sent again (paper: RLC acknowledged mode, C/I 20 dB) and blocks for control messages.
            down_bler = "1 %", up_bler = "1 %",
            down_control = "6.5 %", up_control = "0 %",
            down_setup = "200 ms",  -- does not matter: the TBF stays open
            down_setup_beside = "60 ms",
            down_release = "1 s",
            up_setup = "200 ms",    -- does not matter: a downlink TBF is there
            up_setup_beside = "60 ms",      -- does not matter: by the downlink TBF, before each ACK
            up_release = "20 ms",   -- 44.060 9.3.2: an uplink TBF ends with its last block
            up_reaction = "0 s", up_buffer = "unlimited", up_discard = "never",
            -- Paper: "after four min ... a sporadic data loss".
            plan { kind = "loss", imsi = "001010000000001", at = "240 s", count = 1 },
        },
        -- Fit: what the BSC buffers at most, as time at the radio's rate. With the same number of octets for
        -- all PDCHs the longest RTT on 3 of them would be seconds less than on 1.
        flow {
            bmax = "by time", bmax_time = "2.9 s", ms_bmax = "by time", ms_bmax_time = "2.9 s",
            rate = "the radio's", ms_rate = "the cell's",
            interval = "1 s", repeats = true, measured = false, measurement = true, ms = "none",
        },
        buffer {
            ms_pdus = "unlimited", ms_octets = "unlimited", cell_pdus = "unlimited",
            cell_octets = "unlimited", priority = "none",
        },
        -- Of the variant bss-codel: OsmoPCU's.
        codel { target = "off", interval = "4 s", idle = "512 octets" },
        ms {
            imsi = "001010000000001",
            n201_u = "500 octets",  -- 44.064 table 9: the default for user data in UI frames
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
        },
    },
}

lab {
    ggsn = "192.0.2.2",
    ggsn_mac = "02:53:4c:00:02:01",
    step = "1 s",
    gi {
        latency = "5 ms",           -- does not matter: a laboratory
        rate = "unlimited", jitter = "0 s", loss = "0 %",
    },
    mobile { n201_u = "1520 octets", answers_xid = true, protects_all = true },
    -- Paper: Linux 2.4.2-2, SACK and timestamps, MSS 1460, a window of 64 KB at most. The other values are
    -- those of lab/hosts for that stack, but for halving_least, a fit: with it the median low between the
    -- peaks of Fig. 4 is 2.2 s, without it 4.4 s; the paper has 2 s.
    tcp {
        name = "linux-2.4.2", base = "linux-2.4",
        mss = "1460 octets", receive_window = "65535 octets", sack = true, timestamps = true,
        initial_window = 2, initial_ssthresh = "unlimited", cwnd_most = "unlimited",
        send_buffer = "unlimited", window_scale = "none",
        rto_min = "200 ms", rto_initial = "3 s", rto_max = "120 s", rto_min_limits = "variance",
        tick = "10 ms", sample_each_ack = true, syn_retries = 5, retries = 15, time_wait = "60 s",
        ack_every = 2, ack_delay = "200 ms", ack_delay_least = "40 ms", quick_acks = 16, dsack = true,
        ecn = false, congestion = "newreno", hystart = false, count_octets = "by ACKs",
        recovery = "fack", reduction = "halving", halving_least = "half", dupthresh = 3,
        limited_transmit = true, tail_probe = false, impatient = false, burst = 3, spurious = "eifel",
        idle_restart = true, nagle = false,
    },
    -- Paper: "data is transmitted over one TCP connection".
    ftp {
        class = "background", host_tcp = "linux-2.4.2", ms_tcp = "linux-2.4.2", start = "0 s",
        way = "down", size = "unlimited", files = 1, opener = "ms",
    },
    -- 64 octets of ICMP from the MS; in the run's last millisecond but where a variant begins it.
    ping {
        class = "background", way = "up", size = "56 octets", interval = "5 s", timeout = "100 s",
        start = "899999 ms",
    },
}
