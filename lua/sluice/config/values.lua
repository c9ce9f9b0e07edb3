-- Checks one value against one key of the schema: returns the value in the machine's form, or a message
-- with the value found and the values allowed.
local addresses = require "sluice.base.addresses"
local allowed = require "sluice.config.allowed"
local ciphers = require "sluice.base.ciphers"
local lines = require "sluice.config.lines"
local nearest = require "sluice.base.nearest"
local shown = require "sluice.base.shown"
local sorted_keys = require "sluice.config.sorted_keys"
local typed = require "sluice.base.typed"
local units = require "sluice.base.units"

local values = {
    printable = shown.printable, plain = shown.plain, show = shown.show, -- in a message
    allowed = allowed, sorted_keys = sorted_keys,
}

local TEXT_MAX_OCTETS = shown.TEXT_MAX_OCTETS

-- A message hides the text of a wrong secret, too.
local function show_found(key, raw)
    if key.secret and type(raw) == "string" then
        return ("a text of %d characters"):format(#raw)
    end
    return key.secret and "no text" or values.show(raw)
end

-- hint: behind what is allowed.
local function refusal(key, raw, why, hint)
    local foreign = type(raw) == "string" and #raw <= TEXT_MAX_OCTETS and not key.secret and typed.found(raw)
    if foreign and raw:find("^[ -~]") then -- a quote that is not the first one has no place in a value
        foreign = foreign:gsub("; type [\"']$", "")
    end
    why = foreign and "with " .. foreign or why
    return nil, "found " .. show_found(key, raw) .. (why and " (" .. why .. ")" or "") .. ", allowed "
        .. values.allowed(key) .. (hint or "")
end

local function check_unit(key, raw)
    if key.none and raw == key.none then
        return 0
    elseif type(raw) == "number" then
        return refusal(key, raw, "no unit; units: " .. units.names(key.unit))
    elseif type(raw) ~= "string" then
        return refusal(key, raw)
    end
    local value, why, meant = units.parse(key.unit, raw)
    if not value then
        return refusal(key, raw, why, meant and '; did you mean "' .. meant .. '"?')
    elseif value < key.least_value or value > key.most_value then
        return refusal(key, raw)
    elseif key.step and value % key.step_value ~= 0 then
        return refusal(key, raw, "no multiple of " .. key.step)
    end
    return value
end

local function check_integer(key, raw)
    if key.none and raw == key.none then
        return 0
    end
    local value = type(raw) == "number" and math.tointeger(raw)
    if not value or value < key.least or value > key.most then
        return refusal(key, raw)
    end
    return value
end

local function check_choice(key, raw)
    for _, choice in ipairs(key.choices) do
        if choice == raw then
            return choice
        end
    end
    local words = type(raw) == "string" and type(key.choices[1]) == "string"
    local meant = words and nearest.find(raw, key.choices)
    local why = key.refused and key.refused[raw]
    if why then
        return refusal(key, raw, why)
    end
    return refusal(key, raw, nil, meant and '; did you mean "' .. meant .. '"?')
end

local function check_digits(key, raw)
    if type(raw) == "number" then
        return refusal(key, raw, "a number loses its leading zeros")
    elseif type(raw) ~= "string" or raw:find("%D") or #raw < key.least or #raw > key.most then
        return refusal(key, raw)
    end
    return raw
end

local function check_hex(key, raw)
    if type(raw) ~= "string" or raw:find("%X") or #raw < key.least or #raw > key.most then
        return refusal(key, raw)
    elseif #raw % 2 == 1 then
        return refusal(key, raw, "half an octet at the end")
    end
    return raw:lower()
end

local function check_word(key, raw)
    if type(raw) == "string" and #raw <= 64 and raw:find("^%w[%w._-]*$") then
        return raw
    end
    return refusal(key, raw)
end

local function check_path(key, raw)
    if type(raw) == "string" and #raw >= 1 and #raw <= 200 and not raw:find("[%c\127]") then
        return raw
    end
    return refusal(key, raw)
end

values.IPV4_LAST = 0xDFFFFFFF -- 223.255.255.255, the last unicast address
local IPV4_FIRST = 0x01000000

local function check_ipv4(key, raw)
    if type(raw) ~= "string" or not raw:find("^%d%d?%d?%.%d%d?%d?%.%d%d?%d?%.%d%d?%d?$") then
        return refusal(key, raw)
    end
    local number = addresses.ipv4_number(raw)
    if addresses.ipv4_text(number) ~= raw then -- 256 somewhere, or a leading zero
        return refusal(key, raw)
    elseif number < IPV4_FIRST or number > values.IPV4_LAST then
        return refusal(key, raw, "not unicast")
    end
    return raw
end

local function check_ipv6(key, raw)
    local text, groups = addresses.ipv6(type(raw) == "string" and raw or "")
    if not text then
        return refusal(key, raw)
    elseif not addresses.ipv6_is_host(groups) then
        return refusal(key, raw, "not unicast, or not a host's")
    end
    return text
end

-- Returns whether a table has least_items to most_items entries without a gap, and no keys. Stops at
-- the first entry too many.
local function is_list(t, least_items, most_items)
    local count = 0
    for key in next, t do
        count = count + (key ~= lines.MARK and 1 or 0)
        if count > most_items then
            return false
        end
    end
    for i = 1, count do
        if t[i] == nil then
            return false
        end
    end
    return count >= least_items
end

-- One address as text, or a list of some; a list of one is that one. family: the type of an item. A wrong
-- item is false, which is no address that another could be the same as.
local function check_list_of(check_one, family)
    return function(key, raw, complain)
        local item_key = { type = family, example = key.example }
        if type(raw) ~= "table" then
            return check_one(key, raw)
        elseif not is_list(raw, 1, key.most_items) then
            return nil, "found a table of another form, allowed " .. values.allowed(key)
        end
        local list = {}
        for i, item in ipairs(raw) do
            local value, text = check_one(item_key, item)
            if not value then
                complain(i, text)
            end
            list[i] = value or false
        end
        return #list > 1 and list or list[1]
    end
end

local function check_ip(key, raw)
    local ipv6 = type(raw) == "string" and addresses.is_ipv6(raw)
    return (ipv6 and check_ipv6 or check_ipv4)(key, raw)
end

-- The device before the arguments: a PCI address, or the name of a virtual driver with its number.
local DEVICE_FORMS = {
    "^%x%x%x%x:%x%x:%x%x%.%x$", "^%x%x:%x%x%.%x$", "^net_[%l_]+%d*$", "^eth_[%l_]+%d*$",
    "^virtio_user%d+$",
}

-- A NIC has one text: its address in lower case, with the domain.
local function check_device(key, raw)
    local name, arguments
    if type(raw) == "string" and #raw < TEXT_MAX_OCTETS and not raw:find("[^!-~]") then
        name, arguments = raw:match("^([^,]+)(.*)$")
    end
    for _, form in ipairs(name and DEVICE_FORMS or {}) do
        if name:find(form) and (name ~= "net_ring" or raw == name) then
            local pci = name:find(":", 1, true) and name:lower()
            return (pci and (#pci < #"0000:01:00.0" and "0000:" or "") .. pci or name) .. arguments
        end
    end
    return refusal(key, raw)
end

local function check_mac(key, raw)
    if type(raw) ~= "string" or not raw:find("^%x%x:%x%x:%x%x:%x%x:%x%x:%x%x$") then
        return refusal(key, raw)
    elseif tonumber(raw:sub(1, 2), 16) & 1 == 1 or not raw:find("[^0:]") then
        return refusal(key, raw, "not unicast")
    end
    return raw:lower()
end

local function check_sizes(key, raw, complain)
    if type(raw) ~= "table" then
        local value, text = check_unit(key, raw)
        return value and { value }, text
    end
    if not is_list(raw, 1, key.most_items) then
        return nil, "found a table of another form, allowed " .. values.allowed(key)
    end
    local list = {}
    for i, item in ipairs(raw) do
        local value, text = values.check(key.item, item)
        if not value then
            complain(i, text)
        end
        list[i] = value or key.least_value
    end
    return list
end

-- A list, or a single item (from --set) as a list; else nil and why not.
local function list_of(key, raw, item_type)
    if type(raw) == item_type then
        raw = { raw }
    end
    if type(raw) == "table" and is_list(raw, 1, key.most_items) then
        return raw
    end
    return nil, ("found %s, allowed %s"):format(
        type(raw) == "table" and "a table of another form" or values.show(raw),
        values.allowed(key))
end

local function check_integers(key, raw, complain)
    local items, why = list_of(key, raw, "number")
    if not items then
        return nil, why
    end
    local list = {}
    for i, item in ipairs(items) do
        local value = check_integer({ least = key.least, most = key.most, type = "integer" }, item)
        if not value then
            complain(i, ("found %s, allowed a whole number from %d to %d"):format(
                values.show(item), key.least, key.most))
        end
        list[i] = value or key.least
    end
    return list
end

-- An address, or a net: an address with its number of prefix bits.
local function check_net(item)
    if type(item) ~= "string" or #item > TEXT_MAX_OCTETS then
        return nil
    end
    local address, bits = item:match("^([^/]+)/(%d%d?%d?)$")
    address = address or item
    local most = addresses.is_ipv6(address) and 128 or 32
    local text = check_ip({ type = "ip", example = "192.0.2.1" }, address)
    if not text or tonumber(bits or most) > most then
        return nil
    end
    return bits and ("%s/%d"):format(text, tonumber(bits)) or text
end

-- MCC-MNC-LAC-RAC, without leading zeros in LAC and RAC.
local function check_area(item)
    local mcc, mnc, lac, rac = (type(item) == "string" and #item <= 32 and item or ""):match(
        "^(%d%d%d)%-(%d%d%d?)%-(%d+)%-(%d+)$")
    lac, rac = tonumber(lac), tonumber(rac)
    return lac and lac <= 0xFFFF and rac <= 0xFF and ("%s-%s-%d-%d"):format(mcc, mnc, lac, rac)
end

-- MCC-MNC, with an MNC of two digits or three.
local function check_network(item)
    return type(item) == "string" and #item <= 7 and item:find("^%d%d%d%-%d%d%d?$") and item
end

-- NSEI-BVCI, without leading zeros.
local function check_cell(item)
    local nsei, bvci = (type(item) == "string" and #item <= 16 and item or ""):match "^(%d+)%-(%d+)$"
    nsei, bvci = tonumber(nsei), tonumber(bvci)
    return nsei and nsei <= 0xFFFF and bvci <= 0xFFFF and ("%d-%d"):format(nsei, bvci)
end

-- A check for a list of texts: check_item returns the item's normal form or nil; form: the text of what
-- is allowed; stand_in: a valid item in place of a refused one.
local function check_texts(check_item, form, stand_in)
    return function(key, raw, complain)
        local items, why = list_of(key, raw, "string")
        local list = items and {}
        for i, item in ipairs(items or {}) do
            list[i] = check_item(item)
            if not list[i] then
                complain(i, ("found %s, allowed %s"):format(values.show(item), form))
                list[i] = stand_in
            end
        end
        return list, why
    end
end

local check_nets = check_texts(check_net,
    'a unicast IPv4 or IPv6 address, or a net such as "198.51.100.0/24"', "192.0.2.1")
local check_areas = check_texts(check_area,
    'a routeing area as MCC-MNC-LAC-RAC, such as "001-01-4660-52"', "001-01-0-0")

local check_networks = check_texts(check_network, 'a network as MCC-MNC, such as "001-01"', "001-01")
local check_ciphers = check_texts(function(item)
    return ciphers.number[item] and item
end, 'a cipher: "gea4", "gea3" or "none"', "none")
local check_cells = check_texts(check_cell, 'a cell as NSEI-BVCI, such as "101-2"', "")

-- A single one, which is no list.
local function check_one_area(key, raw)
    local area = check_area(raw)
    if area then
        return area
    end
    return refusal(key, raw)
end

local function check_setting(key, raw)
    if type(raw) == "string" and #raw <= 100 and raw:find("^[%w_%[%].*-]+$") then
        return raw
    end
    return refusal(key, raw)
end

local check_sets = check_texts(function(item)
    return type(item) == "string" and #item <= TEXT_MAX_OCTETS and item:find("^[^=]+=") and item
end, "KEY=VALUE, as for --set", "run.seed=1")

-- A value as --set has it, as text.
local check_settings = check_texts(function(item)
    local kind = math.type(item) or type(item)
    if kind == "float" then
        return ("%.14g"):format(item)
    end
    return (kind == "integer" or kind == "boolean" or kind == "string" and #item <= TEXT_MAX_OCTETS
        and item ~= "") and tostring(item)
end, "a text, a number, true or false", "1")

-- Words in the order of the choices, each once.
local function check_words(key, raw, complain)
    if type(raw) == "string" then -- from --set
        raw = { raw }
    end
    if type(raw) ~= "table" or not is_list(raw, 0, #key.choices) then
        return refusal(key, raw)
    end
    local given, list = {}, {}
    for i, item in ipairs(raw) do
        local word, text = check_choice({ type = "choice", choices = key.choices }, item)
        if not word then
            complain(i, text)
        end
        given[word or ""] = true
    end
    for _, choice in ipairs(key.choices) do
        list[#list + 1] = given[choice] and choice or nil
    end
    return list
end

local function check_switch(key, raw)
    if type(raw) == "boolean" then
        return raw
    end
    return refusal(key, raw)
end

-- In the order of enum aqm_level_unit.
local LEVEL_KINDS = { "time", "size", "packets" }

-- A table { kind, unit, value }: the unit as the dataplane numbers it.
local function check_level(key, raw)
    if type(raw) ~= "string" then
        return refusal(key, raw, type(raw) == "number" and "no unit" or nil)
    end
    for place, kind in ipairs(LEVEL_KINDS) do
        local value = units.parse(kind, raw)
        if value and value >= key.least and value <= key.most then
            return { kind = kind, unit = place - 1, value = value }
        end
    end
    return refusal(key, raw)
end

-- Name and value of a key in the printed form: a level's name ends with its unit; a secret's value is
-- "hidden" unless `secrets`.
function values.shown(key, value, secrets)
    if key.type == "level" then
        return key.out .. units.kinds[value.kind].suffix, value.value
    end
    return key.out, key.secret and not secrets and "hidden" or value
end

local checks = {
    word = check_word, choice = check_choice, integer = check_integer, digits = check_digits,
    hex = check_hex, ipv4 = check_ipv4, ipv6 = check_ipv6, ip = check_ip, device = check_device,
    mac = check_mac, time = check_unit, rate = check_unit, size = check_unit,
    integers = check_integers, nets = check_nets, areas = check_areas, cells = check_cells,
    networks = check_networks, ciphers = check_ciphers, area = check_one_area, sizes = check_sizes,
    ipv4s = check_list_of(check_ipv4, "ipv4"), ipv6s = check_list_of(check_ipv6, "ipv6"),
    probability = check_unit, share = check_unit, switch = check_switch,
    level = check_level, path = check_path, words = check_words, setting = check_setting,
    sets = check_sets, settings = check_settings,
}

-- Returns the value in the machine's form; else nil and the message. A mistake in one item of a list
-- goes to complain(item, text), and a valid item replaces the wrong one.
function values.check(key, raw, complain)
    if type(raw) == "string" and #raw > TEXT_MAX_OCTETS then
        return refusal(key, raw)
    end
    return checks[key.type](key, raw, complain)
end

return values
