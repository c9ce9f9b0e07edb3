-- The timers of the procedures, each declared once: the schema makes timers { } of this table. The
-- ranges of Gb's timers are those of TS 48.016 clause 11 and TS 48.018 clause 12; a default that those
-- do not give is the one that BSSs in the field expect. retries: the repetitions after the first
-- attempt.
return {
    {
        name = "tns_block", clause = "48.016 11", least = "1 s", most = "120 s", default = "3 s",
        retries = 3, help = "Tns-block: an answer to NS-BLOCK or NS-UNBLOCK",
    },
    {
        name = "tns_reset", clause = "48.016 11", least = "1 s", most = "120 s", default = "1 s",
        retries = 3, help = "Tns-reset: an answer to NS-RESET",
    },
    {
        name = "tns_test", clause = "48.016 11", least = "1 s", most = "60 s", default = "30 s",
        help = "Tns-test: from a test of an NS-VC to the next",
    },
    {
        name = "tns_alive", clause = "48.016 11", least = "1 s", most = "10 s", default = "3 s",
        retries = 10, help = "Tns-alive: an answer to NS-ALIVE",
    },
    {
        name = "tsns_prov", clause = "48.016 11", least = "1 s", most = "10 s", default = "3 s",
        retries = 3, help = "Tsns-prov: an answer to an SNS PDU",
    },
    {
        name = "t2", clause = "48.018 12", least = "1 s", most = "120 s", default = "10 s",
        retries = 3, help = "T2: an answer to BVC-RESET",
    },
    {
        name = "t5", clause = "48.018 12", least = "1 s", most = "30 s", default = "15 s",
        retries = 3,
        help = "T5: an answer to FLUSH-LL, which has no timer itself (T5 is for RA-CAPABILITY-UPDATE)",
    },
    {
        name = "t7", clause = "48.018 12", least = "100 ms", most = "10 s", default = "3 s",
        retries = 3, help = "T7: an answer to CREATE-BSS-PFC, and to DELETE-BSS-PFC",
    },
    {
        name = "th", clause = "48.018 12", least = "6 s", most = "5999 s", default = "5999 s",
        help = "Th: validity of an MS's flow control values after the last FLOW-CONTROL-MS",
    },
    {
        name = "t3313", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "5 s",
        retries = 3, help = "T3313: an MS's answer to PAGING-PS",
    },
    {
        name = "t3350", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "6 s",
        retries = 4, help = "T3350: ATTACH COMPLETE, or that of a routeing area update",
    },
    {
        name = "t3360", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "6 s",
        retries = 4, help = "T3360: an MS's answer to AUTHENTICATION AND CIPHERING REQUEST",
    },
    {
        name = "t3370", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "6 s",
        retries = 4, help = "T3370: an MS's answer to IDENTITY REQUEST",
    },
    {
        name = "t3322", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "6 s",
        retries = 4, help = "T3322: an MS's answer to DETACH REQUEST",
    },
    {
        name = "t3_response", clause = "29.060 7.6", least = "1 s", most = "20 s", default = "5 s",
        retries = 3, help = "T3-RESPONSE: a GGSN's answer to a request; N3-REQUESTS is one more than the retries",
    },
    {
        name = "echo", clause = "29.060 7.2.1", least = "60 s", most = "3600 s", default = "60 s",
        help = "from a GGSN's ECHO RESPONSE to the next ECHO REQUEST",
    },
    {
        name = "t3386", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "8 s",
        retries = 4, help = "T3386: an MS's answer to MODIFY PDP CONTEXT REQUEST",
    },
    {
        name = "t3395", clause = "24.008 11.2.2", least = "1 s", most = "60 s", default = "8 s",
        retries = 4, help = "T3395: an MS's answer to DEACTIVATE PDP CONTEXT REQUEST",
    },
    {
        name = "t200", clause = "44.064 8.9", least = "1 s", most = "60 s", default = "5 s",
        retries = 3, help = "T200: an MS's answer to an LLC XID command; retries are N200",
    },
}
