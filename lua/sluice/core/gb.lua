-- Sends on Gb: NS PDUs on an NS-VC, BSSGP PDUs on BVCI 0 or on a cell's BVC. The BVCI is the link
-- selector (TS 48.016 4.4.2): it chooses the NS-VC of a BSSGP PDU, by weight, so that PDUs of one BVC
-- keep their order. An answer goes back on the NS-VC of the question.
local capture = require "sluice.core.capture"
local causes = require "sluice.core.causes"
local clock = require "sluice.core.clock"
local count = require "count"
local dp = require "dp"
local wire = require "wire"

local gb = {}

local UNITDATA = string.char(0, 0) -- PDU type, NS SDU control bits

local function send(nsvc, name, octets)
    count.pdu_out(name)
    if capture.running then
        capture.sent(nsvc.address, nsvc.port, octets)
    end
    dp.send { nsvc_id = nsvc.id, pdu = octets }
    return true
end

function gb.send_ns(nsvc, name, pdu)
    return send(nsvc, name, wire[name].encode(pdu))
end

local function may_signal(nsvc)
    return nsvc.alive and not nsvc.blocked and nsvc.signalling_weight > 0
end

local function total_weight(nse)
    local sum = 0
    for _, nsvc in ipairs(nse.nsvcs) do
        sum = sum + (may_signal(nsvc) and nsvc.signalling_weight or 0)
    end
    return sum
end

-- The NS-VC for a link selector; nil if no NS-VC may carry signalling.
function gb.link(nse, selector)
    local sum = total_weight(nse)
    if sum == 0 then
        return nil
    end
    local place = selector * 0x9e3779b1 % 0x100000000 * sum // 0x100000000
    for _, nsvc in ipairs(nse.nsvcs) do
        if may_signal(nsvc) then
            place = place - nsvc.signalling_weight
            if place < 0 then
                return nsvc
            end
        end
    end
end

-- The NS-VC of the question (reply_on), if it may carry signalling; else one by BVCI. Returns nil, and
-- counts the PDU as unsent, if there is none.
local function way(nse, bvci, reply_on)
    local nsvc = reply_on and may_signal(reply_on) and reply_on or gb.link(nse, bvci)
    if not nsvc then
        count.add("unsent")
    end
    return nsvc
end

local function send_bssgp(nse, bvci, name, pdu, reply_on)
    local nsvc = way(nse, bvci, reply_on)
    return nsvc
        and send(nsvc, name, UNITDATA .. string.pack(">I2", bvci) .. wire[name].encode(pdu))
end

function gb.send_signalling(nse, name, pdu, reply_on)
    return send_bssgp(nse, 0, name, pdu, reply_on)
end

function gb.send_ptp(bvc, name, pdu, reply_on)
    return send_bssgp(bvc.nse, bvc.bvci, name, pdu, reply_on)
end

-- Sends a frequent answer without allocating a table or string: its fields are integers, in the order
-- of the PDU, and it goes on the NS-VC of the question. All calls share one command, so only event
-- handlers, which do not run beside each other, may call it.
local answer = { pdu = wire.buffer() }

local function head_of(bvc)
    bvc.head = UNITDATA .. string.pack(">I2", bvc.bvci)
    return bvc.head
end

function gb.answer_ptp(bvc, nsvc, name, ...)
    nsvc = way(bvc.nse, bvc.bvci, nsvc)
    if not nsvc then
        return false
    end
    answer.nsvc_id = nsvc.id
    wire[name].pack(answer.pdu, bvc.head or head_of(bvc), ...)
    count.pdu_out(name)
    if capture.running then
        capture.sent(nsvc.address, nsvc.port, answer.pdu)
    end
    dp.send(answer)
    return true
end

-- A wrong BSS may repeat a PDU for ever, so STATUS is limited to a few a second for each NSE and kind
-- ("ns_status", "bssgp_status"), and carries the beginning of the PDU in error.
local STATUS_A_SECOND = 20
local IN_ERROR_OCTETS_MAX = 512

function gb.may_tell(nse, kind)
    local second = clock.now_ns // 1000000000
    if nse.status_second ~= second then
        nse.status_second, nse.statuses = second, { ns_status = 0, bssgp_status = 0 }
    end
    nse.statuses[kind] = nse.statuses[kind] + 1
    local may = nse.statuses[kind] <= STATUS_A_SECOND
    if not may then
        count.add("unsent")
    end
    return may
end

function gb.in_error(octets)
    return octets:sub(1, IN_ERROR_OCTETS_MAX)
end

-- A STATUS has the BVCI for two causes only (TS 48.018 10.4.14). It goes on the BVC of the PDU in
-- error, or on BVCI 0 if the NSE has no such BVC.
function gb.status(nse, bvci, cause, in_error, wrong_bvci, reply_on)
    local names_bvci = cause == "bvci_unknown" or cause == "bvci_blocked"
    local sent = gb.may_tell(nse, "bssgp_status")
        and send_bssgp(nse, nse.bvcs[bvci] and bvci or 0, "bssgp_status", {
            cause = causes.bssgp[cause], bvci = names_bvci and (wrong_bvci or bvci) or nil,
            pdu_in_error = gb.in_error(in_error),
        }, reply_on)
    if sent then
        count.add("status_sent")
    end
    return sent
end

return gb
