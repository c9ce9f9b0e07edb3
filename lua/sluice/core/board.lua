-- The board of NSEs, NS-VCs, cells and MSs that others read, as an observer: the functions of
-- `require "board"`, none of which fails.
local board = require "board"
local observer = require "sluice.core.observer"

local running = true

local function stop()
    running = false
end

return setmetatable({}, {
    __index = function(guarded, name)
        local function fn(...)
            if running then
                observer.call("board", stop, board[name], ...)
            end
        end
        guarded[name] = fn
        return fn
    end,
})
