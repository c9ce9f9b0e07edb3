-- What another thread asks of the procedures: the words of `sluice ctl`, and signals. A function for
-- each first word; it runs as a job, and its answer goes back when that is done.
local count = require "count"
local host = require "host"
local log = require "log"
local nearest = require "sluice.base.nearest"
local world = require "sluice.core.world"

local requests = { words = {}, list = {}, names = {} }

-- answer(words) -> good, text. `usage` is the request's line in the help.
function requests.on(word, usage, answer)
    requests.words[word] = answer
    requests.list[#requests.list + 1] = usage
    requests.names[#requests.names + 1] = word
end

-- A cell or an NS-VC is two numbers, or both in one word as `stats` prints them: 101-2.
local function words_of(question)
    local words = {}
    for word in question:gmatch "%S+" do
        local first, second = word:match "^(%d+)%-(%d+)$"
        words[#words + 1] = first or word
        words[#words + 1] = second
    end
    return words
end

-- In the order of the words, whichever module was loaded first.
local function usage()
    table.sort(requests.list)
    return "allowed are:\n  " .. table.concat(requests.list, "\n  ")
end

local function unknown(words)
    local word = words[1] or ""
    return false, "found the unknown " .. word .. nearest.hint(word, requests.names) .. "; "
        .. usage()
end

local function answered(good, done, text)
    if not good then
        count.add("other_faults")
        log.error("a request failed: " .. tostring(done))
        done, text = false, "a fault of ours, see the log"
    end
    host.answer(done and true or false, text or "done")
end

-- Begins with a question, if there is one.
function requests.poll()
    local question = host.question()
    if question then
        local words = words_of(question)
        local answer = requests.words[words[1]] or unknown
        world.job(function()
            return answer(words)
        end, answered)
    end
end

requests.on("help", "help", function()
    return true, usage()
end)

requests.on("log", "log error|warn|info|debug", function(words)
    if not ({ error = true, warn = true, info = true, debug = true })[words[2]] then
        return false, "a level is one of error, warn, info, debug"
    end
    log.level(words[2])
    return true, "log level " .. words[2]
end)

return requests
