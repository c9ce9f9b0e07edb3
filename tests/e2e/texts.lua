-- Quantities and IPv6 addresses as people write them, against tables typed here. Run by
-- `sluice lua`; prints a line for each that holds.
local addresses = require "sluice.base.addresses"
local units = require "sluice.base.units"

local function same(found, wanted, what)
    assert(found == wanted, ("%s: %s, not %s"):format(what, found, wanted))
end

-- How many of the machine's unit each unit has, the smallest first.
local UNITS = {
    time = {
        { "ns", 1 }, { "us", 1000 }, { "ms", 1000 * 1000 }, { "s", 1000 * 1000 * 1000 },
        { "min", 60 * 1000 * 1000 * 1000 }, { "h", 60 * 60 * 1000 * 1000 * 1000 },
    },
    rate = { { "bit/s", 1 }, { "kbit/s", 1000 }, { "Mbit/s", 1000 * 1000 } },
    size = { { "octets", 1 }, { "kB", 1000 } },
    probability = { { "ppm", 1 }, { "%", 10000 } },
    share = { { "ppm", 1 }, { "%", 10000 } },
    packets = { { "packets", 1 } },
}

local function units_hold()
    for kind in pairs(units.kinds) do
        assert(UNITS[kind], kind)
    end
    for kind, list in pairs(UNITS) do
        local names = {}
        for i, unit in ipairs(list) do
            local name, factor = unit[1], unit[2]
            names[i] = name
            same(units.parse(kind, "1 " .. name), factor, "1 " .. name)
            same(units.parse(kind, "37" .. name), 37 * factor, "37" .. name)
            same(units.format(kind, 7 * factor), "7 " .. name, "the text of " .. 7 * factor)
        end
        same(units.names(kind), table.concat(names, ", "), "units of a " .. kind)
        same(units.format(kind, 0), "0 " .. names[1], "the text of 0")
    end
    print "units"
end

-- A text: why it is refused; false: refused.
local NUMBERS = {
    ["0.5 us"] = 500, ["2.500 min"] = 150000000000, ["0.000000001 s"] = 1, ["0 h"] = 0,
    ["00012 ns"] = 12, ["999999999999999999 ns"] = 999999999999999999,
    ["1000000000000000000 ns"] = "too large or too fine",
    ["2562047 h"] = 9223369200000000000, ["2562048 h"] = "too large",
    ["0.5 ns"] = "finer than 1 ns", ["0.1234567891 s"] = "finer than 1 ns",
    ["1.0000000001 s"] = "too large or too fine",
    ["0.000000000000000001 h"] = "too large or too fine",
    ["-1 s"] = false, ["1"] = false, ["s"] = false, [".5 s"] = false, ["1. s"] = false,
    ["1 S"] = false,
}

local function numbers_hold()
    for text, wanted in pairs(NUMBERS) do
        local value, why = units.parse("time", text)
        if math.type(wanted) then
            same(value, wanted, text)
        else
            same(value, nil, text)
            same(why, wanted or why, text)
        end
    end
    print "numbers"
end

-- As people write them: from ten of a unit on, and no large unit for less.
local WRITTEN = {
    time = {
        [0] = "0 s", [1] = "1 ns", [1500] = "1500 ns", [20000] = "20 us", [250000000] = "250 ms",
        [1000000000] = "1 s", [540000000000] = "540 s", [600000000000] = "10 min",
        [32400000000000] = "540 min", [36000000000000] = "10 h", [90061000000000] = "90061 s",
    },
    size = {
        [0] = "0 octets", [1] = "1 octets", [1000] = "1000 octets", [9000] = "9000 octets",
        [10000] = "10 kB", [10001] = "10001 octets",
    },
}

local function written_hold()
    for kind, texts in pairs(WRITTEN) do
        for value, text in pairs(texts) do
            same(units.written(kind, value), text, "the text of " .. value)
        end
    end
    print "written"
end

-- The text of RFC 5952, and whether it can be a host's address; false: no address.
local HOST, OTHER = true, false
local ADDRESSES = {
    ["::"] = { "::", OTHER }, ["0:0:0:0:0:0:0:1"] = { "::1", OTHER },
    ["::FFFF:192.0.2.1"] = false, ["::FFFF:C000:201"] = { "::ffff:c000:201", OTHER },
    ["::C000:0201"] = { "::c000:201", OTHER }, ["::1:0:0"] = { "::1:0:0", OTHER },
    ["::1:0:0:0"] = { "::1:0:0:0", HOST }, ["0:0:0:1::"] = { "0:0:0:1::", HOST },
    ["0:0:1:0::"] = { "0:0:1::", HOST }, ["0:1:0::"] = { "0:1::", HOST },
    ["2001::"] = { "2001::", HOST },
    ["2001::1"] = { "2001::1", HOST }, ["2001:DB8:0:0:1:0:0:1"] = { "2001:db8::1:0:0:1", HOST },
    ["2001:db8:0:1:1:1:1:1"] = { "2001:db8:0:1:1:1:1:1", HOST },
    ["2001:db8:0:0:1:0:0:0"] = { "2001:db8:0:0:1::", HOST },
    ["1:2:3:4:5:6:7:8"] = { "1:2:3:4:5:6:7:8", HOST },
    ["fe80::1"] = { "fe80::1", HOST }, ["feff:ffff::1"] = { "feff:ffff::1", HOST },
    ["ff00::"] = { "ff00::", OTHER }, ["ff02::1"] = { "ff02::1", OTHER },
    ["ffff::1"] = { "ffff::1", OTHER },
    [""] = false, [":"] = false, [":::"] = false, ["1::2::3"] = false, ["1:2:3:4:5:6:7"] = false,
    ["1:2:3:4:5:6:7:8:9"] = false, ["1:2:3:4::5:6:7:8"] = false, ["12345::"] = false, ["g::"] = false,
    ["fe80::1%eth0"] = false, ["1:2:3:4:5:6:7:"] = false,
}

local function addresses_hold()
    for text, wanted in pairs(ADDRESSES) do
        local canonical, groups = addresses.ipv6(text)
        same(canonical, wanted and wanted[1] or nil, text)
        if wanted then
            same(addresses.ipv6_is_host(groups), wanted[2], text .. " is a host's")
        end
    end
    print "addresses"
end

units_hold()
numbers_hold()
written_hold()
addresses_hold()
