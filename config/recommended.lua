-- The recommended settings for a queue in front of a slow radio, the same for any configuration. The
-- file also has values that are defaults today, so that a changed default changes nothing for users of
-- this file.
--     variant { name = "recommended", file = "recommended.lua" }          in a configuration
--     sluice run my.lua --set @config/recommended.lua                     for one run
-- class[*] means all seven classes, including those that the configuration does not name.
return {
    -- ---- Where packets wait ----
    -- osmo-pcu offers a bucket of 10 s. A full queue would wait there, first in, first out, where no AQM
    -- acts. One block period of its radio and one LLC PDU are enough to keep the radio busy. In the
    -- quickstart the p95 of a ping is 0.6 s, with 600 ms it is 1.1 s; in latency-geran a ping beside a
    -- download takes 1.7 times an idle one, with 600 ms 1.9 times.
    "gb.cell_delay=20 ms",
    -- An MS's bucket needs more room than its cell's. If many MSs share a cell, the queue of each is short and fills in
    -- bursts. An MS that waits for its own bucket goes as soon as the bucket has room, out of turn. With 20 ms that
    -- costs streaming in aqm-2006 half a per cent of its packets in each block period; with 60 ms it costs nothing.
    "gb.ms_delay=60 ms",
    "gb.pfc_delay=60 ms",       -- the same for a packet flow
    -- A BSS that says exactly what its radio carries keeps what has come together there, as while TBFs were set up:
    -- so a little less than R is used. In the quickstart (ten seeds) the p95 of a ping is 0.6 s, without this 0.9 s,
    -- and a page takes 4.2 s for 4.9 s, for 0.8 % of the goodput. With 1 % they are 0.56 s and 4.1 s, for 1.1 %.
    "gb.drain=0.5 %",
    -- A BSS that reports how full a bucket is (CBL) may count an LLC PDU on the air as a whole until all of it has
    -- arrived. On one time slot 20 ms are 25 octets, so the next PDU would wait for that, and the radio would be
    -- idle. So Sluice leaves such a bucket room for two LLC PDUs by the N201-U in use, and for 1 % of Bmax, the
    -- resolution of the reported level (at most one more PDU). In buffer-2004, with TBFs set up in 60 ms and ACKs of
    -- 40 to 200 ms, 98 % of the throughput are left with an N201-U of 500, 1430 and 1520 octets, and the p95 of a
    -- ping is 1.6 s, 2.1 s and 2.2 s; without that room 75 % are left, and 65 % with 1520. With the scenario's own 0.8 s
    -- and 0.5 s instead of 60 ms, 91 %, 89 % and 89 % are left, and a ping's p95 is 2.3 s, 2.4 s and 2.5 s.
    -- An N201-U of 140 leaves 96 %, and 87 %.

    -- ---- Shares of classes ----
    -- A class that needs less than its share gets all that it needs, and the rest goes to the others by their
    -- weights. The study of AQM in the 2G-SGSN (2006) has 900, 50, 35, 15 and 5. With these the p95 of a page in
    -- aqm-2006, which is one of interactive-3, is 160 s, and the least download gets 2.3 kbit/s; with ours 129 s
    -- (without an AQM 164) and 7.0; but 300 pages come for 372, and the mean one takes 108 s for 88. In a cell of 24
    -- kbit/s with six who browse (the tournament's weak cell, ten seeds) the least of four downloads gets 360 bit/s
    -- and 1630, the mean page takes 21 s and 31 s. One queue, first in, first out, gives it 2110 there, and pages
    -- take 43 s. More for background helps its least users, and costs pages; of all weights 18 and 20 have the least
    -- worst regret (tests/tournament/README.md).
    -- With 900 for streaming one MS that downloads by TCP in that class leaves the others nothing: four that browse
    -- in 48 kbit/s have pages of 82 s. With 100 they have 25 s, with 60 19 s (one queue: 15 s). A stream of 20 kbit/s
    -- beside them has all it needs with 60 still (p95 0.48 s, with 100 0.46 s), one of 24 kbit/s not quite (0.84 s and
    -- 0.44 s); with 50 that one waits 2.9 s.
    "class[conversational].weight=100",
    "class[streaming].weight=60",
    "class[interactive-1].weight=35",
    "class[interactive-2].weight=32",
    "class[interactive-3].weight=26",
    "class[background].weight=18",
    "class[*].flows=true",      -- a ping or a page does not wait behind a download of the same MS
    "queue.flows=32",           -- a ping shares a queue only if its MS has that many downloads
    "queue.flow_quantum=300 octets",    -- RFC 8290 3: small, so that small packets pass large ones

    -- ---- Backstops ----
    -- The BSS's part of the lifetime is 17 to 23 s, of downloads too. Its clock does not stop when calls take the
    -- radio: with 17 s it still has the packets from before a call of 15 s and the LLC PDUs ahead of them
    -- (preempt-2004: with 10 s in total they are lost, and sent again). The rest is the SGSN's. No packet of a page
    -- waits there for more than 6 s: TCP has sent it again. Downloads have 13 s: where many share a slow cell an MS's
    -- turn may not come in 6 s. Beside 10 that browse the least of 6 downloads gets 11 % more with 13 s, and 16
    -- downloads have 0.6 of the time-outs. Where a flow has a larger share `stale` below ends the wait
    -- (tests/tournament/README.md).
    "class[*].lifetime=23 s",
    "class[background].lifetime=30 s",
    "class[*].bss_lifetime_least=17 s",
    "class[*].bss_lifetime_most=23 s",
    -- Where cells are slow and flows many, a packet whose turn would come after more than 5/8 of the SGSN's part of its
    -- lifetime (8.1 of 13 s) is refused as it arrives: TCP hears of it at once. Of what sixteen downloads in 48 kbit/s
    -- lose at most 5 % is by the lifetime then, for 60 to 86 %.
    "class[background].refuse_late=true",
    "queue.overflow=largest",   -- a full queue drops from the largest flow, not the arriving packet
    "queue.cell_octets=1000 kB",        -- no cell takes all memory
    "queue.cell_packets=1024",
    "queue.ms_octets=128 kB",   -- and no MS its cell's: 4 s at 240 kbit/s
    "queue.ms_packets=256",

    -- ---- AQM ----
    -- COBALT for each flow: its target is 1.5 packets' time at the rate that the flow has now, and a head must have
    -- waited for 4; earlier signals cost throughput: CoDel of RFC 8289 takes 18 to 19 % of it in preempt-2004
    -- (interval 2 s). THP2 and THP3 have COBALT too. RED over all of such a class in a cell reduces their packets'
    -- delay to a third (aqm-2006, p95: THP2 1.5 s for 5.7 s, THP3 1.9 s for 5.7 s). But users do not notice the delay
    -- of a single packet of a page, and pages take longer with RED (p95 172 s for 129 s), their least users get less
    -- (THP2 9.0 kbit/s for 12.2), and TCP has twice the time-outs. Each per-flow queue needs its own AQM (RFC 8290
    -- 4): with one AQM for the whole MS, a ping that has not waited makes the AQM believe that the download is fine.
    -- In the quickstart the median delay of the downloads is 4.7 s that way, and 3.1 s with an AQM for each flow.
    "class[*].scope=flow",
    "class[*].aqm.name=cobalt",
    "class[*].aqm.ecn=true",    -- a window of 2 to 8 packets seldom survives a drop without a time-out
    "class[*].aqm.target=5 ms", -- a lower bound; the rate sets the target
    -- A round trip on GPRS as downloads see it, about 3 s in preempt-2004. With 2 s COBALT signals again before TCP
    -- can have answered, and the window falls before the next call: a download with ECN gets 23.5, 22.6 and 19.4
    -- kbit/s with calls of 3, 6 and 15 s for 26.0, 24.7 and 21.5 (buffer-2004: 9.4 and 24.5 for 9.7 and 27.4, on 1
    -- and 3 time slots). With 4 s 27.2, 25.6 and 22.3 (9.9 and 28.8), and up to 10 % more delay; but without ECN no
    -- more, and the least download of a weak cell 6 +- 14 % less (the tournament's seeds and page; all without the window
    -- below).
    "class[*].aqm.rtt=3 s",
    "class[*].aqm.mtu=1500 octets",     -- the largest packet of the Internet
    "class[*].aqm.overfull=4",  -- CAKE's buffer, in intervals: beyond it, flows that ignore marks get drops
    -- A head that has waited for longer than this, and for longer than its flow's share takes to send five packets, is
    -- dropped: marks do not shorten a window of two packets. In the quickstart the p95 of the downloads' delay is 5.0 s
    -- with it, 5.6 s with 6 s, 6.5 s without, and 11 s without the window below as well; goodput and pages are the same.
    "class[*].aqm.stale=5 s",

    -- ---- TCP windows ----
    -- The receive windows that MSs announce for their downloads are lowered to what the flow's share sends in 4.7 s
    -- (reference.md, "TCP windows"). Hosts without ECN send a tenth of the segments again that they do without this,
    -- where 4 or 8 downloads share 48 kbit/s, and half where 16 do. On one time slot (buffer-2004) a download has 2 %
    -- more, and the p95 of a ping is 1.9 s for 2.2 s. It must be longer than any round trip, with set-ups of TBFs and
    -- calls: with 3 to 4 s preempt-2004 loses 7 % without ECN, with 4.7 s 1 %; with 2 s buffer-2004 loses a third.
    -- Pages have no such window: they are short.
    "class[background].window=4700 ms",
}
