-- Paths to GGSNs (TS 29.060 clause 7.2, TS 23.007 clause 11): which GGSNs speak GTP-C, ECHO, and the restart
-- counters of both sides. A path is
--   { name, address, shown, host (hosts.lua), state, since_ns (of "up" and "down"), recovery (the GGSN's, nil: not
--     known), echo, timer, tunnels (of contexts.lua) }
-- and what requests.lua keeps in it. state: "unknown" until the GGSN is first heard, then "up" or "down". A path is
-- asked from the start on and for as long as there is one, so that an operator sees that a GGSN is not there before
-- a phone does, and a restart is noticed.
local addresses = require "sluice.base.addresses"
local clock = require "sluice.core.clock"
local control_requests = require "sluice.core.requests"
local count = require "count"
local hosts = require "sluice.gtpc.hosts"
local log = require "log"
local network = require "sluice.core.network"
local parts = require "sluice.config.parts"
local requests = require "sluice.gtpc.requests"
local restarts = require "sluice.core.restarts"
local timers = require "sluice.core.timers"
local watchers = require "sluice.core.watchers"

local paths = { list = {} }

-- By address, as events have it, and by the GGSN's name in the file.
local by_address, by_name = {}, {}

-- watch(event, fn): fn(path) is called.
paths.watch, paths.tell = watchers {
    "restarted", -- the GGSN has another restart counter: it has lost all contexts
    "down",      -- it does not answer any more
}

-- libgtp keeps its answers by sequence number for 15 s, whoever it was that asked.
local SEQUENCES_A_RUN = 1024

local function seconds(ns)
    return ns / 1000000000
end

-- ---- Up and down ----

local function up(path)
    if path.state ~= "up" then
        log.info(("%s: GTP-C is up, restart counter %s"):format(requests.name(path), path.recovery or "unknown"))
        if path.state == "down" then
            count.add "paths_back" -- paths_down minus paths_back: those that are down now
        end
        path.state, path.since_ns = "up", clock.now_ns
    end
end

local function down(path)
    if path.state == "down" then
        return
    end
    path.state, path.since_ns = "down", clock.now_ns
    count.add "paths_down"
    log.warn(("%s answers no GTP-C on UDP 2123; check that it runs, the route to it and its firewall"):format(
        requests.name(path)))
    paths.tell("down", path)
    requests.abort(path)
end

-- The GGSN has said its restart counter, or nothing about it (nil).
function paths.heard(path, recovery)
    local before = path.recovery
    path.recovery = recovery or before
    up(path)
    if before and path.recovery ~= before then
        log.warn(("%s has restarted (its counter was %d and is %d): its contexts are gone"):format(
            requests.name(path), before, path.recovery))
        paths.tell("restarted", path)
    end
end

-- ---- ECHO ----

local echo

-- Sent over: the next one follows at once while the GGSN is down, which makes a message each T3-RESPONSE.
local function echoed_in_vain(request)
    request.path.echo = nil
    down(request.path)
    echo(request.path)
end

local function echoed(request, pdu)
    local path = request.path
    path.echo = nil
    if request.sent == 1 then -- else nobody knows which one it answers
        path.round_trip_ns = clock.now_ns - request.at_ns
    end
    path.timer = timers.after(network.cfg.timers.echo_ns, echo, path)
    paths.heard(path, pdu and pdu.recovery)
end

local ECHO = { answered = echoed, over = echoed_in_vain, urgent = true }

function echo(path)
    timers.stop(path.timer)
    path.timer = nil
    path.echo = requests.send(path, "gtpc_echo_request", "gtpc_echo_response", { teid = 0 }, ECHO)
end

-- A request has had no answer: is anybody there?
function paths.doubt(path)
    if not path.echo and not path.held and path.state ~= "down" then
        echo(path)
    end
end

-- A request in the GGSN's name has its restart counter. Anybody on Gn may forge one, and another counter ends all
-- contexts; so the GGSN is asked, and its answer holds.
function paths.claimed(path, recovery)
    if recovery ~= path.recovery then
        paths.doubt(path)
    end
end

-- ---- Which there are ----

local function new(name, host)
    local path = {
        name = name, address = host.address, shown = addresses.shown(host.address), host = host, state = "unknown", tunnels = {},
    }
    requests.begin(path, restarts.number() * SEQUENCES_A_RUN % 0x10000)
    by_address[host.address] = path
    paths.list[#paths.list + 1] = path
    return path
end

-- Those of the file; a GGSN's address of GTP-U may also be that of GTP-C.
function paths.begin()
    for _, ggsn in ipairs(network.cfg.ggsn) do
        local address = parts.address(ggsn.address)
        hosts.put(address, false, network.ggsn_ids[ggsn.name])
        if ggsn.control then
            local control = parts.address(ggsn.control)
            if control == address then
                hosts.put(control, true, network.ggsn_ids[ggsn.name])
            end
            local host = assert(hosts.hold(control, true, ggsn.mac), "no place for a GGSN's GTP-C")
            by_name[ggsn.name] = new(ggsn.name, host)
            echo(by_name[ggsn.name])
        end
    end
end

function paths.named(name)
    return by_name[name]
end

function paths.at(address)
    return by_address[address]
end

-- The path to the address of a GGSN's answer, under the name of the GGSN; nil if there can be none. It is held
-- until paths.release.
function paths.hold(address, name)
    local path = by_address[address]
    if path and not path.held then
        return path
    end
    local host = hosts.hold(address, true)
    if not host then
        return nil
    end
    path = path or new(name, host)
    path.held = (path.held or 0) + 1
    return path
end

function paths.release(path)
    if not path.held then
        return
    end
    path.held = path.held - 1
    local host = path.host
    if path.held == 0 then
        requests.abort(path)
        by_address[path.address] = nil
        for i, other in ipairs(paths.list) do
            if other == path then
                table.remove(paths.list, i)
                break
            end
        end
    end
    hosts.release(host)
end

-- ---- `sluice ctl ggsns` ----

local function line_of(path)
    local more = path.since_ns and (" for %d s"):format(seconds(clock.now_ns - path.since_ns) // 1) or ""
    if path.recovery then
        more = ("%s, restart counter %d"):format(more, path.recovery)
    end
    if path.state == "up" and path.round_trip_ns then
        more = ("%s, echo %.1f ms"):format(more, seconds(path.round_trip_ns) * 1000)
    end
    return ("%s: %s%s, contexts: %d"):format(requests.name(path), path.state, more, #path.tunnels)
end

control_requests.on("ggsns", function()
    local lines = {}
    for i, path in ipairs(paths.list) do
        lines[i] = line_of(path)
    end
    if not lines[1] then
        return false, "no GGSN has GTP-C; ggsn { control = ADDRESS } gives it"
    end
    return true, table.concat(lines, "\n")
end)

return paths
