-- A script with a word too few.
function timer()
    local rate 5
end
