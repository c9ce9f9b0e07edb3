-- A line of CSV, and what its columns are.
local cells = {}

local function cell_of(value)
    if type(value) == "string" then
        return '"' .. value:gsub('"', '""'):gsub("[\r\n]", " ") .. '"'
    elseif math.type(value) == "float" then
        return ("%.9g"):format(value)
    end
    return value == nil and "" or tostring(value)
end

-- values: `count` of them, with nil for an empty cell.
function cells.line(values, count)
    local texts = {}
    for i = 1, count do
        texts[i] = cell_of(values[i])
    end
    return table.concat(texts, ",")
end

-- The names of columns, each { name, what it is }, as the first line of a file.
function cells.head(columns)
    local names = {}
    for i, column in ipairs(columns) do
        names[i] = column[1]
    end
    return table.concat(names, ",")
end

-- What the columns of a file are, a line each.
function cells.describe(file, columns)
    local lines = { "\n" .. file }
    for i, column in ipairs(columns) do
        lines[i + 1] = column[1] .. ": " .. column[2]
    end
    return table.concat(lines, "\n") .. "\n"
end

return cells
