-- Collects the mistakes or warnings of one file (the first thousand; further ones are only counted) and
-- prints at most twenty in the order of their lines. A place is a line, or the text "--set KEY" for a
-- value of the command line.
local mistakes = {}
mistakes.__index = mistakes

local SHOWN_MAX = 20
local KEPT_MAX = 1000

-- kind: "" or "warning: ", printed before each path.
function mistakes.new(name, kind)
    return setmetatable({ name = name, kind = kind, list = {}, count = 0 }, mistakes)
end

function mistakes:add(place, path, text)
    self.count = self.count + 1
    if self.count > KEPT_MAX then
        return
    end
    local line = math.type(place) == "integer" and place or math.maxinteger
    self.list[self.count] = {
        line = line, number = self.count, place = place, path = path, text = text,
    }
end

function mistakes:any()
    return self.count > 0
end

-- Returns whether the texts of further mistakes would be dropped: mistakes:add() without a text counts
-- one.
function mistakes:plenty()
    return self.count >= KEPT_MAX
end

-- The check stops here; the rest is unchecked.
function mistakes:give_up()
    self.given_up = true
end

local function printed(self, mistake)
    local place = mistake.place
    if mistake.line ~= math.maxinteger then
        place = self.name .. ":" .. mistake.line
    elseif mistake.path == "" or place == "--set " .. mistake.path then
        return place .. ": " .. self.kind .. mistake.text
    end
    return ("%s: %s%s: %s"):format(place, self.kind, mistake.path, mistake.text)
end

function mistakes:texts()
    table.sort(self.list, function(a, b)
        if a.line ~= b.line then
            return a.line < b.line
        end
        return a.number < b.number
    end)
    local texts = {}
    for i = 1, math.min(#self.list, SHOWN_MAX) do
        texts[i] = printed(self, self.list[i])
    end
    if self.count > SHOWN_MAX then
        texts[#texts + 1] = ("and %d more%s"):format(self.count - SHOWN_MAX,
            self.given_up and "; the rest of the file is not checked" or "")
    end
    return texts
end

return mistakes
