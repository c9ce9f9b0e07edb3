-- Octets to hexadecimal digits and back, for keys and elements of PDUs in the configuration.
local hex = {}

local octet_of, digits_of = {}, {} -- a function call for each octet takes a twentieth of the time of an attach
for number = 0, 255 do
    local octet, digits = string.char(number), ("%02x"):format(number)
    digits_of[octet] = digits
    for _, high in ipairs { digits:sub(1, 1), digits:sub(1, 1):upper() } do
        for _, low in ipairs { digits:sub(2), digits:sub(2):upper() } do
            octet_of[high .. low] = octet
        end
    end
end

function hex.octets(digits)
    return (digits:gsub("%x%x", octet_of))
end

function hex.digits(octets)
    return (octets:gsub(".", digits_of))
end

return hex
