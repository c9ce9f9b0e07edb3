-- Routeing areas: the area of each cell (from BVC-RESET), the NSEs with cells in an area, and the areas
-- that the file lists for an NSE (nse.areas). An area is a number; nil stands for an unknown
-- area. A cell is in one area, so a BSS cannot make more areas than it has cells.
local network = require "sluice.core.network"

local areas = {}

-- By area: { nses = a list, cells = by NSE, the number of its cells in the area }.
local known = {}

local function number(mcc, mnc, mnc_digits, lac, rac)
    return (((mcc << 10 | mnc) << 2 | mnc_digits) << 16 | lac) << 8 | rac
end

-- The area of a cell identifier.
function areas.of(cell)
    return cell and number(cell.mcc, cell.mnc, cell.mnc_digits, cell.lac, cell.rac)
end

-- Returns whether two cell identifiers are in one area; nil if one of them is unknown.
function areas.same(a, b)
    if not a or not b then
        return nil
    end
    return areas.of(a) == areas.of(b)
end

function areas.text(cell)
    return ("%03d-%0" .. cell.mnc_digits .. "d-%d-%d"):format(cell.mcc, cell.mnc, cell.lac, cell.rac)
end

-- ---- Cells ----

local function enter(bvc, area)
    local of = known[area] or { nses = {}, cells = {} }
    known[area] = of
    if not of.cells[bvc.nse] then
        of.nses[#of.nses + 1] = bvc.nse
    end
    of.cells[bvc.nse] = (of.cells[bvc.nse] or 0) + 1
end

local function leave(bvc, area)
    local of = known[area]
    of.cells[bvc.nse] = of.cells[bvc.nse] - 1
    if of.cells[bvc.nse] > 0 then
        return
    end
    of.cells[bvc.nse] = nil
    for i, nse in ipairs(of.nses) do
        if nse == bvc.nse then
            table.remove(of.nses, i)
            break
        end
    end
    if not of.nses[1] then
        known[area] = nil
    end
end

-- Sets the cell identifier of a BVC; nil: unknown.
function areas.set(bvc, cell)
    local before, now = areas.of(bvc.cell), areas.of(cell)
    bvc.cell = cell
    if before ~= now and before then
        leave(bvc, before)
    end
    if before ~= now and now then
        enter(bvc, now)
    end
end

network.watch("bvc_removed", function(bvc)
    areas.set(bvc, nil)
end)

-- The NSEs with cells in the area, in the order of their first such cell.
function areas.nses(area)
    return known[area] and known[area].nses or {}
end

-- How many areas there are; for tests.
function areas.count()
    local n = 0
    for _ in next, known do
        n = n + 1
    end
    return n
end

-- ---- The file ----

local function number_of(text)
    local mcc, mnc, lac, rac = text:match("^(%d+)-(%d+)-(%d+)-(%d+)$")
    return number(tonumber(mcc), tonumber(mnc), #mnc, tonumber(lac), tonumber(rac))
end

-- nse.areas as a set, built once for each list.
local function listed(nse)
    local list = nse.cfg.areas
    if list and nse.listed_of ~= list then
        nse.listed_of, nse.listed = list, {}
        for _, text in ipairs(list) do
            nse.listed[number_of(text)] = true
        end
    end
    return list and nse.listed
end

-- Returns whether nse.areas lists the area.
function areas.lists(nse, area)
    local set = listed(nse)
    return set and set[area] or false
end

-- Returns whether the NSE may have the cell: an NSE without nse.areas may have any.
function areas.allows(nse, cell)
    return not nse.cfg.areas or areas.lists(nse, areas.of(cell))
end

return areas
