-- The configuration language, declared once: every constructor and key with its type, range, default
-- and meaning. The checks, the normalised form, `sluice check` and the help read these tables.
--
-- A constructor: min and max are its number in its parent; single makes an object of it in the
-- normalised form, else an array; filled is its value if absent; variants are constructors with other
-- keys, chosen by its key `name`; chosen_by says how the command line chooses in it, for --set does not. A key: type is one of values.lua; least and most are written as in a
-- configuration; a key without default and optional is required; default_help is the text of a computed
-- default; a secret is hidden unless asked for. The name in the normalised form, out, has the machine's
-- unit and is derived below.
local attach = require "sluice.schema.attach_keys"
local ciphers = require "sluice.base.ciphers"
local gb = require "sluice.schema.gb_keys"
local lab = require "sluice.schema.lab_keys"
local network = require "sluice.schema.network_keys"
local queues = require "sluice.schema.queues_keys"
local session = require "sluice.schema.session_keys"
local units = require "sluice.base.units"
local variants = require "sluice.schema.variants_keys"

local schema = {}

schema.classes = require "classes" -- from dataplane/base/classes.def

local function class(name, help)
    return {
        name = name, type = "choice", choices = schema.classes, example = "background", help = help,
    }
end

local IMSI_DIGITS = "001010000000001"

local pdp = {
    name = "pdp", min = 0, help = "a PDP context, type IPv4, of each MS of its ms { }",
    keys = {
        { name = "nsapi", type = "integer", least = 5, most = 15, help = "NSAPI" },
        {
            name = "sapi", type = "choice", choices = { 3, 5, 9, 11 }, default = 3,
            help = "the LLC SAPI of the context",
        },
        class("class", "the context's traffic class"),
        {
            name = "address", type = "ipv4", example = "10.0.0.1",
            help = "the address of the first MS; addresses count up from MS to MS",
        },
        {
            name = "ggsn", type = "word", example = "ggsn1", optional = true,
            default_help = "the only GGSN, if there is a ggsn_teid",
            help = "the name of the GGSN for the context's uplink",
        },
        {
            name = "ggsn_teid", type = "integer", least = 0, most = 0xFFFFFFFF, hex = true,
            optional = true, default_help = "none: no uplink",
            help = "the GGSN's TEID for the first MS; TEIDs count up from MS to MS",
        },
        {
            name = "pfi", type = "integer", least = 0, most = 127, optional = true,
            default_help = "none",
            help = "PFI of the context's packet flow in DL-UNITDATA, as agreed with the BSS",
        },
        queues.rate("", "its packet flow's", "limited by its MS alone"), queues.bucket("", "that"),
    },
}

local ms = {
    name = "ms", min = 0, children = { pdp, lab.own_radio() },
    help = "one MS, or `count` of them with running numbers",
    keys = {
        {
            name = "imsi", type = "digits", least = 6, most = 15, example = IMSI_DIGITS,
            help = "IMSI of the first MS",
        },
        {
            name = "count", type = "integer", least = 1, most = 1000000, default = 1,
            help = "the number of MSs; IMSI, TLLI and addresses count up by one",
        },
        {
            name = "tlli", type = "integer", least = 0, most = 0xFFFFFFFE, hex = true,
            optional = true, default_help = "0xC0000000 + number of MSs before it in the file",
            help = "TLLI of the first MS; local TLLIs begin at 0xC0000000",
        },
        {
            name = "n201_u", type = "size", least = "140 octets", most = "1520 octets",
            default = "500 octets",
            help = "N201-U, the longest LLC UI information field; agreed by XID unless ns = \"manual\"",
        },
        {
            name = "cipher", type = "choice", choices = ciphers.names, refused = ciphers.refused,
            default = "none", help = "the cipher of the MS's LLC frames",
        },
        {
            name = "key", type = "hex", least = 16, most = 32, optional = true,
            default_help = "none", secret = true,
            example = "000102030405060708090a0b0c0d0e0f",
            help = "Kc of the first MS, Kc128 for gea4; the last 32 bits count up from MS to MS",
        },
        {
            name = "iov_ui", type = "integer", least = 0, most = 0xFFFFFFFF, hex = true,
            default = 0, help = "IOV-UI, the offset of the cipher's INPUT, the same for all MSs",
        },
        {
            name = "ra_capability", type = "hex", least = 2, most = 96, optional = true,
            default_help = "none", example = "12d3c20400",
            help = "MS radio access capability in DL-UNITDATA, its value part",
        },
        {
            name = "drx", type = "integer", least = 0, most = 0xFFFF, hex = true, optional = true,
            default_help = "none", help = "DRX parameters in DL-UNITDATA",
        },
        {
            name = "priority", type = "integer", least = 0, most = 255, optional = true,
            default_help = "none", help = "priority in DL-UNITDATA, the octet on the wire",
        },
        {
            name = "send_imsi", type = "switch", default = true,
            help = "whether DL-UNITDATA has the IMSI; without it a BSS may page in group 0",
        },
        queues.rate("", "the MS's own", "ms_rate of its cell"), queues.bucket("", "that"),
    },
}

local bvc = {
    name = "bvc", min = 0, children = { ms, table.unpack(lab.of_bvc) }, help = "a BVC: one cell",
    keys = {
        {
            name = "bvci", type = "integer", least = 2, most = 65534, help = "BVCI",
            note = "0 is reserved for signalling and 1 for point-to-multipoint",
        },
        -- These hold with ns = "manual", or until the first FLOW-CONTROL-BVC.
        queues.rate("", "the cell's", "not limited"), queues.bucket("", "that"),
        queues.rate("ms_", "each of its MSs'", "not limited"), queues.bucket("ms_", "that"),
        table.unpack(lab.bvc_keys),
    },
}

local nse = {
    name = "nse", min = 1, children = { network.nsvc, bvc, table.unpack(lab.of_nse) }, help = "an NSE: a BSS behind Gb",
    keys = gb.nse_keys {
        { name = "nsei", type = "integer", least = 0, most = 65535, help = "NSEI" },
        {
            name = "rate", type = "rate", least = "100 bit/s", most = "6553 Mbit/s",
            step = "100 bit/s", optional = true, default_help = "not limited",
            example = "256 kbit/s", help = "rate of the pipe to the BSS, in octets of IP packets",
        },
        queues.bucket("", "the pipe's"),
    },
}

local lab_block = {
    name = "lab", min = 0, max = 1, single = true, children = lab.children,
    help = "a simulated network around the SGSN: hosts, a GGSN, Gb, and a BSS for each NSE",
    keys = {
        network.ip("ggsn", "the GGSN's address"),
        {
            name = "ggsn_mac", type = "mac", example = "02:53:4c:00:02:01",
            help = "the GGSN's MAC address",
        },
        {
            name = "gb_rate", type = "rate", least = "100 bit/s", most = "100000 Mbit/s",
            none = "unlimited", default = "unlimited", example = "64 kbit/s",
            help = "the rate of the Gb line",
        },
        {
            name = "step", type = "time", least = "1 ms", most = "1440 min", none = "none",
            default = "1 s", help = "the step of the time series",
        },
        {
            name = "passive", type = "switch", default = false,
            help = "whether TCP is measured on Gn, as sluice gi does on a capture: gi_flows.csv,"
                .. " gi_tables.csv, gi_bins.csv",
        },
    },
}

local phone_class = class("class",
    "the traffic class of its contexts: the best that it may ask for, and what it gets if it asks for none")
phone_class.default = "background"

local phone = attach.phone(phone_class)
phone.children = { lab.own_radio() }

schema.top = {
    network.run, network.gn, network.gb, gb.timers, gb.room, gb.log, gb.policy, queues.class,
    queues.queue, network.ggsn, session.apn, attach.block, phone, nse, lab_block,
    variants.variants, variants.sweep,
}

local function complete_key(key)
    local kind = key.type == "sizes" and "size" or key.type
    local unit = units.kinds[kind]
    key.out = key.name
    if unit then
        key.unit = kind
        key.out = key.name:find("octets$") and key.name or key.name .. unit.suffix
        key.item = key.type == "sizes" and setmetatable({ type = "size" }, { __index = key })
        key.least_value, key.most_value = units.parse(kind, key.least), units.parse(kind, key.most)
        key.step_value = key.step and units.parse(kind, key.step)
    end
end

local function times_text(constructor)
    if constructor.max and constructor.max > 1 then
        return constructor.min .. " to " .. constructor.max
    elseif constructor.min == 1 then
        return constructor.max and "exactly one" or "one or more"
    end
    return constructor.max and "at most one" or "any number"
end

local function complete_keys(constructor)
    constructor.key, constructor.key_names = {}, {}
    for i, key in ipairs(constructor.keys) do
        complete_key(key)
        constructor.key[key.name] = key
        constructor.key_names[i] = key.name
    end
end

local function complete_variants(constructor)
    for _, variant in ipairs(constructor.variants or {}) do
        variant.parent, variant.children, variant.child = constructor.parent, {}, {}
        complete_keys(variant)
        constructor.variants[variant.choice] = variant
    end
end

-- Derives: out of keys, key and child by name, parent, home and times as text, and the constructors of
-- all levels by name. Of several of one name the last is meant: axes differ in their number only, and of radios it is
-- the cell's.
local function complete(constructor, parent)
    local other = schema.constructor[constructor.name]
    constructor.parent, constructor.times = parent, times_text(constructor)
    constructor.home = parent and (other and other.home .. " or " or "") .. parent.name
    constructor.children, constructor.child = constructor.children or {}, {}
    complete_keys(constructor)
    complete_variants(constructor)
    schema.constructor[constructor.name] = constructor
    schema.names[#schema.names + 1] = not other and constructor.name or nil
    for _, child in ipairs(constructor.children) do
        constructor.child[child.name] = child
        complete(child, constructor)
    end
end

-- The constructor with the keys of a table: aqm { } has the keys of the discipline in its `name`.
function schema.of(constructor, given)
    local name = given.name
    return constructor.variants and type(name) == "string" and constructor.variants[name]
        or constructor
end

schema.constructor, schema.names = {}, {}
for _, constructor in ipairs(schema.top) do
    complete(constructor, nil)
end

return schema
