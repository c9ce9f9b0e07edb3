// What Linux 6.18 was seen to do on a radio of one slot, in captures of `./run soak linux`, segment
// by segment where it differs from the RFCs: the windows there are few segments, and a round trip
// is seconds.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_script.h"

// clang-format off
#define LINUX "linux mss_octets=1000 tail_probe=0 hystart=0 timestamps=0 ack_adapts=0 initial_ssthresh_octets=10000"
// Ten segments are under way, the first has arrived after 1.2 s, and the second is lost.
#define SECOND_LOST                                           \
    "0.000 listen",                                           \
    "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK>",           \
    "0.000 > S. 0:0(0) ack 1",                                \
    "0.600 < . 1:1(0) ack 1 win 65535",                       \
    "0.600 write 100000",                                     \
    "0.600 > . 1:1001(1000)",                                 \
    "0.600 > . 1001:2001(1000)",                              \
    "0.600 > . 2001:3001(1000)",                              \
    "0.600 > . 3001:4001(1000)",                              \
    "0.600 > . 4001:5001(1000)",                              \
    "0.600 > . 5001:6001(1000)",                              \
    "0.600 > . 6001:7001(1000)",                              \
    "0.600 > . 7001:8001(1000)",                              \
    "0.600 > . 8001:9001(1000)",                              \
    "0.600 > . 9001:10001(1000)",                             \
    "1.800 < . 1:1(0) ack 1001 win 65535",                    \
    "1.800 > . 10001:11001(1000)",                            \
    "1.900 < . 1:1(0) ack 1001 win 65535 <sack 2001:5001>",   \
    "1.900 > . 1001:2001(1000)",                              \
    "1.900 ? phase 1, ssthresh 7000"

// Nine of the ten were SACKed, six new ones are sent, and the lost one arrives: the recovery ends.
#define RECOVERED SECOND_LOST, "2.000 < . 1:1(0) ack 1001 win 65535 <sack 2001:11001>", \
    "2.000 > . 11001:12001(1000)", \
    "2.000 > . 12001:13001(1000)", \
    "2.000 > . 13001:14001(1000)", \
    "2.000 > . 14001:15001(1000)", \
    "2.000 > . 15001:16001(1000)", \
    "2.000 > . 16001:17001(1000)", \
    "2.300 < . 1:1(0) ack 11001 win 65535"

// The capture: behind a recovery from ten segments to seven, an ACK each 1.1 s, two segments go at the first, the
// third and the fifth. CUBIC's time begins with the recovery's end, and counts the least round trip of data.
static void test_cubic_of_few_segments(void **state)
{
    (void)state;
    SCRIPT(LINUX, RECOVERED,
           "2.300 ? phase 0, cwnd 7000",
           "2.300 > . 17001:18001(1000)",
           "3.400 < . 1:1(0) ack 12001 win 65535",
           "3.400 > . 18001:19001(1000)",
           "3.400 > . 19001:20001(1000)",
           "4.500 < . 1:1(0) ack 13001 win 65535",
           "4.500 > . 20001:21001(1000)",
           "5.600 < . 1:1(0) ack 14001 win 65535",
           "5.600 > . 21001:22001(1000)",
           "5.600 > . 22001:23001(1000)",
           "6.700 < . 1:1(0) ack 15001 win 65535",
           "6.700 > . 23001:24001(1000)",
           "7.800 < . 1:1(0) ack 16001 win 65535",
           "7.800 > . 24001:25001(1000)",
           "7.800 > . 25001:26001(1000)",
           "7.800 ? cwnd 10000");
}

// What was SACKed has been counted: an ACK that fills the last hole is worth one segment.
static void test_filled_hole_is_one_segment(void **state)
{
    (void)state;
    SCRIPT(LINUX, RECOVERED,
           "2.300 > . 17001:18001(1000)",
           "3.400 < . 1:1(0) ack 11001 win 65535 <sack 12001:13001>",
           "3.400 > . 18001:19001(1000)",
           "3.500 < . 1:1(0) ack 11001 win 65535 <sack 12001:14001>",
           "3.500 > . 19001:20001(1000)",
           "3.600 < . 1:1(0) ack 14001 win 65535",
           "3.600 > . 20001:21001(1000)",
           "3.600 > . 21001:22001(1000)",
           "3.600 ? phase 0, cwnd 8000");
}

// What was sent again is lost, too; behind it something that was sent again later arrives, whose ACK
// echoes the stamp from before the hole.
static void test_lost_again_behind_an_old_stamp(void **state)
{
    (void)state;
    SCRIPT("linux mss_octets=1012 tail_probe=0 hystart=0 initial_window=4 initial_ssthresh_octets=4048",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1012,sackOK,TS val 100 ecr 0>",
           "0.000 > S. 0:0(0) ack 1",
           "0.600 < . 1:1(0) ack 1 win 65535 <TS val 400 ecr 1>",
           "0.600 write 4000",
           "0.600 > . 1:1001(1000)",
           "0.600 > . 1001:2001(1000)",
           "0.600 > . 2001:3001(1000)",
           "0.600 > P. 3001:4001(1000)",
           "1.800 < . 1:1(0) ack 1 win 65535 <TS val 1900 ecr 1,sack 2001:4001>",
           "1.950 > . 1:1001(1000)",
           "1.950 > . 1001:2001(1000)",
           "3.150 < . 1:1(0) ack 1 win 65535 <TS val 3200 ecr 1,sack 1001:4001>",
           "3.150 > . 1:1001(1000)",
           "3.150 ? phase 1, timeouts 0, resent 3");
}

// The ACK that ends a recovery tells of a mark from before the CWR, and shrinks the window once more.
static void test_old_mark_after_a_recovery(void **state)
{
    (void)state;
    SCRIPT(LINUX " ecn=1 initial_window=5 initial_ssthresh_octets=5000",
           "0.000 listen",
           "0.000 < SEW 0:0(0) win 65535 <mss 1000,sackOK>",
           "0.000 > SE. 0:0(0) ack 1",
           "0.600 < . 1:1(0) ack 1 win 65535",
           "0.600 write 100000",
           "0.600 > [ect0] . 1:1001(1000)",
           "0.600 > [ect0] . 1001:2001(1000)",
           "0.600 > [ect0] . 2001:3001(1000)",
           "0.600 > [ect0] . 3001:4001(1000)",
           "0.600 > [ect0] . 4001:5001(1000)",
           "1.800 < E. 1:1(0) ack 1 win 65535 <sack 1001:4001>",
           "1.800 > . 1:1001(1000)",
           "1.800 ? phase 1, ssthresh 3000, reductions 0",
           "1.800 > [ect0] W. 5001:6001(1000)",
           "1.900 < E. 1:1(0) ack 1 win 65535 <sack 1001:5001>",
           "1.900 > [ect0] . 6001:7001(1000)",
           "3.000 < E. 1:1(0) ack 5001 win 65535",
           "3.000 ? phase 3, ssthresh 2000, reductions 1");
}
// An ACK for two segments with a first SACK above them is no reordering, though the lower are told last: with
// the third SACKed segment the hole is lost, at once.
static void test_delayed_ack_is_no_reordering(void **state)
{
    (void)state;
    SCRIPT(LINUX,
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK>",
           "0.000 > S. 0:0(0) ack 1",
           "0.600 < . 1:1(0) ack 1 win 65535",
           "0.600 write 10000",
           "0.600 > . 1:1001(1000)",
           "0.600 > . 1001:2001(1000)",
           "0.600 > . 2001:3001(1000)",
           "0.600 > . 3001:4001(1000)",
           "0.600 > . 4001:5001(1000)",
           "0.600 > . 5001:6001(1000)",
           "0.600 > . 6001:7001(1000)",
           "0.600 > . 7001:8001(1000)",
           "0.600 > . 8001:9001(1000)",
           "0.600 > P. 9001:10001(1000)",
           "1.800 < . 1:1(0) ack 2001 win 65535 <sack 3001:4001>",
           "1.850 < . 1:1(0) ack 2001 win 65535 <sack 3001:5001>",
           "1.900 < . 1:1(0) ack 2001 win 65535 <sack 3001:6001>",
           "1.900 > . 2001:3001(1000)",
           "1.900 ? phase 1");
}

// The first of what a recovery sends is lost, too, and was sent again when the recovery ends: that is a loss of its
// own, from seven segments to four.
static void test_loss_of_a_recovery(void **state)
{
    (void)state;
    SCRIPT(LINUX, SECOND_LOST,
           "2.000 < . 1:1(0) ack 1001 win 65535 <sack 2001:11001>",
           "2.000 > . 11001:12001(1000)",
           "2.000 > . 12001:13001(1000)",
           "2.000 > . 13001:14001(1000)",
           "2.000 > . 14001:15001(1000)",
           "2.000 > . 15001:16001(1000)",
           "2.000 > . 16001:17001(1000)",
           "3.200 < . 1:1(0) ack 1001 win 65535 <sack 2001:11001 12001:17001>",
           "3.200 > . 1001:2001(1000)",
           "3.200 > . 11001:12001(1000)",
           "3.200 > . 17001:18001(1000)",
           "3.200 > . 18001:19001(1000)",
           "3.200 > . 19001:20001(1000)",
           "3.200 > . 20001:21001(1000)",
           "3.200 > . 21001:22001(1000)",
           "3.200 ? phase 1, ssthresh 7000",
           "4.400 < . 1:1(0) ack 11001 win 65535 <sack 12001:17001>",
           "4.400 ? phase 1, ssthresh 4000");
}

// NewReno in whole segments: half of seven is three, and the ACK that ends the recovery counts for the growth.
static void test_newreno_of_few_segments(void **state)
{
    (void)state;
    SCRIPT(LINUX " congestion=0 initial_window=7 initial_ssthresh_octets=7000",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK>",
           "0.000 > S. 0:0(0) ack 1",
           "0.600 < . 1:1(0) ack 1 win 65535",
           "0.600 write 100000",
           "0.600 > . 1:1001(1000)",
           "0.600 > . 1001:2001(1000)",
           "0.600 > . 2001:3001(1000)",
           "0.600 > . 3001:4001(1000)",
           "0.600 > . 4001:5001(1000)",
           "0.600 > . 5001:6001(1000)",
           "0.600 > . 6001:7001(1000)",
           "1.800 < . 1:1(0) ack 1 win 65535 <sack 1001:4001>",
           "1.800 > . 1:1001(1000)",
           "1.800 ? phase 1, ssthresh 3000",
           "1.900 < . 1:1(0) ack 1 win 65535 <sack 1001:7001>",
           "1.900 > . 7001:8001(1000)",
           "1.900 > . 8001:9001(1000)",
           "3.000 < . 1:1(0) ack 7001 win 65535",
           "3.000 ? phase 0, cwnd 3000",
           "3.000 > . 9001:10001(1000)",
           "3.100 < . 1:1(0) ack 8001 win 65535",
           "3.100 > . 10001:11001(1000)",
           "3.100 ? cwnd 3000",
           "3.200 < . 1:1(0) ack 9001 win 65535",
           "3.200 > . 11001:12001(1000)",
           "3.200 > . 12001:13001(1000)",
           "3.200 ? cwnd 4000");
}

// The last of several segments that go at once has PSH.
static void test_push(void **state)
{
    (void)state;
    SCRIPT("linux mss_octets=1000 tail_probe=0 timestamps=0 initial_window=3",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,sackOK>",
           "0.000 > S. 0:0(0) ack 1",
           "0.600 < . 1:1(0) ack 1 win 65535",
           "0.600 write 100000",
           "0.600 > . 1:1001(1000)",
           "0.600 > . 1001:2001(1000)",
           "0.600 > P. 2001:3001(1000)",
           "1.800 < . 1:1(0) ack 1001 win 65535",
           "1.800 > . 3001:4001(1000)",
           "1.800 > P. 4001:5001(1000)");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubic_of_few_segments),
        cmocka_unit_test(test_filled_hole_is_one_segment),
        cmocka_unit_test(test_lost_again_behind_an_old_stamp),
        cmocka_unit_test(test_old_mark_after_a_recovery),
        cmocka_unit_test(test_delayed_ack_is_no_reordering),
        cmocka_unit_test(test_loss_of_a_recovery),
        cmocka_unit_test(test_newreno_of_few_segments),
        cmocka_unit_test(test_push),
    };
    return cmocka_run_group_tests_name("hosts/tcp_linux", tests, NULL, NULL);
}
