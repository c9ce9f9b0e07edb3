-- Datagrams of GTP-C (TS 29.060): from GGSNs whose command `ggsn` has `gtpc`, to whoever speaks GTP-C. Nobody
-- does yet, and `start.lua` gives no GGSN `gtpc`, so GTP-C's UDP port is closed.
local datagrams = {}

local handler

-- fn(address, port, octets) -> outcome, for each datagram.
function datagrams.on(fn)
    handler = fn
end

-- Event `gtpc`.
function datagrams.input(address, port, octets)
    return handler and handler(address, port, octets) or "ignored"
end

return datagrams
