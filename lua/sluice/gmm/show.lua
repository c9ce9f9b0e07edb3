-- The live view of phones: `sluice ctl phone`, `phones` and `detach`.
local addresses = require "sluice.base.addresses"
local attempts = require "sluice.phones.attempts"
local breath = require "sluice.base.breath"
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
    return false, "no phone with this IMSI is attached; usage: phone IMSI"
end

local LISTED_MOST = 1000

local function all(words)
    local lines = {}
    if words[2] == "refused" then
        for _, refused in ipairs(refusals.list) do
            lines[#lines + 1] = ("%s ago: %s"):format(ago(refused.at_ns), refused.text)
        end
        return true, lines[1] and table.concat(lines, "\n") or "none was refused"
    elseif words[2] then
        return false, "usage: phones [refused]"
    end
    lines[1] = ("%d attached, %d about to attach"):format(#store.phones, attempts.n)
    for i, phone in breath.each(table.move(store.phones, 1, math.min(#store.phones, LISTED_MOST), 1, {})) do
        lines[i + 1] = phone.ms_id and lines_of(phone)[1] or nil
        if not lines[i + 1] then -- it has gone while the list was made
            lines[i + 1] = ("IMSI %s: gone"):format(phone.imsi)
        end
    end
    return true, table.concat(lines, "\n")
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
        return false, "no phone with this IMSI is attached, or unknown action; usage: detach IMSI [again]"
    end
    timers.after(0, detach_now, { imsi = phone.imsi, type = words[3] and detach.AGAIN or detach.FOR_GOOD })
    return true, "it is told to detach"
end

function show.begin()
    requests.on("phone", "phone IMSI", one)
    requests.on("phones", "phones [refused]", all)
    requests.on("detach", "detach IMSI [again]", detached)
end

return show
