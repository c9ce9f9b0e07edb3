-- Runs the functions of a user's script. They see plain Lua without a library that reaches outside,
-- catches errors, works long in one step or depends on a hash's order (no load, require, pcall,
-- metatables, coroutines, patterns, string.rep, next). Each call has a coroutine of its own with
-- limits on instructions, memory, the length of strings and time (require "guard"); whatever it
-- raises comes back as a text with its line.
local guard = require "guard"
local memory = require "sluice.script.memory"
local names = require "sluice.script.names"
local shown = require "sluice.base.shown"

local box = {}

local CHUNK = "=policy" -- short and fixed: Lua cuts long names in its messages
local STRING_OCTETS = 64 << 10 -- of a string, and of the script, whose text may be one
local STRING_HEAD_OCTETS = 25  -- that Lua puts before one, and behind it
local SHOWN_OCTETS = 300       -- of what it says or raises
local CALL_OCTETS = 8 << 20    -- that a call may take
local KEPT_OCTETS = 4 << 20    -- that it may keep
local LOOK_OCTETS, LOOK_CALLS = 1 << 20, 100 -- how much, or how often, before it is measured
local TIME_LEAST_NS, TIME_MOST_NS, INSTRUCTION_NS = 100000000, 1000000000, 1000
local LIST_MOST = 1000 -- entries that one step may go through

local function picked(library, names)
    local few = {}
    for _, name in ipairs(names) do
        few[name] = library[name]
    end
    return few
end

local STRINGS = { "byte", "char", "format", "len", "lower", "sub", "upper" }
local safe_string = picked(string, STRINGS)

-- ---- The functions of `table` whose work the script's values decide. In Lua it is counted ----

local safe_table = {}

local function check_table(t, level)
    if type(t) ~= "table" then
        error("found a " .. type(t) .. ", allowed a table", level + 1)
    end
end

local function check_place(place, least, most)
    place = math.tointeger(place)
    if not place or place < least or place > most then
        error("no such position in the table", 3)
    end
    return place
end

function safe_table.insert(t, ...)
    check_table(t, 2)
    local n, given = #t, select("#", ...)
    if given ~= 1 and given ~= 2 then
        error("allowed insert(table, [position,] value)", 2)
    end
    local place = given == 2 and check_place((...), 1, n + 1) or n + 1
    for i = n, place, -1 do
        t[i + 1] = t[i]
    end
    t[place] = select(given, ...)
end

function safe_table.remove(t, place)
    check_table(t, 2)
    local n = #t
    place = place == nil and n or check_place(place, math.min(n, 1), n + 1)
    local value = t[place]
    for i = place, n do
        t[i] = t[i + 1]
    end
    return value
end

local function check_range(t, i, j)
    check_table(t, 3)
    i, j = i == nil and 1 or math.tointeger(i), j == nil and #t or math.tointeger(j)
    if not i or not j or i <= j and (j - i < 0 or j - i >= LIST_MOST) then
        error("allowed up to " .. LIST_MOST .. " entries", 3)
    end
    return i, j
end

function safe_table.unpack(t, i, j)
    return table.unpack(t, check_range(t, i, j))
end

function safe_table.concat(t, separator, i, j)
    return table.concat(t, separator, check_range(t, i, j))
end

-- ----

-- Its globals; `more` is what it gets besides Lua's.
function box.environment(more)
    local env = picked(_G, {
        "assert", "error", "ipairs", "select", "tonumber", "tostring", "type",
    })
    env.string = picked(string, STRINGS)
    env.table = picked(safe_table, { "concat", "insert", "remove", "unpack" })
    env.math = picked(math, {
        "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf",
        "sqrt", "tointeger", "type", "ult",
    })
    for _, pair in ipairs(more) do
        env[pair[1]] = pair[2]
    end
    return env
end

-- With strings as the script may use them.
local function resume(thread, instructions, ...)
    local strings = getmetatable("")
    local methods = strings.__index
    strings.__index = function(_, name)
        local ours = debug.getinfo(2, "S").source ~= CHUNK
        return (ours and string or safe_string)[name]
    end
    local good, result, why = guard.resume(thread, {
        instructions = instructions, octets = CALL_OCTETS,
        string_octets = STRING_OCTETS + STRING_HEAD_OCTETS,
        ns = math.min(TIME_LEAST_NS + instructions * INSTRUCTION_NS, TIME_MOST_NS),
    }, ...)
    strings.__index = methods
    return good, result, why
end

local function text_of(why, instructions)
    if why == "instructions" then
        return "more than " .. instructions .. " instructions"
    elseif why == "ns" then
        return "more than its time"
    elseif why == "string" then
        return "a string of more than " .. STRING_OCTETS .. " octets"
    end
    return "more memory than it may have"
end

-- The line of the script that was being run: the coroutine keeps its stack.
local function line_of(thread)
    local level = 0
    local info = debug.getinfo(thread, level, "Sl")
    while info and info.source ~= CHUNK do
        level = level + 1
        info = debug.getinfo(thread, level, "Sl")
    end
    return info and info.currentline or 1
end

-- A text of the script's as one short line.
function box.shown(text)
    local more = #text > SHOWN_OCTETS and ("... (%d octets)"):format(#text) or ""
    return shown.printable(text:sub(1, SHOWN_OCTETS)) .. more
end

local function fault_of(thread, err, why, instructions)
    if why then
        local text = "cut off: " .. text_of(why, instructions)
        return { line = line_of(thread), text = text, cut = true }
    end
    local text = type(err) == "string" and err or "an error that is a " .. type(err)
    local line = text:match("^policy:(%d+): ")
    local rest = line and text:sub(#line + 10) or text
    return { line = math.tointeger(line) or line_of(thread), text = box.shown(rest) .. names.hint(rest) }
end

-- Returns true and its first result, or false and { line, text, cut }.
function box.call(fn, instructions, ...)
    local thread = coroutine.create(fn)
    local good, result, why = resume(thread, instructions, ...)
    if good then
        return true, result
    end
    return false, fault_of(thread, result, why, instructions)
end

-- Whether the script keeps more than it may. It is measured now and then: `keeper` { env } has what
-- calls took since, less what was collected meanwhile. To be asked behind each call, with what Lua
-- used before it.
function box.keeps_much(keeper, used_kilo_octets)
    local grown = collectgarbage "count" - used_kilo_octets
    keeper.grown = (keeper.grown or 0) + math.max(grown, 0)
    keeper.calls = (keeper.calls or 0) + 1
    if keeper.grown * 1024 < LOOK_OCTETS and keeper.calls < LOOK_CALLS then
        return false
    end
    keeper.grown, keeper.calls = 0, 0
    return memory.is_more(keeper.env, KEPT_OCTETS, CHUNK)
end

local function no_script(text)
    return text:sub(1, 1) == "\27" and "compiled Lua"
        or #text > STRING_OCTETS and ("found %d octets, allowed %d"):format(#text, STRING_OCTETS)
end

-- The first function of the script that nobody would ever call, or nil; as a fault.
function box.uncalled(env, hooks)
    return names.uncalled(env, hooks, CHUNK)
end

-- Compiles a text and runs it, so that its functions stand in `env`. nil, or what is wrong as
-- above.
function box.run(text, env, instructions)
    local wrong = no_script(text)
    if wrong then
        return { line = 1, text = wrong }
    end
    local chunk, err = load(text, CHUNK, "t", env)
    if not chunk then
        local line = err:match("^policy:(%d+): ")
        local rest = err:sub(line and #line + 10 or 1)
        return { line = math.tointeger(line) or 1, text = box.shown(rest) }
    end
    local good, fault = box.call(chunk, instructions)
    return not good and fault or nil
end

return box
