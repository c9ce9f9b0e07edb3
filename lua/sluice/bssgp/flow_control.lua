-- Flow control (TS 48.018 8.2.3, 10.4.4 to 10.4.9): Bmax and R of a cell, an MS or a packet flow go to
-- the dataplane; the ACK with the tag follows on the same ring, so an ACK on the wire means "in force".
-- Bucket granularity is allowed only with feature Gigabit, and the bucket full ratio is present if and
-- only if CBL is in force (11.3.102, 11.3.46); else STATUS, and nothing changes. But a cell whose BSS sees
-- CBL otherwise would never get downlink for that, so of its FLOW-CONTROL-BVC all but the ratio counts, and
-- STATUS goes once from reset to reset.
--
-- A cell waits for its first FLOW-CONTROL-BVC, unless the file says flow_control = "open".
-- FLOW-CONTROL-MS is the most frequent PDU, so its handler allocates no tables.
local dp = require "dp"
local gb = require "sluice.core.gb"
local hints = require "sluice.core.hints"
local log = require "log"
local own = require "sluice.bssgp.own_buckets"
local parts = require "sluice.config.parts"
local pdus = require "sluice.bssgp.pdus"
local policy = require "sluice.policy.hooks"
local real_rate = require "sluice.bssgp.real_rate"
local room = require "sluice.bssgp.room"
local subscribers = require "sluice.subscribers.registry"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local flow_control = { moved = own.moved }

subscribers.watch("removed", own.forget)

local OCTETS_MAX = 0xffffffff -- the dataplane's largest bucket; using less than Bmax is allowed
local UNIT = 100
local PPM = 1000000
local S_IN_NS, MS_IN_NS = 1000000000, 1000000
local LLC_PDU_OCTETS_MAX = 1526 -- with the largest N201-U

-- ---- Cell, MS and packet flow ----

-- The ratio if and only if CBL is in force.
local function ratio_condition(nse, full)
    return nse.cbl and not full and "missing_conditional"
        or not nse.cbl and full and "unexpected_conditional" or nil
end

-- And granularity only with Gigabit.
local function condition(nse, full, granularity)
    return granularity and not nse.gigabit and "unexpected_conditional" or ratio_condition(nse, full)
end

-- The user's policy may use less than the BSS offers. The BSS's ratio refers to its Bmax.
local function decided(event, full)
    local octets, rate = policy.flow_control(event)
    if full and octets < event.bucket_octets then
        full = math.min((full * event.bucket_octets + octets - 1) // math.max(octets, 1), 255)
    end
    return octets, rate, full
end

-- By its delay nothing stands in the BSS that should go: an LLC PDU that comes in time waits for half of another one. With
-- less than R a BSS that measures R carries more blocks that are not full, takes R for less, and so on.
local function stands_little(b)
    local f = b.flow_control -- nil before the first FLOW-CONTROL-BVC
    local half_ns = f and f.r_bit_per_s > 0 and LLC_PDU_OCTETS_MAX * 8 * S_IN_NS / f.r_bit_per_s / 2 or 0
    return f and f.measured_ms and f.measured_ms * MS_IN_NS <= network.cfg.gb.cell_delay_ns + half_ns
end

-- What is used of an R at most: all where the BSS says how full that bucket is, or that little stands there, or Sluice goes by
-- the delay there.
local function to_use(b, r, full)
    if full or b.real_rate and b.flow_control.measured_ms or stands_little(b) then
        return r
    end
    return math.min(r, (r - r * network.cfg.gb.drain_ppm // PPM + UNIT // 2) // UNIT * UNIT)
end

-- R in the dataplane's unit. 0 means stop, so a small rate is rounded up to 1.
local function rate_of(bit_per_s)
    return bit_per_s > 0 and math.max(bit_per_s // UNIT, 1) or 0
end

local function limited(octets)
    return octets < OCTETS_MAX and octets or OCTETS_MAX
end

-- ---- A cell ----

local bvc_bucket = {}

local function open(b, tag, bmax, r)
    log.info(("NSE %d, BVCI %d: flow control begins, tag %d: %d octets, %d bit/s"):format(
        b.nse.nsei, b.bvci, tag, bmax, r))
    b.flow_control = {}
    return b.flow_control
end

local function note(b, tag, bmax, r, ms_bmax, ms_r, measured_ms)
    local f = b.flow_control or open(b, tag, bmax, r)
    f.tag, f.bmax_octets, f.r_bit_per_s, f.measured_ms = tag, bmax, r, measured_ms
    f.ms_bmax_octets, f.ms_r_bit_per_s = ms_bmax, ms_r
end

-- Logged once from reset to reset: the operator of the BSS can reduce the BSS's buffer.
local function say_bounded(b, bmax, r, full)
    local delay_ns = network.cfg.gb.cell_delay_ns
    local least = full and 2 * LLC_PDU_OCTETS_MAX + math.min(bmax // 100, LLC_PDU_OCTETS_MAX) or 0
    local most = math.max(r * delay_ns // (8 * S_IN_NS) + LLC_PDU_OCTETS_MAX, least)
    if delay_ns > 0 and r > 0 and bmax > most and not b.flow_control.bounded then
        b.flow_control.bounded = true
        log.info(("NSE %d, BVCI %d: BSS offers %.3g s of buffer, using %.3g s; cell_delay"):format(
            b.nse.nsei, b.bvci, bmax * 8 / r, math.max(delay_ns / S_IN_NS, least * 8 / r)))
    end
end

-- Of a PDU that has a ratio where none belongs, or none where one does.
local function without_ratio(nse, b, nsvc, cause, octets)
    if not b.ratio_refused then
        b.ratio_refused = true
        pdus.refuse(nse, b.bvci, cause, octets, nsvc)
        hints.ratio(nse, b.bvci)
    end
end

local ms_bucket = {}

local function set_ms(nse, b, ms_id, tlli, bmax, r, full)
    local most = to_use(b, r, full)
    if policy.has_flow_control then
        bmax, r, full = decided({
            level = "ms", nsei = nse.nsei, bvci = b.bvci, tlli = tlli, bucket_octets = bmax,
            rate_bit_per_s = r,
        }, full)
    end
    local c = ms_bucket
    c.ms_id, c.full_percent = ms_id, full
    c.rate_100_bit_per_s, c.bucket_octets = rate_of(math.min(r, most)), limited(bmax)
    own.note(ms_id, b.id)
    dp.ms_bucket(c)
end

local function flow_control_bvc(nse, b, nsvc, octets, from, tag, bmax, r, ms_bmax, ms_r, full,
        measured_ms, granularity)
    local cause = condition(nse, full, granularity)
    if cause and granularity and not nse.gigabit then
        return pdus.refuse(nse, b.bvci, cause, octets:sub(from), nsvc)
    elseif cause then
        without_ratio(nse, b, nsvc, cause, octets:sub(from))
        full = nil
    end
    note(b, tag, bmax, r, ms_bmax, ms_r, measured_ms)
    say_bounded(b, bmax, r, full)
    local ms_id, one_r
    r, ms_id, one_r = real_rate.of(b, r, ms_r, measured_ms)
    local most = to_use(b, r, full)
    if policy.has_flow_control then
        bmax, r, full = decided({
            level = "bvc", nsei = nse.nsei, bvci = b.bvci, bucket_octets = bmax,
            rate_bit_per_s = r,
        }, full)
    end
    local c = bvc_bucket
    c.more = room.of(b, b.flow_control.r_bit_per_s, ms_r)
    c.bvc_id, c.full_percent = b.id, full
    c.rate_100_bit_per_s, c.bucket_octets = rate_of(math.min(r, most)), limited(bmax)
    c.ms_rate_100_bit_per_s, c.ms_bucket_octets = rate_of(to_use(b, ms_r)), limited(ms_bmax)
    b.flow_control.used_bit_per_s = c.rate_100_bit_per_s * UNIT
    dp.bvc_bucket(c)
    if ms_id then
        local _, tlli = dp.ms_cell(ms_id)
        set_ms(nse, b, ms_id, tlli, ms_bmax, one_r)
    end
    gb.answer_ptp(b, nsvc, "bssgp_flow_control_bvc_ack", tag)
    return "handled"
end

pdus.on("bssgp_flow_control_bvc", { on = "ptp", values = true, handler = flow_control_bvc })

-- Sets the file's values, or no limit, until the first FLOW-CONTROL-BVC.
function flow_control.set_from_file(b)
    local record = b.cfg or {}
    local command = parts.bucket({ bvc_id = b.id }, record, "")
    dp.bvc_bucket(parts.bucket(command, record, "ms_"))
end

-- The cell has come up.
function flow_control.bvc_up(b)
    if b.nse.cfg.flow_control == "open" and not b.flow_control then
        log.info(("NSE %d, BVCI %d: open before its first FLOW-CONTROL-BVC"):format(b.nse.nsei,
            b.bvci))
        flow_control.set_from_file(b)
    end
end

-- Forgets the values of the cell and of its MSs.
function flow_control.bvc_reset(b)
    b.flow_control, b.real_rate, b.room, b.ratio_refused, b.tells_ms = nil, nil, nil, nil, nil
    own.bvc_reset(b.id)
end

-- ---- An MS ----

-- The MS of the TLLI, if it is in the cell: an MS's bucket belongs to its current cell (8.2.3.5), so
-- values from another cell are late.
local function ms_in(nse, b, tlli)
    local ms_id, bvc_id = dp.ms_of(nse.id, tlli)
    return bvc_id == b.id and ms_id or nil
end

-- One burst may carry a cell change (user data, handled last) and the FLOW-CONTROL-MS of the new cell,
-- so the PDU for an MS in another cell is handled once more after the burst.
local second_look = false

local function look_again(late)
    local b = late.b
    if network.bvc[b.id] == b then
        second_look = true
        local good, why = pcall(pdus.take, b.nse, late.nsvc, b.bvci, late.octets, 1)
        second_look = false -- also after an error
        if not good then
            error(why, 0)
        end
    end
end

-- The cell has no MS with the TLLI (nse.unknown_ms).
local function unknown_ms(nse, b, nsvc, name, tlli, tag, octets)
    local what = nse.cfg.unknown_ms
    if not second_look and dp.ms_of(nse.id, tlli) then
        timers.after(0, look_again, { b = b, nsvc = nsvc, octets = octets })
        return "handled"
    elseif what == "status" then
        return pdus.refuse(nse, b.bvci, "unknown_ms", octets, nsvc)
    elseif what == "ack" then
        gb.answer_ptp(b, nsvc, name, tlli, tag)
        return "handled"
    end
    return "ignored"
end

local function flow_control_ms(nse, b, nsvc, octets, from, tlli, tag, bmax, r, full, granularity)
    local cause = condition(nse, full, granularity)
    if cause then
        return pdus.refuse(nse, b.bvci, cause, octets:sub(from), nsvc)
    end
    local ms_id = ms_in(nse, b, tlli)
    if not ms_id then
        return unknown_ms(nse, b, nsvc, "bssgp_flow_control_ms_ack", tlli, tag, octets:sub(from))
    end
    set_ms(nse, b, ms_id, tlli, bmax, r, full)
    real_rate.told(b, ms_id)
    gb.answer_ptp(b, nsvc, "bssgp_flow_control_ms_ack", tlli, tag)
    return "handled"
end

pdus.on("bssgp_flow_control_ms", { on = "ptp", values = true, handler = flow_control_ms })

-- ---- Packet flows ----

-- Bmax and R of the MS are both present or both absent; each bucket's ratio follows `condition`.
local function pfc_condition(nse, pdu)
    local ms_part = pdu.bmax_octets ~= nil
    if ms_part ~= (pdu.r_bit_per_s ~= nil) then
        return "conditional_error"
    elseif pdu.full_percent and not ms_part then
        return "unexpected_conditional"
    elseif ms_part and condition(nse, pdu.full_percent, pdu.granularity) then
        return condition(nse, pdu.full_percent, pdu.granularity)
    end
    for _, each in ipairs(pdu.flows) do
        local cause = condition(nse, each.full_percent, pdu.granularity)
        if cause then
            return cause
        end
    end
end

-- A packet flow with contexts of several classes has a slot for each class and one bucket; any of the
-- slots names the bucket.
local function set_pfc(nse, b, ms_id, tlli, each)
    local slots = subscribers.slots_of(ms_id, each.pfi)
    local bmax, r, full = each.bmax_octets, each.r_bit_per_s, each.full_percent
    local most = to_use(b, r, full)
    if policy.has_flow_control then
        bmax, r, full = decided({
            level = "pfc", nsei = nse.nsei, bvci = b.bvci, tlli = tlli, pfi = each.pfi,
            bucket_octets = bmax, rate_bit_per_s = r,
        }, full)
    end
    if slots[1] then
        own.note_pfc(ms_id, b.id, slots)
        dp.pfc_bucket {
            ms_id = ms_id, slot = slots[1], rate_100_bit_per_s = rate_of(math.min(r, most)),
            bucket_octets = limited(bmax), full_percent = full,
        }
    end
end

local function flow_control_pfc(nse, b, pdu, nsvc, octets)
    local cause = pfc_condition(nse, pdu)
    if cause then
        return pdus.refuse(nse, b.bvci, cause, octets, nsvc)
    end
    local tlli, ms_id = pdu.tlli, ms_in(nse, b, pdu.tlli)
    if not ms_id then
        return unknown_ms(nse, b, nsvc, "bssgp_flow_control_pfc_ack", tlli, pdu.tag, octets)
    end
    if pdu.bmax_octets then
        set_ms(nse, b, ms_id, tlli, pdu.bmax_octets, pdu.r_bit_per_s, pdu.full_percent)
        real_rate.told(b, ms_id)
    end
    for _, each in ipairs(pdu.flows) do
        set_pfc(nse, b, ms_id, tlli, each)
    end
    gb.answer_ptp(b, nsvc, "bssgp_flow_control_pfc_ack", tlli, pdu.tag)
    return "handled"
end

pdus.on("bssgp_flow_control_pfc", { on = "ptp", feature = "pfc_fc", handler = flow_control_pfc })

-- The latest FLOW-CONTROL-BVC as text.
function flow_control.describe(b)
    local f, used = b.flow_control, b.real_rate
    local measured, one, more = f.measured_ms, used and used.one, b.room and b.room.more or 0
    local share = used and used.share or f.r_bit_per_s > 0 and f.used_bit_per_s / f.r_bit_per_s or 1
    return ("%d octets, %d bit/s%s, each MS %d octets, %d bit/s%s%s%s"):format(f.bmax_octets, f.r_bit_per_s,
        used and (" (%.0f %% of it used)"):format(share * 100)
            or share < 1 and (" (%.3g %% of it used)"):format(share * 100) or "", f.ms_bmax_octets, f.ms_r_bit_per_s,
        one and (" (%.0f %% of it for one)"):format(one.share * 100) or "",
        measured and (", delay in the BSS %d ms"):format(measured) or "",
        more > 0 and (", room for %d MSs more than R says"):format(more) or "")
end

return flow_control
