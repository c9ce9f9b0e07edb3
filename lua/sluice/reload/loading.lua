-- Loads the run's file again. Another thread does it, in a Lua state of its own, since a text may keep Lua busy
-- for many seconds; what comes of it is taken over in pieces. The records' lines stay there, so mistakes that a
-- reload finds are noted here and become lines there.
local breath = require "sluice.base.breath"
local jobs = require "sluice.core.jobs"
local program = require "program"

local loading = {}

local LOOK_NS = 1000000
local VALUES_A_BREATH = 2048
local NOTES_MOST = 1000 -- further ones are only counted

local function answer()
    while true do
        local all, value = program.load_answer(VALUES_A_BREATH)
        if all then
            return value
        elseif all == nil then
            jobs.wait(LOOK_NS)
        else
            breath.now()
        end
    end
end

local critic = {}
critic.__index = critic

-- Notes a mistake at a key of a record.
function critic:note(record, key, text)
    local notes = self.notes
    if #notes < NOTES_MOST then
        notes[#notes + 1] = { record.record_number, key, text }
    else
        notes.more = notes.more + 1
    end
end

function critic:any()
    return #self.notes > 0
end

-- The mistakes with their lines; nil if there are none.
function critic:texts()
    if not self:any() then
        return nil
    end
    program.load_ask(self.notes)
    return answer()
end

-- Runs fn(cfg, critic) with the new configuration, or fn(nil, texts), and returns what that returns.
function loading.with(fn)
    program.load()
    local results = table.pack(xpcall(function()
        local loaded = answer()
        if loaded.cfg then
            return fn(loaded.cfg, setmetatable({ notes = { more = 0 } }, critic))
        end
        return fn(nil, loaded.texts)
    end, debug.traceback))
    program.load_end()
    if not results[1] then
        error(results[2], 0)
    end
    return table.unpack(results, 2, results.n)
end

return loading
