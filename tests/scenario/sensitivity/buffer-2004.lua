-- Knobs of config/scenarios/buffer-2004.lua: what the paper leaves open, as far as a standard, the sister papers or
-- the systems of the time let it vary. What the paper prints (PDCHs, CS-2, both times of the buffer, 64 KB) is no knob.
runs { variants = { "63s-1pdch", "63s-3pdch", "5s-1pdch", "5s-3pdch", "recommended" } }

conclusion "throughput, 63 s of buffer, 1 PDCH"
conclusion "alike: throughput, 5 s over 63 s, 1 PDCH"
conclusion "longest RTT, 63 s of buffer, 1 PDCH"
conclusion "longest RTT, 63 s of buffer, 3 PDCHs"
conclusion "longest RTT, 5 s of buffer, 1 PDCH"
conclusion "longest RTT, 5 s of buffer, 3 PDCHs"
conclusion "saw-tooth, least RTT"
conclusion "recommended: ping beside the download, p95"
conclusion "recommended: throughput over the 63 s buffer's"

-- ---- Radio ----
knob {
    name = "share of control blocks", keys = "radio.down_control",
    base = "5.3 %", low = "0 %", high = "8.3 %",
    from = "A fit. Low: the CCCH carries all. High: one of the 12 blocks of a 52-multiframe (45.002).",
}
knob {
    name = "blocks sent again", keys = { "radio.down_bler", "radio.up_bler" },
    base = "1 %", low = "0 %", high = "10 %",
    from = "A fit. High: the BLER at which 45.005 states its reference C/I; the paper's 20 dB are better.",
}
knob {
    name = "RLC round trip", keys = "radio.round_trip",
    base = "120 ms", low = "50 ms", high = "300 ms",
    from = "44.060 annex I. Low and high: the range of latency-geran.",
}
knob {
    name = "set-up of a downlink TBF", keys = { "radio.down_setup", "radio.down_setup_beside" },
    base = "800 ms", low = "200 ms", high = "1.2 s",
    from = "A fit of preempt-2004. Low: the other papers' scenarios. High: no ping of latency-geran's took longer.",
}
knob {
    name = "set-up of an uplink TBF", keys = { "radio.up_setup", "radio.up_setup_beside" },
    base = "800 ms", low = { "200 ms", "60 ms" }, high = "1.2 s",
    from = "A fit of preempt-2004. Low: the other papers' scenarios. High: as for the downlink.",
}
-- ---- BSC and SGSN ----
knob {
    name = "what the BSC buffers (Bmax)", keys = { "flow.bmax_time", "flow.ms_bmax_time" },
    base = "3.5 s", low = "1 s", high = "10 s",
    from = "A fit. Low: about that of aqm-2006. High: OsmoPCU's.",
}
knob {
    name = "how full the bucket is, told (CBL)", keys = "bss.cbl", base = "true", low = "false",
    from = "A fit. Low: a BSS without the feature (48.018 11.3.45).",
}
knob {
    name = "one clock for SGSN and BSC",
    keys = { "class[background].lifetime", "class[background].bss_lifetime_least" },
    base = { "8400 ms", "5 s" }, low = { "5 s", "10 ms" }, high = { "10 s", "5 s" },
    variants = { "5s-1pdch", "5s-3pdch" },
    from = "A fit: SGSN and BSC each count from a packet's arrival there, 3.4 and 5 s. Low: one clock, the paper's "
        .. "words. High: 5 s each.",
}
knob {
    name = "R measured by the BSS", keys = "flow.measured", base = "false", high = "true",
    from = "48.018 8.2.3 leaves to the BSS what it tells.",
}
knob {
    name = "FLOW-CONTROL each", keys = "flow.interval", base = "1 s", high = "10 s",
    from = "48.018 clause 12: C is from 1 s to 10 s.",
}
knob {
    name = "N201-U", keys = "ms.n201_u", base = "500 octets", low = "140 octets", high = "1430 octets",
    from = "44.064 table 9: the default, and its range, of which 1430 fit a packet of Gb.",
}
-- ---- Hosts: Linux 2.4 has these as they stand; other stacks of the time have not ----
knob {
    name = "initial window", keys = "tcp.initial_window", base = 2, low = 1, high = 3,
    from = "RFC 2581: 1 or 2. High: RFC 3390 with an MSS of 1460.",
}
knob {
    name = "longest delay of an ACK", keys = "tcp.ack_delay", base = "500 ms", low = "40 ms",
    from = "A fit of preempt-2004, and the most of RFC 1122. Low: Linux's least.",
}
knob {
    name = "segments for an ACK", keys = "tcp.ack_every", base = 2, low = 1,
    from = "RFC 1122 wants an ACK for each second segment at least; none delayed is allowed.",
}
knob {
    name = "where rate halving ends", keys = "tcp.halving_least", base = "half", low = "threshold",
    from = "A fit. Low: the threshold, as RFC 2581 has it.",
}
knob {
    name = "what finds losses", keys = "tcp.recovery", base = "fack", low = "newreno", high = "sack",
    from = "FACK is Linux 2.4's. Low: without the scoreboard (RFC 2582). High: RFC 3517.",
}
knob {
    name = "least time-out", keys = "tcp.rto_min", base = "200 ms", high = "1 s",
    from = "RFC 2988 has 1 s.",
}
knob {
    name = "latency of the server", keys = "gi.latency", base = "20 ms", low = "5 ms", high = "100 ms",
    from = "A fit. Low: a laboratory. High: a server on another continent.",
}
-- ---- Pairs: what one of two alone may hide, for the other makes up for it ----
local ACKS = { "tcp.ack_delay", "tcp.ack_delay_least", "tcp.quick_acks" }
local SETUPS = { "radio.down_setup", "radio.down_setup_beside", "radio.up_setup", "radio.up_setup_beside" }
local function both(one, other)
    local list = {}
    for i = 1, #one do
        list[i] = one[i]
    end
    for i = 1, #other do
        list[#one + i] = other[i]
    end
    return list
end
local ACKS_BASE, ACKS_LINUX = { "500 ms", "always the longest", "none" }, { "200 ms", "40 ms", "16" }
local SETUPS_BASE, SETUPS_QUICK = { "800 ms", "800 ms", "800 ms", "800 ms" }, { "200 ms", "60 ms", "200 ms", "60 ms" }
knob {
    name = "all that delays an ACK", keys = ACKS, base = ACKS_BASE, low = ACKS_LINUX,
    from = "A fit. Low: Linux's as it is described: 40 to 200 ms by the arrivals, and 16 at once.",
}
knob {
    name = "set-up of TBFs both ways", keys = SETUPS, base = "800 ms", low = SETUPS_QUICK, high = "1.2 s",
    from = "A fit. Low: the other papers' scenarios. High: no ping of latency-geran's measurements took longer.",
}
knob {
    name = "set-up of TBFs, and ACKs", keys = both(SETUPS, ACKS), base = both(SETUPS_BASE, ACKS_BASE),
    low = both(SETUPS_QUICK, ACKS_LINUX),
    from = "Both lows: the model that fits buffer-2004 alone.",
}
knob {
    name = "ACKs, and where rate halving ends", keys = both(ACKS, { "tcp.halving_least" }),
    base = both(ACKS_BASE, { "half" }), low = both(ACKS_LINUX, { "threshold" }),
    from = "Both windows are larger: ACKs as Linux's are described, and the threshold of RFC 2581.",
}
knob {
    name = "control blocks, and blocks sent again", keys = { "radio.down_control", "radio.down_bler", "radio.up_bler" },
    base = { "5.3 %", "1 %", "1 %" }, low = { "0 %", "6.3 %", "6.3 %" },
    from = "The same share of the blocks is no data, for another reason.",
}
knob {
    name = "the SGSN's time, and Bmax", keys = { "class[background].lifetime", "flow.bmax_time", "flow.ms_bmax_time" },
    base = { "8400 ms", "3.5 s", "3.5 s" }, variants = { "5s-1pdch", "5s-3pdch" },
    low = { "9400 ms", "2.5 s", "2.5 s" }, high = { "7400 ms", "4.5 s", "4.5 s" },
    from = "A second of the buffer in the SGSN, not in the BSC, and the other way round.",
}
