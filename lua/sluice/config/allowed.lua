-- The text of what a key of the schema allows, for messages and the help.
local units = require "sluice.base.units"

local function quoted(choice)
    return type(choice) == "string" and '"' .. choice .. '"' or tostring(choice)
end

local function choices_text(key)
    local list = {}
    for i, choice in ipairs(key.choices) do
        list[i] = quoted(choice)
    end
    return table.concat(list, ", ")
end

local function number_text(key, number)
    return key.hex and ("0x%08X"):format(number) or tostring(number)
end

local function unit_text(key)
    local example = key.example or key.default ~= key.none and key.default or key.least
    return ('%s from %s to %s, such as "%s"'):format(units.kinds[key.unit].noun, key.least,
        key.most, example) .. (key.none and ', or "' .. key.none .. '"' or "")
end

local allowed = {
    word = function()
        return "1 to 64 letters, digits and . _ - in quotes"
    end,
    path = function(key)
        return ('1 to 200 printable characters in quotes, such as "%s"'):format(key.example)
    end,
    words = function(key)
        return "a list of some of " .. choices_text(key) .. ", such as " .. key.example
    end,
    setting = function(key)
        return ('a key as for --set, such as "%s"'):format(key.example)
    end,
    sets = function(key)
        return ("a list of 1 to %d of KEY=VALUE, as for --set, such as %s"):format(key.most_items,
            key.example)
    end,
    settings = function(key)
        return ("a list of 1 to %d values, such as %s"):format(key.most_items, key.example)
    end,
    choice = function(key)
        return "one of " .. choices_text(key)
    end,
    integer = function(key)
        return ("a whole number from %s to %s"):format(number_text(key, key.least),
            number_text(key, key.most)) .. (key.note and " (" .. key.note .. ")" or "")
            .. (key.none and ', or "' .. key.none .. '"' or "")
    end,
    digits = function(key)
        return ('%d to %d digits in quotes, such as "%s"'):format(key.least, key.most, key.example)
    end,
    hex = function(key)
        return ('%d to %d hexadecimal digits in quotes, such as "%s"'):format(key.least, key.most,
            key.example)
    end,
    ipv4 = function(key)
        return ('a unicast IPv4 address such as "%s" (no names)'):format(key.example)
    end,
    ipv6 = function(key)
        return ('a unicast IPv6 address such as "%s" (no names)'):format(key.example)
    end,
    ipv4s = function(key)
        return ('a unicast IPv4 address such as "%s" (no names), or a list of 1 to %d of them'):format(
            key.example, key.most_items)
    end,
    ipv6s = function(key)
        return ('a unicast IPv6 address such as "%s" (no names), or a list of 1 to %d of them'):format(
            key.example, key.most_items)
    end,
    ip = function(key)
        return ('a unicast IPv4 or IPv6 address such as "%s" (no names)'):format(key.example)
    end,
    device = function()
        return '"net_ring", a PCI address such as "0000:01:00.0", or a virtual device with its'
            .. ' arguments such as "net_af_packet0,iface=veth0"'
    end,
    integers = function(key)
        return ("a list of 1 to %d whole numbers from %d to %d, such as %s"):format(
            key.most_items, key.least, key.most, key.example)
    end,
    nets = function(key)
        return ("a list of 1 to %d addresses, or nets with a /, such as %s"):format(key.most_items,
            key.example)
    end,
    areas = function(key)
        return ("a list of 1 to %d routeing areas as MCC-MNC-LAC-RAC, such as %s"):format(
            key.most_items, key.example)
    end,
    networks = function(key)
        return ("a list of 1 to %d networks as MCC-MNC, such as %s"):format(key.most_items, key.example)
    end,
    ciphers = function(key)
        return ("a list of 1 to %d ciphers, such as %s"):format(key.most_items, key.example)
    end,
    cells = function(key)
        return ("a list of 1 to %d cells as NSEI-BVCI, such as %s"):format(key.most_items, key.example)
    end,
    area = function(key)
        return ('a routeing area as MCC-MNC-LAC-RAC, such as "%s"'):format(key.example)
    end,
    mac = function(key)
        return ('a unicast MAC address such as "%s"'):format(key.example)
    end,
    time = unit_text,
    rate = unit_text,
    size = unit_text,
    probability = unit_text, share = unit_text,
    switch = function()
        return "true or false"
    end,
    level = function(key)
        return ('a level as time, octets or N-PDUs, such as "1 s", "15 kB", "50 packets", from %d'
            .. " to %d ns, octets or packets"):format(key.least, key.most)
    end,
    sizes = function(key)
        return unit_text(key) .. ", or a list of 1 to " .. key.most_items .. " of them"
    end,
}

return function(key)
    return allowed[key.type](key)
end
