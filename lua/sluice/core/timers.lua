-- Timers in the time of the run: a heap ordered by expiry, then by start. A stopped timer stays in the
-- heap without a function until its expiry, or until stopped timers are more than half of the heap.
local clock = require "sluice.core.clock"

local timers = { next_ns = math.maxinteger }

local heap, n, stopped, sequence = {}, 0, 0, 0

local function earlier(a, b)
    return a.at_ns < b.at_ns or a.at_ns == b.at_ns and a.sequence < b.sequence
end

local function rise(i)
    local timer = heap[i]
    while i > 1 and earlier(timer, heap[i // 2]) do
        heap[i], i = heap[i // 2], i // 2
    end
    heap[i] = timer
end

local function sink(i)
    local timer = heap[i]
    while 2 * i <= n do
        local child = 2 * i
        if child < n and earlier(heap[child + 1], heap[child]) then
            child = child + 1
        end
        if not earlier(heap[child], timer) then
            break
        end
        heap[i], i = heap[child], child
    end
    heap[i] = timer
end

local function set_next()
    timers.next_ns = n > 0 and heap[1].at_ns or math.maxinteger
end

local function take_first()
    local first = heap[1]
    heap[1], heap[n], n = heap[n], nil, n - 1
    if n > 0 then
        sink(1)
    end
    return first
end

local function compact()
    local kept = 0
    for i = 1, n do
        if heap[i].fire then
            kept = kept + 1
            heap[kept] = heap[i]
        end
    end
    for i = kept + 1, n do
        heap[i] = nil
    end
    n, stopped = kept, 0
    for i = n // 2, 1, -1 do
        sink(i)
    end
end

-- Calls fire(argument) after ns. Returns the timer, for timers.stop.
function timers.after(ns, fire, argument)
    sequence = sequence + 1
    local timer = {
        at_ns = clock.now_ns + ns, sequence = sequence, fire = fire, argument = argument,
    }
    n = n + 1
    heap[n] = timer
    rise(n)
    set_next()
    return timer
end

-- Stops a timer; does nothing for nil or a timer that has fired.
function timers.stop(timer)
    if not timer or not timer.fire then
        return
    end
    timer.fire, timer.argument = nil, nil
    stopped = stopped + 1
    if stopped > 64 and stopped > n // 2 then
        compact()
        set_next()
    end
end

-- The function and argument of the first expired timer; nil if none has expired.
function timers.due()
    while n > 0 and heap[1].at_ns <= clock.now_ns do
        local timer = take_first()
        set_next()
        local fire, argument = timer.fire, timer.argument
        if fire then
            timer.fire = nil
            return fire, argument
        end
        stopped = stopped - 1
    end
end

return timers
