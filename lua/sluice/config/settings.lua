-- A file of settings: a list of KEY=VALUE as --set has them, each with the reason of its value, for
-- variant { file = } and for --set @FILE. Its text has what a configuration has, but for the
-- constructors: loops, local variables, `..`.
local sandbox = require "sluice.config.sandbox"
local values = require "sluice.config.values"

local settings = {}

local MOST = 256 -- settings of one file
local LIST = { type = "sets", most_items = MOST, example = '"class[*].aqm.name=cobalt"' }

-- The mistakes of another file than the configuration, each with that file's name.
local function of_file(path, mistakes)
    return {
        count = 0,
        add = function(self, line, key, text)
            self.count = self.count + 1
            mistakes:add(path .. ":" .. line, key, text)
        end,
    }
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
        local run = sandbox.run(text, {}, noted, source.clock)
        found = noted.count > 0 and {} or texts_of(path, run, mistakes)
    else
        mistakes:add(place, key, why)
    end
    source.settings[path] = found
    return found
end

return settings
