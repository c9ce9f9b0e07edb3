-- Targets of config/scenarios/gi-2004.lua: "A Large-scale, Passive Analysis of End-to-End TCP Performance over GPRS"
-- (Benko, Malicsko, Veres; INFOCOM 2004). Ours is what `sluice gi` measures on the run's Gn, by the paper's methods.
local GPRS, DIAL_UP = "gprs", "dial-up"

-- A figure of a row of one of sluice gi's tables.
local function table_value(run, variant, sheet, row, figure)
    return run(variant).row("gi_tables", { table = sheet, row = row, figure = figure }).value
end
local function percent(variant, sheet, row, figure)
    return function(run) return 100 * table_value(run, variant, sheet, row, figure or "share") end
end
local function setup_s(variant, sheet, row)
    return function(run) return table_value(run, variant, sheet, row, "mean_setup_s") end
end
local function goodput(run, row)
    return table_value(run, GPRS, "clusters", row, "mean_goodput_bit_per_s")
end

-- ---- Table I: inputs of the scenario, of connections that were set up ----
local TABLE_I = {
    { "SACK", "SACK enabled", 55.49, 59.48 }, { "timestamps", "TCP timestamp", 9.48, 2.45 },
    { "MSS low, 400 to 600", "MSS low", 25.12, 49.29 }, { "MSS high, 1400 to 1600", "MSS high", 22.52, 7.96 },
    { "window low, below 10 kB", "Wnd low", 55.90, 96.74 }, { "window medium", "Wnd med", 25.54, 1.01 },
    { "window high, above 20 kB", "Wnd high", 18.56, 2.25 },
}
for column, variant in ipairs { GPRS, DIAL_UP } do
    for _, row in ipairs(TABLE_I) do
        target {
            figure = "Table I", what = row[2] .. ", " .. variant, unit = "%", published = row[2 + column], within = 1,
            kind = "input",
            ours = percent(variant, "options", row[1]),
        }
    end
end

-- ---- Table II: inputs, as the monitor sees them ----
for _, row in ipairs {
    { GPRS, "loss_internet", "Internet side", 0.15 }, { GPRS, "loss_gprs", "access side", 1.22 },
    { DIAL_UP, "loss_internet", "Internet side", 0.39 }, { DIAL_UP, "loss_gprs", "access side", 0.16 },
} do
    target {
        figure = "Table II", what = row[3] .. " loss, " .. row[1], unit = "%", published = row[4], within = 0.1,
        kind = "input",
        ours = percent(row[1], row[2], "all", "ratio"),
    }
end

-- What the lab knows of the same: packets of all kinds on the way down.
local function lost_percent(run, variant, behind_gn)
    local sent = sum(run(variant).rows("classes", { direction = "down" }), "sent_packets")
    local lost = sum(run(variant).rows("drops", { by = "class", direction = "down" }), "packets")
    local at_gn = run(variant).value("lines.gn_sent_frames")
    local before_gn = sent - at_gn
    return behind_gn and 100 * (lost - before_gn) / at_gn or 100 * before_gn / sent
end
for _, variant in ipairs { GPRS, DIAL_UP } do
    for _, side in ipairs { "Internet", "access" } do
        target {
            figure = "told", what = "Table II: " .. side .. " side loss as it was, " .. variant, unit = "%",
            ours = function(run) return lost_percent(run, variant, side == "access") end,
            note = side == "access" and "The monitor sees more: of what is sent again because it is late it takes some "
                .. "for lost. Of the Internet's it sees less: a packet lost with nothing behind it leaves no hole." or nil,
        }
    end
end

-- ---- Outcomes ----
local FIG_8 = {
    { "no loss", "no loss", 47 }, { "GPRS", "more lost in GPRS", 48 }, { "Internet", "more lost in the Internet", 5 },
}
for _, row in ipairs(FIG_8) do
    target {
        figure = "Fig. 8", what = "flows: " .. row[2], unit = "%", published = row[3], within = 5,
        ours = percent(GPRS, "bottlenecks", row[1]),
    }
end
target {
    figure = "told", what = "Fig. 8: flows with as much lost on both sides", unit = "%",
    ours = percent(GPRS, "bottlenecks", "equal"),
}

local TABLE_III = {
    { "MSS low", "MSS Low", 20048.52 }, { "MSS high", "MSS High", 24936.86 }, { "SACK", "SACK", 25425.25 },
    { "no SACK", "No SACK", 23136.50 }, { "timestamps", "Timestamp", 25342.24 },
    { "no timestamps", "No timestamp", 24049.16 }, { "window low", "Wnd Low", 22542.80 },
    { "window medium", "Wnd Med", 25723.40 }, { "window high", "Wnd High", 24383.82 }, { "all", "Overall", 24233.09 },
}
-- The level once. Any constant near it is within a tenth of nearly all rows: what tells them apart are the gains below.
for i, row in ipairs(TABLE_III) do
    target {
        figure = i == #TABLE_III and "Table III" or "told",
        what = (i == #TABLE_III and "" or "Table III: ") .. "goodput, " .. row[2], unit = "bit/s", published = row[3],
        within = i == #TABLE_III and "10 %" or nil,
        ours = function(run) return goodput(run, row[1]) end,
    }
end

-- By how much one cluster is faster than another.
local function gain(row, other)
    return function(run) return 100 * (goodput(run, row) / goodput(run, other) - 1) end
end
local function medium_over_others(run)
    local octets, flows = 0, 0
    for _, row in ipairs { "window low", "window high" } do
        local n = table_value(run, GPRS, "clusters", row, "flows")
        octets, flows = octets + n * goodput(run, row), flows + n
    end
    return 100 * (goodput(run, "window medium") / (octets / flows) - 1)
end
target {
    figure = "Fig. 14", what = "gain of a high MSS over a low one", unit = "%", published = "15 to 24.4",
    least = 15, most = 24.4, ours = gain("MSS high", "MSS low"),
    note = "From the text's 15 (\"15 to 20\") to what Table III has of all flows with such an MSS. sluice gi --paper has "
        .. "another figure, a weighted mean over clusters that differ in nothing else.",
}
target {
    figure = "Fig. 15", what = "gain of SACK", unit = "%", published = 10, within = 5, ours = gain("SACK", "no SACK"),
    note = "It hangs on a fit: 70 % of the servers without SACK have no fast retransmit either, begin with one segment "
        .. "and have timers of 500 ms. What goes with SACK makes most of the gain (tests/scenario/sensitivity).",
}
target {
    figure = "Fig. 16", what = "gain of timestamps", unit = "%", published = "2 to 5.4", least = 2, most = 5.4,
    ours = gain("timestamps", "no timestamps"),
    note = "From the text's 2 (\"2-3\") to what Table III has of all flows. They come with SACK only, and gain by what "
        .. "goes with that: see Fig. 15.",
}
target {
    figure = "Fig. 17", what = "gain of a medium window over the others", unit = "%", published = 10, within = 5,
    ours = medium_over_others,
}
for _, other in ipairs { "low", "high" } do
    target {
        figure = "told", what = "Fig. 17: gain of a medium window over a " .. other .. " one", unit = "%",
        published = other == "low" and 14.1 or 5.5, ours = gain("window medium", "window " .. other),
    }
end

-- ---- The clusters of Fig. 14 to 17 ----
local STAMPS = ", timestamps"
-- What two clusters differ in is %s in their name; each list has names of its own for these.
-- Fig. 14 has these six pairs.
local MSS_PAIRS = {
    "window low, SACK, MSS %s", "window low, SACK, MSS %s" .. STAMPS, "window low, no SACK, MSS %s",
    "window medium, SACK, MSS %s", "window medium, no SACK, MSS %s", "window high, no SACK, MSS %s",
}
local MSS_NAMES = {
    "window low, SACK", "window low, SACK, timestamps", "window low, no SACK", "window medium, SACK",
    "window medium, no SACK", "window high, no SACK",
}
-- Of Fig. 15 and 16: each window with each MSS.
local CATEGORIES, CATEGORY_NAMES = {}, {}
for _, window in ipairs { "low", "medium", "high" } do
    for _, mss in ipairs { "low", "high" } do
        table.insert(CATEGORIES, "window " .. window .. ", %s, MSS " .. mss)
        table.insert(CATEGORY_NAMES, "window " .. window .. ", MSS " .. mss)
    end
end
local PATTERNS = {}
for i = 1, #MSS_PAIRS do
    PATTERNS[MSS_NAMES[i]], PATTERNS[CATEGORY_NAMES[i]] = MSS_PAIRS[i], CATEGORIES[i]
end
local function gain_in(run, name, better, other)
    return gain(PATTERNS[name]:format(better), PATTERNS[name]:format(other))(run)
end
target {
    figure = "Fig. 14", what = "gain of a high MSS, the least of the clusters", unit = "%", published = "more than 0",
    least = 0, each = MSS_NAMES, ours = function(run, name) return gain_in(run, name, "high", "low") end,
    note = "Five of the six pairs gain, 9 to 30 %. In the sixth two users have a low MSS, both of three slots; the eight "
        .. "with a high one have 2.75 in the mean. Users have their slots in turns, whatever they use.",
}
target {
    figure = "Fig. 15", what = "gain of SACK, the least of the categories", unit = "%", published = "more than 0",
    least = 0, each = CATEGORY_NAMES, ours = function(run, name) return gain_in(run, name, "SACK", "no SACK") end,
}
-- In how many of the clusters one is slower than another.
local function count_slower(run, pairs_of_rows)
    local count = 0
    for _, pair in ipairs(pairs_of_rows) do
        count = count + (goodput(run, pair[1]) < goodput(run, pair[2]) and 1 or 0)
    end
    return count
end
target {
    figure = "Fig. 16", what = "clusters that are slower with timestamps", unit = "of 6", published = "contradicting",
    least = 1, most = 5,
    ours = function(run)
        local found = {}
        for i, category in ipairs(CATEGORIES) do
            local row = category:format("SACK")
            found[i] = { row .. STAMPS, row }
        end
        return count_slower(run, found)
    end,
}
target {
    figure = "Fig. 17", what = "categories in which a medium window is slower than another", unit = "of 12",
    published = "some", least = 1, most = 6,
    ours = function(run)
        local found = {}
        for _, rest in ipairs { "SACK, MSS %s", "no SACK, MSS %s", "SACK, MSS %s" .. STAMPS } do
            for _, mss in ipairs { "low", "high" } do
                for _, other in ipairs { "low", "high" } do
                    local row = rest:format(mss)
                    found[#found + 1] = { "window medium, " .. row, "window " .. other .. ", " .. row }
                end
            end
        end
        return count_slower(run, found)
    end,
}
target {
    figure = "VIII", what = "gain of the best settings over all flows", unit = "%", published = "more than 15",
    least = 15, ours = gain("window medium, SACK, MSS high" .. STAMPS, "all"),
    note = "The paper does not say which set, nor over what. Ours: medium window, SACK, high MSS, timestamps.",
}

-- ---- Fig. 7: where the rates of the channel have their peaks: an input, by the BLER of each number of slots ----
-- The flows of one of sluice gi's tables by their bins.
local function bins_of(run, variant, sheet, row)
    return run(variant).rows("gi_bins", { table = sheet, row = row or "all" })
end
-- How many flows are in bins from `least` on and below `most`.
local function count_in(rows, least, most)
    local count = 0
    for _, row in ipairs(rows) do
        count = count + (row.from >= least and row.from < most and row.flows or 0)
    end
    return count
end
-- Where the bin begins that has the most flows within these bounds.
local function peak(run, variant, sheet, least, most)
    local best
    for _, row in ipairs(bins_of(run, variant, sheet)) do
        if row.from >= least and row.from < most and not (best and row.flows <= best.flows) then
            best = row
        end
    end
    return best.from
end
for _, row in ipairs {
    { GPRS, "two time slots", 15, 28, 21, 22 }, { GPRS, "three time slots", 28, 40, 34, 35 },
} do
    target {
        figure = "Fig. 7", what = "peak of the channel's rate, " .. row[2], unit = "kbit/s",
        published = row[5] .. " to " .. row[6], least = row[5], most = row[6], kind = "input",
        ours = function(run) return peak(run, row[1], "rates", 1000 * row[3], 1000 * row[4]) / 1000 + 0.5 end,
    }
end
local function part_percent(run, variant, least, most)
    local rows = bins_of(run, variant, "rates")
    return 100 * count_in(rows, 1000 * least, 1000 * most) / count_in(rows, 0, math.huge)
end
target {
    figure = "told", what = "Fig. 7: flows in a channel above 40 kbit/s, with four slots", unit = "%",
    ours = function(run) return part_percent(run, GPRS, 40, 100) end,
}
target {
    figure = "told", what = "Fig. 7: flows in a channel below 13 kbit/s, a network short of slots", unit = "%",
    ours = function(run) return part_percent(run, GPRS, 0, 13) end,
}
for _, row in ipairs { { "around 33 kbit/s", 31, 36 }, { "from 40 to 50 kbit/s", 40, 50 } } do
    target {
        figure = "told", what = "Fig. 7: dial-up, flows in a channel " .. row[1], unit = "%",
        ours = function(run) return part_percent(run, DIAL_UP, row[2], row[3]) end,
    }
end

-- ---- Fig. 3 and 5: set-up ----
local QUIET = "optimal: no background"
target {
    figure = "Fig. 5", what = "best case of the set-up delay, gprs", unit = "s", published = "more than 1", least = 1,
    most = 1.6, kind = "input", ours = setup_s(GPRS, "tree", QUIET),
    note = "The upper bound is ours: Fig. 3 has its peak around one second, and what is nearly 2 s is the mean of all.",
}
target {
    figure = "Fig. 3", what = "peak of the set-up delays, gprs", unit = "s", published = "around 1", least = 0.8, most = 1.2,
    ours = function(run) return peak(run, GPRS, "setups", 0, 100) + 0.05 end,
}
local SETUPS = {
    "1 SYN, 1 SYN-ACK, no background", "1 SYN, 1 SYN-ACK, background", "1+ SYN or SYN-ACK, no background",
    "1+ SYN or SYN-ACK, background",
}
-- Of the set-ups with such a delay those that are in two of the four categories, in per cent.
local function setups_percent(run, least_s, most_s, one, other)
    local count = 0
    for _, i in ipairs { one, other } do
        count = count + count_in(bins_of(run, GPRS, "setups", SETUPS[i]), least_s, most_s)
    end
    return 100 * count / count_in(bins_of(run, GPRS, "setups"), least_s, most_s)
end
local TAIL_S = 2        -- twice the peak: ours, the text does not say where the tail begins
target {
    figure = "Fig. 3", what = "set-ups of 2 s and more: with background", unit = "%", published = "dominated", least = 50,
    ours = function(run) return setups_percent(run, TAIL_S, math.huge, 2, 4) end,
}
target {
    figure = "Fig. 3", what = "99 of 100 set-ups take less than, gprs", unit = "s", published = "5 to 10", least = 5, most = 10,
    ours = function(run)
        local rows, sum = bins_of(run, GPRS, "setups"), 0
        local most = 0.99 * table_value(run, GPRS, "setups", "all", "flows")
        for _, row in ipairs(rows) do
            sum = sum + row.flows
            if sum >= most then
                return row.from + 0.1
            end
        end
        return rows[#rows].from + 0.1
    end,
    note = "A quite long tail reaching delays as large as 5-10 seconds.",
}
target {
    figure = "told", what = "Fig. 3: set-ups without background, the slowest 5 % over the median", unit = "s/s",
    ours = function(run)
        return table_value(run, GPRS, "setups", SETUPS[1], "p95_setup_s")
            / table_value(run, GPRS, "setups", SETUPS[1], "p50_setup_s")
    end,
    note = "The paper calls these almost deterministic with a short tail.",
}
target {
    figure = "told", what = "Fig. 3: set-ups with 1+ SYN or SYN-ACK", unit = "%",
    ours = function(run) return setups_percent(run, 0, math.huge, 3, 4) end,
    note = "In the paper the probability is rather low.",
}
target {
    figure = "Fig. 5", what = "set-up delay, all that were set up, gprs", unit = "s", published = 2, within = "10 %",
    ours = setup_s(GPRS, "setups", "all"),
}
target {
    figure = "Fig. 5", what = "set-ups that are optimal and without background, gprs", unit = "%",
    published = "more than 20", least = 20, ours = percent(GPRS, "tree", QUIET),
}
target {
    figure = "Fig. 5", what = "best case of the set-up delay, dial-up", unit = "s", published = 0.3, within = "10 %",
    kind = "input", ours = setup_s(DIAL_UP, "tree", QUIET),
}
target {
    figure = "Fig. 5", what = "set-ups that are optimal and without background, dial-up", unit = "%", published = 7,
    within = 1, ours = percent(DIAL_UP, "tree", QUIET),
}
target {
    figure = "Fig. 5", what = "set-up delay, all that were set up, gprs over dial-up", unit = "s/s",
    published = "almost 2", least = 1.6, most = 2,
    ours = function(run) return setup_s(GPRS, "setups", "all")(run) / setup_s(DIAL_UP, "setups", "all")(run) end,
}
for _, variant in ipairs { GPRS, DIAL_UP } do
    for _, row in ipairs { "optimal", "slight problem", "no response", "serious problem" } do
        target {
            figure = "told", what = "Fig. 5: " .. row .. ", " .. variant, unit = "%", ours = percent(variant, "tree", row),
        }
    end
end

-- ---- Fig. 4: round trips on the side of the access, of quiet set-ups ----
local function trip_s(variant, figure)
    return function(run) return table_value(run, variant, "rtt_gprs", "all", figure .. "_rtt_gprs_setup_s") end
end
target {
    figure = "Fig. 4", what = "round trip of the access, the least 5 %, dial-up", unit = "s", published = "100 to 300 ms",
    least = 0.1, kind = "input", ours = trip_s(DIAL_UP, "p5"),
}
target {
    figure = "Fig. 4", what = "round trip of the access, all but 5 %, dial-up", unit = "s", published = "100 to 300 ms",
    most = 0.3, kind = "input", ours = trip_s(DIAL_UP, "p95"),
}
target {
    figure = "Fig. 4", what = "deviation of the round trip, gprs over dial-up", unit = "s/s", published = "more than 1",
    least = 1,
    ours = function(run) return trip_s(GPRS, "deviation")(run) / trip_s(DIAL_UP, "deviation")(run) end,
}

-- ---- Fig. 9 to 13: transfers of more than 100 kB ----
-- What is "around" a peak of Fig. 7: to 5 kbit/s below its upper end, for slow start and losses take from it. Ours.
local AROUND = { { 17000, 22000 }, { 30000, 35000 } }
target {
    figure = "Fig. 9", what = "throughput of single flows around the peaks of Fig. 7", unit = "%", published = "the bulk",
    least = 50,
    ours = function(run)
        local rows, inside = bins_of(run, GPRS, "single"), 0
        for _, one in ipairs(AROUND) do
            inside = inside + count_in(rows, one[1], one[2])
        end
        return 100 * inside / count_in(rows, 0, math.huge)
    end,
}
for _, loss in ipairs { "below 1", "1 to 2", "2 to 3" } do
    for _, figure in ipairs { "throughput", "goodput" } do
        target {
            figure = "told", what = ("Fig. 10: %s, loss %s %%"):format(figure, loss), unit = "bit/s",
            ours = function(run)
                return table_value(run, GPRS, "single", "loss " .. loss .. " %",
                    (figure == "goodput" and "b_" or "mean_") .. figure .. "_bit_per_s")
            end,
        }
    end
end
local CONSIDERABLE = 0.1        -- of the user's octets meanwhile: ours
target {
    figure = "Fig. 11", what = "flows with considerable traffic beside, 10 % and more", unit = "%", published = "most",
    least = 50,
    ours = function(run)
        local rows = bins_of(run, GPRS, "shares")
        return 100 * count_in(rows, 0, 1 - CONSIDERABLE - 1e-9) / count_in(rows, 0, math.huge)
    end,
}
-- Medians: the text is of distributions.
for _, pair in ipairs {
    { "1/3 to 2/3 background", "less than 1/3 background" },
    {
        "at least 2/3 background", "1/3 to 2/3 background",
        note = "90 flows of a seed have so much beside them. With a third to two thirds the median is 33.4 kbit/s already, "
            .. "and three slots carry 34.5.",
    },
} do
    target {
        figure = "Fig. 13", what = "gain of throughput, " .. pair[1] .. " over less", unit = "%", published = "improves",
        least = 0,
        ours = function(run)
            local function median(row) return table_value(run, GPRS, "parallel", row, "p50_throughput_bit_per_s") end
            return 100 * (median(pair[1]) / median(pair[2]) - 1)
        end,
        note = pair.note,
    }
end

-- ---- How much the rows rest on ----
target {
    figure = "told", what = "flows of a seed, gprs",
    ours = function(run) return table_value(run, GPRS, "flows", "all", "flows") end,
}
target {
    figure = "told", what = "of these in Table III, single and above 32 kB",
    ours = function(run) return table_value(run, GPRS, "clusters", "all", "flows") end,
}

-- ---- Figures ----
local function columns(name, title, y, rows, ours)
    local names, published, mine = {}, {}, {}
    for i, row in ipairs(rows) do
        names[i], published[i], mine[i] = row[2], { i, row[3] }, row[1]
    end
    figure {
        name = name, title = title, x = { title = "of the flows", names = names }, y = y,
        series = {
            { name = "gprs", published = published, ours = function(run, i) return ours(run, mine[i]) end },
        },
    }
end
columns("Table I", "What connections use, GPRS", { title = "flows", unit = "%" }, TABLE_I,
    function(run, row) return percent(GPRS, "options", row)(run) end)
columns("Table III", "Goodput of single flows above 32 kB", { title = "goodput", unit = "bit/s" }, TABLE_III, goodput)
columns("Fig. 8", "Flows by where more was lost", { title = "flows", unit = "%" }, FIG_8,
    function(run, row) return percent(GPRS, "bottlenecks", row)(run) end)

-- The share of the flows in each bin, at its middle, up to the last that has one; or up to its end, to the end of the
-- axis. `unit`: of the axis. The file has no bins without flows.
local function bins(variant, sheet, unit, width, most, adds, one)
    return function(run)
        local flows, last, all, sum, points = {}, 0, 0, 0, {}
        for _, row in ipairs(bins_of(run, variant, sheet, one)) do
            all = all + row.flows
            if row.from < most * unit then
                last = math.floor(row.from / unit / width + 0.5)
                flows[last] = row.flows
            end
        end
        local bins_drawn = math.floor(most / width + 0.5)
        for bin = 0, (adds and bins_drawn or last + 1) - 1 do
            sum = adds and sum + (flows[bin] or 0) or flows[bin] or 0
            table.insert(points, { width * (bin + (adds and 1 or 0.5)), 100 * sum / all })
        end
        return points
    end
end
figure {
    name = "Fig. 3", title = "Set-up delay", x = { title = "delay", unit = "s" }, y = { title = "flows", unit = "%" },
    note = "The paper's curves are only drawn. Its text: a peak around one second, and a tail to 5 to 10 s. Ours has a "
        .. "second one, at 1.25 s (seed 6): what is set up takes the same time each time, and no network has one such time for all.",
    series = {
        { name = "gprs", curve = bins(GPRS, "setups", 1, 0.1, 10) },
        { name = "dial-up", curve = bins(DIAL_UP, "setups", 1, 0.1, 10) },
    },
}
figure {
    name = "Fig. 4", title = "Round trip on the side of the access, of quiet set-ups",
    x = { title = "round trip", unit = "s", least = 0, most = 3 }, y = { title = "flows with less", unit = "%" },
    note = "The paper's curves are only drawn. Its text: 100 to 300 ms with dial-up.",
    series = {
        { name = "gprs", curve = bins(GPRS, "rtt_gprs", 1, 0.01, 3, true) },
        { name = "dial-up", curve = bins(DIAL_UP, "rtt_gprs", 1, 0.01, 3, true), bands = { { 0.1, 0.3 } } },
    },
}
figure {
    name = "Fig. 7", title = "Rate of the channel", x = { title = "rate", unit = "kbit/s" },
    y = { title = "flows", unit = "%" },
    note = "The paper's histograms are only drawn. Its text: peaks at 21 to 22 and 34 to 35, with dial-up around 33 "
        .. "and from 40 to 50.",
    series = {
        { name = "gprs", curve = bins(GPRS, "rates", 1000, 1, 60), bands = { { 21, 22 }, { 34, 35 } } },
        { name = "dial-up", curve = bins(DIAL_UP, "rates", 1000, 1, 60), bands = { { 40, 50 } } },
    },
}
local TREE = {
    "optimal", QUIET, "optimal: background", "slight problem", "slight problem: no background",
    "slight problem: background", "no response", "serious problem",
}
figure {
    name = "Fig. 5", title = "Connections by their set-up", x = { title = "of the tree", names = TREE },
    y = { title = "flows", unit = "%" },
    note = "The paper's text has two numbers of its tree: more than 20 % with gprs, 7 % with dial-up.",
    series = {
        { name = "gprs", published = { { 2, 20 } }, ours = function(run, i) return percent(GPRS, "tree", TREE[i])(run) end },
        { name = "dial-up", published = { { 2, 7 } }, ours = function(run, i) return percent(DIAL_UP, "tree", TREE[i])(run) end },
    },
}
figure {
    name = "Fig. 9", title = "Throughput of single flows above 100 kB", x = { title = "throughput", unit = "kbit/s" },
    y = { title = "flows", unit = "%" }, note = "The paper's histogram is only drawn.",
    series = { { name = "gprs", curve = bins(GPRS, "single", 1000, 1, 60) } },
}
local LOSSES = { "loss below 1 %", "loss 1 to 2 %", "loss 2 to 3 %" }
local function by_loss(name)
    return function(run, i) return table_value(run, GPRS, "single", LOSSES[i], name .. "_bit_per_s") end
end
figure {
    name = "Fig. 10", title = "Throughput and goodput by loss, of the same flows", x = { title = "loss", names = LOSSES },
    y = { title = "mean", unit = "bit/s" }, note = "The paper's columns are only drawn.",
    series = {
        { name = "throughput", ours = by_loss("mean_throughput") }, { name = "goodput", ours = by_loss("b_goodput") },
    },
}
figure {
    name = "Fig. 11", title = "Own part of what the user gets during a flow above 100 kB", x = { title = "part" },
    y = { title = "flows", unit = "%" }, note = "The paper's histogram is only drawn.",
    series = { { name = "gprs", curve = bins(GPRS, "shares", 1, 0.05, 1.01) } },
}
local function with_background(name)
    return { name = name, curve = bins(GPRS, "parallel", 1000, 1, 60, false, name) }
end
figure {
    name = "Fig. 13", title = "Throughput of users during flows above 100 kB, by other traffic",
    x = { title = "throughput", unit = "kbit/s" }, y = { title = "flows", unit = "%" },
    note = "The paper's histograms are only drawn.",
    series = {
        with_background("at least 2/3 background"), with_background("1/3 to 2/3 background"),
        with_background("less than 1/3 background"),
    },
}
-- Goodput by cluster. names: the columns but for the last, which is of all flows, with what Table III has of it.
-- series: the name, the row of each column, what is published of the last.
local function clusters(name, title, names, series)
    local list, columns_of = {}, { table.unpack(names) }
    columns_of[#columns_of + 1] = "all"
    for i, one in ipairs(series) do
        list[i] = {
            name = one.name, published = { { #columns_of, one.published } },
            ours = function(run, column) return goodput(run, one.rows[column] or one.name) end,
        }
    end
    figure {
        name = name, title = title, x = { title = "cluster", names = columns_of }, y = { title = "goodput", unit = "bit/s" },
        note = "The paper's clusters are only drawn; the last column is of Table III.", series = list,
    }
end
-- Each pattern with these texts in it.
local function filled(patterns, ...)
    local list = {}
    for i, pattern in ipairs(patterns) do
        list[i] = pattern:format(...)
    end
    return list
end
clusters("Fig. 14", "Goodput by MSS", MSS_NAMES, {
    { name = "MSS low", rows = filled(MSS_PAIRS, "low"), published = 20048.52 },
    { name = "MSS high", rows = filled(MSS_PAIRS, "high"), published = 24936.86 },
})
local WITHOUT, WITH = filled(CATEGORIES, "no SACK"), filled(CATEGORIES, "SACK")
clusters("Fig. 15", "Goodput by SACK", CATEGORY_NAMES, {
    { name = "no SACK", rows = WITHOUT, published = 23136.5 }, { name = "SACK", rows = WITH, published = 25425.25 },
})
local STAMPED = {}
for i, row in ipairs(WITH) do
    STAMPED[i] = row .. STAMPS
end
clusters("Fig. 16", "Goodput by timestamps", WITH, {
    { name = "no timestamps", rows = WITH, published = 24049.16 },
    { name = "timestamps", rows = STAMPED, published = 25342.24 },
})
local RESTS = {
    "SACK, MSS low", "SACK, MSS high", "no SACK, MSS low", "no SACK, MSS high",
    "SACK, MSS low" .. STAMPS, "SACK, MSS high" .. STAMPS,
}
local function of_window(window)
    local rows = {}
    for i, rest in ipairs(RESTS) do
        rows[i] = "window " .. window .. ", " .. rest
    end
    return rows
end
clusters("Fig. 17", "Goodput by window", RESTS, {
    { name = "window low", rows = of_window("low"), published = 22542.8 },
    { name = "window medium", rows = of_window("medium"), published = 25723.4 },
    { name = "window high", rows = of_window("high"), published = 24383.82 },
})
