-- Who wants to know what becomes of something: functions by event, called in the order in which they
-- came. They come when their module is loaded, before the first event. Nothing is allocated for one.
-- events: their names. Returns watch(event, fn) and tell(event, ...), which calls each fn(...).
return function(events)
    local of = {}
    for _, event in ipairs(events) do
        of[event] = {}
    end
    local function watch(event, fn)
        table.insert(of[event], fn)
    end
    local function tell(event, ...)
        for _, fn in ipairs(of[event]) do
            fn(...)
        end
    end
    return watch, tell
end
