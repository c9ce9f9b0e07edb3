-- Values as text for messages: short, on one line, whatever the value.
local shown = {}

local SHOWN_MAX_OCTETS = 40
shown.TEXT_MAX_OCTETS = 256 -- longest key or text value; a longer one is refused unread

local function escaped(octets)
    return (octets:gsub(".", function(octet)
        return ("\\%d"):format(octet:byte())
    end))
end

local C1 = "\xC2[\x80-\x9F]" -- control characters in UTF-8: U+009B begins a terminal's order, as ESC [ does

-- The text with all that is not printable escaped.
function shown.printable(text)
    local good = utf8.len(text)
    text = text:gsub(good and "[%c\127]" or "[%c\127-\255]", escaped)
    return (good and text:gsub(C1, escaped) or text)
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

-- The specification's name of a PDU: bssgp_flow_control_ms is FLOW-CONTROL-MS, ns_reset NS-RESET.
function shown.pdu(name)
    return (name:gsub("^bssgp_", ""):gsub("_", "-"):upper())
end

return shown
