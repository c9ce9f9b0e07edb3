-- Which PDUs each state of an NS-VC takes (TS 48.016 7.2 to 7.4), as a table: RESET, BLOCK and UNBLOCK
-- of either side, NS-ALIVE-ACK, and the operator's commands. The states themselves are in states.lua.
--
-- With ns = "reset" either side may send NS-RESET. The SGSN does so for an NS-VC of the file at the
-- start, after a failed test, on the operator's command, and when NS-UNITDATA comes on a dead NS-VC.
-- The side that resets also unblocks. Without NS-RESET-ACK the SGSN goes on to ask (states.lua). With ns
-- = "alive" or "sns" an NS-ALIVE-ACK alone makes an NS-VC unblocked; with "manual" an NS-VC is always
-- unblocked and never tested.
local board = require "sluice.core.board"
local bvc = require "sluice.bssgp.bvc"
local causes = require "sluice.core.causes"
local clock = require "sluice.core.clock"
local gb = require "sluice.core.gb"
local hints = require "sluice.core.hints"
local ns_state = require "sluice.ns.states"
local ns_status = require "sluice.ns.status"
local ns_test = require "sluice.ns.test"
local timers = require "sluice.core.timers"
local network = require "sluice.core.network"

local ns_vc = {}

local enter, name = ns_state.enter, ns_state.name

-- ---- What comes ----

-- The PDU names another NS-VC or NSE: nothing changes, and the ACK tells the BSS our identities
-- (7.3.1).
local function is_other(nsvc, pdu)
    local other = pdu.nsei ~= nsvc.nse.nsei or nsvc.nsvci and pdu.ns_vci ~= nsvc.nsvci
    if other then
        hints.other_ids(nsvc, name(nsvc), pdu.ns_vci, pdu.nsei)
    end
    return other
end

local function acknowledge(nsvc, pdu_name)
    gb.send_ns(nsvc, pdu_name, pdu_name == "ns_unblock_ack" and {} or ns_state.ids(nsvc))
end

local take = {}

-- When both sides reset, each may wait for the other's NS-UNBLOCK, so the SGSN sends its own after
-- Tns-block.
function take.ns_reset(nsvc, pdu)
    if is_other(nsvc, pdu) then
        acknowledge(nsvc, "ns_reset_ack")
        return "refused"
    end
    local collided = nsvc.state == "reset"
    enter(nsvc, "blocked", ("NS-RESET, cause 0x%02x"):format(pdu.cause), collided and "tns_block")
    if not nsvc.nse.ns_up then
        bvc.nse_reset(nsvc.nse)
    end
    acknowledge(nsvc, "ns_reset_ack")
    if nsvc.vc.mode == "reset" then
        ns_test.start(nsvc)
    end
end

function take.ns_reset_ack(nsvc, pdu)
    if is_other(nsvc, pdu) or nsvc.state == "dead" and not nsvc.vc.given_up then
        return "ignored"
    end
    enter(nsvc, nsvc.vc.barred and "blocked" or "unblocking", "NS-RESET-ACK")
    if nsvc.vc.mode == "reset" then
        ns_test.start(nsvc)
    end
end

-- The BSS may send NS-BLOCK on another NS-VC of the NSE, which then carries the ACK (7.2).
function take.ns_block(nsvc, pdu, heard_on)
    gb.send_ns(heard_on, "ns_block_ack", { ns_vci = pdu.ns_vci })
    if nsvc.state ~= "blocking" then
        enter(nsvc, "blocked", ("NS-BLOCK, cause 0x%02x"):format(pdu.cause))
    end
end

function take.ns_block_ack(nsvc)
    enter(nsvc, "blocked", "NS-BLOCK-ACK")
end

-- An NS-UNBLOCK for an NS-VC that the operator has blocked gets NS-BLOCK.
function take.ns_unblock(nsvc)
    if nsvc.vc.barred then
        enter(nsvc, "blocking", "NS-UNBLOCK, but the operator has blocked it")
        return "refused"
    end
    acknowledge(nsvc, "ns_unblock_ack")
    enter(nsvc, "unblocked", "NS-UNBLOCK")
end

function take.ns_unblock_ack(nsvc)
    enter(nsvc, "unblocked", "NS-UNBLOCK-ACK")
end

local function incompatible(_, _, heard_on, octets)
    return ns_status.send(heard_on, "incompatible_with_state", octets)
end

-- Which PDUs each state takes; all others are ignored, also an unexpected NS-RESET-ACK (7.3.1). If that
-- ACK answers a late NS-RESET of ours, the NS-VC is blocked at the BSS only: the BSS sends NS-STATUS
-- when data comes (see status).
local on = {
    dead = {
        ns_reset = take.ns_reset, ns_reset_ack = take.ns_reset_ack, ns_block = incompatible,
        ns_unblock = incompatible,
    },
    reset = { ns_reset = take.ns_reset, ns_reset_ack = take.ns_reset_ack },
    blocked = { ns_reset = take.ns_reset, ns_block = take.ns_block, ns_unblock = take.ns_unblock },
    unblocking = {
        ns_reset = take.ns_reset, ns_block = take.ns_block, ns_unblock = take.ns_unblock,
        ns_unblock_ack = take.ns_unblock_ack,
    },
    blocking = {
        ns_reset = take.ns_reset, ns_block = take.ns_block, ns_block_ack = take.ns_block_ack,
    },
    unblocked = {
        ns_reset = take.ns_reset, ns_block = take.ns_block, ns_unblock = take.ns_unblock,
    },
}

local function reset_without(nsvc, pdu, heard_on, octets)
    hints.other_service(nsvc, "NS-RESET", "reset")
    return incompatible(nsvc, pdu, heard_on, octets)
end

-- For ns = "alive" and "sns", which have neither RESET nor BLOCK (7.4b, 7.1).
local without = {
    ns_reset = reset_without, ns_block = incompatible, ns_unblock = incompatible,
}

local function has_reset(nsvc)
    return nsvc.vc.mode == "reset" or nsvc.vc.mode == "manual"
end

local function of_nsvci(nse, nsvci)
    for _, nsvc in ipairs(nse.nsvcs) do
        if nsvc.nsvci == nsvci then
            return nsvc
        end
    end
end

-- An NS-VC that is blocked at the BSS is blocked here (7.2). The BSS's NS-UNBLOCK may be under way; if
-- none comes, the SGSN sends its own Tns-block later, which the BSS may answer by NS-BLOCK.
local function status(nsvc, pdu)
    hints.ns_status(nsvc, name(nsvc), pdu.cause, nsvc.state == "reset" or nsvc.vc.given_up)
    if pdu.cause == causes.ns.nsvc_blocked and nsvc.state == "unblocked"
        and nsvc.vc.mode == "reset" and (pdu.ns_vci or nsvc.nsvci) == nsvc.nsvci then
        enter(nsvc, "blocked", "NS-STATUS, cause NS-VC blocked", "tns_block")
    end
    return "handled"
end

local function take_alive_ack(nsvc)
    if not ns_test.answered(nsvc) then
        return "ignored"
    end
    nsvc.vc.failed, nsvc.vc.proved = false, true
    if nsvc.state == "dead" then
        enter(nsvc, "unblocked", "NS-ALIVE-ACK")
    end
    return "handled"
end

function ns_test.failed(nsvc)
    if nsvc.vc.mode == "reset" then
        nsvc.vc.cause = "transit_network_failure"
        return enter(nsvc, "reset", "no NS-ALIVE-ACK")
    end
    nsvc.vc.failed = true
    if ns_test.may_insist(nsvc) then
        ns_test.insist(nsvc)
    else
        ns_test.start_in(nsvc, network.cfg.timers.tns_test_ns)
    end
    enter(nsvc, "dead", "no NS-ALIVE-ACK")
    network.tell("nsvc_failed", nsvc)
end

-- These PDUs may come on any NS-VC of the NSE; they carry the NSVCI in question.
local NAMES_NSVCI = { ns_block = true, ns_block_ack = true }

-- An NS PDU that is neither NS-UNITDATA nor an SNS PDU.
function ns_vc.input(nsvc, pdu_name, pdu, octets)
    if pdu_name == "ns_alive_ack" then
        return take_alive_ack(nsvc)
    elseif pdu_name == "ns_status" then
        return status(nsvc, pdu)
    end
    local about, table_of_pdus = nsvc, without
    if has_reset(nsvc) then
        about = NAMES_NSVCI[pdu_name] and of_nsvci(nsvc.nse, pdu.ns_vci) or nsvc
        if NAMES_NSVCI[pdu_name] and about.nsvci ~= pdu.ns_vci then
            return ns_status.send(nsvc, "nsvc_unknown", octets, pdu.ns_vci)
        end
        table_of_pdus = on[about.state]
    end
    local taker = table_of_pdus[pdu_name]
    return taker and (taker(about, pdu, nsvc, octets) or "handled") or "ignored"
end

-- What becomes of an NS-UNITDATA: "take", "ignore", or "status" (answered by NS-STATUS).
function ns_vc.unitdata(nsvc)
    return ns_state.states[nsvc.state].unitdata
end

-- NS-UNITDATA has come on an NS-VC that is not unblocked here: the BSS still has it up from an earlier
-- run of the SGSN, or an NS-RESET came twice. The BSS's NS-UNBLOCK may be under way.
function ns_vc.wake(nsvc)
    local vc = nsvc.vc
    if vc.mode ~= "reset" then
        return
    elseif nsvc.state == "dead" and not vc.given_up then
        vc.cause = "equipment_failure"
        enter(nsvc, "reset", "NS-UNITDATA has come")
    elseif nsvc.state == "blocked" and not vc.timer and not vc.barred then
        ns_state.pause(nsvc, "tns_block")
    end
end

-- ---- Beginning, ending, the operator ----

local function begin(nsvc)
    if network.nsvc[nsvc.id] ~= nsvc then
        return
    end
    ns_state.show(nsvc)
    if nsvc.vc.mode == "reset" then
        ns_state.pause(nsvc, nsvc.cfg and "neighbour" or "tns_test")
    elseif nsvc.vc.mode == "alive" then
        ns_test.insist(nsvc)
    end
    ns_state.settle(nsvc.nse)
end

-- The timer of 0 makes the loop send; a job must not send.
function ns_vc.begin(nsvc)
    local mode = nsvc.nse.cfg.ns
    nsvc.state = mode == "manual" and "unblocked" or "dead"
    nsvc.alive = mode == "manual"
    nsvc.vc = { mode = mode, tries = 0, new = true, timer = timers.after(0, begin, nsvc) }
end

ns_vc.NEIGHBOUR_NS = ns_state.NEIGHBOUR_NS

local UNREACHABLE_NS = 1000000000 -- between two tests that ICMP starts

-- Anybody can forge an ICMP error, so it only starts a test; a running test goes on unchanged. An NS-VC that has not
-- come up is asked again and again anyway.
function ns_vc.unreachable(nsvc)
    local vc = nsvc.vc
    if vc.mode == "manual" or vc.asked or clock.now_ns < (vc.unreachable_ns or 0) then
        return "ignored"
    end
    vc.unreachable_ns = clock.now_ns + UNREACHABLE_NS
    hints.unreachable(nsvc, name(nsvc))
    if nsvc.alive then
        ns_test.start(nsvc)
    end
    return "handled"
end

-- For SNS: both sides have agreed on the NS-VC.
function ns_vc.start_test(nsvc)
    if not nsvc.vc.test then
        ns_test.start_in(nsvc, nsvc.vc.new and ns_vc.NEIGHBOUR_NS or 0)
        nsvc.vc.new = false
    end
end

-- For SNS: the agreement is void.
function ns_vc.forget(nsvc)
    ns_test.stop(nsvc)
    if nsvc.state ~= "dead" then
        enter(nsvc, "dead", "SNS restarts")
    end
end

local function stop(nsvc)
    if nsvc.vc then
        timers.stop(nsvc.vc.timer)
        ns_test.stop(nsvc)
    end
    nsvc.alive = false
    board.gone_nsvc { nsvc_id = nsvc.id }
    timers.after(0, ns_state.settle, nsvc.nse)
end

network.watch("nsvc_removed", stop)

local operator = {}

function operator.reset(nsvc)
    nsvc.vc.cause = "o_and_m"
    enter(nsvc, "reset", "the operator")
end

function operator.block(nsvc)
    nsvc.vc.barred = true
    if nsvc.state == "unblocked" or nsvc.state == "unblocking" then
        enter(nsvc, "blocking", "the operator")
    end
end

function operator.unblock(nsvc)
    nsvc.vc.barred = false
    if nsvc.state == "blocked" or nsvc.state == "blocking" then
        enter(nsvc, "unblocking", "the operator")
    end
end

-- Returns true, or false and why not; and a text.
function ns_vc.operate(nsei, nsvci, what)
    local nse = network.nse_of_nsei[nsei]
    local nsvc = nse and of_nsvci(nse, nsvci)
    if not nsvc or not nsvc.vc then
        return false, ("NSE %d has no NS-VC %d"):format(nsei, nsvci)
    elseif not operator[what] then
        return false, "unknown action; allowed: block, unblock, reset"
    elseif nsvc.vc.mode ~= "reset" then -- with "manual" nobody answers: the NS-VC would stay away
        return false, ("NSE %d has ns = %q, which has neither NS-RESET nor NS-BLOCK"):format(nsei,
            nsvc.vc.mode)
    end
    timers.after(0, function()
        if network.nsvc[nsvc.id] == nsvc then
            operator[what](nsvc)
        end
    end)
    return true, what .. " started"
end

return ns_vc
