-- Octets as hexadecimal digits, as the configuration writes keys and elements of PDUs.
local hex = {}

function hex.octets(digits)
    return (digits:gsub("%x%x", function(two)
        return string.char(tonumber(two, 16))
    end))
end

function hex.digits(octets)
    return (octets:gsub(".", function(octet)
        return ("%02x"):format(octet:byte())
    end))
end

return hex
