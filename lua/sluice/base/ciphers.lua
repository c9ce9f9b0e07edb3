-- The ciphers of an MS: their names in the configuration, their numbers in the commands (type of
-- ciphering algorithm, TS 24.008 10.5.5.3), and their keys.
local hex = require "sluice.base.hex"

local ciphers = {}

ciphers.names = { "none", "gea3", "gea4" }
ciphers.number = { none = 0, gea3 = 3, gea4 = 4 }
ciphers.key_digits = { none = 0, gea3 = 16, gea4 = 32 }

-- Known ciphers that Sluice refuses, and why.
ciphers.refused = {
    gea1 = "broken by design: 40 bits of its key count",
    gea2 = "broken",
    gea5 = "its key and its initial value are not public",
}

-- The octets of a key in hexadecimal digits, for the MS `member` places after the first: the last 32
-- bits count up without a carry.
function ciphers.key(digits, member)
    local octets = hex.octets(digits)
    local last = string.unpack(">I4", octets, #octets - 3)
    return octets:sub(1, -5) .. string.pack(">I4", last + member & 0xFFFFFFFF)
end

return ciphers
