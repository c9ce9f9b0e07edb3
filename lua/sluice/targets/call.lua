-- Calls a function of the file for one seed, within the limits of script/sandbox.lua.
local box = require "sluice.script.sandbox"
local shown = require "sluice.base.shown"

local call = {}

local INSTRUCTIONS = 100000000 -- between two questions to the runs

-- Returns true and what of[key] returns for a seed and these arguments; or false and a fault, or no
-- fault: a run is not there.
function call.value(asked, seed, of, key, ...)
    asked.seed, asked.missing = seed, false
    local good, result = box.serve(asked.serve, of[key], INSTRUCTIONS, ...)
    if asked.missing then
        return false
    end
    return good, result
end

function call.fault(of, key, found, allowed)
    return { line = of.line, text = ("%s: found %s, allowed %s"):format(key, shown.show(found), allowed) }
end

-- The number that of[key] returns, or nil and a fault as above.
function call.number(asked, seed, of, key, ...)
    local good, result = call.value(asked, seed, of, key, ...)
    if not good then
        return nil, result
    elseif not math.type(result) or result ~= result or math.abs(result) == math.huge then
        return nil, call.fault(of, key, result, "a number")
    end
    return result + 0.0
end

-- of: what has the line of its constructor.
function call.fault_text(of, name, fault)
    return ("%s:%d: %s"):format(name, fault.unplaced and of.line or fault.line, fault.text)
end

return call
