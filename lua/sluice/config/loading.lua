-- The thread that loads the file for a reload runs this, in a Lua state of its own (control/bind/loader.c).
local config = require "sluice.config.language"

local loading = {}

local critic -- of the last load

-- Takes the arguments of config.load.
function loading.load(...)
    local cfg, texts
    cfg, texts, critic = config.load(...)
    return { cfg = cfg, texts = texts }
end

-- Further mistakes, each { record_number, key, text }, as lines to print; and how many `more` there are.
function loading.texts(notes)
    for _, note in ipairs(notes) do
        critic.note(table.unpack(note))
    end
    critic.count(notes.more)
    return critic.texts()
end

return loading
