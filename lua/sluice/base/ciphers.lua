-- The ciphers that an MS may have: their names in the configuration, their numbers in the commands
-- (the type of ciphering algorithm of TS 24.008 10.5.5.3), and how keys are written.
local hex = require "sluice.base.hex"

local ciphers = {}

ciphers.names = { "none", "gea3", "gea4" }
ciphers.number = { none = 0, gea3 = 3, gea4 = 4 }
ciphers.key_digits = { none = 0, gea3 = 16, gea4 = 32 }

-- Known, and not to be had.
ciphers.refused = {
    gea1 = "broken by design: 40 bits of its key count",
    gea2 = "broken",
    gea5 = "its key and its initial value are not public",
}

-- The octets of a key written as hexadecimal digits, for the MS `member` places behind the first:
-- the last 32 bits count up, without a carry beyond them.
function ciphers.key(digits, member)
    local octets = hex.octets(digits)
    local last = string.unpack(">I4", octets, #octets - 3)
    return octets:sub(1, -5) .. string.pack(">I4", last + member & 0xFFFFFFFF)
end

return ciphers
