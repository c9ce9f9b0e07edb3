-- The features that both sides of Gb agree on in the BVC-RESET of BVCI 0: two bitmaps (TS 48.018
-- 11.3.45, 11.3.84); a feature is in force if both sides have it (8.4). The names are the words of
-- nse.features.
local features = {
    bit = { pfc = 0x01, cbl = 0x02, inr = 0x04, pfc_fc = 0x20 },
    extended_bit = { gigabit = 0x02 },
}

-- The PDU types (from, to) of features that Sluice does not have (11.3.26).
local OF_OTHER_FEATURES = {
    { 0x04, 0x05 }, { 0x80, 0x85 }, -- MBMS
    { 0x11, 0x13 },                 -- eDRX: rejected and dummy pages
    { 0x14, 0x15 },                 -- registration enquiries
    { 0x59, 0x5e }, { 0x91, 0x93 }, -- PS handover
    { 0x60, 0x64 },                 -- LCS
    { 0x70, 0x74 },                 -- RIM
}

local other_features = {}

for _, types in ipairs(OF_OTHER_FEATURES) do
    for type = types[1], types[2] do
        other_features[type] = true
    end
end

-- Returns whether the PDU type belongs to a feature that Sluice does not have.
function features.lacks(type)
    return other_features[type] or false
end

local function bitmap(words, bits)
    local map = 0
    for _, word in ipairs(words) do
        map = map | (bits[word] or 0)
    end
    return map
end

-- The two bitmaps that the SGSN offers the NSE.
function features.offered(nse)
    local words = nse.cfg.features
    return bitmap(words, features.bit), bitmap(words, features.extended_bit)
end

-- theirs, extended: the BSS's bitmaps; nil for an absent one.
function features.agree(nse, theirs, extended)
    local ours, our_extended = features.offered(nse)
    nse.features, nse.extended = ours & (theirs or 0), our_extended & (extended or 0)
    nse.cbl = nse.features & features.bit.cbl ~= 0
    nse.gigabit = nse.extended & features.extended_bit.gigabit ~= 0
end

return features
