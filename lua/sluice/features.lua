-- The features that both sides of Gb agree on in the BVC-RESET of BVCI 0: two bitmaps (TS 48.018
-- 11.3.45, 11.3.84), in force is what both have (8.4). The words are those of nse.features. What is
-- not in force is used by neither side.
local features = {
    bit = { pfc = 0x01, cbl = 0x02, inr = 0x04, pfc_fc = 0x20 },
    extended_bit = { gigabit = 0x02 },
}

local function bitmap(words, bits)
    local map = 0
    for _, word in ipairs(words) do
        map = map | (bits[word] or 0)
    end
    return map
end

-- Both bitmaps that we offer an NSE.
function features.offered(nse)
    local words = nse.cfg.features
    return bitmap(words, features.bit), bitmap(words, features.extended_bit)
end

-- The peer's bitmaps, nil for one that it did not send.
function features.agree(nse, theirs, extended)
    local ours, our_extended = features.offered(nse)
    nse.features, nse.extended = ours & (theirs or 0), our_extended & (extended or 0)
    nse.cbl = nse.features & features.bit.cbl ~= 0
    nse.gigabit = nse.extended & features.extended_bit.gigabit ~= 0
end

return features
