-- Lines for who writes the file: what a BSS does that the file does not expect, and what to change. A
-- BSS that is wrong goes on being so, and anybody can say that he is one: a line of each kind in
-- EVERY_NS for each NSE, and for all those together that the file has not.
local addresses = require "sluice.addresses"
local log = require "log"
local world = require "sluice.world"

local hints = {}

local EVERY_NS = 10000000000
local NAMED_MOST = 4

local of_others = {}

-- kind: a word of ours, so that there are few. nse: nil of none in the file.
local function say(nse, kind, text)
    local said = of_others
    if nse then
        nse.hints = nse.hints or {}
        said = nse.hints
    end
    if not said[kind] or world.now_ns >= said[kind] + EVERY_NS then
        said[kind] = world.now_ns
        log.warn(text)
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

local function at(address, port)
    return ("%s port %d"):format(addresses.shown(address), port)
end

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

return hints
