-- Finds the known word that a misspelt one means. The distance is the number of letters inserted, left
-- out, changed, or swapped with their neighbour (optimal string alignment). A word is near if at most a
-- third of it is wrong, or one letter of a short word. Long words are not compared: the cost is the
-- product of both lengths, and the word comes from outside.
local nearest = {}

local LONGEST_WORD_OCTETS = 40

local function distance_row(previous, before, word, known, row_index)
    local row = { [0] = row_index }
    for j = 1, #known do
        local same = word:byte(row_index) == known:byte(j)
        local best = math.min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (same and 0 or 1))
        local swapped = before and j > 1 and word:byte(row_index) == known:byte(j - 1)
            and word:byte(row_index - 1) == known:byte(j)
        row[j] = swapped and math.min(best, before[j - 2] + 1) or best
    end
    return row
end

local function distance_of(word, known)
    local before, previous = nil, {}
    for j = 0, #known do
        previous[j] = j
    end
    for i = 1, #word do
        before, previous = previous, distance_row(previous, before, word, known, i)
    end
    return previous[#known]
end

-- The nearest of `words`, the first if several are equally near; nil if none is near.
function nearest.find(word, words)
    if #word > LONGEST_WORD_OCTETS then
        return nil
    end
    local best, best_distance = nil, math.max(1, #word // 3) + 1
    for _, known in ipairs(words) do
        local distance = distance_of(word:lower(), known:lower())
        if distance < best_distance then
            best, best_distance = known, distance
        end
    end
    return best
end

-- The end of a message: "; did you mean X?" or nothing.
function nearest.question(meant)
    return meant and "; did you mean " .. meant .. "?" or ""
end

function nearest.hint(word, words)
    return nearest.question(nearest.find(word, words))
end

return nearest
