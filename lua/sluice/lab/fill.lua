-- Fills the lab, in virtual time, with what the configuration says: BSSs, cells, MSs, PDP contexts and
-- applications. Without a lab the functions do nothing.
local addresses = require "sluice.base.addresses"
local ciphers = require "sluice.base.ciphers"
local class_names = require "classes"
local described = require "sluice.schema.described"
local hex = require "sluice.base.hex"
local lab_check = require "sluice.config.lab_check"
local lab_keys = require "sluice.schema.lab_keys"
local network = require "sluice.core.network"
local parts = require "sluice.config.parts"
local schema = require "sluice.schema.schema"
local target = require "lab" -- in virtual time, else empty

local lab = {}

local HOST = addresses.ipv4_number(lab_keys.HOST)
local MODES = { manual = 0, alive = 1, reset = 2, sns = 3 } -- enum bss_ns_mode

-- The struct of a block, with C's defaults if the file has none.
local function values_of(name, record, values)
    return described.values(schema.constructor[name], record, values or {})
end

-- The same of a struct that several blocks make.
local function cell_values(bvc)
    local values = {}
    for _, name in ipairs { "buffer", "codel", "flow" } do
        values_of(name, bvc[name], values)
    end
    return values
end

local function add_endpoint(nse_id, nsvci, address, port, mac, weight)
    target.endpoint {
        nse_id = nse_id, nsvci = nsvci, address = parts.address(address), port = port, mac = mac,
        weight = weight,
    }
end

-- The NS-VCs of the file come one by one, those that the BSS brings itself are added here.
function lab.nse(nse_id, record)
    local bss = values_of("bss", record.bss)
    bss.nsei, bss.ns = record.nsei, MODES[record.ns]
    target.nse { nse_id = nse_id, bss = bss, line = values_of("line", record.line) }
    for _, own in ipairs(record.bss and record.bss.endpoint or {}) do
        add_endpoint(nse_id, own.nsvci or 0, own.address, own.port, own.mac, own.weight)
    end
end

function lab.endpoint(nse_id, nsvc)
    add_endpoint(nse_id, nsvc.nsvci, nsvc.peer, nsvc.peer_port, nsvc.peer_mac, nsvc.weight)
end

local function identity(bvc)
    local mcc, mnc, lac, rac = bvc.area:match "^(%d+)-(%d+)-(%d+)-(%d+)$"
    return {
        mcc = tonumber(mcc), mnc = tonumber(mnc), mnc_digits = #mnc, lac = tonumber(lac),
        rac = tonumber(rac), ci = bvc.ci,
    }
end

function lab.cell(nse_id, bvc_id, bvc)
    local bsc = cell_values(bvc)
    bsc.bvci, bsc.identity = bvc.bvci, identity(bvc)
    target.cell {
        nse_id = nse_id, bvc_id = bvc_id, bsc = bsc, has_radio = bvc.radio ~= nil,
        radio = values_of("radio", bvc.radio), trace = bvc.radio and bvc.radio.path or "",
        flow_trace = bvc.flow and bvc.flow.path or "",
    }
end

-- struct lab_ms and struct lab_phone_call: the own radio of an ms { } or phone { }.
local function with_radio(call, record)
    call.radio = record.radio and described.changes(schema.constructor.ms.child.radio, record.radio)
    call.walk = record.radio and record.radio.path
    return call
end

-- Member `member` of a record (registry.lua); gea and key as the dataplane's command has them.
function lab.ms(record, member, cipher, n201_u)
    target.ms(with_radio({
        nse_id = record.nse_id, bvci = network.bvc[record.bvc_id].bvci, tlli = record.ms.tlli + member,
        imsi = parts.imsi(record.ms, member), n201_u = n201_u, gea = cipher.gea, key = cipher.key,
        iov_ui = cipher.iov_ui,
    }, record.ms))
end

lab.context = target.context

-- ---- Phones ----

local NSAPI, SAPI, N201_U_OCTETS = 5, 3, 500 -- of a phone's context; N201-U before the first XID (TS 44.064 table 9)

local place_of_class, phone_addresses = {}, {} -- by phone { }: of each member, from 1 on

for i, name in ipairs(class_names) do
    place_of_class[name] = i - 1
end

-- Those of the file that are in a cell of the lab. They are there before the GGSN is asked for anything.
function lab.phones(cfg)
    for _, phone in ipairs(cfg.lab and cfg.phone or {}) do
        local class = parts.phone_class(cfg, phone)
        local nsei, bvci = (phone.cell or ""):match "^(%d+)%-(%d+)$"
        phone_addresses[phone] = {}
        for member = 0, class and phone.count - 1 or -1 do
            phone_addresses[phone][member + 1] = target.phone(with_radio({
                nse_id = network.nse_of_nsei[tonumber(nsei)].id, bvci = tonumber(bvci), imsi = parts.imsi(phone, member),
                n201_u = N201_U_OCTETS, nsapi = NSAPI, sapi = SAPI, traffic_class = place_of_class[class],
                on_ns = phone.on_ns + member * phone.apart_ns,
                k = phone.k and ciphers.key(phone.k, member), opc = phone.opc and hex.octets(phone.opc),
            }, phone))
        end
    end
end

-- Calls visit(ms, pdp, member, address) for each phone that is there; ms and pdp as those of an ms { }.
local function each_phone(cfg, visit)
    for _, phone in ipairs(cfg.phone or {}) do
        local pdp = { class = parts.phone_class(cfg, phone) }
        for i, address in ipairs(phone_addresses[phone] or {}) do
            visit(phone, pdp, i - 1, address)
        end
    end
end

-- ---- What happens, once all of them are there ----

-- The TLLI of the MS of the cell with an IMSI.
local function tlli_of(bvc, imsi)
    for _, ms in ipairs(bvc.ms) do
        local member = #ms.imsi == #imsi and tonumber(imsi) - tonumber(ms.imsi) or -1
        if member >= 0 and member < ms.count then
            return ms.tlli + math.tointeger(member)
        end
    end
end

local function plans(nse, bvc)
    for _, plan in ipairs(bvc.radio and bvc.radio.plan or {}) do
        target.plan {
            nse_id = network.nse_of_nsei[nse.nsei].id, bvci = bvc.bvci,
            tlli = plan.imsi and tlli_of(bvc, plan.imsi),
            plan = values_of("plan", plan, { ms = 0 }),
        }
    end
end

local function application(cfg, constructor, app)
    local config = described.values(constructor, app, lab_check.also(constructor, app))
    local function add(ms, pdp, member, address)
        if parts.wants(app, ms, pdp, member) then
            target[constructor.list] {
                kind = constructor.app, host = HOST, address = address, config = config,
                host_tcp = app.host_tcp or lab_keys.USUAL_TCP, ms_tcp = app.ms_tcp or lab_keys.USUAL_TCP,
            }
        end
    end
    parts.each_pdp(cfg, function(_, _, ms, pdp, member)
        add(ms, pdp, member, addresses.ipv4_number(pdp.address) + member)
    end)
    each_phone(cfg, add)
end

local function events(cfg, constructor, event)
    local config = described.values(constructor, event, { kind = constructor.event, lasts_ns = 0 })
    local cells = {}
    for i, cell in ipairs(event.cells or {}) do
        local nsei, bvci = cell:match "^(%d+)%-(%d+)$"
        cells[i] = string.pack(">I4I2", network.nse_of_nsei[tonumber(nsei)].id, tonumber(bvci))
    end
    parts.each_ms(cfg, function(nse, _, ms, member)
        if not event.imsi or event.imsi == parts.imsi(ms, member) then
            target.event {
                nse_id = network.nse_of_nsei[nse.nsei].id, tlli = ms.tlli + member,
                cells = table.concat(cells), event = config,
            }
        end
    end)
end

function lab.happenings(cfg)
    for _, nse in ipairs(cfg.lab and cfg.nse or {}) do
        for _, bvc in ipairs(nse.bvc) do
            plans(nse, bvc)
        end
    end
    for _, constructor in ipairs(cfg.lab and lab_keys.events or {}) do
        for _, event in ipairs(cfg.lab[constructor.name]) do
            events(cfg, constructor, event)
        end
    end
    for _, profile in ipairs(cfg.lab and cfg.lab.tcp or {}) do
        target.tcp(lab_check.profile(profile))
    end
    for _, constructor in ipairs(cfg.lab and lab_keys.apps or {}) do
        for _, app in ipairs(cfg.lab[constructor.name]) do
            application(cfg, constructor, app)
        end
    end
end

local function nothing() end

if not target.nse then
    for name in next, lab do
        lab[name] = nothing
    end
    lab.context = nothing
end

return lab
