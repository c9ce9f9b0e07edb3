-- What all procedures share: the configuration in force, and the registry of NSEs, their NS-VCs and
-- cells, and GGSNs. This module assigns the ids of the dataplane's commands. subscribers/registry.lua
-- has the MSs, of which there may be a million.
--
-- A procedure keeps its state in fields of its own (nse.sns, bvc.flow_control, ...).
local dp = require "dp"
local new_ids = require "sluice.core.ids"
local jobs = require "sluice.core.jobs"
local parts = require "sluice.config.parts"
local schema_network = require "sluice.schema.network_keys"
local timers = require "sluice.core.timers"
local watchers = require "sluice.core.watchers"

local network = {
    cfg = nil,                             -- the normalised configuration
    nse = {}, nses = {}, nse_of_nsei = {}, -- by id; all; by NSEI
    nsvc = {}, bvc = {}, going = {},       -- by id; cells that are being removed
    endpoints = {},                        -- NS-VCs by endpoint
    ggsn_ids = {}, ids = {},               -- GGSN ids by name; free ids by kind
    data_hosts = {},                       -- by address: ids of hosts that GGSNs' answers have named for G-PDUs
    ended = {},                            -- by pdp_id: contexts with a stopped uplink
}

-- sizes: the most of each kind.
function network.begin(cfg, sizes)
    network.cfg = cfg
    for _, kind in ipairs { "nse", "nsvc", "bvc", "ggsn" } do
        network.ids[kind] = new_ids(sizes[kind .. "s"])
    end
end

-- ---- NSEs, NS-VCs and cells ----

-- A list whose items know their places, so that a removal takes constant time: the last item takes the
-- place of the removed one.
local function append_to(list, thing)
    list[#list + 1] = thing
    thing.place = #list
end

local function remove_from(list, thing)
    local last = list[#list]
    list[thing.place], last.place = last, thing.place
    list[#list] = nil
end

-- NS-VCs keep their order; an NSE has a few.
local function remove_in_order(list, thing)
    for i, each in ipairs(list) do
        if each == thing then
            return table.remove(list, i)
        end
    end
end

-- watch(event, fn): fn(thing) is called with the NSE, NS-VC or cell at each such event.
network.watch, network.tell = watchers {
    "nse_added", "nse_removed", "nsvc_added", "nsvc_removed", "bvc_added", "bvc_removed",
    "nsvc_failed", -- NS-ALIVE has failed on an NS-VC without NS-RESET
    "bvc_reset",   -- the BSS has forgotten the state of the cell's MSs
    "bvc_heard",   -- the BSS sends on a cell whose BVC-RESET it did not answer
    "configured",  -- a reload has put another configuration in force; told about nothing, in its job
}

local tell = network.tell

-- Returns nil and "room" without room.
function network.add_nse(cfg)
    local id = network.ids.nse:take()
    if not id then
        return nil, "room"
    end
    local nse = {
        id = id, nsei = cfg.nsei, cfg = cfg, nsvcs = {}, bvcs = {}, bvc_list = {},
        features = 0, extended = 0, made = 0, -- made: the number of cells that the BSS has added
        coming = {},                          -- by BVCI: cells that wait for the dataplane's answer
    }
    dp.nse { nse_id = id, nsei = cfg.nsei }
    network.nse[id], network.nse_of_nsei[cfg.nsei] = nse, nse
    append_to(network.nses, nse)
    tell("nse_added", nse)
    return nse
end

local TRIES_MOST = 1000

-- Calls `call` again until the dataplane accepts it. The dataplane refuses while it keeps a cell that
-- is being removed for an MS in it (event bvc_kept); then the MS moves, and the cell is removed again.
-- In a job only.
function network.insist(call, ...)
    local results = table.pack(pcall(call, ...))
    for _ = 1, TRIES_MOST do
        if results[1] then
            break
        end
        jobs.breathe()
        results = table.pack(pcall(call, ...))
    end
    return table.unpack(results, 1, results.n)
end

-- The NSE must have no cells. The removal may yield, so the NSEI goes first: no NS-VC can be added, and
-- those added before are removed too. In a job only.
function network.remove_nse(nse)
    network.nse_of_nsei[nse.nsei] = nil
    while nse.nsvcs[1] and network.remove_nsvc(nse.nsvcs[1]) do end
    tell("nse_removed", nse)
    network.nse[nse.id] = nil
    remove_from(network.nses, nse)
    assert(network.insist(dp.nse_remove, { nse_id = nse.id }))
    network.ids.nse:give(nse.id)
end

local function free(nsvc)
    network.endpoints[nsvc.endpoint] = nil
    remove_in_order(nsvc.nse.nsvcs, nsvc)
    network.ids.nsvc:give(nsvc.id)
end

-- Returns whether the NSE has room for an NS-VC of the file (given.cfg) or one that the BSS adds.
local function has_room(nse, given)
    local own = 0
    for _, nsvc in ipairs(nse.nsvcs) do
        own = own + (nsvc.cfg and 0 or 1)
    end
    return #nse.nsvcs < schema_network.NSVCS_AN_NSE and (given.cfg or own < nse.cfg.own_nsvcs)
end

-- In the lab nobody answers ARP: the file has the MAC addresses of endpoints that the BSS brings.
local function mac_of(nse, given)
    for _, own in ipairs(nse.cfg.bss and nse.cfg.bss.endpoint or {}) do
        if given.address == parts.address(own.address) and given.port == own.port then
            return own.mac
        end
    end
end

-- given: nsvci (nil for SNS), address, port, mac, weight, signalling_weight, data_weight, blocked, cfg.
-- Returns nil and "room" (here or in the NSE), "taken" (another NS-VC has the endpoint), or the
-- dataplane's error, for instance on a bad address of an unknown endpoint. dp.nsvc may yield; meanwhile
-- the id and the endpoint are in use, and the NS-VC carries nothing.
function network.add_nsvc(nse, given)
    local endpoint = given.address .. "|" .. given.port
    if network.nsvc_of_endpoint(endpoint) then
        return nil, "taken"
    end
    local id = has_room(nse, given) and network.ids.nsvc:take()
    if not id then
        return nil, "room"
    end
    local nsvc = {
        id = id, nse = nse, nsvci = given.nsvci, cfg = given.cfg, address = given.address,
        port = given.port, endpoint = endpoint, weight = given.weight or 1,
        signalling_weight = given.signalling_weight or given.weight or 1,
        data_weight = given.data_weight or given.weight or 1,
        blocked = given.blocked or false, alive = false, state = "dead",
    }
    network.endpoints[endpoint] = nsvc
    nse.nsvcs[#nse.nsvcs + 1] = nsvc
    local good, why = pcall(dp.nsvc, {
        nsvc_id = id, nse_id = nse.id, nsvci = given.nsvci or 0, peer_address = given.address,
        peer_port = given.port, peer_mac = given.mac or mac_of(nse, given), weight = nsvc.data_weight,
        blocked = nsvc.blocked,
    })
    if not good then
        free(nsvc)
        return nil, why
    end
    network.nsvc[id] = nsvc
    tell("nsvc_added", nsvc)
    return nsvc
end

-- endpoint: address .. "|" .. port, with the address as events carry it.
function network.nsvc_of_endpoint(endpoint)
    return network.endpoints[endpoint]
end

-- PDUs on the NS-VC are ignored from now on; its id and endpoint are free once the dataplane has
-- removed it. Returns false if the NS-VC is already being removed.
function network.remove_nsvc(nsvc)
    if network.nsvc[nsvc.id] ~= nsvc then
        return false
    end
    tell("nsvc_removed", nsvc)
    network.nsvc[nsvc.id] = nil
    dp.nsvc_remove { nsvc_id = nsvc.id }
    free(nsvc)
    return true
end

-- Sets the NS-VC's blocking and, if given, its data weight, also in the dataplane.
function network.set_nsvc(nsvc, blocked, data_weight)
    nsvc.blocked, nsvc.data_weight = blocked, data_weight or nsvc.data_weight
    dp.nsvc_weight {
        nsvc_id = nsvc.id, weight = nsvc.data_weight, blocked = blocked,
    }
end

-- cfg: the cell's record in the configuration, nil for a cell that the BSS adds. Returns nil and "room"
-- or the dataplane's error.
function network.add_bvc(nse, bvci, cfg)
    local id = network.ids.bvc:take()
    if not id then
        return nil, "room"
    end
    local bvc = { id = id, nse = nse, bvci = bvci, cfg = cfg }
    nse.coming[bvci] = true
    local good, why = pcall(dp.bvc, {
        bvc_id = id, nse_id = nse.id, bvci = bvci, blocked = nse.cfg.ns ~= "manual",
    })
    nse.coming[bvci] = nil
    if not good then
        network.ids.bvc:give(id)
        return nil, why
    end
    network.bvc[id], nse.bvcs[bvci] = bvc, bvc
    append_to(nse.bvc_list, bvc)
    nse.made = nse.made + (cfg and 0 or 1)
    tell("bvc_added", bvc)
    return bvc
end

-- The dataplane keeps a cell in which an MS has just been heard (event bvc_kept). The cell's id is free
-- only when the dataplane does not hold the cell any more, which a timer checks.
local CONFIRMED_NS = 1000000000

local function confirmed(bvc)
    if network.going[bvc.id] ~= bvc then
        return
    elseif dp.bvc_held(bvc.id) then
        bvc.going = timers.after(CONFIRMED_NS, confirmed, bvc)
    else
        network.going[bvc.id] = nil
        network.ids.bvc:give(bvc.id)
    end
end

local function remove_in_dataplane(bvc)
    network.going[bvc.id] = bvc
    dp.bvc_remove { bvc_id = bvc.id }
    timers.stop(bvc.going)
    bvc.going = timers.after(CONFIRMED_NS, confirmed, bvc)
end

-- The cell must have no MSs.
function network.remove_bvc(bvc)
    tell("bvc_removed", bvc)
    network.bvc[bvc.id], bvc.nse.bvcs[bvc.bvci] = nil, nil
    remove_from(bvc.nse.bvc_list, bvc)
    bvc.nse.made = bvc.nse.made - (bvc.cfg and 0 or 1)
    remove_in_dataplane(bvc)
end

-- Event bvc_kept: ms/roam.lua has moved the MS, so the cell is removed again.
function network.bvc_kept(bvc_id)
    local bvc = network.going[bvc_id]
    if bvc then
        remove_in_dataplane(bvc)
    end
end

return network
