// The ends of a connection (RFC 9293 3.6): half-closed, both at once, resets, TIME-WAIT, FINs that
// are lost; and the handshake as the server sees it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_script.h"

// clang-format off
#define PROFILE "newreno-ns2 mss_octets=1000"
#define CONNECTED                                      \
    "0.000 connect",                                   \
    "0.000 > S 0:0(0) win 65535 <mss 1000>",           \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",    \
    "0.100 > . 1:1(0) ack 1 <>"

// We close first: the peer's octets keep coming, its FIN ends it, and TIME-WAIT answers a late one.
static void test_half_closed(void **state)
{
    (void)state;
    SCRIPT(PROFILE " time_wait_ns=5000000000", CONNECTED,
           "0.200 write 500",
           "0.200 > P. 1:501(500)",
           "0.200 close",
           "0.200 > F. 501:501(0) ack 1",
           "0.300 < . 1:1(0) ack 502 win 65535",
           "0.400 < . 1:1001(1000) ack 502 win 65535",
           "0.400 > . 502:502(0) ack 1001",
           "0.500 < F. 1001:2001(1000) ack 502 win 65535",
           "0.500 > . 502:502(0) ack 2002",
           "0.500 ? peer_closed 1, closed 1, received 2000, state 5",
           "1.000 < F. 1001:2001(1000) ack 502 win 65535",
           "1.000 > . 502:502(0) ack 2002",
           "5.999 ? state 5",
           "6.000 ? state 0, closed 1, aborted 0");
}

// The peer closes first: we may go on sending, and there is no TIME-WAIT here.
static void test_peer_closes_first(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 < F. 1:1(0) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 2",
           "0.200 ? peer_closed 1, closed 0",
           "0.300 write 2500",
           "0.300 > . 1:1001(1000) ack 2",
           "0.300 > . 1001:2001(1000) ack 2",
           "0.400 < . 2:2(0) ack 2001 win 65535",
           "0.400 > P. 2001:2501(500) ack 2",
           "0.400 close",
           "0.400 > F. 2501:2501(0) ack 2",
           "0.500 < . 2:2(0) ack 2502 win 65535",
           "0.500 ? closed 1, state 0, acked 2500");
}

static void test_fin_rides_on_the_last_octets(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.000 write 1500",
           "0.000 close",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1001(1000) ack 1",
           "0.100 > FP. 1001:1501(500) ack 1");
}

// A FIN is sent again like data, and its second ACK counts once.
static void test_lost_fin(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 close",
           "0.200 > F. 1:1(0) ack 1",
           "1.200 > F. 1:1(0) ack 1",
           "3.200 > F. 1:1(0) ack 1",
           "3.300 < . 1:1(0) ack 2 win 65535",
           "3.400 < F. 1:1(0) ack 2 win 65535",
           "3.400 > . 2:2(0) ack 2",
           "3.400 ? closed 1, resent 2");
}

static void test_both_at_once(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 close",
           "0.200 > F. 1:1(0) ack 1",
           "0.250 < F. 1:1(0) ack 1 win 65535",
           "0.250 > . 2:2(0) ack 2",
           "0.250 ? closed 0",
           "0.300 < . 2:2(0) ack 2 win 65535",
           "0.300 ? closed 1, state 5");
}

// A FIN before a hole is filled closes nothing yet.
static void test_fin_behind_a_hole(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 < F. 1001:2001(1000) ack 1 win 65535",
           "0.200 > . 1:1(0) ack 1",
           "0.200 ? peer_closed 0",
           "0.300 < . 1:1001(1000) ack 1 win 65535",
           "0.300 > . 1:1(0) ack 2002",
           "0.300 ? peer_closed 1, received 2000");
}

// --- Resets --------------------------------------------------------------------------------------

// RFC 5961 3.2: exact, or a challenge; beyond the window it is nothing.
static void test_reset(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 < R 70000:70000(0) win 0",
           "0.200 ? aborted 0",
           "0.300 < R 100:100(0) win 0",
           "0.300 > . 1:1(0) ack 1",
           "0.300 ? aborted 0",
           "0.400 < R 1:1(0) win 0",
           "0.400 ? aborted 1, state 0");
}

static void test_refused(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < R. 0:0(0) ack 7 win 0",
           "0.100 ? aborted 0",
           "0.200 < R. 0:0(0) ack 1 win 0",
           "0.200 ? aborted 1, state 0");
}

// Nobody is there: RFC 9293 3.10.7.1.
static void test_answer_of_the_closed(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 < . 1:1001(1000) ack 5 win 65535",
           "0.000 > R 5:5(0)",
           "0.100 < S 0:0(0) win 65535 <mss 1000>",
           "0.100 ? state 0",
           "0.100 > R. 16:16(0)",
           "0.200 < R 1:1(0) win 0");
}

static void test_abort(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 write 500",
           "0.200 > P. 1:501(500)",
           "0.300 abort",
           "0.300 > R. 501:501(0) ack 1",
           "9.000 ? state 0, aborted 0");
}

// What is of another time or nobody's is answered and does nothing else (RFC 9293 3.10.7.4).
static void test_not_of_this_window(void **state)
{
    (void)state;
    SCRIPT(PROFILE, CONNECTED,
           "0.200 write 2000",
           "0.200 > . 1:1001(1000)",
           "0.200 > P. 1001:2001(1000)",
           "0.300 < . 70000:70100(100) ack 2001 win 65535",
           "0.300 > . 2001:2001(0) ack 1",
           "0.310 < . 4294900000:4294900000(0) ack 2001 win 65535",
           "0.310 > . 2001:2001(0) ack 1",
           "0.320 < . 1:1(0) ack 2002 win 65535",
           "0.320 > . 2001:2001(0) ack 1",
           "0.320 ? acked 0, received 0");
}

// --- The server's handshake ----------------------------------------------------------------------

// A SYN that comes again has its answer again, by the time-out and at once.
static void test_lost_syn_ack(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1",
           "1.000 < S 0:0(0) win 65535 <mss 1000>",
           "1.000 > S. 0:0(0) ack 1",
           "4.000 > S. 0:0(0) ack 1",
           "4.100 < . 1:1(0) ack 1 win 65535",
           "4.100 ? opened 1, cwnd 1000, rto 3");
}

// The client's first data stands for the ACK that was lost.
static void test_data_opens(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000>",
           "0.000 > S. 0:0(0) ack 1",
           "0.100 < P. 1:101(100) ack 1 win 65535",
           "0.100 > . 1:1(0) ack 101",
           "0.100 ? opened 1, received 100");
}

// A peer that says no size has segments of 536 octets (RFC 9293 3.7.1).
static void test_segment_sizes(void **state)
{
    (void)state;
    SCRIPT(PROFILE,
           "0.000 connect",
           "0.000 > S 0:0(0) <mss 1000>",
           "0.100 < S. 0:0(0) ack 1 win 65535",
           "0.100 > . 1:1(0) ack 1",
           "0.100 ? mss 536",
           "0.100 write 600",
           "0.100 > . 1:537(536)",
           "0.100 > P. 537:601(64)");
}

// What only one end has, neither uses.
static void test_options_of_both(void **state)
{
    (void)state;
    SCRIPT("linux mss_octets=1000",
           "0.000 connect",
           "0.000 > S 0:0(0) win 65535 <mss 1000,sackOK,TS val 1 ecr 0,wscale 7>",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",
           "0.100 > . 1:1(0) ack 1 win 65535 <>",
           "0.100 ? mss 1000");
    SCRIPT("linux mss_octets=1000",
           "0.000 listen",
           "0.000 < S 0:0(0) win 65535 <mss 1000,TS val 9 ecr 0,wscale 3>",
           "0.000 > S. 0:0(0) ack 1 win 65535 <mss 1000,TS val 1 ecr 9,wscale 7>",
           "0.100 < . 1:1(0) ack 1 win 200 <TS val 9 ecr 1>",
           "0.100 ? mss 988",
           "0.100 write 2000",
           "0.100 > . 1:989(988) ack 1 win 24576 <TS val 101 ecr 9>",
           "0.100 ? pipe 988");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_closed),
        cmocka_unit_test(test_peer_closes_first),
        cmocka_unit_test(test_fin_rides_on_the_last_octets),
        cmocka_unit_test(test_lost_fin),
        cmocka_unit_test(test_both_at_once),
        cmocka_unit_test(test_fin_behind_a_hole),
        cmocka_unit_test(test_reset),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_answer_of_the_closed),
        cmocka_unit_test(test_abort),
        cmocka_unit_test(test_lost_syn_ack),
        cmocka_unit_test(test_data_opens),
        cmocka_unit_test(test_segment_sizes),
        cmocka_unit_test(test_options_of_both),
        cmocka_unit_test(test_not_of_this_window),
    };
    return cmocka_run_group_tests_name("hosts/tcp_close", tests, NULL, NULL);
}
