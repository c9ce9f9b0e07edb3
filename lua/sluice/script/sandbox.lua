-- Runs the functions of a user's script. The script has plain Lua without functions that reach outside,
-- catch errors, work long in one step or depend on a hash's order (no load, require, pcall, metatables,
-- coroutines, patterns, string.rep, next). Each call runs in a coroutine of its own with limits on
-- instructions, memory, the length of strings and time (require "guard"); an error comes back as a text
-- with its line.
local guard = require "guard"
local memory = require "sluice.script.memory"
local names = require "sluice.script.names"
local shown = require "sluice.base.shown"

local box = {}

local CHUNK = "=policy" -- short and fixed: Lua cuts long names in its messages
local STRING_OCTETS = 64 << 10 -- longest string, and longest script
local STRING_HEAD_OCTETS = 25  -- Lua's overhead of a string
local SHOWN_OCTETS = 300       -- of a log text or error of the script
local CALL_OCTETS = 8 << 20    -- memory that a call may take
local KEPT_OCTETS = 4 << 20    -- memory that the script may keep
local LOOK_OCTETS, LOOK_CALLS = 1 << 20, 100 -- memory is measured after so much growth, or so many calls
local TIME_LEAST_NS, TIME_MOST_NS, INSTRUCTION_NS = 100000000, 1000000000, 1000
local COMPILE_MOST_NS = 50000000
local LIST_MOST = 1000 -- entries that one step may go through

local function picked(library, wanted)
    local few = {}
    for _, name in ipairs(wanted) do
        few[name] = library[name]
    end
    return few
end

local STRINGS = { "byte", "char", "format", "len", "lower", "sub", "upper" }
local safe_string = picked(string, STRINGS)

-- ---- Functions of `table` with work that depends on the script's values: written in Lua, so that the
-- limits count their instructions ----

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

-- The script's globals; more: pairs of name and value besides Lua's functions.
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

-- Resumes with string methods limited to safe_string for the script.
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

-- The line of the script that was running: the coroutine keeps its stack, but for tail calls; nil: unknown.
local function line_of(thread)
    local level = 0
    local info = debug.getinfo(thread, level, "Sl")
    while info and info.source ~= CHUNK do
        level = level + 1
        info = debug.getinfo(thread, level, "Sl")
    end
    return info and info.currentline
end

-- A text of the script as one short line.
function box.shown(text)
    local more = #text > SHOWN_OCTETS and ("... (%d octets)"):format(#text) or ""
    return shown.printable(text:sub(1, SHOWN_OCTETS)) .. more
end

-- Lua's message "policy:LINE: rest" as line, or nil, and rest.
local function parts_of(text)
    local line, rest = text:match("^policy:(%d+): (.*)$")
    return math.tointeger(line), rest or text
end

local function fault_of(thread, err, why, instructions)
    if why then
        local text = "cut off: " .. text_of(why, instructions)
        return { line = line_of(thread) or 1, text = text, cut = true }
    end
    local text = type(err) == "string" and err or "an error that is a " .. type(err)
    local line, rest = parts_of(text)
    line = line or line_of(thread)
    return { line = line or 1, unplaced = not line, text = box.shown(rest) .. names.hint(rest) }
end

-- Returns true and fn's first result, or false and the fault { line, unplaced, text, cut }; unplaced: the line
-- is not known. What a function of ours
-- that fn calls yields is a request: serve(it), without limits, gives what the yield returns.
function box.serve(serve, fn, instructions, ...)
    local thread = coroutine.create(fn)
    local good, result, why = resume(thread, instructions, ...)
    while not why and coroutine.status(thread) == "suspended" do
        good, result, why = resume(thread, instructions, serve(result))
    end
    if good then
        return true, result
    end
    return false, fault_of(thread, result, why, instructions)
end

function box.call(fn, instructions, ...)
    return box.serve(nil, fn, instructions, ...)
end

-- Returns whether the script keeps more than KEPT_OCTETS. Called after each call of the script, with
-- Lua's memory before it; measures only now and then: `keeper` { env } sums up the growth since.
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

-- The fault of the script's first function that would never be called, or nil.
function box.uncalled(env, hooks)
    return names.uncalled(env, hooks, CHUNK)
end

-- Compiles a text and runs it, which defines its functions in `env`. Returns nil or the fault.
function box.run(text, env, instructions)
    local wrong = no_script(text)
    if wrong then
        return { line = 1, text = wrong }
    end
    local chunk, err, late = guard.compile(text, CHUNK, env, COMPILE_MOST_NS)
    if late then
        return { line = 1, text = ("not compiled after %d ms"):format(COMPILE_MOST_NS // 1000000) }
    elseif not chunk then
        local line, rest = parts_of(err)
        return { line = line or 1, text = box.shown(rest) }
    end
    local good, fault = box.call(chunk, instructions)
    return not good and fault or nil
end

return box
