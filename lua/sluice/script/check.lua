-- Finds a user's script and checks it. policy/hooks.lua calls its functions.
local box = require "sluice.script.sandbox"

local check = { HOOKS = { "start", "timer", "flow_control", "attach", "context" } }

function check.path(config_name, script)
    return script:sub(1, 1) == "/" and script or (config_name:match("^.*/") or "") .. script
end

local function too_early()
    error("not before start()", 2)
end

local function nothing() end

-- Returns the first wrong line of the script and why it is wrong, or nil.
function check.script(record)
    local env = box.environment {
        { "class", too_early }, { "aqm", too_early }, { "log", nothing }, { "state", {} },
    }
    local fault = box.run(record.text, env, record.instructions) or box.uncalled(env, check.HOOKS)
    return fault and fault.line, fault and fault.text
end

return check
