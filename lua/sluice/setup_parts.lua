-- What setup.lua and setup_start.lua both need to know of a configuration.
local addresses = require "sluice.addresses"

local parts = {}

-- Calls visit(nse, bvc, ms, pdp, member) for each PDP context of each MS, member from 0.
function parts.each_pdp(cfg, visit)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                for member = 0, ms.count - 1 do
                    for _, pdp in ipairs(ms.pdp) do
                        visit(nse, bvc, ms, pdp, member)
                    end
                end
            end
        end
    end
end

-- The packet flows of an ms record, one for each class that its contexts have, as they come: the
-- slot of each class, and the list of flows by slot. Until the BSS knows packet flows
-- (CREATE-BSS-PFC), a flow is an MS's traffic of a class.
function parts.slots_of(ms)
    local slots, list = {}, {}
    for _, pdp in ipairs(ms.pdp) do
        if not slots[pdp.class] then
            slots[pdp.class] = #list
            list[#list + 1] = { class = pdp.class }
        end
        local flow = list[slots[pdp.class] + 1]
        flow.rate_bit_per_s = flow.rate_bit_per_s or pdp.rate_bit_per_s
        flow.bucket_octets = flow.bucket_octets or pdp.bucket_octets
    end
    return slots, list
end

-- Whether DL-UNITDATA says more of an MS than it has to.
function parts.has_options(ms)
    return ms.send_imsi or ms.ra_capability ~= nil or ms.drx ~= nil or ms.priority ~= nil
end

-- An address of either family as commands have it: IPv4 as ::ffff:a.b.c.d.
function parts.address(text)
    return addresses.is_ipv6(text) and text or "::ffff:" .. text
end

-- Whether a context is one that a traffic { } is for.
function parts.wants(traffic, ms, pdp, member)
    -- IMSIs of different lengths are different, whatever number they are
    return pdp.class == traffic.class and (not traffic.imsi or #traffic.imsi == #ms.imsi
        and tonumber(traffic.imsi) == tonumber(ms.imsi) + member)
end

return parts
