-- Requests from another thread: `sluice ctl` and signals. Each first word has a handler, which runs as
-- a job; the answer goes back when the job ends.
local count = require "count"
local program = require "program"
local log = require "log"
local nearest = require "sluice.base.nearest"
local jobs = require "sluice.core.jobs"

local requests = { words = {} }

local names, usages = {}, {} -- the first words in the order of control/plane/requests.def; usages by first word

for _, usage in ipairs(program.requests) do
    local word = usage:match "^%S+"
    if not usages[word] then
        names[#names + 1], usages[word] = word, {}
    end
    table.insert(usages[word], usage)
end

-- answer(words) -> good, text.
function requests.on(word, answer)
    assert(usages[word], word .. " has no line in requests.def")
    requests.words[word] = answer
end

-- How the request of that word is written, for a refusal.
function requests.usage(word)
    return "usage: " .. table.concat(usages[word], ", or ")
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

local function unknown(words)
    local word = words[1] or ""
    local near = nearest.hint(word, names)
    if usages[word] then
        return false, ("'%s' is about phones that attach, and this run has no attach { }"):format(word)
    elseif near == "" then
        near = "; allowed: " .. table.concat(names, ", ")
    end
    return false, ("unknown request '%s'%s\nsluice ctl help says what each does"):format(word, near)
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

-- The client prints its own, with a text to each.
requests.on("help", function()
    return true, table.concat(program.requests, "\n")
end)

-- The client asks elsewhere, which needs no control plane.
requests.on("trace", function()
    return false, "sluice ctl trace asks the workers itself; as a command of the socket: /sluice/trace"
end)

requests.on("log", function(words)
    if not words[2] then
        return true, "log level " .. log.level()
    elseif not ({ error = true, warn = true, info = true, debug = true })[words[2]] then
        return false, "unknown level; allowed: error, warn, info, debug"
    end
    log.level(words[2])
    return true, "log level " .. words[2]
end)

return requests
