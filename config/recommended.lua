-- Sluice's own answer to a queue in front of a slow radio: settings for any configuration, one and the
-- same everywhere. Values that are today's defaults stand here too, so that a changed default changes
-- nothing for who uses this file.
--     variant { name = "recommended", file = "recommended.lua" }          in a configuration
--     sluice run my.lua --set @config/recommended.lua                     for one run
-- class[*] means all seven classes, those that the configuration does not name as well.
return {
    -- ---- Where packets wait ----
    -- A BSS offers a bucket of 10 s (osmo-pcu), so that a full queue waits there, first in, first out,
    -- where no AQM acts. What its radio sends in a block period, and one LLC PDU, keep it busy. In the
    -- quickstart the p95 of a ping is 810 ms, with 600 ms it is 1429 ms; in latency-geran a ping beside a
    -- download takes 1.6 times an idle one, with 600 ms 2.0 times.
    "gb.cell_delay=20 ms",
    "gb.ms_delay=20 ms",        -- the same for the bucket of an MS
    "gb.pfc_delay=20 ms",       -- and of a packet flow
    -- A BSS that tells how full a bucket is (CBL) may count an LLC PDU on the air whole until all of it has
    -- arrived. On one time slot 20 ms are 25 octets, so the next one would wait for that, and the radio with it.
    -- So Sluice leaves such a bucket room for two LLC PDUs by the N201-U in use, and for 1 % of Bmax, the step in
    -- which its level is told. In buffer-2004 98 % of the throughput are left with an N201-U of 500, 1430 and 1520
    -- octets, and the p95 of a ping is 1.5 s, 1.9 s and 2.2 s; without that room 75 % are left, and 65 % with 1520.

    -- ---- Whose turn it is ----
    -- The shares of the study of AQM in the 2G-SGSN (2006): a class that asks for less than its share
    -- gets all that it asks for, and what it leaves goes to the others by their weights.
    "class[conversational].weight=900",
    "class[streaming].weight=900",
    "class[interactive-1].weight=50",
    "class[interactive-2].weight=35",
    "class[interactive-3].weight=15",
    "class[background].weight=5",
    "class[*].flows=true",      -- a ping or a page does not wait behind a download of the same MS
    "queue.flows=16",           -- an MS has a few flows: 16 queues seldom have two in one
    "queue.flow_quantum=300 octets",    -- RFC 8290 3: small, so that small packets pass large ones

    -- ---- When it is too much ----
    -- COBALT: its target is 1.5 packets' time at the rate that the MS has now, and a head must have waited
    -- for 4; earlier signals cost throughput: CoDel of RFC 8289 takes 12 to 15 % of it in preempt-2004 (interval
    -- 2 s; with 1 s half of it). Where no calls preempt the radio CoDel is quicker: in the quickstart, ten seeds,
    -- the p95 of the downloads' delay is 4.1 s with it and 5.9 s with COBALT, pages and pings as quick; in
    -- buffer-2004 the median RTT of the download 3.4 s and 5.6 s. There "class[*].aqm.name=codel".
    "class[*].aqm.name=cobalt",
    "class[*].aqm.ecn=true",    -- a window of 2 to 8 packets seldom survives a drop without a time-out
    "class[*].aqm.target=5 ms", -- a lower bound; the rate sets the target
    -- A round trip on GPRS as downloads see it. In preempt-2004 it is about 3 s: with 1 s COBALT signals again
    -- before TCP can have answered, and the window falls before the next call.
    "class[*].aqm.rtt=2 s",
    "class[*].aqm.mtu=1500 octets",     -- the largest packet of the Internet
    "class[*].aqm.overfull=4",  -- CAKE's buffer, in intervals: beyond it, drops for who ignores marks
    -- With queues by flow each of them needs an AQM of its own (RFC 8290 4): seen over the whole MS, a
    -- ping that has not waited tells the AQM that the download is well. In the quickstart the median
    -- delay of the downloads is 4.7 s that way, and 2.3 s with an AQM for each flow.
    "class[*].scope=flow",

    -- ---- Backstops ----
    -- What is older than 6 s in the SGSN nobody waits for: TCP has sent it again. The rest is the BSS's, whose
    -- clock does not stop when calls take its radio: with 17 s it still has what came before a call of 15 s, and
    -- the LLC PDUs that may stand before that (preempt-2004: with 10 s in all that is lost, and sent again).
    "class[*].lifetime=23 s",
    "class[*].bss_lifetime_least=17 s",
    "queue.overflow=largest",   -- a full queue drops from who has most, not from who comes next
    "queue.cell_octets=1000 kB",        -- no cell takes the memory of all
    "queue.cell_packets=1024",
    "queue.ms_octets=128 kB",   -- and no MS the memory of its cell: 4 s at 240 kbit/s
    "queue.ms_packets=256",
}
