-- Knobs of config/scenarios/preempt-2004.lua, nearly all fits. What the paper prints (three slots, CS-2, the lengths
-- and the distance of the calls, Linux 2.4.2, 64 KB) is no knob.
local PAPER = { "paper-3s", "paper-6s", "paper-15s" }
runs { variants = { "paper-3s", "paper-6s", "paper-15s", "freeze-15s" } }

conclusion "throughput, calls of 3 s"
conclusion "throughput, calls of 15 s"
conclusion "retransmitted, calls of 3 s"
conclusion "RTT, calls of 3 s"
conclusion "outstanding data, peaks before a call, calls of 3 s"
conclusion "similar for all calls: the least throughput over the greatest"
conclusion "segments lost at a call, of 3, 6 or 15 s the farthest from ten"
conclusion "recovered from a call, of 3 or 6 s the farthest from 20 s"
conclusion "congestion avoidance: fast retransmits less time-outs, a call of 3 or 6 s the fewer"
conclusion "calls that an ACK of the MS ends, of 3 or 6 s the fewer"
conclusion "time-outs (slow start), a call of 15 s"
conclusion "freeze (recommended; the BSC holds, resumes at once, tells R = 0): goodput back, calls of 15 s"
conclusion "freeze (recommended; the BSC holds, resumes at once, tells R = 0): lost and sent again, calls of 15 s"

-- ---- Radio ----
knob {
    name = "blocks sent again", keys = { "radio.down_bler", "radio.up_bler" },
    base = "1 %", low = "0 %", high = "10 %",
    from = "A fit. High: the BLER at which 45.005 states its reference C/I; the paper's 20 dB are better.",
}
knob {
    name = "share of control blocks", keys = "radio.down_control", base = "5.3 %", low = "0 %", high = "8.3 %",
    from = "A fit. Low: the CCCH carries all. High: one of the 12 blocks of a 52-multiframe (45.002).",
}
knob {
    name = "RLC round trip", keys = "radio.round_trip", base = "120 ms", low = "50 ms", high = "300 ms",
    from = "44.060 annex I. Low and high: the range of latency-geran.",
}
knob {
    name = "set-up of a downlink TBF", keys = { "radio.down_setup", "radio.down_setup_beside" },
    base = "800 ms", low = "200 ms", high = "1.2 s",
    from = "A fit. Low: the other papers' scenarios. High: no ping of latency-geran's measurements took longer.",
}
knob {
    name = "set-up of an uplink TBF", keys = { "radio.up_setup", "radio.up_setup_beside" },
    base = "800 ms", low = { "200 ms", "60 ms" }, high = "1.2 s",
    from = "A fit. Low: the other papers' scenarios. High: as for the downlink.",
}
knob {
    name = "a downlink TBF stays open", keys = "radio.down_release", base = "0 s", high = "1 s",
    from = "A fit. High: a delayed release (44.060 9.3.1a).",
}
knob {
    name = "the MS discards its ACKs after", keys = "radio.up_discard", base = "10 s", low = "7 s", high = "14 s",
    from = "A fit. The paper: not after 6 s, but after 15 s.",
}
-- ---- BSC and SGSN ----
knob {
    name = "R told", keys = { "flow.rate", "flow.ms_rate" }, base = { "the radio's", "the radio's" },
    high = "40200 bit/s", variants = PAPER, from = "A fit. High: 13.4 kbit/s a slot, more than the radio carries.",
}
knob {
    name = "how full the bucket is, told (CBL)", keys = "bss.cbl", base = "true", low = "false", variants = PAPER,
    from = "A fit. Low: a BSS without the feature (48.018 11.3.45).",
}
knob {
    name = "what the BSC buffers (Bmax)", keys = { "flow.bmax_time", "flow.ms_bmax_time" },
    base = "3.5 s", low = "2 s", high = "10 s", variants = PAPER,
    from = "A fit to the ten segments that a call costs. High: OsmoPCU's.",
}
knob {
    name = "lifetime",
    keys = {
        "class[background].lifetime", "class[background].bss_lifetime_least", "class[background].bss_lifetime_most",
    },
    base = { "124.4 s", "63 s", "63 s" }, low = { "8.4 s", "5 s", "5 s" }, variants = PAPER,
    from = "buffer-2004: 63 s is commonly used; low, its other setting.",
}
knob {
    name = "N201-U", keys = "ms.n201_u", base = "500 octets", low = "140 octets", high = "1430 octets",
    from = "44.064 table 9: the default, and its range, of which 1430 fit a packet of Gb.",
}
-- ---- Hosts ----
knob {
    name = "MSS", keys = "tcp.mss", base = "1460 octets", low = "536 octets",
    from = "The sister paper's. Low: the default of RFC 1122.",
}
knob {
    name = "longest delay of an ACK", keys = "tcp.ack_delay", base = "500 ms", low = "200 ms",
    from = "A fit, and the most of RFC 1122. Low: Linux's.",
}
knob {
    name = "delay of an ACK follows arrivals", keys = "tcp.ack_delay_least",
    base = "always the longest", low = "40 ms", from = "A fit. Low: Linux's.",
}
knob {
    name = "ACKs at once at first", keys = "tcp.quick_acks", base = "none", high = 16,
    from = "A fit. High: Linux's.",
}
knob {
    name = "undo of spurious time-outs", keys = "tcp.spurious", base = "eifel", low = "none",
    from = "Linux 2.4's, with timestamps. Low: a sender without it, as RFC 2581.",
}
knob {
    name = "least time-out", keys = "tcp.rto_min", base = "200 ms", high = "1 s",
    from = "Linux's. High: RFC 2988.",
}
knob {
    name = "what finds losses", keys = "tcp.recovery", base = "fack", low = "newreno", high = "sack",
    from = "FACK is Linux 2.4's. Low: without the scoreboard (RFC 2582). High: RFC 3517.",
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
    name = "R, Bmax, and no CBL",
    keys = { "flow.rate", "flow.ms_rate", "flow.bmax_time", "flow.ms_bmax_time", "bss.cbl" },
    base = { "the radio's", "the radio's", "3.5 s", "3.5 s", "true" },
    low = { "40200 bit/s", "40200 bit/s", "2400 ms", "2400 ms", "false" }, variants = PAPER,
    from = "The same data in the BSC for another reason: a smaller Bmax, and an R above the radio's that overruns it.",
}
