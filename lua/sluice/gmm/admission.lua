-- Which IMSIs may attach: those of phone { } in the configuration in force, and with attach { who = "open" } those
-- of its networks.
local bisect = require "sluice.base.bisect"
local ciphers = require "sluice.base.ciphers"
local hex = require "sluice.base.hex"
local network = require "sluice.core.network"
local schema = require "sluice.schema.schema"
local values = require "sluice.config.values"

local admission = {}

-- The records of phone { } by length of IMSI, sorted; made again after each reload.
local of_list, spans

local function number_of(phone)
    return math.tointeger(tonumber(phone.imsi))
end

local function spans_in_force()
    if of_list ~= network.cfg.phone then
        of_list, spans = network.cfg.phone, {}
        for _, phone in ipairs(of_list) do
            spans[#phone.imsi] = spans[#phone.imsi] or {}
            table.insert(spans[#phone.imsi], phone)
        end
        for length = 1, 15 do
            table.sort(spans[length] or {}, function(a, b)
                return a.imsi < b.imsi
            end)
        end
    end
    return spans
end

local function listed(imsi)
    local list, number = spans_in_force()[#imsi] or {}, math.tointeger(tonumber(imsi))
    local phone = list[bisect(list, number_of, number)]
    return phone and number < number_of(phone) + phone.count and phone
end

-- What a phone without a phone { } has: the defaults.
local anyone = {}
for _, key in ipairs(schema.constructor.phone.keys) do
    if key.default ~= nil then
        anyone[key.out] = values.check(key, key.default)
    end
end

local function is_of(networks, imsi)
    for _, name in ipairs(networks) do
        local digits = name:gsub("-", "")
        if imsi:sub(1, #digits) == digits then
            return true
        end
    end
    return false
end

-- What of a phone { } the phone with that IMSI has, and the keys of its card as octets, nil without any.
local function given_by(phone, imsi)
    return {
        class = phone.class, n201_u_octets = phone.n201_u_octets, send_imsi = phone.send_imsi,
        card = phone.k and {
            k = ciphers.key(phone.k, math.tointeger(tonumber(imsi)) - number_of(phone)), opc = hex.octets(phone.opc),
        },
    }
end

-- The network of an IMSI, as MCC-MNC: its MNC has as many digits as that of a cell of the same country; else 2.
local function network_of(imsi, cell)
    local mcc = imsi:sub(1, 3)
    local digits = cell and ("%03d"):format(cell.mcc) == mcc and cell.mnc_digits or 2
    return mcc .. "-" .. imsi:sub(4, 3 + digits)
end

-- What the phone with that IMSI has, as given_by; or nil and what to do about it. cell: where it is, if that is known.
function admission.of(imsi, cell)
    local attach = network.cfg.attach
    local phone = listed(imsi)
    if phone then
        return given_by(phone, imsi)
    elseif attach.who == "open" and is_of(attach.networks, imsi) then
        return given_by(anyone, imsi)
    elseif attach.who == "open" then
        return nil, ("its network is not among attach.networks, %s; add it, or a phone { imsi = %q }"):format(
            table.concat(attach.networks, ", "), imsi)
    end
    return nil, ("no phone { } has it; add phone { imsi = %q }, or attach { who = \"open\", networks = { %q } }")
        :format(imsi, network_of(imsi, cell))
end

return admission
