-- A line of CSV, and what its columns are. A column is { name, what it is, value in this line }.
local cells = {}

local function cell_of(value)
    if type(value) == "string" then
        return '"' .. value:gsub('"', '""'):gsub("[\r\n]", " ") .. '"'
    elseif math.type(value) == "float" then
        return ("%.9g"):format(value)
    end
    return value == nil and "" or tostring(value)
end

function cells.line(columns)
    local texts = {}
    for i, column in ipairs(columns) do
        texts[i] = cell_of(column[3])
    end
    return table.concat(texts, ",")
end

-- The first line of a file.
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
