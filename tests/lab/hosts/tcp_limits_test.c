// What is not a loss: ECN's marks (RFC 3168), time-outs that were none (RFC 5682, RFC 3522), and
// the limits that the peer's window sets (RFC 9293 3.8.6).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_script.h"

// clang-format off
#define ECN "newreno-ns2 mss_octets=1000 initial_window=4 ecn=1"
#define CONNECTED_ECN                                   \
    "0.000 connect",                                    \
    "0.000 > SEW 0:0(0) win 65535 <mss 1000>",          \
    "0.100 < SE. 0:0(0) ack 1 win 65535 <mss 1000>",    \
    "0.100 > . 1:1(0) ack 1 <>"

// --- ECN -----------------------------------------------------------------------------------------

// RFC 3168 6.1.2: once a round trip; CWR on the next new data; 6.1.5: no ECT on what is sent again.
static void test_marks_shrink_the_window_once(void **state)
{
    (void)state;
    SCRIPT(ECN, CONNECTED_ECN,
           "0.100 write 7000",
           "0.100 > [ect0] . 1:1001(1000)",
           "0.100 > [ect0] . 1001:2001(1000)",
           "0.100 > [ect0] . 2001:3001(1000)",
           "0.100 > [ect0] . 3001:4001(1000)",
           "0.200 < E. 1:1(0) ack 1001 win 65535",
           "0.200 ? phase 3, cwnd 2000, ssthresh 2000, reductions 1",
           "0.210 < E. 1:1(0) ack 2001 win 65535",
           "0.220 < E. 1:1(0) ack 3001 win 65535",
           "0.220 > [ect0] W. 4001:5001(1000)",
           "0.230 < E. 1:1(0) ack 4001 win 65535",
           "0.230 > [ect0] . 5001:6001(1000)",
           "0.230 ? reductions 1, cwnd 2000",
           "0.320 < E. 1:1(0) ack 5001 win 65535",
           "0.320 ? reductions 2",
           "0.320 > [ect0] PW. 6001:7001(1000)",
           "1.320 > . 5001:6001(1000)");
}

// A loss and a mark in one window are one sign.
static void test_mark_and_loss_shrink_once(void **state)
{
    (void)state;
    SCRIPT(ECN " initial_window=8", CONNECTED_ECN,
           "0.100 write 8000",
           "0.100 > [ect0] . 1:1001(1000)",
           "0.100 > [ect0] . 1001:2001(1000)",
           "0.100 > [ect0] . 2001:3001(1000)",
           "0.100 > [ect0] . 3001:4001(1000)",
           "0.100 > [ect0] . 4001:5001(1000)",
           "0.100 > [ect0] . 5001:6001(1000)",
           "0.100 > [ect0] . 6001:7001(1000)",
           "0.100 > [ect0] P. 7001:8001(1000)",
           "0.200 < E. 1:1(0) ack 1001 win 65535",
           "0.200 ? ssthresh 3500",
           "0.210 < E. 1:1(0) ack 1001 win 65535",
           "0.220 < E. 1:1(0) ack 1001 win 65535",
           "0.230 < E. 1:1(0) ack 1001 win 65535",
           "0.230 > . 1001:2001(1000)",
           "0.230 ? phase 1, ssthresh 3500, reductions 1, recoveries 1");
}

// The ACK that ends a recovery may still tell of a mark from before the CWR.
static void test_old_mark_after_a_recovery(void **state)
{
    (void)state;
    SCRIPT(ECN " initial_window=5", CONNECTED_ECN,
           "0.100 write 5000",
           "0.100 > [ect0] . 1:1001(1000)",
           "0.100 > [ect0] . 1001:2001(1000)",
           "0.100 > [ect0] . 2001:3001(1000)",
           "0.100 > [ect0] . 3001:4001(1000)",
           "0.100 > [ect0] P. 4001:5001(1000)",
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.200 < . 1:1(0) ack 1 win 65535",
           "0.200 > . 1:1001(1000)",
           "0.300 < E. 1:1(0) ack 5001 win 65535",
           "0.300 ? phase 0, cwnd 2500, reductions 0",
           "0.300 write 1000",
           "0.300 > [ect0] PW. 5001:6001(1000)",
           "0.400 < E. 1:1(0) ack 6001 win 65535",
           "0.400 ? phase 3, reductions 1");
}

// RFC 3168 6.1.3: ECE on every ACK from the mark on until CWR comes.
static void test_receiver_echoes_until_cwr(void **state)
{
    (void)state;
    SCRIPT(ECN,
           "0.000 listen",
           "0.000 < SEW 0:0(0) win 65535 <mss 1000>",
           "0.000 > SE. 0:0(0) ack 1",
           "0.100 < . 1:1(0) ack 1 win 65535",
           "0.200 < [ect0] . 1:1001(1000) ack 1 win 65535",
           "0.200 > E. 1:1(0) ack 1001",
           "0.300 < . 1001:2001(1000) ack 1 win 65535",
           "0.300 > E. 1:1(0) ack 2001",
           "0.350 write 10",
           "0.350 > [ect0] PE. 1:11(10) ack 2001",
           "0.400 < W. 2001:3001(1000) ack 11 win 65535",
           "0.400 > . 11:11(0) ack 3001",
           "0.500 < [ect0] W. 3001:4001(1000) ack 11 win 65535",
           "0.500 > E. 11:11(0) ack 4001",
           "0.500 ? marks 2");
}

// Only if both want it, and not of a mirror that sends both bits back.
static void test_who_agrees_to_ecn(void **state)
{
    (void)state;
    SCRIPT(ECN,
           "0.000 connect",
           "0.000 > SEW 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 10",
           "0.100 > P. 1:11(10)");
    SCRIPT(ECN,
           "0.000 connect",
           "0.000 > SEW 0:0(0)",
           "0.100 < SEW. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 10",
           "0.100 > P. 1:11(10)");
    SCRIPT(ECN,
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1");
    SCRIPT("newreno-ns2 mss_octets=1000",
           "0.000 listen",
           "0.000 < SEW 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1");
}

// --- Time-outs that were none --------------------------------------------------------------------

#define SPURIOUS(options)                                      \
    "0.000 connect",                                           \
    "0.000 > S 0:0(0)",                                        \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss " options ">", \
    "0.100 > . 1:1(0) ack 1",                                  \
    "0.100 write 100000",                                      \
    "0.100 > . 1:1001(1000)",                                  \
    "0.100 > . 1001:2001(1000)",                               \
    "0.100 > . 2001:3001(1000)",                               \
    "0.100 > . 3001:4001(1000)",                               \
    "1.100 > . 1:1001(1000)",                                  \
    "1.100 ? phase 2, cwnd 1000, timeouts 1"

// F-RTO: the first ACK lets two new segments go; the second one acknowledges what was sent once, so
// that nothing had been lost, and the window is as before.
static void test_frto(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 spurious=1", SPURIOUS("1000"),
           "1.500 < . 1:1(0) ack 1001 win 65535",
           "1.500 > . 4001:5001(1000)",
           "1.500 > . 5001:6001(1000)",
           "1.510 < . 1:1(0) ack 2001 win 65535",
           "1.510 ? phase 0, spurious 1, cwnd 5000",
           "1.510 > . 6001:7001(1000)",
           "1.520 < . 1:1(0) ack 3001 win 65535",
           "1.520 > . 7001:8001(1000)",
           "1.520 > . 8001:9001(1000)",
           "1.520 ? resent 1");
}

// A duplicate instead: the loss was real, and what follows is sent again.
static void test_frto_real_loss(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 spurious=1", SPURIOUS("1000"),
           "1.500 < . 1:1(0) ack 1001 win 65535",
           "1.500 > . 4001:5001(1000)",
           "1.500 > . 5001:6001(1000)",
           "1.600 < . 1:1(0) ack 1001 win 65535",
           "1.600 ? phase 2, spurious 0",
           "1.600 > . 1001:2001(1000)");
}

// The first segment was lost, the others have arrived: one ACK for all of them proves nothing.
static void test_frto_hole_filled(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 spurious=1", SPURIOUS("1000"),
           "1.500 < . 1:1(0) ack 4001 win 65535",
           "1.500 ? phase 0, spurious 0, cwnd 2000, ssthresh 2000",
           "1.500 > . 4001:5001(1000)",
           "1.500 > . 5001:6001(1000)");
}

// Without it all is sent again, as nobody knows better.
static void test_without_frto(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4", SPURIOUS("1000"),
           "1.500 < . 1:1(0) ack 1001 win 65535",
           "1.500 > . 1001:2001(1000)",
           "1.500 > . 2001:3001(1000)",
           "1.500 ? cwnd 2000, spurious 0");
}

// Eifel: the first ACK echoes the stamp of the first transmission.
static void test_eifel(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1012 initial_window=4 spurious=2 timestamps=1 sample_each_ack=1",
           SPURIOUS("1012,TS val 7 ecr 1"),
           "1.500 < . 1:1(0) ack 1001 win 65535 <TS val 8 ecr 11>",
           "1.500 ? phase 0, spurious 1, cwnd 4000, srtt 0.2625, samples 2",
           "1.500 > . 4001:5001(1000)");
}

static void test_eifel_real_loss(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1012 initial_window=4 spurious=2 timestamps=1 sample_each_ack=1",
           SPURIOUS("1012,TS val 7 ecr 1"),
           "1.500 < . 1:1(0) ack 1001 win 65535 <TS val 8 ecr 111>",
           "1.500 ? phase 2, spurious 0",
           "1.500 > . 1001:2001(1000)",
           "1.500 > . 2001:3001(1000)");
}

// --- The peer's window ---------------------------------------------------------------------------

#define CLOSED_WINDOW                                    \
    "0.000 connect",                                     \
    "0.000 > S 0:0(0)",                                  \
    "0.100 < S. 0:0(0) ack 1 win 2500 <mss 1000>",       \
    "0.100 > . 1:1(0) ack 1",                            \
    "0.100 write 100000",                                \
    "0.100 > . 1:1001(1000)",                            \
    "0.100 > . 1001:2001(1000)",                         \
    "0.200 < . 1:1(0) ack 2001 win 0"

// Probes by the time-out's doubling, without an end; the first ACK that opens it lets data go.
static void test_zero_window(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4", CLOSED_WINDOW,
           "1.200 > . 2000:2000(0) ack 1",
           "1.300 < . 1:1(0) ack 2001 win 0",
           "3.200 > . 2000:2000(0) ack 1",
           "7.200 > . 2000:2000(0) ack 1",
           "7.300 < . 1:1(0) ack 2001 win 3000",
           "7.300 > . 2001:3001(1000)",
           "7.300 > . 3001:4001(1000)",
           "7.300 > . 4001:5001(1000)",
           "7.300 ? window_probes 3, timeouts 0, rto 1",
           "8.300 > . 2001:3001(1000)");
}

// RFC 9293 3.8.6.2.1: a window of less than a segment and less than half of the largest waits, until
// the time-out overrides.
static void test_silly_window(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4", CLOSED_WINDOW,
           "0.300 < . 1:1(0) ack 2001 win 400",
           "1.200 > . 2001:2401(400)");
}

// A window that shrinks takes nothing back; what is under way is sent again in the end.
static void test_shrunk_window(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 4000 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 100000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.100 > . 2001:3001(1000)",
           "0.100 > . 3001:4001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 1000",
           "1.200 > . 1001:2001(1000)",
           "1.300 < . 1:1(0) ack 4001 win 4000",
           "1.300 > . 4001:5001(1000)",
           "1.300 > . 5001:6001(1000)");
}

// RFC 9293 3.10.7.4: a segment that was overtaken does not say what the window is now.
static void test_old_window(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 4000 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.200 < . 1:101(100) ack 1 win 4000",
           "0.200 > . 1:1(0) ack 101",
           "0.200 < . 101:201(100) ack 1 win 2000",
           "0.200 > . 1:1(0) ack 201",
           "0.210 < . 1:1(0) ack 1 win 9000",
           "0.210 > . 1:1(0) ack 201",
           "0.300 write 100000",
           "0.300 > . 1:1001(1000)",
           "0.300 > . 1001:2001(1000)",
           "0.400 < . 201:201(0) ack 2001 win 1000",
           "0.400 > . 2001:3001(1000)",
           "0.410 < . 201:201(0) ack 1001 win 9000",
           "0.410 ? pipe 1000");
}

static void test_send_buffer(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 send_buffer_octets=2500",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 100000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.200 > . 2001:3001(1000)");
}

static void test_nagle(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 nagle=1",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 100",
           "0.100 > P. 1:101(100)",
           "0.110 write 100",
           "0.120 write 100",
           "0.200 < . 1:1(0) ack 101 win 65535",
           "0.200 > P. 101:301(200)");
}

// What is last goes at once.
static void test_nagle_at_the_end(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=4 nagle=1",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 write 100",
           "0.100 > P. 1:101(100)",
           "0.110 write 100",
           "0.120 close",
           "0.120 > FP. 101:201(100)");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks_shrink_the_window_once),
        cmocka_unit_test(test_mark_and_loss_shrink_once),
        cmocka_unit_test(test_receiver_echoes_until_cwr),
        cmocka_unit_test(test_who_agrees_to_ecn),
        cmocka_unit_test(test_frto),
        cmocka_unit_test(test_frto_real_loss),
        cmocka_unit_test(test_frto_hole_filled),
        cmocka_unit_test(test_without_frto),
        cmocka_unit_test(test_eifel),
        cmocka_unit_test(test_eifel_real_loss),
        cmocka_unit_test(test_zero_window),
        cmocka_unit_test(test_silly_window),
        cmocka_unit_test(test_shrunk_window),
        cmocka_unit_test(test_send_buffer),
        cmocka_unit_test(test_nagle),
        cmocka_unit_test(test_old_mark_after_a_recovery),
        cmocka_unit_test(test_old_window),
        cmocka_unit_test(test_nagle_at_the_end),
    };
    return cmocka_run_group_tests_name("hosts/tcp_limits", tests, NULL, NULL);
}
