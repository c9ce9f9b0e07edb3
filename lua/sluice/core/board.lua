-- The board: the states of NSEs, NS-VCs, cells and MSs for the live view. Wraps the functions of
-- `require "board"` as an observer, so none of them raises an error.
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
