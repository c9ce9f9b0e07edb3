-- Runs the procedures of phones, which are tables: what is sent in a state, how often it is repeated, what may come
-- then, and what follows. Repetition is here and nowhere else. README.md has the form of a table.
--
-- A run is one procedure of one phone under way: { procedure, phone, place, request, state, message, expiries,
-- elsewhere }, and what the procedure itself keeps in it. elsewhere: { nse, bvc, tlli }, where the phone has said that it
-- is, and has not proved it: what the run sends goes there, and nothing else. A phone has at most one run at a place: "gmm", or what sm calls a context.
local count = require "count"
local network = require "sluice.core.network"
local timers = require "sluice.core.timers"

local procedure = {}

-- fn(phone, message, run): puts a message of GMM or SM on the phone's SAPI 1, to where the run says.
local send_to

function procedure.sender(fn)
    send_to = fn
end

-- The run of the phone at the place; nil: none.
function procedure.of(phone, place)
    for _, run in ipairs(phone.runs) do
        if run.place == place then
            return run
        end
    end
end

local function take_out(run)
    timers.stop(run.timer)
    run.timer, run.state = nil, nil
    for i, other in ipairs(run.phone.runs) do
        if other == run then
            table.remove(run.phone.runs, i)
            return true
        end
    end
    return false
end

-- The run has come to its end; nothing more of it happens.
procedure.finish = take_out

-- Something else ends the run: its procedure undoes what is half made. Nothing for nil or a run that has ended.
function procedure.stop(run)
    if run and take_out(run) and run.procedure.stopped then
        run.procedure.stopped(run)
    end
end

function procedure.stop_all(phone)
    while phone.runs[1] do
        procedure.stop(phone.runs[1])
    end
end

-- A run of the procedure, in no state yet; one that the phone has at the place is stopped. request: the octets
-- that it answers, nil if we begin.
function procedure.begin(of, phone, place, request)
    procedure.stop(procedure.of(phone, place))
    local run = { procedure = of, phone = phone, place = place, request = request }
    table.insert(phone.runs, run)
    return run
end

local start_timer

local function expired(run)
    local state, retries = run.state, network.cfg.timers[run.state.timer .. "_retries"]
    run.expiries, run.timer = run.expiries + 1, nil
    if run.expiries > retries then
        count.add "timeouts"
        return state.over(run)
    end
    count.add "retries"
    if run.message then
        send_to(run.phone, run.message, run)
    end
    start_timer(run)
end

function start_timer(run)
    timers.stop(run.timer)
    run.timer = timers.after(network.cfg.timers[run.state.timer .. "_ns"], expired, run)
end

-- The run goes to the state of that name, which its procedure has.
function procedure.enter(run, name)
    local state = assert(run.procedure.states[name], "the procedure has no such state")
    timers.stop(run.timer)
    run.state, run.timer, run.message, run.expiries = state, nil, nil, 0
    if state.enter then
        state.enter(run)
    end
    if run.state ~= state then -- it has gone on already, or has ended
        return
    end
    run.message = state.message and state.message(run)
    if run.message then
        send_to(run.phone, run.message, run)
    end
    if state.timer then
        start_timer(run)
    end
end

-- The same request again: the last message again, and its timer anew, but not its expiries (24.008 4.7.3.1.6 d).
-- Returns false for another request.
function procedure.again(run, request)
    if run.request ~= request then
        return false
    end
    if run.message then
        send_to(run.phone, run.message, run)
        if run.state.timer then
            start_timer(run)
        end
    end
    return true
end

-- The outcome of what has come for the run, by name: a message, or whatever the state waits for; false if the
-- state does not wait for that. `what` goes to the state's function.
function procedure.got(run, name, what)
    local fn = run.state and run.state.got and run.state.got[name]
    if not fn then
        return false
    end
    return fn(run, what) or "handled"
end

return procedure
