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
runs { variants = { "none", "red", "ecn" } }

conclusion "no AQM: p95 of the delay, THP2"
conclusion "no AQM: p95 of the delay, THP3"
conclusion "no AQM: p95 of the delay, background"
conclusion "RED: p95 of the delay, THP2"
conclusion "ECN: p95 of the delay, THP2"
conclusion "RED: no AQM's delay divided by, THP2"
conclusion "ECN: no AQM's delay divided by, THP2"
conclusion "RED: gain of goodput, THP2"
conclusion "ECN: gain of goodput, THP2"

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
    name = "RED's w_q", keys = "class[*].aqm.weight", base = "2000 ppm", low = "1000 ppm", high = "4200 ppm",
    variants = { "red", "ecn" }, from = "ns-2's 0.002. Low and high: the bounds of Floyd and Jacobson, 1993.",
}
knob {
    name = "gentle RED", keys = "class[*].aqm.gentle", base = "false", high = "true", variants = { "red", "ecn" },
    from = "A fit. High: Floyd's proposal of 2000.",
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
    name = "initial window", keys = "tcp.initial_window", base = 1, high = 4,
    from = "ns-2's; 2 later. High: RFC 3390 with an MSS of 1000.",
}
knob {
    name = "least time-out", keys = "tcp.rto_min", base = "200 ms", high = "1 s",
    from = "ns-2 from October 2004. High: before, and RFC 2988.",
}
knob {
    name = "segments for an ACK", keys = "tcp.ack_every", base = 2, low = 1,
    from = "RFC 1122. Low: ns-2's plain sink, which delays none.",
}
knob {
    name = "tick of the timers", keys = "tcp.tick", base = "100 ms", low = "10 ms",
    from = "ns-2's. Low: ns-2 later.",
}
knob {
    name = "latency of the hosts", keys = "gi.latency", base = "20 ms", high = "100 ms",
    from = "A fit. High: a server on another continent.",
}
