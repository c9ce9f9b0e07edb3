-- XID both ways (TS 44.064 clause 8.5.3): answers the MS's XID commands, and sends XID commands for the
-- values of the configuration. The SGSN's first command waits until control has heard of the MS (seen),
-- or until `sluice ctl xid`. If the IOV-UI changes, the first command is a Reset with the new IOV-UI on
-- SAPI 1; then N201-U on each SAPI of the MS's contexts. One command at a time, guarded by T200.
--
-- A Reset takes effect in the worker, when its frame leaves: control does not learn whether it has left
-- before the MS answers. So a Reset without an answer is tried again when the MS is next heard. No two
-- frames with one key may have the same INPUT, and Reset sets N(U) and OC to 0: so each Reset has another
-- IOV-UI, whether the one before has left or not.
--
-- If the commands of both sides collide, both are answered, and the value that we have answered is the
-- most that we accept (8.5.5). A command of the MS that equals our own open one may be an answer to it,
-- for there are phones whose responses say that they are commands. It is answered, as both sides mean
-- the same; and ours is not repeated.
--
-- Only an SGSN sends Reset (7.2.1.2): one that comes as a command is an answer to ours, or is ignored.
-- XID is not enciphered, so anybody may have sent it, and the MS would know nothing of new numbers.
local count = require "count"
local dp = require "dp"
local llc_first = require "sluice.subscribers.llc_first"
local log = require "log"
local requests = require "sluice.core.requests"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local wire = require "wire"
local network = require "sluice.core.network"
local xid = require "sluice.llc.xid"

local exchange = {}

local SAPI_RESET = 1
local IOV_STEP = 0x9E3779B9

-- By ms_id, for MSs with agreed parameters or an exchange under way:
--   { n201_u = { in force, by SAPI }, agreed = { by SAPI: true }, iov_ui, tried,
--     last_iov_ui = of the last Reset, answered or not, due = a Reset had no answer,
--     going = { steps, sapi, command, reset_iov_ui, met, left, timer } }
local states = {}

local function state_of(ms_id)
    states[ms_id] = states[ms_id] or { n201_u = {}, agreed = {} }
    return states[ms_id]
end

local function forget(ms_id)
    local state = states[ms_id]
    if state then
        timers.stop(state.going and state.going.timer)
        states[ms_id] = nil
    end
end

subscribers.watch("removed", forget)
subscribers.watch("rekeyed", forget)

local function nse_cfg_of(record)
    return network.nse[record.nse_id].cfg
end

-- ---- The parameters in force ----

local function is_user(sapi)
    return xid.defaults[sapi].kd ~= nil
end

-- N201-U in force, and the largest that the configuration allows.
local function n201_u(ms_id, sapi)
    local default = xid.defaults[sapi].n201_u_octets
    if not is_user(sapi) then
        return default, default
    end
    local record, state = subscribers.of(ms_id), states[ms_id]
    local first = llc_first.values(nse_cfg_of(record), record.ms)
    return state and state.n201_u[sapi] or first, record.ms.n201_u_octets
end

local function first_iov_ui(ms_id)
    local record = subscribers.of(ms_id)
    local _, first = llc_first.values(nse_cfg_of(record), record.ms)
    return first
end

-- The one that the MS knows.
local function iov_ui(ms_id)
    local state = states[ms_id]
    return state and state.iov_ui or first_iov_ui(ms_id)
end

-- The one of the last Reset, which the MS may not have got.
function exchange.last_iov_ui(ms_id)
    local state = states[ms_id]
    return state and state.last_iov_ui or first_iov_ui(ms_id)
end

-- Workers know a Reset of an MS without a key by its IOV-UI, too.
local function next_iov_ui(ms_id)
    return exchange.last_iov_ui(ms_id) + IOV_STEP & 0xFFFFFFFF
end

local function set_n201_u(ms_id, sapi, octets)
    if is_user(sapi) and n201_u(ms_id, sapi) ~= octets then
        dp.ms_n201_u { ms_id = ms_id, sapi = sapi, n201_u = octets }
    end
    state_of(ms_id).n201_u[sapi] = octets
end

local function is_enciphered(record)
    return record.ms.cipher ~= "none"
end

-- Reset: all parameters are those of table 9. Until the MS has got it, N201-U may not grow.
local function set_defaults(ms_id, may_grow)
    local state, ms = state_of(ms_id), subscribers.of(ms_id).ms
    state.agreed, state.tried = {}, false
    for _, sapi in ipairs(llc_first.user_sapis) do
        local octets = math.min(ms.n201_u_octets, xid.defaults[sapi].n201_u_octets)
        set_n201_u(ms_id, sapi, may_grow and octets or math.min(octets, (n201_u(ms_id, sapi))))
    end
end

-- The MS knows of the last Reset.
local function reset_known(ms_id)
    local state = states[ms_id]
    state.due = false
    if is_enciphered(subscribers.of(ms_id)) then
        state.iov_ui = state.last_iov_ui
    end
    set_defaults(ms_id, true)
end

-- ---- XID commands of the SGSN ----

-- reset_iov_ui: of a Reset.
local function send(ms_id, frame, reset_iov_ui)
    count.pdu_out("llc_xid")
    dp.llc { ms_id = ms_id, pdu = wire.llc_xid.encode(frame), reset_iov_ui = reset_iov_ui }
end

local function send_command(ms_id, going)
    local state = state_of(ms_id)
    if going.reset_iov_ui then
        state.last_iov_ui = going.reset_iov_ui
        set_defaults(ms_id, false)
        subscribers.tell("reset", ms_id, going.reset_iov_ui)
    end
    state.tried = true
    send(ms_id, going.command, going.reset_iov_ui)
end

local begin_step, listen

local function give_up(ms_id, going)
    local state = states[ms_id]
    state.going = nil
    if going.reset_iov_ui then
        state.due = true
        listen(ms_id, subscribers.of(ms_id))
    end
    count.add("timeouts")
    log.info(("IMSI %s: no answer to XID on SAPI %d"):format(subscribers.imsi(ms_id), going.sapi))
end

local t200

local function send_again(ms_id, going)
    going.timer = timers.after(network.cfg.timers.t200_ns, t200, ms_id)
    if going.reset_iov_ui then
        going.reset_iov_ui = next_iov_ui(ms_id)
        going.command.iov_ui = going.command.iov_ui and going.reset_iov_ui
    end
    count.add("retries")
    send_command(ms_id, going)
end

function t200(ms_id)
    local going = states[ms_id].going
    if going.met then
        return begin_step(ms_id, going)
    elseif going.left == 0 then
        return give_up(ms_id, going)
    end
    going.left = going.left - 1
    send_again(ms_id, going)
end

-- A command that still waited for the MS in its former NSE does not reach it any more. User data goes
-- under the numbers of a Reset, so the Reset must precede it in the new NSE.
local function changed_nse(ms_id)
    local going = states[ms_id] and states[ms_id].going
    if going then
        timers.stop(going.timer)
        send_again(ms_id, going)
    end
end

subscribers.watch("changed_nse", changed_nse)

-- Sends the command of the next step, or ends the exchange.
function begin_step(ms_id, going)
    local step = table.remove(going.steps, 1)
    if not step then
        states[ms_id].going = nil
        return
    end
    going.sapi, going.left, going.met = step.sapi, network.cfg.timers.t200_retries, nil
    going.reset_iov_ui = step.reset_iov_ui
    going.command = {
        cr = true, sapi = step.sapi, pf = true, reset = step.reset_iov_ui ~= nil,
        iov_ui = is_enciphered(subscribers.of(ms_id)) and step.reset_iov_ui or nil,
        n201_u_octets = step.n201_u_octets,
    }
    going.timer = timers.after(network.cfg.timers.t200_ns, t200, ms_id)
    send_command(ms_id, going)
end

local function begin(ms_id, steps)
    local state = state_of(ms_id)
    state.going = { steps = steps }
    begin_step(ms_id, state.going)
end

local function n201_u_steps(record, steps, wanted)
    if not record.ms.pdp[1] then -- a phone that has just attached has no context
        return steps
    end
    local has = {}
    for _, pdp in ipairs(record.ms.pdp) do
        has[pdp.sapi] = true
    end
    for _, sapi in ipairs(llc_first.user_sapis) do
        if has[sapi] and wanted(sapi) then
            steps[#steps + 1] = { sapi = sapi, n201_u_octets = record.ms.n201_u_octets }
        end
    end
    return steps
end

-- The commands for values of the configuration that differ from table 9 and are not agreed yet.
local function new_n201_u_steps(record, steps, agreed)
    return n201_u_steps(record, steps, function(sapi)
        return not agreed[sapi] and record.ms.n201_u_octets ~= xid.defaults[sapi].n201_u_octets
    end)
end

local function reset_step(reset_iov_ui)
    return { sapi = SAPI_RESET, reset_iov_ui = reset_iov_ui }
end

-- Without any Reset yet, the file's IOV-UI needs one.
local function is_reset_due(record, state)
    if state and state.last_iov_ui then
        return state.due
    end
    return is_enciphered(record) and record.ms.iov_ui ~= 0
end

local function steps_of(ms_id, record)
    local state = states[ms_id]
    if is_reset_due(record, state) then
        local is_second = state and state.last_iov_ui
        local first = reset_step(is_second and next_iov_ui(ms_id) or record.ms.iov_ui)
        return new_n201_u_steps(record, { first }, {})
    end
    return new_n201_u_steps(record, {}, state and state.agreed or {})
end

-- A reload brings other values under the same key: N201-U is negotiated again from table 9. The IOV-UI
-- of the key stays known, and so does a Reset that waits for its answer.
local function again(ms_id)
    local state = states[ms_id]
    if not state then
        return
    end
    local going = state.going
    state.n201_u, state.agreed, state.tried = {}, {}, false
    if going and going.command.reset then
        going.steps = new_n201_u_steps(subscribers.of(ms_id), {}, {})
    elseif going then
        timers.stop(going.timer)
        state.going = nil
    end
end

subscribers.watch("xid_changed", again)

-- An XID command is sent when the MS is next heard: ms_listen has the worker report the MS's next
-- frame.
function listen(ms_id, record)
    if nse_cfg_of(record).ns ~= "manual" and #steps_of(ms_id, record) > 0 then
        dp.ms_listen { ms_id = ms_id }
    end
end

subscribers.watch("xid_set", listen)

-- The MS was heard, so it can answer now.
function exchange.seen(ms_id)
    local state = states[ms_id]
    local busy = state and (state.going or state.tried and not state.due)
    local record = not busy and subscribers.of(ms_id)
    if not record or nse_cfg_of(record).ns == "manual" then
        return
    end
    local steps = steps_of(ms_id, record)
    if #steps > 0 then
        begin(ms_id, steps)
    end
end

subscribers.watch("seen", exchange.seen)

-- A phone has a new key, by authentication (gmm/security.lua). Its IOV-UI goes on, and so does ours: a Reset under the
-- new key may not bring back one under which the phone has sent since. Returns the phone's.
function exchange.rekeyed(ms_id)
    local known, last = iov_ui(ms_id), exchange.last_iov_ui(ms_id)
    forget(ms_id)
    local state = state_of(ms_id)
    state.iov_ui, state.last_iov_ui = known, last
    return known
end

-- Sends a Reset, and what is to be agreed on after it.
function exchange.reset(ms_id)
    local record, going = subscribers.of(ms_id), state_of(ms_id).going
    timers.stop(going and going.timer)
    begin(ms_id, new_n201_u_steps(record, { reset_step(next_iov_ui(ms_id)) }, {}))
end

-- ---- XID commands of the MS ----

local function ours(ms_id, sapi)
    local now, most = n201_u(ms_id, sapi)
    local iov = iov_ui(ms_id)
    return { n201_u_octets = most, iov_ui = iov, now = { n201_u_octets = now, iov_ui = iov } }
end

-- An unanswered command of the SGSN may not propose more than the agreed value any longer (8.5.5).
local function note_agreed(ms_id, sapi, octets)
    set_n201_u(ms_id, sapi, octets)
    local state = states[ms_id]
    local going = state.going
    state.agreed[sapi] = true
    if going and going.sapi == sapi and going.command.n201_u_octets then
        going.command.n201_u_octets = math.min(going.command.n201_u_octets, octets)
    end
end

local function answer(ms_id, command, bad)
    local response = xid.response(command, bad, ours(ms_id, command.sapi))
    if command.n201_u_octets then
        note_agreed(ms_id, command.sapi, response.n201_u_octets)
    end
    return response
end

local function equals_ours(going, command)
    return going and going.sapi == command.sapi and command.reset == going.command.reset
        and command.iov_ui == going.command.iov_ui
        and command.n201_u_octets == going.command.n201_u_octets
end

function exchange.take_command(ms_id, command, bad)
    local going = states[ms_id] and states[ms_id].going
    local met = not bad and equals_ours(going, command)
    if met and command.reset then
        timers.stop(going.timer)
        reset_known(ms_id)
        begin_step(ms_id, going)
        return "handled"
    elseif command.reset then
        log.debug(("IMSI %s: Reset by XID on SAPI %d ignored: only the SGSN sends it"):format(
            subscribers.imsi(ms_id), command.sapi))
        return "ignored"
    end
    send(ms_id, answer(ms_id, command, bad))
    if met then
        going.met = true
    end
    return "handled"
end

-- A response must not have a larger N201-U than proposed, nor the IOV-UI of an earlier command.
local function is_valid(command, response)
    return (response.n201_u_octets or 0) <= (command.n201_u_octets or math.maxinteger)
        and (not command.iov_ui or not response.iov_ui or response.iov_ui == command.iov_ui)
end

-- A response without a command, or a wrong one, is ignored (8.5.3.3), and T200 runs on.
function exchange.take_response(ms_id, response, bad)
    local state = states[ms_id]
    local going = state and state.going
    if not going or going.sapi ~= response.sapi or not response.pf or bad
        or not is_valid(going.command, response) then
        return "ignored"
    end
    timers.stop(going.timer)
    if going.reset_iov_ui then
        reset_known(ms_id)
    end
    local octets = going.command.n201_u_octets
    if octets then
        set_n201_u(ms_id, going.sapi, response.n201_u_octets or octets)
        state.agreed[going.sapi] = true
    end
    begin_step(ms_id, going)
    return "handled"
end

-- ---- sluice ctl xid ----

local function text_of(ms_id)
    local texts = {}
    for i, sapi in ipairs(llc_first.user_sapis) do
        texts[i] = ("SAPI %d %d"):format(sapi, (n201_u(ms_id, sapi)))
    end
    return ("in force until then: N201-U %s; IOV-UI 0x%08x"):format(table.concat(texts, ", "),
        iov_ui(ms_id))
end

local function ask(asked)
    local ms_id = subscribers.by_imsi(asked.imsi)
    if not ms_id or states[ms_id] and states[ms_id].going then
        return
    end
    local record = subscribers.of(ms_id)
    local steps = asked.reset and { reset_step(next_iov_ui(ms_id)) } or {}
    begin(ms_id, n201_u_steps(record, steps, function() return true end))
end

-- A job may be suspended, so a timer of 0 starts the exchange.
requests.on("xid", function(words)
    local ms_id = words[2] and subscribers.by_imsi(words[2])
    if not ms_id or words[3] and words[3] ~= "reset" then
        return false, "unknown IMSI or action; " .. requests.usage "xid"
    elseif states[ms_id] and states[ms_id].going then
        return false, "an XID command to this MS already waits for its answer"
    end
    timers.after(0, ask, { imsi = words[2], reset = words[3] ~= nil })
    return true, text_of(ms_id)
end)

return exchange
