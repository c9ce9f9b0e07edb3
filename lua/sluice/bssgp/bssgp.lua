-- BSSGP (TS 48.018) as the network service and the other procedures see it. PDUs come through
-- pdus.lua; BVCs are in bvc.lua, flow control in flow.lua. Here is what has no procedure of
-- its own: UL-UNITDATA that is not the path's.
local bvc = require "sluice.bssgp.bvc"
local dp = require "dp"
local pdus = require "sluice.bssgp.pdus"

require "sluice.bssgp.flow" -- has only what others call

local bssgp = {
    on = pdus.on, input = pdus.input, refuse = pdus.refuse,
    nse_up = bvc.nse_up, nse_down = bvc.nse_down, nse_reset = bvc.nse_reset,
}

local llc, ms -- require us

bssgp.on("bssgp_ul_unitdata", {
    on = "ptp",
    handler = function(nse, cell, pdu, _, _, ms_id)
        ms_id = ms_id or dp.ms_of(nse.id, pdu.tlli)
        if ms_id then
            return llc.input(cell, ms_id, pdu.llc_pdu)
        end
        return ms.unknown(nse, cell, pdu.tlli, pdu.llc_pdu)
    end,
})

function bssgp.begin()
    llc, ms = require "sluice.llc.frames", require "sluice.ms.reports"
end

return bssgp
