-- What the conclusions depend on, as a table for a terminal, as knobs.csv, and as knobs.json.
local csv_cells = require "sluice.targets.cells"
local judge = require "sluice.targets.judge"
local lines = require "sluice.targets.lines"
local texts = require "sluice.targets.report"

local report = {}

local MARGIN = 4
local COLUMNS = { { head = "knob", width = 40 }, { head = "base", width = 14 }, { head = "low", width = 24 },
    { head = "high", width = 24 }, { head = "span", width = 10 } }

local function values_text(values)
    return values and table.concat(values, ", ")
end

-- ---- The table ----

-- "0 %: 12.3", and a mark if the row is not met there.
local function side_text(side)
    if not side then
        return ""
    elseif not side.row.mean then
        return side.value .. ": " .. side.row.verdict
    end
    local mark = side.row.verdict == "met" and "" or side.firm and " NOT MET" or " not met?"
    return ("%s: %s%s"):format(side.value, texts.number_text(side.row.mean), mark)
end

local function band_text(target)
    local least, most = judge.bounds(target)
    if least == -math.huge then
        return "at most " .. texts.number_text(most)
    end
    local text = texts.number_text(least)
    return most == math.huge and "at least " .. text or text .. " to " .. texts.number_text(most)
end

local function put_conclusion(out, one)
    local head = ("%s, %s: %s at the base (%s); the row wants %s"):format(one.target.figure, one.target.what,
        texts.ours_text(one.base), one.base.verdict, band_text(one.target))
    lines.put(out, head, 2)
    lines.put_row(out, COLUMNS, { "knob", "base", "low", "high", "span" }, MARGIN)
    for _, bar in ipairs(one.bars) do
        lines.put_row(out, COLUMNS, {
            bar.knob.name, values_text(bar.knob.base), side_text(bar.low), side_text(bar.high),
            texts.number_text(bar.span),
        }, MARGIN)
    end
    lines.put(out, "-> " .. one.sentence, 3)
    out[#out + 1] = ""
end

function report.table(list)
    local out = {}
    for _, one in ipairs(list) do
        put_conclusion(out, one)
    end
    return table.concat(out, "\n") .. "\n"
end

-- ---- knobs.csv: a line for the base and each setting of each conclusion ----

local function finite(value)
    return value and math.abs(value) < math.huge and value or nil
end

-- bar, side: nil at the base.
local function columns_of(one, row, bar, side)
    local least, most = judge.bounds(one.target)
    return {
        { "figure", "the row of the targets: where the paper has it", one.target.figure },
        { "what", "what it is about", one.target.what },
        { "unit", "of its numbers", one.target.unit },
        { "least", "the least that is met", finite(least) },
        { "most", "the most that is met", finite(most) },
        { "knob", "which knob is set; empty: none, at the base", bar and bar.knob.name },
        { "setting", "base, low or high", side and side.side or "base" },
        { "value", "the knob's there", side and side.value },
        { "mean", "of the row there, over the seeds", row.mean },
        { "ci95", "half its 95 % confidence interval (Student's t)", row.interval },
        { "verdict", "met, NOT MET, not run or error", row.verdict },
        { "span", "how far the knob's settings move the mean apart", bar and bar.span },
        { "from", "what the settings were taken from", bar and bar.knob.from },
    }
end
local FILE_COLUMNS = columns_of({ target = {} }, {})

-- What the columns of knobs.csv mean.
function report.describe()
    return csv_cells.describe("knobs.csv", FILE_COLUMNS)
end

function report.csv(list)
    local out = { csv_cells.head(FILE_COLUMNS) }
    for _, one in ipairs(list) do
        out[#out + 1] = csv_cells.line(columns_of(one, one.base))
        for _, bar in ipairs(one.bars) do
            for _, side in ipairs { "low", "high" } do
                if bar[side] then
                    out[#out + 1] = csv_cells.line(columns_of(one, bar[side].row, bar, bar[side]))
                end
            end
        end
    end
    return table.concat(out, "\n") .. "\n"
end

-- ---- knobs.json ----

-- Members with a value, into the open object.
local function put_members(writer, members)
    for _, member in ipairs(members) do
        if member[2] ~= nil then
            writer.key(member[1])
            writer.value(member[2])
        end
    end
end

local function put_result(writer, key, row, more)
    writer.key(key)
    writer.object()
    put_members(writer, more)
    put_members(writer, { { "mean", row.mean }, { "ci95", row.interval }, { "verdict", row.verdict },
        { "error", row.fault } })
    writer.close()
end

local function put_bar(writer, bar)
    writer.object()
    put_members(writer, { { "name", bar.knob.name }, { "base", values_text(bar.knob.base) }, { "span", bar.span } })
    for _, name in ipairs { "low", "high" } do
        local side = bar[name]
        if side then
            put_result(writer, name, side.row, { { "value", side.value }, { "moves", side.moves },
                { "firm", side.firm or false } })
        end
    end
    writer.close()
end

local function put_one(writer, one)
    local least, most = judge.bounds(one.target)
    writer.object()
    put_members(writer, { { "figure", one.target.figure }, { "what", one.target.what }, { "unit", one.target.unit },
        { "published", one.target.published }, { "least", finite(least) }, { "most", finite(most) },
        { "band", band_text(one.target) }, { "ours", texts.ours_text(one.base) }, { "says", one.sentence } })
    put_result(writer, "base", one.base, {})
    writer.key("knobs")
    writer.array()
    for _, bar in ipairs(one.bars) do
        put_bar(writer, bar)
    end
    writer.close()
    writer.close()
end

local function put_knob(writer, knob)
    writer.object()
    put_members(writer, { { "name", knob.name }, { "base", values_text(knob.base) },
        { "low", values_text(knob.low) }, { "high", values_text(knob.high) }, { "from", knob.from } })
    writer.close()
end

-- The members of an object that is open.
function report.json(list, writer)
    writer.key("knobs")
    writer.array()
    for _, knob in ipairs(list.knobs) do
        put_knob(writer, knob)
    end
    writer.close()
    writer.key("conclusions")
    writer.array()
    for _, one in ipairs(list) do
        put_one(writer, one)
    end
    writer.close()
end

return report
