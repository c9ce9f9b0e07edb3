// NewReno segment by segment: RFC 5681 and 6582.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_flights.h"

// clang-format off
// RFC 5681 3.1: a segment more for each ACK.
static void test_slow_start(void **state)
{
    (void)state;
    SCRIPT(NEWRENO, CONNECTED,
           "0.100 write 100000",
           "0.100 > . 1:1001(1000) ack 1",
           "0.100 > . 1001:2001(1000) ack 1",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.200 > . 2001:3001(1000)",
           "0.200 > . 3001:4001(1000)",
           "0.201 < . 1:1(0) ack 2001 win 65535",
           "0.201 > . 4001:5001(1000)",
           "0.201 > . 5001:6001(1000)",
           "0.201 ? cwnd 4000, acked 2000, phase 0");
}

// RFC 5681 3.1: from ssthresh on, one segment for each window of ACKs.
static void test_congestion_avoidance(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " initial_ssthresh_octets=2000", CONNECTED,
           "0.100 write 100000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.200 > . 2001:3001(1000)",
           "0.210 < . 1:1(0) ack 2001 win 65535",
           "0.210 ? cwnd 3000",
           "0.210 > . 3001:4001(1000)",
           "0.210 > . 4001:5001(1000)",
           "0.300 < . 1:1(0) ack 3001 win 65535",
           "0.300 > . 5001:6001(1000)",
           "0.310 < . 1:1(0) ack 4001 win 65535",
           "0.310 > . 6001:7001(1000)",
           "0.310 ? cwnd 3000",
           "0.320 < . 1:1(0) ack 5001 win 65535",
           "0.320 ? cwnd 4000",
           "0.320 > . 7001:8001(1000)",
           "0.320 > . 8001:9001(1000)");
}

// One timed segment at a time: the first sample is of the SYN, the second of the first segment.
static void test_round_trips(void **state)
{
    (void)state;
    SCRIPT(NEWRENO, CONNECTED,
           "0.100 ? srtt 0.1, samples 1",
           "0.100 write 2000",
           "0.100 > . 1:1001(1000)",
           "0.100 > P. 1001:2001(1000)",
           "0.300 < . 1:1(0) ack 2001 win 65535",
           "0.300 ? samples 2, srtt 0.1125");
}

// The third duplicate sends the first segment again; each further one lets new data go, once half
// of the window has drained (RFC 5681 3.2).
static void test_fast_retransmit(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6, CONNECTED_6, SIX_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.201 < . 1:1(0) ack 1 win 65535",
           "0.201 ? phase 0, cwnd 6000",
           "0.202 < . 1:1(0) ack 1 win 65535",
           "0.202 > . 1:1001(1000) ack 1",
           "0.202 ? phase 1, ssthresh 3000, recoveries 1",
           "0.203 write 5000",
           "0.203 < . 1:1(0) ack 1 win 65535",
           "0.203 > . 6001:7001(1000)",
           "0.204 < . 1:1(0) ack 1 win 65535",
           "0.204 > . 7001:8001(1000)",
           "0.302 < . 1:1(0) ack 6001 win 65535",
           "0.302 ? phase 0, cwnd 3000, resent 1, timeouts 0",
           "0.302 > . 8001:9001(1000)");
}

// RFC 6582 3.2 step 3: a partial ACK sends the next hole, without new duplicates.
static void test_partial_ack(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6, CONNECTED_6, SIX_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.201 < . 1:1(0) ack 1 win 65535",
           "0.202 < . 1:1(0) ack 1 win 65535",
           "0.202 > . 1:1001(1000) ack 1",
           "0.302 < . 1:1(0) ack 3001 win 65535",
           "0.302 > . 3001:4001(1000)",
           "0.302 ? phase 1",
           "0.402 < . 1:1(0) ack 6001 win 65535",
           "0.402 ? phase 0, cwnd 3000, resent 2, recoveries 1, timeouts 0");
}

// ... and deflates the window by what it acknowledges, less one segment: one new segment beside the hole.
static void test_partial_ack_deflates(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=10", TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.201 < . 1:1(0) ack 1 win 65535",
           "0.202 < . 1:1(0) ack 1 win 65535",
           "0.202 > . 1:1001(1000)",
           "0.203 < . 1:1(0) ack 1 win 65535",
           "0.204 < . 1:1(0) ack 1 win 65535",
           "0.205 < . 1:1(0) ack 1 win 65535",
           "0.205 > . 10001:11001(1000)",
           "0.206 < . 1:1(0) ack 1 win 65535",
           "0.206 > . 11001:12001(1000)",
           "0.207 < . 1:1(0) ack 1 win 65535",
           "0.207 > . 12001:13001(1000)",
           "0.302 < . 1:1(0) ack 1001 win 65535",
           "0.302 > . 1001:2001(1000)",
           "0.302 > . 13001:14001(1000)",
           "0.302 ? phase 1, pipe 5000");
}

// RFC 6582 3.2 step 2: duplicates of segments sent before a time-out do not begin a recovery.
static void test_no_second_recovery(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6, CONNECTED_6, SIX_SENT,
           "1.100 > . 1:1001(1000)",
           "1.100 ? phase 2, cwnd 1000, ssthresh 3000",
           "1.200 < . 1:1(0) ack 1001 win 65535",
           "1.200 > . 1001:2001(1000)",
           "1.200 > . 2001:3001(1000)",
           "1.300 < . 1:1(0) ack 6001 win 65535",
           "1.300 ? phase 0",
           "1.300 write 1000",
           "1.300 > P. 6001:7001(1000)",
           "1.310 < . 1:1(0) ack 6001 win 65535",
           "1.311 < . 1:1(0) ack 6001 win 65535",
           "1.312 < . 1:1(0) ack 6001 win 65535",
           "1.313 < . 1:1(0) ack 6001 win 65535",
           "1.313 ? phase 0, recoveries 0");
}

// --- Limits --------------------------------------------------------------------------------------

static void test_limit_of_cwnd(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " cwnd_most_octets=3000", CONNECTED,
           "0.100 write 100000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.200 > . 2001:3001(1000)",
           "0.200 > . 3001:4001(1000)",
           "0.200 < . 1:1(0) ack 2001 win 65535",
           "0.200 > . 4001:5001(1000)",
           "0.200 ? cwnd 3000, pipe 3000");
}

// RFC 3042: each of the first two duplicates lets one new segment go, and the window stays.
static void test_limited_transmit(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6 " limited_transmit=1", CONNECTED_6,
           "0.100 write 100000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.100 > . 2001:3001(1000)",
           "0.100 > . 3001:4001(1000)",
           "0.100 > . 4001:5001(1000)",
           "0.100 > . 5001:6001(1000)",
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.200 > . 6001:7001(1000)",
           "0.201 < . 1:1(0) ack 1 win 65535",
           "0.201 > . 7001:8001(1000)",
           "0.201 ? cwnd 6000, phase 0",
           "0.202 < . 1:1(0) ack 1 win 65535",
           "0.202 > . 1:1001(1000)",
           "0.202 ? ssthresh 3000, phase 1");
}

// RFC 5681 4.1: after a pause of more than a time-out the window is the initial one again.
static void test_idle(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " idle_restart=1", CONNECTED,
           "0.100 write 4000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.200 < . 1:1(0) ack 2001 win 65535",
           "0.200 > . 2001:3001(1000)",
           "0.200 > P. 3001:4001(1000)",
           "0.300 < . 1:1(0) ack 4001 win 65535",
           "0.300 ? cwnd 4000",
           "5.000 write 10000",
           "5.000 > . 4001:5001(1000)",
           "5.000 > . 5001:6001(1000)",
           "5.000 ? cwnd 2000");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slow_start),         cmocka_unit_test(test_congestion_avoidance),
        cmocka_unit_test(test_round_trips),        cmocka_unit_test(test_fast_retransmit),
        cmocka_unit_test(test_partial_ack),        cmocka_unit_test(test_partial_ack_deflates),
        cmocka_unit_test(test_no_second_recovery), cmocka_unit_test(test_limit_of_cwnd),
        cmocka_unit_test(test_limited_transmit),   cmocka_unit_test(test_idle),
    };
    return cmocka_run_group_tests_name("hosts/tcp_newreno", tests, NULL, NULL);
}
