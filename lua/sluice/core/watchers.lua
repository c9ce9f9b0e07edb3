-- Callbacks by event, called in the order of their registration, which modules do when they are loaded.
-- An event allocates nothing. events: the names. Returns watch(event, fn) and tell(event, ...), which
-- calls each fn(...).
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
