-- NS-STATUS (TS 48.016 7.5, 9.2.7): the elements that go with each cause (10.3.2, table 10.3.2.2). An
-- NS-STATUS never answers an NS-STATUS, and never goes to an endpoint without an NS-VC.
local causes = require "sluice.core.causes"
local count = require "count"
local gb = require "sluice.core.gb"

-- These causes name the NS-VC; all others carry the PDU.
local NAMES_NSVC = { nsvc_blocked = true, nsvc_unknown = true }

-- The cause by the name of a decoder's error (wire_err.def).
local OF_FAULT = { TYPE = "protocol_error", MISSING_IE = "missing_essential" }

local ns_status = {}

-- in_error: the PDU in error; nsvci: that of the NS-VC in error, nil for `nsvc`. Returns the outcome.
function ns_status.send(nsvc, cause, in_error, nsvci)
    if not gb.may_tell(nsvc.nse, "ns_status") then
        return "refused"
    end
    count.add("status_sent")
    local about = NAMES_NSVC[cause] and (nsvci or nsvc.nsvci)
    gb.send_ns(nsvc, "ns_status", {
        cause = causes.ns[cause], ns_vci = about or nil,
        pdu_in_error = not about and gb.in_error(in_error) or nil,
    })
    return "refused"
end

function ns_status.cause_of(fault)
    return OF_FAULT[fault] or "invalid_essential"
end

return ns_status
