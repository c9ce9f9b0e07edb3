-- Checks what a file says of the simulated network against its other parts, and each block's values
-- against each other. See cross.lua.
local addresses = require "sluice.base.addresses"
local check = require "sluice.config.check"
local described = require "sluice.schema.described"
local faults = require "faults"
local lab_events = require "sluice.config.lab_events_check"
local lab_faults = require "sluice.config.lab_faults"
local lab_keys = require "sluice.schema.lab_keys"
local lab_network = require "sluice.config.lab_network_check"
local lab_phones = require "sluice.config.lab_phones_check"
local measures = require "measures"
local network = require "sluice.config.network_check"
local parts = require "sluice.config.parts"
local script_check = require "sluice.script.check"
local units = require "sluice.base.units"
local values = require "sluice.config.values"

local note, is_given = check.note, check.is_given

local lab = {}

-- ---- TCP profiles ----

-- struct lab_tcp
function lab.profile(record)
    return { name = record.name, base = record.base, changes = described.changes(lab_keys.tcp, record) }
end

local PLAIN = "plain" -- the outside of all built-in profiles

-- Returns the profiles' outsides by name, and their names as text.
local function check_profiles(state, cfg)
    local known, names, first = {}, table.move(lab_keys.profiles, 1, #lab_keys.profiles, 1, {}), {}
    for _, name in ipairs(names) do
        known[name] = PLAIN
    end
    for _, profile in ipairs(cfg.lab.tcp) do
        local name = profile.name
        if name and known[name] and not first[name] then
            note(state, profile, "name", 'found "%s", allowed a name that no built-in profile has', name)
        elseif name and known[name] then
            network.note_again(state, profile, "name", values.show(name), first[name])
        elseif name then
            known[name], first[name], names[#names + 1] = profile.outside or PLAIN, profile, name
        end
        local fault = name and profile.base and faults.tcp_changes(lab.profile(profile))
        if fault then
            lab_faults.note(state, profile, lab_keys.tcp, fault)
        end
    end
    return known, table.concat(names, ", ")
end

-- ---- Applications ----

-- Notes a spread behind which there is no time left.
local function check_spread(state, app, run_end)
    local is_of_run = run_end and run_end <= app.stop_ns
    local last = is_of_run and run_end or app.stop_ns
    local most = math.max(last - app.start_ns, 0)
    if app.spread_ns and app.spread_ns > most then
        note(state, app, "spread", "found %s, allowed at most %s, from start to %s",
            units.format("time", app.spread_ns), units.format("time", most),
            is_of_run and "the end of the run" or "stop")
    end
end

-- Notes an interval that ends before it begins, or begins after the run. Its end by default is the
-- run's.
local function check_interval(state, cfg, app)
    local given = is_given(state, app, "stop")
    if not given then
        app.stop_ns = cfg.run and cfg.run.duration_ns
    end
    local start, stop = app.start_ns, app.stop_ns
    if not (start and stop) then
        return
    elseif start < stop then
        check_spread(state, app, cfg.run and cfg.run.duration_ns)
        return
    end
    local start_text, stop_text = units.format("time", start), units.format("time", stop)
    if given then
        note(state, app, "stop", "found %s, allowed more than start, %s", stop_text, start_text)
    else
        note(state, app, "start", "found %s, allowed less than the run's duration, %s", start_text,
            stop_text)
    end
end

local function check_profile_names(state, app, known, names)
    for _, key in ipairs { "host_tcp", "ms_tcp" } do
        local name = app[key]
        if name and not known[name] then
            note(state, app, key, 'found "%s", allowed %s', name, names)
        end
    end
    local host, ms = known[app.host_tcp], known[app.ms_tcp]
    if host and ms and host ~= ms then
        note(state, app, "ms_tcp", 'found "%s" with outside = "%s", allowed one with "%s" as host_tcp has: a connection'
            .. " is the same outside at both ends", app.ms_tcp, ms, host)
    end
end

-- Objects of a list are in place of those that are drawn. In the normalised form, which has all keys,
-- none are drawn then.
local function check_objects(state, constructor, app)
    if not (constructor.key.objects and is_given(state, app, "objects")) then
        return
    end
    if not is_given(state, app, "embedded") then
        app.embedded = app.objects_octets and 0 -- nil: the list was refused
    end
    for _, key in ipairs(constructor.keys) do
        local usual = key.name == "embedded" and 0 or key.field and key.field.key.standard
        if key.name:find "^embedded" and described.value(key, app) ~= usual then
            note(state, app, key.name, "found a value, allowed without objects only")
        end
    end
end

-- What C needs of an application besides the keys that it describes.
function lab.also(constructor, app)
    local sizes = type(app.size_octets) == "table" and parts.packed(app.size_octets, 2) or nil
    local objects = constructor.key.objects and parts.packed(app.objects_octets or {}, 4)
    return { sizes = sizes, objects = objects, file = app.path }
end

-- What a file says, which many blocks may name: the largest packet of a replay and its flows, the users of a
-- dialogue. seen: what has been read, by measure, kind of file and path.
local function measure_file(app, constructor, measure, seen)
    local name = ("%s %s %s"):format(measure, not app.flow or app.flow == 0, app.path)
    if not seen[name] then
        seen[name] = table.pack(measures[measure](described.values(constructor, app, lab.also(constructor, app))))
    end
    return table.unpack(seen[name], 1, seen[name].n)
end

-- The key that says which part of the file an application takes, what the file has of these, and their name.
local PARTS = { dialogue = { "user", "dialogue_file", "users" }, replay = { "flow", "replay_flows", "flows" } }

local function check_part(state, app, constructor, seen)
    local key, measure, names = table.unpack(PARTS[constructor.name])
    local wanted = app[key]
    local there = wanted and wanted > 0 and measure_file(app, constructor, measure, seen) or wanted
    if wanted and wanted > there then
        note(state, app, key, "found %d, but the file has %d %s", wanted, there, names)
    end
end

-- The path is relative to the configuration's folder. The file is read here, and again by the run.
local function check_file(state, app, constructor, source, seen)
    if constructor.key.file and app.file then
        app.path = script_check.path(source.name, app.file)
        if lab_faults.check(state, constructor, app, lab.also(constructor, app)) then
            local found, fault = measure_file(app, constructor, constructor.name .. "_file", seen)
            source.note_file(app.path)
            if fault then
                note(state, app, "file", "%s", (fault:gsub("^%w+: ", "")))
            else
                check_part(state, app, constructor, seen)
                app.largest_octets = constructor.key.flow and found
            end
        end
    elseif not constructor.key.file then
        lab_faults.check(state, constructor, app, lab.also(constructor, app))
    end
end

-- ---- Packets larger than Gn's MTU ----

local TCP_OCTETS, PING_OCTETS = 40, 28 -- IPv4 and TCP, whose options are of the MSS; IPv4 and ICMP

-- By application, the key that says the size of its largest IP packet, and that size.
local LARGEST = {
    stream = function(app) return "packet", app.packet_octets end,
    ptt = function(app) return "packet", app.packet_octets end,
    ping = function(app) return "size", app.size_octets and app.size_octets + PING_OCTETS end,
    traffic = function(app) return "size", app.size_octets and math.max(table.unpack(app.size_octets)) end,
    replay = function(app) return "file", app.largest_octets end,
}

-- The MSS of each TCP profile. One of the file has its base's, unless it says another.
local function segments(cfg)
    local octets = {}
    for _, name in ipairs(lab_keys.profiles) do
        octets[name] = lab_keys.mss_octets[name]
    end
    for _, profile in ipairs(cfg.lab.tcp) do
        local name = profile.name
        octets[name or ""] = octets[name or ""] or profile.mss_octets or octets[profile.base or ""]
    end
    return octets
end

-- Both ends keep to the smaller MSS.
local function largest_segment(app, mss)
    local host, ms = mss[app.host_tcp], mss[app.ms_tcp]
    if host and ms then
        return host <= ms and "host_tcp" or "ms_tcp", math.min(host, ms) + TCP_OCTETS
    end
end

local function warn_largest(state, cfg, app, constructor, mss)
    local key, octets = (LARGEST[constructor.name] or largest_segment)(app, mss)
    network.warn_packet(state, cfg, app, key, octets)
end

-- receivers(app): checks that there is a context for it.
local function check_apps(state, cfg, source, receivers)
    local known, names = check_profiles(state, cfg)
    local mss, seen = segments(cfg), {}
    for _, constructor in ipairs(lab_keys.apps) do
        for _, app in ipairs(cfg.lab[constructor.name]) do
            receivers(app)
            check_interval(state, cfg, app)
            check_profile_names(state, app, known, names)
            check_objects(state, constructor, app)
            check_file(state, app, constructor, source, seen)
            warn_largest(state, cfg, app, constructor, mss)
        end
    end
end

-- ---- Addresses ----

local HOST = addresses.ipv4_number(lab_keys.HOST)

-- Notes a context with the address of the hosts. Overlaps of contexts are noted by cross.lua.
local function check_addresses(state, cfg)
    parts.each_pdp_block(cfg, function(ms, pdp)
        local first = pdp.address and addresses.ipv4_number(pdp.address)
        if first and first <= HOST and HOST < first + ms.count then
            note(state, pdp, "address", "found %s and the %d after it, allowed all but %s,"
                .. " the host of the lab", pdp.address, ms.count - 1, lab_keys.HOST)
        end
    end)
end

-- find(imsi): the ms record that has the IMSI, or nil; itself nil while an MS may have been refused.
function lab.all(state, cfg, source, receivers, find)
    if not cfg.lab then
        lab_network.refuse(state, cfg)
        lab_phones.refuse(state, cfg)
        return
    end
    check_addresses(state, cfg)
    lab_network.check(state, cfg, find, source)
    lab_events.check(state, cfg, find)
    lab_phones.check(state, cfg)
    check_apps(state, cfg, source, receivers)
end

return lab
