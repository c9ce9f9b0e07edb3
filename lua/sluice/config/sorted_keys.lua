-- The keys of a table of the file, in an order that is the same in each run: the whole numbers, the
-- names, and the number of other keys.
local lines = require "sluice.config.lines"
local shown = require "sluice.base.shown"

return function(t)
    local numbers, names, others, sorted = {}, {}, 0, true
    for key in next, t do
        if math.type(key) == "integer" then
            sorted = sorted and key > (numbers[#numbers] or math.mininteger)
            numbers[#numbers + 1] = key
        elseif type(key) ~= "string" or #key > shown.TEXT_MAX_OCTETS then
            others = others + 1
        elseif key ~= lines.MARK then
            names[#names + 1] = key
        end
    end
    if not sorted then
        table.sort(numbers)
    end
    table.sort(names)
    return numbers, names, others
end
