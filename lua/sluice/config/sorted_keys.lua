-- The keys of a table that people wrote, in an order that does not change from run to run: whole
-- numbers, then names, and how many are neither. breathe(), which may be missing, is called for each.
local lines = require "sluice.config.lines"
local shown = require "sluice.base.shown"

return function(t, breathe)
    local numbers, names, others, sorted = {}, {}, 0, true
    for key in next, t do
        if breathe then
            breathe()
        end
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
