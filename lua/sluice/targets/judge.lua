-- Judges each target: its figure of each seed, their mean with its interval, and what that comes to.
local call = require "sluice.targets.call"
local figures = require "sluice.targets.figures"
local runs = require "sluice.targets.runs"

local judge = {}

-- Adds a seed's figure to a row, of each that it has, or why there is none.
local function add_figures(row, asked, seed)
    for _, one in ipairs(row.ones) do
        local figure, fault = call.number(asked, seed, row.target, "ours", asked.run, one.name)
        row.fault = row.fault or fault
        row.missing = row.missing or not figure and not fault
        one.samples[#one.samples + 1] = figure
    end
end

-- The target's bounds: least and most that are met; none: it is not judged.
function judge.bounds(target)
    local least, most = target.least or -math.huge, target.most or math.huge
    if target.within then
        local around = target.share and target.share * math.abs(target.published) or target.within
        least, most = math.max(least, target.published - around), math.min(most, target.published + around)
    end
    return least, most
end

judge.KINDS = { "result", "beyond", "input", "told" }

-- told: not judged. input: a knob is set to what is published, or that follows from the knob directly, so it is
-- checked and no achievement. beyond: judged by a goal of ours, for nothing is published. result: all others.
local function kind_of(target)
    if target.within == nil and target.least == nil and target.most == nil then
        return "told"
    end
    return target.kind or target.figure == "beyond" and "beyond" or "result"
end

local function are_alike(samples)
    for i = 2, #samples do
        if samples[i] ~= samples[1] then
            return false
        end
    end
    return #samples > 1
end

-- A single figure has no interval, so nothing is sure of it.
local function is_met(target, row)
    local least, most = judge.bounds(target)
    local half = target.sure and (row.interval or row.alike and 0 or math.huge) or 0
    return row.mean - half >= least and row.mean + half <= most
end

-- The deviation from what is published, and its unit: "%", or that of the target.
local function deviation_of(target, mean)
    if not math.type(target.published) then
        return nil
    elseif math.type(target.within) then
        return mean - target.published, target.unit or ""
    elseif target.published == 0 then
        return nil
    end
    return 100 * (mean - target.published) / math.abs(target.published), "%"
end

-- Of all that a row has, the one that is hardest to meet.
local function hardest_of(row, source)
    local hardest
    for _, one in ipairs(row.ones) do
        one.mean, one.interval = source.interval(one.samples)
        local is_harder = hardest and (row.target.least and one.mean < hardest.mean
            or row.target.most and one.mean > hardest.mean)
        hardest = (not hardest or is_harder) and one or hardest
    end
    return hardest
end

local function conclude(row, name, source)
    local target = row.target
    if row.fault or row.missing then
        row.verdict = row.fault and "error" or "not run"
        row.fault = row.fault and call.fault_text(target, name, row.fault)
        return
    end
    local one = hardest_of(row, source)
    row.samples, row.mean, row.hardest = one.samples, one.mean, one.name
    row.seeds, row.alike = #row.samples, are_alike(one.samples)
    row.interval = not row.alike and one.interval or nil -- what no seed moves has none
    row.deviation, row.deviation_unit = deviation_of(target, row.mean)
    row.verdict = row.kind == "told" and "told" or is_met(target, row) and "met" or "NOT MET"
end

-- What a row has samples of: itself, or each that its target names.
local function ones_of(target)
    local ones = {}
    for i, name in ipairs(target.each or {}) do
        ones[i] = { name = name, samples = {} }
    end
    return #ones > 0 and ones or { { samples = {} } }
end

-- A row for each target: kind, verdict, and mean, interval or alike (all seeds gave the same), deviation and its
-- unit, or fault. Seed by seed, for targets beside each other read the same files.
local function rows_of(targets, name, source, asked)
    local list = {}
    for i, target in ipairs(targets) do
        list[i] = { target = target, kind = kind_of(target), ones = ones_of(target) }
    end
    for seed = 1, source.seeds do
        for _, row in ipairs(list) do
            if not row.fault then
                add_figures(row, asked, seed)
            end
        end
    end
    for _, row in ipairs(list) do
        conclude(row, name, source)
    end
    return list
end

-- Returns { rows, figures, first_seed, last_seed } of what the file `name` has (language.lua). source: what
-- control/bind/targets.c knows of the runs.
function judge.all(loaded, name, source)
    local asked = runs.new(source)
    return {
        rows = rows_of(loaded.targets, name, source, asked),
        figures = figures.all(loaded.figures, name, source, asked),
        first_seed = source.first_seed, last_seed = source.first_seed + source.seeds - 1,
    }
end

-- How many rows have this verdict; kind: those of a kind alone.
function judge.count(list, verdict, kind)
    local n = 0
    for _, row in ipairs(list) do
        n = n + (row.verdict == verdict and (not kind or row.kind == kind) and 1 or 0)
    end
    return n
end

-- How many functions of the file failed.
function judge.faults(judged)
    local n = judge.count(judged.rows, "error")
    for _, figure in ipairs(judged.figures) do
        for _, series in ipairs(figure.series) do
            n = n + (series.fault and 1 or 0)
        end
    end
    return n
end

return judge
