-- What the users of a capture did, made by sluice gi --scenario. The lab's TCP sends it (closed loop): sizes, order
-- and times of thinking are the capture's; when a packet goes is not.
--     sluice run @stem@.lua --variant all     what they would have felt with another queue
-- lab/captures/gi/scenario.md says where each value comes from, and where this is wrong first.
@left_out@
local USERS = @users@
local knob = {
    -- ---- Measured ----
    begin = "@begin_s@ s",  -- when all cells are there; the capture begins then, also in the files of rates
    duration = "@end_s@ s", -- the capture's, behind that
    internet_latency = "@internet_us@ us",    -- half of the mean round trip to the hosts
    internet_loss = "@internet_ppm@ ppm",     -- between the hosts and the capture, down
    way = "@way_us@ us",    -- between the SGSN and an MS, each way, with nothing in front: of the least round trips
    setup = "@setup_us@ us",        -- what a connection's set-up takes more than that, each way: TBFs
    loss = "@lost_ppm@ ppm",        -- between the capture and the users while little was under way
    queue = "@queue_octets@ octets",        -- of a user: @queue_why@
    lifetime = "@lifetime_ms@ ms",    -- of a packet, and 20 s of it are for the BSS: @lifetime_why@
    rate = "@rate@ bit/s",  -- of a user for whom too little waited to tell: @rate_why@
    -- ---- What the capture cannot say: defaults ----
    up_rate = "@up_rate@ bit/s",    -- of a user's channel up: @up_why@
    release = "1 s",        -- how long a TBF stays open without data
    tcp = "linux",          -- the stack of both ends, but for MSS, window, SACK and timestamps
}
-- The class of each user, by its number. Users have numbers in the order of their first segments.
local usual_class = "interactive-1"
local class_of = {
    -- [3] = "background",
}
-- The mean rate of each user's channel, in bit/s; @stem@.rate-N.csv has it over time.
local rate_of = {@rates@
}

run { name = "@stem@", duration = knob.duration, warmup = knob.begin, seed = 1 }
log { level = "error" }

variants {
    default = "captured",
    -- As the capture has it: one queue for each user, first in, first out, of the size that was seen.
    variant { name = "captured" },
    -- As config/recommended.lua, which says why. Write your own beside it.
    variant {
        name = "recommended",
        set = {
@recommended@        },
    },
}

gn { address = "192.0.2.1", mac = "02:53:4c:00:00:01", mtu = "1536 octets" }
gb {
    address = "198.51.100.1", mac = "02:53:4c:00:00:02",
    mtu = "1600 octets", cell_delay = "20 ms", ms_delay = "60 ms",   -- what waits, waits in the SGSN
}
@queue@
-- Users that share a cell: what one of them leaves, the others get, and an AQM that goes by a queue's share, as the
-- recommended one does, sees what the cell's other classes take. `each`, a number in bit/s, is the most that one user
-- gets, where that is less than `rate`. Those that the capture tells are here. If you know better, write it, or take
-- them out: the cell's FLOW-CONTROL-BVC on Gb has both, R and R of an MS. For example
--     { rate = "130 kbit/s", each = 48000, 1, 2, 5 },
local shared = {
@shared@}

-- blocks: how many blocks of block_octets an MS gets in a period of 20 ms; nil: as many as there are.
local function radio_of(rate, trace, blocks, block_octets)
    return radio {
        down_coding = "rate", up_coding = "rate", period = "20 ms", round_trip = "40 ms",
        down_rate = rate, down_pdu = (block_octets or 30) .. " octets", down_slots = blocks, trace = trace,
        up_rate = knob.up_rate, up_pdu = "30 octets", free_headers = "10 octets",
        down_setup = knob.setup, down_setup_beside = "0 s", down_release = knob.release,
        up_setup = knob.setup, up_setup_beside = "0 s", up_release = knob.release,
    }
end

local is_user = {}
for user = 1, USERS do
    is_user[user] = true
end
local function ms_of(user)
    return ms {
        imsi = is_user[user] and "00" .. 1010000000000 + user or "user " .. user .. " of " .. USERS,
        n201_u = "1520 octets",
        pdp {
            nsapi = 5, sapi = 11, class = class_of[user] or usual_class,
            address = "10.0." .. user // 250 .. "." .. user % 250 + 1,
        },
    }
end

local cells = {
    nsei = 101, nsvc { nsvci = 101, peer = "198.51.100.2", peer_mac = "02:53:4c:00:01:01" },
    line { latency = knob.way, loss = knob.loss },
}
local function add(radio, flow, users)
    local block = { bvci = #cells + 1, radio, flow }
    for i = 1, #users do
        block[#block + 1] = ms_of(users[i])
    end
    cells[#cells + 1] = bvc(block)
end
local function add_cell(rate, trace, users)
    add(radio_of(rate, trace), flow { rate = rate, measured = true, bmax_time = "10 s" }, users)
end
-- The cell and each MS have a bucket in the SGSN; the radio carries what they let through, so all packets wait there.
local function add_limited_cell(rate, each, users)
    local blocks = 4
    local block_octets = (each * 20 // 1000 + 8 * blocks - 1) // (8 * blocks)
    add(radio_of(each * #users .. " bit/s", nil, blocks, block_octets),
        flow { rate = rate, ms_rate = each .. " bit/s", bmax_time = "10 s" }, users)
end

local has_cell = {}
for i = 1, #shared do
    local rate = shared[i].rate or "no rate in shared"
    if shared[i].each then
        add_limited_cell(rate, shared[i].each, shared[i])
    else
        add_cell(rate, nil, shared[i])
    end
    for k = 1, #shared[i] do
        has_cell[shared[i][k]] = true
    end
end
-- Each other user has a cell of its own, whose rate is what this user's channel carried. What another user took of it
-- is in that rate, and stays so in all variants.
for user = 1, USERS do
    local rate = rate_of[user]
    if not has_cell[user] then
        add_cell(
            rate and rate .. " bit/s" or knob.rate, rate and "@stem@.rate-" .. user .. ".csv" or nil, { user })
    end
end

local network = {
    ggsn = "192.0.2.2", ggsn_mac = "02:53:4c:00:02:01", passive = true,
    gi { latency = knob.internet_latency, loss = knob.internet_loss },
}
for user = 1, USERS do
    network[#network + 1] = dialogue {
        class = class_of[user] or usual_class, imsi = "00" .. 1010000000000 + user,
        file = "@stem@.csv", user = user, start = knob.begin,
        host_tcp = knob.tcp, ms_tcp = knob.tcp,
    }
end
nse(cells)
lab(network)
