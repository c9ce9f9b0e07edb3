-- Checks the phones that are in the lab: their cells, and that the lab's GGSN makes their contexts. See lab_check.lua.
local addresses = require "sluice.base.addresses"
local check = require "sluice.config.check"
local parts = require "sluice.config.parts"

local note, is_given = check.note, check.is_given

local phones = {}

local FIRST = addresses.ipv4_number "10.64.0.2" -- of the lab's GGSN; lab/ggsn/ggsn.h

local function named(list, name)
    for _, one in ipairs(list) do
        if one.name == name then
            return one
        end
    end
end

-- Why the lab's phones get no context; nil: they do.
local function fault_of(cfg)
    for _, apn in ipairs(cfg.apn) do
        local ggsn = apn.default and named(cfg.ggsn, apn.ggsn)
        if apn.default and ggsn and ggsn.address == cfg.lab.ggsn and ggsn.control == cfg.lab.ggsn then
            return addresses.is_ipv6(cfg.lab.ggsn) and "an IPv4 address of lab.ggsn, as GTP-C has" or nil
        end
    end
    return ("an apn { default = true } of a ggsn { } with address and control %s, which is lab.ggsn"):format(cfg.lab.ggsn)
end

-- Addresses of the file's contexts that are the phones'.
local function check_addresses(state, cfg, count)
    parts.each_pdp_block(cfg, function(ms, pdp)
        local first = pdp.address and addresses.ipv4_number(pdp.address)
        if first and first < FIRST + count and FIRST < first + ms.count then
            note(state, pdp, "address", "found %s and the %d after it, allowed all but 10.64.0.2 and the %d"
                .. " after it, which are the phones' in the lab", pdp.address, ms.count - 1, count - 1)
        end
    end)
end

-- Without a lab none is in it.
function phones.refuse(state, cfg)
    for _, phone in ipairs(cfg.phone or {}) do
        for _, key in ipairs { "cell", "on", "apart" } do
            if is_given(state, phone, key) then
                note(state, phone, key, "found %s, allowed with lab { } only", key)
            end
        end
    end
end

function phones.check(state, cfg)
    local cells, count, fault = parts.cells_of(cfg), 0, nil
    for _, phone in ipairs(cfg.phone or {}) do
        if phone.cell and not cells[phone.cell] then
            note(state, phone, "cell", 'found "%s", allowed a cell of the file, as NSEI-BVCI', phone.cell)
        elseif phone.cell and not (state.unsure or state.strays) then
            fault = fault or fault_of(cfg)
            if fault then
                note(state, phone, "cell", "found a cell, allowed with %s", fault)
            end
        end
        count = count + (phone.cell and phone.count or 0)
    end
    if count > 0 then
        check_addresses(state, cfg, count)
    end
end

return phones
