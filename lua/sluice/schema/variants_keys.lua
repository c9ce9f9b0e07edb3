-- The part of the schema that says which runs there are of one file: variants and sweeps. See schema.lua.
local variants = {}

local SETS_MOST, AXES_MOST, VALUES_MOST = 64, 8, 1000

-- The axes of a sweep, or of a variant, which may have none.
local function axes(min, help)
    return {
        name = "axis", min = min, max = AXES_MOST, help = help,
        keys = {
            {
                name = "key", type = "setting", example = "nse.bvc.rate",
                help = "the key, as with --set",
            },
            {
                name = "name", type = "word", optional = true, default_help = "the key's last word",
                help = "its name in the results",
            },
            {
                name = "values", type = "settings", most_items = VALUES_MOST,
                example = '{ "20 kbit/s", "40 kbit/s" }', help = "its values, in the order of the results",
            },
        },
    }
end

local variant = {
    name = "variant", min = 1, help = "a named set of changes of this file",
    children = { axes(0, "one key and its values, for this variant alone; its points are the sweep's,"
        .. " each with each of these") },
    keys = {
        {
            name = "name", type = "word", example = "tail",
            help = "the variant's name, for --variant and in the results; \"all\" means every variant",
        },
        {
            name = "file", type = "path", optional = true, default_help = "none",
            example = "recommended.lua",
            help = "a file of settings, a Lua text that returns a list of them, absolute or relative to"
                .. " the configuration's folder; they come before those of set",
        },
        {
            name = "set", type = "sets", most_items = SETS_MOST, optional = true,
            default_help = "none: the file as it is", example = '"class.aqm.name=codel"',
            help = "the settings that it changes, in this order, as with --set",
        },
    },
}

variants.variants = {
    name = "variants", min = 0, max = 1, single = true, children = { variant },
    chosen_by = "--variant chooses one",
    help = "variants of this file, in the order of the results; each run has one of them",
    keys = {
        {
            name = "default", type = "word", optional = true, default_help = "the first",
            help = "the variant of a run without --variant",
        },
    },
}

variants.sweep = {
    name = "sweep", min = 0, max = 1, single = true, children = { axes(1, "one key and its values") },
    chosen_by = "--point chooses one",
    help = "makes a run of each combination of the axes' values, called a point; the last axis changes first",
    keys = {},
}

return variants
