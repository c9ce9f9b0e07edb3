-- Jobs: long work beside the events, such as a reload. Each job is a coroutine; jobs take turns,
-- a piece of work each.
local clock = require "sluice.core.clock"

local jobs = {}

local queue = {}

-- Runs fn as a coroutine, then calls done(true, results...) or done(false, error).
function jobs.start(fn, done)
    queue[#queue + 1] = { task = coroutine.create(fn), done = done, from_ns = clock.now_ns }
end

-- A job calls this after each piece of work to let events and other jobs run (base/breath.lua does it
-- in loops over lists). It yields no value, as a call that waits for the dataplane does: control.lua's
-- loop, which yields a time, has not begun while the configuration is brought up.
function jobs.breathe()
    coroutine.yield()
end

-- The same, but the job waits for another thread, and nothing is to do for it for so long.
function jobs.wait(ns)
    coroutine.yield(ns)
end

-- When there is something to do for a job.
function jobs.next_ns()
    local next_ns = math.maxinteger
    for _, job in ipairs(queue) do
        next_ns = math.min(next_ns, job.from_ns)
    end
    return next_ns
end

local function step(job)
    local results = table.pack(coroutine.resume(job.task))
    if coroutine.status(job.task) ~= "dead" then
        job.from_ns = clock.now_ns + (results[2] or 0)
        return false
    end
    if not results[1] then
        results[2] = debug.traceback(job.task, tostring(results[2]))
    end
    job.done(table.unpack(results, 1, results.n))
    return true
end

-- Runs one piece of the first job that does not wait; the job then goes behind the others.
function jobs.work()
    for i, job in ipairs(queue) do
        if job.from_ns <= clock.now_ns then
            table.remove(queue, i)
            local over = step(job) -- which may start jobs
            queue[#queue + 1] = not over and job or nil
            return
        end
    end
end

return jobs
