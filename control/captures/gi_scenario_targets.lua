-- What the users of the capture had, beside what the variants of @stem@.lua give them:
--     sluice run @stem@.lua --variant all --seeds 1..5 --targets @stem@.targets.lua
-- The page of these runs has both. With the queue that was captured they agree, or the scenario is not to be trusted;
-- what another one makes of it is the answer.
local NEAR = "10 %"
local WHAT_IF = { "recommended" }   -- variants; add yours
local SECONDS = @seconds@           -- of the capture

-- By user: pages that were whole in the capture, their mean time in ms, octets that the user got.
local before = {@before@
}

-- Whose figures are shown together. Name those that you know, such as { "downloads", 3, 4 }.
local everybody = { "all users" }
for user = 1, #before do
    everybody[user + 1] = user
end
local groups = { everybody }

local function imsi(user)
    return string.format("00%d", 1010000000000 + user)
end

local function rounded(number)
    return number and math.floor(number * 1000 + 0.5) / 1000
end

-- The mean over users: how many pages somebody had does not weigh.
local function mean_s(times_ms)
    local sum_ms = 0
    for _, ms in ipairs(times_ms) do
        sum_ms = sum_ms + ms
    end
    return #times_ms > 0 and sum_ms / #times_ms / 1e3 or nil
end

local function page_before_s(group)
    local times_ms = {}
    for i = 2, #group do
        local of = before[group[i]]
        times_ms[#times_ms + 1] = of[1] > 0 and of[2] or nil
    end
    return rounded(mean_s(times_ms))
end

local function rate_before_kbit_s(group)
    local octets = 0
    for i = 2, #group do
        octets = octets + before[group[i]][3]
    end
    return rounded(octets * 8 / 1e3 / SECONDS)
end

-- The rows of a variant's users, by IMSI.
local function users(run, variant)
    local rows = {}
    for _, row in ipairs(run(variant).rows("applications", { application = "dialogue" })) do
        rows[row.ms] = row
    end
    return rows
end

local function page_s(run, variant, group)
    local rows, times_ms = users(run, variant), {}
    for i = 2, #group do
        local row = rows[imsi(group[i])]
        times_ms[#times_ms + 1] = row.pages > 0 and row.page_mean_ms or nil
    end
    return mean_s(times_ms)
end

local function rate_kbit_s(run, variant, group)
    local rows, octets = users(run, variant), 0
    for i = 2, #group do
        octets = octets + rows[imsi(group[i])].ms_arrived_octets
    end
    return octets * 8 / 1e3 / SECONDS
end

for _, group in ipairs(groups) do
    local name = group[1]
    if page_before_s(group) then
        target {
            figure = "capture", what = name .. ": mean page or file", unit = "s", published = page_before_s(group),
            within = NEAR, ours = function(run) return page_s(run, "captured", group) end,
        }
    end
    target {
        figure = "capture", what = name .. ": goodput", unit = "kbit/s", published = rate_before_kbit_s(group),
        within = NEAR, ours = function(run) return rate_kbit_s(run, "captured", group) end,
    }
    for _, variant in ipairs(WHAT_IF) do
        target {
            figure = "told", what = name .. ": mean page or file, " .. variant, unit = "s",
            published = page_before_s(group) or "no page", ours = function(run) return page_s(run, variant, group) end,
        }
        target {
            figure = "told", what = name .. ": goodput, " .. variant, unit = "kbit/s",
            published = rate_before_kbit_s(group), ours = function(run) return rate_kbit_s(run, variant, group) end,
        }
    end
end

-- ---- Figure: users by the mean time of their pages ----

local SHARES = { 10, 25, 50, 75, 90 }

local function times_before()
    local times = {}
    for user = 1, #before do
        if before[user][1] > 0 then
            times[#times + 1] = { s = before[user][2] / 1e3 }
        end
    end
    return times
end

local function series(variant)
    return {
        name = variant, at = SHARES,
        ours = function(run, percent)
            local times = {}
            for _, row in ipairs(run(variant).rows("applications", { application = "dialogue" })) do
                if row.pages > 0 then
                    times[#times + 1] = { s = row.page_mean_ms / 1e3 }
                end
            end
            return quantile(times, "s", percent / 100)
        end,
    }
end

if #times_before() > 0 then
    local first, all = series("captured"), {}
    first.published = {}
    for i, percent in ipairs(SHARES) do
        first.published[i] = { percent, quantile(times_before(), "s", percent / 100) }
    end
    all[1] = first
    for i, variant in ipairs(WHAT_IF) do
        all[i + 1] = series(variant)
    end
    figure {
        name = "Pages", title = "Users by the mean time of their pages: in the capture (marks), and in the scenario",
        x = { title = "share of the users", unit = "%", least = 0, most = 100 },
        y = { title = "mean page", unit = "s" }, series = all,
    }
end
