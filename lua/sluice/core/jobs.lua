-- Jobs: long work beside the events, such as a reload. Each job is a coroutine; jobs take turns,
-- a piece of work each.
local jobs = {}

local queue = {}

-- Runs fn as a coroutine, then calls done(true, results...) or done(false, error).
function jobs.start(fn, done)
    queue[#queue + 1] = { task = coroutine.create(fn), done = done }
end

-- A job calls this after each piece of work to let events and other jobs run (base/breath.lua does it
-- in loops over lists). It yields no value, as a call that waits for the dataplane does: control.lua's
-- loop, which yields a time, has not begun while the configuration is brought up.
function jobs.breathe()
    coroutine.yield()
end

function jobs.busy()
    return queue[1] ~= nil
end

local function step(job)
    local results = table.pack(coroutine.resume(job.task))
    if coroutine.status(job.task) ~= "dead" then
        return false
    end
    if not results[1] then
        results[2] = debug.traceback(job.task, tostring(results[2]))
    end
    job.done(table.unpack(results, 1, results.n))
    return true
end

-- Runs one piece of the first job, which then goes behind the others.
function jobs.work()
    local job = table.remove(queue, 1)
    if job and not step(job) then
        queue[#queue + 1] = job
    end
end

return jobs
