-- Quality of service (TS 24.008 10.5.6.5) to a traffic class and back. A phone asks for a class, or for what it has
-- subscribed (code 0, as all of it is in a request of zeros), or in the form of R97, of three octets, for a delay class,
-- which TS 23.107 table 7 maps. It gets no more than it has subscribed: a download in class streaming takes nearly all of a
-- cell from the classes behind it. No phone can ask for "signalling", which goes before everybody's user data.
local classes = require "classes" -- from dataplane/base/classes.def
local abqp = require "sluice.bssgp.abqp"
local session_keys = require "sluice.schema.session_keys"

local qos = {}

local R97_OCTETS = 3
local ARP = 2 -- allocation and retention priority: normal
local UNACKNOWLEDGED = 3 -- reliability classes from here on have LLC unacknowledged, which is what Sluice does

local OF_CODE = { "conversational", "streaming", nil, "background" }
local INTERACTIVE = 3
local BEST_EFFORT = 4 -- delay class

local order = {}
for i, class in ipairs(classes) do
    order[class] = i
end

local function interactive(priority)
    return "interactive-" .. math.min(math.max(priority, 1), 3)
end

-- Our class for the octets that a phone asks with; nil for "subscribed", or what cannot be read.
local function asked(octets)
    if #octets == R97_OCTETS then
        local delay_class = octets:byte() >> 3 & 7
        return delay_class == BEST_EFFORT and "background" or delay_class ~= 0 and interactive(delay_class) or nil
    end
    local profile = abqp.decode(octets)
    if profile and profile.traffic_class == INTERACTIVE then
        return interactive(profile.handling_priority)
    end
    return profile and OF_CODE[profile.traffic_class]
end

-- subscribed: phone.class. of_apn: apn.class.
function qos.class(octets, subscribed, of_apn)
    if of_apn ~= session_keys.BY_QOS then
        return of_apn
    end
    local class = asked(octets) or subscribed
    return order[class] < order[subscribed] and subscribed or class
end

-- What Sluice does for a class, in octets; made once a class.
local ours = setmetatable({}, { __index = function(made, class)
    made[class] = abqp.encode(abqp.profile { class = class })
    return made[class]
end })

-- What the GGSN is asked for.
function qos.for_ggsn(class)
    return string.char(ARP) .. ours[class]
end

-- What the GGSN has given, if Sluice can do it, else what Sluice does; with the octet of allocation and retention.
function qos.given(given, class)
    local octets = given:sub(2)
    local profile = #octets > R97_OCTETS and abqp.decode(octets)
    if not profile or profile.reliability < UNACKNOWLEDGED or profile.traffic_class == 0 then
        octets = ours[class]
    end
    return given:sub(1, 1) .. octets
end

-- What the phone gets of that, in the form in which it has asked.
function qos.for_phone(given, class, asked_octets)
    local octets = qos.given(given, class):sub(2)
    return #asked_octets == R97_OCTETS and octets:sub(1, R97_OCTETS) or octets
end

-- Of uplink on the radio, 1 is the highest; never 0, which some phones take for none.
local PRIORITIES = { signalling = 1, conversational = 1, streaming = 2, ["interactive-1"] = 3 }

function qos.radio_priority(class)
    return PRIORITIES[class] or 4
end

return qos
