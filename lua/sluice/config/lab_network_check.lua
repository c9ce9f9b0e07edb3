-- Checks what a file says of the BSSs, cells and radios of the lab against its other parts, and fills in
-- where a cell is. See lab_check.lua.
local check = require "sluice.config.check"
local lab_faults = require "sluice.config.lab_faults"
local lab_keys = require "sluice.schema.lab_keys"
local measures = require "measures"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local script_check = require "sluice.script.check"

local note, is_given = check.note, check.is_given

local network = {}

local SLOTS_A_CARRIER = 8

-- ---- Without a lab ----

-- Blocks and keys of a network that is not simulated.
function network.refuse(state, cfg)
    local function refuse(record, constructors, keys)
        for _, constructor in ipairs(constructors) do
            if record[constructor.name] then
                check.note_record(state, record[constructor.name],
                    ("found %s { }, allowed beside lab { } only"):format(constructor.name))
            end
        end
        for _, key in ipairs(keys) do
            if is_given(state, record, key.name) then
                note(state, record, key.name, "found a value, allowed beside lab { } only")
            end
        end
    end
    for _, nse in ipairs(cfg.nse) do
        refuse(nse, lab_keys.of_nse, {})
        for _, bvc in ipairs(nse.bvc) do
            refuse(bvc, lab_keys.of_bvc, lab_keys.bvc_keys)
            for _, ms in ipairs(bvc.ms) do
                refuse(ms, { schema.constructor.ms.child.radio }, {})
            end
        end
    end
    for _, phone in ipairs(cfg.phone or {}) do
        refuse(phone, { schema.constructor.phone.child.radio }, {})
    end
end

-- ---- A BSS ----

local function has(list, item)
    for _, each in ipairs(list or {}) do
        if each == item then
            return true
        end
    end
    return false
end

-- What the BSS offers is used if the NSE has it too (48.018 8.4).
local function warn_features(state, nse)
    for _, feature in ipairs(nse.features and schema.constructor.nse.key.features.choices or {}) do
        if nse.bss[feature] == true and not has(nse.features, feature) then
            check.warn(state, nse.bss, feature, ('found true, and features of the nse has no "%s": it'
                .. " is not used"):format(feature))
        end
    end
end

local function check_endpoints(state, nse)
    local own = nse.bss and nse.bss.endpoint or {}
    local brings = nse.ns == "sns" and not nse.dynamic or nse.ns == "reset" and nse.dynamic
    if brings and #own == 0 and #nse.nsvc == 0 then
        check.note_few(state, nse.bss or nse, lab_keys.endpoint, nse.bss and "" or "bss.")
    end
    for _, endpoint in ipairs(own) do
        local nsvci = is_given(state, endpoint, "nsvci")
        if nse.ns and not brings then
            check.note_record(state, endpoint, 'found endpoint { }, allowed with ns = "sns" or'
                .. " dynamic = true only: else the BSS has the endpoints of nsvc { }")
        elseif nse.ns == "sns" and nsvci then
            note(state, endpoint, "nsvci", 'found a value, allowed with dynamic = true only')
        elseif nse.dynamic and not nsvci then
            note(state, endpoint, "nsvci", "found nothing, allowed a NSVCI: NS-RESET needs one")
        end
    end
end

local function check_nse(state, nse)
    check_endpoints(state, nse)
    lab_faults.check(state, schema.constructor.line, nse.line)
    if nse.bss then
        lab_faults.check(state, schema.constructor.bss, nse.bss, { nsei = 0, ns = 0 })
        warn_features(state, nse)
    end
end

-- ---- A cell ----

local function fill_place(state, nse, bvc)
    bvc.area = bvc.area or nse.areas and nse.areas[1] or lab_keys.AREA
    bvc.ci = bvc.ci or bvc.bvci
    if nse.areas and is_given(state, bvc, "area") and not has(nse.areas, bvc.area) then
        note(state, bvc, "area", 'found "%s", allowed one of the nse\'s areas, %s', bvc.area,
            table.concat(nse.areas, ", "))
    end
end

local function check_flow(state, nse, flow)
    if flow.pfc ~= true then
        return
    end
    for _, feature in ipairs { "pfc", "pfc_fc" } do
        if not (nse.bss and nse.bss[feature]) then
            return note(state, flow, "pfc", "found true, allowed with bss { %s = true } only", feature)
        end
    end
end

local NO_IDENTITY = { mcc = 1, mnc = 1, mnc_digits = 2, lac = 1, rac = 1, ci = 0 }

local function check_buffers(state, nse, bvc)
    if not (bvc.buffer or bvc.codel or bvc.flow) then
        return
    end
    local blocks = {}
    for i, constructor in ipairs { lab_keys.buffer, lab_keys.codel, lab_keys.flow } do
        blocks[i] = { constructor, bvc[constructor.name] }
    end
    lab_faults.check_joint(state, bvc, "cell", blocks, { bvci = 2, identity = NO_IDENTITY })
    if bvc.flow then
        check_flow(state, nse, bvc.flow)
    end
    if bvc.radio and bvc.buffer and (bvc.buffer.rate_bit_per_s or 0) > 0 then
        note(state, bvc.buffer, "rate", "found a rate, allowed in a cell without radio { } only")
    end
end

-- ---- Events of a radio ----

local OF_AN_MS = { loss = true, ["up-loss"] = true, ["ms-call"] = true }

-- find(imsi): the ms record that has the IMSI, or nil.
local function check_plan(state, bvc, plan, find)
    local radio, kind = bvc.radio, plan.kind
    lab_faults.check(state, lab_keys.plan, plan, { ms = 0 })
    if kind and OF_AN_MS[kind] and not is_given(state, plan, "imsi") then
        note(state, plan, "imsi", 'found nothing, allowed the IMSI of an MS of the cell: kind is "%s"',
            kind)
    elseif kind and plan.imsi and not OF_AN_MS[kind] then
        note(state, plan, "imsi", 'found "%s", allowed none: kind is "%s", which meets the cell',
            plan.imsi, kind)
    elseif plan.imsi and not has(bvc.ms, find(plan.imsi)) then
        note(state, plan, "imsi", 'found "%s", allowed the IMSI of an MS of the cell', plan.imsi)
    end
    local most = (kind == "slots" or kind == "calls") and radio.carriers
        and radio.carriers * SLOTS_A_CARRIER
    if most and plan.count and plan.count > most then
        note(state, plan, "count", "found %d, allowed at most %d time slots: 8 for each of"
            .. " radio.carriers", plan.count, most)
    end
end

-- From here on a file without a rate is more than a cell that is lost for a while.
local LONG_NS = 10 * 1000000000

-- Warns of a file that lets nothing through for long, which a typing error looks like.
local function check_silence(state, radio, silent_ns, run_ns)
    if silent_ns >= run_ns then
        check.warn(state, radio, "trace", "found a rate of 0 in the whole run: nothing will be sent to an MS")
    elseif silent_ns >= LONG_NS then
        check.warn(state, radio, "trace", ("found a rate of 0 for %.4g s on end, of a run of %.4g s: nothing will be"
            .. " sent to an MS in that time"):format(silent_ns / 1e9, run_ns / 1e9))
    end
end

-- The path is relative to the configuration's folder. The file is read here, and again by the run.
local function check_trace(state, radio, source, run_ns)
    if not (radio and radio.trace) then
        return
    end
    if radio.down_coding and radio.down_coding ~= "rate" then
        return note(state, radio, "trace", 'found a file, allowed with down_coding = "rate" only')
    end
    radio.path = script_check.path(source.name, radio.trace)
    local silent_ns, fault = measures.radio_trace { trace = radio.path, until_ns = run_ns }
    source.note_file(radio.path)
    if fault then
        note(state, radio, "trace", "%s", (fault:gsub("^trace: ", "")))
    elseif run_ns > 0 then
        check_silence(state, radio, silent_ns, run_ns)
    end
end

-- ---- Radios of MSs ----

-- What a coding scheme of an MS is beside that of its cell. A radio without one has the cell's blocks.
local function check_own_codings(state, own, radio)
    for _, name in ipairs { "down_coding", "up_coding" } do
        if own[name] and radio[name] == "rate" then
            note(state, own, name, 'found "%s", allowed in a cell without %s = "rate" only', own[name], name)
        end
    end
end

-- seen: the faults of files that have been read, by their path; "": none.
local function check_walk(state, own, radio, source, seen)
    for _, name in ipairs { "down_coding", "down_bler" } do
        if is_given(state, own, name) then
            note(state, own, name, "found a value beside trace, allowed one of them")
        end
    end
    if radio.down_coding == "rate" then
        return note(state, own, "trace", 'found a file, allowed in a cell without down_coding = "rate" only')
    end
    own.path = script_check.path(source.name, own.trace)
    if not seen[own.path] then
        local _, fault = measures.radio_walk { trace = own.path, until_ns = 0 }
        source.note_file(own.path)
        seen[own.path] = fault and fault:gsub("^trace: ", "") or ""
    end
    if seen[own.path] ~= "" then
        note(state, own, "trace", "%s", seen[own.path])
    end
end

-- Of an ms { } or a phone { }. bvc: its cell; nil: none, or one that was refused.
local function check_own(state, record, bvc, source, seen)
    local own = record.radio
    if own and bvc and not bvc.radio then
        check.note_record(state, own, "found radio { }, allowed in a cell with radio { } only")
    elseif own and bvc then
        check_own_codings(state, own, bvc.radio)
        if own.trace then
            check_walk(state, own, bvc.radio, source, seen)
        end
    end
end

local function check_own_radios(state, cfg, source)
    local cells, seen = parts.cells_of(cfg), {}
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                check_own(state, ms, bvc, source, seen)
            end
        end
    end
    for _, phone in ipairs(cfg.phone or {}) do
        check_own(state, phone, cells[phone.cell or ""], source, seen)
        if phone.radio and not phone.cell then
            check.note_record(state, phone.radio, "found radio { }, allowed with cell only: the phone is not in the lab")
        end
    end
end

local function check_flow_trace(state, nse, flow, source)
    if not (flow and flow.trace) then
        return
    end
    if nse.ns == "manual" then
        return note(state, flow, "trace", 'found a file, allowed with an ns other than "manual"')
    end
    flow.path = script_check.path(source.name, flow.trace)
    local _, fault = measures.flow_trace { trace = flow.path }
    source.note_file(flow.path)
    if fault then
        note(state, flow, "trace", "%s", (fault:gsub("^trace: ", "")))
    end
end

-- find is nil while an MS may have been refused. source: of cross.all.
function network.check(state, cfg, find, source)
    lab_faults.check(state, schema.constructor.gi, cfg.lab.gi)
    for _, nse in ipairs(cfg.nse) do
        check_nse(state, nse)
        for _, bvc in ipairs(nse.bvc) do
            fill_place(state, nse, bvc)
            check_buffers(state, nse, bvc)
            lab_faults.check(state, lab_keys.radio, bvc.radio)
            check_flow_trace(state, nse, bvc.flow, source)
            check_trace(state, bvc.radio, source, cfg.run and cfg.run.duration_ns or 0)
            for _, plan in ipairs(bvc.radio and find and bvc.radio.plan or {}) do
                check_plan(state, bvc, plan, find)
            end
        end
    end
    check_own_radios(state, cfg, source)
end

return network
