-- Checks what a file says that MSs do in the lab. See lab_check.lua.
local check = require "sluice.config.check"
local parts = require "sluice.config.parts"
local lab_faults = require "sluice.config.lab_faults"
local lab_keys = require "sluice.schema.lab_keys"
local units = require "sluice.base.units"
local values = require "sluice.config.values"

local note = check.note

local events = {}

local function has_imsi(ms, imsi)
    local member = #ms.imsi == #imsi and tonumber(imsi) - tonumber(ms.imsi) or -1
    return member >= 0 and member < (ms.count or 1)
end

-- Calls visit(nse, bvc) for each cell with an MS that the event is for.
local function each_home(cfg, event, visit)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                if not event.imsi or ms.imsi and has_imsi(ms, event.imsi) then
                    visit(nse, bvc)
                    break
                end
            end
        end
    end
end

-- Returns whether an MS may come from one NSE to another, so that TLLIs must not be the same in them.
function events.join_nses(cfg)
    for _, move in ipairs(cfg.lab and cfg.lab.move or {}) do
        local first, several
        local function add(nsei)
            several = several or first and first ~= nsei
            first = first or nsei
        end
        for _, name in ipairs(move.cells or {}) do
            add(tonumber(name:match "^%d+"))
        end
        each_home(cfg, move, function(nse)
            add(nse.nsei)
        end)
        if several then
            return true
        end
    end
    return false
end

-- Without GMM an MS that comes from another routeing area is a stranger there.
local function warn_areas(state, cfg, event, cells)
    local areas, known = {}, {}
    local function add(bvc)
        if bvc and bvc.area and not known[bvc.area] then
            known[bvc.area], areas[#areas + 1] = true, bvc.area
        end
    end
    each_home(cfg, event, function(_, bvc)
        add(bvc)
    end)
    for _, name in ipairs(event.cells) do
        add(cells[name])
    end
    if #areas > 1 then
        check.warn(state, event, "cells", ("found cells, and MSs in cells, of the routeing areas %s and %s:"
            .. " the SGSN has no GMM, and does not find an MS that changes its area"):format(areas[1],
            areas[2]))
    end
end

local function check_cells(state, cfg, event, cells)
    for _, name in ipairs(event.cells or {}) do
        if name ~= "" and not cells[name] then -- "": refused before
            note(state, event, "cells", 'found "%s", allowed cells of the file, as NSEI-BVCI', name)
        end
    end
    if event.cells then
        warn_areas(state, cfg, event, cells)
    end
end

-- Notes what would happen behind the end of the run.
local function check_times(state, cfg, event)
    local last_ns = cfg.run and cfg.run.duration_ns
    local at_ns, spread_ns = event.at_ns, event.spread_ns
    if not (last_ns and at_ns and spread_ns) then
        return
    end
    if at_ns >= last_ns then
        note(state, event, "at", "found %s, allowed less than the run's duration, %s",
            units.format("time", at_ns), units.format("time", last_ns))
    elseif at_ns + spread_ns > last_ns then
        note(state, event, "spread", "found %s, allowed at most %s, from at to the end of the run",
            units.format("time", spread_ns), units.format("time", last_ns - at_ns))
    end
end

-- find(imsi): the ms record that has the IMSI, or nil; itself nil while an MS may have been refused.
function events.check(state, cfg, find)
    local cells = parts.cells_of(cfg)
    for _, constructor in ipairs(lab_keys.events) do
        for _, event in ipairs(cfg.lab[constructor.name]) do
            lab_faults.check(state, constructor, event, { kind = constructor.event, lasts_ns = 0 })
            check_times(state, cfg, event)
            check_cells(state, cfg, event, cells)
            if find and event.imsi and not find(event.imsi) then
                note(state, event, "imsi", "found %s, allowed the IMSI of an ms { }",
                    values.show(event.imsi))
            end
        end
    end
end

return events
