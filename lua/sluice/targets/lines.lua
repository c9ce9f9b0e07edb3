-- Texts and rows of a table in lines of a terminal.
local lines = {}

lines.WIDTH = 118
local MARGIN = 2

-- The text in lines of at most `width` characters, broken at spaces, longer words cut.
local function folded(text, width)
    local list, line = {}, ""
    for word in text:gmatch("%S+") do
        while #word > width do
            list[#list + 1], line = line ~= "" and line or nil, ""
            list[#list + 1], word = word:sub(1, width), word:sub(width + 1)
        end
        if line ~= "" and #line + 1 + #word > width then
            list[#list + 1], line = line, ""
        end
        line = line ~= "" and line .. " " .. word or word
    end
    list[#list + 1] = line
    return list
end

-- Adds a text; its further lines begin `hang` characters further in.
function lines.put(out, text, hang)
    for at, line in ipairs(folded(text, lines.WIDTH - 2 * MARGIN)) do
        out[#out + 1] = (" "):rep(MARGIN + (at == 1 and 0 or hang)) .. line
    end
end

-- Adds a row, as high as its highest cell. columns: their widths; cells: their texts.
function lines.put_row(out, columns, cells, margin)
    local list, height = {}, 1
    for i, column in ipairs(columns) do
        list[i] = folded(cells[i], column.width)
        height = math.max(height, #list[i])
    end
    for at = 1, height do
        local line = (" "):rep(margin - 1)
        for i, column in ipairs(columns) do
            local text = list[i][at] or ""
            line = line .. " " .. text .. (" "):rep(column.width - #text)
        end
        out[#out + 1] = line:gsub(" +$", "")
    end
end

return lines
