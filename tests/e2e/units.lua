-- The control plane's own structures against plain models: timers against a list that is sorted,
-- ids against a set; how long a misspelt word may be; how many functions of a script are looked at, and when what it
-- keeps is measured. Run by `sluice lua`; prints a line for each that holds.
local clock = require "sluice.core.clock"
local names = require "sluice.script.names"
local nearest = require "sluice.base.nearest"
local new_ids = require "sluice.core.ids"
local sandbox = require "sluice.script.sandbox"
local timers = require "sluice.core.timers"
local teids = require "sluice.subscribers.teids"

local state = 42
local function random(n) -- 1 .. n
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n + 1
end

local function fire_all(fired)
    local fire, argument = timers.due()
    while fire do
        fire(argument, fired)
        fire, argument = timers.due()
    end
end

-- What is due fires in the order of its instant, and then of its setting; what was stopped does not.
local function timers_hold()
    local model, sequence, fired = {}, 0, {}
    local function fire(argument)
        fired[#fired + 1] = argument
    end
    for _ = 1, 200000 do
        local what = random(10)
        if what <= 5 then
            sequence = sequence + 1
            local ns = random(1000) - 1
            local entry = { at = clock.now_ns + ns, sequence = sequence }
            entry.handle = timers.after(ns, fire, entry)
            model[#model + 1] = entry
        elseif what <= 8 and #model > 0 then
            local i = random(#model)
            timers.stop(model[i].handle)
            timers.stop(model[i].handle) -- twice does no harm
            model[i] = model[#model]
            model[#model] = nil
        else
            clock.now_ns = clock.now_ns + random(60)
            fired = {}
            fire_all(fired)
            local due, left = {}, {}
            for _, entry in ipairs(model) do
                local list = entry.at <= clock.now_ns and due or left
                list[#list + 1] = entry
            end
            table.sort(due, function(a, b)
                return a.at < b.at or a.at == b.at and a.sequence < b.sequence
            end)
            assert(#due == #fired, "as many as are due")
            for i, entry in ipairs(due) do
                assert(fired[i] == entry, "in order")
                timers.stop(entry.handle) -- behind the event it does no harm
            end
            model = left
            local next_ns = math.maxinteger
            for _, entry in ipairs(model) do
                next_ns = math.min(next_ns, entry.at)
            end
            assert(timers.next_ns <= next_ns, "nothing is slept over")
        end
    end
    print "timers"
end

local function ids_hold()
    local pool, taken, count = new_ids(50), {}, 0
    for _ = 1, 100000 do
        if random(2) == 1 then
            local id = pool:take()
            assert((id == nil) == (count == 50), "one as long as there is one")
            if id then
                assert(id >= 0 and id < 50 and not taken[id], "nobody else's")
                taken[id], count = true, count + 1
            end
        else
            local id = random(50) - 1
            if taken[id] then
                taken[id], count = nil, count - 1
                pool:give(id)
            end
        end
        assert(pool:left() == 50 - count, "as many are left")
    end
    print "ids"
end

-- Words of up to 40 octets are compared, longer ones are not.
local function nearest_holds()
    for octets = 1, 60 do
        local known = ("k"):rep(octets)
        local found = nearest.find(known:sub(2) .. "x", { "?", known })
        assert(octets == 1 or found == (octets <= 40 and known or nil), octets)
    end
    print "nearest"
end

-- A script may have more functions than anybody would compare with the hooks' names.
local function names_hold()
    local find, compared = nearest.find, 0
    nearest.find = function(...)
        compared = compared + 1
        return find(...)
    end
    for count, most in pairs { [1] = 1, [999] = 999, [1000] = 1000, [1001] = 1000, [1500] = 1000 } do
        local lines, env = {}, {}
        for i = 1, count do
            lines[i] = ("function f%d() end"):format(i)
        end
        assert(load(table.concat(lines, "\n"), "=script", "t", env))()
        compared = 0
        local fault = names.uncalled(env, { "start" }, "=script")
        assert(compared == most, "as many are compared")
        assert(most < count or fault.line == 1, "the first of them is named")
    end
    nearest.find = find
    print "names"
end

-- ---- The records with a TEID ----


local function has(record, teid)
    for _, pdp in ipairs(record.ms.pdp) do
        local first = pdp.ggsn_teid
        if first and teid >= first and teid < first + record.count then
            return true
        end
    end
    return false
end

-- The set of those that teids.find names and that have it, and how many it names.
local function named(teid)
    local found, n = {}, 0
    teids.find(teid, function(record)
        n = n + 1
        if has(record, teid) then
            found[record] = true
        end
    end)
    return found, n
end

local records = {}

local function check(teid)
    local found = named(teid)
    for _, record in ipairs(records) do
        assert((found[record] or false) == has(record, teid), "a record that has it, and is not found")
        found[record] = nil
    end
    assert(next(found) == nil, "a record that is not there any more")
end

local TEIDS = 3000

local function change()
    local what = #records < 5 and 1 or math.random(4)
    local at = math.random(math.max(#records, 1))
    if what <= 2 then
        local record = { count = math.random(4) == 1 and math.random(300) or 1, ms = { pdp = {} } }
        for j = 1, math.random(0, 3) do
            record.ms.pdp[j] = { ggsn_teid = math.random(5) > 1 and math.random(0, TEIDS) or nil }
        end
        teids.put(record)
        records[#records + 1] = record
    elseif what == 3 then
        teids.drop(table.remove(records, at))
    elseif records[at].count > 1 then -- cut, as registry.lua does
        local first = records[at]
        local n = math.random(first.count - 1)
        local rest = { count = first.count - n, ms = { pdp = {} } }
        for j, pdp in ipairs(first.ms.pdp) do
            rest.ms.pdp[j] = { ggsn_teid = pdp.ggsn_teid and pdp.ggsn_teid + n }
        end
        first.count = n
        teids.put(rest)
        records[#records + 1] = rest
    end
end

local function teids_hold()
    for _ = 1, 4000 do
        change()
        check(math.random(0, TEIDS + 300))
    end
    for _, record in ipairs(records) do
        teids.drop(record)
    end
    records = {}
    for teid = 0, TEIDS + 300 do
        assert(select(2, named(teid)) == 0, "all are gone")
    end
    for i = 0, 99999 do -- however many there are, few are looked at
        teids.put { count = i % 2 + 1, ms = { pdp = { { ggsn_teid = 3 * i } } } }
    end
    for _ = 1, 1000 do
        assert(select(2, named(math.random(0, 300000))) <= 3, "too many are looked at")
    end
    print "teids"
end

-- What a script keeps is measured at every hundredth call, and when memory has grown by a MiB.
local function looks_hold()
    local much = {}
    for i = 1, 100000 do
        much[i] = { i }
    end
    local keeper = { env = { kept = much } }
    for _ = 1, 2 do
        for call = 1, 100 do
            collectgarbage()
            assert(sandbox.keeps_much(keeper, collectgarbage "count") == (call == 100), "at the hundredth call")
        end
    end
    assert(not sandbox.keeps_much(keeper, collectgarbage "count" - 900), "less than a MiB more")
    assert(sandbox.keeps_much(keeper, collectgarbage "count" - 200), "a MiB more, in two calls")
    print "looks"
end

timers_hold()
ids_hold()
nearest_holds()
names_hold()
looks_hold()
teids_hold()
