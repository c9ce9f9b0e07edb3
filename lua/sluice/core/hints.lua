-- Log lines for the writer of the configuration: what a BSS does that the configuration does not
-- expect, and what to change. A wrong BSS repeats itself, and anybody can pretend to be one, so each
-- kind of line comes once in EVERY_NS for each NSE, and for all unknown NSEs together.
local addresses = require "sluice.base.addresses"
local causes = require "sluice.core.causes"
local clock = require "sluice.core.clock"
local log = require "log"
local network = require "sluice.core.network"

local hints = {}

local EVERY_NS = 10000000000
local NAMED_MOST = 4

local of_others = {}

local function said_of(thing)
    if thing then
        thing.hints = thing.hints or {}
    end
    return thing and thing.hints or of_others
end

local function is_due(thing, kind)
    local at_ns = said_of(thing)[kind]
    return not at_ns or clock.now_ns >= at_ns + EVERY_NS
end

-- kind: a fixed word. thing: an NSE or an NS-VC; nil for an unknown NSE.
local function say(thing, kind, text, put)
    if is_due(thing, kind) then
        said_of(thing)[kind] = clock.now_ns;
        (put or log.warn)(text)
    end
end

-- "2, 3, 4, 5 and 96 more"
local function some(list, text)
    local words = {}
    for i = 1, math.min(#list, NAMED_MOST) do
        words[i] = text(list[i])
    end
    local rest = #list - #words
    return #list == 0 and "none" or table.concat(words, ", ")
        .. (rest > 0 and (" and %d more"):format(rest) or "")
end

local at = addresses.at

local function listed(nse)
    return some(nse.cfg.nsvc, function(nsvc)
        return at(nsvc.peer, nsvc.peer_port)
    end)
end

-- An NS-RESET or SNS-SIZE from an endpoint without an NS-VC, which adds none. way: the `ns` that would
-- allow it.
function hints.stranger(what, nsei, address, port, way)
    local nse = network.nse_of_nsei[nsei]
    local who = ("%s of NSE %d from %s"):format(what, nsei, at(address, port))
    if not nse then
        return say(nil, "stranger", ("%s: the configuration has NSE %s, not %d; correct nsei, or add an"
            .. " nse { }"):format(who, some(network.nses, function(each)
                return tostring(each.nsei)
            end), nsei))
    elseif nse.cfg.ns ~= way then
        return say(nse, "stranger", ("%s: its nse { } has ns = %q; set ns = %q"):format(who, nse.cfg.ns,
            way))
    end
    if not network.nsvc_of_endpoint(address .. "|" .. port) then -- else it came before its NS-VC was added
        say(nse, "stranger", ("%s: its nse { } has its NS-VCs at %s; correct peer or peer_port of an"
            .. " nsvc { }, or set dynamic = true"):format(who, listed(nse)))
    end
end

-- The NS-VCs of NSEs with an `ns` of the set is_such; all NS-VCs if there are none.
local function expected(is_such)
    local of_such, all = {}, {}
    for _, nse in ipairs(network.nses) do
        for _, nsvc in ipairs(nse.nsvcs) do
            all[#all + 1] = nsvc
            of_such[#of_such + 1] = is_such[nse.cfg.ns] and nsvc or nil
        end
    end
    return of_such[1] and of_such or all
end

local SAYS_NO_RESET = { alive = true, manual = true }

-- Any other NS PDU from an endpoint without an NS-VC; it carries no NSEI.
function hints.unlisted(what, address, port)
    if not is_due(nil, "unlisted") then
        return
    end
    say(nil, "unlisted", ("%s from %s: no NS-VC has this endpoint; the configuration has %s; correct"
        .. " peer or peer_port of an nsvc { }"):format(what, at(address, port),
        some(expected(SAYS_NO_RESET), function(nsvc)
            return ("%s of NSE %d (ns = %q)"):format(at(nsvc.address, nsvc.port), nsvc.nse.nsei,
                nsvc.nse.cfg.ns)
        end)))
end

-- A datagram to GTP-C's UDP port from an address that no GGSN with GTP-C has.
function hints.gtpc_stranger(address, port)
    say(nil, "gtpc_stranger", ("GTP-C from %s is dropped: no GGSN that speaks GTP-C has this address"):format(
        at(address, port)))
end

-- The next hop of an NS-VC does not answer (silent), or answers again.
function hints.neighbour(nsvc, name, silent)
    if silent then
        return say(nsvc, "silent", name .. ": no neighbour: no answer to ARP or neighbour discovery for"
            .. " its address or its gateway; check peer, prefix and gateway of gb { }, and the link")
    end
    say(nsvc, "answers", name .. ": the neighbour answers", log.info)
end

function hints.unreachable(nsvc, name)
    say(nsvc, "unreachable", ("%s: ICMP says that nobody listens there; %sis the BSS running, on that port?"):format(
        name, nsvc.alive and "NS-ALIVE tests it now; " or ""))
end

-- NS-RESET from an NS-VC of an NSE with ns = "alive" or "sns", or SNS-SIZE from one of an NSE without
-- SNS. way: the `ns` that would allow it.
function hints.other_service(nsvc, what, way)
    local nse = nsvc.nse
    say(nse, "other_service", ("NSE %d: the BSS at %s sends %s, but nse { } has ns = %q; set ns = %q, or change"
        .. " the BSS's dialect"):format(nse.nsei, at(nsvc.address, nsvc.port), what, nse.cfg.ns, way))
end

-- resets: NS-RESETs of ours wait for an answer. A BSS with another SGSN in its configuration refuses them.
function hints.ns_status(nsvc, name, cause, resets)
    local gb = network.cfg.gb
    say(nsvc, "ns_status", ("%s: NS-STATUS of the BSS, %s%s"):format(name, causes.text(causes.ns, cause),
        resets and ("; if the BSS has no SGSN at the address and port of gb { }, port %d, correct its"
            .. " remote address and port"):format(gb.port) or ""), log.info)
end

function hints.other_ids(nsvc, name, nsvci, nsei)
    say(nsvc.nse, "other_ids", ("%s: the BSS calls it NS-VC %d of NSE %d; correct nsvci and nsei here or"
        .. " at the BSS"):format(name, nsvci, nsei))
end

function hints.no_cell(nse, bvci)
    say(nse, "no_cell", ("NSE %d: BVC-RESET of unknown BVCI %d; the configuration has %s; add"
        .. " bvc { bvci = %d }, or set cells = \"any\""):format(nse.nsei, bvci,
        some(nse.cfg.bvc, function(bvc)
            return tostring(bvc.bvci)
        end), bvci))
end

-- The BSS's queue is too long for the lifetime, or an MS does not answer.
function hints.discards(bvc, frames, octets, imsi)
    say(bvc, "discards", ("NSE %d, BVCI %d: the BSS discarded %d LLC PDUs, %d octets, of IMSI %s; sluice stats"
        .. " counts all"):format(bvc.nse.nsei, bvc.bvci, frames, octets, imsi))
end

function hints.no_area(nse, bvci, area)
    say(nse, "no_area", ("NSE %d: BVC-RESET of BVCI %d in routeing area %s, which nse.areas does not"
        .. " list; listed: %s; add the area, or correct the cell at the BSS"):format(nse.nsei, bvci, area,
        some(nse.cfg.areas, tostring)))
end

-- A FLOW-CONTROL-BVC with a bucket full ratio though CBL is not in force, or without one though it is.
function hints.ratio(nse, bvci)
    say(nse, "ratio", ("NSE %d, BVCI %d: FLOW-CONTROL-BVC %s; its values are taken without the ratio; %s"):format(
        nse.nsei, bvci, nse.cbl and "without a bucket full ratio, though both sides have CBL"
        or "with a bucket full ratio, though CBL was not agreed", nse.cbl and "take cbl out of nse.features"
        or "put cbl into nse.features, if the BSS offers it"))
end

-- The outcome of a claim of an MS by another NSE (ms/roam.lua).
function hints.moved(ms, old, nse, how)
    say(nse, "moved", ("IMSI %s is in NSE %d now, no longer in NSE %d: %s"):format(ms, nse.nsei, old.nsei, how), log.info)
end

-- Frames came from both, and Sluice cannot tell whose were the MS's: no line says who lies.
function hints.contested(ms, old, nse)
    say(nse, "contested", ("IMSI %s: frames of it came from NSE %d and from NSE %d; it answers a page in"
        .. " NSE %d and stays there; only a key (cipher) proves whose frames are its own"):format(ms, old.nsei,
        nse.nsei, old.nsei))
end

function hints.in_call(ms, old, nse)
    say(nse, "in_call", ("IMSI %s: a frame of it came from NSE %d, and it is in a call in NSE %d: it stays"
        .. " there"):format(ms, nse.nsei, old.nsei))
end

function hints.unproven(ms, old, nse)
    say(nse, "unproven", ("IMSI %s: a frame of it came from NSE %d, which its key does not prove; it stays"
        .. " in NSE %d"):format(ms, nse.nsei, old.nsei))
end

return hints
