-- Checks what phones' contexts need: names of apn { } that a phone can ask for, and GGSNs that speak GTP-C. See
-- cross.lua.
local check = require "sluice.config.check"
local network = require "sluice.config.network_check"

local note, is_given = check.note, check.is_given

local session = {}

local LABEL_OCTETS, NAME_OCTETS = 63, 62 -- of the name, so that .mncNNN.mccNNN.gprs fits 100 octets behind it

-- Why no phone can ask for the name (TS 23.003 9.1.1); nil: one can.
local function fault_of(name)
    if #name > NAME_OCTETS then
        return ("%d octets, allowed %d at most"):format(#name, NAME_OCTETS)
    end
    for label in (name .. "."):gmatch "([^.]*)%." do
        if not label:find "^[%w-]+$" or label:find "^-" or label:find "-$" or #label > LABEL_OCTETS then
            return "allowed labels of letters, digits and - within, with a . between them"
        end
    end
    for _, first in ipairs { "rac", "lac", "sgsn", "rnc" } do
        if name:lower():find("^" .. first) then
            return ("allowed a name that does not begin with %s"):format(first)
        end
    end
    if name:lower():find "%.gprs$" then
        return "allowed a name that does not end with .gprs"
    end
end

local function with_control(cfg)
    local names = {}
    for _, ggsn in ipairs(cfg.ggsn) do
        names[#names + 1] = ggsn.control and ggsn.name or nil
    end
    return names
end

local function allowed(names)
    return #names > 0 and "one of " .. table.concat(names, ", ")
        or "one with control: the file has no ggsn { control = ... }"
end

local function is_one_of(names, name)
    for _, other in ipairs(names) do
        if other == name then
            return true
        end
    end
    return false
end

local function check_ggsn(state, apn, names)
    if not is_given(state, apn, "ggsn") then
        if #names ~= 1 then
            note(state, apn, "ggsn", "found nothing, allowed %s", allowed(names))
        end
        apn.ggsn = names[1]
    elseif apn.ggsn and not is_one_of(names, apn.ggsn) then
        note(state, apn, "ggsn", 'found "%s", allowed %s', apn.ggsn, allowed(names))
    end
end

function session.all(state, cfg)
    local names, first, by_name = with_control(cfg), nil, {}
    for _, apn in ipairs(cfg.apn) do
        check_ggsn(state, apn, names)
        local why = apn.name and fault_of(apn.name)
        local before = apn.name and by_name[apn.name:lower()]
        if why then
            note(state, apn, "name", 'found "%s", %s', apn.name, why)
        elseif before then
            network.note_again(state, apn, "name", '"' .. apn.name .. '"', before)
        elseif apn.name then
            by_name[apn.name:lower()] = apn
        end
        if apn.default and first then
            network.note_again(state, apn, "default", "true", first)
        elseif apn.default then
            first = apn
        end
    end
end

return session
