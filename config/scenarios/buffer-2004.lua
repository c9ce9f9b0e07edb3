-- "Impact of GPRS buffering on TCP performance" (Wennstroem, Brunstrom, Rendon; Electronics Letters,
-- 2004): one MS downloads for 15 minutes; the BSSGP buffers discard after 63 s or after 5 s, on 1, 2
-- or 3 PDCHs. Then, on 1 PDCH with a ping beside it, what Sluice makes of the same testbed.
--     sluice run config/scenarios/buffer-2004.lua --variant all --seeds 6..10
-- Behind each value stands where it comes from: "paper" (Table 1 or its text), "standard", "fit", or that it does not
-- matter here. Values that stand without a word are today's defaults, so that a changed default moves nothing.

-- ---- The laboratory, the same in buffer-2004.lua and preempt-2004.lua: two papers of the same authors, network and
-- hosts. tests/e2e/one_laboratory.py compares all that the two files say of it. A fit is one value for the rows of both
-- papers, found on the seeds 1 to 5. ----
local coding = "CS-2"           -- paper; 12 kbit/s a PDCH without headers
local bler = "1 %"              -- fit: "nearly optimal" radio (-80 dBm, C/I 20 dB); what makes the seeds differ
local control = "5.3 %"         -- fit: blocks for control messages; leaves TCP 10.5 kbit/s a PDCH; the paper has 10
-- fit: set-up of a TBF, in each direction, beside one in the other direction or not, with the laptop's serial cable.
-- In a recovery a segment is under way alone and needs both: 2 s a segment and ten segments are the 20 s of
-- preempt-2004. So long that an ACK waits in the MS when a call begins, which is what that paper saw.
local setup = "800 ms"
local up_discard = "10 s"       -- fit: the MS has given up its ACKs after 15 s, but not after 6 s (paper)
-- fit: what the BSC buffers at most, as time at the radio's rate: on three PDCHs the "almost ten" segments that a call
-- costs. With 15 kB for any number of PDCHs one of them with 5 s of buffer carries 6.3 kbit/s, and the paper has 10.
local bsc_buffer = "3.5 s"
-- fit: the hosts' ACKs, one for each second segment, 0.37 s apart on three PDCHs, and the first ones no sooner. Peaks
-- of 16 KB a minute after a recovery of 20 s need a window that grows by one segment in two round trips.
local ack_delay, ack_delay_least, quick_acks = "500 ms", "always the longest", "none"
-- Paper: "one logical BSSGP buffer" in SGSN and BSC, in which data is discarded after the setting's time. Fit: each
-- counts from when a packet came there, and the SGSN's time is 1.6 s less; with one clock for both the longest RTT with
-- 5 s of buffer is 6.2 s on 1 PDCH and 6.0 s on 3, where the paper has 9 s and 8 s, and 1 PDCH carries 6.2 kbit/s.
local sgsn_less_s = 1.6

-- ---- Variants ----
-- The paper's measurements.
local function testbed(pdchs, buffer_s)
    return {
        "radio.slots=" .. pdchs,
        "class[background].lifetime=" .. 2 * buffer_s - sgsn_less_s .. " s",
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
            "class[*].aqm.name=tail-drop", "class[*].flows=false", "class[*].scope=ms", "class[*].window=none",
            "queue.overflow=tail", "queue.ms_octets=6000 octets",
        },
    },
    -- all of the queue in the BSS, and its CoDel as OsmoPCU has it,
    variant {
        name = "bss-codel",
        set = beside({ "flow.bmax_time=63 s", "flow.ms_bmax_time=63 s", "codel.target=200 ms" }, 63),
    },
    -- queues by flow and COBALT, but the bucket as the BSS offers it, and no window, which would bound what stands there.
    variant {
        name = "flows-no-flow-control", file = "../recommended.lua",
        set = beside {
            "gb.cell_delay=as offered", "gb.ms_delay=as offered", "gb.pfc_delay=as offered",
            "flow.bmax_time=63 s", "flow.ms_bmax_time=63 s",
            "class[*].bss_lifetime_least=4100 ms", "class[*].window=none",
        },
    },
}

run { name = "buffer-2004", clock = "virtual", duration = "900 s", seed = 1, workers = 1 }        -- paper: 15 min
log { level = "error" }
gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb {
    device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", mtu = "1500 octets", port = 23000,
    -- Paper: a plain SGSN; it fills what the BSC offers.
    cell_delay = "as offered", ms_delay = "as offered", pfc_delay = "as offered", ready = "none",
}
-- Papers: nothing is said of a limit in octets, so there is none that 64 KB would reach.
queue {
    overflow = "tail", packets = 4096, octets = "4000 kB", cell_packets = 1024, cell_octets = "1000 kB",
    ms_packets = 256, ms_octets = "128 kB", hold = "300 s", flows = 16, flow_quantum = "300 octets",
}
class {
    -- 63 s of BSSGP buffer: "commonly used in commercial networks" (buffer-2004).
    name = "background", weight = 5, packets = 4096, octets = "4000 kB", flows = false, scope = "ms",
    lifetime = 2 * 63 - sgsn_less_s .. " s", bss_lifetime_least = "63 s", bss_lifetime_most = "63 s",
    aqm { name = "tail-drop" },
}
nse {
    nsei = 101, ns = "reset", flow_control = "wait", features = { "cbl" },
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line { latency = "5 ms", rate = "unlimited", jitter = "0 s", loss = "0 %" },        -- does not matter
    bss {
        -- fit, 48.018 11.3.45: the BSC tells how full the bucket is, each second. Without it the BSC's buffer overruns
        -- Bmax, and with 5 s of buffer 1 PDCH carries 6.1 kbit/s.
        cbl = true,
        preemption = "nothing", -- paper: the SGSN's data waits until there is activity
        tell_discards = true, tell_radio_losses = false, gather = "at once",            -- 48.018 8.2.4
    },
    bvc {
        bvci = 2,
        radio {
            carriers = 1, slots = 3, period = "20 ms",          -- paper: PDCHs; 45.002
            round_trip = "120 ms",                              -- standard: 44.060 annex I
            down_slots = 3, up_slots = 1,                       -- paper: the terminal's
            down_coding = coding, up_coding = coding, down_bler = bler, up_bler = bler,
            down_control = control, up_control = "0 %",
            down_window = 64, up_window = 64,                   -- standard: 44.060 9.1.9
            down_setup = setup, down_setup_beside = setup, up_setup = setup, up_setup_beside = setup,
            down_release = "0 s", up_release = "20 ms",         -- standard: 44.060 9.3.1, 9.3.2: with the last block
            up_buffer = "unlimited", up_reaction = "0 s", up_discard = up_discard,
            hold_taken = "flushed at once", resume = "by-activity",     -- paper
            -- Paper: "after four min ... a sporadic data loss".
            plan { kind = "loss", imsi = "001010000000001", at = "240 s", count = 1 },
        },
        buffer {
            ms_pdus = "unlimited", ms_octets = "unlimited", cell_pdus = "unlimited", cell_octets = "unlimited",
            priority = "none",
        },
        codel { target = "off", interval = "4 s", idle = "512 octets" },
        flow {
            bmax = "by time", bmax_time = bsc_buffer, ms_bmax = "by time", ms_bmax_time = bsc_buffer,
            rate = "the radio's", ms_rate = "the radio's",
            interval = "1 s", repeats = true, measured = false, measurement = true, ms = "none",
        },
        ms {
            imsi = "001010000000001", n201_u = "500 octets",    -- standard: 44.064 table 9, for user data in UI frames
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01",
    step = "1 s",
    gi { latency = "20 ms", jitter = "10 ms", rate = "unlimited", loss = "0 %" },       -- fit; a laboratory
    mobile { n201_u = "1520 octets", answers_xid = true, protects_all = true },
    -- Papers: Linux 2.4.2, SACK and timestamps, MSS 1460, a window of 64 KB at most. The other values are those of
    -- lab/hosts for that stack, but for ack_delay, ack_delay_least, quick_acks, above, and halving_least, a fit: with
    -- "threshold" the mean RTT with calls of 3 s is 3.38 s for 3.23; the paper has 2.91.
    tcp {
        name = "linux-2.4.2", base = "linux-2.4", mss = "1460 octets", receive_window = "65535 octets",
        sack = true, timestamps = true, window_scale = "none",
        initial_window = 2, initial_ssthresh = "unlimited", cwnd_most = "unlimited", send_buffer = "unlimited",
        rto_min = "200 ms", rto_initial = "3 s", rto_max = "120 s", rto_min_limits = "variance",
        tick = "10 ms", sample_each_ack = true, syn_retries = 5, retries = 15, time_wait = "60 s",
        ack_every = 2, ack_delay = ack_delay, ack_delay_least = ack_delay_least, quick_acks = quick_acks,
        dsack = true, ecn = false, congestion = "newreno", hystart = false, count_octets = "by ACKs",
        recovery = "fack", reduction = "halving", halving_least = "half", dupthresh = 3, limited_transmit = true,
        tail_probe = false, impatient = false, burst = 3, spurious = "eifel", idle_restart = true, nagle = false,
    },
    -- Papers: one TCP connection, down.
    ftp {
        class = "background", host_tcp = "linux-2.4.2", ms_tcp = "linux-2.4.2", start = "0 s", way = "down",
        size = "unlimited", files = 1, opener = "ms",
    },
    -- 64 octets of ICMP from the MS; in the run's last millisecond but where a variant begins it.
    ping {
        class = "background", way = "up", size = "56 octets", interval = "5 s", timeout = "100 s",
        start = "899999 ms",
    },
}
