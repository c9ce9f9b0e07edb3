-- `sluice ctl reload` and SIGHUP: a new configuration replaces the one in force, as a whole or not at
-- all. First the file is checked as at the start, then against the configuration in force: changes that
-- need a restart, places, TLLIs. Then the changes are made in an order in which each step is legal: new
-- GGSNs, NSEs, NS-VCs and cells; removed MSs; changed and moved MSs; new MSs; obsolete cells, NS-VCs,
-- NSEs and GGSNs. Events are handled in between, so each step looks at the registry again. An MS that
-- roamed stays in its cell, unless the file moves the MS or the cell is removed.
local bisect = require "sluice.base.bisect"
local breath = require "sluice.base.breath"
local capture = require "sluice.core.capture"
local check = require "sluice.reload.check"
local class_values = require "sluice.policy.classes"
local count = require "count"
local dp = require "dp"
local loading = require "sluice.reload.loading"
local log = require "log"
local members = require "sluice.subscribers.members"
local nses = require "sluice.reload.nses"
local parts = require "sluice.config.parts"
local pieces = require "sluice.reload.pieces"
local policy = require "sluice.policy.hooks"
local ranges = require "sluice.subscribers.ranges"
local requests = require "sluice.core.requests"
local setup = require "sluice.config.setup"
local single = require "sluice.subscribers.single"
local subscribers = require "sluice.subscribers.registry"
local tllis = require "sluice.reload.tllis"
local tunnels = require "sluice.subscribers.tunnels"
local jobs = require "sluice.core.jobs"
local network = require "sluice.core.network"

local reload = {}

local made -- the dp_config of the start

-- ---- The plan ----

local function number_of(imsi)
    return math.tointeger(tonumber(imsi))
end

local function first_of(piece)
    return number_of(piece.imsi)
end

-- Returns a function that says whether the new file lacks an IMSI in force.
local function removals(list)
    local removed = {}
    for _, piece in breath.each(list) do
        if not piece.new then
            local length = #piece.imsi
            removed[length] = removed[length] or {}
            table.insert(removed[length], piece) -- in the order of IMSIs
        end
    end
    return function(imsi)
        local spans, number = removed[#imsi] or {}, number_of(imsi)
        local span = spans[bisect(spans, first_of, number)]
        return span and number < first_of(span) + span.count
    end
end

local function is_member(piece, imsi, member)
    return imsi == parts.imsi(piece, member)
end

-- The MSs and contexts that are added, less those that are removed before.
local function count_mss(list)
    local mss, pdps = 0, 0
    for _, piece in breath.each(list) do
        local sign = piece.new and piece.old and 0 or piece.new and 1 or -1
        mss = mss + sign * piece.count
        pdps = pdps + piece.count * ((piece.new and #piece.new.pdp or 0)
            - (piece.old and #piece.old.pdp or 0))
    end
    return mss, pdps
end

-- Checks the places of each worker for added MSs and contexts: an NSE in force has its worker, a new
-- NSE may get any. Removed MSs free no places here, for they may have roamed to another worker.
local function check_rooms(plan, new)
    local more, any = {}, { mss = 0, pdps = 0 }
    for _, piece in breath.each(plan.pieces) do
        local nse = piece.new and network.nse_of_nsei[piece.nsei]
        local w = nse and nse.id % new.run.workers
        local of = w and (more[w] or { mss = 0, pdps = 0 }) or any
        more[w or -1] = of
        local pdps = piece.new and #piece.new.pdp - (piece.old and #piece.old.pdp or 0) or 0
        of.mss = of.mss + (piece.old and 0 or piece.count)
        of.pdps = of.pdps + piece.count * math.max(pdps, 0)
    end
    for w = 0, new.run.workers - 1 do
        local mss, pdps = dp.worker_left(w)
        local of = more[w] or { mss = 0, pdps = 0 }
        check.places(plan.critic, new, "worker_mss", of.mss + any.mss, mss)
        check.places(plan.critic, new, "worker_pdps", of.pdps + any.pdps, pdps)
    end
end

-- Keeps ids for the file's new NS-VCs and cells while BSSs add their own; nil: the reload is over.
local function keep_ids(more)
    for _, kind in ipairs { "nsvc", "bvc" } do
        network.ids[kind]:keep(more and more[kind .. "s"] or 0)
    end
end

local function check_places(plan, old, new)
    local more = nses.count_new(old, new)
    local mss, pdps = count_mss(plan.pieces)
    for _, kind in ipairs { "nse", "nsvc", "ggsn", "bvc" } do
        check.places(plan.critic, new, kind .. "s", more[kind .. "s"], network.ids[kind]:left())
    end
    keep_ids(more)
    check.places(plan.critic, new, "mss", mss, ranges.left("mss"))
    check.places(plan.critic, new, "pdps", pdps, ranges.left("pdps"))
    if new.room.worker_mss < new.room.mss or new.room.worker_pdps < new.room.pdps then
        check_rooms(plan, new)
    end
end

local function make_plan(old, new, critic)
    local plan = { critic = critic, pieces = {}, is_member = is_member }
    check.all(plan.critic, made, old, new)
    if not critic:any() then
        plan.pieces = pieces.of(new)
        plan.is_removed = removals(plan.pieces)
        tllis.set(plan)
        check_places(plan, old, new)
    end
    return plan, critic:texts()
end

-- ---- Carrying it out ----

-- Calls fn(record, done) for each record of the piece's MSs, cut to the piece. fn returns the number of
-- MSs it has done. Each record is looked up again, since events may change the list.
local function each_record(piece, fn)
    local done = 0
    while done < piece.count do
        local record, member = subscribers.find(parts.imsi(piece, done))
        if member > 0 then
            record = subscribers.cut(record, member)
        end
        if record.count > piece.count - done then
            subscribers.cut(record, piece.count - done)
        end
        done = done + fn(record, done)
    end
end

local function remove_mss(plan, done)
    for _, piece in breath.each(plan.pieces) do
        if not piece.new then
            each_record(piece, function(record)
                ranges.remove(record)
                return record.count
            end)
            done("MS", "removed", piece.count)
        end
    end
end

local function home_of(piece)
    local nse = network.nse_of_nsei[piece.nsei]
    return nse.id, nse.bvcs[piece.bvci].id
end

-- grow = true: MSs with more contexts than before. They come after the others, since places were
-- counted for the whole reload.
local function change_mss(plan, grow, done)
    for _, piece in breath.each(plan.pieces) do
        if piece.new and piece.old and (#piece.new.pdp > #piece.old.pdp) == grow then
            local nse_id, bvc_id = home_of(piece)
            local changed = 0
            each_record(piece, function(record, from)
                local n, other = ranges.change(record, piece.new, from, nse_id, bvc_id)
                changed = changed + (other and n or 0)
                return n
            end)
            done("MS", "changed", changed)
        end
    end
end

local function add_mss(plan, done)
    for _, piece in breath.each(plan.pieces) do
        if not piece.old then
            local nse_id, bvc_id = home_of(piece)
            assert(ranges.add(nse_id, bvc_id, piece.new))
            done("MS", "added", piece.count)
        end
    end
end

-- Single MSs have no other cell in the file. Which they are is looked at before any goes, as others take their places.
local function send_away(obsolete)
    local ids = {}
    for _, record in ipairs(single.records) do
        ids[#ids + 1] = obsolete[dp.ms_cell(record.first_ms_id) or -1] and record.first_ms_id or nil
    end
    for _, ms_id in ipairs(ids) do
        subscribers.tell("homeless", ms_id)
    end
end

-- Moves MSs that roamed into one of these cells to their cells in the file.
local function send_home(bvcs)
    local obsolete = {}
    for _, bvc in breath.each(bvcs) do
        obsolete[bvc.id] = true
    end
    for _, record in ipairs(subscribers.list()) do
        ranges.each(record, function(_, member)
            local ms_id = record.first_ms_id + member
            if obsolete[dp.ms_cell(ms_id) or -1] then
                members.move(record, member)
            end
        end)
    end
    send_away(obsolete)
end

local TRIES_MOST = 100

-- A worker may have moved an MS into the cell before the cell was blocked: then the dataplane refuses
-- the removal, and the MS is sent home too.
local function remove_bvc(bvc)
    local good, why = pcall(network.remove_bvc, bvc)
    for _ = 1, TRIES_MOST do
        if good then
            return
        end
        jobs.breathe()
        send_home { bvc }
        good, why = pcall(network.bvc_kept, bvc.id)
    end
    error(why, 0)
end

-- Cells are blocked first, so that no more MSs move in.
local function remove_bvcs(new, done)
    local bvcs = nses.obsolete_bvcs(new)
    for _, bvc in breath.each(bvcs) do
        dp.bvc_block { bvc_id = bvc.id, blocked = true }
    end
    if #bvcs > 0 then
        send_home(bvcs)
    end
    for _, bvc in breath.each(bvcs) do
        remove_bvc(bvc)
        done("cell", "removed")
    end
end

local function set_classes(old, new, policy_stays, done)
    for i, class in ipairs(new.class) do
        local before = policy_stays and old.class[i] or class_values.classes[i]
        if class_values.differ(before, class) then
            class_values.set(i, class)
            done("class", "changed")
        end
    end
end

local function same_policy(a, b)
    return a == b or a and b and a.text == b.text and a.path == b.path and a.every_ns == b.every_ns
        and a.instructions == b.instructions or false
end

local function set_capture(old, new, done)
    if old.gb.capture ~= new.gb.capture then
        local switch = new.gb.capture and capture.start or capture.stop
        switch()
        done("gb.capture", "changed")
    end
end

-- Blocks that are read where they are used: with the new configuration they hold for what begins next.
local BLOCKS = { "timers", "log", "attach", "apn", "phone" }

local function tell_blocks(old, new, done)
    for _, name in ipairs(BLOCKS) do
        if not check.same_block(old, new, name) then
            done(name .. " { }", "changed")
        end
    end
end

local function set_rest(old, new, done)
    tell_blocks(old, new, done) -- takes its time, so before anything is half in force
    local stays = same_policy(old.policy, new.policy)
    set_classes(old, new, stays, done)
    new.room = old.room -- places cannot change
    network.cfg = new
    if old.log.level ~= new.log.level then -- else the level of `ctl log` stays
        log.level(new.log.level)
    end
    set_capture(old, new, done)
    if not stays then
        policy.set(new.policy)
        done("policy", "changed")
    end
    network.tell("configured")
end

local function apply(plan, old, new, done)
    local ggsn_ids = nses.add(old, new, done)
    remove_mss(plan, done)
    change_mss(plan, false, done)
    change_mss(plan, true, done)
    add_mss(plan, done)
    remove_bvcs(new, done)
    nses.remove(old, new, ggsn_ids, done)
    set_rest(old, new, done)
    tunnels.again()
    keep_ids(nil)
end

-- ---- The answer ----

local COUNTED = { "GGSN", "NSE", "NS-VC", "cell", "MS", "class", "policy" }
local PLURAL = {
    GGSN = "GGSNs", NSE = "NSEs", ["NS-VC"] = "NS-VCs", cell = "cells", MS = "MSs",
    class = "classes", policy = "policies",
}

local function counter()
    local counts, named = {}, {}
    local function done(what, how, n)
        if PLURAL[what] then
            counts[what .. how] = (counts[what .. how] or 0) + (n or 1)
        else
            named[#named + 1] = what
        end
    end
    return counts, named, done
end

local function summary(counts, named)
    local list = {}
    for _, what in ipairs(COUNTED) do
        for _, how in ipairs { "added", "changed", "removed" } do
            local n = counts[what .. how] or 0
            if n > 0 then
                list[#list + 1] = ("%d %s %s"):format(n, n == 1 and what or PLURAL[what], how)
            end
        end
    end
    for _, name in ipairs(named) do
        list[#list + 1] = name .. " changed"
    end
    return #list > 0 and table.concat(list, ", ") or "no changes"
end

local function refused(texts)
    count.add("reloads_refused")
    log.error("reload refused, the old configuration stays in force")
    for i, text in ipairs(texts) do
        log.error(("reload refused, %d of %d: %s"):format(i, #texts, text)) -- alike lines are limited
    end
    return false, table.concat(texts, "\n")
end

-- The configuration is in force, but writing contexts.json may fail.
local function told(text)
    local good, why = pcall(network.contexts.written)
    if good then
        log.info("reload: " .. text)
        return true, text
    end
    text = text .. "; contexts.json could not be written and is tried again: " .. why
    log.error("reload: " .. text)
    return false, text
end

-- Returns the plan and the new configuration; or nil and the mistakes.
local function load_and_plan()
    return loading.with(function(new, critic)
        if not new then
            return nil, critic
        end
        local plan, wrong = make_plan(network.cfg, new, critic)
        if wrong then
            keep_ids(nil)
            return nil, wrong
        end
        return plan, new
    end)
end

-- Runs as a job. Returns true and the summary, or false and the mistakes, one a line.
function reload.run()
    made = made or setup.dp_config(network.cfg)
    local plan, new = load_and_plan()
    if not plan then
        return refused(new)
    end
    local counts, named, done = counter()
    apply(plan, network.cfg, new, done)
    count.add("reloads")
    return told(summary(counts, named))
end

requests.on("reload", function(words)
    if words[2] then
        return false, requests.usage "reload" .. "; it takes no file, but reads the run's own again"
    end
    return reload.run()
end)

return reload
