-- The part of the schema that says how Gb's procedures behave: how NS-VCs and cells come up, timers,
-- room for more than the file has, the user's script. See schema.lua.
local described = require "sluice.schema.described"
local timer_table = require "sluice.schema.timer_table"

local gb = {}

-- In the order of the feature bitmap's bits (48.018 11.3.45); gigabit is of the extended one.
gb.features = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" }

gb.NSVCS_AN_NSE = 16 -- the dataplane's limit

local NSE_KEYS = {
    {
        name = "ns", type = "choice", choices = { "reset", "alive", "sns", "manual" },
        default = "reset",
        help = "how NS-VCs come up: by NS-RESET and NS-UNBLOCK, by NS-ALIVE only, by the IP"
            .. " sub-network service; manual: NS-VCs and cells are up at once, for a BSS that sends"
            .. " no signalling",
    },
    {
        name = "dynamic", type = "switch", default = false,
        help = "whether an NS-RESET with this NSEI from an unknown endpoint creates an NS-VC",
    },
    {
        name = "cells", type = "choice", choices = { "listed", "any" }, default = "listed",
        help = "any: a BVC-RESET of a cell that is not in the file creates the cell",
    },
    {
        name = "cells_most", type = "integer", least = 1, most = 65536, optional = true,
        default_help = "an equal share of what the file leaves of room.bvcs",
        help = 'with cells = "any": the most cells that the BSS may create; room.bvcs includes them',
    },
    {
        name = "nsvcs_most", type = "integer", least = 1, most = gb.NSVCS_AN_NSE,
        optional = true,
        default_help = "an equal share of what the file leaves of room.nsvcs, up to the limit of an NSE",
        help = 'with dynamic = true or ns = "sns": the most NS-VCs that the BSS may add to the'
            .. " file's; room.nsvcs includes them",
    },
    {
        name = "areas", type = "areas", most_items = 256, optional = true,
        default_help = "none: any area; an MS of another NSE is paged before it moves here",
        example = '{ "001-01-4660-52" }',
        help = "the NSE's routeing areas; NSEs may share areas; a cell outside is refused",
    },
    {
        name = "flow_control", type = "choice", choices = { "wait", "open" }, default = "wait",
        help = "before a cell's first FLOW-CONTROL-BVC: wait sends the cell nothing (48.018 8.2.3.6),"
            .. " open sends at the rates of the file, or without a limit",
    },
    {
        name = "cell_rate", type = "choice", choices = { "as offered", "as measured" },
        default = "as offered",
        help = "as measured: use only the part of R, of a cell or of an MS that is alone there, that keeps the delay"
            .. " reported by the BSS (BVC Measurement) near what the radio needs, for a BSS that offers more than its radio carries; not with gb.cell_delay = \"as"
            .. " offered\"",
    },
    {
        name = "unknown_ms", type = "choice", choices = { "status", "ack", "discard" },
        default = "status", help = "the answer to a FLOW-CONTROL-MS for an unknown MS",
    },
    {
        name = "features", type = "words", choices = gb.features, default = gb.features,
        default_help = "all of them", example = '{ "pfc", "cbl" }',
        help = "the features offered in BVC-RESET of BVCI 0; those that the BSS has too are used",
    },
    {
        name = "flush", type = "choice", choices = { "transfer", "delete" }, default = "transfer",
        help = "what FLUSH-LL asks the old cell to do with the queue of an MS that moved",
    },
}

function gb.nse_keys(keys)
    table.move(keys, 2, #keys, 2 + #NSE_KEYS)
    return table.move(NSE_KEYS, 1, #NSE_KEYS, 2, keys)
end

gb.drain = {
    name = "drain", type = "share", least = "0 %", most = "20 %", default = "0 %",
    help = "so much less than each R is sent, so that what stands in the BSS goes: a BSS that says exactly what its radio"
        .. " carries else keeps what has once come together there; not of a bucket of which it says how full it is (CBL), nor while"
        .. " its delay is small, or nse.cell_rate = \"as measured\" goes by it",
}

gb.capture = {
    name = "capture", type = "switch", default = false,
    help = "whether signalling is captured from the start",
}

local function timer_keys()
    local keys = {}
    for _, timer in ipairs(timer_table) do
        keys[#keys + 1] = {
            name = timer.name, type = "time", least = timer.least, most = timer.most,
            default = timer.default, help = timer.help .. " (" .. timer.clause .. ")",
        }
        if timer.retries then
            keys[#keys + 1] = {
                name = timer.name .. "_retries", type = "integer", least = 0, most = 255,
                default = timer.retries, help = "how often the PDU is repeated",
            }
        end
    end
    return keys
end

gb.timers = {
    name = "timers", min = 0, max = 1, single = true, filled = {}, keys = timer_keys(),
    help = "timers and retries of the procedures that the SGSN begins",
}

local function places(least_more, also)
    return {
        default_help = ("what the file has%s and an eighth, at least %d, more"):format(also or "",
            least_more),
        least_more = least_more,
    }
end

-- A worker's part of such places.
local function share(of)
    return {
        default_help = "an equal share of " .. of .. " and a quarter more, and at least what the file"
            .. " gives to one worker",
        share_of = of,
    }
end

-- The dataplane's limits, which do not move while it runs.
gb.room = {
    name = "room", min = 0, max = 1, single = true, filled = {},
    help = "limits of the run, for records that a reload or a BSS adds",
    keys = described.keys("room", {
        nses = places(16), nsvcs = places(16, ", each nsvcs_most,"), ggsns = places(16),
        bvcs = places(16, ", each cells_most,"), mss = places(64), pdps = places(64),
        worker_mss = share "mss", worker_pdps = share "pdps",
        pfcs = { default_help = "the most packet flows of an MS of the file" },
    }),
}

gb.log = {
    name = "log", min = 0, max = 1, single = true, filled = {}, help = "the log on stderr",
    keys = {
        {
            name = "level", type = "choice", choices = { "error", "warn", "info", "debug" },
            default = "info", help = "messages of this level and of more severe ones are logged",
        },
    },
}

gb.policy = {
    name = "policy", min = 0, max = 1, single = true,
    help = "a Lua script that sets policy during the run; an error in a call undoes that call only",
    keys = {
        {
            name = "script", type = "path", example = "policy.lua",
            help = "the script's path, absolute, or relative to the configuration's folder",
        },
        {
            name = "every", type = "time", least = "10 ms", most = "1440 min", default = "1 s",
            help = "how often the script's timer() is called",
        },
        {
            name = "instructions", type = "integer", least = 1000, most = 100000000,
            default = 100000, help = "the most Lua instructions of one call",
        },
    },
}

return gb
