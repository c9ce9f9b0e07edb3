-- Runs the text of a configuration and collects the tables of its constructors. The text is not
-- trusted: it has the constructors only, no library and no string method, and it is never bytecode.
-- Steps and memory have limits, so that no loop hangs the program. The garbage collector is stopped
-- meanwhile, so the memory limit covers everything ever built, and bounds the time for long strings
-- too. A clock, if given, limits the rest, such as comparing huge strings again and again; compiling
-- has a time of its own, a short one where other jobs wait, since Lua's compiler cannot yield. A
-- constructor may yield to other jobs; all guards are down meanwhile, and that time and memory do not
-- count. Only the type of the constructors' arguments is checked here; check.lua does the rest.
local breath = require "sluice.base.breath"
local guard = require "guard"
local lines = require "sluice.config.lines"
local nearest = require "sluice.base.nearest"
local values = require "sluice.config.values"

local sandbox = { MARK = lines.MARK } -- of a table that a literal made

-- Few steps between two looks, because one step can double a string; the Lua state's own limit catches
-- growth between two looks. Lua counts the hook's steps too, about half of these.
local LOOKS_MAX = 300000
local STEPS_A_LOOK = 50
local MEMORY_MAX_KIB = 32 * 1024
local TIME_MAX_NS = 1000000000
local STEP_MAX_NS = 50000000 -- of compiling beside other jobs, as in a reload
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
        breath.take()
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

local function look(run)
    run.looks = run.looks + 1
    if run.looks > LOOKS_MAX then
        stop(run, "too many steps, allowed a few million; does this loop end?")
    elseif collectgarbage("count") - run.free_kib > MEMORY_MAX_KIB then
        stop(run, sandbox.MEMORY_TEXT)
    elseif run.clock and run.clock() - run.idle_ns > TIME_MAX_NS then
        stop(run, "not ended after " .. TIME_MAX_NS // 1000000 .. " ms, allowed less time")
    end
end

sandbox.MEMORY_TEXT = "more than " .. MEMORY_MAX_KIB // 1024
    .. " MiB of memory needed, allowed less"

-- Runs `body` with all guards, and removes them in any case. `body` has a coroutine of its own, so that
-- the hook acts only there.
local function guarded(run, body)
    local strings = getmetatable("")
    local methods = strings.__index
    local thread = coroutine.create(body)
    run.thread = thread
    local function string_index(_, name)
        if debug.getinfo(2, "S").source ~= CHUNK then
            return string[name] -- called by our own functions
        end
        stop(run, "found the string method " .. values.plain(name)
            .. ", allowed constructors, operators and loops only")
    end
    debug.sethook(thread, function()
        look(run)
    end, "", STEPS_A_LOOK)
    run.free_kib, run.idle_ns = 0, 0 -- memory and time that do not count
    local taken_kib, stopped_ns = 0, 0
    while true do
        run.free_kib = collectgarbage("count") - taken_kib
        run.idle_ns = run.idle_ns + (run.clock and run.clock() or 0) - stopped_ns
        collectgarbage("stop") -- up to the restart only the text allocates
        strings.__index = string_index
        local ok, err = coroutine.resume(thread)
        strings.__index = methods
        collectgarbage("restart")
        if coroutine.status(thread) == "dead" then
            return ok, err
        end
        taken_kib, stopped_ns = collectgarbage("count") - run.free_kib, run.clock and run.clock() or 0
        breath.now()
    end
end

-- err: Lua's own message "config:LINE: text", a table of `stop`, or "not enough memory".
local function note_failure(run, err)
    if type(err) == "table" then
        return note(run, err.line, "lua", err.text)
    elseif err == "not enough memory" then
        return note(run, current_line(run), "lua", sandbox.MEMORY_TEXT)
    end
    local line = math.tointeger(tonumber(err:match("^config:(%d+): "))) or current_line(run)
    if not run.reported[line] then -- else the error follows from an unknown name
        note(run, line, "lua", "error: " .. values.printable(err:gsub("^[^ ]-:%d+: ", "")))
    end
end

local function note_syntax(run, err)
    if err == "not enough memory" then
        return note(run, 1, "lua", sandbox.MEMORY_TEXT)
    end
    local line, text = err:match("^config:(%d+): (.*)$")
    local comma = err:find("'}' expected", 1, true) and "; is a comma missing before it?" or ""
    note(run, math.tointeger(tonumber(line)) or 1, "lua", "not valid Lua: "
        .. values.printable(text or err) .. comma)
end

-- Returns the function, or nil and whether a mistake was noted: the time was over.
local function compile_within(run, text)
    local ns = coroutine.isyieldable() and STEP_MAX_NS or TIME_MAX_NS
    local chunk, err, late = guard.compile(text, CHUNK, environment(run), ns)
    if late then
        note(run, 1, "lua", ("not compiled after %d ms, allowed less time"):format(ns // 1000000))
    end
    breath.now()
    return chunk, late, err
end

local function compile(run, text)
    if text:sub(1, 1) == "\27" then
        return note(run, 1, "lua", "found compiled Lua, allowed text")
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
            note_syntax(run, right and "too large" or err)
        end
    end
    return chunk
end

-- Returns run: made, the nodes in order, and nodes, by table, each {kind, table, line, literal};
-- changes, for set.lua; unknown, the value of an unknown name; strays, the tables given to unknown
-- constructors; failed, whether the text did not run to its end; result, what it returned.
function sandbox.run(text, kinds, mistakes, clock)
    local run = {
        kinds = kinds, mistakes = mistakes, clock = clock, looks = 0,
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
