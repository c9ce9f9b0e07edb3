-- The parameters of XID (TS 44.064 clause 8.5.3) with their sense of negotiation (table 6) and defaults
-- (table 9). A response has every parameter of the command, since a parameter that is left out is
-- agreed to as proposed. A parameter with a wrong length or value is answered by the value in force; an
-- unknown one is not answered (8.5.3.3). Only N201-U and IOV-UI have an effect here; parameters of ABM,
-- which Sluice does not have, are agreed to, IOV-I by leaving it out.
local llc_first = require "sluice.subscribers.llc_first"
local sndcp = require "sluice.llc.sndcp"
local wire = require "wire"

local xid = {}

local COMMAND_XID = 11
local PARAMETERS_MOST = 64 -- read from a broken command

local function agree(offered)
    return offered
end

-- answer(offered, ours) returns the value of the response. ours: iov_ui; n201_u_octets, the largest
-- allowed; now, the values in force by name, if not the defaults.
local parameters = {
    { type = 0, name = "version", answer = function() return 0 end },
    { type = 1, name = "iov_ui", answer = function(_, ours) return ours.iov_ui end },
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

-- The defaults by SAPI; only the SAPIs of user data may have an ABM.
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

-- The octets of the parameter at `at`; nil if it is cut off.
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

-- Decodes one parameter alone, as a frame.
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

-- Reads a broken frame: parameters that decode alone count.
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

-- Returns the parameters of an XID frame; for a broken frame also, by name, the parameters that are
-- present but bad. frame: the same frame, decoded as a U frame.
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
