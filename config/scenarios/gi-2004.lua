-- "A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS" (Benko, Malicsko, Veres;
-- INFOCOM 2004): users of GPRS, and of a dial-up network beside it, as the monitor at Gn sees them.
--     sluice run config/scenarios/gi-2004.lua --variant all --seeds 6..10 --targets tests/scenario/gi-2004.lua
-- Behind each value stands where it comes from: paper (printed there), standard (3GPP or IETF), stack (what
-- systems of that time did), fit (chosen on seeds 1 to 5), or lab (of no matter here).
--
-- INPUTS, put in here: what the ends of a connection use (Table I, and of flows above 32 kB the numbers of samples
-- in Table III), time slots, sizes, silences, parallel connections, servers that do not answer, what the Internet and
-- the access lose (Table II), rates of the channel (Fig. 7, by a BLER for each number of slots), and the delay of a
-- set-up that waits for nothing (Fig. 4 and 5), the sum of what a line and a TBF take.
-- OUTCOMES, which TCP makes of them over the lab's radio and buffers: goodputs and gains (Table III, Fig. 9 to 17),
-- set-up delays of all and their tree (Fig. 3 and 5), which flows lose something and where (Fig. 8).
-- What the ends use is not tied to the time slots of an MS (tests/e2e/gi_2004.py), nor to what is lost of its packets.

local knob = {
    duration = "1200 s",            -- fit: thousands of flows in seconds; the paper has days to weeks
    -- ---- Radio ----
    down_setup = "150 ms",          -- fit: a TBF for an MS without any, for the peak "around one second" (Fig. 3)
    up_setup = "400 ms",            -- fit: nothing of it is seen at Gn
    down_beside = "100 ms",         -- fit: a TBF beside one of the other way
    up_beside = "160 ms",           -- fit
    down_release = "2 s",           -- fit: a delayed release
    gb_latency = "170 ms",          -- fit: SGSN to PCU; the paper has 4 to 5 kB under way in a round trip
    -- ---- Access: loss and buffers ----
    loss = "0.87 %",                -- fit: Table II; of LLC PDUs between the SGSN and the MS, each by itself,
    move_every_s = 1150,            -- fit: and in bursts, when an MS changes its cell: all that the old one holds
    bsc_time = "2 s",               -- fit: which is at most what the MS's radio sends in this time;
    sgsn_octets = "22 kB",          -- fit: and where more than this waits for an MS, at the end of the SGSN's queue
    slow_servers = 700000,          -- fit, in ppm: servers without SACK that have no fast retransmit either
    files_at_a_time = 2,            -- fit: of a user; set-ups wait behind own traffic ("nearly 2 s", Fig. 5)
    -- ---- Internet ----
    internet_loss = "0.21 %",       -- fit: Table II; the monitor sees less, for a packet that is lost with nothing
                                    -- behind it leaves no hole
    internet_latency = "95 ms",     -- fit
    internet_jitter = "30 ms",      -- fit
    -- ---- Dial-up, an access of its own ----
    dial_up_loss = "0.12 %",        -- fit: Table II has 0.16 %; what is sent again because it is late counts there, too
    dial_up_internet_loss = "0.46 %",       -- fit: Table II has 0.39 %
    dial_up_latency = "20 ms",      -- fit: Fig. 4, round trips of 100 to 300 ms
    dial_up_internet = "35 ms",     -- fit: "around 300 ms" for the best set-up delay
    dial_up_buffer = "100 kB",      -- fit: next to nothing is lost
    dial_up_at_a_time = 4,          -- fit: objects of a page; GPRS is set up in "almost the double" of the time (Fig. 5)
    dial_up_low = "75 s",           -- fit: silences between two pages of a server, by its largest segment (Table I)
    dial_up_high = "930 s",
    dial_up_other = "95 s",
}

run { name = "gi-2004", clock = "virtual", duration = knob.duration, seed = 1, workers = 1 }
log { level = "error" }

gn { device = "net_ring", address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb {
    device = "net_ring", address = "198.51.100.1", mac = "02:53:4c:00:00:02", port = 23000,
    mtu = "1600 octets", ready = "none",    -- lab: one LLC PDU is one packet of Gb
    cell_delay = "as offered", ms_delay = "as offered", pfc_delay = "as offered",   -- paper: a plain SGSN
}
queue {
    packets = 100000, octets = "20000 kB", cell_packets = 100000, cell_octets = "20000 kB",
    ms_packets = 1000, ms_octets = knob.sgsn_octets, overflow = "tail", hold = "300 s",
    flows = 16, flow_quantum = "300 octets",
}
local classes = { "background", "interactive-1", "interactive-2", "interactive-3", "streaming", "conversational" }
for i = 1, #classes do
    class {
        name = classes[i], weight = 5, packets = 100000, octets = "20000 kB", lifetime = "100 s",
        bss_lifetime_least = "20 s", flows = false, scope = "ms", aqm { name = "tail-drop" },
    }
end
local LAST = "1199999 ms"   -- of the run: when applications begin that a variant has not

-- ---- Who there is ----

-- What the ends of a connection use. The window is the user's, low, medium or high; the largest segment that of the
-- path, low, high or neither; SACK and timestamps need both ends.
-- stack: Windows 9x has 8 kB, Windows 2000 and XP 17520 octets, tuned systems and Unix 32 kB and more. fit: two of
-- three low windows on GPRS are three segments, as small devices have.
local windows = { 8192, 17520, 32768, 4380 }
local LOW, HIGH, SMALL = 1, 3, 4
-- stack: the default of RFC 1122; Ethernet's; and what tunnels leave of that, as one size.
local segments = { 536, 1460, 1024 }
local NONE, SACK, STAMPS = 1, 2, 3

-- Shares by use, in ppm, such that all flows together have Table I: fit. bulk, the flows of Table III, is paper: its
-- numbers of samples, of 124707: windows 42754, 44726, 37227; MSS 17901, 100654, others; SACK 59750, timestamps 17739.
-- Only these sums are printed; fit is how they go together: timestamps with SACK only, as in Fig. 14, SACK by window
-- (`options`, a row for each), and all of it the same for all segments.
local mixes = {
    bulk = {
        windows = { 342800, 358600, 298600 }, segments = { 143500, 807100, 49400 },
        options = { { 560000, 290000, 150000 }, { 380000, 450000, 170000 }, { 640000, 250000, 110000 } },
    },
    page = {
        windows = { 597000, 234000, 169000 }, segments = { 420000, 480000, 100000 },
        options = { { 430000, 471000, 99000 }, { 430000, 471000, 99000 }, { 430000, 471000, 99000 } },
    },
    chat = {
        windows = { 597000, 234000, 169000 }, segments = { 185000, 815000, 0 },
        options = { { 430000, 471000, 99000 }, { 430000, 471000, 99000 }, { 430000, 471000, 99000 } },
    },
}

-- Draws `count` users of a mix by systematic sampling: each combination has its share to within one user.
local function users_of(mix, count)
    local users, sum, taken = {}, 0, 0
    for s = 1, 3 do
        for w = 1, 3 do
            for o = 1, 3 do
                sum = sum + mix.segments[s] * mix.windows[w] * mix.options[w][o] // 1000000
                while taken < count and (2 * taken + 1) * 1000000 * 500000 < sum * count do
                    taken = taken + 1
                    users[taken] = { segment = s, window = w, option = o }
                end
            end
        end
    end
    return users
end

-- Random numbers of this file, below n: the same for each seed of the run, which draws all that varies in time.
local state = 2004
local function random(n)
    state = (state * 1103515245 + 12345) % 2147483648
    return state // 65536 % n
end

-- Time slots down, in ppm. paper: two or three are typical, few MSs have four; fit: their shares (Table III, overall).
local slot_shares = { 20000, 400000, 540000, 40000 }
-- Spread evenly over whatever order: multiples of the golden section.
local function slots_of(k)
    local at, sum = (k * 618034 + 309017) % 1000000, 0
    for slots = 1, 4 do
        sum = sum + slot_shares[slots]
        if at < sum then
            return slots
        end
    end
end

-- fit: how many users there are of each use (Fig. 8, Table I), and of how many one has downloads beside it, behind
-- which its set-ups wait.
local uses = { "bulk", "page", "chat" }
local counts = { bulk = 200, page = 40, chat = 420 }
local beside = { page = 1, chat = 4 }

-- ---- Dial-up ----

-- paper: rates around 33 kbit/s and from 40 to 50; fit: how many of each. The lab's radio without a coding scheme
-- is a modem here: a block each 20 ms, always open, nothing repeated.
local modems = { 84, 105, 114, 122 }    -- octets of a block
local MODEM_PERIODS = 50                -- a second
local function modem(octets, users)
    return radio {
        carriers = 16, slots = users, period = "20 ms", round_trip = "40 ms",
        down_coding = "rate", down_rate = octets * users * 8 * MODEM_PERIODS .. " bit/s",
        down_pdu = octets .. " octets", down_slots = 1,
        down_setup = "0 s", down_setup_beside = "0 s", down_release = "1000 s",
        up_coding = "rate", up_rate = 72 * users * 8 * MODEM_PERIODS .. " bit/s", up_pdu = "72 octets",
        up_slots = 1, up_setup = "0 s", up_setup_beside = "0 s", up_release = "1000 s",
        up_reaction = "0 s", up_buffer = "unlimited", up_discard = "never",
    }
end

-- Which ends its users have, for the right column of Table I: the class, which is of no other matter; window; options;
-- users by modem. Each uses servers of all three segments, at the same time.
local callers = {
    { "interactive-1", LOW, NONE, { 14, 9, 9, 8 } }, { "interactive-2", LOW, SACK, { 19, 12, 13, 11 } },
    { "interactive-3", LOW, STAMPS, { 1, 0, 1, 0 } }, { "streaming", 2, SACK, { 0, 1, 0, 0 } },
    { "conversational", 3, SACK, { 0, 0, 1, 1 } },
}
local silences = { knob.dial_up_low, knob.dial_up_high, knob.dial_up_other }    -- by `segments`

local function calls_of(m)
    local list, users = {}, 0
    for c = 1, #callers do
        local caller, count = callers[c], callers[c][4][m]
        users = users + count
        if count > 0 then
            list[#list + 1] = ms {
                imsi = "00101009000" .. 1000 * m + 100 * c, count = count, n201_u = "1520 octets",
                pdp { nsapi = 5, sapi = 11, class = caller[1], address = "10." .. 100 + m .. "." .. c .. ".1" },
            }
        end
    end
    return list, users
end

-- ---- The network ----

local CELLS = 4     -- lab: of each number of slots, so many that slots are never short
-- Where an MS goes from the cell in which it begins: to all in turns.
local function cells_from(slots, place)
    local cells = {}
    for c = 1, CELLS do
        cells[c] = "101-" .. 10 * slots + (place - 1 + c) % CELLS + 1
    end
    return cells
end

local blers = { "5 %", "9 %", "3 %", "3 %" }    -- fit: the peaks of Fig. 7, which are not as 2 to 3
local function radio_of(slots)
    return radio {
        carriers = 16, slots = 128,     -- paper: "a properly dimensioned network"
        period = "20 ms", round_trip = "120 ms",            -- standard
        down_coding = "CS-2", up_coding = "CS-2",           -- paper
        down_slots = slots, up_slots = 1,                   -- paper; standard
        down_bler = blers[slots], up_bler = "2 %",
        down_control = "0 %", up_control = "0 %",
        down_window = 64, up_window = 64,                   -- standard: 44.060 9.1.9
        down_setup = knob.down_setup, down_setup_beside = knob.down_beside, down_release = knob.down_release,
        up_setup = knob.up_setup, up_setup_beside = knob.up_beside, up_release = "20 ms",
        up_reaction = "0 s", up_buffer = "unlimited", up_discard = "never",
    }
end
local rates = { "12 kbit/s", "24 kbit/s", "36 kbit/s", "48 kbit/s" }
local function cell(slots, c, mss)
    local block = {
        bvci = 10 * slots + c,
        radio_of(slots),
        flow {
            rate = "1536 kbit/s", bmax_time = "10 s", ms_rate = rates[slots], ms_bmax_time = knob.bsc_time,
            bmax = "by time", ms_bmax = "by time",
            interval = "1 s", repeats = true, measured = false, measurement = true, ms = "none",
        },
        buffer {
            ms_pdus = "unlimited", ms_octets = "unlimited", cell_pdus = "unlimited", cell_octets = "unlimited",
            priority = "none",
        },
        codel { target = "off" },
    }
    if mss > 0 then
        block[#block + 1] = ms {
            imsi = "00101000000" .. slots * 1000 + c * 200, count = mss, n201_u = "1520 octets",
            pdp { nsapi = 5, sapi = 11, class = "background", address = "10." .. slots .. "." .. c .. ".1" },
        }
    end
    return bvc(block)
end

local function modem_cell(m)
    local block, users = calls_of(m)
    block.bvci = 100 + m
    block[#block + 1] = modem(modems[m], users)
    block[#block + 1] = flow {
        rate = "10000 kbit/s", bmax_time = "10 s", ms_rate = modems[m] * 8 * MODEM_PERIODS .. " bit/s",
        ms_bmax_time = "2 s", bmax = "by time", ms_bmax = "by time", interval = "1 s", repeats = true,
        measured = false, measurement = true, ms = "none",
    }
    block[#block + 1] = buffer {
        ms_pdus = "unlimited", ms_octets = "unlimited", cell_pdus = "unlimited", cell_octets = "unlimited",
        priority = "none",
    }
    block[#block + 1] = codel { target = "off" }
    return bvc(block)
end

local simulated = {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", step = "none", passive = true,
    gi {
        rate = "unlimited", latency = knob.internet_latency, jitter = knob.internet_jitter,
        loss = knob.internet_loss,
    },
    mobile { n201_u = "1520 octets", answers_xid = true, protects_all = true },
}
local function add(block)
    simulated[#simulated + 1] = block
end

-- ---- Stacks ----
-- Of the years before 2004: no Limited Transmit, no F-RTO, two segments to begin with, time-outs of a second at
-- least (RFC 2988), 3 s for a SYN, delayed ACKs for every other segment. With SACK the recovery is that of RFC 3517.
-- Slow ones, of the years before: a single segment to begin with, timers of 500 ms, no fast retransmit.
local function stack(name, octets, window, option, slow)
    add(tcp {
        name = name, base = "newreno-ns2", mss = octets .. " octets", receive_window = window .. " octets",
        sack = option ~= NONE, timestamps = option == STAMPS, dsack = false,
        recovery = option == NONE and "newreno" or "sack",
        initial_window = slow and 1 or 2, tick = slow and "500 ms" or "100 ms", dupthresh = slow and 127 or 3,
        initial_ssthresh = "unlimited", cwnd_most = "unlimited", send_buffer = "unlimited", window_scale = "none",
        rto_min = "1 s", rto_initial = "3 s", rto_max = "60 s",
        rto_min_limits = "time-out", sample_each_ack = option == STAMPS,
        syn_retries = 3, retries = 12, time_wait = "1 s",
        ack_every = 2, ack_delay = "200 ms", ack_delay_least = "always the longest", quick_acks = "none",
        ecn = false, congestion = "newreno", hystart = false, count_octets = "by ACKs", reduction = "at-once",
        limited_transmit = false, tail_probe = false, impatient = false, burst = "unlimited",
        spurious = "none", idle_restart = true, nagle = false,
    })
end
for option = NONE, STAMPS do
    for w = 1, #windows do
        stack("user-" .. w .. "-" .. option, 1460, windows[w], option)
    end
    for s = 1, #segments do
        stack("server-" .. s .. "-" .. option, segments[s], 65535, option)
    end
end
for s = 1, #segments do
    stack("server-" .. s .. "-slow", segments[s], 65535, NONE, true)
end

-- ---- Uses ----

local function server_of(user, i)
    local slow = user.option == NONE and i * 618034 % 1000000 < knob.slow_servers
    return "server-" .. user.segment .. "-" .. (slow and "slow" or user.option)
end

-- The i-th of a use. Its window is not of the i that decides whether its server is slow.
local function stack_of(user, i)
    local small = user.window == LOW and i % 3 > 0
    return "user-" .. (small and SMALL or user.window) .. "-" .. user.option
end

-- Sizes, silences, connections, servers that do not answer: fit.
local use = {}
-- One file at a time, above 32 kB, then a silence: the flows of Table III.
function use.bulk(imsi, user)
    return http {
        class = "background", imsi = imsi, spread = "60 s",
        host_tcp = user.server, ms_tcp = user.stack,
        connections = 1, reuse = "page", request = "350 octets", header = "250 octets",
        main_law = "lognormal", main = "60 kB", main_deviation = "45 kB", main_least = "33 kB", main_most = "600 kB",
        embedded = 0, think_law = "exponential", think = "75 s",
        silent = "2 %", refused = "1 %", patience = "20 s",
    }
end
-- Files beside another use, each over a connection of its own: what is set up meanwhile waits behind them. They are
-- never alone, so not in Table III. With a high window it is one at a time: more do not fit into the SGSN's queue.
function use.files(imsi, user)
    return http {
        class = "background", imsi = imsi, spread = "60 s",
        host_tcp = user.server, ms_tcp = user.stack,
        connections = user.window == HIGH and 1 or knob.files_at_a_time, reuse = "object",
        request = "350 octets", header = "250 octets", main = "none", embedded = 10,
        embedded_size_law = "lognormal", embedded_size = "70 kB", embedded_size_deviation = "40 kB",
        embedded_size_least = "33 kB", embedded_size_most = "600 kB",
        think_law = "exponential", think = "6 s",
        silent = "2 %", refused = "1 %", patience = "20 s",
    }
end
-- Pages of some large objects over four connections at a time, one for each object, as in HTTP 1.0.
function use.page(imsi, user)
    return http {
        class = "background", imsi = imsi, spread = "60 s",
        host_tcp = user.server, ms_tcp = user.stack,
        connections = 4, reuse = "object", request = "350 octets", header = "250 octets",
        main = "6 kB", embedded = 8,
        embedded_size_law = "lognormal", embedded_size = "25 kB", embedded_size_deviation = "20 kB",
        think_law = "exponential", think = "60 s",
        silent = "4 %", refused = "2 %", patience = "20 s",
    }
end
-- Many short answers over one connection: mail, messages, small images. None fills a segment of Ethernet's size.
function use.chat(imsi, user)
    return http {
        class = "background", imsi = imsi, spread = "60 s",
        host_tcp = user.server, ms_tcp = user.stack,
        connections = 1, reuse = "page", request = "150 octets", header = "150 octets",
        main = "none", embedded_law = "uniform", embedded = 80, embedded_least = 50, embedded_most = 110,
        embedded_size_law = "uniform", embedded_size = "500 octets", embedded_size_least = "50 octets",
        embedded_size_most = "950 octets",
        think_law = "exponential", think = "20 s",
        silent = "6 %", refused = "3 %", patience = "20 s",
    }
end

-- Those of the dial-up network are the first blocks of their kind, for the variants name them by number.
for c = 1, #callers do
    for s = 1, 3 do
        add(http {
            class = callers[c][1], start = LAST, spread = "0 s",
            host_tcp = "server-" .. s .. "-" .. callers[c][3],
            ms_tcp = "user-" .. callers[c][2] .. "-" .. callers[c][3],
            connections = knob.dial_up_at_a_time, reuse = "object",
            request = "350 octets", header = "250 octets", main = "6 kB", embedded = 10,
            embedded_size_law = "lognormal", embedded_size = "6 kB", embedded_size_deviation = "6 kB",
            think_law = "exponential", think = silences[s],
            silent = "4 %", refused = "2 %", patience = "20 s",
        })
    end
end
-- MSs so far by their slots, and in all.
local here = { 0, 0, 0, 0 }
local k = 0
for u = 1, #uses do
    local name = uses[u]
    local users = users_of(mixes[name], counts[name])
    for i = 1, #users do
        k = k + 1
        local slots = slots_of(k)
        here[slots] = here[slots] + 1
        local place = here[slots] - 1
        local imsi = "00101000000" .. slots * 1000 + (place % CELLS + 1) * 200 + place // CELLS
        users[i].server = server_of(users[i], i)
        users[i].stack = stack_of(users[i], i)
        add(use[name](imsi, users[i]))
        if beside[name] and i % beside[name] == 0 then
            local at = i * 618034 % 1000000
            users[i].segment = at < 300000 and 1 or at < 320000 and 2 or 3  -- fit: Table I
            users[i].server = server_of(users[i], i)
            add(use.files(imsi, users[i]))
        end
        add(move {
            imsi = imsi, cells = cells_from(slots, here[slots]),
            at = random(knob.move_every_s) .. " s", every = knob.move_every_s .. " s",
        })
    end
end

local network = {
    nsei = 101, ns = "reset", flow_control = "wait",
    nsvc { nsvci = 101, peer = "198.51.100.2", peer_port = 23000, peer_mac = "02:53:4c:00:01:01" },
    line { rate = "unlimited", latency = knob.gb_latency, jitter = "0 s", loss = knob.loss },
    bss { tell_discards = true, gather = "at once", tell_radio_losses = false, flush = "delete" },
}
for slots = 1, 4 do
    for c = 1, CELLS do
        network[#network + 1] = cell(slots, c, (here[slots] + CELLS - c) // CELLS)
    end
end
nse(network)
local wires = {
    nsei = 102, ns = "reset", flow_control = "wait",
    nsvc { nsvci = 102, peer = "198.51.100.3", peer_port = 23000, peer_mac = "02:53:4c:00:01:02" },
    line { rate = "unlimited", latency = knob.dial_up_latency, jitter = "0 s", loss = knob.dial_up_loss },
    bss { tell_discards = true, gather = "at once", tell_radio_losses = false, flush = "delete" },
}
for m = 1, #modems do
    wires[#wires + 1] = modem_cell(m)
end
nse(wires)
lab(simulated)

-- ---- The variants ----
-- In each the users of the other network begin in the run's last millisecond.
local dial_up = {
    "http.start=" .. LAST, "http.spread=0 s", "gi.loss=" .. knob.dial_up_internet_loss,
    "gi.latency=" .. knob.dial_up_internet, "queue.ms_octets=" .. knob.dial_up_buffer,
}
for i = 1, 3 * #callers do
    dial_up[#dial_up + 1] = "http[" .. i .. "].start=0 s"
    dial_up[#dial_up + 1] = "http[" .. i .. "].spread=30 s"
end
variants {
    default = "gprs",
    variant { name = "gprs" },
    variant { name = "dial-up", set = dial_up },
}
