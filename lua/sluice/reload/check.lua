-- Refuses a new configuration that needs a restart: memory, ports and threads have the sizes of the
-- start, and so have the tables of the dataplane (places). Each mistake is noted at its key.
local breath = require "sluice.base.breath"
local lab_keys = require "sluice.schema.lab_keys"
local parts = require "sluice.config.parts"
local pieces = require "sluice.reload.pieces"
local schema = require "sluice.schema.schema"
local network = require "sluice.core.network"

local check = {}

local RESTART = "differs from the value in force; a change needs a restart"

function check.same_value(a, b)
    if type(a) ~= "table" or type(b) ~= "table" then
        return a == b
    elseif #a ~= #b or a.value ~= b.value or a.kind ~= b.kind then
        return false
    end
    for i, item in ipairs(a) do
        if item ~= b[i] then
            return false
        end
    end
    return true
end

-- Whether two records of a constructor have the same keys with the same values; what is inside them is not looked at.
function check.same_record(a, b, constructor)
    for _, key in ipairs(constructor.keys) do
        if not check.same_value(a[key.out], b[key.out]) then
            return false
        end
    end
    return true
end

-- Whether a block of the file's top stayed: all its records, in their order.
function check.same_block(old, new, name)
    local constructor = schema.constructor[name]
    local function records(cfg)
        return constructor.single and { cfg[name] } or cfg[name] or {}
    end
    local before, after = records(old), records(new)
    if #before ~= #after then
        return false
    end
    for i, record in breath.each(after) do
        if not check.same_record(before[i], record, constructor) then
            return false
        end
    end
    return true
end

-- Notes each key of `names` (nil: all) with a changed value.
local function check_keys(critic, old, new, constructor, names)
    for _, name in ipairs(names or constructor.key_names) do
        local out = constructor.key[name].out
        if not check.same_value(old[out], new[out]) then
            critic:note(new, name, RESTART)
        end
    end
end

local function keys_but(constructor, but)
    local names = {}
    for _, name in ipairs(constructor.key_names) do
        names[#names + 1] = name ~= but and name or nil
    end
    return names
end

-- Notes what differs in a block of the lab and in those inside it. owner: the new record around it.
local function check_block(critic, owner, before, after, constructor)
    local old, new = before or {}, after or {}
    if constructor.single then
        old, new = { before }, { after }
    end
    if #old ~= #new then
        return critic:note(owner, constructor.name, "differs from what is in force; a change needs a"
            .. " restart")
    end
    for i, record in ipairs(new) do
        check_keys(critic, old[i], record, constructor)
        for _, child in ipairs(constructor.children) do
            check_block(critic, record, old[i][child.name], record[child.name], child)
        end
    end
end

local function check_lab(critic, old, new)
    if (old.lab == nil) ~= (new.lab == nil) then
        critic:note(new.run, "name", "lab { } differs from the one in force; a change needs a restart")
    elseif new.lab then
        check_block(critic, new, old.lab, new.lab, schema.constructor.lab)
    end
end

-- Those of a cell, an NSE, an MS or a phone.
local function check_blocks(critic, old, new, constructors)
    for _, constructor in ipairs(constructors) do
        check_block(critic, new, old[constructor.name], new[constructor.name], constructor)
    end
end

local function check_classes(critic, old, new)
    for i, class in ipairs(new.class) do
        check_keys(critic, old.class[i], class, schema.constructor.class, { "flows", "refuse_late", "scope", "window" })
        check_keys(critic, old.class[i].aqm, class.aqm, schema.constructor.aqm, { "name" })
    end
end

local function check_cells(critic, nse, record)
    local old = {}
    for _, bvc in breath.each(nse.cfg.bvc) do
        old[bvc.bvci] = bvc
    end
    for _, bvc in breath.each(record.bvc) do
        if old[bvc.bvci] then
            check_keys(critic, old[bvc.bvci], bvc, schema.constructor.bvc, { "area", "ci" })
            check_blocks(critic, old[bvc.bvci], bvc, lab_keys.of_bvc)
        end
    end
end

local function check_nses(critic, new)
    for _, record in breath.each(new.nse) do
        local nse = network.nse_of_nsei[record.nsei]
        if nse then
            check_keys(critic, nse.cfg, record, schema.constructor.nse, { "ns" })
            check_blocks(critic, nse.cfg, record, lab_keys.of_nse)
            if new.lab then
                check_cells(critic, nse, record)
            end
        end
    end
end

local function any_radio(cfg)
    for _, nse in breath.each(cfg.nse) do
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                if ms.radio then
                    return true
                end
            end
        end
    end
    for _, phone in breath.each(cfg.phone or {}) do
        if phone.radio then
            return true
        end
    end
end

-- The lab makes the radio of an MS or a phone once. Each block of the new file is noted once, whatever parts it has.
local function check_radios(critic, old, new)
    if not (new.lab and (any_radio(old) or any_radio(new))) then
        return
    end
    local constructor, told = schema.constructor.ms.child.radio, nil
    pieces.each_in_both(old, new, function(before, after)
        local a, b = before.radio, after.radio
        if after ~= told and (a or b) and not (a and b and check.same_record(a, b, constructor)) then
            told = after
            check_blocks(critic, before, after, { constructor })
        end
    end)
end

-- Phones have their places from the start.
local function check_attach(critic, old, new)
    if old.attach and not new.attach then
        critic:note(new.run, "name", "attach { }, which is in force, is missing; to take it away needs a restart")
    elseif new.attach and not old.attach then
        critic:note(new.attach, "who", "attach { } is not in force; to add it needs a restart")
    elseif new.attach then
        check_keys(critic, old.attach, new.attach, schema.constructor.attach, { "most" })
    end
end

-- Paths to GGSNs are made at the start, and phones' contexts hang on them.
local function check_controls(critic, old, new)
    local before = {}
    for _, ggsn in ipairs(old.ggsn) do
        before[ggsn.name] = ggsn.control and ggsn
    end
    for _, ggsn in ipairs(new.ggsn) do
        local was = before[ggsn.name]
        if (was or ggsn.control) and not (was and not parts.differ(was, ggsn, { "control", "address", "mac" })) then
            critic:note(ggsn, "control", RESTART)
        end
        before[ggsn.name] = nil
    end
    for _, ggsn in ipairs(old.ggsn) do
        if before[ggsn.name] then
            critic:note(new.run, "name", ("the GGSN %s, which has control, is missing; a change needs a restart"):format(
                ggsn.name))
        end
    end
end

-- The dataplane has the places of the start.
local function check_room(critic, old, new)
    for _, key in ipairs(schema.constructor.room.keys) do
        local name = key.name
        if new.room.given[name] and new.room[name] ~= old.room[name] then
            critic:note(new.room, name, RESTART .. ": " .. old.room[name] .. " places")
        end
    end
end

-- Notes MSs with more packet flows or options than the dataplane has room for.
local function check_mss(critic, made, new)
    for _, nse in breath.each(new.nse) do
        for _, bvc in breath.each(nse.bvc) do
            for _, ms in breath.each(bvc.ms) do
                local pfcs, options = #select(2, parts.slots_of(ms)), parts.options_octets(ms)
                if pfcs > made.room_pfcs then
                    critic:note(ms, "imsi", ("%d packet flows; an MS has room for %d (room.pfcs); more"
                        .. " needs a restart"):format(pfcs, made.room_pfcs))
                elseif options > made.ms_options_octets then
                    critic:note(ms, "imsi", ("%d octets of options in DL-UNITDATA; an MS has room for"
                        .. " %d, the most at the start; more needs a restart"):format(options,
                        made.ms_options_octets))
                end
            end
        end
    end
end

-- All checks of the two configurations. made: the dp_config of the start.
function check.all(critic, made, old, new)
    for _, name in ipairs { "run", "queue" } do
        check_keys(critic, old[name], new[name], schema.constructor[name])
    end
    check_keys(critic, old.gn, new.gn, schema.constructor.gn, keys_but(schema.constructor.gn, "from"))
    check_keys(critic, old.gb, new.gb, schema.constructor.gb,
        keys_but(schema.constructor.gb, "capture"))
    check_lab(critic, old, new)
    check_classes(critic, old, new)
    check_nses(critic, new)
    check_radios(critic, old, new)
    check_attach(critic, old, new)
    check_controls(critic, old, new)
    check_room(critic, old, new)
    check_mss(critic, made, new)
end

-- Notes that `more` places of a kind are needed than are free.
function check.places(critic, new, name, more, free)
    if more > free then
        critic:note(new.room, name, ("%d more than are in force, but %d places are free; more needs a"
            .. " restart"):format(more, free))
    end
end

return check
