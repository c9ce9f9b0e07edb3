-- The user's policy: a script beside the configuration. The script may define
--   start()               called once, when the script comes into force
--   timer()               called each policy.every
--   flow_control(event)   called for each FLOW-CONTROL-*: event is { level = "bvc"|"ms"|"pfc", nsei,
--                         bvci, tlli, pfi, bucket_octets, rate_bit_per_s }; it may return a table with
--                         lower values of the last two than the BSS offers, never higher (48.018 8.2)
--   attach(event)         called for each phone that may attach: event is { imsi, nsei, bvci, mcc, mnc, lac,
--                         rac }; it may return { refuse = cause }, a GMM cause
--   context(event)        called when a phone asks for a PDP context: event is { imsi, apn, nsapi, class }; it
--                         may return { refuse = SM cause of 24.008 10.5.6.6 } or { class = "a lower class" }
-- and use class "name" { weight = ..., lifetime = ... }, aqm "name" { parameters }, log(text), and the
-- table `state`, which survives a reload. Values come into force when the call has succeeded; a call
-- that fails or takes too long is counted and sets nothing. A function that takes too long too often
-- is given a rest between calls, for each of them keeps the BSSs waiting. A script that keeps too
-- much memory is removed until a reload brings another.
local box = require "sluice.script.sandbox"
local check = require "sluice.script.check"
local class_names = require "classes"
local classes = require "sluice.policy.classes"
local clock = require "sluice.core.clock"
local count = require "count"
local program = require "program"
local log = require "log"
local setters = require "sluice.policy.setters"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local policy = { has_flow_control = false }

-- A function rests after three cuts; each is forgiven by eight calls that end by themselves.
local CUT_COSTS = 8
local COSTS_MOST = 3 * CUT_COSTS
local REST_S = 60
local SAID_EVERY_S = 600

local state = {} -- the table `state` of the script

-- ---- In force ----

-- { record, env, timer, rests: by function, { costs, until_ns, said_ns } }; nil: no script, or it was removed
local script

local function note(record, fault, where)
    count.add(fault.cut and "hook_cuts" or "hook_faults")
    local text = ("%s:%d: %s: %s"):format(record.script, fault.line, where, fault.text)
    program.hook_fault(text)
    log.error(text)
end

local function remove()
    if script then
        timers.stop(script.timer)
    end
    script, policy.has_flow_control = nil, false
end

-- Calls run(...), which runs code of the script, then removes the script if it keeps too much memory.
local function guarded(run, ...)
    local mine, used = script, collectgarbage "count"
    setters.begin()
    local good, result = run(...)
    policy.has_flow_control = type(mine.env.flow_control) == "function"
    if box.keeps_much(mine, used) then
        note(mine.record, { line = 1, cut = true,
            text = "the script keeps more memory than it may; the policy is removed" }, "cut off")
        remove()
        state = {}
    end
    return good, result
end

-- Takes note of how a call of the function has ended. After a rest, a call that ends by itself is followed
-- by others, until the next cut.
local function rest_after(record, rest, name, cut)
    if not cut then
        rest.costs = math.max(rest.costs - 1, 0)
        return
    end
    rest.costs = math.min(rest.costs + CUT_COSTS, COSTS_MOST)
    if rest.costs < COSTS_MOST then
        return
    end
    rest.until_ns = clock.now_ns + REST_S * 1000000000
    if not rest.said_ns or clock.now_ns >= rest.said_ns + SAID_EVERY_S * 1000000000 then
        rest.said_ns = clock.now_ns
        log.error(("%s: %s(): cut off too often; called once in %d s from now on, until it ends by itself"):format(
            record.script, name, REST_S))
    end
end

-- Calls the script's function `name`, if defined. Returns whether the call succeeded, and its result.
local function call(name, ...)
    local record, fn, rest = script.record, script.env[name], script.rests[name]
    if type(fn) ~= "function" then
        return false
    elseif clock.now_ns < rest.until_ns then
        count.add "hook_rests"
        return false
    end
    local good, result = guarded(box.call, fn, record.instructions, ...)
    if good then
        setters.apply()
    else
        note(record, result, name .. "()")
    end
    rest_after(record, rest, name, not good and result.cut)
    return good, good and result or nil
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
    local rests = {}
    for _, name in ipairs(check.HOOKS) do
        rests[name] = { costs = 0, until_ns = 0 }
    end
    script = {
        record = record, rests = rests,
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

-- Replaces the script after a reload.
function policy.set(record)
    remove()
    if record then
        install(record)
    end
end

function policy.begin()
    local cfg = network.cfg
    classes.begin(cfg)
    policy.set(cfg.policy)
end

-- ---- Flow control ----

-- The script's value for a field of the event, at most the offered one; false if it is no whole number.
local function replaced(given, name, offered)
    local value = given[name]
    if value == nil then
        return offered
    end
    value = math.tointeger(value)
    return value and value >= 0 and math.min(value, offered)
end

-- The bucket size and rate to use, in octets and bit/s.
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
        local text = "bucket_octets or rate_bit_per_s: not a whole number >= 0"
        note(record, { line = 1, text = text }, "flow_control()")
        return octets, rate
    end
    return new_octets, new_rate
end

-- ---- Attach ----

local CAUSE_LEAST, CAUSE_MOST = 2, 111

-- The cause with which the script refuses the phone; nil: it does not.
function policy.attach(event)
    local good, given = false, nil
    if script then
        good, given = call("attach", event)
    end
    if not good or type(given) ~= "table" or given.refuse == nil then
        return nil
    end
    local cause = math.tointeger(given.refuse)
    if cause and cause >= CAUSE_LEAST and cause <= CAUSE_MOST then
        return cause
    end
    note(script.record, { line = 1, text = ("refuse: not a whole number from %d to %d"):format(CAUSE_LEAST,
        CAUSE_MOST) }, "attach()")
    return nil
end

-- ---- Contexts ----

local order = {}
for i, name in ipairs(class_names) do
    order[name] = i
end

local CAUSES = { least = 8, most = 111 }

-- What a script has returned, if it may: a cause, or a class that is not before its own.
local function judged(given, own)
    if given.refuse ~= nil then
        local cause = math.tointeger(given.refuse)
        return cause and cause >= CAUSES.least and cause <= CAUSES.most and cause or nil, own
    elseif given.class ~= nil then
        return nil, order[given.class] and order[given.class] >= order[own] and given.class or nil
    end
    return nil, own
end

-- Returns the cause of a refusal, nil for none, and the class to use.
function policy.context(event)
    local record, own = script and script.record, event.class
    local good, given
    if record then
        good, given = call("context", event)
    end
    if not good or type(given) ~= "table" then
        return nil, own
    end
    local cause, class = judged(given, own)
    if given.refuse ~= nil and not cause or not class then
        note(record, { line = 1, text = "refuse is no cause from 8 to 111, or class is none at or below " .. own },
            "context()")
        return nil, own
    end
    return cause, class
end

return policy
