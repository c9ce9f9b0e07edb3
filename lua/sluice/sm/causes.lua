-- Causes of SM (TS 24.008 10.5.6.6) that Sluice sends, those of GTP-C (TS 29.060 7.7.1) that become one of them, and
-- what the operator does about a refusal.
local causes = {}

causes.sm = {
    resources = 26, apn = 27, type = 28, authentication = 29, by_ggsn = 30, not_supported = 32, not_subscribed = 33,
    regular = 36, network_failure = 38, reactivate = 39, ipv4_only = 50, ti = 81, mandatory = 96, type_unknown = 97,
}

local NAMES = {
    [26] = "insufficient resources", [27] = "missing or unknown APN", [28] = "unknown PDP address or type",
    [29] = "user authentication failed", [30] = "rejected by the GGSN", [32] = "service option not supported",
    [33] = "service option not subscribed", [36] = "regular", [38] = "network failure", [39] = "reactivation wanted",
    [96] = "mandatory element wrong", [97] = "type unknown",
}

-- By the GGSN's cause: its name, ours, and what to do beyond looking at the GGSN's log.
local OF_GGSN = {
    [192] = { "non-existent", 30 }, [193] = { "invalid message", 30 }, [194] = { "IMSI not known", 30 },
    [199] = { "no resources", 26 }, [200] = { "service not supported", 32, "the phone may ask for a fixed address" },
    [201] = { "mandatory element incorrect", 96 }, [202] = { "mandatory element missing", 96 },
    [204] = { "system failure", 38 }, [205] = { "roaming restriction", 33 },
    [208] = { "authentication failure", 29 }, [209] = { "user authentication failed", 29, "the phone's PAP or CHAP" },
    [211] = { "all addresses are in use", 26, "give the GGSN a larger pool" },
    [212] = { "no memory", 26, "osmo-ggsn has room for 1024 contexts" },
    [219] = { "missing or unknown APN", 27, "the GGSN has no APN with the name of the apn { }" },
    [220] = { "unknown address or type", 28, "the GGSN's APN does not give IPv4 addresses" },
    [222] = { "APN access denied", 33 },
}

-- Our cause for a GGSN's, and the GGSN's as text with what to do about it.
function causes.of_ggsn(cause)
    local row = OF_GGSN[cause] or { "unknown cause", causes.sm.by_ggsn }
    return row[2], ("it says %d (%s); %s"):format(cause, row[1], row[3] or "see its log")
end

-- As "ACTIVATE REJECT 26 (insufficient resources)".
function causes.text(message, cause)
    return ("%s %d%s"):format(message, cause, NAMES[cause] and " (" .. NAMES[cause] .. ")" or "")
end

return causes
