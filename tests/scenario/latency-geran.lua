-- Targets of config/scenarios/latency-geran.lua: FTP, HTTP and ping over EDGE and over GERAN evolution ("gev"),
-- against the RLC round trip and the latency from the server to the BTS.
--
-- A range of the paper ("-40 to -60 %") is judged twice: the end that the paper ties to an end of the axis must be
-- that value, the others must be in the range, each with the tolerance. Where the paper only has a trend ("flat",
-- "rises"), the numeric limit is ours. The paper does not say which radio its pings cross, so both are judged.
local ROUND_TRIPS_MS = { 50, 100, 200, 300 }    -- of RLC; the paper's axis
local LATENCIES_MS = { 10, 50, 100, 200 }       -- from the server to the BTS; the paper's axis
local SHORT_MS, LONG_MS = 50, 300               -- the ends of the paper's RLC round trips
local NEAR_MS, FAR_MS = 10, 200                 -- and of its latencies
local FILE_BITS = 800000                        -- 100 kB, the paper's file

-- Each experiment has an MS of its own, one after the other in one run.
local FTP = { application = "ftp", ms = "001010000000001" }
local PAGE = { application = "http", ms = "001010000000002" }
local PING_64 = { application = "ping", ms = "001010000000003" }
local PING_1500 = { application = "ping", ms = "001010000000004" }
local PING_BESIDE = { application = "ping", ms = "001010000000005" }    -- beside the endless download
local DOWNLOAD = { application = "ftp", ms = "001010000000005" }

local function at(run, variant, round_trip_ms, latency_ms, filter)
    local point = string.format("rlc_rtt=%dms,server_to_bts=%dms", round_trip_ms, latency_ms)
    return run(variant, point).row("applications", filter)
end

local function ftp_kbit_s(run, variant, round_trip_ms, latency_ms)
    return FILE_BITS / at(run, variant, round_trip_ms, latency_ms, FTP).transfer_mean_ms
end

local function page_s(run, round_trip_ms, latency_ms)
    return at(run, "gev", round_trip_ms, latency_ms, PAGE).page_mean_ms / 1e3
end

local function change_percent(new, old)
    return 100 * (new / old - 1)
end

-- The change of the FTP rate from the short end of an axis to the long one.
local function rate_over_rlc(run, variant, latency_ms)
    return change_percent(ftp_kbit_s(run, variant, LONG_MS, latency_ms), ftp_kbit_s(run, variant, SHORT_MS, latency_ms))
end
local function rate_over_latency(run, variant, round_trip_ms)
    return change_percent(ftp_kbit_s(run, variant, round_trip_ms, FAR_MS), ftp_kbit_s(run, variant, round_trip_ms, NEAR_MS))
end

-- For `each`: the names of an axis's values, and the values by name.
local function named(axis_ms)
    local names, by_name = {}, {}
    for i, ms in ipairs(axis_ms) do
        names[i] = ms .. " ms"
        by_name[names[i]] = ms
    end
    return names, by_name
end
local ROUND_TRIPS, ROUND_TRIP_MS = named(ROUND_TRIPS_MS)
local LATENCIES, LATENCY_MS = named(LATENCIES_MS)

-- A ping's rise from one RLC round trip to another, for each latency.
local function rises_ms(run, variant, from_ms, to_ms, filter, column)
    local list = {}
    for _, latency_ms in ipairs(LATENCIES_MS) do
        local low, high = at(run, variant, from_ms, latency_ms, filter), at(run, variant, to_ms, latency_ms, filter)
        table.insert(list, { ms = high[column] - low[column], absolute_ms = math.abs(high[column] - low[column]) })
    end
    return list
end

-- ---- Fig. 2 to 4: FTP ----
target {
    figure = "Fig. 2", what = "EDGE: FTP, RLC RTT 50 ms, latency 10 ms", unit = "kbit/s",
    published = "above 90", least = 90, most = 99, note = "Judged as above 90 and at most 10 % more.",
    ours = function(run) return ftp_kbit_s(run, "edge", 50, 10) end,
}
target {
    figure = "Fig. 3, 4", what = "GEV: FTP, RLC RTT 50 ms, latency 10 ms", unit = "kbit/s",
    published = "above 280", least = 280, most = 308,
    note = "Judged as above 280 and at most 10 % more.",
    ours = function(run) return ftp_kbit_s(run, "gev", 50, 10) end,
}
-- At the smallest latency the paper has a gain of 80 % as well, by going from 300 to 50 ms: this reduction the other
-- way round. So there the row is within 10 % of both.
local GAIN_LEAST_PERCENT = 72
for _, latency_ms in ipairs(LATENCIES_MS) do
    local gains = latency_ms == NEAR_MS
    target {
        figure = "Fig. 3, 4", unit = "%",
        what = string.format("GEV: FTP rate, RLC RTT 50 to 300 ms, latency %d ms", latency_ms),
        published = gains and "-30 to -40, +80 the other way" or "-30 to -40",
        least = -44, most = gains and change_percent(100, 100 + GAIN_LEAST_PERCENT) or -27,     -- each end within 10 %
        note = gains and "The gain of 80 % is -44.4 %, 0.4 beyond what the range allows: of the paper's two sentences ours has "
            .. "the gain (85 %, of 72 to 88), and so not the range." or nil,
        ours = function(run) return rate_over_rlc(run, "gev", latency_ms) end,
    }
end
target {
    figure = "text", what = "GEV, BLER of 1 %: FTP rate, RLC RTT 50 to 300 ms, at each latency", unit = "%",
    published = "essentially no impact", least = -10, each = LATENCIES,
    note = "The limit is ours. 1 % of the 724 blocks of 100 kB are 7, each of which holds back what came behind it for 240 ms "
        .. "more: two such waits in a download of 2.6 s are the 17 %.",
    ours = function(run, latency) return rate_over_rlc(run, "bler-1", LATENCY_MS[latency]) end,
}
-- "Higher PHY rates are more sensitive to delays", "the impact of the RTT was smaller for the lower EDGE rates".
local LESS = "A trend; the limit is ours: the whole interval below 1."
target {
    figure = "Fig. 2, 3", what = "EDGE's fall of the FTP rate over GEV's, RLC RTT 50 to 300 ms, at each latency",
    published = "smaller", most = 1, sure = true, each = LATENCIES, note = LESS,
    ours = function(run, latency)
        return rate_over_rlc(run, "edge", LATENCY_MS[latency]) / rate_over_rlc(run, "gev", LATENCY_MS[latency])
    end,
}
target {
    figure = "Fig. 2, 3", what = "EDGE's fall of the FTP rate over GEV's, latency 10 to 200 ms, at each RLC RTT",
    published = "smaller", most = 1, sure = true, each = ROUND_TRIPS, note = LESS,
    ours = function(run, round_trip)
        return rate_over_latency(run, "edge", ROUND_TRIP_MS[round_trip])
            / rate_over_latency(run, "gev", ROUND_TRIP_MS[round_trip])
    end,
}
-- "Timeouts do only occur for the largest values of RLC RTT": the time-outs of a run's ten downloads, at all latencies.
local function timeouts(run, round_trip_ms)
    local count = 0
    for _, latency_ms in ipairs(LATENCIES_MS) do
        local point = string.format("rlc_rtt=%dms,server_to_bts=%dms", round_trip_ms, latency_ms)
        count = count + (run("gev", point).row("tcp",
            { application = FTP.application, ms = FTP.ms, ["end"] = "host" }).timeouts or 0)
    end
    return count
end
for _, round_trip_ms in ipairs(ROUND_TRIPS_MS) do
    local none = round_trip_ms <= 100
    target {
        figure = none and "text" or "told", published = none and "none" or nil, most = none and 0 or nil,
        what = string.format("GEV: time-outs of 40 downloads, RLC RTT %d ms", round_trip_ms),
        ours = function(run) return timeouts(run, round_trip_ms) end,
    }
end

-- ---- Fig. 5, 6: a web page over GERAN evolution ----
for _, row in ipairs { { 50, 10, 8.8 }, { 300, 200, 30.3 } } do
    target {
        figure = "Fig. 5, 6", what = string.format("page, RLC RTT %d ms, latency %d ms", row[1], row[2]), unit = "s",
        published = row[3], within = "10 %", ours = function(run) return page_s(run, row[1], row[2]) end,
    }
end
-- The time of a page from the long end of one axis to its short end. all: the range of the paper, judged with 5
-- points more at each end; ends: the value at an end of the other axis.
local function page_falls(figure, what, axis, all, ends, pair)
    for _, other_ms in ipairs(axis) do
        target {
            figure = figure, what = string.format(what, other_ms), unit = "%",
            published = ends[other_ms] or string.format("%d to %d", all[2], all[1]),
            within = ends[other_ms] and 5 or nil,       -- points
            least = not ends[other_ms] and all[1] - 5 or nil, most = not ends[other_ms] and all[2] + 5 or nil,
            ours = function(run)
                local long, short = pair(run, other_ms)
                return change_percent(short, long)
            end,
        }
    end
end
page_falls("Fig. 5", "page, latency 200 to 10 ms, RLC RTT %d ms", ROUND_TRIPS_MS, { -60, -40 },
    { [50] = -60, [300] = -40 },
    function(run, round_trip_ms) return page_s(run, round_trip_ms, 200), page_s(run, round_trip_ms, 10) end)
page_falls("Fig. 6", "page, RLC RTT 300 to 50 ms, latency %d ms", LATENCIES_MS, { -50, -25 },
    { [10] = -50, [200] = -25 },
    function(run, latency_ms) return page_s(run, 300, latency_ms), page_s(run, 50, latency_ms) end)

-- ---- Fig. 7 to 10: pings ----
local function pings(variant, name)
    target {
        figure = "Fig. 7", what = name .. ": 64-octet ping, RLC RTT 50 ms, latency 10 ms, mean", unit = "ms",
        published = 90, within = "10 %",
        note = "Expected are 81.9 ms, near the limit: 10 to wait, 20 each way, 20 to the server and back, and 9 % of two blocks "
            .. "again after 60. In the paper the answer may wait half a TTI, too (\"each packet\"), which makes it 92; ours goes "
            .. "in the TTI that starts as the ping arrives, or with radio.up_reaction a whole TTI later.",
        ours = function(run) return at(run, variant, 50, 10, PING_64).round_trip_mean_ms end,
    }
    target {
        figure = "Fig. 7, 8", unit = "%",
        what = name .. ": rise of the 64-octet ping, RLC RTT 50 to 300 ms, of the rise of 1500 octets",
        published = "hardly rises", most = 5,
        note = "A trend; the limit is ours. It cannot be met by the paper's own model: a single block each way with 9 % errors "
            .. "adds 2 x 0.099 x 240 ms = 47 ms to the mean, which is 8 to 14 % of what 1500 octets rise.",
        ours = function(run)
            local small = sum(rises_ms(run, variant, 50, 300, PING_64, "round_trip_mean_ms"), "ms")
            local large = sum(rises_ms(run, variant, 50, 300, PING_1500, "round_trip_mean_ms"), "ms")
            return 100 * small / large
        end,
    }
    for i = 1, #ROUND_TRIPS_MS - 1 do
        local from_ms, to_ms = ROUND_TRIPS_MS[i], ROUND_TRIPS_MS[i + 1]
        target {
            figure = "Fig. 8", unit = "ms/ms",
            what = string.format("%s: 1500-octet ping, slope from RLC RTT %d to %d ms, least of the latencies",
                name, from_ms, to_ms),
            published = "rises", least = 0.5, note = "A trend; the limit is ours.",
            ours = function(run)
                return least(rises_ms(run, variant, from_ms, to_ms, PING_1500, "round_trip_mean_ms"), "ms")
                    / (to_ms - from_ms)
            end,
        }
    end
    target {
        figure = "Fig. 9", unit = "ms",
        what = name .. ": least 64-octet ping, change from RLC RTT 50 to 300 ms, largest of the latencies",
        published = "flat", most = 1, note = "A trend; the limit is ours.",
        ours = function(run)
            return most(rises_ms(run, variant, 50, 300, PING_64, "round_trip_min_ms"), "absolute_ms")
        end,
    }
    target {
        figure = "Fig. 10", unit = "ms",
        what = name .. ": least 1500-octet ping, rise from RLC RTT 50 to 300 ms, mean of the latencies",
        published = "rises", least = 0, sure = true,
        note = variant == "gev" and "A trend; the limit is ours: the whole interval above 0. The least of 50 "
            .. "pings rises only if none of the 50 crosses without a repeated block, and of 33 blocks with 9 % errors "
            .. "none is repeated in 4.5 % of the pings: one series of 50 in ten rises. On EDGE, with 44 blocks, it is "
            .. "one in two, so the paper's Fig. 10 fits EDGE."
            or "A trend; the limit is ours: the whole interval above 0. The rise is 300 ms where none of 50 pings crosses "
            .. "without a repeated block, which is one series of 50 in two: a plain Monte Carlo of this row has 104 ms, and with "
            .. "five seeds the whole interval above 0 in 31 of 60 tries. So five seeds show it or do not by chance.",
        ours = function(run)
            return mean(rises_ms(run, variant, 50, 300, PING_1500, "round_trip_min_ms"), "ms")
        end,
    }
end
pings("gev", "GEV")
pings("edge", "EDGE")

-- ---- Beyond: a 64-octet ping beside an endless download in the same MS, over GERAN evolution, latency 10 ms ----
-- ideal: the ping goes first at the last queue before the radio, behind the LLC PDU that is being sent. The same
-- numbers come from a plain Monte Carlo without any code of the lab (137, 200, 394, 625 ms; in the lab 138, 200,
-- 381, 607; both with 10 octets of headers in each packet, radio.free_headers at 0).
local OF_IDLE_MOST, OF_IDEAL_MOST = 1.7, 1.2
local function beside_ms(run, variant, round_trip_ms)
    return at(run, variant, round_trip_ms, 10, PING_BESIDE).round_trip_mean_ms
end
local function of_idle(run, variant)
    return beside_ms(run, variant, 50) / at(run, "gev", 50, 10, PING_64).round_trip_mean_ms
end

local function arrived_octets(run, variant, round_trip_ms)
    return at(run, variant, round_trip_ms, NEAR_MS, DOWNLOAD).ms_arrived_octets
end

local function ping_beside(variant, judged, notes)
    local figure = judged and "beyond" or "told"
    target {
        figure = figure, what = variant .. ": ping beside a download over an idle ping, RLC RTT 50 ms",
        most = judged and OF_IDLE_MOST or nil, note = notes and notes.idle,
        ours = function(run) return of_idle(run, variant) end,
    }
    for i = 2, #ROUND_TRIPS_MS do
        local round_trip_ms = ROUND_TRIPS_MS[i]
        target {
            figure = figure,
            what = string.format("%s: ping beside a download over the ideal, RLC RTT %d ms", variant, round_trip_ms),
            most = judged and OF_IDEAL_MOST or nil, note = notes and notes.ideal,
            ours = function(run)
                return beside_ms(run, variant, round_trip_ms) / beside_ms(run, "ideal", round_trip_ms)
            end,
        }
    end
end
local function costs(variant)           -- the ping itself, and what is left of the download
    for _, round_trip_ms in ipairs(ROUND_TRIPS_MS) do
        target {
            figure = "told", what = string.format("%s: ping beside a download, RLC RTT %d ms", variant, round_trip_ms),
            unit = "ms", ours = function(run) return beside_ms(run, variant, round_trip_ms) end,
        }
        target {
            figure = "told", what = string.format("%s: the download, of gev's, RLC RTT %d ms", variant, round_trip_ms),
            unit = "%",
            ours = function(run)
                return 100 * arrived_octets(run, variant, round_trip_ms) / arrived_octets(run, "gev", round_trip_ms)
            end,
        }
    end
end

ping_beside("recommended", true, {
    idle = "The BSS's bucket decides: with 600 ms in it 1.9 x, with 100 ms 1.8 x, with recommended's 20 and 60 ms 1.7 x; "
        .. "the ideal is 1.63 x (seeds 6 to 15). Without headers on the radio an idle ping is 8 % quicker, the one beside "
        .. "the download 2 %, so that this lies at the goal now. R told is 392 kbit/s, 5 % below what the radio carries; with an R above that no size of "
        .. "the bucket helps.",
    ideal = "Below the ideal at 200 and 300 ms, since the download no longer fills the radio there: see its share.",
})

-- What that costs those who use it: no worse than gev, whose BTS takes all and whose SGSN holds nothing back. One MS at a
-- time has the radio, so there is no least user and no index of fairness.
local LOST_MOST_PERCENT = 1
local function over_gev(what, measure)
    target {
        figure = "beyond", what = "recommended over gev: " .. what .. ", latency 10 ms, at each RLC RTT", most = 1,
        each = ROUND_TRIPS,
        ours = function(run, round_trip)
            return measure(run, "recommended", ROUND_TRIP_MS[round_trip]) / measure(run, "gev", ROUND_TRIP_MS[round_trip])
        end,
    }
end
over_gev("time of a page alone, mean", function(run, variant, round_trip_ms)
    return at(run, variant, round_trip_ms, NEAR_MS, PAGE).page_mean_ms
end)
over_gev("time of a page alone, p95", function(run, variant, round_trip_ms)
    local point = string.format("rlc_rtt=%dms,server_to_bts=%dms", round_trip_ms, NEAR_MS)
    return run(variant, point).value("applications.http.page_ms.p95")
end)
over_gev("time of 100 kB alone, mean", function(run, variant, round_trip_ms)
    return at(run, variant, round_trip_ms, NEAR_MS, FTP).transfer_mean_ms
end)
target {
    figure = "beyond", what = "recommended: the download beside the ping, of gev's, latency 10 ms, at each RLC RTT",
    unit = "%", least = 100, each = ROUND_TRIPS,
    ours = function(run, round_trip)
        local round_trip_ms = ROUND_TRIP_MS[round_trip]
        return 100 * arrived_octets(run, "recommended", round_trip_ms) / arrived_octets(run, "gev", round_trip_ms)
    end,
}
target {
    figure = "beyond", what = "recommended: packets lost of the download, latency 10 ms, at each RLC RTT", unit = "%",
    most = LOST_MOST_PERCENT, each = ROUND_TRIPS, note = "The AQM's signals: the paper's hosts have no ECN.",
    ours = function(run, round_trip)
        local point = string.format("rlc_rtt=%dms,server_to_bts=%dms", ROUND_TRIP_MS[round_trip], NEAR_MS)
        local one = run("recommended", point)
        return 100 * sum(one.rows("drops", { by = "ms", name = DOWNLOAD.ms, direction = "down" }), "packets")
            / one.row("tcp", { application = DOWNLOAD.application, ms = DOWNLOAD.ms, ["end"] = "host" }).segments
    end,
}

for _, variant in ipairs { "small-buffer", "bss-codel", "fq-alone", "gev" } do
    ping_beside(variant, false)
end
for _, variant in ipairs { "ideal", "recommended", "small-buffer", "bss-codel", "fq-alone" } do
    costs(variant)
end

-- ---- Figures ----
local RLC_AXIS = { title = "RLC RTT", unit = "ms" }
local LATENCY_AXIS = { title = "server to BTS latency", unit = "ms" }
-- A series for each RLC round trip over the latency, or for each latency over the RLC round trip. published: by
-- the value of the series.
local function lines(over, measure, published)
    local by_latency = over == LATENCY_AXIS
    local series = {}
    for i, other_ms in ipairs(by_latency and ROUND_TRIPS_MS or LATENCIES_MS) do
        series[i] = {
            name = string.format(by_latency and "RLC RTT %d ms" or "latency %d ms", other_ms),
            at = by_latency and LATENCIES_MS or ROUND_TRIPS_MS, published = published and published[other_ms],
            ours = function(run, x_ms)
                if by_latency then
                    return measure(run, other_ms, x_ms)
                end
                return measure(run, x_ms, other_ms)
            end,
        }
    end
    return series
end
local function rate(variant)
    return function(run, round_trip_ms, latency_ms) return ftp_kbit_s(run, variant, round_trip_ms, latency_ms) end
end
local RATE = { title = "FTP, mean bit rate", unit = "kbit/s" }
local ABOVE = "The mark is what the text has as \"above\", at RLC RTT 50 ms and latency 10 ms. "
figure {
    name = "Fig. 2", title = "ftp: average bit rate for EDGE", x = RLC_AXIS, y = RATE,
    note = ABOVE .. "The text: above 90 kbit/s for RLC RTT below 100 ms if the latency is low.",
    series = lines(RLC_AXIS, rate("edge"), { [10] = { { 50, 90 }, { 100, 90 } } }),
}
figure {
    name = "Fig. 3", title = "ftp: average bit rate for GERAN evolution", x = RLC_AXIS, y = RATE, note = ABOVE,
    series = lines(RLC_AXIS, rate("gev"), { [10] = { { 50, 280 } } }),
}
figure {
    name = "Fig. 4", title = "ftp: average bit rate for GERAN evolution", x = LATENCY_AXIS, y = RATE,
    note = ABOVE .. "The same values as Fig. 3. The paper's jerk at 300 ms and 50 ms is of one time-out.",
    series = lines(LATENCY_AXIS, rate("gev"), { [50] = { { 10, 280 } } }),
}
local TIME = { title = "download of the page", unit = "s" }
figure {
    name = "Fig. 5", title = "HTTP download time", x = LATENCY_AXIS, y = TIME,
    series = lines(LATENCY_AXIS, page_s, { [50] = { { 10, 8.8 } }, [300] = { { 200, 30.3 } } }),
}
figure {
    name = "Fig. 6", title = "HTTP download time", x = RLC_AXIS, y = TIME, note = "The same values as Fig. 5.",
    series = lines(RLC_AXIS, page_s, { [10] = { { 50, 8.8 } }, [200] = { { 300, 30.3 } } }),
}
for _, row in ipairs {
    { "Fig. 7", "Average end-2-end RTT, 64 octets", PING_64, "round_trip_mean_ms", { [10] = { { 50, 90 } } } },
    { "Fig. 8", "Average end-2-end RTT, 1500 octets", PING_1500, "round_trip_mean_ms" },
    { "Fig. 9", "Minimal observed end-2-end RTT, 64 octets", PING_64, "round_trip_min_ms" },
    { "Fig. 10", "Minimal observed end-2-end RTT, 1500 octets", PING_1500, "round_trip_min_ms" },
} do
    for _, radio in ipairs { { "gev", "GEV" }, { "edge", "EDGE" } } do
        figure {
            name = row[1], title = row[2] .. ", " .. radio[2], x = RLC_AXIS,
            y = { title = "ping, round trip", unit = "ms" },
            note = "The paper does not say which radio its pings cross."
                .. (row[5] and "" or " The text has a trend only, no value."),
            series = lines(RLC_AXIS, function(run, round_trip_ms, latency_ms)
                return at(run, radio[1], round_trip_ms, latency_ms, row[3])[row[4]]
            end, row[5]),
        }
    end
end
