-- What came for the MSs of a capture, and what the BSSs allowed them, made by sluice audit --scenario. Open loop: each
-- packet comes when it came then, whatever becomes of those before it.
--     sluice run @stem@.lua --variant all     what would have waited and been dropped with another queue
-- lab/captures/audit/scenario.md says where each value comes from, and where this is wrong first.
@left_out@
local USERS = @users@
local knob = {
    begin = "@begin_s@ s",      -- when all cells are there; the capture begins then, also in the files
    duration = "@end_s@ s",     -- the capture's, behind that, and a minute in which the queues run empty
    -- ---- What the capture cannot say: defaults ----
    queue = "100 kB",           -- of an MS, in the variant `tail-drop`
}
-- The class of each user, by its number. Users have numbers in the order in which Gb showed their addresses.
local usual_class = "interactive-1"
local class_of = {
    -- [3] = "background",
}
-- Cells: the NSE's number here, the BVCI, the NSEI in the capture (0: it does not say).
local cell_of = {@cells@
}
-- The first cell of each user, by the cell's place above.
local first_of = {@first@
}
-- Changes of cells: the user, ms behind the begin, the cell.
local changes = {@changes@
}
-- The user of each flow of @stem@.csv, and whether its packets can be marked (ECN): 1.
local flow_of = {@flows@
}

run { name = "@stem@", duration = knob.duration, warmup = knob.begin, seed = 1 }
log { level = "error" }

variants {
    default = "tail-drop",
    -- One queue for each MS, first in, first out, as many SGSNs have it.
    variant { name = "tail-drop" },
    -- As config/recommended.lua, which says why. Write your own beside it.
    variant {
        name = "recommended",
        set = {
@recommended@        },
    },
}

gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb { address = "198.51.100.1", mac = "02:53:4c:00:00:02", mtu = "1600 octets", cell_delay = "20 ms", ms_delay = "60 ms" }
@queue@
local function imsi(user)
    return "00" .. 1010000000000 + user
end

local function name_of(cell)
    return cell_of[cell][1] .. "-" .. cell_of[cell][2]
end

local blocks, nses = {}, {}
for cell = 1, #cell_of do
    local nsei = cell_of[cell][1]
    if not nses[nsei] then
        nses[nsei] = {
            nsei = nsei, nsvc {
                nsvci = nsei, peer = "198.18." .. nsei // 250 .. "." .. nsei % 250 + 1,
                peer_mac = "02:53:4c:01:" .. nsei // 90 + 10 .. ":" .. nsei % 90 + 10,
            },
        }
    end
    -- Of a cell without a file of its own nothing is known: its BSS says 48 kbit/s.
    blocks[cell] = { bvci = cell_of[cell][2], flow { trace = cell_of[cell][4] and "@stem@.flow-" .. cell .. ".csv" or nil } }
end
for user = 1, USERS do
    local block = blocks[first_of[user]]
    block[#block + 1] = ms {
        imsi = imsi(user), n201_u = "1520 octets",
        pdp {
            nsapi = 5, sapi = 11, class = class_of[user] or usual_class,
            address = "10." .. user // 62500 .. "." .. user // 250 % 250 .. "." .. user % 250 + 1,
        },
    }
end
for cell = 1, #cell_of do
    local of_nse = nses[cell_of[cell][1]]
    of_nse[#of_nse + 1] = bvc(blocks[cell])
    if cell == #cell_of or cell_of[cell + 1][1] ~= cell_of[cell][1] then
        nse(of_nse)
    end
end

local network = { ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01" }
for flow = 1, #flow_of do
    local user = flow_of[flow][1]
    network[#network + 1] = replay {
        class = class_of[user] or usual_class, imsi = imsi(user), file = "@stem@.csv", flow = flow,
        ecn = flow_of[flow][2] == 1, start = knob.begin,
    }
end
for i = 1, #changes do
    network[#network + 1] = move {
        imsi = imsi(changes[i][1]), at = @begin_s@000 + changes[i][2] .. " ms", cells = { name_of(changes[i][3]) },
    }
end
lab(network)
