-- The live view of phones: `sluice ctl phone`, `phones` and `detach`.
local addresses = require "sluice.base.addresses"
local attempts = require "sluice.phones.attempts"
local clock = require "sluice.core.clock"
local detach = require "sluice.gmm.detach"
local dp = require "dp"
local network = require "sluice.core.network"
local refusals = require "sluice.phones.refusals"
local requests = require "sluice.core.requests"
local store = require "sluice.phones.store"
local timers = require "sluice.core.timers"

local show = {}

local SECOND_NS = 1000000000

local function ago(at_ns)
    return ("%d s"):format((clock.now_ns - at_ns) // SECOND_NS)
end

local function state_of(phone)
    local ready_ns = network.cfg.gb.ready_ns
    local silent_ns = dp.ms_silence(phone.ms_id)
    return ready_ns > 0 and silent_ns >= ready_ns and "STANDBY" or "READY"
end

-- A context's line, of what sm has of it.
local function context_line(nsapi, context)
    return ("  NSAPI %d: APN %s, address %s, class %s, GGSN %s, TEID 0x%08x here, 0x%08x there"):format(nsapi,
        context.apn or "?", context.address and addresses.shown(context.address) or "none", context.class or "?",
        context.ggsn or "?", context.teid or 0, context.ggsn_teid or 0)
end

local function lines_of(phone)
    local bvc_id, tlli = dp.ms_cell(phone.ms_id)
    local cell = network.bvc[bvc_id]
    local lines = {
        ("IMSI %s: attached for %s, %s, in cell %s"):format(phone.imsi, ago(phone.since_ns), state_of(phone),
            cell and ("%d-%d"):format(cell.nse.nsei, cell.bvci) or "none"),
        ("  P-TMSI 0x%08x, TLLI 0x%08x, %s%s"):format(phone.p_tmsi, tlli, phone.key and phone.key.cipher or "no cipher",
            phone.imeisv and ", IMEISV " .. phone.imeisv or ""),
    }
    for _, run in ipairs(phone.runs) do
        lines[#lines + 1] = ("  %s under way%s"):format(run.procedure.name, run.expiries > 0
            and (", repeated %d times"):format(run.expiries) or "")
    end
    for nsapi = 5, 15 do
        if phone.contexts[nsapi] then
            lines[#lines + 1] = context_line(nsapi, phone.contexts[nsapi])
        end
    end
    local refused = refusals.last(phone.imsi)
    lines[#lines + 1] = refused and ("  refused %s ago: %s"):format(ago(refused.at_ns), refused.text) or nil
    return lines
end

local function one(words)
    local phone, refused = store.by_imsi(words[2] or ""), refusals.last(words[2] or "")
    if phone then
        return true, table.concat(lines_of(phone), "\n")
    elseif refused then
        return false, ("not attached; refused %s ago: %s"):format(ago(refused.at_ns), refused.text)
    end
    return false, "no phone with this IMSI is attached; " .. requests.usage "phone"
end

local PAGE_OCTETS = 3900 -- of an answer's 4096 (control/plane/mailbox.h), so that the last line has room

-- The lines from that one on that fit an answer, one at least, behind the heading; the last line says how to see the
-- others.
local function page(heading, lines, from, line_of, usage)
    local shown, octets = { heading }, #heading
    for i = from, lines do
        local line = line_of(i)
        octets = octets + 1 + #line
        if octets > PAGE_OCTETS and i > from then
            shown[#shown + 1] = ("%d more: sluice ctl %s %d"):format(lines - i + 1, usage, i)
            break
        end
        shown[#shown + 1] = line:sub(1, PAGE_OCTETS)
    end
    return true, table.concat(shown, "\n")
end

local function all(words)
    local is_refused = words[2] == "refused"
    local word, more = table.unpack(words, is_refused and 3 or 2)
    local from = math.tointeger(tonumber(word or 1))
    if not from or from < 1 or more then
        return false, requests.usage "phones"
    elseif is_refused then
        local list = refusals.list
        local heading = list[2] and ("%d refusals, the last one first"):format(#list)
            or list[1] and "1 refusal" or "none was refused"
        return page(heading, #list, from, function(i)
            local refused = list[#list + 1 - i]
            return ("%s ago: %s"):format(ago(refused.at_ns), refused.text)
        end, "phones refused")
    end
    return page(("%d attached, %d about to attach"):format(#store.phones, attempts.n), #store.phones, from, function(i)
        return lines_of(store.phones[i])[1]
    end, "phones")
end

local function detach_now(asked)
    local phone = store.by_imsi(asked.imsi)
    if phone then
        detach.begin(phone, asked.type)
    end
end

-- A job may be suspended, so a timer of 0 begins.
local function detached(words)
    local phone = store.by_imsi(words[2] or "")
    if not phone or words[3] and words[3] ~= "again" then
        return false, "no phone with this IMSI is attached, or unknown action; " .. requests.usage "detach"
    end
    timers.after(0, detach_now, { imsi = phone.imsi, type = words[3] and detach.AGAIN or detach.FOR_GOOD })
    return true, "it is told to detach"
end

function show.begin()
    requests.on("phone", one)
    requests.on("phones", all)
    requests.on("detach", detached)
end

return show
