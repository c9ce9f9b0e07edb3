-- GGSNs, NSEs, NS-VCs and cells of a new configuration: new ones are added first; obsolete ones are
-- removed after the MSs have moved. BSSs add and remove NS-VCs and cells meanwhile, so each step looks
-- at the registry again.
local breath = require "sluice.base.breath"
local bvcs = require "sluice.bssgp.bvc"
local check = require "sluice.reload.check"
local dp = require "dp"
local flow_control = require "sluice.bssgp.flow_control"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local schema_network = require "sluice.schema.network_keys"
local network = require "sluice.core.network"

local nses = {}

-- ---- GGSNs: a GGSN stays if its address and MAC are unchanged ----

local function ggsn_key(ggsn)
    return ggsn.address .. " " .. (ggsn.mac or "")
end

local function ggsns_of(cfg)
    local ids = {}
    for _, ggsn in breath.each(cfg.ggsn) do
        ids[ggsn_key(ggsn)] = network.ggsn_ids[ggsn.name]
    end
    return ids
end

local function change_from(old, new, done)
    if not check.same_value(old.gn.from, new.gn.from) then
        dp.gn_from(parts.gn_from(new))
        done("gn.from", "changed")
    end
end

local function add_ggsns(old, new, done)
    local before, ids, old_ids = ggsns_of(old), {}, network.ggsn_ids
    for _, ggsn in breath.each(new.ggsn) do
        local id = before[ggsn_key(ggsn)]
        if id and old_ids[ggsn.name] ~= id then
            done("GGSN", "changed") -- its name
        elseif not id then
            id = assert(network.ids.ggsn:take(), "no place for a GGSN")
            dp.ggsn { ggsn_id = id, address = parts.address(ggsn.address), mac = ggsn.mac }
            done("GGSN", "added")
        end
        ids[ggsn.name] = id
    end
    network.ggsn_ids = ids
    return old_ids
end

local function remove_ggsns(old, new, old_ids, done)
    local used = {}
    for _, ggsn in breath.each(new.ggsn) do
        used[network.ggsn_ids[ggsn.name]] = true
    end
    for _, ggsn in breath.each(old.ggsn) do
        local id = old_ids[ggsn.name]
        if not used[id] then
            dp.ggsn_remove { ggsn_id = id }
            network.ids.ggsn:give(id)
            done("GGSN", "removed")
        end
    end
end

-- ---- NS-VCs: an NS-VC stays if its NSVCI, endpoint and MAC are unchanged ----

local function endpoint_of(record)
    return parts.address(record.peer) .. "|" .. record.peer_port
end

local function is_that(nsvc, record)
    return nsvc.cfg and nsvc.nsvci == record.nsvci and nsvc.endpoint == endpoint_of(record)
        and nsvc.cfg.peer_mac == record.peer_mac
end

local function find_nsvc(nse, record)
    for _, nsvc in ipairs(nse.nsvcs) do
        if is_that(nsvc, record) then
            return nsvc
        end
    end
end

local function is_wanted(record, nsvc)
    if not nsvc.cfg then
        return record.dynamic or record.ns == "sns"
    end
    for _, wanted in ipairs(record.nsvc) do
        if is_that(nsvc, wanted) then
            return true
        end
    end
    return false
end

local function copy(list)
    return table.move(list, 1, #list, 1, {})
end

local function remove_nsvc(nsvc, done)
    network.remove_nsvc(nsvc)
    done("NS-VC", "removed")
end

-- Removes an obsolete NS-VC of a full NSE, or else one that the BSS has added.
local function make_place(nse, record, done)
    local full = #nse.nsvcs == schema_network.NSVCS_AN_NSE
    local going
    for _, nsvc in ipairs(full and nse.nsvcs or {}) do
        if not is_wanted(record, nsvc) then
            going = nsvc
            break
        elseif not nsvc.cfg and (not going or not nsvc.alive) then
            going = nsvc -- the BSS has added it, and may do so again
        end
    end
    if going then
        remove_nsvc(going, done)
    end
end

local function add_nsvc(nse, record, nsvc, done)
    local address = parts.address(nsvc.peer)
    local other = network.nsvc_of_endpoint(endpoint_of(nsvc))
    if other then
        remove_nsvc(other, done)
    end
    make_place(nse, record, done)
    network.ids.nsvc:spend()
    assert(network.add_nsvc(nse, {
        nsvci = nsvc.nsvci, address = address, port = nsvc.peer_port, mac = nsvc.peer_mac,
        weight = nsvc.weight, blocked = record.ns ~= "manual", cfg = nsvc,
    }))
    done("NS-VC", "added")
end

local function keep_nsvc(nsvc, record, done)
    local before = nsvc.cfg.weight
    nsvc.cfg = record
    if before ~= record.weight then
        nsvc.weight, nsvc.signalling_weight = record.weight, record.weight
        network.set_nsvc(nsvc, nsvc.blocked, record.weight)
        done("NS-VC", "changed")
    end
end

local function ensure_nsvcs(nse, record, done)
    for _, nsvc in ipairs(record.nsvc) do
        local there = find_nsvc(nse, nsvc)
        if there then
            keep_nsvc(there, nsvc, done)
        else
            add_nsvc(nse, record, nsvc, done)
        end
    end
end

-- ---- Cells ----

local FLOW_KEYS = { "rate_bit_per_s", "bucket_octets", "ms_rate_bit_per_s", "ms_bucket_octets" }

-- The file's values hold in a cell without FLOW-CONTROL-BVC.
local function set_from_file(bvc)
    local cfg = bvc.nse.cfg
    if bvc.up and not bvc.flow_control and (cfg.ns == "manual" or cfg.flow_control == "open") then
        flow_control.set_from_file(bvc)
    end
end

local function ensure_bvc(nse, record, done)
    local bvc = nse.bvcs[record.bvci]
    if not bvc then
        network.ids.bvc:spend()
        assert(network.insist(function() -- a cell with the BVCI may still be in removal
            assert(network.add_bvc(nse, record.bvci, record))
        end))
        return done("cell", "added")
    end
    local before = bvc.cfg
    nse.made = nse.made - (before and 0 or 1)
    bvc.cfg = record
    local flow = parts.differ(before or {}, record, FLOW_KEYS)
    if flow then
        set_from_file(bvc)
    end
    if flow or not before then -- the BSS's cell is the file's now
        done("cell", "changed")
    end
end

-- The BVCIs of an NSE's record, as a set; empty for nil.
local function bvcis_of(record)
    local bvcis = {}
    for _, bvc in breath.each(record and record.bvc or {}) do
        bvcis[bvc.bvci] = true
    end
    return bvcis
end

local function is_obsolete(record, bvcis, bvc)
    if not record then
        return true
    elseif not bvc.cfg then
        return record.cells ~= "any"
    end
    return not bvcis[bvc.bvci]
end

-- ---- NSEs ----

local FLOW = { "rate_bit_per_s", "bucket_octets" }

local function ensure_nse(record, done)
    local nse = network.nse_of_nsei[record.nsei]
    if not nse then
        nse = assert(network.add_nse(record))
        dp.nse_bucket(parts.bucket({ nse_id = nse.id }, record, ""))
        return nse, done("NSE", "added")
    end
    local before = nse.cfg
    nse.cfg = record
    if parts.differ(before, record, FLOW) then
        dp.nse_bucket(parts.bucket({ nse_id = nse.id }, record, ""))
    end
    local waited = before.flow_control ~= record.flow_control
    for _, bvc in breath.each(waited and copy(nse.bvc_list) or {}) do
        set_from_file(bvc) -- the cell may wait for a FLOW-CONTROL-BVC that never comes
    end
    if nse.cfg.ns ~= "manual" and not check.same_value(before.areas, record.areas) then
        bvcs.areas_changed(nse)
    end
    if not check.same_record(before, record, schema.constructor.nse) then
        done("NSE", "changed")
    end
    return nse
end

-- ---- Together ----

local function records_of(new)
    local records = {}
    for _, record in breath.each(new.nse) do
        records[record.nsei] = record
    end
    return records
end

-- The BSS of an obsolete NSE may add neither cells nor NS-VCs while the NSE's MSs move.
local function close_obsolete(new)
    local records = records_of(new)
    for _, nse in breath.each(copy(network.nses)) do
        if not records[nse.nsei] then
            nse.cfg.cells, nse.cfg.dynamic = "listed", false
        end
    end
end

-- done(what, how) counts a change. Returns the old ids of the GGSNs, for nses.remove.
function nses.add(old, new, done)
    close_obsolete(new)
    change_from(old, new, done)
    local old_ids = add_ggsns(old, new, done)
    for _, record in breath.each(new.nse) do
        local nse = ensure_nse(record, done)
        ensure_nsvcs(nse, record, done)
        for _, bvc in breath.each(record.bvc) do
            ensure_bvc(nse, bvc, done)
        end
    end
    return old_ids
end

-- The obsolete cells.
function nses.obsolete_bvcs(new)
    local list, records = {}, records_of(new)
    for _, nse in ipairs(copy(network.nses)) do
        local record = records[nse.nsei]
        local bvcis = bvcis_of(record)
        for _, bvc in breath.each(nse.bvc_list) do -- cells may be added meanwhile, none is removed
            if is_obsolete(record, bvcis, bvc) then
                list[#list + 1] = bvc
            end
        end
    end
    return list
end

-- Removes obsolete NS-VCs, NSEs and GGSNs; their cells have been removed before.
function nses.remove(old, new, old_ids, done)
    local records = records_of(new)
    for _, nse in breath.each(copy(network.nses)) do
        local record = records[nse.nsei]
        for _, nsvc in ipairs(copy(nse.nsvcs)) do
            if not record or not is_wanted(record, nsvc) then
                remove_nsvc(nsvc, done)
            end
        end
        if not record then
            network.remove_nse(nse)
            done("NSE", "removed")
        end
    end
    remove_ggsns(old, new, old_ids, done)
end

-- The number of new NSEs, NS-VCs, cells and GGSNs: as many places must be free before the old ones go.
function nses.count_new(old, new)
    local n = { nses = 0, nsvcs = 0, bvcs = 0, ggsns = 0 }
    local ggsns = ggsns_of(old)
    for _, ggsn in breath.each(new.ggsn) do
        n.ggsns = n.ggsns + (ggsns[ggsn_key(ggsn)] and 0 or 1)
    end
    for _, record in breath.each(new.nse) do
        local nse = network.nse_of_nsei[record.nsei]
        n.nses = n.nses + (nse and 0 or 1)
        for _, nsvc in ipairs(record.nsvc) do
            n.nsvcs = n.nsvcs + (nse and find_nsvc(nse, nsvc) and 0 or 1)
        end
        for _, bvc in breath.each(record.bvc) do
            n.bvcs = n.bvcs + (nse and nse.bvcs[bvc.bvci] and 0 or 1)
        end
    end
    return n
end

return nses
