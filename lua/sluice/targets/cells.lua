-- A line of CSV.
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

return cells
