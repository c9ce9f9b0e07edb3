-- Which apn { } a phone means (TS 23.003 clause 9, 23.060 annex A): names are compared without regard to case, and
-- the operator's part, .mncNNN.mccNNN.gprs, is left out. A phone that names none gets the default.
local network = require "sluice.core.network"

local apn = {}

-- The labels of an element as text. The codec has seen to their lengths.
local function text_of(octets)
    local labels, at = {}, 1
    while at <= #octets do
        local n = octets:byte(at)
        labels[#labels + 1] = octets:sub(at + 1, at + n)
        at = at + 1 + n
    end
    return table.concat(labels, ".")
end

-- A name as the element has it.
function apn.octets(name)
    return (name:gsub("([^.]+)%.?", function(label)
        return string.char(#label) .. label
    end))
end

local function names()
    local list = {}
    for i, each in ipairs(network.cfg.apn) do
        list[i] = each.name
    end
    return list[1] and table.concat(list, ", ") or "none"
end

local function default()
    for _, each in ipairs(network.cfg.apn) do
        if each.default then
            return each
        end
    end
    return nil, ("the phone names no APN, and no apn { } has default = true; there is %s"):format(names())
end

-- The apn { } for the octets of an APN element, nil for none; or nil and what to do about it.
function apn.of(octets)
    local name = octets and text_of(octets):lower():gsub("%.mnc%d+%.mcc%d+%.gprs$", "")
    if not name or name == "" then
        return default()
    end
    for _, each in ipairs(network.cfg.apn) do
        if each.name:lower() == name then
            return each
        end
    end
    return nil, ("no apn { } is named %q; there is %s; add one, or correct the phone's APN"):format(
        name:gsub("[^%w.-]", "?"), names())
end

return apn
