-- The place of the last item in a sorted list with a number not above `value`; 0 if there is none.
return function(list, number_of, value)
    local low, high = 0, #list
    while low < high do
        local middle = (low + high + 1) // 2
        if number_of(list[middle]) <= value then
            low = middle
        else
            high = middle - 1
        end
    end
    return low
end
