-- Authentication vectors of cards with Milenage (TS 33.102 clause 6.3): what a RAND makes of K and OPc, with AUTN, in
-- which a USIM sees that it is its network, and that no vector comes twice.
--
-- SQN is SEQ and an index of 5 bits, which is always 0: each vector has a larger SEQ than all before it. SEQ is the
-- clock's (annex C.1.2.3), in steps of half a second: nothing has to be kept over a restart. A card whose SEQ is ahead
-- of the clock says so by AUTS, and from then on, until a restart, the clock of this card is ahead by as much.
local chance = require "sluice.core.chance"
local clock = require "sluice.core.clock"
local milenage = require "milenage"
local program = require "program"

local vectors = {}

local STEPS_A_SECOND = 2
local STEP_NS = 1000000000 // STEPS_A_SECOND
local INDEX_BITS, SQN_BITS = 5, 48
local AMF, AMF_OF_AUTS = "\0\0", "\0\0" -- the latter by 6.3.3, whatever the former is
local RAND_OCTETS = 16

-- By IMSI: by how much the card's SEQ is ahead of the clock; and SEQs that were given for now or later, which are few.
local ahead, given, given_at = {}, {}, nil

local function now()
    local unix_s = program.unix_s()
    return (unix_s and unix_s * STEPS_A_SECOND or clock.now_ns // STEP_NS) + 1 -- 0 is a new card's own
end

local function next_seq(imsi)
    local step = now()
    if step ~= given_at then
        local later = {}
        for other, seq in next, given do
            later[other] = seq - (ahead[other] or 0) >= step and seq or nil
        end
        given, given_at = later, step
    end
    local seq = step + (ahead[imsi] or 0)
    if given[imsi] and given[imsi] >= seq then
        seq = given[imsi] + 1
    end
    given[imsi] = seq
    return seq & (1 << SQN_BITS - INDEX_BITS) - 1
end

-- card: { k, opc }, octets. Returns { rand, autn, res, sres, kc, kc128 }.
function vectors.make(imsi, card)
    local rand, sqn = chance.octets(RAND_OCTETS), next_seq(imsi) << INDEX_BITS
    local vector = milenage.keys(card.k, card.opc, rand)
    local mac = milenage.macs(card.k, card.opc, rand, sqn, AMF)
    vector.rand, vector.autn = rand, string.pack(">I6", sqn ~ vector.ak) .. AMF .. mac
    return vector
end

-- The card has not taken the vector with that RAND, and says its SQN. Returns whether it is the card that says so; then
-- its next vector is newer than that.
function vectors.resynchronise(imsi, card, rand, auts)
    local concealed, mac = string.unpack(">I6c8", auts)
    local sqn = concealed ~ milenage.keys(card.k, card.opc, rand).ak_star
    local _, mac_s = milenage.macs(card.k, card.opc, rand, sqn, AMF_OF_AUTS)
    if mac ~= mac_s then
        return false
    end
    ahead[imsi], given[imsi] = (sqn >> INDEX_BITS) + 1 - now(), nil
    return true
end

return vectors
