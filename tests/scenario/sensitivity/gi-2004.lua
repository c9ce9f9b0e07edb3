-- Knobs of config/scenarios/gi-2004.lua: what makes the gains of Table III, which are fits with no value in the paper.
-- Each is taken away, one at a time, and then some in pairs. Ends, time slots and sizes are no knobs: they are the paper's, or make Table I.
local GPRS = { "gprs" }
runs { variants = { "gprs", "dial-up" } }

conclusion "gain of a high MSS over a low one"
conclusion "gain of SACK"
conclusion "gain of timestamps"
conclusion "gain of a medium window over the others"
conclusion "goodput, Overall"
conclusion "access side loss, gprs"
conclusion "gain of the best settings over all flows"
conclusion "flows: more lost in GPRS"
conclusion "set-up delay, all that were set up, gprs"
conclusion "set-up delay, all that were set up, gprs over dial-up"
conclusion "peak of the set-up delays, gprs"

local SMALL = { "tcp[user-4-1].receive_window", "tcp[user-4-2].receive_window", "tcp[user-4-3].receive_window" }
local SLOW = {
    "tcp[server-1-slow].dupthresh", "tcp[server-2-slow].dupthresh", "tcp[server-3-slow].dupthresh",
    "tcp[server-1-slow].initial_window", "tcp[server-2-slow].initial_window", "tcp[server-3-slow].initial_window",
    "tcp[server-1-slow].tick", "tcp[server-2-slow].tick", "tcp[server-3-slow].tick",
}
knob {
    name = "slow servers", keys = SLOW,
    base = { "127", "127", "127", "1", "1", "1", "500 ms", "500 ms", "500 ms" },
    low = { "3", "3", "3", "2", "2", "2", "100 ms", "100 ms", "100 ms" },
    variants = GPRS,
    from = "A fit. Low: all servers without SACK have NewReno.",
}
knob {
    name = "low windows of three segments",
    keys = SMALL,
    base = "4380 octets", high = "8192 octets",
    variants = GPRS,
    from = "A fit. High: all low windows are those of Windows 9x.",
}
knob {
    name = "an MS's queue in the SGSN", keys = "queue.ms_octets", base = "22 kB", high = "64 kB",
    variants = GPRS,
    from = "A fit. High: a window of 64 kB fits, so nothing overflows.",
}
knob {
    name = "losses one by one", keys = "nse[1].line.loss", base = "0.87 %", low = "0 %",
    variants = GPRS,
    from = "A fit. Low: losses in bursts alone, by cell changes and full queues.",
}
knob {
    name = "what a cell change loses", keys = "nse[1].bss.flush", base = "delete", high = "transfer",
    variants = GPRS,
    from = "48.018 8.1 leaves it to the BSS. High: the new cell gets what the old one had.",
}
knob {
    name = "from the SGSN to the PCU", keys = "nse[1].line.latency", base = "170 ms", low = "50 ms",
    variants = GPRS,
    from = "A fit. Low: about 2.5 kB in a round trip, where the paper has 4 to 5.",
}
knob {
    name = "set-up of a downlink TBF", keys = "nse[1].bvc.radio.down_setup", base = "150 ms", low = "80 ms", high = "640 ms",
    variants = GPRS,
    from = "A fit. Low: an MS that listens to all blocks of the CCCH. High: one that listens to its paging group.",
}
local PAGES = {}
for i = 1, 15 do
    PAGES[i] = ("http[%d].connections"):format(i)
end
knob {
    name = "objects at a time of dial-up", keys = PAGES, base = 4, low = 2, variants = { "dial-up" },
    from = "A fit. Low: two, as RFC 2616 8.1.4 has for a client that keeps its connections.",
}

-- ---- Two at a time: where one alone is hidden by the other ----
local ENDS = {}
for i = 1, #SLOW do
    ENDS[i] = SLOW[i]
end
for i = 1, #SMALL do
    ENDS[#SLOW + i] = SMALL[i]
end
knob {
    name = "slow servers, and low windows of three segments", keys = ENDS,
    base = { "127", "127", "127", "1", "1", "1", "500 ms", "500 ms", "500 ms", "4380 octets", "4380 octets", "4380 octets" },
    low = { "3", "3", "3", "2", "2", "2", "100 ms", "100 ms", "100 ms", "8192 octets", "8192 octets", "8192 octets" },
    variants = GPRS,
    from = "Each spares fast retransmits. Low: neither is there.",
}
knob {
    name = "losses one by one, and by cell changes", keys = { "nse[1].line.loss", "nse[1].bss.flush" },
    base = { "0.87 %", "delete" }, low = { "0 %", "transfer" },
    variants = GPRS,
    from = "What is left is lost where the SGSN's queue is full.",
}
knob {
    name = "from the SGSN to the PCU, and set-up of a downlink TBF",
    keys = { "nse[1].line.latency", "nse[1].bvc.radio.down_setup" },
    base = { "170 ms", "150 ms" }, low = { "50 ms", "390 ms" },
    variants = GPRS,
    from = "The same set-up delay when nothing is under way, with less of it in each round trip.",
}
