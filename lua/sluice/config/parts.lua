-- Functions over the normalised configuration for setup.lua, start.lua and the procedures.
local addresses = require "sluice.base.addresses"
local breath = require "sluice.base.breath"
local ciphers = require "sluice.base.ciphers"
local hex = require "sluice.base.hex"
local session_keys = require "sluice.schema.session_keys"
local wire = require "wire"

local parts = {}

-- The cells of the file by "NSEI-BVCI"; one whose number was refused is not there.
function parts.cells_of(cfg)
    local cells = {}
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            if nse.nsei and bvc.bvci then
                cells[("%d-%d"):format(nse.nsei, bvc.bvci)] = bvc
            end
        end
    end
    return cells
end

-- Calls visit(nse, bvc, ms, member) for each MS, member from 0.
function parts.each_ms(cfg, visit)
    for _, nse in breath.each(cfg.nse) do
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                for member = 0, ms.count - 1 do
                    visit(nse, bvc, ms, member)
                end
            end
        end
    end
end

-- Calls visit(nse, bvc, ms, pdp, member) for each PDP context of each MS.
function parts.each_pdp(cfg, visit)
    parts.each_ms(cfg, function(nse, bvc, ms, member)
        for _, pdp in ipairs(ms.pdp) do
            visit(nse, bvc, ms, pdp, member)
        end
    end)
end

-- Calls visit(ms, pdp) for each pdp { } of the file, whatever the count of its ms { }.
function parts.each_pdp_block(cfg, visit)
    for _, nse in ipairs(cfg.nse) do
        for _, bvc in ipairs(nse.bvc) do
            for _, ms in ipairs(bvc.ms) do
                for _, pdp in ipairs(ms.pdp) do
                    visit(ms, pdp)
                end
            end
        end
    end
end

-- The class of the context that a phone of the lab asks for: what it has subscribed, of the default APN. nil: it has
-- none, or is not in the lab.
function parts.phone_class(cfg, phone)
    for _, apn in ipairs(phone.cell and cfg.apn or {}) do
        if apn.default then
            return apn.class == session_keys.BY_QOS and phone.class or apn.class
        end
    end
end

-- Contexts of an MS with the same key are one packet flow: the same class, and the same PFI or none.
function parts.pfc_key(pdp)
    return pdp.pfi and pdp.class .. "/" .. pdp.pfi or pdp.class
end

-- Packet flows of an MS with the same key share a bucket.
function parts.bucket_key(pfc)
    return pfc.pfi or pfc.class
end

-- The packet flows of an ms record: the slot of each pfc_key in the order of the contexts, and the
-- list of PFCs by slot, each { slot, class, pfi, rate_bit_per_s, bucket_octets }. kept, which may be
-- nil: the slots that PFCs have already.
function parts.slots_of(ms, kept)
    local slots, list, taken = {}, {}, {}
    for _, pdp in ipairs(ms.pdp) do
        local key = parts.pfc_key(pdp)
        slots[key] = kept and kept[key]
        taken[slots[key] or -1] = true
    end
    local free, pfc_of = 0, {}
    for _, pdp in ipairs(ms.pdp) do
        local key = parts.pfc_key(pdp)
        while not slots[key] and taken[free] do
            free = free + 1
        end
        slots[key] = slots[key] or free
        taken[slots[key]] = true
        local pfc = pfc_of[key] or { slot = slots[key], class = pdp.class, pfi = pdp.pfi }
        if not pfc_of[key] then
            pfc_of[key], list[#list + 1] = pfc, pfc
        end
        pfc.rate_bit_per_s = pfc.rate_bit_per_s or pdp.rate_bit_per_s
        pfc.bucket_octets = pfc.bucket_octets or pdp.bucket_octets
    end
    table.sort(list, function(a, b)
        return a.slot < b.slot
    end)
    return slots, list
end

-- The buckets of such a list of PFCs: PFCs with one PFI share a bucket, also of several classes (TS
-- 48.018 8.2.3.2). By slot, each { key, slot, slots, rate_bit_per_s, bucket_octets }: the PFI or the
-- class, the first slot with the bucket, all its slots as bits, the file's values if given.
function parts.buckets_of(list)
    local buckets, of_key = {}, {}
    for _, pfc in ipairs(list) do
        local key = parts.bucket_key(pfc)
        local bucket = of_key[key]
        if not bucket then
            bucket = { key = key, slot = pfc.slot, slots = 0 }
            buckets[#buckets + 1], of_key[key] = bucket, bucket
        end
        bucket.slots = bucket.slots | 1 << pfc.slot
        bucket.rate_bit_per_s = bucket.rate_bit_per_s or pfc.rate_bit_per_s
        bucket.bucket_octets = bucket.bucket_octets or pfc.bucket_octets
    end
    return buckets
end

-- IMSIs count up and keep their length.
function parts.imsi(ms, member)
    return ("%0" .. #ms.imsi .. "d"):format(math.tointeger(tonumber(ms.imsi)) + member)
end

function parts.copy(record)
    local made = {}
    for key, value in next, record do
        made[key] = value
    end
    return made
end

-- Returns whether two records differ in one of the keys `names`.
function parts.differ(a, b, names)
    for _, name in ipairs(names) do
        if a[name] ~= b[name] then
            return true
        end
    end
    return false
end

local function count_up(ms, by)
    ms.imsi, ms.tlli = parts.imsi(ms, by), ms.tlli and ms.tlli + by
    ms.key = ms.key and hex.digits(ciphers.key(ms.key, by))
    for _, pdp in ipairs(ms.pdp) do
        pdp.address = addresses.ipv4_text(addresses.ipv4_number(pdp.address) + by)
        pdp.ggsn_teid = pdp.ggsn_teid and pdp.ggsn_teid + by
    end
end

-- The ms record of n members of another record, from member `from` on.
function parts.slice(ms, from, n)
    local slice = parts.copy(ms)
    slice.count, slice.pdp = n, {}
    for j, pdp in ipairs(ms.pdp) do
        slice.pdp[j] = parts.copy(pdp)
    end
    if from > 0 then -- nothing counts up from the first member, which is the only one of a phone's record
        count_up(slice, from)
    end
    return slice
end

-- ---- Optional elements of DL-UNITDATA ----

function parts.has_options(ms)
    return ms.send_imsi or ms.ra_capability ~= nil or ms.drx ~= nil or ms.priority ~= nil
end

-- The fields of the command ms_options and of the PDU.
function parts.options(ms, member)
    return {
        drx = ms.drx, priority = ms.priority,
        ra_capability = ms.ra_capability and hex.octets(ms.ra_capability),
        imsi = ms.send_imsi and ms.imsi and parts.imsi(ms, member) or nil,
    }
end

local function unitdata_octets(options)
    options.tlli, options.lifetime_ms, options.llc_pdu = 0, 0, "-"
    options.qos = {
        peak_bit_per_s = 0, not_ack = true, user_data = true, rlc_unack = false, precedence = 1,
    }
    return #wire.bssgp_dl_unitdata.encode(options)
end

local PLAIN_OCTETS = unitdata_octets {}

-- All values that decide the octets of the options, as one number.
local function shape(ms)
    return (ms.send_imsi and ms.imsi and #ms.imsi or 0) | #(ms.ra_capability or "") << 8
        | (ms.drx and 1 or 0) << 16 | (ms.priority and 1 or 0) << 17
end

local octets_of_shape = {} -- a cache: the encoder is too slow for a hundred thousand records

-- The octets of the options of each MS of the record; their IMSIs have one length.
function parts.options_octets(ms)
    local key = shape(ms)
    local octets = octets_of_shape[key] or unitdata_octets(parts.options(ms, 0)) - PLAIN_OCTETS
    octets_of_shape[key] = octets
    return octets
end

-- ---- Addresses: one as text, or a list of several ----

function parts.first(one_or_list)
    if type(one_or_list) == "table" then
        return one_or_list[1] -- false: it is no address
    end
    return one_or_list
end

function parts.has(one_or_list, address)
    for _, item in ipairs(type(one_or_list) == "table" and one_or_list or { one_or_list }) do
        if item == address then
            return true
        end
    end
    return false
end

-- ---- Values in the form of commands ----

-- An address of either family: IPv4 as ::ffff:a.b.c.d.
function parts.address(text)
    return addresses.is_ipv6(text) and text or "::ffff:" .. text
end

-- The command gn_from: the addresses that may send G-PDUs besides the contexts' GGSNs.
function parts.gn_from(cfg)
    local nets = {}
    for _, text in ipairs(cfg.gn.from or {}) do
        local address, bits = text:match("^([^/]+)/?(%d*)$")
        local ipv4 = not addresses.is_ipv6(address)
        nets[#nets + 1] = {
            address = parts.address(address),
            prefix = (ipv4 and 96 or 0) + (tonumber(bits) or ipv4 and 32 or 128),
        }
    end
    if cfg.lab and cfg.lab.ggsn then
        nets[#nets + 1] = { address = parts.address(cfg.lab.ggsn), prefix = 128 }
    end
    return { nets = nets }
end

-- Commands have rates in the wire's unit, 100 bit/s.
local function hundreds(bit_per_s)
    return bit_per_s and bit_per_s // 100
end

-- Adds a bucket to a command; a bucket without a rate does not limit.
function parts.bucket(command, record, prefix)
    command[prefix .. "rate_100_bit_per_s"] = hundreds(record[prefix .. "rate_bit_per_s"])
    command[prefix .. "bucket_octets"] = record[prefix .. "bucket_octets"] or 0
    return command
end

-- Whole numbers as so many octets each, network order.
function parts.packed(numbers, octets)
    local packed = {}
    for i, number in ipairs(numbers) do
        packed[i] = string.pack(">I" .. octets, number)
    end
    return table.concat(packed)
end

-- Returns whether an application of the lab runs in the context.
function parts.wants(traffic, ms, pdp, member)
    -- IMSIs of different lengths are different, even with the same number
    return pdp.class == traffic.class and (not traffic.imsi or #traffic.imsi == #ms.imsi
        and tonumber(traffic.imsi) == tonumber(ms.imsi) + member)
end

return parts
