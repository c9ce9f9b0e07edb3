-- Checks what a file says that MSs do in the lab. See lab_check.lua.
local breath = require "sluice.base.breath"
local check = require "sluice.config.check"
local lab_faults = require "sluice.config.lab_faults"
local lab_keys = require "sluice.schema.lab_keys"
local values = require "sluice.config.values"

local note = check.note

local events = {}

-- The cells of the file by "NSEI-BVCI".
local function cells_of(cfg)
    local cells = {}
    for _, nse in breath.each(cfg.nse) do
        for _, bvc in breath.each(nse.bvc) do
            if nse.nsei and bvc.bvci then
                cells[("%d-%d"):format(nse.nsei, bvc.bvci)] = bvc
            end
        end
    end
    return cells
end

-- Without GMM an MS that comes from another routeing area is a stranger there.
local function check_cells(state, event, cells)
    local area
    for _, name in ipairs(event.cells or {}) do
        local cell = cells[name]
        if name ~= "" and not cell then -- "": refused before
            note(state, event, "cells", 'found "%s", allowed cells of the file, as NSEI-BVCI', name)
        elseif cell and area and cell.area ~= area then
            check.warn(state, event, "cells", ("found cells of the routeing areas %s and %s: the SGSN has"
                .. " no GMM, and does not find an MS that changes its area"):format(area, cell.area))
            return
        end
        area = area or cell and cell.area
    end
end

-- find(imsi): the ms record that has the IMSI, or nil; itself nil while an MS may have been refused.
function events.check(state, cfg, find)
    local cells = cells_of(cfg)
    for _, constructor in ipairs(lab_keys.events) do
        for _, event in breath.each(cfg.lab[constructor.name]) do
            lab_faults.check(state, constructor, event, { kind = constructor.event, lasts_ns = 0 })
            check_cells(state, event, cells)
            if find and event.imsi and not find(event.imsi) then
                note(state, event, "imsi", "found %s, allowed the IMSI of an ms { }",
                    values.show(event.imsi))
            end
        end
    end
end

return events
