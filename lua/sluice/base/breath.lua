-- Yields in long work: a loop over a long list calls this for each item, and now and then the coroutine
-- yields, so that events and other jobs run. Outside a coroutine, as in `sluice check`, it does
-- nothing.
local breath = {}

local STEPS_A_BREATH = 128

local left = STEPS_A_BREATH

function breath.now()
    left = STEPS_A_BREATH
    if coroutine.isyieldable() then
        coroutine.yield()
    end
end

function breath.take()
    left = left - 1
    if left <= 0 then
        breath.now()
    end
end

local function step(list, i)
    local item = list[i + 1]
    if item ~= nil then
        breath.take()
        return i + 1, item
    end
end

-- ipairs for a long list.
function breath.each(list)
    return step, list, 0
end

-- ---- A merge sort that yields ----

-- The last place of the sorted run that begins at `from`.
local function run_stop(list, from, before)
    local i = from
    while list[i + 1] ~= nil and not before(list[i + 1], list[i]) do
        i = i + 1
        breath.take()
    end
    return i
end

-- Merges the runs list[from..middle] and list[middle + 1..to], with `spare` as working space.
local function merge(list, spare, from, middle, to, before)
    table.move(list, from, middle, from, spare)
    local i, j = from, middle + 1
    for k = from, to do
        if j > to or i <= middle and not before(list[j], spare[i]) then
            list[k], i = spare[i], i + 1
        else
            list[k], j = list[j], j + 1
        end
        if i > middle then
            return -- the rest is in place
        end
        breath.take()
    end
end

-- A stable sort; a sorted list costs one pass.
function breath.sort(list, before)
    local spare, count = {}, #list
    while true do
        local from, runs = 1, 0
        while from <= count do
            local middle = run_stop(list, from, before)
            local to = middle < count and run_stop(list, middle + 1, before) or middle
            merge(list, spare, from, middle, to, before)
            from, runs = to + 1, runs + 1
        end
        if runs <= 1 then
            return
        end
    end
end

return breath
