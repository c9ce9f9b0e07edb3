-- Passes datagrams of GTP-C (TS 29.060) from GGSNs to a handler. Only a GGSN that was made by the command `ggsn`
-- with `gtpc = true` may send them. No module has a handler yet and start.lua makes no such GGSN, so the UDP port
-- of GTP-C is closed.
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
