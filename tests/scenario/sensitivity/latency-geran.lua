-- Knobs of config/scenarios/latency-geran.lua. What the paper prints (rates, blocks, windows, the page) is no knob.
runs {
    variants = "gev",
    points = {
        "rlc_rtt=50ms,server_to_bts=10ms", "rlc_rtt=300ms,server_to_bts=10ms",
        "rlc_rtt=50ms,server_to_bts=200ms", "rlc_rtt=300ms,server_to_bts=200ms",
    },
}
runs { variants = "edge", points = "rlc_rtt=50ms,server_to_bts=10ms" }
runs { variants = "ideal", points = "rlc_rtt=300ms,server_to_bts=10ms" }
runs { variants = "recommended", points = { "rlc_rtt=50ms,server_to_bts=10ms", "rlc_rtt=300ms,server_to_bts=10ms" } }

conclusion "EDGE: FTP, RLC RTT 50 ms, latency 10 ms"
conclusion "GEV: FTP, RLC RTT 50 ms, latency 10 ms"
conclusion "GEV: FTP rate, RLC RTT 50 to 300 ms, latency 10 ms"
conclusion "GEV: FTP rate, RLC RTT 50 to 300 ms, latency 200 ms"
conclusion "page, RLC RTT 50 ms, latency 10 ms"
conclusion "page, RLC RTT 300 ms, latency 200 ms"
conclusion "page, latency 200 to 10 ms, RLC RTT 50 ms"
conclusion "page, RLC RTT 300 to 50 ms, latency 10 ms"
conclusion "GEV: 64-octet ping, RLC RTT 50 ms, latency 10 ms, mean"
conclusion "recommended: ping beside a download over an idle ping, RLC RTT 50 ms"
conclusion "recommended: ping beside a download over the ideal, RLC RTT 300 ms"

-- ---- Radio ----
knob {
    name = "BLER", keys = { "radio.down_bler", "radio.up_bler" }, base = "9 %", low = "1 %", high = "10 %",
    from = "The paper's text. High: its Table 1. Low: its 1 %, which \"will essentially remove the impact of RLC RTT\".",
}
knob {
    name = "the MS needs for an answer", keys = "radio.up_reaction", base = "0 s", high = "40 ms",
    from = "A fit. High: two block periods.",
}
knob {
    name = "headers on the radio", keys = "radio.free_headers", base = "10 octets", low = "0 octets",
    from = "In the paper there is no LLC. Low: LLC and SNDCP take their 10 octets of blocks.",
}
knob {
    name = "N201-U", keys = "ms.n201_u", base = "1520 octets", low = "500 octets",
    from = "In the paper there is no LLC. Low: the default of 44.064.",
}
knob {
    name = "R told", keys = "flow.rate", base = "392 kbit/s", low = "372 kbit/s", high = "413 kbit/s",
    variants = { "recommended" }, from = "Ours, 5 % below what the radio carries. Low: 10 %. High: 0 %.",
}
knob {
    name = "what recommended leaves in the BSS", keys = { "gb.cell_delay", "gb.ms_delay", "gb.pfc_delay" },
    base = { "20 ms", "60 ms", "60 ms" }, high = "as offered", variants = { "recommended" },
    from = "Ours: a block period, and three for an MS. High: a plain SGSN, which fills what the BSS offers.",
}
-- ---- TCP ----
knob {
    name = "segments for an ACK", keys = "tcp.ack_every", base = 3, low = 1, high = 8,
    from = "A fit; the paper gives only the delay, 100 ms. RFC 1122 has 2; low: none delayed; high: nearly all delayed.",
}
knob {
    name = "tick of the timers", keys = "tcp.tick", base = "500 ms", low = "10 ms",
    from = "A fit: BSD's slow timer. Low: Linux's.",
}
knob {
    name = "first time-out", keys = "tcp.rto_initial", base = "3 s", low = "1 s",
    from = "RFC 2988. Low: RFC 6298.",
}
knob {
    name = "limited transmit", keys = "tcp.limited_transmit", base = "false", high = "true",
    from = "RFC 3042, which NewReno of the time has not.",
}
knob {
    name = "idle connections start slowly", keys = "tcp.idle_restart", base = "false", high = "true",
    from = "RFC 2581 4.1 wants it; ns-2 has it off.",
}
-- ---- HTTP and ping ----
knob {
    name = "request", keys = "http.request", base = "500 octets", low = "100 octets", high = "1000 octets", variants = "gev",
    from = "A fit. Low: a GET alone. High: with cookies.",
}
knob {
    name = "header of an answer", keys = "http.header", base = "1200 octets", low = "200 octets", variants = "gev",
    from = "A fit. Low: a usual header of HTTP 1.0.",
}
knob {
    name = "connections", keys = "http.reuse", base = "object", high = "all", variants = "gev",
    from = "A fit: one for each object, as HTTP 1.0. High: one for all, as HTTP 1.1.",
}
knob {
    name = "round trips for an object", keys = "http.round_trips", base = 1, high = 2, variants = "gev",
    from = "The paper does not say. High: a redirection before each object.",
}
knob {
    name = "who pings", keys = "ping.way", base = "down", high = "up",
    from = "A fit: the server. The paper leaves it open.",
}
