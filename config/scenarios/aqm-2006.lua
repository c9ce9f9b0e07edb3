-- "Active queue management in the 2G-SGSN" (2006), reproduced: 110 MSs in two cells, and what each way
-- to keep the SGSN's queues short does to the delay and the goodput of web pages and downloads.
--     sluice run config/scenarios/aqm-2006.lua --variant all --seeds 6..10
-- Each value says where it comes from: paper (printed there), standard (3GPP or IETF), ns-2 (the default of
-- ns-2.28, February 2005, with the variable's name in its tcl/lib/ns-default.tcl; ns-2.29 of October 2005 has the
-- same), fit (chosen on seeds 1 to 5, one value for all variants), lab (of no matter here). A value that is a
-- default of Sluice stands here too, so that a changed default moves no result.
--
-- What the paper has and this file has not: LLC in acknowledged mode, which sends again what the radio or
-- the BSC lost. Here RLC repeats blocks until they arrive, and in a cell with its buckets as the BSS says
-- them the BSC loses nothing, so LLC would have nothing to repeat but what it takes for lost: frames whose
-- acknowledgement waits behind the queue. That costs more the longer the queue is. So without an AQM the
-- paper's goodput is lower than ours, and what an AQM adds to it is more.

local knob = {
    -- ---- Radio and BSS ----
    slots = 24,                     -- paper: 48 time slots in two cells
    coding = "MCS-6",               -- fit: 74 octets in an RLC block, 29.6 kbit/s a slot
    bler = "0 %",                   -- fit: the paper names no errors on the air
    ms_slots = 4,                   -- standard: 45.002 annex B, multislot class 8: four down
    ms_slots_up = 1,                -- standard: and one up
    rank = { 1, 2, 3, 4, 5 },       -- paper: "a kind of priority queuing" at the BSS; fit: strict, by class
    r = "710 kbit/s",               -- standard: R of a cell at first, 24 slots; then what it carried
    bmax_time = "500 ms",           -- fit: Bmax of a cell is what R sends in that time
    ms_r = "118 kbit/s",            -- standard: R of an MS, four slots
    ms_bmax_time = "1 s",           -- fit: Bmax of an MS
    -- ---- SGSN ----
    limit = "245 kB",               -- fit: of each class's buffer, the same for all
    lifetime = "45 s",              -- fit: of an LLC frame, in SGSN and BSS together
    least = "5 s",                  -- fit: the least part of it that the BSS gets
    gb = "2048 kbit/s",             -- paper: the Gb pipe
    -- ---- Hosts and MSs ----
    mss = "1000 octets",            -- ns-2 (packetSize_)
    window = "20000 octets",        -- ns-2 (window_, 20 packets)
    initial_window = 2,             -- ns-2 (windowInit_)
    ack_every = 2,                  -- fit: ns-2's TCPSink/DelAck, RFC 1122; its plain sink acknowledges each
    rto_min = "200 ms",             -- ns-2 (minrto_)
    rto_initial = "6 s",            -- ns-2 (rtxcur_init_)
    rto_max = "1000 s",             -- ns-2 (maxrto_ 100000 s); it doubles to 64 times, we without end
    tick = "10 ms",                 -- ns-2 (tcpTick_)
    limited_transmit = true,        -- ns-2 (singledup_)
    latency = "20 ms",              -- fit: between the hosts and the GGSN
    gb_latency = "5 ms",            -- fit
    -- ---- RED ----
    -- The paper's RED is in its SGSN, not on a link of ns-2, whose defaults it need not have.
    red_weight = "1951 ppm",        -- ns-2 (q_weight_ -1): 1 - exp(-1/512) for N-PDUs of 500 octets at 2048 kbit/s
    gentle = "false",               -- fit: RED of 1993; ns-2 (gentle_) has true
}

run { name = "aqm-2006", clock = "virtual", duration = "600 s", seed = 1 } -- fit: the length is not printed
log { level = "error" }

gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb {
    device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000,
    mtu = "1500 octets", ready = "none",
    -- paper: the SGSN fills the buckets as the BSS says them
    cell_delay = "as offered", ms_delay = "as offered", pfc_delay = "as offered",
}

-- paper: a buffer for each class, which alone limits; what arrives at a full one is dropped.
queue {
    packets = 100000, octets = "20000 kB", cell_packets = 100000, cell_octets = "20000 kB",
    ms_packets = 100000, ms_octets = "20000 kB", overflow = "tail", hold = "300 s",
    flows = 16, flow_quantum = "300 octets",
}
local function traffic_class(name, weight)
    return class {
        name = name, weight = weight, packets = 100000, octets = knob.limit, lifetime = knob.lifetime,
        bss_lifetime_least = knob.least, flows = false, scope = "nse", aqm { name = "tail-drop" },
    }
end
traffic_class("streaming", 900)         -- paper: the five weights
traffic_class("interactive-1", 50)
traffic_class("interactive-2", 35)
traffic_class("interactive-3", 15)
traffic_class("background", 5)

-- paper: 5 streams, 15 talkers, and 30 MSs in each of the other three classes, evenly in two cells.
-- rank: "a kind of priority queuing is applied at the BSS"; here by the element Priority (48.018 11.3.27).
local function mss(cell, group, count, class)
    return ms {
        imsi = "00101000000" .. cell .. group .. "01", count = count, priority = 4 * knob.rank[group],
        n201_u = "1430 octets",         -- lab: the largest that fits one packet of Gb
        pdp { nsapi = 5, sapi = 11, class = class, address = "10." .. cell .. "." .. group .. ".1" },
    }
end
local function cell(number, streams, talkers)
    return bvc {
        bvci = 1 + number,
        radio {
            carriers = 3, slots = knob.slots, order = "rank", period = "20 ms", round_trip = "120 ms",
            down_coding = knob.coding, down_slots = knob.ms_slots, down_bler = knob.bler,
            down_control = "0 %", down_window = "by the coding scheme",
            down_setup = "200 ms", down_setup_beside = "60 ms", down_release = "1 s",
            up_coding = knob.coding, up_slots = knob.ms_slots_up, up_bler = knob.bler,
            up_control = "0 %", up_window = "by the coding scheme",
            up_setup = "200 ms", up_setup_beside = "60 ms", up_release = "1 s",
            up_buffer = "unlimited", up_reaction = "0 s", up_discard = "never",
        },
        buffer {                        -- lab: the buckets alone limit what the BSC holds
            priority = "priority", ms_pdus = "unlimited", ms_octets = "unlimited",
            cell_pdus = "unlimited", cell_octets = "unlimited",
        },
        codel { target = "off" },       -- paper: "there is no active queue management at the BSS"
        flow {
            measured = true, rate = knob.r, bmax_time = knob.bmax_time, interval = "1 s", repeats = true,
            measurement = true, pfc = false, bmax = "by time", ms_bmax = "by time",
            ms = "none", ms_rate = knob.ms_r, ms_bmax_time = knob.ms_bmax_time,
        },
        mss(number, 1, streams, "streaming"),
        mss(number, 2, talkers, "interactive-1"),
        mss(number, 3, 15, "interactive-2"),
        mss(number, 4, 15, "interactive-3"),
        mss(number, 5, 15, "background"),
    }
end
nse {
    nsei = 101, ns = "reset", flow_control = "wait", rate = knob.gb, bucket = "12 kB",
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line { rate = "unlimited", latency = knob.gb_latency, jitter = "0 s", loss = "0 %" },
    bss { tell_discards = true, gather = "at once", tell_radio_losses = false },
    cell(1, 3, 7),
    cell(2, 2, 8),
}

lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", step = "1 s",
    gi { rate = "unlimited", latency = knob.latency, jitter = "0 s", loss = "0 %" },
    -- paper: NewReno of ns-2. ECN is asked for in all variants, and has effect where something marks.
    -- What is not a knob is ns-2's as well.
    tcp {
        name = "ns2", base = "newreno-ns2", ecn = true, mss = knob.mss, receive_window = knob.window,
        initial_window = knob.initial_window, ack_every = knob.ack_every, ack_delay = "100 ms",
        ack_delay_least = "always the longest", quick_acks = "none", rto_min = knob.rto_min,
        rto_initial = knob.rto_initial, rto_max = knob.rto_max, rto_min_limits = "time-out", tick = knob.tick,
        sample_each_ack = false, syn_retries = 12, retries = 100, time_wait = "60 s",
        timestamps = false, sack = false, dsack = false, congestion = "newreno", hystart = false,
        count_octets = "by ACKs", recovery = "newreno", reduction = "at-once", dupthresh = 3,
        limited_transmit = knob.limited_transmit, tail_probe = false, impatient = false,
        burst = "unlimited", spurious = "none", idle_restart = false, nagle = false,
        window_scale = "none", initial_ssthresh = "unlimited", cwnd_most = "unlimited",
        send_buffer = "unlimited",
    },
    -- paper: 40 kbit/s on average, 80 at most. fit: packets of 500 octets, another rate each second.
    stream {
        class = "streaming", rate = "40 kbit/s", peak = "80 kbit/s", packet = "500 octets",
        period = "1 s", period_law = "fixed", ecn = false,
    },
    -- paper: 8 kbit/s, constant. fit: packets of 200 octets; talk without end.
    ptt {
        class = "interactive-1", interval = "200 ms", packet = "200 octets", talk = "100000 s",
        talk_law = "fixed", ecn = false,
    },
    -- paper: a main page and 30 inline items of 4.91 kB, a second to read, four persistent connections.
    -- lab: the octets of requests and headers.
    http {
        class = "interactive-2", host_tcp = "ns2", ms_tcp = "ns2", connections = 4, reuse = "all",
        request = "350 octets", header = "250 octets",
        main = "4910 octets", embedded = 30, embedded_size = "4910 octets", think = "1 s",
    },
    http {
        class = "interactive-3", host_tcp = "ns2", ms_tcp = "ns2", connections = 4, reuse = "all",
        request = "350 octets", header = "250 octets",
        main = "4910 octets", embedded = 30, embedded_size = "4910 octets", think = "1 s",
    },
    -- paper: four files of 875 kB, over four persistent connections, a second between two downloads.
    http {
        class = "background", host_tcp = "ns2", ms_tcp = "ns2", connections = 4, reuse = "all",
        request = "350 octets", header = "250 octets",
        main = "none", embedded = 4, embedded_size = "875 kB", think = "1 s",
    },
}

-- ---- The variants ----
-- Each is a list of changes. `all` writes them for all seven classes; `join` puts two lists together.
local function all(...)
    local set, given = {}, { ... }
    for i = 1, #given do
        set[i] = "class[*]." .. given[i]
    end
    return set
end
local function join(a, b)
    for i = 1, #b do
        a[#a + 1] = b[i]
    end
    return a
end
local function red(...)
    return join(all(
        "aqm.name=red", "aqm.min=15 kB", "aqm.max=45 kB", "aqm.max_p=20 %", -- paper
        "aqm.weight=" .. knob.red_weight, "aqm.time_constant=0 ns", "aqm.mean_pdu=500 octets",
        "aqm.gentle=" .. knob.gentle), all(...))
end
-- fit: above max ECN drops, as RFC 3168 section 7 allows; ns-2 (mark_p_ 0.1) would drop from half of max_p on.
local function ecn(...)
    return join(red("aqm.ecn=true", "aqm.drop_above_max=true"), all(...))
end
-- The one that the paper simulated, with its values.
local function ttl(...)
    return join(all("aqm.name=ttl-red-v2", "aqm.low=750 ms", "aqm.high=2250 ms", "aqm.max_p=20 %"), all(...))
end
-- The other one, with the values of the paper's example.
local function ttl_v1(...)
    return join(all("aqm.name=ttl-red-v1", "aqm.low=1 s", "aqm.high=3 s", "aqm.max_p=100 %",
        "aqm.period=10 ms"), all(...))
end
-- Future work of the paper: max_p follows the load, between the paper's thresholds.
local function adaptive(...)
    return join(all("aqm.name=adaptive-red", "aqm.target=0 ns", "aqm.min=15 kB", "aqm.max=45 kB",
        "aqm.weight=" .. knob.red_weight), all(...))
end
-- The same with its own thresholds and weight, out of a target delay and the class's rate.
local function adaptive_to(target, ...)
    return join(all("aqm.name=adaptive-red", "aqm.target=" .. target), all(...))
end
-- slots: of a cell. R at first is what they carry.
-- RED for all of a class in a cell, in front of which MSs take turns.
local function red_in_turn(class)
    local set, given = {}, {
        "scope=cell", "aqm.name=red", "aqm.ecn=true", "aqm.drop_above_max=true", "aqm.in_turn=true",
        "aqm.min=2 packets", "aqm.max=6 packets", "aqm.max_p=100 %", "aqm.weight=5 %", "aqm.gentle=false",
    }
    for i = 1, #given do
        set[i] = "class[" .. class .. "]." .. given[i]
    end
    return set
end
local function of_slots(slots, set)
    return join({ "radio.carriers=4", "radio.slots=" .. slots, "flow.rate=" .. slots * 296 // 10 .. " kbit/s" }, set)
end

variants {
    default = "none",
    -- No AQM: the buffer of a class is full, and what arrives is dropped.
    variant { name = "none" },
    -- III A: a lifetime of LLC frames, whole and split: of the split one the BSS gets 1 to 3 s.
    variant { name = "lifetime", set = all("lifetime=5 s", "bss_lifetime_least=10 ms") },
    variant {
        name = "lifetime-split",
        set = all("lifetime=5 s", "bss_lifetime_least=1 s", "bss_lifetime_most=3 s"),
    },
    -- III B: buffers as small as RED's maxTh.
    variant { name = "small-buffer", set = all("octets=45 kB") },
    -- III C and D: one instance for each class.
    variant { name = "red", set = red() },
    variant { name = "ecn", set = ecn() },
    variant { name = "ttl-red", set = ttl() },
    variant { name = "ttl-ecn", set = ttl("aqm.ecn=true") },
    variant { name = "ttl-red-v1", set = ttl_v1() },
    variant { name = "ttl-ecn-v1", set = ttl_v1("aqm.ecn=true") },
    -- Several instances: one for each class and cell, with thresholds that add up to the paper's; and one
    -- for each MS, where 15 kB would never be reached: packets instead.
    variant { name = "red-cell", set = red("scope=cell", "aqm.min=7500 octets", "aqm.max=22500 octets") },
    variant { name = "ecn-cell", set = ecn("scope=cell", "aqm.min=7500 octets", "aqm.max=22500 octets") },
    variant { name = "red-ms", set = red("scope=ms", "aqm.min=2 packets", "aqm.max=6 packets") },
    variant { name = "ecn-ms", set = ecn("scope=ms", "aqm.min=2 packets", "aqm.max=6 packets") },
    -- By that weight an average is over 500 N-PDUs, which is minutes of an MS; here over 10.
    variant { name = "red-ms-quick", set = red("scope=ms", "aqm.min=2 packets", "aqm.max=6 packets", "aqm.weight=10 %") },
    variant { name = "ecn-ms-quick", set = ecn("scope=ms", "aqm.min=2 packets", "aqm.max=6 packets", "aqm.weight=10 %") },
    -- Conclusions: other numbers of time slots, 36 and 60 in two cells.
    variant { name = "none-36-slots", set = of_slots(18, {}) },
    variant { name = "red-36-slots", set = of_slots(18, red()) },
    variant { name = "ecn-36-slots", set = of_slots(18, ecn()) },
    variant { name = "none-60-slots", set = of_slots(30, {}) },
    variant { name = "red-60-slots", set = of_slots(30, red()) },
    variant { name = "ecn-60-slots", set = of_slots(30, ecn()) },
    -- Future work: other parameters of TTL-RED (lifetimes half and twice as long; all in the first range), and other
    -- logic on the age of N-PDUs: one signal from 750 ms on, then none for 20 N-PDUs, and all beyond 2250 ms (PDPC);
    -- signals that come closer together for as long as the wait is above 200 ms (CoDel).
    variant { name = "ttl-red-half", set = ttl("aqm.low=375 ms", "aqm.high=1125 ms") },
    variant { name = "ttl-red-twice", set = ttl("aqm.low=1500 ms", "aqm.high=4500 ms") },
    variant { name = "ttl-red-first", set = ttl("aqm.max_p=100 %") },
    variant { name = "ttl-ecn-first", set = ttl("aqm.max_p=100 %", "aqm.ecn=true") },
    variant {
        name = "pdpc",
        set = all("aqm.name=pdpc", "aqm.min=750 ms", "aqm.max=2250 ms", "aqm.accept=20", "aqm.at_head=true"),
    },
    variant { name = "codel", set = all("aqm.name=codel", "aqm.target=200 ms", "aqm.interval=200 ms") },
    -- Future work: adaptive RED, and explicit window adaptation (EWA) in front of the full buffers of "none". A flow's
    -- share is known where the MS has a queue for each.
    variant { name = "adaptive-red", set = adaptive() },
    variant { name = "adaptive-ecn", set = adaptive("aqm.ecn=true") },
    variant { name = "adaptive-red-750ms", set = adaptive_to("750 ms") },
    variant { name = "adaptive-ecn-750ms", set = adaptive_to("750 ms", "aqm.ecn=true") },
    variant { name = "ewa", set = all("window=2 s", "flows=true") },

    -- ---- Ours, and the same with its queue swapped for what others would take ----
    variant { name = "recommended", file = "../recommended.lua" },
    -- `recommended` with RED for all of THP2 and THP3 in a cell, behind the queues by flow: quicker, and fewer pages. With
    -- 60 connections of a class in a cell a flow's share is 5 kbit/s and less: the time of 4 packets, before which COBALT
    -- leaves a flow alone, is as long as the lifetime. So the lifetime drops, and not the AQM; a delay below that needs an
    -- AQM that sees the sum. It is the study's RED with three changes. Its thresholds are packets, so that they suit any
    -- rate. An N-PDU is judged by what goes ahead of it as MSs take turns, too, so that one MS that floods the class
    -- costs the others little. And what is small and alone in its flow, as a ping, is not dropped.
    variant {
        name = "swap-red", file = "../recommended.lua",
        set = join(red_in_turn("interactive-2"), red_in_turn("interactive-3")),
    },
    -- `recommended` with a weight of 300 for THP1, which saves its talkers 2 ms.
    variant { name = "swap-weight", file = "../recommended.lua", set = "class[interactive-1].weight=300" },
    -- A tail drop with a small buffer behind the same buckets.
    variant {
        name = "swap-tail", file = "../recommended.lua",
        set = all("aqm.name=tail-drop", "flows=false", "window=none", "scope=ms", "octets=45 kB"),
    },
    -- The CoDel of OsmoPCU in the BSS alone, with its bucket of 10 s.
    variant {
        name = "swap-bss-codel", file = "../recommended.lua",
        set = join(all("aqm.name=tail-drop", "flows=false", "window=none", "scope=ms"), {
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
            "flow.bmax_time=10 s", "flow.ms_bmax_time=10 s", "codel.target=203 ms", "codel.interval=4 s",
        }),
    },
    -- The same queues by flow without a window, and all that the BSS offers is filled: a bucket of 10 s, as OsmoPCU's.
    variant {
        name = "swap-fq", file = "../recommended.lua",
        set = {
            "class[*].window=none",
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
            "flow.bmax_time=10 s", "flow.ms_bmax_time=10 s",
        },
    },
}
