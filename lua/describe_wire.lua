-- Prints the fields of every PDU, from the descriptors of the codecs:
--     sluice lua lua/describe_wire.lua [NAME]...
local wire = require "wire"

local function range_of(field)
    if field.kind == "record" or field.kind == "mac" or field.kind == "ipv6" then
        return ""
    end
    return (" %d to %d"):format(field.least, field.most)
end

local function describe(fields, indent)
    for _, field in ipairs(fields) do
        print(("%s%-22s %s%s%s: %s"):format(indent, field.name, field.kind, range_of(field),
            field.optional and ", optional" or "", field.help))
        if field.fields then
            describe(field.fields, indent .. "    ")
        end
    end
end

local is_pdu = {}
for _, name in ipairs(wire.names) do
    is_pdu[name] = true
end

for _, name in ipairs(#arg > 0 and arg or wire.names) do
    if not is_pdu[name] then
        io.stderr:write("unknown PDU '", name, "'; without a name all PDUs are printed\n")
        os.exit(1, true)
    end
    local pdu = wire[name]
    print(name .. ": " .. pdu.help)
    describe(pdu.fields, "    ")
end
