-- Finds the line of each key of each {...}. Lua forgets the lines once a table is built, and reports
-- for a call over many lines not the line of the key. So every table literal gets a number:
-- `lines.mark` writes the number into the text right after the brace, as one more entry, which adds no
-- line. The number leads from the table back to the literal, also through helper functions and loops.
-- This is a lexer, not a parser: what it says of a text that Lua's own parser then refuses means nothing.
-- An entry in a function body inside a table may be taken for a key; a key computed at run time has no
-- line, and its mistakes are shown at the line of its constructor.

local lines = {}

lines.MARK = "\0literal"
local MARK_FORMAT = '["\\0literal"]=%d,'
local LEVELS = 250 -- of brackets; more than Lua's parser takes, so the rest needs no marks

-- The last octet of [[...]] or [==[...]==] at `pos`; nil if none begins there.
local function long_bracket_stop(text, pos)
    local equals = text:match("^%[(=*)%[", pos)
    if not equals then
        return nil
    end
    local _, stop = text:find("]" .. equals .. "]", pos, true)
    return stop or #text
end

local function quoted_stop(text, pos)
    local quote = text:sub(pos, pos)
    local at = pos + 1
    while true do
        local hit = text:find("[\\" .. quote .. "]", at)
        if not hit then
            return #text
        elseif text:sub(hit, hit) == quote then
            return hit
        end
        at = hit + 2
    end
end

-- The begin of the next token after spaces and comments; nil at the end.
local function token_start(text, pos)
    while true do
        local start = text:find("%S", pos)
        if not start or text:sub(start, start + 1) ~= "--" then
            return start
        end
        pos = (long_bracket_stop(text, start + 2) or text:find("\n", start, true) or #text) + 1
    end
end

-- The kind of the token at `start` ("name", "symbol" or "other") and its last octet.
local function token_kind(text, start)
    local first = text:sub(start, start)
    if first:find("[%a_]") then
        return "name", select(2, text:find("^[%w_]+", start))
    elseif first == '"' or first == "'" then
        return "other", quoted_stop(text, start)
    elseif text:find("^%.?%d", start) then
        return "other", select(2, text:find("^[%w_.]+", start))
    elseif first == "[" and text:find("^%[=*%[", start) then
        return "other", long_bracket_stop(text, start)
    end
    return "symbol", start
end

-- The place of "=" if it is the next token from `pos` on; else nil.
local function equals_at(text, pos)
    local start = token_start(text, pos)
    return start and text:find("^=[^=]", start)
end

-- The key of the entry that begins at `start`: name = ... or ["name"] = ...; nil when it has none.
local function entry_key(text, start)
    local name, after = text:match("^([%a_][%w_]*)()", start)
    if not name then
        name, after = text:match("^%[%s*[\"']([%w_]*)[\"']%s*%]()", start)
    end
    return name and equals_at(text, after) and name
end

local function note_entry(literal, key, line)
    if not key then
        literal.items[#literal.items + 1] = line
    elseif literal.keys[key] then
        literal.twice = literal.twice or {}
        literal.twice[#literal.twice + 1] = { key = key, first = literal.keys[key], line = line }
    end
    if key then
        literal.keys[key] = line
    end
end

-- Counts lines up to `pos`; remembers the next newline, so that a long line is searched once.
local function advance(scan, pos)
    while scan.newline and scan.newline < pos do
        scan.line = scan.line + 1
        scan.newline = scan.text:find("\n", scan.newline + 1, true)
    end
end

local function open_literal(scan, start)
    local literal = { line = scan.name_line or scan.line, keys = {}, items = {} }
    local number = #scan.literals + 1
    scan.literals[number] = literal
    scan.pieces[#scan.pieces + 1] = scan.text:sub(scan.copied + 1, start)
    scan.pieces[#scan.pieces + 1] = MARK_FORMAT:format(number)
    scan.copied = start
    return literal
end

-- scan.stack: the open brackets, innermost last: a literal, or false for ( and [. scan.begins: an entry
-- of the innermost literal may begin with the next token.
local function take_symbol(scan, symbol, start)
    local stack = scan.stack
    scan.begins = false
    if symbol == "{" then
        stack[#stack + 1] = open_literal(scan, start)
        scan.begins = true
    elseif symbol == "(" or symbol == "[" then
        stack[#stack + 1] = false
    elseif symbol == "}" or symbol == ")" or symbol == "]" then
        stack[#stack] = nil
    elseif symbol == "," or symbol == ";" then
        scan.begins = stack[#stack] and true
    end
end

local LEAPS = { ["goto"] = true, ["break"] = true }

local function take_token(scan, start)
    advance(scan, start)
    local kind, stop = token_kind(scan.text, start)
    local symbol = kind == "symbol" and scan.text:sub(start, start)
    if scan.begins and symbol ~= "}" then
        note_entry(scan.stack[#scan.stack], entry_key(scan.text, start), scan.line)
    end
    take_symbol(scan, symbol, start)
    scan.name_line = kind == "name" and scan.line or nil
    if kind == "name" and LEAPS[scan.text:sub(start, stop)] then
        scan.leaps = scan.leaps + 1
    end
    return stop + 1
end

-- Returns the marked text, and by number the literals: line, the line of each key (keys) and of each
-- entry without a key (items), and the keys given twice; and the number of goto and break.
function lines.mark(text)
    local scan = {
        text = text, line = 1, newline = text:find("\n", 1, true), stack = {},
        literals = {}, pieces = {}, copied = 0, leaps = 0,
    }
    local start = token_start(text, 1)
    while start and #scan.stack < LEVELS do
        start = token_start(text, take_token(scan, start))
    end
    scan.pieces[#scan.pieces + 1] = text:sub(scan.copied + 1)
    return table.concat(scan.pieces), scan.literals, scan.leaps
end

return lines
