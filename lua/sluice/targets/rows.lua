-- A CSV file of a run as a list of rows. A row has the columns by their names, numbers as numbers; an empty
-- cell is nil. A column that the file does not have is an error, so that a misspelt one is no zero.
local shown = require "sluice.base.shown"

local rows = {}

local QUOTE = ("\""):byte()

-- The place of the quote that ends the cell; within it a quote is written twice.
local function closing(line, at)
    local quote = line:find('"', at, true)
    while quote and line:byte(quote + 1) == QUOTE do
        quote = line:find('"', quote + 2, true)
    end
    return quote or #line + 1
end

local function quoted_cells(line)
    local cells, at = {}, 1
    while at <= #line + 1 do
        local stop
        if line:byte(at) == QUOTE then
            stop = closing(line, at + 1)
            cells[#cells + 1] = line:sub(at + 1, stop - 1):gsub('""', '"')
            stop = stop + 1
        else
            stop = line:find(",", at, true) or #line + 1
            cells[#cells + 1] = line:sub(at, stop - 1)
        end
        at = stop + 1
    end
    return cells
end

-- The cells of a line; RFC 4180, without line ends within quotes.
local function cells_of(line)
    if line:find('"', 1, true) then
        return quoted_cells(line)
    end
    local cells = {}
    for cell in line:gmatch("[^,]*") do
        cells[#cells + 1] = cell
    end
    return cells
end

-- Digits with a leading zero, such as an IMSI, stay text.
local function value_of(cell)
    local number = cell:find("^%-?%d+%.?%d*$") and not cell:find("^%-?0%d") and tonumber(cell)
    return number or cell
end

local function strict(file, names)
    local known = {}
    for _, name in ipairs(names) do
        known[name] = true
    end
    return { __index = function(_, column)
        if not known[column] then
            error(file .. ".csv has no column " .. shown.plain(column), 0)
        end
    end }
end

-- values: those of cells seen before, for most cells of a file are alike.
local function row_of(names, cells, values)
    local row = {}
    for i, name in ipairs(names) do
        local cell = cells[i] or ""
        if cell ~= "" then
            local value = values[cell]
            if value == nil then
                value = value_of(cell)
                values[cell] = value
            end
            row[name] = value
        end
    end
    return row
end

function rows.parse(file, text)
    local list, values, names, meta = {}, {}, nil, nil
    for line in text:gmatch("([^\n]+)") do
        local cells = cells_of(line)
        if names then
            list[#list + 1] = setmetatable(row_of(names, cells, values), meta)
        else
            names, meta = cells, strict(file, cells)
        end
    end
    return list
end

local function fits(row, filter, columns)
    for _, column in ipairs(columns) do
        local value, wanted = row[column], filter[column]
        if value ~= wanted and tostring(value) ~= wanted then
            return false
        end
    end
    return true
end

-- Those with all columns equal to the filter's.
function rows.pick(list, filter, columns)
    local picked = {}
    for _, row in ipairs(list) do
        if fits(row, filter, columns) then
            picked[#picked + 1] = row
        end
    end
    return picked
end

return rows
