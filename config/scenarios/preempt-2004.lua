-- "preempt-2004": TCP over GPRS preempted by circuit-switched calls, on a testbed of real nodes (2004). One MS
-- downloads over three time slots for 40 minutes; each minute a call of 3, 6 or 15 s takes all of them, and the
-- BSC flushes its buffer at once. Published: 21 to 22 kbit/s whatever the length of the calls, 7 % sent again, and
-- 20 s until TCP has recovered. Here that is the variants paper-3s, paper-6s, paper-15s; the others do better.
--     sluice run config/scenarios/preempt-2004.lua --variant all --seeds 6..10
-- Behind each knob where its value comes from: "paper"; "standard"; "fit": one value for all of the paper's rows,
-- found on the seeds 1 to 5. Values that are today's defaults stand here as well, so that a changed default
-- moves no row.

-- ---- The testbed ----
local duration = "2400 s"       -- paper: 40 minutes
local gap_s = 60                -- paper: a minute from a call's end to the next; 38, 36, 32 calls ("at least 30")
local lengths_s = { 3, 6, 15 }  -- paper
local first_call = "33 s"       -- fit: the window of 64 KB is nearly full by then
local slots = 3                 -- paper: time slots down, all of which a call takes
local up_slots = 1              -- paper
local coding = "CS-2"           -- paper; 12 kbit/s a slot without headers
local bler = "1 %"              -- fit: "nearly optimal" radio; what makes the seeds differ
local control = "0 %"           -- fit: control blocks; buffer-2004's 8 % take 13 % of the throughput after 15 s

-- The cost of a TBF. At a segment that is under way alone, as in a recovery, there is a set-up in each direction:
-- 2 s a segment and ten segments, so 20 s. In a full window there is only the one up.
local down_setup = "1 s"        -- fit
local up_setup = "200 ms"       -- fit: after a call, when there is no TBF down either
local up_setup_beside = "950 ms"    -- fit: beside a TBF down, by polling, with the laptop's serial cable; so long
                                -- that an ACK waits in the MS when a call begins, which is what the paper saw
local up_discard = "10 s"       -- fit: the MS has given up its ACKs after 15 s, but not after 6 s (paper)

-- The BSC and the SGSN.
local leak = "40 kbit/s"        -- fit: R, as of 13.4 kbit/s a slot; more than the radio carries (36), so that nearly
                                -- all that is under way is in the BSC, of the first 64 KB what Bmax and R allow
local bmax = "12 kB"            -- fit: "almost ten" segments; with that R a fifth more or less moves no row
local lifetime = "63 s"         -- fit: of "many commercial networks" (buffer-2004); 64 KB would not live 5 s
local n201_u = "500 octets"     -- standard: 44.064 8.9

-- The hosts: Linux 2.4.2 with its default options.
local window = "65535 octets"   -- paper
local mss = "1460 octets"       -- buffer-2004, the same testbed
local ack_delay = "500 ms"      -- fit: an ACK for each second segment, 0.37 s apart. Peaks of 16 KB a minute
                                -- after a recovery of 20 s need a window that grows by one segment in two round trips
local quick_acks = "none"       -- fit: nor are the first ones, or those behind a hole, sooner

-- ---- Variants ----
-- What the BSC does at a call: keeps its buffer through the longest one, and sends as soon as the channel is back.
local hold = { "radio.hold_taken=20 s", "radio.resume=at-once" }
-- What it tells the SGSN of a call.
local tells_r_0 = { "bss.preemption=flow-ms" }          -- FLOW-CONTROL-MS with R = 0, and R when it is over
local tells_status = { "bss.preemption=radio-status" }  -- RADIO-STATUS, radio contact lost
-- What it tells at all times: R of its slots, and how full the bucket really is (feature CBL, 48.018 8.2.3).
local honest = { "flow.rate=the radio's", "flow.ms_rate=the cell's", "bss.cbl=true" }
-- The hosts ask for ECN.
local ecn = { "tcp.ecn=true" }
-- Other queues in its place.
local small_tail = { "queue.ms_packets=8", "gb.cell_delay=600 ms", "gb.ms_delay=600 ms" } -- 8 packets are 3 s
local all_offered = { "flow.bmax=by time", "flow.ms_bmax=by time" } -- 10 s, as OsmoPCU offers, and all is filled
local bss_codel = { "codel.target=2 s" }                -- OsmoPCU's CoDel, with a target for three slots
local fq_only = { "class.flows=true", "class.scope=flow" }

local recommended = "../recommended.lua"
local list = { default = "paper-3s" }
local function add(name, file, parts)
    for i = 1, #lengths_s do
        local set = { "plan.lasts=" .. lengths_s[i] .. " s", "plan.every=" .. gap_s + lengths_s[i] .. " s" }
        for p = 1, #parts do
            for k = 1, #parts[p] do
                set[#set + 1] = parts[p][k]
            end
        end
        list[#list + 1] = variant { name = name .. "-" .. lengths_s[i] .. "s", file = file, set = set }
    end
end
add("paper", nil, {})
-- What the paper asks for: a BSC that waits. It tells nothing, and 64 KB stand in the queues.
add("hold", nil, { hold })
-- Freeze and resume: the BSC holds, tells R = 0, and the queue waits in the SGSN without ageing.
add("freeze", recommended, { hold, tells_r_0, honest, ecn })
-- Without a part of that.
add("no-ecn", recommended, { hold, tells_r_0, honest })
add("tells-nothing", recommended, { hold, honest, ecn })
add("radio-status", recommended, { hold, tells_status, honest, ecn })
add("dishonest", recommended, { hold, tells_r_0, ecn })
add("flush", recommended, { tells_r_0, honest, ecn })
add("paper-flush", recommended, { ecn })          -- the paper's BSC, unchanged
-- With another queue.
add("small-tail", nil, { hold, tells_r_0, honest, small_tail })
add("bss-codel", nil, { hold, tells_r_0, honest, all_offered, bss_codel })
add("fq-only", nil, { hold, tells_r_0, honest, all_offered, fq_only })
variants(list)

-- ---- The network ----
run { name = "preempt-2004", clock = "virtual", duration = duration, seed = 1 }
log { level = "error" }
gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb {
    device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", mtu = "1500 octets",
    cell_delay = "as offered", ms_delay = "as offered", pfc_delay = "as offered", ready = "none",
}
queue {
    overflow = "tail", packets = 4096, octets = "4000 kB", cell_packets = 1024, cell_octets = "1000 kB",
    ms_packets = 256, ms_octets = "384 kB", hold = "300 s", flows = 16, flow_quantum = "300 octets",
}
class {
    name = "background", weight = 5, packets = 4096, octets = "4000 kB", lifetime = lifetime,
    bss_lifetime_least = "1 s", flows = false, scope = "ms", aqm { name = "tail-drop" },
}
nse {
    nsei = 101, ns = "reset", flow_control = "wait",
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line { rate = "unlimited", latency = "10 ms" },             -- fit
    bss { preemption = "nothing", tell_discards = false, cbl = false },
    bvc {
        bvci = 2,
        radio {
            carriers = 1, slots = slots, round_trip = "120 ms", -- standard: 44.060 annex I
            down_slots = slots, down_coding = coding, down_bler = bler, down_control = control,
            down_window = 64, down_setup = down_setup, down_setup_beside = down_setup, down_release = "0 s",
            up_slots = up_slots, up_coding = coding, up_bler = bler, up_control = "0 %",
            up_window = 64, up_setup = up_setup, up_setup_beside = up_setup_beside, up_release = "0 s",
            up_buffer = "unlimited", up_reaction = "0 s", up_discard = up_discard,
            hold_taken = "flushed at once", resume = "by-activity", -- paper
            plan {
                kind = "calls", at = first_call, every = gap_s + lengths_s[1] .. " s",
                lasts = lengths_s[1] .. " s", count = slots,
            },
        },
        buffer { priority = "precedence" },
        codel { target = "off", interval = "4 s", idle = "512 octets" },
        flow {
            rate = leak, bmax = bmax, ms_rate = leak, ms_bmax = bmax, interval = "1 s", repeats = true,
            bmax_time = "10 s", ms_bmax_time = "10 s", measured = false, measurement = true, ms = "none",
        },
        ms {
            imsi = "001010000000001", n201_u = n201_u,
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10.0.1.1" },
        },
    },
}
lab {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", step = "500 ms",
    gi { rate = "unlimited", latency = "20 ms", jitter = "10 ms" }, -- fit
    mobile { n201_u = "1520 octets", answers_xid = true },
    tcp { -- as built in, but window and ACKs
        name = "linux-2.4.2", base = "linux-2.4", mss = mss, receive_window = window, window_scale = "none",
        initial_window = 2, initial_ssthresh = "unlimited", cwnd_most = "unlimited", send_buffer = "unlimited",
        rto_min = "200 ms", rto_initial = "3 s", rto_max = "120 s", rto_min_limits = "variance",
        tick = "10 ms", sample_each_ack = true, timestamps = true, sack = true, dsack = true, ecn = false,
        ack_every = 2, ack_delay = ack_delay, ack_delay_least = "always the longest", quick_acks = quick_acks,
        congestion = "newreno", hystart = false, count_octets = "by ACKs", recovery = "fack",
        reduction = "halving", dupthresh = 3, limited_transmit = true, tail_probe = false, impatient = false,
        burst = 3, spurious = "eifel", idle_restart = true, nagle = false,
    },
    ftp { class = "background", host_tcp = "linux-2.4.2", ms_tcp = "linux-2.4.2", way = "down", opener = "ms" },
}
