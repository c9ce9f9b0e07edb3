-- Runs the functions of a user's script. They see plain Lua without a library that reaches outside,
-- catches errors, works long in one step or depends on a hash's order (no load, require, pcall,
-- patterns, string.rep, next). Each call has a coroutine of its own with a limit on instructions, on
-- memory and, for single steps that cost much, on real time; whatever it raises comes back as a text
-- with its line.
local box = {}

local CHUNK = "=policy" -- short and fixed: Lua cuts long names in its messages
local LOOK_INSTRUCTIONS = 1000
local MEMORY_OCTETS = 8 << 20 -- that a call may take, and that it may keep
local LOOK_OCTETS, LOOK_CALLS = 1 << 20, 100 -- how much, or how often, before it is measured
local TIME_NS = 1000000000

local function picked(library, names)
    local few = {}
    for _, name in ipairs(names) do
        few[name] = library[name]
    end
    return few
end

local STRINGS = { "byte", "char", "format", "len", "lower", "sub", "upper" }
local safe_string = picked(string, STRINGS)

-- Its globals; `more` is what it gets besides Lua's.
function box.environment(more)
    local env = picked(_G, {
        "assert", "error", "ipairs", "select", "tonumber", "tostring", "type",
    })
    env.string = picked(string, STRINGS)
    env.table = picked(table, { "concat", "insert", "remove", "unpack" })
    env.math = picked(math, {
        "abs", "ceil", "floor", "fmod", "huge", "max", "maxinteger", "min", "mininteger", "modf",
        "sqrt", "tointeger", "type", "ult",
    })
    for _, pair in ipairs(more) do
        env[pair[1]] = pair[2]
    end
    return env
end

local CUT = {} -- the metatable of what `cut` raises, which a script cannot make

local function cut(text)
    error(setmetatable({ text = text }, CUT), 0)
end

-- The hook of one call.
local function looker(limits)
    local instructions, step = 0, math.min(LOOK_INSTRUCTIONS, limits.instructions)
    local deadline_ns = limits.clock and limits.clock() + TIME_NS
    return function()
        instructions = instructions + step
        if instructions > limits.instructions then
            cut("more than " .. limits.instructions .. " instructions")
        elseif deadline_ns and limits.clock() > deadline_ns then
            cut("more than " .. TIME_NS // 1000000 .. " ms")
        end
    end, step
end

-- With strings as the script may use them, and a limit on memory.
local function resume(thread, limits, ...)
    local strings = getmetatable("")
    local methods = strings.__index
    strings.__index = function(_, name)
        local ours = debug.getinfo(2, "S").source ~= CHUNK
        return (ours and string or safe_string)[name]
    end
    limits.memory(MEMORY_OCTETS)
    local good, result = coroutine.resume(thread, ...)
    limits.memory()
    strings.__index = methods
    return good, result
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

local function fault_of(thread, err)
    if getmetatable(err) == CUT then
        return { line = line_of(thread), text = "cut off: " .. err.text, cut = true }
    elseif err == "not enough memory" then
        local text = "cut off: more memory than it may have"
        return { line = line_of(thread), text = text, cut = true }
    end
    local text = type(err) == "string" and err or "an error that is a " .. type(err)
    local line, rest = text:match("^policy:(%d+): (.*)$")
    return { line = math.tointeger(line) or line_of(thread), text = rest or text }
end

-- `limits` are { instructions, memory = function(octets), clock = function() -> ns or nil }.
-- Returns true and its first result, or false and { line, text, cut }.
function box.call(fn, limits, ...)
    local thread = coroutine.create(fn)
    local hook, step = looker(limits)
    debug.sethook(thread, hook, "", step)
    local good, result = resume(thread, limits, ...)
    if good then
        return true, result
    end
    return false, fault_of(thread, result)
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
    return require "sluice.policy_memory".is_more(keeper.env, MEMORY_OCTETS, CHUNK)
end

-- Compiles a text and runs it, so that its functions stand in `env`. nil, or what is wrong as
-- above.
function box.run(text, env, limits)
    if text:sub(1, 1) == "\27" then
        return { line = 1, text = "compiled Lua" }
    end
    local chunk, err = load(text, CHUNK, "t", env)
    if not chunk then
        local line, rest = err:match("^policy:(%d+): (.*)$")
        return { line = math.tointeger(line) or 1, text = rest or err }
    end
    local good, fault = box.call(chunk, limits)
    return not good and fault or nil
end

return box
