-- GMM causes (TS 24.008 table 10.5.147) that Sluice sends, by number: the name for a log line. What the operator does
-- about one is said where it is sent.
local causes = {
    [7] = "GPRS not allowed", [10] = "implicitly detached", [16] = "MSC not reachable", [17] = "network failure",
    [22] = "congestion", [95] = "semantically incorrect", [96] = "mandatory element wrong", [97] = "type unknown",
    [98] = "type not compatible with the state", [99] = "element unknown", [100] = "conditional element wrong",
    [101] = "not compatible with the state", [111] = "protocol error",
}

-- As "ATTACH REJECT 7 (GPRS not allowed)".
function causes.text(message, cause)
    return ("%s %d (%s)"):format(message, cause, causes[cause] or "?")
end

return causes
