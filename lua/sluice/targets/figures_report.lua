-- The figures of figures.lua as figures.csv, a row for each point, and as figures.json, for a page.
local cells = require "sluice.targets.cells"

local figures_report = {}

-- ---- CSV ----

-- rest: values of further columns, by name.
local function columns_of(figure, series, kind, x, rest)
    local names = figure.x.names
    return {
        { "figure", "which figure of the paper", figure.name },
        { "series", "which of its lines or columns", series.name },
        { "kind", "of the point: published, or how ours was worked out (ours, curve, exact)", kind },
        { "x", "its place on the horizontal axis", x },
        { "x_name", "what that place is called, where places have names", names and names[x] },
        { "y", "its value", rest.y },
        { "ci95", "of ours: half the 95 % confidence interval (Student's t)", rest.ci95 },
        { "least", "of a published range: its lower end", rest.least },
        { "most", "its upper end", rest.most },
        { "x_to", "of a published band: from x to here", rest.x_to },
    }
end
figures_report.COLUMNS = columns_of({ x = {} }, {}, nil, nil, {})

local function put_row(lines, figure, series, kind, x, rest)
    lines[#lines + 1] = cells.line(columns_of(figure.declared, series.declared, kind, x, rest))
end

local function put_series(lines, figure, series)
    for _, point in ipairs(series.points) do
        put_row(lines, figure, series, series.kind, point[1], { y = point[2], ci95 = point[3] })
    end
    for _, point in ipairs(series.declared.published or {}) do
        local is_range = point[3] ~= nil
        put_row(lines, figure, series, "published", point[1], {
            y = not is_range and point[2] or nil, least = is_range and point[2] or nil, most = point[3],
        })
    end
    for _, band in ipairs(series.declared.bands or {}) do
        put_row(lines, figure, series, "published", band[1], { x_to = band[2] })
    end
end

function figures_report.csv(list)
    local lines = { cells.head(figures_report.COLUMNS) }
    for _, figure in ipairs(list) do
        for _, series in ipairs(figure.series) do
            put_series(lines, figure, series)
        end
    end
    return table.concat(lines, "\n") .. "\n"
end

-- ---- JSON ----

local function put_member(writer, key, value)
    if value ~= nil then
        writer.key(key)
        writer.value(value)
    end
end

local function put_list(writer, key, list)
    writer.key(key)
    writer.array()
    for _, value in ipairs(list) do
        writer.value(value)
    end
    writer.close()
end

local function put_axis(writer, key, axis)
    writer.key(key)
    writer.object()
    for _, name in ipairs { "title", "unit", "log", "least", "most" } do
        put_member(writer, name, axis[name])
    end
    if axis.names then
        put_list(writer, "names", axis.names)
    end
    writer.close()
end

local function put_points(writer, key, points)
    writer.key(key)
    writer.array()
    for _, point in ipairs(points) do
        writer.array()
        for i = 1, #point do
            writer.value(point[i])
        end
        writer.close()
    end
    writer.close()
end

local function put_one(writer, series)
    writer.object()
    put_member(writer, "name", series.declared.name)
    put_member(writer, "kind", series.kind)
    put_member(writer, "marks", series.declared.marks)
    put_points(writer, "points", series.points)
    put_points(writer, "published", series.declared.published or {})
    put_points(writer, "bands", series.declared.bands or {})
    put_member(writer, "missing", series.missing)
    put_member(writer, "error", series.fault)
    writer.close()
end

-- The members of an object that is open.
function figures_report.json(list, writer)
    writer.key("figures")
    writer.array()
    for _, figure in ipairs(list) do
        local declared = figure.declared
        writer.object()
        put_member(writer, "name", declared.name)
        put_member(writer, "title", declared.title)
        put_member(writer, "note", declared.note)
        put_axis(writer, "x", declared.x)
        put_axis(writer, "y", declared.y)
        writer.key("series")
        writer.array()
        for _, series in ipairs(figure.series) do
            put_one(writer, series)
        end
        writer.close()
        writer.close()
    end
    writer.close()
end

return figures_report
