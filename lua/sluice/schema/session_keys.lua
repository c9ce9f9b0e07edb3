-- The part of the schema about the contexts that phones ask for. See schema.lua.
local classes = require "classes" -- from dataplane/base/classes.def

local session = {}

session.BY_QOS = "by qos"

session.apn = {
    name = "apn", min = 0, help = "an access point name, for contexts that phones ask for",
    keys = {
        {
            name = "name", type = "word", example = "internet",
            help = "the name that a phone asks for, in letters of either case; without its operator's part",
        },
        {
            name = "ggsn", type = "word", optional = true, example = "ggsn1",
            default_help = "the only ggsn with control", help = "the name of the GGSN that makes the contexts",
        },
        {
            name = "class", type = "choice", choices = { session.BY_QOS, table.unpack(classes) },
            default = session.BY_QOS, help = "the traffic class of the contexts; by qos: what the phone asks for, but no better than its class",
        },
        {
            name = "default", type = "switch", default = false,
            help = "whether it is meant by a phone that names none",
        },
    },
}

return session
