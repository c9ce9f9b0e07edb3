-- Lines for who writes the file: what a BSS does that the file does not expect, and what to change. A
-- BSS that is wrong goes on being so, and anybody can say that he is one: a line of each kind in
-- EVERY_NS for each NSE, and for all those together that the file has not.
local addresses = require "sluice.base.addresses"
local clock = require "sluice.core.clock"
local log = require "log"
local world = require "sluice.core.world"

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

-- kind: a word of ours, so that there are few. thing: an NSE or an NS-VC; nil of none in the file.
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

-- An NS-RESET or SNS-SIZE that makes nothing, from an endpoint that no NS-VC has. way: the word of `ns`
-- for which it would be right.
function hints.stranger(what, nsei, address, port, way)
    local nse = world.nse_of_nsei[nsei]
    local who = ("%s of NSE %d from %s"):format(what, nsei, at(address, port))
    if not nse then
        return say(nil, "stranger", ("%s: the file has no such NSE, but %s; correct nsei, or add an"
            .. " nse { }"):format(who, some(world.nses, function(each)
                return tostring(each.nsei)
            end)))
    elseif nse.cfg.ns ~= way then
        return say(nse, "stranger", ("%s: the file says ns = %q there; say ns = %q"):format(who,
            nse.cfg.ns, way))
    end
    say(nse, "stranger", ("%s, which is not in the file; it has %s; correct peer or peer_port of its"
        .. " nsvc { }, or say dynamic = true"):format(who, listed(nse)))
end

-- The NS-VCs of NSEs with such an `ns`; all, if there are none.
local function expected(is_such)
    local of_such, all = {}, {}
    for _, nse in ipairs(world.nses) do
        for _, nsvc in ipairs(nse.nsvcs) do
            all[#all + 1] = nsvc
            of_such[#of_such + 1] = is_such[nse.cfg.ns] and nsvc or nil
        end
    end
    return of_such[1] and of_such or all
end

local SAYS_NO_RESET = { alive = true, manual = true }

-- Any other NS PDU from such an endpoint, as it comes from a BSS that never says whose it is.
function hints.unlisted(what, address, port)
    if not is_due(nil, "unlisted") then
        return
    end
    say(nil, "unlisted", ("%s from %s, where no NS-VC is; the file has %s; correct peer or peer_port of"
        .. " the nsvc { } that it is for"):format(what, at(address, port),
        some(expected(SAYS_NO_RESET), function(nsvc)
            return ("%s of NSE %d (ns = %q)"):format(at(nsvc.address, nsvc.port), nsvc.nse.nsei,
                nsvc.nse.cfg.ns)
        end)))
end

-- Nobody answers for an NS-VC's next hop; or somebody does again.
function hints.neighbour(nsvc, name, silent)
    if silent then
        return say(nsvc, "silent", name .. ": no neighbour: nobody answers ARP or neighbour discovery for"
            .. " its address, or for the gateway to it; look at peer, at prefix and gateway of gb { },"
            .. " and at the link")
    end
    say(nsvc, "answers", name .. ": its neighbour answers", log.info)
end

-- From an NS-VC of the file, whose NSE does without.
function hints.resets(nsvc)
    local nse = nsvc.nse
    say(nse, "resets", ("NSE %d: the BSS at %s sends NS-RESET, but the file says ns = %q; say"
        .. " ns = \"reset\""):format(nse.nsei, at(nsvc.address, nsvc.port), nse.cfg.ns))
end

function hints.other_ids(nsvc, name, nsvci, nsei)
    say(nsvc.nse, "other_ids", ("%s: the BSS takes it for NS-VC %d of NSE %d; correct nsvci and nsei in"
        .. " the file or there"):format(name, nsvci, nsei))
end

function hints.no_cell(nse, bvci)
    say(nse, "no_cell", ("NSE %d: BVC-RESET of BVCI %d, which is not in the file; it has %s; add"
        .. " bvc { bvci = %d }, or say cells = \"any\""):format(nse.nsei, bvci,
        some(nse.cfg.bvc, function(bvc)
            return tostring(bvc.bvci)
        end), bvci))
end

function hints.no_area(nse, bvci, area)
    say(nse, "no_area", ("NSE %d: BVC-RESET of BVCI %d in the routeing area %s, which nse.areas does not"
        .. " list; it has %s; add it there, or correct the cell at the BSS"):format(nse.nsei, bvci, area,
        some(nse.cfg.areas, tostring)))
end

-- An MS has gone to an NSE by its word alone; or its own cell has shown that it is there.
function hints.moved(ms, old, nse, how)
    say(nse, "moved", ("NSE %d has taken IMSI %s from NSE %d: %s"):format(nse.nsei, ms, old.nsei, how), log.info)
end

function hints.not_moved(ms, old, nse, why)
    say(nse, "not_moved", ("NSE %d says that IMSI %s of NSE %d is there, but %s; if that NSE has MSs that"
        .. " it should not know, look at its BSS"):format(nse.nsei, ms, old.nsei, why))
end

return hints
