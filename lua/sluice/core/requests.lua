-- Requests from another thread: `sluice ctl` and signals. Each first word has a handler, which runs as
-- a job; the answer goes back when the job ends.
local count = require "count"
local program = require "program"
local log = require "log"
local nearest = require "sluice.base.nearest"
local jobs = require "sluice.core.jobs"

local requests = { words = {}, list = {}, names = {} }

-- answer(words) -> good, text. usage: the request's line in the help.
function requests.on(word, usage, answer)
    requests.words[word] = answer
    requests.list[#requests.list + 1] = usage
    requests.names[#requests.names + 1] = word
end

-- A cell or NS-VC is two words, or one word as `stats` prints it: 101-2.
local function words_of(question)
    local words = {}
    for word in question:gmatch "%S+" do
        local first, second = word:match "^(%d+)%-(%d+)$"
        words[#words + 1] = first or word
        words[#words + 1] = second
    end
    return words
end

local function usage()
    table.sort(requests.list)
    return "allowed:\n  " .. table.concat(requests.list, "\n  ")
end

local function unknown(words)
    local word = words[1] or ""
    return false, ("unknown request '%s'%s; %s"):format(word, nearest.hint(word, requests.names),
        usage())
end

local function answered(good, done, text)
    if not good then
        count.add("other_faults")
        log.error("internal error in a request: " .. tostring(done))
        done, text = false, "internal error, see the log"
    end
    program.answer(done and true or false, text or "done")
end

-- Starts the job of a waiting request.
function requests.poll()
    local question = program.question()
    if question then
        local words = words_of(question)
        local answer = requests.words[words[1]] or unknown
        jobs.start(function()
            return answer(words)
        end, answered)
    end
end

requests.on("help", "help", function()
    return true, usage()
end)

-- For the list alone: the client asks elsewhere, which needs no control plane.
requests.on("trace", "trace [on [--ms IMSI | --cell NSEI-BVCI] [--packets N] | off]", function()
    return false, "sluice ctl trace asks the workers itself; as a command of the socket: /sluice/trace"
end)

requests.on("log", "log [error|warn|info|debug]", function(words)
    if not words[2] then
        return true, "log level " .. log.level()
    elseif not ({ error = true, warn = true, info = true, debug = true })[words[2]] then
        return false, "unknown level; allowed: error, warn, info, debug"
    end
    log.level(words[2])
    return true, "log level " .. words[2]
end)

return requests
