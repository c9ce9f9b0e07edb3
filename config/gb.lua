-- A BSS with signalling: NS-VCs come up by NS-RESET, cells by BVC-RESET, and the BSS limits each cell
-- and each MS by flow control. The file has the keys of the Gb procedures, each explained; a missing
-- key has the default that `sluice check --keys` prints.
--     sluice check config/gb.lua              prints the file with all defaults
--     sluice run config/gb.lua                runs until Ctrl-C; see nic.lua for ports and processors
--     sluice ctl reload                       after a change of this file: applies the whole file, or
--                                             nothing, with the reason; MSs, cells, NS-VCs and rates
--                                             may change; ports, clock and limits need a restart
run { name = "gb", clock = "real" }

gn { device = "net_af_packet0,iface=gn0", address = "192.0.2.1" }
gb {
    device = "net_af_packet1,iface=gb0", address = "198.51.100.1",
    ready = "44 s",             -- READY timer: an MS not heard for that long is paged before its
                                -- next packet, which waits; "none": no MS is ever paged
    capture = false,            -- writes signalling to a file from the start; or `sluice ctl capture on`
}
ggsn { name = "ggsn1", address = "192.0.2.2" }

-- Timers of the procedures that the SGSN begins; each has a key NAME_retries for repetitions.
timers {
    tns_test = "30 s",          -- from a test of an NS-VC to the next,
    tns_alive = "3 s",          -- the wait for NS-ALIVE-ACK,
    tns_alive_retries = 10,     -- repeated so often; then the NS-VC is dead and unused
    th = "60 s",                -- validity of an MS's own rate after the last FLOW-CONTROL-MS
}

-- Limits of the run, for records that a reload or a BSS adds.
room { nsvcs = 32, bvcs = 200, mss = 20000, pdps = 40000, pfcs = 3 }

log { level = "info" }          -- a line for each change of state; "debug" for a laboratory

-- A script beside this file may lower the BSS's flow control values and set weights and AQMs during
-- the run; config/reference.md lists its functions.
-- policy { script = "policy.lua", every = "1 s" }

nse {
    nsei = 101,
    ns = "reset",               -- the default; "alive": NS-VCs need no RESET; "sns": the BSS
                                -- lists its endpoints; "manual": all is up at once
    flow_control = "wait",      -- a cell is sent nothing before the first FLOW-CONTROL-BVC; "open":
                                -- it is, at the rates of this file or without a limit
    cells = "listed",           -- "any": a BVC-RESET of an unlisted cell creates the cell
    areas = { "001-01-4660-52", "001-01-4660-53" },     -- routeing areas, MCC-MNC-LAC-RAC; a cell
                                -- elsewhere is refused. NSEs may share an area: an MS without a key then
                                -- moves between them at once; otherwise the MS is paged first
    cell_rate = "as offered",   -- "as measured": less of R while the BSS says that more waits there than its
                                -- radio needs (osmo-pcu offers more than its radio carries)
    unknown_ms = "status",      -- the answer to a FLOW-CONTROL-MS of an unknown MS; "ack", "discard"
    flush = "transfer",         -- the BSS moves the MS's queue to the new cell; or "delete"
    features = { "pfc", "cbl", "inr", "pfc_fc", "gigabit" },    -- offered; used if the BSS has them
    nsvc { nsvci = 101, peer = "198.51.100.2" },
    nsvc { nsvci = 102, peer = "198.51.100.3", weight = 2 },    -- carries twice the load
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
    bvc { bvci = 3 },           -- a cell without MSs of its own: MSs may move here
}

-- A second BSS with unknown endpoints: every NS-RESET with this NSEI creates an NS-VC. On a shared
-- network, list the NS-VCs instead.
nse {
    nsei = 102, dynamic = true, cells = "any",
    nsvcs_most = 4, cells_most = 50,    -- reserved for this NSE
}
