-- What the parts that say how Gb's procedures behave say about each other: who speaks first and
-- who is there to speak to, values by hand that nobody would use, room for what the file has, the
-- user's script. Also fills in the defaults of room { }. See config_cross.lua.
local breath = require "sluice.breath"
local check = require "sluice.config_check"
local parts = require "sluice.setup_parts"
local schema = require "sluice.schema"

local note, is_given = check.note, check.is_given

local gb = {}

-- Who brings its NS-VCs up, and whether there are any.
local function check_nsvcs(state, nse)
    if nse.dynamic and nse.ns ~= "reset" then
        note(state, nse, "dynamic", 'found true, allowed with ns = "reset" only: NS-RESET says'
            .. " whose an unknown endpoint is")
    elseif nse.ns == "sns" and #nse.nsvc > 0 then
        check.note_record(state, nse.nsvc[1], 'found nsvc { }, allowed none with ns = "sns": the'
            .. " BSS says its endpoints")
    elseif #nse.nsvc == 0 and nse.ns ~= "sns" and nse.dynamic == false then
        check.note_few(state, nse, schema.constructor.nsvc)
    end
end

-- Values by hand hold where the BSS says none, or until it does.
local function check_by_hand(state, nse)
    if nse.ns == "manual" or nse.flow_control ~= "wait" then
        return
    end
    for _, bvc in breath.each(nse.bvc) do
        for _, key in ipairs { "rate", "ms_rate" } do
            if is_given(state, bvc, key) then
                note(state, bvc, key, 'found a rate by hand, allowed with flow_control = "open" or'
                    .. ' ns = "manual" of its nse only: else nothing goes before the BSS says it')
            end
        end
    end
end

local function check_nse(state, cfg, nse)
    if cfg.lab and nse.ns and nse.ns ~= "manual" then
        note(state, nse, "ns", 'found "%s"%s, allowed "manual" beside lab { }: its BSS says'
            .. " nothing", nse.ns, is_given(state, nse, "ns") and "" or " by default")
    end
    if nse.ns then
        check_nsvcs(state, nse)
        check_by_hand(state, nse)
    end
end

-- ---- room { } ----

-- Packet flows of an MS; 0 if what is in one was refused.
local function flows_of(ms)
    for _, pdp in ipairs(ms.pdp) do
        if not pdp.class then
            return 0
        end
    end
    return #select(2, parts.slots_of(ms))
end

-- NSEs belong to workers by turns. A worker's MSs and contexts, and the most of any.
local function count_of_worker(n, cfg, i, nse)
    local w = i % (cfg.run and cfg.run.workers or 1)
    local of = n.of_worker[w] or { mss = 0, pdps = 0 }
    n.of_worker[w] = of
    for _, bvc in breath.each(nse.bvc) do
        for _, ms in breath.each(bvc.ms) do
            of.mss, of.pdps = of.mss + ms.count, of.pdps + ms.count * #ms.pdp
        end
    end
    n.worker_mss = math.max(n.worker_mss, of.mss)
    n.worker_pdps = math.max(n.worker_pdps, of.pdps)
end

local function count(cfg)
    local n = {
        nses = #cfg.nse, nsvcs = 0, ggsns = #cfg.ggsn, bvcs = 0, mss = 0, pdps = 0, flows = 1,
        worker_mss = 0, worker_pdps = 0, of_worker = {},
    }
    for i, nse in breath.each(cfg.nse) do
        count_of_worker(n, cfg, i, nse)
        n.nsvcs = n.nsvcs + #nse.nsvc
        n.bvcs = n.bvcs + #nse.bvc
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                n.mss = n.mss + ms.count
                n.pdps = n.pdps + ms.count * #ms.pdp
                n.flows = math.max(n.flows, flows_of(ms))
            end
        end
    end
    return n
end

local function check_room(state, cfg)
    local room, n = cfg.room, count(cfg)
    for _, key in ipairs(room and schema.constructor.room.keys or {}) do
        local has, name = n[key.name], key.name
        if room[name] and room[name] < has then
            note(state, room, name, "found %d, allowed no less than the file has, %d", room[name],
                has)
        elseif key.share_of and not is_given(state, room, name) then
            local share = (room[key.share_of] * 5 - 1) // (4 * (cfg.run and cfg.run.workers or 1)) + 1
            room[name] = math.min(math.max(has, share), room[key.share_of])
        elseif not is_given(state, room, name) then
            local more = key.least_more and math.max(has // 8, key.least_more) or 0
            room[name] = math.min(has + more, key.most)
        end
    end
end

-- ---- policy { } ----

-- source.read(path) is the host's: the text of a file, or nil and why not.
local function load_script(state, cfg, source)
    local policy = require "sluice.policy"
    local path = policy.path(source.name, cfg.policy.script)
    local text, why = source.read(path)
    if not text then
        return note(state, cfg.policy, "script", "found %s", why)
    end
    cfg.policy.path, cfg.policy.text = path, text
    local line, wrong = policy.check(cfg.policy)
    if wrong then
        state.mistakes:add(path .. ":" .. line, "policy", wrong)
    end
end

function gb.all(state, cfg, source)
    for _, nse in breath.each(cfg.nse) do
        check_nse(state, cfg, nse)
    end
    check_room(state, cfg)
    if cfg.policy and cfg.policy.script and cfg.policy.instructions then
        load_script(state, cfg, source)
    end
end

return gb
