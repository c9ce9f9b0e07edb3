-- The contexts of phones (subscribers/contexts.lua) come and go in any order, over a dataplane that is a plain model:
-- it has each packet flow and context once, a context's flow is there before it and as long as it, and flows with one PFI
-- share a bucket. A command to remove may wait, as in a reload's job; meanwhile each other context of the record has its
-- own id, may get a tunnel, and is found by its TEID.
-- Run by `sluice lua`; prints a line if all holds.
local PHONES, PLACES, NSAPIS, TEIDS, CLASSES = 3, 8, 5, 4, { "background", "streaming" }
-- The model: flows[ms_id][slot] = the command; pdps[pdp_id] = { ms_id, slot, nsapi }; made: the last flow.
local flows, pdps, made = {}, {}, nil

local state = 42
local function random(n) -- 1 .. n
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) % n + 1
end

local function wait()
    if coroutine.isyieldable() then
        coroutine.yield()
    end
end

local nothing = setmetatable({}, { __index = function() return function() end end })
local dp = setmetatable({}, { __index = nothing })

function dp.ms(c)
    flows[c.ms_id] = {}
end

function dp.ms_cell()
    return 0
end

function dp.worker_left()
    return 1, 1
end

function dp.pfc(c)
    assert(not flows[c.ms_id][c.slot], "the slot is taken")
    assert(not c.shares or flows[c.ms_id][c.shares], "the bucket's slot is not there")
    flows[c.ms_id][c.slot], made = c, c
end

function dp.pfc_remove(c)
    wait()
    assert(flows[c.ms_id][c.slot], "the slot is free")
    for _, pdp in next, pdps do
        assert(pdp.ms_id ~= c.ms_id or pdp.slot ~= c.slot, "a context is in the flow")
    end
    flows[c.ms_id][c.slot] = nil
end

function dp.pdp(c)
    assert(not pdps[c.pdp_id], "the id is taken")
    assert(flows[c.ms_id][c.slot], "the flow is not there")
    pdps[c.pdp_id] = { ms_id = c.ms_id, slot = c.slot, nsapi = c.nsapi }
    return 1000 + c.pdp_id
end

function dp.pdp_remove(c)
    wait()
    assert(pdps[c.pdp_id], "the context is not there")
    pdps[c.pdp_id] = nil
end

for name, module in next, {
    dp = dp, lab = nothing, log = nothing, count = nothing, limits = {}, faults = {}, measures = {},
    ["sluice.lab.fill"] = nothing, ["sluice.core.board"] = nothing, ["sluice.schema.session_keys"] = {},
    ["sluice.subscribers.llc_first"] = { values = function() return 500, 0 end, user_sapis = {} },
    ["sluice.core.network"] = {
        cfg = { room = { mss = PHONES, pdps = PLACES } }, ggsn_ids = {}, ended = {}, contexts = nothing, bvc = {}, nse = { [0] = { cfg = {} } },
    },
} do
    package.loaded[name] = module
end
local contexts = require "sluice.subscribers.contexts"
local parts = require "sluice.config.parts"
local ranges = require "sluice.subscribers.ranges"
local teids = require "sluice.subscribers.teids"

local records, there, total = {}, {}, 0 -- there[phone][nsapi] = its GGSN's TEID, or 0 without one

-- Without `gone`, whose removal is under way.
local function look(phone, gone)
    local record, n = records[phone], 0
    for j, pdp in ipairs(record.ms.pdp) do
        local model = pdps[record.pdp_ids[j].first]
        assert(model and model.ms_id == record.first_ms_id and model.nsapi == pdp.nsapi, "the id is another context's")
        assert(model.slot == record.slot_of[parts.pfc_key(pdp)], "the flow is another")
        assert(there[phone][pdp.nsapi] == (pdp.ggsn_teid or 0), "the TEID is another context's")
        n = n + 1
        if pdp.ggsn_teid then
            assert(teids.find(pdp.ggsn_teid, function(found) return found == record or nil end), "it is not found")
        end
    end
    assert(#record.pdp_ids == n, "as many ids as contexts")
    for nsapi in next, there[phone] do
        n = n - (nsapi ~= gone and 1 or 0)
    end
    assert(n == 0, "as many contexts as were added")
end

local function has_pfi(phone, pfi)
    for _, pdp in ipairs(records[phone].ms.pdp) do
        if pdp.pfi and pdp.pfi == pfi then
            return true
        end
    end
    return false
end

local function add(phone, nsapi)
    local pfi = random(3)
    pfi = pfi < 3 and pfi or nil
    local shares = has_pfi(phone, pfi)
    made = nil
    local teid = contexts.add(records[phone], { nsapi = nsapi, sapi = 3, class = CLASSES[random(2)], pfi = pfi })
    assert(not made or (made.shares ~= nil) == shares, "flows with one PFI share a bucket")
    assert((teid == nil) == (total == PLACES), "one as long as there is a place")
    if teid then
        assert(pdps[teid - 1000].nsapi == nsapi, "the TEID is another context's")
        there[phone][nsapi], total = 0, total + 1
    end
end

local function tunnel(phone, nsapi)
    there[phone][nsapi] = random(TEIDS)
    contexts.set_tunnel(records[phone], nsapi, 1, there[phone][nsapi], "10.0.0.1")
end

local function remove(phone, nsapi)
    local job = coroutine.create(contexts.remove)
    assert(coroutine.resume(job, records[phone], nsapi))
    while coroutine.status(job) ~= "dead" do
        look(phone, nsapi)
        for other = 5, 4 + NSAPIS do
            if other ~= nsapi and there[phone][other] then
                tunnel(phone, other)
            end
        end
        assert(coroutine.resume(job))
    end
    there[phone][nsapi], total = nil, total - 1
end

for phone = 1, PHONES do
    records[phone] = ranges.add_single(0, 0, {
        imsi = "00101000000000" .. phone, count = 1, tlli = 0xC0000000 + phone, cipher = "none", pdp = {},
    })
    there[phone] = {}
end
for _ = 1, 20000 do
    local phone, nsapi = random(PHONES), 4 + random(NSAPIS)
    if not there[phone][nsapi] then
        add(phone, nsapi)
    elseif random(3) == 1 then
        tunnel(phone, nsapi)
    else
        remove(phone, nsapi)
    end
    look(phone)
    assert(ranges.left "pdps" == PLACES - total, "each place is free or taken")
end
print "contexts"
