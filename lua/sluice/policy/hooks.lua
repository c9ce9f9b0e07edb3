-- The user's policy: a script beside the configuration. It may define
--   start()               once, when it comes into force
--   timer()               each policy.every
--   flow_control(event)   for each FLOW-CONTROL-*: event is { level = "bvc"|"ms"|"pfc", nsei, bvci,
--                         tlli, pfi, bucket_octets, rate_bit_per_s }; it may return a table with
--                         less of the last two than the BSS offers, never more (48.018 8.2)
-- and use class "name" { weight = ..., lifetime = ... }, aqm "name" { its parameters }, log(text),
-- and the table `state`, which outlives a reload. What it sets comes into force when the call has
-- ended well; a call that fails, or takes too long, is counted and sets nothing. A script that
-- keeps more memory than it may is ended, until there is another.
local box = require "sluice.script.sandbox"
local classes = require "sluice.policy.classes"
local count = require "count"
local host = require "host"
local log = require "log"
local setters = require "sluice.policy.setters"
local timers = require "sluice.core.timers"
local world = require "sluice.core.world"

local policy = { has_flow_control = false }

local state = {} -- the script's own

-- ---- In force ----

local script -- { record, env, timer }; nil: there is none, or it was ended

local function note(record, fault, where)
    count.add(fault.cut and "hook_cuts" or "hook_faults")
    local text = ("%s:%d: %s: %s"):format(record.script, fault.line, where, fault.text)
    host.hook_fault(text)
    log.error(text)
end

local function remove()
    if script then
        timers.stop(script.timer)
    end
    script, policy.has_flow_control = nil, false
end

-- Runs something of its; behind it, ends it if it keeps too much.
local function guarded(run, ...)
    local mine, used = script, collectgarbage "count"
    setters.begin()
    local good, result = run(...)
    policy.has_flow_control = type(mine.env.flow_control) == "function"
    if box.keeps_much(mine, used) then
        note(mine.record, { line = 1, cut = true,
            text = "cut off: it keeps more memory than it may; the policy has ended" }, "the script")
        remove()
        state = {}
    end
    return good, result
end

-- Calls one of its functions, if it has it: whether that went well, and its result.
local function call(name, ...)
    local record, fn = script.record, script.env[name]
    if type(fn) ~= "function" then
        return false
    end
    local good, result = guarded(box.call, fn, record.instructions, ...)
    if good then
        setters.apply()
        return true, result
    end
    note(record, result, name .. "()")
    return false
end

local function tick(mine)
    if script == mine then
        mine.timer = timers.after(mine.record.every_ns, tick, mine)
        call "timer"
    end
end

local function say(text)
    log.info("policy: " .. box.shown(tostring(text)))
end

local function install(record)
    script = {
        record = record,
        env = box.environment {
            { "class", setters.class }, { "aqm", setters.aqm }, { "log", say }, { "state", state },
        },
    }
    script.timer = timers.after(record.every_ns, tick, script)
    local fault = guarded(box.run, record.text, script.env, record.instructions)
    if fault then
        note(record, fault, "the script")
    end
    if script then
        call "start"
    end
end

-- Another configuration is in force.
function policy.set(record)
    remove()
    if record then
        install(record)
    end
end

function policy.begin()
    local cfg = world.cfg
    cfg.critic = nil -- it holds all that the file's text made
    classes.begin(cfg)
    policy.set(cfg.policy)
end

-- ---- Flow control ----

-- What the script returned for a value of the event's: a whole number, not above it.
local function replaced(given, name, offered)
    local value = given[name]
    if value == nil then
        return offered
    end
    value = math.tointeger(value)
    return value and value >= 0 and math.min(value, offered)
end

-- Bucket and rate that are to be used, in octets and bit/s.
function policy.flow_control(event)
    local octets, rate = event.bucket_octets, event.rate_bit_per_s
    if not policy.has_flow_control then
        return octets, rate
    end
    local record = script.record
    local good, given = call("flow_control", event)
    if not good or type(given) ~= "table" then
        return octets, rate
    end
    local new_octets = replaced(given, "bucket_octets", octets)
    local new_rate = replaced(given, "rate_bit_per_s", rate)
    if not (new_octets and new_rate) then
        note(record, { line = 1, text = "its values are no whole numbers" }, "flow_control()")
        return octets, rate
    end
    return new_octets, new_rate
end

return policy
