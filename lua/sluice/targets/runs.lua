-- What `ours(run)` of a target sees: run(variant, point), and the files of that run. The functions run within
-- the limits of script/sandbox.lua and yield what they want; `serve` answers, outside these limits.
local rows = require "sluice.targets.rows"
local shown = require "sluice.base.shown"

local runs = {}

local CACHE_OCTETS = 8 << 20 -- of the files whose rows are kept

local function ask(request)
    local answer = coroutine.yield(request)
    if answer.wrong then
        error(answer.wrong, 0)
    end
    return answer.value
end

-- ---- The functions of a run ----

-- A filter's columns, sorted, and the filter as text for messages.
local function columns_of(filter)
    local columns, texts = {}, {}
    if type(filter) ~= "table" then
        error("found " .. shown.show(filter) .. " as filter, allowed a table such as { class = \"background\" }", 0)
    end
    for column in next, filter do
        if type(column) ~= "string" then
            error("filter: found " .. shown.show(column) .. " as a column's name", 0)
        end
        columns[#columns + 1] = column
    end
    table.sort(columns)
    for i, column in ipairs(columns) do
        texts[i] = shown.plain(column) .. " = " .. shown.show(filter[column]):gsub("^the number ", "")
    end
    return columns, "{ " .. table.concat(texts, ", ") .. " }"
end

local function pick(folder, file, filter)
    if type(file) ~= "string" or not file:find("^[%w_]+$") then
        error("found " .. shown.show(file) .. " as file, allowed a name such as \"applications\"", 0)
    end
    local columns, text = columns_of(filter or {})
    return rows.pick(ask { what = "rows", folder = folder, file = file }, filter, columns), text
end

local function handle(folder)
    return {
        rows = function(file, filter)
            return (pick(folder, file, filter))
        end,
        row = function(file, filter)
            local picked, text = pick(folder, file, filter)
            if #picked ~= 1 then
                error(("%s/%s.csv: %s rows are %s, needed one"):format(folder, file,
                    #picked == 0 and "no" or #picked, text), 0)
            end
            return picked[1]
        end,
        value = function(path)
            if type(path) ~= "string" then
                error("found " .. shown.show(path) .. ", allowed a path such as \"virtual_s\"", 0)
            end
            return ask { what = "value", folder = folder, path = path }
        end,
    }
end

local function is_name(value)
    return value == nil or type(value) == "string"
end

local function run(variant, point)
    if not is_name(variant) or not is_name(point) then
        error("run: allowed run(variant) and run(variant, point), both texts", 0)
    end
    return handle(ask { what = "run", variant = variant, point = point })
end

-- ---- Answers ----

local serves = {}

-- source.find: a folder, or nil, why not, and whether it is only a run that is not there.
function serves.run(self, request)
    local folder, why, missing = self.source.find(request.variant, request.point, self.seed)
    self.missing = self.missing or missing
    return folder, why and ("run(%s, %s): %s"):format(shown.show(request.variant), shown.show(request.point), why)
end

function serves.rows(self, request)
    local key = request.folder .. "/" .. request.file
    if self.cache[key] then
        return self.cache[key]
    end
    local text, why = self.source.read(key .. ".csv")
    if not text then
        return nil, why
    end
    if self.cached_octets + #text > CACHE_OCTETS then
        self.cache, self.cached_octets = {}, 0
    end
    self.cache[key] = rows.parse(request.file, text)
    self.cached_octets = self.cached_octets + #text
    return self.cache[key]
end

function serves.value(self, request)
    local number = self.source.number(request.folder, request.path)
    return number, not number and request.folder .. "/summary.json has no number " .. shown.show(request.path)
end

-- source: find, read, number (control/bind/targets.c). Its `seed` is which of the seeds is asked for, and
-- `missing` whether a run was not there.
function runs.new(source)
    local self = { source = source, cache = {}, cached_octets = 0, run = run }
    self.serve = function(request)
        local value, wrong = serves[request.what](self, request)
        return { value = value, wrong = value == nil and wrong or nil }
    end
    return self
end

return runs
