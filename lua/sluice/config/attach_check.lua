-- Checks attach { } and phone { } against the rest of the configuration: IMSIs given twice, timers that the air
-- cannot carry, NSEs whose cells have no routeing area. Also fills in gb.ready. See cross.lua.
local check = require "sluice.config.check"
local milenage = require "milenage"
local schema = require "sluice.schema.schema"
local units = require "sluice.base.units"
local wire = require "wire"

local note, is_given = check.note, check.is_given

local attach = {}

local READY_NS = 44000000000 -- what phones have without another value (TS 24.008 table 11.4a)
local SECOND_NS = 1000000000

-- The GPRS timer of 24.008 has 2 s, a minute or 6 min as its unit, and counts to 31.
local function is_on_air(ns)
    return ns % SECOND_NS == 0 and (pcall(wire.gmm_attach_accept.encode, {
        result = 1, force_standby = 0, t3312_s = ns // SECOND_NS, priority_sms = 4, priority_tom8 = 4,
        area = { mcc = 1, mnc = 1, mnc_digits = 2, lac = 1, rac = 1 },
    }))
end

local function check_timer(state, record, key, ns)
    if ns and ns > 0 and not is_on_air(ns) then
        note(state, record, key, "found %s, which 24.008 cannot say: allowed up to 62 s in steps of 2 s, up to 31 min"
            .. " in steps of 1 min, up to 186 min in steps of 6 min", units.format("time", ns))
    end
end

local function check_timers(state, cfg)
    if cfg.gb and not is_given(state, cfg.gb, "ready") then
        cfg.gb.ready_ns = READY_NS
    end
    check_timer(state, cfg.gb, "ready", cfg.gb and cfg.gb.ready_ns)
    check_timer(state, cfg.attach, "t3312", cfg.attach.t3312_ns)
end

local function check_who(state, cfg)
    local block = cfg.attach
    if block.who == "open" and not block.networks and not state.node_of[block].meant.networks then
        note(state, block, "networks", 'found nothing, allowed %s: who = "open" needs the networks that may attach',
            "a list such as { \"001-01\" }")
    elseif block.who == "listed" and block.networks then
        note(state, block, "networks", 'found networks, allowed with who = "open" only')
    elseif block.who == "listed" and #cfg.phone == 0 and not (state.unsure or state.strays) then
        check.note_record(state, block, 'found who = "listed" without a phone { }, allowed one or more phone { ... },'
            .. ' or who = "open"')
    end
end

local function warn_apn(state, cfg)
    if #cfg.apn == 0 and not (state.unsure or state.strays) then
        check.warn(state, cfg.attach, "who", "found no apn { } beside attach { }: phones attach, and get no context")
    end
end

-- Keys and ciphers are only for cards that have both keys.
local function check_keys(state, cfg)
    local has_keys = false
    for _, phone in ipairs(cfg.phone) do
        has_keys = has_keys or phone.k ~= nil
        if phone.k and not is_given(state, phone, "opc") then
            note(state, phone, "opc", "found nothing, allowed 32 hexadecimal digits: k needs OPc")
        elseif phone.opc and not is_given(state, phone, "k") then
            note(state, phone, "k", "found nothing, allowed 32 hexadecimal digits: opc needs K")
        end
    end
    if has_keys and not milenage.ready() then
        check.note_record(state, cfg.attach, "found phones with keys, allowed without: this processor has no AES"
            .. " instructions")
    end
    cfg.attach.ciphers = cfg.attach.ciphers or { "gea4", "gea3" }
end

-- The routeing area of a cell comes with its BVC-RESET.
local function check_nses(state, cfg)
    for _, nse in ipairs(cfg.nse) do
        if nse.ns == "manual" then
            note(state, nse, "ns", 'found "manual", allowed another one with attach { }: an NSE without procedures does'
                .. " not say which routeing areas its cells are in")
        end
    end
end

-- add(record, imsi, count): a span of IMSIs, as cross.lua checks them.
function attach.all(state, cfg, add)
    if cfg.attach then
        check_timers(state, cfg)
        check_who(state, cfg)
        warn_apn(state, cfg)
        check_nses(state, cfg)
        check_keys(state, cfg)
        for _, phone in ipairs(cfg.phone) do
            phone.count = phone.count or 1
            add(phone)
        end
    elseif cfg.phone and cfg.phone[1] then
        check.note_record(state, cfg.phone[1], "found phone { }, allowed with attach { } only")
    else
        cfg.phone = nil
    end
end

-- Phones that the file has room for, and contexts.
function attach.places(cfg)
    local most = cfg.attach and cfg.attach.most or 0
    return most, most * 2
end

-- Packet flows of a phone: a context of each class; it has no more than 7 contexts.
function attach.pfcs(cfg)
    return cfg.attach and #schema.classes or 1
end

return attach
