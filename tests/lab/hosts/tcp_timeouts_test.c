// TCP's time-outs: RFC 6298 with Karn, the variance of Linux, lost SYNs, and what a time-out does
// to the window (RFC 5681 3.1, RFC 6582 4).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_flights.h"

// clang-format off
// Linux's variance: at least 50 ms, up at once, and a sample far below the mean counts for an eighth.
static void test_variance_of_linux(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " rto_margin=1 rto_least_ns=200000000 sample_each_ack=1 tick_ns=1000000",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "0.100 > . 1:1(0) ack 1",
           "0.100 ? srtt 0.1, rto 0.3",
           "0.100 write 1000",
           "0.100 > P. 1:1001(1000)",
           "0.390 < . 1:1(0) ack 1001 win 65535",
           "0.390 ? srtt 0.12375, rto 0.46375",
           "0.390 write 1000",
           "0.390 > P. 1001:2001(1000)",
           "0.410 < . 1:1(0) ack 2001 win 65535",
           "0.410 ? srtt 0.11078125, rto 0.453125");
}

// RFC 6298 5.5 and Karn: each time-out doubles; the ACK of what was sent twice gives no sample, so
// that the doubled time-out stays for the next segment, until it has given one.
static void test_backoff_stays(void **state)
{
    (void)state;
    SCRIPT(NEWRENO, CONNECTED,
           "0.100 write 1000",
           "0.100 > P. 1:1001(1000)",
           "1.100 > P. 1:1001(1000)",
           "3.100 > P. 1:1001(1000)",
           "7.100 > P. 1:1001(1000)",
           "7.100 ? timeouts 3, rto 8",
           "9.000 < . 1:1(0) ack 1001 win 65535",
           "9.000 ? rto 8, samples 1",
           "9.000 write 1000",
           "9.000 > P. 1001:2001(1000)",
           "17.000 > P. 1001:2001(1000)",
           "17.000 ? rto 16",
           "18.000 < . 1:1(0) ack 2001 win 65535",
           "18.000 write 1000",
           "18.000 > P. 2001:3001(1000)",
           "19.000 < . 1:1(0) ack 3001 win 65535",
           "19.000 ? samples 2, srtt 0.2125, rto 1.262500");
}

#define TWO_PARTIAL_ACKS                                   \
    "0.200 < . 1:1(0) ack 1 win 65535",                    \
    "0.201 < . 1:1(0) ack 1 win 65535",                    \
    "0.202 < . 1:1(0) ack 1 win 65535",                    \
    "0.202 > . 1:1001(1000) ack 1",                        \
    "0.302 < . 1:1(0) ack 3001 win 65535",                 \
    "0.302 > . 3001:4001(1000)",                           \
    "0.402 < . 1:1(0) ack 4001 win 65535",                 \
    "0.402 > . 4001:5001(1000)"

// RFC 6582 4: each partial ACK restarts the time-out, or but the first one.
static void test_slow_but_steady(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6, CONNECTED_6, SIX_SENT, TWO_PARTIAL_ACKS,
           "1.410 > . 4001:5001(1000)");
}

static void test_impatient(void **state)
{
    (void)state;
    SCRIPT(NEWRENO_6 " impatient=1", CONNECTED_6, SIX_SENT, TWO_PARTIAL_ACKS,
           "1.310 > . 4001:5001(1000)");
}

// RFC 5681 3.1: only the first time-out of a segment lowers the threshold.
static void test_threshold_of_repeated_time_outs(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=10", TEN_SENT,
           "1.100 > . 1:1001(1000)",
           "3.100 > . 1:1001(1000)",
           "7.100 > . 1:1001(1000)",
           "7.100 ? ssthresh 5000, cwnd 1000");
}

// A timestamp says which of the two was acknowledged (RFC 7323 4.1): a sample, and no backoff left.
static void test_stamps_give_samples(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1012 timestamps=1 sample_each_ack=1",
           "0.000 connect",
           "0.000 > S 0:0(0) <mss 1012,TS val 1 ecr 0>",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1012,TS val 77 ecr 1>",
           "0.100 > . 1:1(0) ack 1 <TS val 11 ecr 77>",
           "0.100 write 1000",
           "0.100 > P. 1:1001(1000) ack 1 <TS val 11 ecr 77>",
           "1.100 > P. 1:1001(1000) ack 1 <TS val 111 ecr 77>",
           "3.100 > P. 1:1001(1000) ack 1 <TS val 311 ecr 77>",
           "3.100 ? rto 4",
           "3.200 < . 1:1(0) ack 1001 win 65535 <TS val 78 ecr 111>",
           "3.200 ? samples 2, srtt 0.35, rto 2.5");
}

// The time-out never exceeds its limit, and after so many in a row the connection is given up.
static void test_given_up(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " rto_most_ns=3000000000 retries=4", CONNECTED,
           "0.100 write 1000",
           "0.100 > P. 1:1001(1000)",
           "1.100 > P. 1:1001(1000)",
           "3.100 > P. 1:1001(1000)",
           "6.100 > P. 1:1001(1000)",
           "9.100 > P. 1:1001(1000)",
           "12.099 ? aborted 0",
           "12.100 ? aborted 1, state 0");
}

// A lost SYN: 3, 6, 12 s; then one segment (RFC 5681 3.1) and a time-out of 3 s, as there is no
// sample (RFC 6298 5.7).
static void test_lost_syn(void **state)
{
    (void)state;
    SCRIPT(NEWRENO,
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "3.000 > S 0:0(0)",
           "9.000 > S 0:0(0)",
           "9.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "9.100 > . 1:1(0) ack 1",
           "9.100 ? cwnd 1000, rto 3, samples 0",
           "9.100 write 3000",
           "9.100 > . 1:1001(1000)",
           "12.100 > . 1:1001(1000)");
}

// ... of 3 s also where the first time-out is shorter.
static void test_time_out_after_a_lost_syn(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " rto_initial_ns=1000000000",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "1.000 > S 0:0(0)",
           "1.100 < S. 0:0(0) ack 1 win 65535 <mss 1000>",
           "1.100 > . 1:1(0) ack 1",
           "1.100 ? rto 3, samples 0");
}

static void test_nobody_answers(void **state)
{
    (void)state;
    SCRIPT(NEWRENO " syn_retries=2",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "3.000 > S 0:0(0)",
           "9.000 > S 0:0(0)",
           "21.000 ? aborted 1, state 0");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_backoff_stays),
        cmocka_unit_test(test_slow_but_steady),
        cmocka_unit_test(test_impatient),
        cmocka_unit_test(test_threshold_of_repeated_time_outs),
        cmocka_unit_test(test_stamps_give_samples),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_lost_syn),
        cmocka_unit_test(test_time_out_after_a_lost_syn),
        cmocka_unit_test(test_nobody_answers),
        cmocka_unit_test(test_variance_of_linux),
    };
    return cmocka_run_group_tests_name("hosts/tcp_timeouts", tests, NULL, NULL);
}
