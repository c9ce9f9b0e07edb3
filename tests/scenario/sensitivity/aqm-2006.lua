-- Knobs of config/scenarios/aqm-2006.lua: fits, and defaults of ns-2 that changed in its years. What the paper prints
-- (users, slots, weights, RED's thresholds and max_p, sizes of objects) is no knob.
-- Of the classes that have traffic.
local function each_class(key)
    local keys = { "streaming", "interactive-1", "interactive-2", "interactive-3", "background" }
    for i = 1, #keys do
        keys[i] = "class[" .. keys[i] .. "]." .. key
    end
    return keys
end
-- For the keys of two such lists, one behind the other.
local function both(a, b)
    local list = {}
    for i = 1, 10 do
        list[i] = i <= 5 and (a[i] or a) or b[i - 5] or b
    end
    return list
end
runs { variants = { "none", "red", "ecn" } }

conclusion "no AQM: p95 of the delay, THP2"
conclusion "no AQM: p95 of the delay, THP3"
conclusion "no AQM: p95 of the delay, background"
conclusion "RED: p95 of the delay, THP2"
conclusion "ECN: p95 of the delay, THP2"
conclusion "RED: no AQM's delay divided by, THP2"
conclusion "ECN: no AQM's delay divided by, THP2"
conclusion "RED: gain of goodput, THP2"
conclusion "RED: gain of goodput, THP3"
conclusion "RED: gain of goodput, background"
conclusion "ECN: gain of goodput, THP2"
conclusion "ECN: gain of goodput, THP3"
conclusion "ECN: gain of goodput, background"
conclusion "ECN's gain of goodput less RED's, THP2"

-- ---- Radio and BSS ----
knob {
    name = "coding scheme", keys = { "radio.down_coding", "radio.up_coding" },
    base = "MCS-6", low = "MCS-5", high = "MCS-7",
    from = "A fit. Low and high: its neighbours, 22.4 and 44.8 kbit/s a slot for 29.6.",
}
knob {
    name = "BLER", keys = { "radio.down_bler", "radio.up_bler" }, base = "0 %", high = "10 %",
    from = "A fit; the paper names no errors. High: that of latency-geran.",
}
knob {
    name = "Bmax of a cell", keys = "flow.bmax_time", base = "500 ms", high = "10 s",
    from = "A fit. High: OsmoPCU's.",
}
knob {
    name = "Bmax of an MS", keys = "flow.ms_bmax_time", base = "1 s", high = "10 s",
    from = "A fit. High: OsmoPCU's.",
}
knob {
    name = "priority at the BSS", keys = { "buffer.priority", "radio.order" },
    base = { "priority", "rank" }, low = { "none", "turns" },
    from = "The paper: \"a kind of priority queuing\"; the fit is strict, by class. Low: none.",
}
-- ---- SGSN ----
knob {
    name = "limit of a class's buffer", keys = each_class("octets"),
    base = "245 kB", low = "200 kB", high = "400 kB",
    from = "A fit; the paper does not print it. Low and high: a fifth less, two thirds more.",
}
knob {
    name = "lifetime", keys = each_class("lifetime"), base = "45 s", high = "63 s",
    from = "A fit, above the paper's p95 of 34 s. High: commonly used (buffer-2004).",
}
knob {
    name = "least lifetime in the BSS", keys = each_class("bss_lifetime_least"),
    base = "5 s", low = "1 s",
    from = "A fit. Low: that of the variant lifetime-split.",
}
knob {
    name = "RED's w_q", keys = "class[*].aqm.weight", base = "1951 ppm", low = "1000 ppm", high = "4200 ppm",
    variants = { "red", "ecn" }, from = "ns-2's, on the Gb pipe. Low and high: the bounds of Floyd and Jacobson, 1993.",
}
knob {
    name = "gentle RED", keys = "class[*].aqm.gentle", base = "false", high = "true", variants = { "red", "ecn" },
    from = "A fit. High: Floyd's proposal of 2000, which ns-2 has.",
}
-- ---- Hosts ----
knob {
    name = "MSS", keys = "tcp.mss", base = "1000 octets", low = "960 octets", high = "1460 octets",
    from = "ns-2. High: Ethernet's.",
}
knob {
    name = "window", keys = "tcp.receive_window", base = "20000 octets", low = "8760 octets", high = "65535 octets",
    from = "ns-2's 20 packets. Low: Windows 95. High: the most without window scale.",
}
knob {
    name = "initial window", keys = "tcp.initial_window", base = 2, low = 1, high = 4,
    from = "ns-2's. Low: before 2001. High: RFC 3390 with an MSS of 1000.",
}
knob {
    name = "Limited Transmit", keys = "tcp.limited_transmit", base = "true", low = "false",
    from = "ns-2's. Low: before November 2001.",
}
knob {
    name = "first time-out", keys = "tcp.rto_initial", base = "6 s", low = "3 s",
    from = "ns-2's. Low: RFC 2988, and ns-2 from 2006.",
}
knob {
    name = "longest time-out", keys = "tcp.rto_max", base = "1000 s", low = "60 s",
    from = "ns-2's, beyond any run's. Low: what RFC 2988 allows.",
}
knob {
    name = "least time-out", keys = "tcp.rto_min", base = "200 ms", high = "1 s",
    from = "ns-2's. High: before October 2004, and RFC 2988.",
}
knob {
    name = "segments for an ACK", keys = "tcp.ack_every", base = 2, low = 1,
    from = "A fit: RFC 1122. Low: ns-2's plain sink, which delays none.",
}
knob {
    name = "tick of the timers", keys = "tcp.tick", base = "10 ms", high = "100 ms",
    from = "ns-2's. High: before March 2002.",
}
knob {
    name = "latency of the hosts", keys = "gi.latency", base = "20 ms", high = "100 ms",
    from = "A fit. High: a server on another continent.",
}
-- ---- Two together, of which one alone may be hidden by the other ----
knob {
    name = "limit of a class's buffer, and lifetime",
    keys = both(each_class("octets"), each_class("lifetime")),
    base = both("245 kB", "45 s"), high = both("400 kB", "63 s"),
    from = "What the longer of them lets wait the other one drops. High: both as above.",
}
knob {
    name = "Bmax of a cell and of an MS", keys = { "flow.bmax_time", "flow.ms_bmax_time" },
    base = { "500 ms", "1 s" }, high = { "10 s", "10 s" },
    from = "The smaller bucket hides the other. High: OsmoPCU's.",
}
knob {
    name = "Bmax of a cell, and priority at the BSS", keys = { "flow.bmax_time", "buffer.priority", "radio.order" },
    base = { "500 ms", "priority", "rank" }, high = { "10 s", "none", "turns" },
    from = "An order matters where something waits. High: OsmoPCU's bucket, and no order.",
}
knob {
    name = "w_q and gentle RED", keys = { "class[*].aqm.weight", "class[*].aqm.gentle" },
    base = { "1951 ppm", "false" }, low = { "1000 ppm", "true" }, high = { "4200 ppm", "true" },
    variants = { "red", "ecn" }, from = "A slow average seldom is beyond max. Low and high: as above, and gentle.",
}
knob {
    name = "MSS and window", keys = { "tcp.mss", "tcp.receive_window" },
    base = { "1000 octets", "20000 octets" }, low = { "536 octets", "8760 octets" },
    high = { "1460 octets", "65535 octets" },
    from = "Segments in a window are both. Low: RFC 1122's MSS, Windows 95. High: Ethernet, no window scale.",
}
knob {
    name = "initial window and Limited Transmit", keys = { "tcp.initial_window", "tcp.limited_transmit" },
    base = { 2, "true" }, low = { 1, "false" }, high = { 4, "true" },
    from = "Both make duplicate ACKs out of small windows. Low: ns-2 before 2001. High: RFC 3390.",
}
knob {
    name = "all three time-outs", keys = { "tcp.rto_min", "tcp.rto_initial", "tcp.rto_max" },
    base = { "200 ms", "6 s", "1000 s" }, high = { "1 s", "3 s", "60 s" },
    from = "The first is longer than the least wherever it acts. High: RFC 2988.",
}
knob {
    name = "segments for an ACK, and least time-out", keys = { "tcp.ack_every", "tcp.rto_min" },
    base = { 2, "200 ms" }, low = { 1, "1 s" },
    from = "A delayed ACK of 100 ms stretches short round trips. Low: ns-2's plain sink, and RFC 2988.",
}
