-- Knobs of config/scenarios/gi-2004.lua: what makes the gains of Table III, which are fits with no value in the paper.
-- Each is taken away, one at a time. Ends, time slots and sizes are no knobs: they are the paper's, or make Table I.
runs { variants = "gprs" }

conclusion "gain of a high MSS over a low one"
conclusion "gain of SACK"
conclusion "gain of timestamps"
conclusion "gain of a medium window over the others"
conclusion "goodput, Overall"
conclusion "access side loss, gprs"
conclusion "flows: more lost in GPRS"
conclusion "set-up delay, all that were set up, gprs"

local SLOW = {
    "tcp[server-1-slow].dupthresh", "tcp[server-2-slow].dupthresh", "tcp[server-3-slow].dupthresh",
    "tcp[server-1-slow].initial_window", "tcp[server-2-slow].initial_window", "tcp[server-3-slow].initial_window",
    "tcp[server-1-slow].tick", "tcp[server-2-slow].tick", "tcp[server-3-slow].tick",
}
knob {
    name = "slow servers", keys = SLOW,
    base = { "127", "127", "127", "1", "1", "1", "500 ms", "500 ms", "500 ms" },
    low = { "3", "3", "3", "2", "2", "2", "100 ms", "100 ms", "100 ms" },
    from = "A fit. Low: all servers without SACK have NewReno.",
}
knob {
    name = "low windows of three segments",
    keys = { "tcp[user-4-1].receive_window", "tcp[user-4-2].receive_window", "tcp[user-4-3].receive_window" },
    base = "4380 octets", high = "8192 octets",
    from = "A fit. High: all low windows are those of Windows 9x.",
}
knob {
    name = "an MS's queue in the SGSN", keys = "queue.ms_octets", base = "19 kB", high = "64 kB",
    from = "A fit. High: a window of 64 kB fits, so nothing overflows.",
}
knob {
    name = "losses one by one", keys = "nse[1].line.loss", base = "0.83 %", low = "0 %",
    from = "A fit. Low: losses in bursts alone, by cell changes and full queues.",
}
knob {
    name = "what a cell change loses", keys = "nse[1].bss.flush", base = "delete", high = "transfer",
    from = "48.018 8.1 leaves it to the BSS. High: the new cell gets what the old one had.",
}
knob {
    name = "from the SGSN to the PCU", keys = "nse[1].line.latency", base = "170 ms", low = "50 ms",
    from = "A fit. Low: about 2.5 kB in a round trip, where the paper has 4 to 5.",
}
