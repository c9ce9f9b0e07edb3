// When an ACK is due (RFC 5681 4.2, RFC 9293 3.8.6.3), what is in it (RFC 2018, 2883, 7323),
// windows that the receiver offers.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_script.h"

// A server with segments of 1000 octets. The receiver's own segments do not matter.
// clang-format off
#define SERVED                                                       \
    "0.000 listen",                                                  \
    "0.000 < S 0:0(0) win 65535 <mss 1000>",                         \
    "0.000 > S. 0:0(0) ack 1 win 65535 <mss 1000>",                  \
    "0.100 < . 1:1(0) ack 1 win 65535",                              \
    "0.100 ? opened 1"
#define SERVED_SACK                                                  \
    "0.000 listen",                                                  \
    "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK>",                  \
    "0.000 > S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",           \
    "0.100 < . 1:1(0) ack 1 win 65535"
#define DELAYED "newreno-ns2 mss_octets=1000 ack_every=2 ack_delay_ns=200000000"
#define SACK    DELAYED " sack=1 dsack=1"

static void test_every_second_segment(void **state)
{
    (void)state;
    SCRIPT(DELAYED, SERVED,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.300 < . 1001:2001(1000) ack 1 win 65535",
           "0.300 > . 1:1(0) ack 2001",
           "0.310 < . 2001:3001(1000) ack 1 win 65535",
           "0.510 > . 1:1(0) ack 3001",
           "0.520 < . 3001:4001(1000) ack 1 win 65535",
           "0.600 < . 4001:4101(100) ack 1 win 65535",
           "0.720 > . 1:1(0) ack 4101",
           "0.720 ? received 4100");
}

static void test_each_segment(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000", SERVED,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001",
           "0.300 < . 1001:1101(100) ack 1 win 65535",
           "0.300 > . 1:1(0) ack 1101");
}

// The first segments at once (quick ACKs), and those after a hole; else the delay follows the arrivals, 40
// to 200 ms.
static void test_quick_then_delayed(void **state)
{
    (void)state;
    SCRIPT(DELAYED " quick_acks=2 ack_delay_least_ns=40000000", SERVED,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001",
           "0.210 < . 1001:2001(1000) ack 1 win 65535",
           "0.210 > . 1:1(0) ack 2001",
           "0.220 < . 2001:3001(1000) ack 1 win 65535",
           "0.260 > . 1:1(0) ack 3001",
           "0.520 < . 3001:4001(1000) ack 1 win 65535",
           "0.560 > . 1:1(0) ack 4001",
           "2.000 < . 4001:5001(1000) ack 1 win 65535",
           "2.040 > . 1:1(0) ack 5001",
           "2.050 < . 6001:7001(1000) ack 1 win 65535",
           "2.050 > . 1:1(0) ack 5001",
           "2.060 < . 5001:6001(1000) ack 1 win 65535",
           "2.060 > . 1:1(0) ack 7001",
           "2.070 < . 7001:8001(1000) ack 1 win 65535",
           "2.070 > . 1:1(0) ack 8001",
           "2.080 < . 8001:9001(1000) ack 1 win 65535",
           "2.080 > . 1:1(0) ack 9001",
           "2.090 < . 9001:10001(1000) ack 1 win 65535",
           "2.130 > . 1:1(0) ack 10001");
}

// As Linux of today: each ACK that waits for its timer doubles the delay, so that two segments come to have one; PSH gets
// one at once; a hole brings no quick ones again, a pause of a time-out (1 s) and a duplicate do.
static void test_acks_adapt(void **state)
{
    (void)state;
    SCRIPT(DELAYED " quick_acks=2 ack_delay_least_ns=40000000 ack_adapts=1", SERVED,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001",
           "0.210 < . 1001:2001(1000) ack 1 win 65535",
           "0.210 > . 1:1(0) ack 2001",
           "0.220 < . 2001:3001(1000) ack 1 win 65535",
           "0.260 > . 1:1(0) ack 3001",
           "0.400 < . 3001:4001(1000) ack 1 win 65535",
           "0.480 > . 1:1(0) ack 4001",
           "0.640 < . 4001:5001(1000) ack 1 win 65535",
           "0.800 > . 1:1(0) ack 5001",
           "1.000 < . 5001:6001(1000) ack 1 win 65535",
           "1.150 < . 6001:7001(1000) ack 1 win 65535",
           "1.150 > . 1:1(0) ack 7001",
           "1.200 < P. 7001:8001(1000) ack 1 win 65535",
           "1.200 > . 1:1(0) ack 8001",
           "1.210 < . 9001:10001(1000) ack 1 win 65535",
           "1.210 > . 1:1(0) ack 8001",
           "1.220 < . 8001:9001(1000) ack 1 win 65535",
           "1.220 > . 1:1(0) ack 10001",
           "1.230 < . 10001:11001(1000) ack 1 win 65535",
           "1.2875 > . 1:1(0) ack 11001",
           "3.000 < . 11001:12001(1000) ack 1 win 65535",
           "3.000 > . 1:1(0) ack 12001",
           "3.010 < . 12001:13001(1000) ack 1 win 65535",
           "3.010 > . 1:1(0) ack 13001",
           "3.020 < . 13001:14001(1000) ack 1 win 65535",
           "3.060 > . 1:1(0) ack 14001",
           "3.100 < . 13001:14001(1000) ack 1 win 65535",
           "3.100 > . 1:1(0) ack 14001",
           "3.110 < . 14001:15001(1000) ack 1 win 65535",
           "3.110 > . 1:1(0) ack 15001",
           "3.120 < . 15001:16001(1000) ack 1 win 65535",
           "3.160 > . 1:1(0) ack 16001");
}

// Data that goes the other way takes the ACK along.
static void test_data_carries_the_ack(void **state)
{
    (void)state;
    SCRIPT(DELAYED, SERVED,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.250 write 500",
           "0.250 > P. 1:501(500) ack 1001",
           "0.300 < . 1001:1001(0) ack 501 win 65535",
           "0.600 ? received 1000");
}

// Out of order: at once, a duplicate for each; the hole filled: at once (RFC 5681 4.2).
static void test_out_of_order(void **state)
{
    (void)state;
    SCRIPT(DELAYED, SERVED,
           "0.200 < . 1001:2001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1 win 65535 <>",
           "0.201 < . 2001:3001(1000) ack 1 win 65535",
           "0.201 > . 1:1(0) ack 1 win 65535 <>",
           "0.202 < . 1:501(500) ack 1 win 65535",
           "0.202 > . 1:1(0) ack 501",
           "0.203 < . 501:1001(500) ack 1 win 65535",
           "0.203 > . 1:1(0) ack 3001",
           "0.203 ? received 3000, duplicate 0");
}

// RFC 2018 4: the first block has what has just arrived, the others follow by their age.
static void test_sack_blocks(void **state)
{
    (void)state;
    SCRIPT(SACK, SERVED_SACK,
           "0.200 < . 1001:2001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1 <sack 1001:2001>",
           "0.201 < . 3001:4001(1000) ack 1 win 65535",
           "0.201 > . 1:1(0) ack 1 <sack 3001:4001 1001:2001>",
           "0.202 < . 5001:6001(1000) ack 1 win 65535",
           "0.202 > . 1:1(0) ack 1 <sack 5001:6001 3001:4001 1001:2001>",
           "0.203 < . 7001:8001(1000) ack 1 win 65535",
           "0.203 > . 1:1(0) ack 1 <sack 7001:8001 5001:6001 3001:4001 1001:2001>",
           "0.204 < . 9001:10001(1000) ack 1 win 65535",
           "0.204 > . 1:1(0) ack 1 <sack 9001:10001 7001:8001 5001:6001 3001:4001>",
           "0.205 < . 2001:3001(1000) ack 1 win 65535",
           "0.205 > . 1:1(0) ack 1 <sack 1001:4001 9001:10001 7001:8001 5001:6001>",
           "0.206 < . 1:1001(1000) ack 1 win 65535",
           "0.206 > . 1:1(0) ack 4001 <sack 9001:10001 7001:8001 5001:6001>",
           "0.207 < . 4001:9001(5000) ack 1 win 65535",
           "0.207 > . 1:1(0) ack 10001 <>",
           "0.207 ? received 10000");
}

// Timestamps leave room for three.
static void test_sack_blocks_beside_stamps(void **state)
{
    (void)state;
    SCRIPT(SACK " timestamps=1",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK,TS val 5 ecr 0>",
           "0.000 > S. 0:0(0) ack 1 <mss 1000,sackOK,TS val 1 ecr 5>",
           "0.100 < . 1:1(0) ack 1 win 65535 <TS val 6 ecr 1>",
           "0.200 < . 1001:2001(1000) ack 1 win 65535 <TS val 7 ecr 1>",
           "0.200 > . 1:1(0) ack 1 <TS val 21 ecr 6,sack 1001:2001>",
           "0.200 < . 3001:4001(1000) ack 1 win 65535 <TS val 7 ecr 1>",
           "0.200 > . 1:1(0) ack 1 <TS val 21 ecr 6,sack 3001:4001 1001:2001>",
           "0.200 < . 5001:6001(1000) ack 1 win 65535 <TS val 7 ecr 1>",
           "0.200 > . 1:1(0) ack 1 <TS val 21 ecr 6,sack 5001:6001 3001:4001 1001:2001>",
           "0.200 < . 7001:8001(1000) ack 1 win 65535 <TS val 7 ecr 1>",
           "0.200 > . 1:1(0) ack 1 <TS val 21 ecr 6,sack 7001:8001 5001:6001 3001:4001>");
}

// RFC 2883: what came twice is reported once, in front of the block that holds it.
static void test_duplicate_sack(void **state)
{
    (void)state;
    SCRIPT(SACK, SERVED_SACK,
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.210 < . 1:1001(1000) ack 1 win 65535",
           "0.210 > . 1:1(0) ack 1001 <sack 1:1001>",
           "0.220 < . 2001:3001(1000) ack 1 win 65535",
           "0.220 > . 1:1(0) ack 1001 <sack 2001:3001>",
           "0.230 < . 2001:3001(1000) ack 1 win 65535",
           "0.230 > . 1:1(0) ack 1001 <sack 2001:3001 2001:3001>",
           "0.230 ? duplicate 2000, received 1000");
}

// RFC 7323 4.3: a delayed ACK echoes the first of the segments that it acknowledges; behind a hole the
// stamp of the last one in order stays.
static void test_which_stamp_is_echoed(void **state)
{
    (void)state;
    SCRIPT(DELAYED " timestamps=1",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,TS val 100 ecr 0>",
           "0.000 > S. 0:0(0) ack 1 <mss 1000,TS val 1 ecr 100>",
           "0.100 < . 1:1(0) ack 1 win 65535 <TS val 101 ecr 1>",
           "0.200 < . 1:989(988) ack 1 win 65535 <TS val 110 ecr 1>",
           "0.210 < . 989:1977(988) ack 1 win 65535 <TS val 111 ecr 1>",
           "0.210 > . 1:1(0) ack 1977 <TS val 22 ecr 110>",
           "0.220 < . 2965:3953(988) ack 1 win 65535 <TS val 113 ecr 1>",
           "0.220 > . 1:1(0) ack 1977 <TS val 23 ecr 110>",
           "0.230 < . 1977:2965(988) ack 1 win 65535 <TS val 120 ecr 1>",
           "0.230 > . 1:1(0) ack 3953 <TS val 24 ecr 120>");
}

// --- The window that is offered ------------------------------------------------------------------

// An application that does not read closes the window; what it reads opens it in full segments only.
static void test_application_does_not_read(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 receive_window_octets=3000",
           "0.000 listen",
           "0.000 hold",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1 win 3000 <mss 1000>",
           "0.100 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001 win 2000",
           "0.300 < . 1001:3001(2000) ack 1 win 65535",
           "0.300 > . 1:1(0) ack 3001 win 0",
           "0.400 < . 3001:3002(1) ack 1 win 65535",
           "0.400 > . 1:1(0) ack 3001 win 0",
           "0.500 read 900",
           "0.600 read 100",
           "0.600 > . 1:1(0) ack 3001 win 1000",
           "0.700 read 2000",
           "0.700 > . 1:1(0) ack 3001 win 3000",
           "0.800 < . 3001:4001(1000) ack 1 win 65535",
           "0.800 > . 1:1(0) ack 4001 win 2000",
           "0.800 ? received 4000");
}

// What lies beyond the window is cut off.
static void test_beyond_the_window(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 receive_window_octets=3000",
           "0.000 listen",
           "0.000 hold",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1 win 3000 <mss 1000>",
           "0.100 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:4001(4000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 3001 win 0",
           "0.200 ? received 3000");
}

// RFC 7323 2.2: only if both have said so, and never on a SYN.
static void test_scaled_windows(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 receive_window_octets=1000000 window_scale=5",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,wscale 0>",
           "0.000 > S. 0:0(0) ack 1 win 65535 <mss 1000,wscale 5>",
           "0.100 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001 win 31250");
    SCRIPT("newreno-ns2 mss_octets=1000 receive_window_octets=1000000 window_scale=5",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:1001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1001 win 65535");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_second_segment),
        cmocka_unit_test(test_each_segment),
        cmocka_unit_test(test_quick_then_delayed),
        cmocka_unit_test(test_acks_adapt),
        cmocka_unit_test(test_data_carries_the_ack),
        cmocka_unit_test(test_out_of_order),
        cmocka_unit_test(test_sack_blocks),
        cmocka_unit_test(test_sack_blocks_beside_stamps),
        cmocka_unit_test(test_duplicate_sack),
        cmocka_unit_test(test_which_stamp_is_echoed),
        cmocka_unit_test(test_application_does_not_read),
        cmocka_unit_test(test_beyond_the_window),
        cmocka_unit_test(test_scaled_windows),
    };
    return cmocka_run_group_tests_name("hosts/tcp_receive", tests, NULL, NULL);
}
