-- A buffer (control/bind/buffer.c) reads like a string of its octets. Run by lua_wire.py.
local wire = require "wire"

local buffer, checks = wire.buffer(), 0

local function check(good, what, ...)
    checks = checks + 1
    assert(good, what:format(...))
end

check(#buffer == 0 and buffer:byte() == nil and tostring(buffer) == "", "a new one is empty")
wire.bssgp_flow_control_ms_ack.pack(buffer, "0123456789", 0x01020304, 5)
local text = tostring(buffer)
check(#buffer == #text and text:sub(1, 10) == "0123456789", "%d octets", #buffer)
for i = 1, #text + 2 do
    check(buffer:byte(i) == text:byte(i), "octet %d", i)
    for j = 0, #text + 2 do
        check(buffer:sub(i, j) == text:sub(i, j), "%d to %d", i, j)
    end
end
check(buffer:byte() == text:byte() and buffer:sub(3) == text:sub(3), "without an index")
for _, index in ipairs { 0, -1, math.mininteger } do
    check(buffer:byte(index) == nil, "there is an octet %d", index)
    check(not pcall(buffer.sub, buffer, index), "a part from octet %d", index)
    check(buffer:sub(1, index) == "", "a part to octet %d", index)
end
check(not pcall(buffer.sub, text, 1) and not pcall(buffer.byte, {}, 1), "not a buffer's")

-- Whatever takes octets takes it.
local function datagram(payload)
    return wire.udp.encode { source_port = 1, destination_port = 2, checksum = 0, payload = payload }
end
check(datagram(buffer) == datagram(text), "as a field")
check(wire.bssgp_flow_control_ms_ack.values(buffer, 11) == 0x01020304, "values")
check(wire.bssgp.decode(buffer, 11) == "bssgp_flow_control_ms_ack", "of a group")
print("checks: " .. checks)
