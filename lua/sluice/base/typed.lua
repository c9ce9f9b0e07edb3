-- Characters that word processors and web pages put in the place of those that a configuration has.
local typed = {}

local function all(characters, instead)
    for _, code in utf8.codes(characters) do
        typed[code] = instead
    end
end

all("“”„‟«»″", 'type "')
all("‘’‚‛′´", "type '")
all("‐‑‒–—−", "type -")
all("\u{A0}\u{2007}\u{2009}\u{202F}\u{3000}", "type a space")
all("\u{200B}\u{200C}\u{200D}\u{2060}\u{FEFF}", "delete it")
all("，", "type ,")
all("…", "type ...")

local VISIBLE = "^type [^a]"

-- The character of this code, as a message has it.
local function named(code)
    local visible = not typed[code] or typed[code]:find(VISIBLE)
    return visible and code > 0x9F and ("%s (U+%04X)"):format(utf8.char(code), code) or ("U+%04X"):format(code)
end

-- Returns what a message says of the first such character of the text, or nil.
function typed.found(text)
    for _, code in utf8.codes(utf8.len(text) and text or "") do
        if typed[code] then
            return ("the character %s; %s"):format(named(code), typed[code])
        end
    end
end

-- The same of the first octet of this value in the line, which is no part of Lua.
function typed.in_line(line, octet)
    local code = line:match("[" .. string.char(octet) .. "][\x80-\xBF]*")
    code = code and utf8.len(code) == 1 and utf8.codepoint(code)
    if not code then
        return ("found the octet 0x%02X, which is no UTF-8; save the file as UTF-8"):format(octet)
    end
    return ("found the character %s; %s"):format(named(code),
        typed[code] or "allowed in texts in quotes and in comments only")
end

return typed
