-- The phones that have attached or are about to: everything about a phone that is not in the dataplane. gmm makes
-- and ends them, sm adds contexts. A phone is one table from its first frame to its end:
--   imsi        its digits; nil while nobody has said who it is
--   p_tmsi      what it goes by, from ATTACH ACCEPT on; p_tmsi_old: also valid, until it uses the new one;
--               p_tmsi_former: that before, which is valid no more
--   signature   its P-TMSI signature, under a key; signature_old: also valid, as p_tmsi_old
--   ms_id       its MS in the dataplane and in subscribers/, from ATTACH ACCEPT on. A phone with it is attached
--   class       of phone { }, the best of its contexts' classes; a reload may change it
--   link        its SAPI 1 (llc/signalling.lua)
--   nse, bvc    where its last frame came from; tlli: under which TLLI
--   area        the routeing area of its last ACCEPT, as a number; area_other: another one that it may be in by what it
--               knows, as ACCEPTs and COMPLETEs get lost. updated: the octets of its last REQUEST that has come to its end
--   card        { k, opc } of phone { }; nil: it need not prove who it is. cksn, is_sim: of its last authentication
--   key         { cksn, cipher, gea, octets, digits } of the same; nil: none, or without a cipher
--   net_capability, ra_capability, drx          as its last ATTACH or update said; imeisv: as it said under way
--   runs        its procedures under way (procedure.lua)
--   contexts    by NSAPI, of sm
-- Here are those with an IMSI and an MS, by all that they may be found by; attempts.lua has those that are nobody
-- yet. Nothing here sends, and nothing has a timer.
local count = require "count"
local watchers = require "sluice.core.watchers"

local store = { phones = {} } -- all of them; the last takes the place of one that goes

local by_imsi, by_p_tmsi, by_former, by_ms_id = {}, {}, {}, {}

-- watch(event, fn): fn(phone, ...) is called at each such event.
store.watch, store.tell = watchers {
    "attached", -- it has its MS and is in the store
    "contexts", -- (phone, bits): it has said which NSAPIs it has contexts of; others are to end
    "removed",  -- it will have neither in a moment: what hangs on it ends. The MS is still there
}

-- The fields that most phones have are named, so that the table gets the room at once and need not grow three times.
function store.new(link)
    return {
        link = link, runs = {}, contexts = {},
        imsi = nil, ms_id = nil, class = nil, card = nil, nse = nil, bvc = nil, area = nil, attempt = nil,
        p_tmsi = nil, p_tmsi_old = nil, signature = nil, key = nil, cksn = nil,
        net_capability = nil, ra_capability = nil, drx = nil, since_ns = nil, heard_ns = nil, reach_timer = nil, place = nil,
    }
end

-- ---- Finding; nil: none ----

function store.by_imsi(imsi)
    return by_imsi[imsi]
end

function store.by_p_tmsi(p_tmsi)
    return by_p_tmsi[p_tmsi]
end

-- The phone that had the P-TMSI before the one that it has.
function store.by_former_p_tmsi(p_tmsi)
    return by_former[p_tmsi]
end

function store.of_ms(ms_id)
    return by_ms_id[ms_id]
end

-- ---- Coming and going ----

-- The phone has an IMSI and an ms_id that no other one has.
function store.put(phone)
    assert(not by_imsi[phone.imsi] and not by_ms_id[phone.ms_id], "another phone has its IMSI or MS")
    by_imsi[phone.imsi], by_ms_id[phone.ms_id] = phone, phone
    store.phones[#store.phones + 1], phone.place = phone, #store.phones + 1
    count.set("attached", #store.phones)
    store.tell("attached", phone)
end

-- Its P-TMSI is another one now, which no phone has; the former one stays valid until the next settle.
function store.rename(phone, p_tmsi)
    assert(not by_p_tmsi[p_tmsi], "another phone has the P-TMSI")
    if phone.p_tmsi_old then -- the phone has never used the one between
        by_p_tmsi[phone.p_tmsi] = nil
    else
        phone.p_tmsi_old = phone.p_tmsi
    end
    phone.p_tmsi, by_p_tmsi[p_tmsi] = p_tmsi, phone
end

local function forget_former(phone)
    local former = phone.p_tmsi_former
    if former and by_former[former] == phone then
        by_former[former] = nil
    end
    phone.p_tmsi_former = nil
end

-- The phone uses its P-TMSI: the old one is nobody's.
function store.settle(phone)
    local old = phone.p_tmsi_old
    if old then
        forget_former(phone)
        by_p_tmsi[old], phone.p_tmsi_old = nil, nil
        by_former[old], phone.p_tmsi_former = phone, old
    end
end

-- Before its MS is removed.
function store.remove(phone)
    store.tell("removed", phone)
    local phones, last = store.phones, store.phones[#store.phones]
    phones[phone.place], last.place = last, phone.place
    phones[#phones], phone.place = nil, nil
    count.set("attached", #phones)
    by_imsi[phone.imsi], by_ms_id[phone.ms_id] = nil, nil
    store.settle(phone)
    forget_former(phone)
    if phone.p_tmsi then
        by_p_tmsi[phone.p_tmsi], phone.p_tmsi = nil, nil
    end
end

return store
