-- What all procedures share: the configuration in force, and who is there: NSEs, their NS-VCs and
-- cells, GGSNs. Ids are those of the dataplane's commands, and given here. MSs are in
-- subscribers/registry.lua, for there may be a million.
--
-- A procedure's own state is in a field of its name (nse.ns, bvc.flow, ...).
local dp = require "dp"
local new_ids = require "sluice.core.ids"
local schema_network = require "sluice.config.network_keys"
local timers = require "sluice.core.timers"
local watchers = require "sluice.core.watchers"

local world = {
    cfg = nil,                             -- what the file says, normalised
    nse = {}, nses = {}, nse_of_nsei = {}, -- by id; all; by NSEI
    nsvc = {}, bvc = {}, going = {},       -- by id; cells that are being removed
    endpoints = {},                        -- NS-VCs by endpoint
    ggsn_ids = {}, ids = {},
    ended = {},                            -- by pdp_id: contexts without uplink
}

-- sizes: how many of each kind there may be.
function world.begin(cfg, sizes)
    world.cfg = cfg
    for _, kind in ipairs { "nse", "nsvc", "bvc", "ggsn" } do
        world.ids[kind] = new_ids(sizes[kind .. "s"])
    end
end

-- ---- Jobs: long work beside the events ----

local jobs = {}

-- Runs fn as a coroutine; then done(good, ...) has what it returned, or its error.
function world.job(fn, done)
    jobs[#jobs + 1] = { task = coroutine.create(fn), done = done }
end

-- In long work, after a piece of it: others get their turn (base/breath.lua has it for what goes
-- through a list). Without a value, as a call that waits for the dataplane: while the configuration is
-- brought up, it is not up yet.
function world.breathe()
    coroutine.yield()
end

function world.busy()
    return jobs[1] ~= nil
end

local function step(job)
    local results = table.pack(coroutine.resume(job.task))
    if coroutine.status(job.task) ~= "dead" then
        return false
    end
    if not results[1] then
        results[2] = debug.traceback(job.task, tostring(results[2]))
    end
    job.done(table.unpack(results, 1, results.n))
    return true
end

-- One piece of the first job. They take turns: the next piece is that of the next job.
function world.work()
    local job = table.remove(jobs, 1)
    if job and not step(job) then
        jobs[#jobs + 1] = job
    end
end

-- ---- Who is there ----

-- A list that knows where each of it stands, for there may be thousands: the last one takes the
-- place of one that goes.
local function append_to(list, thing)
    list[#list + 1] = thing
    thing.place = #list
end

local function remove_from(list, thing)
    local last = list[#list]
    list[thing.place], last.place = last, thing.place
    list[#list] = nil
end

-- NS-VCs stay in the order in which they came; an NSE has a few.
local function remove_in_order(list, thing)
    for i, each in ipairs(list) do
        if each == thing then
            return table.remove(list, i)
        end
    end
end

-- watch(event, fn): fn(thing) is called for each NSE, NS-VC or cell of which that is so.
world.watch, world.tell = watchers {
    "nse_added", "nse_removed", "nsvc_added", "nsvc_removed", "bvc_added", "bvc_removed",
    "nsvc_failed", -- without NS-RESET, its test has got no answer
    "bvc_reset",   -- its BSS knows nothing of its MSs any more
}

local tell = world.tell

-- nil: no room.
function world.add_nse(cfg)
    local id = world.ids.nse:take()
    if not id then
        return nil, "room"
    end
    local nse = {
        id = id, nsei = cfg.nsei, cfg = cfg, nsvcs = {}, bvcs = {}, bvc_list = {},
        features = 0, extended = 0, made = 0, -- made: cells that are not in the file
        coming = {},                          -- by BVCI: cells of which the dataplane is being told
    }
    dp.nse { nse_id = id, nsei = cfg.nsei }
    world.nse[id], world.nse_of_nsei[cfg.nsei] = nse, nse
    append_to(world.nses, nse)
    tell("nse_added", nse)
    return nse
end

local TRIES_MOST = 1000

-- What the dataplane refuses while a cell of the NSE is kept for an MS it takes once events have said
-- so: they have brought the MS elsewhere, and the cell has been removed once more. So only in a job.
function world.insist(call, ...)
    local results = table.pack(pcall(call, ...))
    for _ = 1, TRIES_MOST do
        if results[1] then
            break
        end
        world.breathe()
        results = table.pack(pcall(call, ...))
    end
    return table.unpack(results, 1, results.n)
end

-- It has no cells any more. The dataplane takes a while, in which others get their turn: nobody is
-- to bring one more NS-VC, and what came before that goes with it. In a job.
function world.remove_nse(nse)
    world.nse_of_nsei[nse.nsei] = nil
    while nse.nsvcs[1] and world.remove_nsvc(nse.nsvcs[1]) do end
    tell("nse_removed", nse)
    world.nse[nse.id] = nil
    remove_from(world.nses, nse)
    assert(world.insist(dp.nse_remove, { nse_id = nse.id }))
    world.ids.nse:give(nse.id)
end

local function free(nsvc)
    world.endpoints[nsvc.endpoint] = nil
    remove_in_order(nsvc.nse.nsvcs, nsvc)
    world.ids.nsvc:give(nsvc.id)
end

-- For one more, of the file or brought by the BSS.
local function has_room(nse, given)
    local own = 0
    for _, nsvc in ipairs(nse.nsvcs) do
        own = own + (nsvc.cfg and 0 or 1)
    end
    return #nse.nsvcs < schema_network.NSVCS_AN_NSE and (given.cfg or own < nse.cfg.own_nsvcs)
end

-- given: nsvci (nil: it has none), address, port, mac, weight, signalling_weight, data_weight,
-- blocked, cfg. nil and "room" (here, or in the NSE), "taken" (the endpoint is another's) or what the
-- dataplane says, to which a stranger's address may be none. Its place and its endpoint are taken
-- while that takes a while; it carries nothing before it has begun.
function world.add_nsvc(nse, given)
    local endpoint = given.address .. "|" .. given.port
    if world.nsvc_of_endpoint(endpoint) then
        return nil, "taken"
    end
    local id = has_room(nse, given) and world.ids.nsvc:take()
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
    world.endpoints[endpoint] = nsvc
    nse.nsvcs[#nse.nsvcs + 1] = nsvc
    local good, why = pcall(dp.nsvc, {
        nsvc_id = id, nse_id = nse.id, nsvci = given.nsvci or 0, peer_address = given.address,
        peer_port = given.port, peer_mac = given.mac, weight = nsvc.data_weight,
        blocked = nsvc.blocked,
    })
    if not good then
        free(nsvc)
        return nil, why
    end
    world.nsvc[id] = nsvc
    tell("nsvc_added", nsvc)
    return nsvc
end

-- endpoint: address .. "|" .. port, the address as events have it.
function world.nsvc_of_endpoint(endpoint)
    return world.endpoints[endpoint]
end

-- What comes on it from now on is nobody's; its place and its endpoint are free when the dataplane
-- knows. False: somebody does it already.
function world.remove_nsvc(nsvc)
    if world.nsvc[nsvc.id] ~= nsvc then
        return false
    end
    tell("nsvc_removed", nsvc)
    world.nsvc[nsvc.id] = nil
    dp.nsvc_remove { nsvc_id = nsvc.id }
    free(nsvc)
    return true
end

-- Whether it may carry data, and how much of it. The dataplane has it at once.
function world.set_nsvc(nsvc, blocked, data_weight)
    nsvc.blocked, nsvc.data_weight = blocked, data_weight or nsvc.data_weight
    dp.nsvc_weight {
        nsvc_id = nsvc.id, weight = nsvc.data_weight, blocked = blocked,
    }
end

-- cfg: its record in the configuration; nil: it has none. nil and "room" or what the dataplane says.
function world.add_bvc(nse, bvci, cfg)
    local id = world.ids.bvc:take()
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
        world.ids.bvc:give(id)
        return nil, why
    end
    world.bvc[id], nse.bvcs[bvci] = bvc, bvc
    append_to(nse.bvc_list, bvc)
    nse.made = nse.made + (cfg and 0 or 1)
    tell("bvc_added", bvc)
    return bvc
end

-- The dataplane keeps a cell in which an MS has just been heard, and says so (event bvc_kept); its
-- id is nobody's until the dataplane holds it no longer, which is looked at from time to time.
local CONFIRMED_NS = 1000000000

local function confirmed(bvc)
    if world.going[bvc.id] ~= bvc then
        return
    elseif dp.bvc_held(bvc.id) then
        bvc.going = timers.after(CONFIRMED_NS, confirmed, bvc)
    else
        world.going[bvc.id] = nil
        world.ids.bvc:give(bvc.id)
    end
end

local function remove_in_dataplane(bvc)
    world.going[bvc.id] = bvc
    dp.bvc_remove { bvc_id = bvc.id }
    timers.stop(bvc.going)
    bvc.going = timers.after(CONFIRMED_NS, confirmed, bvc)
end

-- It has no MS any more.
function world.remove_bvc(bvc)
    tell("bvc_removed", bvc)
    world.bvc[bvc.id], bvc.nse.bvcs[bvc.bvci] = nil, nil
    remove_from(bvc.nse.bvc_list, bvc)
    bvc.nse.made = bvc.nse.made - (bvc.cfg and 0 or 1)
    remove_in_dataplane(bvc)
end

-- The MS that kept it has been moved elsewhere (ms/roam.lua), so once more.
function world.bvc_kept(bvc_id)
    local bvc = world.going[bvc_id]
    if bvc then
        remove_in_dataplane(bvc)
    end
end

return world
