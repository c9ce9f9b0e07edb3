-- Octets to hexadecimal digits and back, for keys and elements of PDUs in the configuration.
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
