-- The commands that add, change and remove one MS of a record (registry.lua) with its packet flows and
-- PDP contexts. The lab is told too; in real time the file contexts.json gets the TEIDs.
local addresses = require "sluice.base.addresses"
local board = require "sluice.core.board"
local ciphers = require "sluice.base.ciphers"
local classes = require "classes"
local count = require "count"
local dp = require "dp"
local lab = require "sluice.lab.fill"
local llc_first = require "sluice.subscribers.llc_first"
local log = require "log"
local parts = require "sluice.config.parts"
local subscribers = require "sluice.subscribers.registry"
local network = require "sluice.core.network"

local members = {}

local place_of_class = {}
for i, name in ipairs(classes) do
    place_of_class[name] = i - 1
end

-- n MSs of a normalised record from `from` on; ggsn_id replaces the GGSN's name, if there is one.
function members.slice(ms, from, n)
    local slice = parts.slice(ms, from, n)
    for _, pdp in ipairs(slice.pdp) do
        pdp.ggsn_id = pdp.ggsn and network.ggsn_ids[pdp.ggsn] or pdp.ggsn_id
    end
    return slice
end

local function pdp_id(record, member, j)
    return record.pdp_ids[j].first + member * record.pdp_ids[j].stride
end

local function first_values(record)
    return llc_first.values(network.nse[record.nse_id].cfg, record.ms)
end

-- The MS's cipher by the file: { gea, key, iov_ui }, the IOV-UI as it is before any XID.
function members.cipher_of(record, member)
    local ms = record.ms
    local _, iov_ui = first_values(record)
    local gea = ciphers.number[ms.cipher]
    return { gea = gea, key = gea > 0 and ciphers.key(ms.key, member) or "", iov_ui = iov_ui }
end

local function start_cipher(record, member)
    local cipher = members.cipher_of(record, member)
    cipher.ms_id = record.first_ms_id + member
    dp.ms_cipher(cipher)
end

local function start_options(record, member)
    local options = parts.options(record.ms, member)
    options.ms_id = record.first_ms_id + member
    dp.ms_options(options)
end

-- The MS's own bucket of the file, or the cell's MS defaults.
local function start_ms_bucket(record, member)
    local ms_id = record.first_ms_id + member
    if record.ms.rate_bit_per_s then
        dp.ms_bucket(parts.bucket({ ms_id = ms_id }, record.ms, ""))
    else
        dp.ms_default { ms_id = ms_id }
    end
end

-- Adds the packet flows `new`; those with one PFI share a bucket, also with one of `there`.
local function start_pfcs(record, member, new, there)
    local slot_of = {}
    for _, pfc in ipairs(there) do
        slot_of[pfc.pfi or -1] = pfc.slot
    end
    for _, pfc in ipairs(new) do
        dp.pfc {
            ms_id = record.first_ms_id + member, slot = pfc.slot,
            traffic_class = place_of_class[pfc.class], shares = pfc.pfi and slot_of[pfc.pfi],
        }
        slot_of[pfc.pfi or -1] = pfc.slot
    end
end

local function start_pfc_bucket(record, member, bucket)
    dp.pfc_bucket(parts.bucket({ ms_id = record.first_ms_id + member, slot = bucket.slot }, bucket,
        ""))
end

-- Tells contexts.json about the context; teid nil: unchanged.
function members.tell_context(record, member, j, teid)
    local ms, pdp = record.ms, record.ms.pdp[j]
    network.contexts.context {
        pdp_id = pdp_id(record, member, j), imsi = parts.imsi(ms, member), tlli = ms.tlli + member,
        nsapi = pdp.nsapi, teid = teid, address = addresses.ipv4_number(pdp.address) + member,
    }
end

local function remove_pdp_id(id)
    dp.pdp_remove { pdp_id = id }
    network.contexts.gone { pdp_id = id }
    network.ended[id] = nil
end

local function remove_pdp(record, member, j)
    remove_pdp_id(pdp_id(record, member, j))
end

-- The far end of a context: a GGSN's id and TEID; nil and 0: none. The lab's GGSN numbers the tunnels of the file's MSs
-- as their contexts are, and a phone's by GTP-C.
local function far_end_of(record, member, j)
    local pdp = record.ms.pdp[j]
    if pdp.ggsn_teid then
        return pdp.ggsn_id, pdp.ggsn_teid + member
    elseif network.ggsn_ids.lab and not record.is_single then
        return network.ggsn_ids.lab, pdp_id(record, member, j) + 1
    end
    return pdp.ggsn_id, 0
end

-- Context j of the record.
local function start_pdp(record, member, j)
    local ms = record.ms
    local pdp = ms.pdp[j]
    local ggsn_id, ggsn_teid = far_end_of(record, member, j)
    local teid = dp.pdp {
        pdp_id = pdp_id(record, member, j), ms_id = record.first_ms_id + member,
        slot = record.slot_of[parts.pfc_key(pdp)], nsapi = pdp.nsapi, sapi = pdp.sapi,
        pfi = pdp.pfi, ggsn_id = ggsn_id, ggsn_teid = ggsn_teid,
    }
    if not record.is_single then
        lab.context {
            nse_id = record.nse_id, tlli = ms.tlli + member, nsapi = pdp.nsapi, sapi = pdp.sapi,
            traffic_class = place_of_class[pdp.class], teid = teid, ggsn_teid = ggsn_teid,
            address = addresses.ipv4_number(pdp.address) + member,
        }
    end
    pdp.teid = record.is_single and teid or nil
    members.tell_context(record, member, j, teid)
end

function members.start(record, member)
    local ms, ms_id = record.ms, record.first_ms_id + member
    dp.ms {
        ms_id = ms_id, bvc_id = record.bvc_id, tlli = ms.tlli + member,
        n201_u = (first_values(record)),
    }
    if not record.is_single then -- else it is a phone of the lab, and attaches by itself
        lab.ms(record, member, members.cipher_of(record, member), (first_values(record)))
    end
    if ms.cipher ~= "none" then
        start_cipher(record, member)
    end
    if parts.has_options(ms) then
        start_options(record, member)
    end
    if ms.rate_bit_per_s then
        start_ms_bucket(record, member)
    end
    start_pfcs(record, member, record.slots, {})
    for _, bucket in ipairs(parts.buckets_of(record.slots)) do
        if bucket.rate_bit_per_s then
            start_pfc_bucket(record, member, bucket)
        end
    end
    for j = 1, #ms.pdp do
        start_pdp(record, member, j)
    end
    board.ms { ms_id = ms_id, imsi = parts.imsi(ms, member), state = "up" }
    subscribers.tell("xid_set", ms_id, record)
end

function members.stop(record, member)
    local ms_id = record.first_ms_id + member
    for j = 1, #record.pdp_ids do
        remove_pdp(record, member, j)
    end
    dp.ms_remove { ms_id = ms_id }
    board.gone_ms { ms_id = ms_id }
end

-- An MS whose start has failed: what of it is there goes.
function members.undo(record, member)
    for j = 1, #record.pdp_ids do
        pcall(remove_pdp, record, member, j)
    end
    pcall(dp.ms_remove, { ms_id = record.first_ms_id + member })
end

-- ---- Changes (differences.lua) ----

-- Removes the contexts and packet flows that the new file does not have.
function members.drop(record, member, change)
    for _, j in ipairs(change.gone) do
        remove_pdp(record, member, j)
    end
    for _, slot in ipairs(change.gone_slots) do
        dp.pfc_remove { ms_id = record.first_ms_id + member, slot = slot }
    end
end

-- One context of a single record, and the packet flows that come or go with it.
function members.add_context(record, j, new, there)
    start_pfcs(record, 0, new, there)
    start_pdp(record, 0, j)
end

-- The context's id is no longer in the record.
function members.remove_context(record, id, gone)
    remove_pdp_id(id)
    for _, pfc in ipairs(gone) do
        dp.pfc_remove { ms_id = record.first_ms_id, slot = pfc.slot }
    end
end

-- Returns whether the MS may move to the cell; logs why not, such as a full worker.
function members.may_move(ms_id, bvc_id)
    local may, why = dp.may_move(ms_id, bvc_id)
    if not may then
        count.add "moves_refused"
        log.warn(("MS %s stays in its cell: %s"):format(
            subscribers.imsi(ms_id) or ms_id, why))
    end
    return may
end

-- Moves the MS to its cell in the new file, unless it has roamed there already.
function members.move(record, member)
    local ms_id = record.first_ms_id + member
    local from = dp.ms_cell(ms_id)
    if from ~= record.bvc_id and members.may_move(ms_id, record.bvc_id) then
        dp.ms_move { ms_id = ms_id, bvc_id = record.bvc_id }
        subscribers.tell("moved", ms_id, from, record.bvc_id)
    end
end

-- Parameters that XID agrees on. Under the same key the sequence of IOV-UIs goes on (llc/exchange.lua).
local function change_llc(record, member, change)
    local ms_id = record.first_ms_id + member
    for _, sapi in ipairs(llc_first.user_sapis) do
        dp.ms_n201_u { ms_id = ms_id, sapi = sapi, n201_u = (first_values(record)) }
    end
    if change.cipher then
        subscribers.tell("rekeyed", ms_id)
        start_cipher(record, member)
    else
        subscribers.tell("xid_changed", ms_id)
    end
    subscribers.tell("xid_set", ms_id, record)
end

local function change_values(record, member, change)
    local ms_id = record.first_ms_id + member
    if change.tlli then
        dp.ms_tlli { ms_id = ms_id, tlli = record.ms.tlli + member }
        subscribers.tell("changed_tlli", ms_id)
    end
    if change.xid or change.cipher then
        change_llc(record, member, change)
    end
    if change.options then
        start_options(record, member)
    end
end

-- Sends the changed values of the record, which has the new file's values.
function members.change(record, member, change, moved)
    if moved then
        members.move(record, member)
    end
    change_values(record, member, change)
    if change.bucket or moved and record.ms.rate_bit_per_s then
        start_ms_bucket(record, member)
    end
    start_pfcs(record, member, change.new_slots, change.rest_slots)
    for _, bucket in ipairs(change.buckets) do
        start_pfc_bucket(record, member, bucket)
    end
    for j in ipairs((change.tlli or change.address) and record.ms.pdp or {}) do
        if change.kept[j] then
            members.tell_context(record, member, j)
        end
    end
    for _, j in ipairs(change.new) do
        start_pdp(record, member, j)
    end
end

return members
