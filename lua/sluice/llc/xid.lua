-- What MS and SGSN may agree on by XID (TS 44.064 clause 8.5.3): the parameters and their sense of
-- negotiation (table 6), and what holds without it (table 9). An answer names every parameter of
-- the command, for one that is left out is agreed to as proposed. One that cannot be taken, for its
-- length or value, is answered by what holds now; an unknown one is not answered (8.5.3.3). Only
-- N201-U and IOV-UI mean anything here: there is no ABM, so that what belongs to it is agreed to.
local llc_first = require "sluice.subscribers.llc_first"
local sndcp = require "sluice.llc.sndcp"
local wire = require "wire"

local xid = {}

local COMMAND_XID = 11
local PARAMETERS_MOST = 64 -- looked at in a command that is broken

local function agree(offered)
    return offered
end

-- answer(offered, ours) is ours; `ours` has iov_ui, n201_u_octets, the most that we take, and
-- `now`, what holds, by name, if it is not the default.
local parameters = {
    { type = 0, name = "version", answer = function() return 0 end },
    { type = 1, name = "iov_ui", answer = function(_, ours) return ours.iov_ui end },
    { type = 2, name = "iov_i", answer = function() end },
    { type = 3, name = "t200_ms", answer = agree },
    { type = 4, name = "n200", answer = agree },
    {
        type = 5, name = "n201_u_octets",
        answer = function(offered, ours) return math.min(offered, ours.n201_u_octets) end,
    },
    { type = 6, name = "n201_i_octets", answer = agree },
    { type = 7, name = "md_octets", answer = agree },
    { type = 8, name = "mu_octets", answer = agree },
    { type = 9, name = "kd", answer = agree },
    { type = 10, name = "ku", answer = agree },
    { type = 11, name = "layer3", answer = sndcp.answer },
}

local of_type = {}
for _, parameter in ipairs(parameters) do
    of_type[parameter.type] = parameter
end

-- Of each SAPI that there is; only user data may have an ABM.
local function unacknowledged(t200_ms, n201_u_octets)
    return { version = 0, t200_ms = t200_ms, n200 = 3, n201_u_octets = n201_u_octets }
end

local function user_data(t200_ms, buffer_octets, window)
    return {
        version = 0, t200_ms = t200_ms, n200 = 3, n201_u_octets = llc_first.N201_U_OCTETS,
        n201_i_octets = 1503, md_octets = buffer_octets, mu_octets = buffer_octets, kd = window,
        ku = window,
    }
end

xid.defaults = {
    [1] = unacknowledged(5000, 400), [2] = unacknowledged(5000, 270),
    [3] = user_data(5000, 24320, 16), [5] = user_data(10000, 12160, 8),
    [7] = unacknowledged(20000, 270), [8] = unacknowledged(20000, 270),
    [9] = user_data(20000, 6080, 4), [11] = user_data(40000, 3040, 2),
}

-- ---- Reading ----

-- The octets from `at` to where the parameter there ends; nil: it does not end.
local function piece_at(info, at)
    local head, second = info:byte(at, at + 1)
    local octets, value = head & 3, at + 1
    if head & 0x80 ~= 0 then
        if not second then
            return nil
        end
        octets, value = octets << 6 | second >> 2, at + 2
    end
    return value + octets - 1 <= #info and info:sub(at, value + octets - 1) or nil
end

-- One parameter by itself, as a frame.
local function read_piece(frame, piece)
    return wire.llc_xid.decode(wire.llc_u.encode {
        cr = frame.cr, sapi = frame.sapi, pf = frame.pf, command = COMMAND_XID, info = piece,
    })
end

local function merge(pdu, bad, piece, one)
    if one and one.reset then
        pdu.reset = true
        return
    end
    local parameter = of_type[piece:byte() >> 2 & 31]
    if parameter and pdu[parameter.name] == nil and not bad[parameter.name] then
        pdu[parameter.name] = one and one[parameter.name]
        bad[parameter.name] = not one or nil
    end
end

-- What can be read of a broken one: what is good by itself counts.
local function salvage(frame)
    local pdu, bad = { cr = frame.cr, sapi = frame.sapi, pf = frame.pf, reset = false }, {}
    local info, at = frame.info, 1
    for _ = 1, PARAMETERS_MOST do
        local piece = at <= #info and piece_at(info, at)
        if not piece then
            break
        end
        merge(pdu, bad, piece, (read_piece(frame, piece)))
        at = at + #piece
    end
    return pdu, bad
end

-- The frame's parameters; of a broken one also, by name, those that are there but cannot be taken.
-- `frame` is the same as a U frame.
function xid.read(octets, frame)
    local pdu = wire.llc_xid.decode(octets)
    if pdu then
        return pdu
    end
    return salvage(frame)
end

-- ---- Answering ----

function xid.response(command, bad, ours)
    local response = { cr = false, sapi = command.sapi, pf = command.pf, reset = false }
    for _, parameter in ipairs(parameters) do
        local name = parameter.name
        if command[name] ~= nil then
            response[name] = parameter.answer(command[name], ours)
        elseif bad and bad[name] then
            response[name] = ours.now[name] or xid.defaults[command.sapi][name]
        end
    end
    return response
end

return xid
