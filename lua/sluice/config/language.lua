-- The configuration: turns a text into a plain table with every default filled in and every quantity a
-- whole number of its machine's unit, or into the list of all mistakes. It reads and writes no file:
-- C passes the text in and prints the results.
local check = require "sluice.config.check"
local cross = require "sluice.config.cross"
local mistakes = require "sluice.config.mistakes"
local sandbox = require "sluice.config.sandbox"
local schema = require "sluice.schema.schema"
local set = require "sluice.config.set"
local settings = require "sluice.config.settings"
local sha256 = require "sha256"
local sha256_file = require "sha256_file"
local values = require "sluice.config.values"
local variants = require "sluice.config.variants"

local config = {}

-- For a reload, which finds further mistakes: notes one at a key of a record, counts further ones, and returns
-- all with their lines.
local function critic(found, state)
    return {
        note = function(record_number, key, text)
            check.note(state, state.records[record_number], key, text)
        end,
        count = function(more)
            found.count = found.count + more
        end,
        texts = function()
            return found:texts()
        end,
    }
end

-- Applies what one --set says: KEY=VALUE, or @ and the path of a file of settings. place: what stands in front of
-- its mistakes. Returns what was done.
local function change_by(run, argument, place, found, source)
    local path = argument:match("^@(.*)$")
    if path == "" then
        found:add(place, "", "found no file, allowed @FILE")
        return {}
    elseif path then
        return variants.apply_file(run, found, settings.read(path, source, found, place, ""))
    end
    local mistake, done = set.apply(run, argument, place)
    if mistake then
        found:add(place, "", mistake)
    end
    return { done }
end

-- Applies the variant, the point and --set, in this order; returns what they are.
local function change(run, sets, found, warnings, source)
    local origin, held, own = variants.apply(run, sets, found, source)
    origin.replaced = {}
    run.note = function(place, text)
        warnings:add(place, "", text)
    end
    for i, argument in ipairs(sets) do
        local place = "--set " .. values.printable(argument:match("^@.*$") or argument:match("^[^=]*"))
        local first = #run.changes + 1
        for _, done in ipairs(change_by(run, argument, place, found, source)) do
            if not done:find("^run%.seed=") then -- the summary has the seed by itself
                origin.overrides[#origin.overrides + 1] = done
            end
        end
        variants.keep(run, found, held, first, "", place, "")
        origin.replaced[i] = { place = place, key = variants.taken(run, own, first) }
        run.changes = {} -- never taken back
    end
    return origin
end

-- Digests of each file that `read` reads or that `note_file` is told of, by its path as seen from the configuration.
local function with_digests(source, name)
    local folder, files, read, known = name:match("^(.*/)") or "", {}, source.read, {}
    local function add(path, digest)
        local inside = path:sub(1, #folder) == folder and path:sub(#folder + 1) or path
        files[#files + 1] = digest and { path = inside, sha256 = digest }
    end
    source.read = read and function(path)
        local text, why = read(path)
        add(path, text and sha256(text))
        return text, why
    end
    source.note_file = function(path) -- that C reads, once however often the configuration names it
        if not known[path] then
            known[path] = true
            add(path, sha256_file(path))
        end
    end
    return files
end

local function load_text(name, text, sets, source)
    local found, warnings = mistakes.new(name, ""), mistakes.new(name, "warning: ")
    local run = sandbox.run(text, schema.names, found)
    if run.failed then -- checking an incomplete configuration would invent mistakes
        return nil, found:texts()
    end
    local files = with_digests(source, name)
    local origin = change(run, sets, found, warnings, source)
    origin.config_sha256, origin.files = sha256(text), files
    local cfg, state = check.all(run, found, warnings)
    if cfg then
        variants.check(state, cfg)
        cross.all(state, cfg, source)
        cfg.origin = origin
    end
    if found:any() then
        return nil, found:texts()
    end
    return cfg, warnings:texts(), critic(found, state)
end

-- text is nil if the file cannot be read; then `why` says why. sets: the "KEY=VALUE" of --set, and the names `variant`
-- and `point` of --variant and --point. read(path) returns the text of a file that the configuration names, or nil and
-- why not. Returns the normalised table, a list of warnings and the critic; or nil and a list of mistakes. The lists are
-- lines to print.
function config.load(name, text, sets, read, why)
    if not text then
        return nil, { why }
    end
    local source = { name = name, read = read, settings = {} }
    local ok, cfg, texts, further = pcall(load_text, name, text, sets or {}, source)
    if ok then
        return cfg, texts, further
    elseif cfg == "not enough memory" then
        return nil, { name .. ":1: lua: " .. sandbox.MEMORY_TEXT }
    end
    error(cfg, 0)
end

local function emit_value(value, writer)
    if type(value) ~= "table" then
        return writer.value(value)
    end
    writer.array()
    for _, item in ipairs(value) do
        writer.value(item)
    end
    writer.close()
end

local emit_record

local function emit_children(record, constructors, writer, secrets)
    for _, constructor in ipairs(constructors) do
        local child = record[constructor.name]
        if child then
            writer.key(constructor.name)
        end
        if child and constructor.single then
            emit_record(child, constructor, writer, secrets)
        elseif child then
            writer.array()
            for _, one in ipairs(child) do
                emit_record(one, constructor, writer, secrets)
            end
            writer.close()
        end
    end
end

function emit_record(record, constructor, writer, secrets)
    constructor = schema.of(constructor, record)
    writer.object()
    for _, key in ipairs(constructor.keys) do
        if record[key.out] ~= nil then
            local name, value = values.shown(key, record[key.out], secrets)
            writer.key(name)
            emit_value(value, writer)
        end
    end
    emit_children(record, constructor.children, writer, secrets)
    writer.close()
end

-- Writes the normalised table in the schema's order, so that the same table gives the same calls; then
-- the memory that a run needs. Secrets are hidden unless `secrets`.
function config.emit(cfg, writer, memory_octets, secrets)
    writer.object()
    emit_children(cfg, schema.top, writer, secrets)
    writer.key("memory_octets")
    writer.value(memory_octets)
    writer.close()
end

local function default_text(key)
    local default = key.default_help
    if default == nil then
        default = key.default
    end
    return default ~= nil and "default " .. tostring(default) or "required"
end

local NAME_WIDTH = 10

local function describe_keys(keys, first, indent, out)
    local width = NAME_WIDTH
    for i = first, #keys do
        width = math.max(width, #keys[i].name)
    end
    for i = first, #keys do
        local key = keys[i]
        local space = (" "):rep(width - #key.name)
        out[#out + 1] = ("%s    %s%s %s"):format(indent, key.name, space, key.help)
        out[#out + 1] = ("%s    %s   %s; %s"):format(indent, (" "):rep(width), values.allowed(key),
            default_text(key))
    end
end

local function describe(constructor, depth, out)
    local indent = ("    "):rep(depth)
    out[#out + 1] = ("%s%s { }  %s: %s"):format(indent, constructor.name,
        constructor.times, constructor.help)
    describe_keys(constructor.keys, 1, indent, out)
    for _, variant in ipairs(constructor.variants or {}) do
        out[#out + 1] = ('%s  %s { name = "%s", ... }  %s'):format(indent, constructor.name,
            variant.choice, variant.help)
        describe_keys(variant.keys, 2, indent, out)
    end
    for _, child in ipairs(constructor.children) do
        describe(child, depth + 1, out)
    end
end

-- The help text of the whole language.
function config.describe()
    local out = {}
    for _, constructor in ipairs(schema.top) do
        describe(constructor, 0, out)
        out[#out + 1] = ""
    end
    return table.concat(out, "\n")
end

return config
