-- A file of settings: a list of KEY=VALUE as --set has them, each with the reason of its value, for
-- variant { file = } and for --set @FILE. Its text has what a configuration has, but for the
-- constructors: loops, local variables, `..`.
local sandbox = require "sluice.config.sandbox"
local schema = require "sluice.schema.schema"
local values = require "sluice.config.values"

local settings = {}

local MOST = 256 -- settings of one file
local LIST = { type = "sets", most_items = MOST, example = '"class[*].aqm.name=cobalt"' }

local is_constructor = {}
for _, name in ipairs(schema.names) do
    is_constructor[name] = true
end

-- The mistakes of another file than the configuration, each with that file's name; `block` is the first that
-- names a constructor, as a whole configuration does.
local function of_file(path, mistakes)
    local noted = { list = {} }
    function noted:add(line, key, text)
        local one = { line = line, key = key, text = text }
        self.list[#self.list + 1] = one
        self.block = self.block or is_constructor[key] and one
    end
    function noted:tell()
        for _, one in ipairs(self.list) do
            mistakes:add(path .. ":" .. one.line, one.key, one.text)
        end
        return #self.list > 0
    end
    return noted
end

-- Every name of a configuration would be a mistake: one says it all.
local function tell_configuration(noted, path, mistakes)
    mistakes:add(path .. ":" .. noted.block.line, "", "found " .. noted.block.key .. " { } of a configuration, "
        .. "allowed a file that returns a list of KEY=VALUE, such as return { " .. LIST.example .. " }; "
        .. "a configuration is the FILE of sluice run itself")
end

local function texts_of(path, run, mistakes)
    local literal = type(run.result) == "table" and run.literals[run.result[sandbox.MARK]]
    local function line(i)
        return literal and literal.items[i] or literal and literal.line or 1
    end
    local list, why = values.check(LIST, run.result, function(i, text)
        mistakes:add(path .. ":" .. line(i), "", text)
    end)
    if not list then
        mistakes:add(path .. ":" .. line(), "", why)
    end
    local found = {}
    for i, text in ipairs(list or {}) do
        found[i] = { text = text, place = path .. ":" .. line(i) }
    end
    return found
end

-- Returns the settings of the file, each { text, place }; after mistakes, which are noted, those that
-- are right. source: as config.load's, with `settings`, what was read before. place, key: of what
-- names the file.
function settings.read(path, source, mistakes, place, key)
    local known = source.settings[path]
    if known then
        return known
    end
    local text, why = source.read(path)
    local found = {}
    if text then
        local noted = of_file(path, mistakes)
        local run = sandbox.run(text, {}, noted)
        if noted.block and run.result == nil then
            tell_configuration(noted, path, mistakes)
        elseif not noted:tell() then
            found = texts_of(path, run, mistakes)
        end
    else
        mistakes:add(place, key, why)
    end
    source.settings[path] = found
    return found
end

return settings
