-- GMM causes (TS 24.008 table 10.5.147) that Sluice sends, by number: the name for a log line. What the operator does
-- about one is said where it is sent.
local causes = {
    [2] = "IMSI unknown in HLR", [3] = "illegal MS", [6] = "illegal ME", [7] = "GPRS not allowed",
    [8] = "neither GPRS nor circuit services", [9] = "identity not derived", [10] = "implicitly detached", [11] = "network not allowed", [12] = "location area not allowed",
    [13] = "no roaming here", [14] = "no GPRS in this network", [15] = "no suitable cells here",
    [16] = "MSC not reachable", [17] = "network failure",
    [22] = "congestion", [95] = "semantically incorrect", [96] = "mandatory element wrong", [97] = "type unknown",
    [98] = "type not compatible with the state", [99] = "element unknown", [100] = "conditional element wrong",
    [101] = "not compatible with the state", [111] = "protocol error",
}

-- As "ATTACH REJECT 7 (GPRS not allowed)".
function causes.text(message, cause)
    return ("%s %d (%s)"):format(message, cause, causes[cause] or "?")
end

return causes
