-- What judge.lua found, as a table for a terminal, and as the files targets and figures, .csv and .json.
local csv_cells = require "sluice.targets.cells"
local figures_report = require "sluice.targets.figures_report"
local judge = require "sluice.targets.judge"
local lines = require "sluice.targets.lines"

local report = {}

local COLUMNS = { -- widths; the second column's texts go on in lines below
    { head = "figure", width = 10 },
    { head = "what", width = 42 },
    { head = "published", width = 18 },
    { head = "ours", width = 22 },
    { head = "deviation", width = 10 },
    { head = "", width = 8 },
}

-- ---- Numbers ----

-- With as many decimals as give four digits; at least none.
function report.number_text(number)
    local size, decimals = math.abs(number), 3
    while size >= 10 and decimals > 0 do
        size, decimals = size / 10, decimals - 1
    end
    if size > 0 and size < 0.01 then
        return ("%.2g"):format(number)
    end
    local text = ("%%.%df"):format(decimals):format(number)
    return text:find(".", 1, true) and text:gsub("0+$", ""):gsub("%.$", "") or text
end

local function with_unit(text, unit)
    return unit and unit ~= "" and text .. " " .. unit or text
end

-- What is published, or else the goal.
local function published_text(target)
    if math.type(target.published) then
        return with_unit(("%.12g"):format(target.published), target.unit)
    elseif target.published then
        return target.published
    elseif target.least and target.most then
        return ("goal: %.12g to %.12g"):format(target.least, target.most)
    elseif target.least or target.most then
        return ("goal: %s %.12g"):format(target.least and ">=" or "<=", target.least or target.most)
    end
    return ""
end

function report.ours_text(row)
    if not row.mean then
        return "-"
    end
    local text = (report.number_text(row.mean))
    text = row.interval and text .. " +- " .. report.number_text(row.interval) or text
    return with_unit(text, row.target.unit) .. (row.alike and ", all seeds alike" or "")
        .. (row.hardest and ", hardest: " .. row.hardest or "")
end

local function deviation_text(row)
    if not row.deviation then
        return ""
    end
    local text = row.deviation_unit == "%" and ("%.1f"):format(row.deviation) or report.number_text(row.deviation)
    return with_unit((row.deviation >= 0 and "+" or "") .. text, row.deviation_unit)
end

-- ---- The table ----

local function put_notes(out, list)
    for _, row in ipairs(list) do
        for _, text in ipairs { row.fault or "", row.target.note or "" } do
            if text ~= "" then
                lines.put(out, row.target.figure .. ", " .. row.target.what .. ": " .. text, 2)
            end
        end
    end
end

local function of_kind(list, kind)
    local rows = {}
    for _, row in ipairs(list) do
        rows[#rows + 1] = row.kind == kind and row or nil
    end
    return rows
end

-- "14 of 19 results met; 2 of 3 beyond, 4 of 4 inputs, 2 told, 1 not run".
local function last_line(list)
    local rest = {}
    for _, kind in ipairs { "beyond", "input" } do
        local all = #of_kind(list, kind)
        rest[#rest + 1] = all > 0 and ("%d of %d %s"):format(judge.count(list, "met", kind), all,
            kind == "input" and "inputs" or kind) or nil
    end
    for _, verdict in ipairs { "told", "not run", "error" } do
        local n = judge.count(list, verdict)
        rest[#rest + 1] = n > 0 and n .. " " .. verdict or nil
    end
    return ("%d of %d results met%s%s"):format(judge.count(list, "met", "result"), #of_kind(list, "result"),
        #rest > 0 and "; " or "", table.concat(rest, ", "))
end

-- What of the figures is not whole.
local function put_figures(out, list)
    local whole = 0
    for _, figure in ipairs(list) do
        local good = true
        for _, series in ipairs(figure.series) do
            good = good and series.missing == 0 and not series.fault
            if series.fault then
                lines.put(out, ("%s, %s: %s"):format(figure.declared.name, series.declared.name, series.fault), 2)
            end
        end
        whole = whole + (good and 1 or 0)
    end
    if #list > 0 then
        out[#out + 1] = ("  %d of %d figures whole"):format(whole, #list)
    end
end

local HEADINGS = {
    beyond = "Beyond the paper: goals of ours",
    input = "Inputs: knobs set to what the paper prints, checked",
    told = "Reported only, not judged",
}

function report.table(judged)
    local list, out, heads = judged.rows, {}, {}
    for i, column in ipairs(COLUMNS) do
        heads[i] = column.head
    end
    lines.put_row(out, COLUMNS, heads, 2)
    for _, kind in ipairs(judge.KINDS) do
        local rows = of_kind(list, kind)
        out[#out + 1] = #rows > 0 and HEADINGS[kind] and "  -- " .. HEADINGS[kind] or nil
        for _, row in ipairs(rows) do
            lines.put_row(out, COLUMNS, { row.target.figure, row.target.what, published_text(row.target),
                report.ours_text(row), deviation_text(row), row.verdict }, 2)
        end
    end
    put_notes(out, list)
    out[#out + 1] = "  " .. last_line(list)
    put_figures(out, judged.figures)
    return table.concat(out, "\n") .. "\n"
end

-- ---- Files ----

-- The columns of targets.csv and the keys of a row of targets.json.
local function members_of(row)
    local target = row.target
    return {
        { "figure", "where the paper has it; beyond: nowhere", target.figure },
        { "what", "what the row is about", target.what },
        { "kind", "result, beyond, input or told", row.kind },
        { "unit", "of its numbers", target.unit },
        { "published", "the paper's value, or its words", target.published },
        { "within", "how far from it is met", target.within },
        { "least", "the least that is met", target.least },
        { "most", "the most that is met", target.most },
        { "sure", "true: the whole interval must be within", target.sure },
        { "hardest", "of several values of a row: the name of the one that is hardest to meet", row.hardest },
        { "seeds", "how many runs the mean is of", row.seeds },
        { "mean", "ours", row.mean },
        { "ci95", "half its 95 % confidence interval (Student's t)", row.interval },
        { "alike", "true: all seeds give the same", row.alike or nil },
        { "deviation", "ours from the published value", row.deviation },
        { "deviation_unit", "its unit", row.deviation_unit },
        { "verdict", "met, NOT MET, told, not run or error", row.verdict },
        { "note", "what its file says of it", target.note },
        { "error", "why it has no value", row.fault },
    }
end
local MEMBERS = members_of { target = {} }

local function csv(list)
    local rows = { csv_cells.head(MEMBERS) }
    for i, row in ipairs(list) do
        rows[i + 1] = csv_cells.line(members_of(row))
    end
    return table.concat(rows, "\n") .. "\n"
end

-- The texts of the table are there as well, for a page.
local function json(judged, writer)
    local list = judged.rows
    for _, member in ipairs { { "summary", last_line(list) }, { "first_seed", judged.first_seed },
        { "last_seed", judged.last_seed } } do
        writer.key(member[1])
        writer.value(member[2])
    end
    writer.key("targets")
    writer.array()
    for _, row in ipairs(list) do
        writer.object()
        for _, member in ipairs(members_of(row)) do
            if member[3] ~= nil then
                writer.key(member[1])
                writer.value(member[3])
            end
        end
        writer.key("texts")
        writer.array()
        for _, text in ipairs { published_text(row.target), report.ours_text(row), deviation_text(row) } do
            writer.value(text)
        end
        writer.close()
        writer.close()
    end
    writer.close()
end

-- What the columns of targets.csv and figures.csv mean.
function report.describe()
    return csv_cells.describe("targets.csv", MEMBERS) .. csv_cells.describe("figures.csv", figures_report.COLUMNS)
end

function report.targets_csv(judged)
    return csv(judged.rows)
end

function report.figures_csv(judged)
    return figures_report.csv(judged.figures)
end

function report.targets_json(judged, writer)
    json(judged, writer)
end

function report.figures_json(judged, writer)
    figures_report.json(judged.figures, writer)
end

return report
