-- A table's key for a whole number that others choose, such as a TEID or a TLLI. Lua hashes whole numbers without a
-- seed, so others may choose numbers that all meet in one place: then a table takes a second to grow to 65 536 entries,
-- in a single step, during which control answers nobody. Strings have a seed. Numbers of 16 bits need no such key: too
-- few of them can meet.
return function(number)
    return ("j"):pack(number)
end
