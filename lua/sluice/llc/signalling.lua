-- SAPI 1 of LLC, the signalling of GMM and SM (TS 44.064 clause 8.4): N(U) and OC of both directions,
-- duplicates, the cipher, the FCS; and which messages are in clear under a key (TS 24.008 4.7.1.2). A handler
-- of a protocol gets the messages. Without any handler nothing here runs, and no phone notices the module.
--
-- A link is the SAPI 1 of one phone. This module keeps those of the registry's MSs; those of phones that are
-- nobody yet belong to who has called signalling.strangers. The cipher is one for all SAPIs of an MS: its
-- key and IOV-UI are the registry's and exchange.lua's, and what resets the workers' numbers resets these.
--
-- A number is N(U) + OC and never wraps, and a window is what has been taken, as in dataplane/up/llc.c. A wrong
-- guess at the number makes the FCS wrong, and nothing changes before a good FCS. Anybody can send a frame in
-- clear, so under a key such frames have a window of their own, which the enciphered frames move along: a
-- forged one cannot make us wrong about OC. For the same reason only duplicates in clear are taken after all
-- when three have come in a row, which is a phone that has begun at N(U) 0 again: GMM repeats with the next N(U).
-- ATTACH REQUEST says so by itself, and nobody shall keep a phone's update out by frames in its name: both are taken
-- under any N(U). GMM sees to one that comes twice.
local cipher = require "cipher"
local count = require "count"
local dp = require "dp"
local exchange = require "sluice.llc.exchange"
local log = require "log"
local members = require "sluice.subscribers.members"
local roam = require "sluice.ms.roam"
local subscribers = require "sluice.subscribers.registry"
local wire = require "wire"
local xid = require "sluice.llc.xid"

local signalling = {}

local SAPI = 1
local NU_COUNT, WINDOW = 512, 32
local DUPLICATES = 3 -- in clear and in a row, of which the last is taken
local INFO_OCTETS_MAX = xid.defaults[SAPI].n201_u_octets
local FRAME_OCTETS_MAX = 3 + INFO_OCTETS_MAX + 3 -- header and FCS
local PD_GMM = 8

-- In clear, even under a key.
local function types_of(names)
    local types = {}
    for _, name in ipairs(names) do
        types[wire[name].type] = true
    end
    return types
end

local CLEAR_UP = types_of { "gmm_attach_request", "gmm_update_request", "gmm_authentication_response",
    "gmm_authentication_failure", "gmm_identity_response" }
local BEGINNING = types_of { "gmm_attach_request", "gmm_update_request" }
local UPDATE = types_of { "gmm_update_request" }
local CLEAR_DOWN = types_of { "gmm_attach_reject", "gmm_update_reject", "gmm_authentication_request",
    "gmm_authentication_reject", "gmm_identity_request" }

local function is_clear(types, message)
    local head, type = message:byte(1, 2)
    return type and head & 15 == PD_GMM and types[type] or false
end

-- ---- Links ----

-- next: V(UR) + OC. seen: bit n stands for the number next - 1 - n. times: so many duplicates have come since the
-- last frame that was none.
local function new_window()
    return { next = 0, seen = 0, times = 0 }
end

-- down: { sent: V(U) + OC }. clear, enciphered: the windows. key: nil without a cipher.
function signalling.new()
    return { down = { sent = 0 }, clear = new_window(), enciphered = new_window(), iov_ui = 0 }
end

-- Whether the phone has begun with N(U) 0 and has sent one frame.
function signalling.is_first(link)
    return link.clear.next == 1 and link.enciphered.next == 0
end

-- Another link that goes on from the same numbers. What is sent on either has one count until a key or a Reset parts
-- them, or two frames would have one INPUT.
function signalling.copy(link)
    local copy = { down = link.down, key = link.key, iov_ui = link.iov_ui }
    for _, name in ipairs { "clear", "enciphered" } do
        local window = link[name]
        copy[name] = { next = window.next, seen = window.seen, times = window.times }
    end
    return copy
end

-- A new key, or gea 0 for none: OC is 0, and N(U) goes on. The key in force changes nothing: no two frames may
-- have one key and INPUT.
function signalling.keyed(link, gea, kc, iov_ui)
    local key = gea ~= 0 and cipher.key(gea, kc) or nil
    if key ~= link.key or iov_ui ~= link.iov_ui then
        link.key, link.iov_ui = key, iov_ui
        link.down = { sent = link.down.sent % NU_COUNT }
        link.enciphered = new_window()
    end
end

-- An XID Reset with this IOV-UI, which no frame of the key has had: all begins at 0.
function signalling.reset(link, iov_ui)
    link.down, link.iov_ui = { sent = 0 }, iov_ui
    link.clear, link.enciphered = new_window(), new_window()
end

local links, rekeyed = {}, {} -- by ms_id

-- The link of an MS that the registry has; nil for any other. It is kept from its first good frame on.
function signalling.of(ms_id)
    local record, member = subscribers.of(ms_id)
    if not record then
        return nil
    end
    local link = links[ms_id]
    if not link or rekeyed[ms_id] then
        local of_ms = members.cipher_of(record, member)
        link = link or signalling.new()
        signalling.keyed(link, of_ms.gea, of_ms.key, exchange.last_iov_ui(ms_id))
        rekeyed[ms_id] = nil
    end
    return link
end

-- A stranger has become an MS of the registry, or an MS has another link.
function signalling.keep(ms_id, link)
    links[ms_id] = link
end

subscribers.watch("removed", function(ms_id)
    links[ms_id], rekeyed[ms_id] = nil, nil
end)

-- The registry does not have the new key yet.
subscribers.watch("rekeyed", function(ms_id)
    rekeyed[ms_id] = links[ms_id] and true
end)

subscribers.watch("reset", function(ms_id, iov_ui)
    if links[ms_id] then
        signalling.reset(signalling.of(ms_id), iov_ui)
    end
end)

-- ---- Who wants messages ----

local handlers, is_wanted = {}, false
local stranger_of = signalling.new

-- handler(message, link, nse, bvc, tlli, ms_id, enciphered) -> outcome, nil for "handled". pd: the protocol
-- discriminator. ms_id: nil for a stranger. The message has two octets at least.
function signalling.on(pd, handler)
    handlers[pd], is_wanted = handler, true
end

local of_signs

-- The same, without a message, for frames of no octets, by which a phone answers a page or says that it is in another
-- cell.
function signalling.on_sign(handler)
    of_signs = handler
end

-- fn(nse, bvc, tlli, octets) -> the link of the phone with a TLLI that the NSE does not know; nil: the frame is not
-- taken here. By default each such frame has a new link, which its handler may keep.
function signalling.strangers(fn)
    stranger_of = fn
end

-- ---- Uplink ----

-- As number_of and take_number in dataplane/up/llc.c.
local function number_of(window, nu)
    local behind = (window.next - nu) % NU_COUNT
    if behind <= WINDOW and behind <= window.next then
        return window.next - behind
    end
    return window.next + (nu - window.next) % NU_COUNT
end

local function is_new(window, number)
    local behind = window.next - number
    return behind <= 0 or window.seen >> behind - 1 & 1 == 0
end

local function take_number(window, number)
    local behind = window.next - number
    if behind > 0 then
        window.seen = window.seen | 1 << behind - 1
    else
        window.seen = (window.seen << 1 - behind | 1) & 0xFFFFFFFF
        window.next = number + 1
    end
    window.times = 0
end

-- A duplicate in clear. Returns whether the numbers go on behind it, as it begins something, or so many have come.
local function is_restart(window, message)
    window.times = window.times + 1
    return window.times >= DUPLICATES or is_clear(BEGINNING, message)
end

local function restart(window, number)
    window.next, window.seen, window.times = number + 1, 1, 0
end

local function deciphered(link, octets, number, nu)
    local oc = number - nu & 0xFFFFFFFF
    local plain = cipher.decipher(link.key, "up", link.iov_ui, oc, octets)
    return plain and wire.llc_ui.decode(plain).info
end

-- The information and number of an enciphered frame; nil if no number makes its FCS good. Between the new key and
-- its first enciphered frame a phone's N(U) may have wrapped, by frames in clear.
local function read_enciphered(link, octets, nu)
    local window = link.enciphered
    local number = number_of(window, nu)
    local info = deciphered(link, octets, number, nu)
    if not info and window.next == 0 then
        number = number + NU_COUNT
        info = deciphered(link, octets, number, nu)
    end
    return info, number
end

-- Returns the message of a good frame, its number and its window; nil for any other frame, which is counted.
local function read(link, octets)
    local frame = #octets <= FRAME_OCTETS_MAX and wire.llc_ui.decode(octets)
    local info, number
    if frame and not frame.enciphered then
        if link.key and not is_clear(CLEAR_UP, frame.info) then
            count.add "signalling_clear"
            return nil
        end
        return frame.info, number_of(link.clear, frame.nu), link.clear
    elseif frame and link.key then
        info, number = read_enciphered(link, octets, frame.nu)
    end
    if not info then
        count.add "signalling_bad"
    end
    return info, number, link.enciphered
end

local function take(link, window, number)
    if not is_new(window, number) then
        restart(window, number)
        return
    end
    local leads = number >= window.next
    take_number(window, number)
    if leads and window ~= link.clear then
        take_number(link.clear, number_of(link.clear, number % NU_COUNT))
    end
end

local function deliver(message, ...)
    if message == "" and of_signs then
        return of_signs(...)
    end
    local handler = #message >= 2 and handlers[message:byte() & 15]
    if not handler then
        log.debug(("a message of %d octets on SAPI 1 is ignored: no protocol of it is known"):format(#message))
        return "ignored"
    end
    return handler(message, ...) or "handled"
end

local nobody

-- fn(nse, bvc, tlli, is_enciphered) -> outcome, for a frame that is not SAPI 1's, or is enciphered, of a TLLI that is no
-- MS's where it came from nor, as far as is known, elsewhere.
function signalling.nobody(fn)
    nobody = fn
end

function signalling.of_nobody(nse, bvc, tlli, is_enciphered)
    return nobody and nobody(nse, bvc, tlli, is_enciphered) or "ignored"
end

-- A UI frame with E set, of any SAPI.
function signalling.is_enciphered(octets)
    local control, more = octets:byte(2, 3)
    return more ~= nil and control & 0xE0 == 0xC0 and more & 2 ~= 0
end

-- A UI frame in clear of no octets: under a key it says no more than a NULL frame does.
local function is_sign(octets)
    local frame = wire.llc_ui.decode(octets)
    return frame and not frame.enciphered and frame.info == ""
end

-- A UI frame on SAPI 1, in clear, with a REQUEST for an update.
function signalling.is_update(octets)
    local frame = wire.llc_ui.decode(octets)
    return frame and not frame.enciphered and is_clear(UPDATE, frame.info)
end

-- The same with any message that is in clear even under a key.
function signalling.is_open(octets)
    local frame = wire.llc_ui.decode(octets)
    return frame and not frame.enciphered and is_clear(CLEAR_UP, frame.info)
end

-- A UI frame of SAPI 1, whatever else is wrong with it, that some handler may want.
function signalling.takes(octets)
    return is_wanted and (octets:byte(1) or 0) & 0xBF == SAPI and (octets:byte(2) or 0) & 0xE0 == 0xC0
end

-- Whether a frame of the MS may be taken in the cell. A good enciphered one proves that the MS is there. One in clear
-- under a key says nothing about that: who gets its message knows the cell.
local function is_there(ms_id, bvc, octets, link, window)
    if window == link.enciphered then
        return roam.shown(ms_id, bvc)
    end
    return link.key ~= nil or roam.heard_by_control(ms_id, bvc, octets)
end

-- Takes the frame of an MS (ms_id) or a stranger in the cell. Returns the outcome; nil if the frame has no link, or says
-- nothing that is signalling's.
-- As frames.lua says, a frame of an MS that control does not believe to be there says nothing.
function signalling.input(nse, bvc, tlli, ms_id, octets)
    local link
    if ms_id then
        link = signalling.of(ms_id)
    else
        link = stranger_of(nse, bvc, tlli, octets)
    end
    if not link or link.key and is_sign(octets) then
        return nil
    end
    local info, number, window = read(link, octets)
    if not info and not ms_id and not link.key and signalling.is_enciphered(octets) then
        return signalling.of_nobody(nse, bvc, tlli, true)
    elseif not info then
        return "ignored"
    elseif not is_new(window, number) and (window == link.enciphered or not is_restart(window, info)) then
        count.add "signalling_duplicates"
        return "ignored"
    elseif ms_id and not is_there(ms_id, bvc, octets, link, window) then
        return "ignored"
    end
    take(link, window, number)
    count.pdu_in "llc_ui"
    if not ms_id then
        return deliver(info, link, nse, bvc, tlli, nil, window == link.enciphered)
    end
    links[ms_id] = link
    local outcome = deliver(info, link, nse, bvc, tlli, ms_id, window == link.enciphered)
    exchange.seen(ms_id)
    return outcome
end

-- ---- Downlink ----

-- The next frame of the link, with that message of GMM or SM.
function signalling.frame(link, message)
    if #message < 2 or #message > INFO_OCTETS_MAX then
        error(("a message of %d octets on SAPI 1, allowed 2 to %d"):format(#message, INFO_OCTETS_MAX))
    end
    local enciphered = link.key ~= nil and not is_clear(CLEAR_DOWN, message)
    local number, nu = link.down.sent, link.down.sent % NU_COUNT
    local octets = wire.llc_ui.encode {
        cr = true, sapi = SAPI, nu = nu, enciphered = enciphered, protect_all = true, info = message,
    }
    if enciphered then
        octets = cipher.encipher(link.key, "down", link.iov_ui, number - nu & 0xFFFFFFFF, octets)
    end
    link.down.sent = number + 1
    count.pdu_out "llc_ui"
    return octets
end

-- Sends the message to an MS of the registry.
function signalling.send(ms_id, message)
    local link = signalling.of(ms_id)
    links[ms_id] = link
    dp.llc { ms_id = ms_id, pdu = signalling.frame(link, message) }
end

return signalling
