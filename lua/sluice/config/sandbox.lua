-- Runs the text of a configuration and collects the tables of its constructors. The text is not
-- trusted: it has the constructors only, no library and no string method, and it is never bytecode.
-- Steps, memory, the length of strings and time have limits (require "guard"), so that no loop hangs the
-- program; README.md says how long a single step may take. The garbage collector is stopped meanwhile, so the memory
-- limit covers everything ever built. Only the type of the constructors' arguments is checked here; check.lua does the
-- rest.
local guard = require "guard"
local lines = require "sluice.config.lines"
local nearest = require "sluice.base.nearest"
local typed = require "sluice.base.typed"
local values = require "sluice.config.values"

local sandbox = { MARK = lines.MARK } -- of a table that a literal made

local STEPS_MAX = 20000000
local MEMORY_MAX_OCTETS = 32 << 20
local CALLS_DEEP = 10000
local DEEP_TEXT = "calls too deep inside each other; does this function end?"
local STRING_MAX_OCTETS = 64 << 10 -- of one that the text makes; a value has 256 octets at most
local TIME_MAX_NS = 1000000000 -- of compiling, and of running
local LEAPS_MAX = 1000 -- of goto and break: compiling costs their square where they end, in one step
local CHUNK = "=config" -- short and fixed: Lua cuts long names in its messages

local function note(run, line, path, text)
    run.mistakes:add(line, path, text)
end

-- The line of the text that runs, or ran when it failed: the coroutine keeps its stack. After a tail
-- call the stack has no line, so the line of the last constructor is used.
local function current_line(run)
    local level = 0
    local info = debug.getinfo(run.thread, level, "Sl")
    while info and info.source ~= CHUNK do
        level = level + 1
        info = debug.getinfo(run.thread, level, "Sl")
    end
    local last = run.made[#run.made]
    return info and info.currentline or last and last.line or 1
end

-- Ends the run from inside it.
local function stop(run, text)
    error({ line = current_line(run), text = text }, 0)
end

local function refuse(run, kind, text)
    note(run, current_line(run), kind, text)
    run.strays[#run.strays + 1] = {}
end

local function constructor(run, kind)
    return function(...)
        local given = ...
        if type(given) ~= "table" or select("#", ...) > 1 then
            return refuse(run, kind, "found " .. values.show(given) .. ", allowed one table: "
                .. kind .. " { ... }")
        end
        local before = run.nodes[given]
        if before then
            return refuse(run, kind, "found the table of the " .. before.kind .. " in line "
                .. before.line .. " again, allowed a table of its own")
        end
        local literal = run.literals[given[lines.MARK]]
        local line = literal and literal.line or current_line(run)
        local node = { kind = kind, table = given, literal = literal, line = line }
        run.nodes[given] = node
        run.made[#run.made + 1] = node
        return given
    end
end

local function unknown_name(run, name)
    local line = current_line(run)
    local word = values.plain(name)
    local names = #run.kinds > 0 and table.concat(run.kinds, ", ") .. " and local names"
        or "local names"
    local libraries = rawget(_G, name) ~= nil and " (Lua's own functions are not available)" or ""
    if not run.reported[line .. " " .. word] then
        note(run, line, word, "unknown name" .. libraries .. "; allowed: "
            .. names .. nearest.hint(word, run.kinds))
    end
    run.reported[line .. " " .. word] = true
    run.reported[line] = true
    return run.unknown
end

local function environment(run)
    local constructors = {}
    for _, kind in ipairs(run.kinds) do
        constructors[kind] = constructor(run, kind)
    end
    return setmetatable({}, {
        __index = function(_, name)
            return constructors[name] or unknown_name(run, name)
        end,
        __newindex = function(_, name)
            stop(run, "found an assignment to the global name " .. values.plain(name)
                .. ", allowed local names: local " .. values.plain(name) .. " = ...")
        end,
    })
end

sandbox.MEMORY_TEXT = "more than " .. (MEMORY_MAX_OCTETS >> 20) .. " MiB of memory needed, allowed less"

-- What has no end meets the memory first, or a limit of Lua's own: that depends on Lua's version.
local function is_too_deep(run, err)
    return err and err:find("stack overflow", 1, true) or debug.getinfo(run.thread, CALLS_DEEP, "l")
end

local function text_of(run, why)
    if is_too_deep(run) then
        return DEEP_TEXT
    elseif why == "instructions" then
        return "too many steps, allowed 20 million; does this loop end?"
    elseif why == "string" then
        return "a string of more than " .. STRING_MAX_OCTETS .. " octets, allowed shorter ones"
    elseif why == "ns" then
        return "not ended after " .. TIME_MAX_NS // 1000000 .. " ms, allowed less time"
    end
    return sandbox.MEMORY_TEXT
end

-- Runs the text in a coroutine of its own, so that the guards act only there, with string methods for our own
-- functions only. Returns true and its result, or false and the error.
local function guarded(run, chunk)
    run.thread = coroutine.create(chunk)
    local strings = getmetatable("")
    local methods = strings.__index
    strings.__index = function(_, name)
        if debug.getinfo(2, "S").source ~= CHUNK then
            return string[name]
        end
        stop(run, "found the string method " .. values.plain(name)
            .. ", allowed constructors, operators and loops only")
    end
    collectgarbage("stop") -- up to the restart only the text allocates
    local good, err, why = guard.resume(run.thread, {
        instructions = STEPS_MAX, octets = MEMORY_MAX_OCTETS, string_octets = STRING_MAX_OCTETS, ns = TIME_MAX_NS,
    })
    collectgarbage("restart")
    strings.__index = methods
    return good, why and { line = current_line(run), text = text_of(run, why) } or err
end

-- err: Lua's own message "config:LINE: text", a table of `stop`, or "not enough memory".
local function note_failure(run, err)
    if type(err) == "table" then
        return note(run, err.line, "lua", err.text)
    elseif is_too_deep(run, err) then
        return note(run, current_line(run), "lua", DEEP_TEXT)
    elseif err == "not enough memory" then
        return note(run, current_line(run), "lua", sandbox.MEMORY_TEXT)
    end
    local line = math.tointeger(tonumber(err:match("^config:(%d+): "))) or current_line(run)
    if not run.reported[line] then -- else the error follows from an unknown name
        note(run, line, "lua", "error: " .. values.printable(err:gsub("^[^ ]-:%d+: ", "")))
    end
end

-- Returns what is wrong with a character that Lua does not know, or nil; and nil or what stands in the line
-- where a text should have ended, perhaps.
local function foreign(source, number, err)
    local line, count = "", 0
    for each in (source .. "\n"):gmatch "(.-)\n" do
        count = count + 1
        line = count == number and each or line
    end
    line = line:gsub("%-%-.*$", "") -- a comment may have any
    local octet = tonumber(err:match "near '.*<\\(%d+)>'$")
    if octet and octet >= 0x80 then
        return typed.in_line(line:gsub('"[^"]*"', ""):gsub("'[^']*'", ""), octet) -- and so may a text
    end
    local found = typed.found(line)
    return nil, found and found:find('type "', 1, true) and found
end

local function note_syntax(run, err, source)
    if err == "not enough memory" then
        return note(run, 1, "lua", sandbox.MEMORY_TEXT)
    end
    local line, text = err:match("^config:(%d+): (.*)$")
    line = math.tointeger(tonumber(line)) or 1
    local character, perhaps = foreign(source, line, text or err)
    local comma = err:find("'}' expected", 1, true) and "; is a comma missing before it?" or ""
    note(run, line, "lua", "not valid Lua: " .. (character or values.printable(text or err)
        .. (perhaps and "; the line has " .. perhaps or comma)))
end

-- Returns the function, or nil and whether a mistake was noted: the time was over.
local function compile_within(run, text)
    local chunk, err, late = guard.compile(text, CHUNK, environment(run), TIME_MAX_NS)
    if late then
        note(run, 1, "lua", ("not compiled after %d ms, allowed less time"):format(TIME_MAX_NS // 1000000))
    end
    return chunk, late, err
end

local function compile(run, text)
    if text:sub(1, 1) == "\27" then
        return note(run, 1, "lua", "found compiled Lua, allowed text")
    end
    local zero = text:find("\0", 1, true)
    if zero then
        local _, ends = text:sub(1, zero):gsub("\n", "")
        return note(run, ends + 1, "lua", "not valid Lua: found the octet 0, allowed text in UTF-8; is the file UTF-16, or no text?")
    end
    local marked, leaps
    marked, run.literals, leaps = lines.mark(text)
    if leaps > LEAPS_MAX then
        return note(run, 1, "lua", ("found %d of goto and break, allowed up to %d"):format(leaps,
            LEAPS_MAX))
    end
    local chunk, late = compile_within(run, marked)
    if not (chunk or late) then -- the message is to quote the text that the user wrote
        local right, late_again, err = compile_within(run, text)
        if not late_again then
            note_syntax(run, right and "too large" or err, text)
        end
    end
    return chunk
end

-- Returns run: made, the nodes in order, and nodes, by table, each {kind, table, line, literal};
-- changes, for set.lua; unknown, the value of an unknown name; strays, the tables given to unknown
-- constructors; failed, whether the text did not run to its end; result, what it returned.
function sandbox.run(text, kinds, mistakes)
    local run = {
        kinds = kinds, mistakes = mistakes,
        made = {}, nodes = {}, reported = {}, strays = {}, changes = {},
    }
    run.unknown = function(given)
        run.strays[#run.strays + 1] = type(given) == "table" and given or {}
    end
    text = text:gsub("^\xEF\xBB\xBF", ""):gsub("\r\n?", "\n")
    local chunk = compile(run, text)
    local ok = false
    if chunk then
        local err
        ok, err = guarded(run, chunk)
        if ok then
            run.result = err
        else
            note_failure(run, err)
        end
    end
    run.failed = not ok
    return run
end

return sandbox
