-- The runs of one file: which changes its variants and the points of its sweep make, and which of them
-- one load of the file has. A load tries every variant and, unless a point is chosen, every value of an
-- axis, so that a mistake in any of them is found; only what was chosen stays.
local check = require "sluice.config.check"
local lines = require "sluice.config.lines"
local nearest = require "sluice.base.nearest"
local schema = require "sluice.schema.schema"
local script_check = require "sluice.script.check"
local set = require "sluice.config.set"
local settings = require "sluice.config.settings"
local values = require "sluice.config.values"

local variants = {}

local POINTS_MOST = 100000
local LABEL_MOST = 200 -- a folder's name has 255 octets at most
local ALL = "all"
local ENDINGS = { json = true, csv = true, html = true, pcap = true, pcapng = true, sh = true } -- of files of results

-- ---- What the file says, before its other checks: records { kind values, place(i), path } ----

local function children(run, node, kind)
    local list = {}
    for _, number in ipairs((values.sorted_keys(node.table))) do
        local child = run.nodes[node.table[number]]
        list[#list + 1] = child and child.kind == kind and child or nil
    end
    return list
end

-- The block of that kind, of which there may be one.
local function block(run, kind)
    for _, node in ipairs(run.made) do -- there may be many cells
        if node.kind == kind then
            return node
        end
    end
end

-- The value of a key in its normal form; nil if it is not given or wrong, which check.lua notes.
local function value_of(node, name)
    local raw, wrong = node.table[name], false
    local value = raw ~= nil and values.check(schema.constructor[node.kind].key[name], raw, function()
        wrong = true
    end)
    return not wrong and value or nil
end

-- The place and path of each item of a key that has a list, or one item without a list.
local function places(run, node, path, name)
    local raw = node.table[name]
    local literal = type(raw) == "table" and run.literals[raw[lines.MARK]]
    return function(i)
        return literal and literal.items[i] or check.place(node, name),
            ("%s.%s%s"):format(path, name, type(raw) == "table" and "[" .. i .. "]" or "")
    end
end

-- The part of a folder's name for a value.
local function label(name, value)
    return name .. "=" .. value:gsub(" ", ""):gsub("[^%w.+%%-]", "_")
end

-- The axes of a sweep or a variant.
local function read_axes(run, node, path)
    local list = {}
    for i, child in ipairs(node and children(run, node, "axis") or {}) do
        local key = value_of(child, "key")
        local axis = {
            key = key, name = value_of(child, "name") or key and key:match("([%w_]+)$"), changes = {},
            labels = {}, at = places(run, child, ("%s.axis[%d]"):format(path, i), "values"),
            path = ("%s.axis[%d]"):format(path, i), place = check.place(child, "key"),
        }
        for j, value in ipairs(key and axis.name and value_of(child, "values") or {}) do
            axis.changes[j], axis.labels[j] = key .. "=" .. value, label(axis.name, value)
        end
        list[i] = axis
    end
    return list
end

local function read_variants(run)
    local node, list = block(run, "variants"), {}
    for i, child in ipairs(node and children(run, node, "variant") or {}) do
        local path = ("variants.variant[%d]"):format(i)
        list[i] = {
            name = value_of(child, "name"), file = value_of(child, "file"),
            changes = value_of(child, "set") or {}, at = places(run, child, path, "set"),
            file_at = places(run, child, path, "file"), axes = read_axes(run, child, path),
        }
    end
    return list, node and value_of(node, "default")
end

-- ---- Applying ----

-- Applies one change of the file; notes a mistake with the key that it is about. behind: more text.
local function apply(run, mistakes, change, place, path, behind)
    local mistake, done = set.apply(run, change, place)
    if mistake then
        mistakes:add(place, path, values.printable(change:match("^[^=]*")) .. ": " .. mistake
            .. (behind or ""))
    end
    return done, mistake
end

-- Applies the settings of a file; returns those applied.
function variants.apply_file(run, mistakes, found)
    local applied = {}
    for _, setting in ipairs(found) do
        applied[#applied + 1] = apply(run, mistakes, setting.text, setting.place, "")
    end
    return applied
end

local function apply_file_of(run, mistakes, variant, source)
    if not variant.file then
        return {}
    end
    local path = script_check.path(source.name, variant.file)
    return variants.apply_file(run, mistakes, settings.read(path, source, mistakes, variant.file_at(1)))
end

local function apply_changes_of(run, mistakes, variant)
    local applied = {}
    for i, change in ipairs(variant.changes) do
        applied[#applied + 1] = apply(run, mistakes, change, variant.at(i))
    end
    return applied
end

-- The variants in the order to try them: those of one file beside each other, `chosen` last.
local function in_order(list, chosen)
    local order, place, place_of_file = table.move(list, 1, #list, 1, {}), {}, {}
    for i, variant in ipairs(list) do
        local file = variant.file or ""
        place[variant], place_of_file[file] = i, place_of_file[file] or i
    end
    if chosen then
        place[chosen], place_of_file[chosen.file or ""] = #list + 1, #list + 1
    end
    table.sort(order, function(a, b)
        local a_file, b_file = place_of_file[a.file or ""], place_of_file[b.file or ""]
        return a_file < b_file or a_file == b_file and place[a] < place[b]
    end)
    return order
end

-- Tries each value of the axis on what the variant, or nil, has made of the file. A wrong key is a mistake
-- of all of them, and noted once.
local function try_values(run, mistakes, axis, variant)
    local first = #run.changes + 1
    local behind = variant and variant.name and ("; in variant %s"):format(variant.name)
    for i, change in ipairs(axis.changes) do
        local place, path = axis.at(i)
        local _, mistake = apply(run, mistakes, change, place, path, behind)
        set.undo(run, first)
        if mistake and mistake:find("^unknown") then
            return
        end
    end
end

-- Tries all variants with their own axes, each on the text's own values and its file's. A file's settings take the longest,
-- and are applied once for all variants that have it. What `chosen` does stays; returns its changes.
local function try_variants(run, mistakes, list, chosen, source, tries_values)
    local of_file, own, first = {}, {}, 1
    local order = in_order(list, chosen)
    for i, variant in ipairs(order) do
        if i > 1 and variant.file == order[i - 1].file then
            set.undo(run, first)
        else
            set.undo(run, 1)
            of_file = apply_file_of(run, mistakes, variant, source)
            first = #run.changes + 1
        end
        own = apply_changes_of(run, mistakes, variant)
        for _, axis in ipairs(tries_values and variant.axes or {}) do
            try_values(run, mistakes, axis, variant)
        end
    end
    if not chosen then
        set.undo(run, 1)
        return {}
    end
    return table.move(own, 1, #own, #of_file + 1, of_file)
end

-- asked: the name in --variant; nil: none.
local function find_variant(list, asked, default, mistakes)
    local names = {}
    for i, variant in ipairs(list) do
        names[i] = variant.name
        if variant.name and variant.name == (asked or default) then
            return variant
        end
    end
    if not asked then
        return list[1]
    end
    local name = values.plain(asked)
    mistakes:add("--variant " .. name, "", #names == 0 and "the file has no variants { }"
        or ("unknown variant; allowed: %s"):format(table.concat(names, ", "))
        .. nearest.hint(name, names))
end

local function place_of(list, text)
    for i, item in ipairs(list) do
        if item == text then
            return i
        end
    end
end

-- The places of the values of a point, by axis; nil after a mistake, which is noted.
local function find_point(axes, point, mistakes)
    local place = "--point " .. values.plain(point)
    local chosen, parts = {}, {}
    for part in (point .. ","):gmatch("([^,]*),") do -- no label has a comma
        parts[#parts + 1] = part
    end
    for i, axis in ipairs(axes) do
        chosen[i] = place_of(axis.labels, parts[i])
        if not chosen[i] then
            return mistakes:add(place, "", ("found %s for axis %d, allowed %s"):format(
                values.show(parts[i]), i, table.concat(axis.labels, ", ", 1, math.min(#axis.labels, 10))))
        end
    end
    if #axes == 0 or #parts > #axes then
        return mistakes:add(place, "", #axes == 0 and "the file has no sweep { }"
            or ("found %d values, allowed one for each of %d axes"):format(#parts, #axes))
    end
    return chosen
end

-- ---- What an axis sets must stay: else its points would differ in their names alone ----

-- What the changes from number `first` on make of the axis's key: the blocks that have its value.
local function hold(run, axis, first)
    local word, blocks, count = axis.key:match("([%w_]+)$"), {}, 0
    for i = first, #run.changes do
        local change = run.changes[i]
        if change.name == word and not blocks[change.node] then
            blocks[change.node], count = true, count + 1
        end
    end
    return { axis = axis, word = word, blocks = blocks, count = count }
end

-- Notes each axis of `held` that the changes from number `first` on take the last block of. what: their key, as far as
-- place and path do not have it.
function variants.keep(run, mistakes, held, first, what, place, path)
    for i = first, #run.changes do
        local change = run.changes[i]
        for _, one in ipairs(change.name and held or {}) do
            if change.name == one.word and one.blocks[change.node] then
                one.blocks[change.node], one.count = nil, one.count - 1
                if one.count == 0 then
                    mistakes:add(place, path, ("%ssets all that %s (%s) sets; leave one of them out"):format(
                        what, one.axis.path, one.axis.key))
                end
            end
        end
    end
end

-- ---- What a variant sets must stay where several run: else its name would lie ----

-- The keys that the changes so far have given a value, by block.
local function given(run)
    local keys = {}
    for _, change in ipairs(run.changes) do
        if change.name and change.node.table[change.name] ~= nil then
            keys[change.node] = keys[change.node] or {}
            keys[change.node][change.name] = true
        end
    end
    return keys
end

-- The first of the keys that the changes from number `first` on take a value of, such as "aqm.name"; nil: none.
function variants.taken(run, keys, first)
    for i = first, #run.changes do
        local change = run.changes[i]
        if change.name and keys[change.node] and keys[change.node][change.name] then
            return change.node.kind .. "." .. change.name
        end
    end
end

-- Applies a value of each axis. Returns what was done, and what the axes hold.
local function apply_point(run, mistakes, axes, point)
    local applied, held = {}, {}
    for i, axis in ipairs(axes) do
        local first, j = #run.changes + 1, point[i]
        applied[#applied + 1] = apply(run, mistakes, axis.changes[j], axis.at(j))
        variants.keep(run, mistakes, held, first, axis.key .. " ", axis.place, axis.path .. ".key")
        held[#held + 1] = hold(run, axis, first)
    end
    return applied, held
end

-- Applies the variant and the point of `sets` to the tables of the sandbox's result `run`, and tries
-- all others. Returns { variant, point, overrides }: the names, and KEY=VALUE in order; what the axes hold, for
-- variants.keep; and what the variant sets, for variants.taken.
function variants.apply(run, sets, mistakes, source)
    local list, default = read_variants(run)
    local axes = read_axes(run, block(run, "sweep"), "sweep")
    local chosen = find_variant(list, sets.variant, default, mistakes)
    local overrides = try_variants(run, mistakes, list, chosen, source, not sets.point)
    local keys = given(run)
    for _, axis in ipairs(sets.point and {} or axes) do
        try_values(run, mistakes, axis, chosen)
    end
    local own = chosen and chosen.axes or {}
    table.move(own, 1, #own, #axes + 1, axes)
    local point = sets.point and find_point(axes, sets.point, mistakes)
    local applied, held = apply_point(run, mistakes, point and axes or {}, point)
    table.move(applied, 1, #applied, #overrides + 1, overrides)
    return { variant = chosen and chosen.name, point = sets.point, overrides = overrides }, held, keys
end

-- ---- Checks of the normalised records ----

local function check_names(state, records, what)
    local first = {}
    for _, record in ipairs(records) do
        local name = record.name
        if name == ALL and what == "variant" then
            check.note(state, record, "name", 'found "all", allowed any other word: --variant all means every variant')
        elseif what == "variant" and name and ENDINGS[name:match("%.(%l+)$")] then
            check.note(state, record, "name", ("found %s, allowed a name that no file of the results may have"):format(
                values.show(name)))
        elseif name and first[name] then
            check.note(state, record, "name", ("found %s again (%s has it), allowed a name of its own"):format(
                values.show(name), state.node_of[first[name]].path))
        end
        first[name or ""] = first[name or ""] or record
    end
end

local function check_default(state, record)
    local names = {}
    for i, variant in ipairs(record.variant) do
        names[i] = variant.name
        if variant.name == record.default then
            return
        end
    end
    if record.default and #names > 0 and #names == #record.variant then
        check.note(state, record, "default", ("found %s, allowed a variant: %s"):format(
            values.show(record.default), table.concat(names, ", ")) .. nearest.hint(record.default, names))
    end
end

local function check_axis(state, axis)
    local seen = {}
    axis.name, axis.longest = axis.name or axis.key and axis.key:match("([%w_]+)$"), 0
    for i, value in ipairs(axis.values or {}) do
        local text = axis.name and label(axis.name, value) or value
        if seen[text] then
            check.note(state, axis, "values", ("found two values that give a folder the same name, %s")
                :format(values.show(text)))
            axis.longest = 0
            return
        end
        seen[text] = i
        axis.longest = math.max(axis.longest, #text + 1)
    end
end

-- The axes of a variant are those of the sweep, then its own.
local function axes_of(cfg, variant)
    local shared, own = cfg.sweep and cfg.sweep.axis or {}, variant and variant.axis or {}
    return table.move(own, 1, #own, #shared + 1, table.move(shared, 1, #shared, 1, {}))
end

-- Checks that all points of these axes have folders of their own.
local function check_points(state, axes)
    local points, octets, last = 1, 0, nil
    for _, axis in ipairs(axes) do
        octets = octets + axis.longest
        points, last = points * #(axis.values or {}), axis
        if points > POINTS_MOST then
            check.note(state, axis, "values", ("found %d points up to here, allowed at most %d"):format(
                points, POINTS_MOST))
            return
        end
    end
    if octets > LABEL_MOST then
        check.note(state, last, "values", ("found names of points with %d octets, allowed at most %d;"
            .. " give the axes shorter names"):format(octets, LABEL_MOST))
    end
    check_names(state, axes, "axis")
end

-- Checks the sweep's axes, then those of each variant that has its own.
local function check_axes(state, cfg)
    local shared = axes_of(cfg)
    for _, axis in ipairs(shared) do
        check_axis(state, axis)
    end
    check_points(state, shared)
    for _, variant in ipairs(cfg.variants and cfg.variants.variant or {}) do
        for _, axis in ipairs(variant.axis) do
            check_axis(state, axis)
        end
        if #variant.axis > 0 then
            check_points(state, axes_of(cfg, variant))
        end
    end
end

function variants.check(state, cfg)
    if cfg.variants then
        check_names(state, cfg.variants.variant, "variant")
        check_default(state, cfg.variants)
    end
    check_axes(state, cfg)
end

-- ---- For the program ----

-- All points as text, the last axis changing first.
local function points_of(axes)
    local points = { "" }
    for i, axis in ipairs(axes) do
        local longer = {}
        for _, point in ipairs(points) do
            for _, value in ipairs(axis.values) do
                longer[#longer + 1] = point .. (i > 1 and "," or "") .. label(axis.name, value)
            end
        end
        points = longer
    end
    return axes[1] and points or {}
end

local function write_items(writer, texts)
    writer.array()
    for _, text in ipairs(texts) do
        writer.value(text)
    end
    writer.close()
end

local function write_texts(writer, key, texts)
    writer.key(key)
    write_items(writer, texts)
end

-- All axes, each name once: { name, labels, values }. Variants may have one of the same name.
local function axes_by_name(cfg, list)
    local axes, of_name, seen = {}, {}, {}
    for _, variant in ipairs(list) do
        for _, axis in ipairs(axes_of(cfg, variant)) do
            local one = of_name[axis.name] or { name = axis.name, labels = {}, values = {} }
            if not of_name[axis.name] then
                of_name[axis.name], axes[#axes + 1] = one, one
            end
            for _, value in ipairs(axis.values) do
                local text = label(axis.name, value)
                if not seen[text] then
                    seen[text], one.labels[#one.labels + 1], one.values[#one.values + 1] = true, text, value
                end
            end
        end
    end
    return axes
end

local function write_axis(writer, axis)
    writer.object()
    writer.key("name")
    writer.value(axis.name)
    write_texts(writer, "labels", axis.labels)
    write_texts(writer, "values", axis.values)
    writer.close()
end

local function write_list(writer, key, list, write)
    writer.key(key)
    writer.array()
    for _, item in ipairs(list) do
        write(writer, item)
    end
    writer.close()
end

-- Writes { variants, default, shared, points, keys, axes }: the names in order; the variant of a run without
-- one; how many axes all variants share, which are the first; the points of each variant, or one list
-- without variants; the keys of its axes; and what the parts of a point's name mean.
function variants.plan(cfg, writer)
    local names, list = {}, cfg.variants and cfg.variants.variant or {}
    for i, variant in ipairs(list) do
        names[i] = variant.name
    end
    writer.object()
    write_texts(writer, "variants", names)
    if names[1] then
        writer.key("default")
        writer.value(cfg.variants.default or names[1])
    end
    writer.key("shared")
    writer.value(cfg.sweep and #cfg.sweep.axis or 0)
    list = names[1] and list or { {} }
    write_list(writer, "points", list, function(_, variant)
        write_items(writer, points_of(axes_of(cfg, variant)))
    end)
    write_list(writer, "keys", list, function(_, variant)
        local keys = {}
        for i, axis in ipairs(axes_of(cfg, variant)) do
            keys[i] = axis.key
        end
        write_items(writer, keys)
    end)
    write_list(writer, "axes", axes_by_name(cfg, list), write_axis)
    writer.close()
end

-- Writes what this load was made of: { config_sha256, files, variant, point, overrides }.
function variants.origin(cfg, writer)
    local origin = cfg.origin
    writer.object()
    writer.key("config_sha256")
    writer.value(origin.config_sha256)
    writer.key("files")
    writer.array()
    for _, file in ipairs(origin.files) do
        writer.object()
        writer.key("path")
        writer.value(file.path)
        writer.key("sha256")
        writer.value(file.sha256)
        writer.close()
    end
    writer.close()
    for _, name in ipairs { "variant", "point" } do
        if origin[name] then
            writer.key(name)
            writer.value(origin[name])
        end
    end
    write_texts(writer, "overrides", origin.overrides)
    writer.close()
end

-- Writes { sets }: for each --set of this load { place, key }, or {} if it replaces nothing that the variant sets.
function variants.replaced(cfg, writer)
    writer.object()
    write_list(writer, "sets", cfg.origin.replaced, function(_, one)
        writer.object()
        if one.key then
            writer.key("place")
            writer.value(one.place)
            writer.key("key")
            writer.value(one.key)
        end
        writer.close()
    end)
    writer.close()
end

return variants
