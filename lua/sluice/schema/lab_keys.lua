-- The part of the schema that says what is around the SGSN in a simulated run: the hosts and their
-- applications, lines, BSSs, cells and radios. The lab describes its own keys (lab/lab_lists.c). See
-- schema.lua.
local classes = require "classes"
local described = require "sluice.schema.described"
local fields = require "fields"
local lab_apps = require "lab_apps"
local network = require "sluice.schema.network_keys"
local tcp_profiles = require "tcp_profiles"

local lab = {}

lab.HOST = "203.0.113.9" -- of all applications; a documentation address (RFC 5737)

-- The keys that the list of C has under `of`. A number that may be 0 besides its range has a word for it.
local function keys_of(list, of)
    local keys = described.list(fields[list], of)
    for _, key in ipairs(keys) do
        if key.type == "integer" and key.field.key.zero then
            key.none = key.field.key.zero
            key.default, key.optional = key.default or key.none, nil
        end
    end
    return keys
end

-- A block with the keys that the list of C has under `of`, at most once in its parent.
local function block(name, list, of, help, children)
    return {
        name = name, min = 0, max = 1, single = true, help = help, list = list, children = children,
        keys = keys_of(list, of),
    }
end

-- The same, any number of times and with further keys in front.
local function blocks(name, list, of, help, keys)
    local more = keys_of(list, of)
    table.move(more, 1, #more, #keys + 1, keys)
    return { name = name, min = 0, help = help, list = list, keys = keys }
end

-- What a record does not give of the keys that C describes is another one's.
local function inherit(constructor, default_help)
    for _, key in ipairs(constructor.keys) do
        if key.field then
            key.default, key.optional, key.default_help = nil, true, default_help
        end
    end
end

local function imsi_key(default_help, help)
    return {
        name = "imsi", type = "digits", least = 6, most = 15, example = "001010000000001",
        optional = true, default_help = default_help, help = help,
    }
end

-- ---- Inside bvc { } ----

lab.plan = blocks("plan", "plan", "plan", "what happens to the cell's radio at a given time", {
    imsi_key("none: it meets the cell", "the MS that it meets, with loss, up-loss and ms-call"),
})
lab.radio = block("radio", "radio", "radio",
    "the cell's radio, in the lab; without it LLC PDUs reach an MS at once or at buffer.rate",
    { lab.plan })
table.insert(lab.radio.keys, {
    name = "trace", type = "path", optional = true, default_help = "none: down_rate",
    example = "cell.csv",
    help = "a file with the downlink's rate over time, relative to this file's folder, with down_coding ="
        .. ' "rate": lines TIME,RATE in s and bit/s, or Mahimahi\'s, a time in ms for each 1504 octets',
})

-- What an MS may have of its own: keys of each way, as radio_own of lab/radio/radio.h has them.
local OF_AN_MS = {}
for _, key in ipairs { "coding", "slots", "bler", "window", "setup", "setup_beside", "release" } do
    OF_AN_MS["down_" .. key], OF_AN_MS["up_" .. key] = true, true
end

-- A radio { } for each block that may have one.
function lab.own_radio()
    local radio = block("radio", "radio", "radio", "an MS's own radio, over the same keys of its cell, in the lab")
    local all = radio.keys
    radio.keys = {}
    for _, key in ipairs(all) do
        radio.keys[#radio.keys + 1] = OF_AN_MS[key.name] and key
        if key.name:find "_coding$" then
            described.refuse(key, "rate", "a rate is of a whole cell")
            key.help = key.help:match "^[^;]+"
        end
    end
    inherit(radio, "the cell's")
    table.insert(radio.keys, {
        name = "trace", type = "path", optional = true, default_help = "none: down_coding and down_bler",
        example = "walk.csv",
        help = "a file with the downlink's coding scheme and errors over time, relative to this file's folder: a first line"
            .. " time,down_coding,down_bler, and lines such as 12.5,MCS-6,5 %",
    })
    return radio
end

lab.buffer = block("buffer", "cell", "buffer", "the BSC's buffers of the cell, in the lab")
lab.codel = block("codel", "cell", "codel", "CoDel in the BSC's buffers of the cell, in the lab")
lab.flow = block("flow", "cell", "flow", "the BSS's flow control of the cell, in the lab")
table.insert(lab.flow.keys, {
    name = "trace", type = "path", optional = true, default_help = "none: as the other keys say",
    example = "cell.flow.csv",
    help = "a file with the buckets of the cell and its MSs over time, as sluice audit --scenario writes it, relative"
        .. " to this file's folder",
})
lab.of_bvc = { lab.radio, lab.buffer, lab.codel, lab.flow }

-- What a BVC-RESET has of the cell.
lab.AREA = "001-01-1-1"
lab.bvc_keys = {
    {
        name = "area", type = "area", optional = true, example = "001-01-4660-52",
        default_help = "in the lab the first of the NSE's areas, else " .. lab.AREA,
        help = "the cell's routeing area, which the BSS of the lab tells",
    },
    {
        name = "ci", type = "integer", least = 0, most = 65535, optional = true,
        default_help = "in the lab the BVCI", help = "the cell identity, which the BSS of the lab tells",
    },
}

-- ---- Inside nse { } ----

lab.endpoint = {
    name = "endpoint", min = 0, max = network.NSVCS_AN_NSE,
    help = 'an endpoint that the BSS brings itself, with ns = "sns" or dynamic = true',
    keys = {
        network.ip("address", "the BSS's address"), network.udp_port("port", "the BSS's UDP port"),
        {
            name = "mac", type = "mac", example = "02:53:4c:00:01:01",
            help = "the BSS's MAC address",
        },
        {
            name = "nsvci", type = "integer", least = 0, most = 65535, optional = true,
            default_help = "none; dynamic = true needs one", help = "the NSVCI of its NS-RESET",
        },
        {
            name = "weight", type = "integer", least = 1, most = 255, default = 1,
            help = "its weights in SNS-CONFIG, for signalling and data",
        },
    },
}
lab.bss = block("bss", "bss", "bss", "how the BSS behaves, in the lab", { lab.endpoint })
lab.line = block("line", "link", "link",
    "the line between the SGSN and each NS-VC of the BSS, in the lab, each way")
lab.of_nse = { lab.bss, lab.line }

-- ---- Inside lab { } ----

local gi = block("gi", "link", "link", "the line between the hosts and the GGSN, each way")
local cake = block("cake", "cake", "cake",
    "CAKE before the GGSN, down: shapers, a queue for each flow, COBALT with ECN")
local mobile = block("mobile", "mobile", "ms", "settings of all MSs")

lab.profiles, lab.mss_octets = {}, {}
for i, profile in ipairs(tcp_profiles) do
    lab.profiles[i], lab.mss_octets[profile.name] = profile.name, profile.most
end
lab.USUAL_TCP = "linux"

lab.tcp = blocks("tcp", "tcp", "tcp", "a TCP profile, for host_tcp and ms_tcp", {
    { name = "name", type = "word", example = "era", help = "the name of the profile" },
    {
        name = "base", type = "choice", choices = lab.profiles, default = lab.USUAL_TCP,
        help = "the built-in profile that it changes",
    },
})
inherit(lab.tcp, "as in the base")

-- ---- Applications ----

-- The contexts that an application runs in.
local function who_keys()
    return {
        {
            name = "class", type = "choice", choices = classes, example = "background",
            help = "one in every PDP context of this class",
        },
        imsi_key("every MS", "in this MS only"),
    }
end

local function tcp_key(name, whose)
    return {
        name = name, type = "word", default = lab.USUAL_TCP,
        help = "the TCP profile of " .. whose .. ": " .. table.concat(lab.profiles, ", ")
            .. ", or a tcp { } of the file",
    }
end

-- Keys whose values are of types that C does not describe.
local ALSO = {
    traffic = {
        {
            name = "size", type = "sizes", least = "32 octets", most = "1500 octets",
            most_items = 32, example = "576 octets",
            help = "size of the inner IP packet; from a list, each packet draws one",
        },
    },
    replay = {
        {
            name = "file", type = "path", example = "busy_hour.pcap",
            help = "the capture with the gaps and sizes, or with a flow the file of packets, relative"
                .. " to this file's",
        },
    },
    dialogue = {
        {
            name = "file", type = "path", example = "users.csv",
            help = "the file of connection vectors, as sluice gi --scenario writes it, relative to this file's",
        },
        tcp_key("host_tcp", "the host"), tcp_key("ms_tcp", "the MS"),
    },
    ftp = { tcp_key("host_tcp", "the host"), tcp_key("ms_tcp", "the MS") },
    http = {
        tcp_key("host_tcp", "the host"), tcp_key("ms_tcp", "the MS"),
        {
            name = "objects", type = "sizes", least = "1 octets", most = "1000000 kB",
            most_items = 256, example = "12 kB", optional = true,
            default_help = "none: as the keys of embedded say",
            help = "sizes of the objects of every page, asked for in turn behind the main one, in"
                .. " place of embedded and its keys",
        },
    },
}

lab.apps = {}
for i, app in ipairs(lab_apps) do
    local keys, more = who_keys(), ALSO[app.name] or {}
    table.move(more, 1, #more, #keys + 1, keys)
    lab.apps[i] = blocks(app.name, app.name, app.name, app.help, keys)
    lab.apps[i].app = i - 1
end

-- ---- What MSs do ----

-- A block of events. without: the key of C's list that it does not have.
local function events(name, without, help, keys)
    table.insert(keys, 1, imsi_key("every MS", "this MS only"))
    local block_of = blocks(name, "event", "event", help, keys)
    for i, key in ipairs(block_of.keys) do
        if key.name == without then
            table.remove(block_of.keys, i)
        end
    end
    return block_of
end

lab.events = {
    events("move", "lasts", "an MS changes its cell", {
        {
            name = "cells", type = "cells", most_items = 64, example = '{ "101-2", "102-2" }',
            help = "where it goes, as NSEI-BVCI: to one of them each time, in turns",
        },
    }),
    events("suspend", nil, "an MS has a call, SUSPEND to RESUME, and neither gets nor sends packets", {}),
    events("away", nil, "an MS is out of reach: it neither gets nor sends packets, nor answers a page", {}),
}
for i, constructor in ipairs(lab.events) do
    constructor.event = i - 1 -- enum lab_event_kind
end

lab.children = { gi, cake, mobile, lab.tcp }
table.move(lab.events, 1, #lab.events, #lab.children + 1, lab.children)
table.move(lab.apps, 1, #lab.apps, #lab.children + 1, lab.children)

return lab
