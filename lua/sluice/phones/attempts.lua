-- Phones by the TLLIs under which they speak until their own is in use: those that are about to attach and are
-- nobody yet, and those that have their MS and have not used its TLLI. Anybody can make one by a frame, so their
-- number has a limit, of which an NSE may have half of what the others leave; and each NSE may make so many in a
-- second. A frame beyond is not answered: that spends no downlink, and its phone tries again.
local clock = require "sluice.core.clock"
local count = require "count"
local log = require "log"
local network = require "sluice.core.network"

local attempts = { n = 0 }

local SECOND_NS, EVERY_NS = 1000000000, 10000000000
local BURST_S = 2

local of_nse = {} -- by nse_id: { n, by_tlli, tokens, at_ns, said_ns }

-- Of attempts.n, those that have their MS: they are attached.
local placed = 0

local function show()
    count.set("attaching", attempts.n - placed)
end

local function of(nse)
    of_nse[nse.id] = of_nse[nse.id] or { n = 0, by_tlli = {}, tokens = network.cfg.attach.rate * BURST_S,
        at_ns = clock.now_ns }
    return of_nse[nse.id]
end

-- The phone that speaks under the TLLI; nil: none.
function attempts.find(nse, tlli)
    local here = of_nse[nse.id]
    return here and here.by_tlli[tlli]
end

function attempts.drop(phone)
    local at = phone.attempt
    if at then
        phone.attempt, attempts.n = nil, attempts.n - 1
        at.here.n, at.here.by_tlli[at.tlli] = at.here.n - 1, nil
        placed = placed - (at.has_place and 1 or 0)
        show()
    end
end

-- The phone has its MS.
function attempts.place(phone)
    phone.attempt.has_place, placed = true, placed + 1
    show()
end

-- Nobody speaks under the TLLI so far, and there is room.
function attempts.put(phone, nse, tlli)
    local here = of(nse)
    assert(not here.by_tlli[tlli] and not phone.attempt, "an attempt in the place of another")
    phone.attempt = { here = here, tlli = tlli }
    attempts.n, here.n, here.by_tlli[tlli] = attempts.n + 1, here.n + 1, phone
    show()
end

local function shed(nse, here, why)
    count.add "attempts_shed"
    if clock.now_ns >= (here.said_ns or clock.now_ns) then
        here.said_ns = clock.now_ns + EVERY_NS
        log.warn(("NSE %d: unknown phones are not answered, and try again: %s"):format(nse.nsei, why))
    end
    return false
end

-- Whether the NSE may have another one, in the place of one that is there already or not.
function attempts.has_room(nse, replaces)
    local here, most = of(nse), network.cfg.attach.attempts
    if replaces or here.n + 1 <= most - attempts.n then
        return true
    end
    return shed(nse, here, ("%d are about to attach, %d of them here; attach.attempts is %d"):format(attempts.n, here.n,
        most))
end

-- Whether something unknown from the NSE's cells is answered now.
function attempts.may_answer(nse)
    local here, rate = of(nse), network.cfg.attach.rate
    local passed_ns = clock.now_ns - here.at_ns
    here.at_ns = clock.now_ns
    here.tokens = math.min(here.tokens + passed_ns * rate / SECOND_NS, rate * BURST_S)
    if here.tokens < 1 then
        return shed(nse, here, ("attach.rate is %d a second"):format(rate))
    end
    here.tokens = here.tokens - 1
    return true
end

network.watch("nse_removed", function(nse)
    of_nse[nse.id] = nil
end)

return attempts
