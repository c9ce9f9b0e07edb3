-- IP addresses: text to numbers and back. An IPv6 address has one text, that of RFC 5952, so two
-- addresses are the same if their texts are.
local addresses = {}

-- Dotted IPv4 to its 32 bits and back.
function addresses.ipv4_number(text)
    local a, b, c, d = text:match("^(%d+)%.(%d+)%.(%d+)%.(%d+)$")
    return tonumber(a) << 24 | tonumber(b) << 16 | tonumber(c) << 8 | tonumber(d)
end

function addresses.ipv4_text(number)
    return ("%d.%d.%d.%d"):format(number >> 24, number >> 16 & 255, number >> 8 & 255, number & 255)
end

function addresses.is_ipv6(text)
    return text:find(":", 1, true) ~= nil
end

-- For messages: the dataplane has IPv4 addresses as mapped ones.
function addresses.shown(text)
    return (text:gsub("^::ffff:", ""))
end

-- A UDP endpoint for messages.
function addresses.at(address, port)
    return ("%s port %d"):format(addresses.shown(address), port)
end

-- The groups of one side of "::"; nil if the text has a bad group.
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

-- The place and length of the first of the longest runs of two or more zeros; 0: none.
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

-- The canonical text of an address, and its groups; nil if the text is no IPv6 address.
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

-- Returns false for the unspecified address, loopback, mapped IPv4 addresses and multicast.
function addresses.ipv6_is_host(groups)
    for i = 1, 5 do
        if groups[i] ~= 0 then
            return groups[1] < 0xFF00
        end
    end
    return false
end

-- Returns whether the first `prefix` bits of two IPv4 addresses are the same.
function addresses.ipv4_on_link(a, b, prefix)
    local differ = addresses.ipv4_number(a) ~ addresses.ipv4_number(b)
    return differ >> (32 - prefix) == 0
end

-- The same for IPv6.
function addresses.ipv6_on_link(a, b, prefix)
    local _, a_groups = addresses.ipv6(a)
    local _, b_groups = addresses.ipv6(b)
    for i = 1, 8 do
        local bits = math.max(0, math.min(16, prefix - 16 * (i - 1)))
        if (a_groups[i] ~ b_groups[i]) >> (16 - bits) ~= 0 then
            return false
        end
    end
    return true
end

-- What an IPv4 address is on its link, if it is no host's: its network's own address, or broadcast.
-- Links of two addresses or one have neither (RFC 3021).
function addresses.ipv4_of_all(address, prefix)
    local host_bits = (1 << (32 - prefix)) - 1
    local host = addresses.ipv4_number(address) & host_bits
    if prefix > 30 or (host ~= 0 and host ~= host_bits) then
        return nil
    end
    return host == 0 and "the network's own" or "the broadcast"
end

-- The same of an address that may be elsewhere; nil, too, if it is not on the link of `own`.
function addresses.ipv4_of_link(address, own, prefix)
    return addresses.ipv4_on_link(address, own, prefix) and addresses.ipv4_of_all(address, prefix) or nil
end

return addresses
