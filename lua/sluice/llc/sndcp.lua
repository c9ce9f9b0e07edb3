-- SNDCP's part of an XID exchange (TS 44.065 clauses 6.5.1, 6.6.1, 6.8 and 8): version 0, no
-- compression of headers or data. To refuse an algorithm, the answer has its entity with no NSAPI; an
-- entity that is left out is agreed to (44.064 clause 8.5.3.0).
local wire = require "wire"

local sndcp = {}

local VERSION = 0

-- Each proposed entity, with no NSAPI.
local function refused(entities)
    if not entities then
        return nil
    end
    local list = {}
    for i, proposed in ipairs(entities) do
        list[i] = { entity = proposed.entity, codes = "", nsapis = 0, parameters = "" }
    end
    return list
end

-- The answer to an MS's block; a block that cannot be decoded is answered by the version alone.
function sndcp.answer(octets)
    local block = wire.sndcp_xid.decode(octets) or { version = VERSION }
    return wire.sndcp_xid.encode {
        version = block.version and VERSION,
        data_compression = refused(block.data_compression),
        protocol_compression = refused(block.protocol_compression),
    }
end

return sndcp
