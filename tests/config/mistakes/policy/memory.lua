-- A string that doubles.
local text = "x"
for _ = 1, 40 do text = text .. text end
