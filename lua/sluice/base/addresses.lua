-- IP addresses: text to numbers or octets and back. IPv6 has one text for each address, that of
-- RFC 5952, so that two of them are the same when their texts are.
local addresses = {}

-- Dotted IPv4 to its 32 bits and back.
function addresses.ipv4_number(text)
    local number = 0
    for part in text:gmatch("%d+") do
        number = number << 8 | math.tointeger(tonumber(part))
    end
    return number
end

function addresses.ipv4_text(number)
    return ("%d.%d.%d.%d"):format(number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255)
end

function addresses.is_ipv6(text)
    return text:find(":", 1, true) ~= nil
end

-- As people read it: the dataplane has IPv4 as a mapped address.
function addresses.shown(text)
    return (text:gsub("^::ffff:", ""))
end

-- Where a UDP endpoint is, as people read it.
function addresses.at(address, port)
    return ("%s port %d"):format(addresses.shown(address), port)
end

-- The groups of one side of "::"; nil if one is no group.
local function groups_of(text)
    local groups = {}
    if text == "" then
        return groups
    end
    for group in (text .. ":"):gmatch("([^:]*):") do
        if not group:find("^%x%x?%x?%x?$") then
            return nil
        end
        groups[#groups + 1] = tonumber(group, 16)
    end
    return groups
end

-- Eight numbers, or nil. Without a zone, and without dotted IPv4 at the end.
local function parse(text)
    local before, after = text:match("^(.-)::(.*)$")
    local first, last = groups_of(before or text), groups_of(after or "")
    if not first or not last or #first + #last > 8 or (before and #first + #last == 8)
        or (not before and #first ~= 8) then
        return nil
    end
    for _ = #first + 1, 8 - #last do
        first[#first + 1] = 0
    end
    return table.move(last, 1, #last, #first + 1, first)
end

-- The longest run of two zeros or more, the first of those: where it begins and its length.
local function longest_zeros(groups)
    local best, longest, i = 0, 1, 1
    while i <= 8 do
        local n = 0
        while groups[i + n] == 0 do
            n = n + 1
        end
        if n > longest then
            best, longest = i, n
        end
        i = i + math.max(n, 1)
    end
    return best, longest
end

local function hex(groups, first, last)
    local list = {}
    for i = first, last do
        list[#list + 1] = ("%x"):format(groups[i])
    end
    return table.concat(list, ":")
end

-- The address in its one form, and its first group; nil if it is none.
function addresses.ipv6(text)
    local groups = parse(text)
    if not groups then
        return nil
    end
    local at, n = longest_zeros(groups)
    if at == 0 then
        return hex(groups, 1, 8), groups
    end
    return hex(groups, 1, at - 1) .. "::" .. hex(groups, at + n, 8), groups
end

-- Not the unspecified one, the loopback's, a mapped IPv4's or a group's.
function addresses.ipv6_is_host(groups)
    for i = 1, 5 do
        if groups[i] ~= 0 then
            return groups[1] < 0xFF00
        end
    end
    return false
end

-- Whether two IPv4 addresses have their first `prefix` bits in common.
function addresses.ipv4_on_link(a, b, prefix)
    local differ = addresses.ipv4_number(a) ~ addresses.ipv4_number(b)
    return differ >> (32 - prefix) == 0
end

return addresses
