-- A BSS that speaks: NS-VCs come up by NS-RESET, cells by BVC-RESET, and the BSS says by flow
-- control how much each cell and each MS may be sent. What of the Gb procedures can be set stands
-- here, each line explained; what is left out has the default that `sluice check --keys` names.
--     sluice check config/gb.lua              every default filled in
--     sluice run config/gb.lua                until Ctrl-C; see nic.lua for ports and processors
--     sluice ctl reload                       after a change of this file: all of it, or nothing
--                                             and the reason; MSs, cells, NS-VCs and rates may
--                                             change, ports, clock and limits need a restart
run { name = "gb", clock = "real" }

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1" }
gb {
    device = "net_af_packet1,iface=gb0", address = "198.51.100.1",
    ready = "44 s",             -- READY timer: an MS not heard for that long is paged before its
                                -- next packet, which waits; "none": no MS is ever paged
    capture = false,            -- signalling into a file from the start; or `sluice ctl capture on`
}
ggsn { name = "ggsn1", address = "192.0.2.2" }

-- Of the procedures that we begin; how often each is repeated has a key of its own.
timers {
    tns_test = "30 s",          -- every NS-VC is tested that often,
    tns_alive = "3 s",          -- and has that long to answer,
    tns_alive_retries = 10,     -- so many times; then it is dead and nothing goes on it
    th = "60 s",                -- an MS's own rate holds that long after its last FLOW-CONTROL-MS
}

-- Places in all, counted at the start: what a reload may bring, and what the BSS makes by itself.
room { nsvcs = 32, bvcs = 200, mss = 20000, pdps = 40000, pfcs = 3 }

log { level = "info" }          -- a line for each change of state; "debug" for a laboratory

-- A script of yours, beside this file, may lessen what the BSS offers and set weights and AQMs
-- while it runs; its functions are named in config/README.md.
-- policy { script = "policy.lua", every = "1 s" }

nse {
    nsei = 101,
    ns = "reset",               -- the default; "alive": NS-VCs need no RESET; "sns": the BSS says
                                -- its endpoints; "manual": everything is up at once
    flow_control = "wait",      -- nothing goes to a cell before its first FLOW-CONTROL-BVC; "open":
                                -- it does, at the rates of this file or without a limit
    cells = "listed",           -- "any": a BVC-RESET of a cell that is not here makes it
    areas = { "001-01-4660-52", "001-01-4660-53" },     -- its routeing areas, MCC-MNC-LAC-RAC; a cell
                                -- elsewhere is refused. Other NSEs may have them, too: an MS is believed
                                -- to have gone from one such NSE to another; without, it is paged first
    unknown_ms = "status",      -- to a FLOW-CONTROL-MS of an MS that nobody knows; "ack", "discard"
    flush = "transfer",         -- the old cell of an MS that moved may hand its queue on; "delete"
    features = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" },    -- offered; what both have counts
    nsvc { nsvci = 101, peer = "198.51.100.2" },
    nsvc { nsvci = 102, peer = "198.51.100.3", weight = 2 },    -- takes twice as much as the other
    bvc {
        bvci = 2,
        ms {
            imsi = "001010000000001", count = 1000,
            pdp {
                nsapi = 5, class = "interactive-1", address = "10.0.0.1",
                ggsn_teid = 0x00001000,
            },
            pdp {
                nsapi = 6, class = "background", address = "10.0.16.1",
                ggsn_teid = 0x00011000,
            },
        },
    },
    bvc { bvci = 3 },           -- a cell without MSs of its own: they roam there
}

-- A second BSS whose NS-VCs are not known before: whoever sends an NS-RESET with this NSEI has one.
-- On a network that is not yours alone, list them instead.
nse {
    nsei = 102, dynamic = true, cells = "any",
    nsvcs_most = 4, cells_most = 50,    -- so many of its own, in places that no other NSE takes
}
