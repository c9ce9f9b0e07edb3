-- No end.
while true do end
