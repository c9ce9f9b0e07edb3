-- Checks the parts of a configuration about Gb's procedures against each other: `ns` and NS-VCs, rates
-- of cells that flow control would overwrite, room for the file's records, the user's script. Also
-- fills in the defaults of room { }. See cross.lua.
local attach = require "sluice.config.attach_check"
local check = require "sluice.config.check"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local schema_network = require "sluice.schema.network_keys"
local script_check = require "sluice.script.check"

local NSVCS_AN_NSE = schema_network.NSVCS_AN_NSE

local note, is_given = check.note, check.is_given

local gb = {}

-- Checks that the NSE has NS-VCs as its `ns` requires.
local function check_nsvcs(state, nse)
    if nse.dynamic and nse.ns ~= "reset" then
        note(state, nse, "dynamic", 'found true, allowed with ns = "reset" only: NS-RESET'
            .. " names the NSE of an unknown endpoint")
    elseif nse.ns == "sns" and #nse.nsvc > 0 then
        check.note_record(state, nse.nsvc[1], 'found nsvc { }, allowed none with ns = "sns": the'
            .. " BSS names its endpoints")
    elseif #nse.nsvc == 0 and nse.ns ~= "sns" and nse.dynamic == false then
        check.note_few(state, nse, schema.constructor.nsvc)
    end
end

-- A cell's rate in the file holds only with ns = "manual", or until the first FLOW-CONTROL-BVC.
local function check_rates(state, nse)
    if nse.ns == "manual" or nse.flow_control ~= "wait" then
        return
    end
    for _, bvc in ipairs(nse.bvc) do
        for _, key in ipairs { "rate", "ms_rate" } do
            if is_given(state, bvc, key) then
                note(state, bvc, key, 'found a rate, allowed with flow_control = "open" or'
                    .. ' ns = "manual" of the nse only: otherwise FLOW-CONTROL-BVC sets the rate')
            end
        end
    end
end

local function check_nse(state, nse)
    if nse.ns then
        check_nsvcs(state, nse)
        check_rates(state, nse)
    end
end

-- ---- room { } ----

-- The number of packet flows of an MS; 0 if a class was refused.
local function pfcs_of(ms)
    for _, pdp in ipairs(ms.pdp) do
        if not pdp.class then
            return 0
        end
    end
    return #select(2, parts.slots_of(ms))
end

-- Cells and NS-VCs that the BSS of an NSE may add besides those of the file. brings(nse): whether it
-- may. key: the NSE's key for their number; room: the key of the places for all; own: the NSE's field
-- with the number that it gets.
local OF_ITS_OWN = {
    {
        key = "cells_most", room = "bvcs", own = "own_bvcs", with = 'cells = "any"',
        brings = function(nse)
            return nse.cells == "any"
        end,
        most = function()
            return math.maxinteger
        end,
        usual = function()
            return 0 -- check_room adds an eighth, which the NSEs share
        end,
    },
    {
        key = "nsvcs_most", room = "nsvcs", own = "own_nsvcs",
        with = 'dynamic = true or ns = "sns"',
        brings = function(nse)
            return nse.dynamic or nse.ns == "sns"
        end,
        most = function(nse)
            return NSVCS_AN_NSE - #nse.nsvc
        end,
        usual = function(nse)
            return NSVCS_AN_NSE - #nse.nsvc
        end,
    },
}

-- Returns the places that the file reserves for BSSs, the usual number for NSEs without such a key, and
-- the number of those NSEs.
local function count_own(state, nses, kind)
    local given, usual, sharers = 0, 0, 0
    for _, nse in ipairs(nses) do
        local own = nse[kind.key]
        if own and not kind.brings(nse) then
            note(state, nse, kind.key, "found %d, allowed with %s only", own, kind.with)
        elseif own then
            given = given + own
        elseif kind.brings(nse) then
            usual, sharers = usual + kind.usual(nse), sharers + 1
        end
    end
    return given, usual, sharers
end

local function share_out(nses, kind, share)
    for _, nse in ipairs(nses) do
        nse[kind.own] = kind.brings(nse) and (nse[kind.key] or math.min(share, kind.most(nse))) or 0
    end
end

-- NSEs are distributed to workers in turn. Counts each worker's MSs and contexts, and the maxima.
local function count_of_worker(n, cfg, i, nse)
    local w = i % (cfg.run and cfg.run.workers or 1)
    local of = n.of_worker[w] or { mss = 0, pdps = 0 }
    n.of_worker[w] = of
    nse.mss = 0
    for _, bvc in ipairs(nse.bvc) do
        for _, ms in ipairs(bvc.ms) do
            nse.mss = nse.mss + ms.count
            of.pdps = of.pdps + ms.count * #ms.pdp
        end
    end
    of.mss = of.mss + nse.mss
    n.worker_mss = math.max(n.worker_mss, of.mss)
    n.worker_pdps = math.max(n.worker_pdps, of.pdps)
end

local function count(cfg)
    local n = {
        nses = #cfg.nse, nsvcs = 0, ggsns = #cfg.ggsn, bvcs = 0, pfcs = attach.pfcs(cfg),
        worker_mss = 0, worker_pdps = 0, of_worker = {},
    }
    n.mss, n.pdps = attach.places(cfg)
    for _, ggsn in ipairs(cfg.ggsn) do
        n.ggsns = n.ggsns + (ggsn.control and ggsn.control ~= ggsn.address and 1 or 0)
    end
    for i, nse in ipairs(cfg.nse) do
        count_of_worker(n, cfg, i, nse)
        n.nsvcs = n.nsvcs + #nse.nsvc
        n.bvcs = n.bvcs + #nse.bvc
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                n.mss = n.mss + ms.count
                n.pdps = n.pdps + ms.count * #ms.pdp
                n.pfcs = math.max(n.pfcs, pfcs_of(ms))
            end
        end
    end
    return n
end

-- Each NSE gets places of its own for what its BSS may add, so that no BSS takes another's.
local function check_own(state, cfg, n)
    local wanted, shares = {}, {}
    for _, kind in ipairs(OF_ITS_OWN) do
        local given, usual, sharers = count_own(state, cfg.nse, kind)
        n[kind.room] = n[kind.room] + given
        wanted[kind.room] = usual
        shares[#shares + 1] = function(room)
            local left = (room[kind.room] or 0) - n[kind.room]
            share_out(cfg.nse, kind, math.max(left, 0) // math.max(sharers, 1))
        end
    end
    return wanted, shares
end

local function check_room(state, cfg)
    local room, n = cfg.room, count(cfg)
    local wanted, shares = check_own(state, cfg, n)
    if room then
        room.given = {}
    end
    for _, key in ipairs(room and schema.constructor.room.keys or {}) do
        local has, name = n[key.name], key.name
        room.given[name] = is_given(state, room, name)
        if room[name] and room[name] < has then
            note(state, room, name, "found %d, allowed at least the number in the file, %d", room[name],
                has)
        elseif key.share_of and not room.given[name] then
            local share = (room[key.share_of] * 5 - 1) // (4 * (cfg.run and cfg.run.workers or 1)) + 1
            room[name] = math.min(math.max(has, share), room[key.share_of])
        elseif not room.given[name] then
            local more = key.least_more and math.max(has // 8, key.least_more) or 0
            room[name] = math.min(has + (wanted[name] or 0) + more, key.most)
        end
    end
    for _, share in ipairs(room and shares or {}) do
        share(room)
    end
end

-- ---- policy { } ----

-- source.read(path), a C function, returns the text of a file, or nil and why not.
local function load_script(state, cfg, source)
    local path = script_check.path(source.name, cfg.policy.script)
    local text, why = source.read(path)
    if not text then
        return note(state, cfg.policy, "script", "%s", why)
    end
    cfg.policy.path, cfg.policy.text = path, text
    local line, wrong = script_check.script(cfg.policy)
    if wrong then
        state.mistakes:add(path .. ":" .. line, "policy", wrong)
    end
end

function gb.all(state, cfg, source)
    for _, nse in ipairs(cfg.nse) do
        check_nse(state, nse)
    end
    check_room(state, cfg)
    if cfg.policy and cfg.policy.script and cfg.policy.instructions then
        load_script(state, cfg, source)
    end
end

return gb
