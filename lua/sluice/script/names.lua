-- Misspelt names in a policy: unknown globals, and functions that are never called.
local nearest = require "sluice.base.nearest"
local shown = require "sluice.base.shown"

local names = {}

local LOOKED_AT_OCTETS = 300     -- of a message of Lua
local FUNCTIONS_LOOKED_AT = 1000 -- of a script's globals
local GLOBALS = {
    "assert", "error", "ipairs", "select", "tonumber", "tostring", "type", "string", "table", "math",
    "class", "aqm", "log", "state",
}

-- The "did you mean" for Lua's message about an unknown global.
function names.hint(text)
    local name = text:sub(1, LOOKED_AT_OCTETS):match("%(global '([%w_]+)'%)")
    return name and nearest.hint(name, GLOBALS) or ""
end

local function missing_of(env, hooks)
    local missing = {}
    for _, name in ipairs(hooks) do
        missing[#missing + 1] = env[name] == nil and name or nil
    end
    return missing
end

-- A fault for a global function with a name near a missing hook, or with any name if all hooks are
-- missing.
local function uncalled_of(name, line, hooks, missing)
    local meant = nearest.find(name, missing)
    return (meant or #missing == #hooks) and {
        line = line,
        text = ("%s: unknown function; allowed: %s, and local functions%s"):format(
            shown.plain(name), table.concat(hooks, ", "), nearest.question(meant)),
    }
end

local function line_defined(name, value, chunk)
    local info = type(value) == "function" and type(name) == "string" and debug.getinfo(value, "S")
    return info and info.source == chunk and info.linedefined
end

-- The fault of the script's first function that would never be called, or nil.
function names.uncalled(env, hooks, chunk)
    local missing, looked_at, first = missing_of(env, hooks), 0, nil
    for name, value in next, env do
        local line = line_defined(name, value, chunk)
        local found = line and uncalled_of(name, line, hooks, missing)
        looked_at = looked_at + (line and 1 or 0)
        if found and not (first and first.line <= line) then
            first = found
        end
        if looked_at == FUNCTIONS_LOOKED_AT then
            break
        end
    end
    return first
end

return names
