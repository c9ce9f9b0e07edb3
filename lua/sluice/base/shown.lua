-- How a value is named in a message: short, on one line, whatever it holds; and in which order the
-- keys of a table are looked at.
local lines = require "sluice.config.lines"

local shown = {}

local SHOWN_MAX_OCTETS = 40
shown.TEXT_MAX_OCTETS = 256 -- of a key or a value: a longer one is wrong, and slow to look at

-- The text with everything escaped that is not printable.
function shown.printable(text)
    local pattern = utf8.len(text) and "[%c\127]" or "[%c\127-\255]"
    return (text:gsub(pattern, function(octet)
        return ("\\%d"):format(octet:byte())
    end))
end

local function shortened(text)
    if #text <= SHOWN_MAX_OCTETS then
        return shown.printable(text)
    end
    local stop = SHOWN_MAX_OCTETS
    while stop > 0 and text:byte(stop + 1) & 0xC0 == 0x80 do -- not inside a UTF-8 character
        stop = stop - 1
    end
    return shown.printable(text:sub(1, stop)) .. "..."
end

-- A name without quotes.
function shown.plain(name)
    return type(name) == "string" and shortened(name) or shown.show(name)
end

function shown.show(value)
    local kind = type(value)
    if kind == "string" then
        return '"' .. shortened(value) .. '"'
    elseif kind == "number" then
        return "the number " .. value
    elseif kind == "boolean" then
        return tostring(value)
    end
    return kind == "nil" and "nothing" or "a " .. kind
end

-- The keys of a table that people wrote, in an order that does not change from run to run: whole
-- numbers, then names, and how many are neither. breathe(), which may be missing, is called for each.
function shown.sorted_keys(t, breathe)
    local numbers, names, others, sorted = {}, {}, 0, true
    for key in next, t do
        if breathe then
            breathe()
        end
        if math.type(key) == "integer" then
            sorted = sorted and key > (numbers[#numbers] or math.mininteger)
            numbers[#numbers + 1] = key
        elseif type(key) ~= "string" or #key > shown.TEXT_MAX_OCTETS then
            others = others + 1
        elseif key ~= lines.MARK then
            names[#names + 1] = key
        end
    end
    if not sorted then
        table.sort(numbers)
    end
    table.sort(names)
    return numbers, names, others
end

return shown
