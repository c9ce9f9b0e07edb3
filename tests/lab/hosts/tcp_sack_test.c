// SACK's sender, segment by segment: RFC 6675, FACK with rate halving, RACK and its tail probe (RFC
// 8985), PRR (RFC 6937).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lab/hosts/tcp_script.h"

// clang-format off
// Ten segments of 1000 octets are under way from 0.1 s on; much more waits.
#define TEN_SENT                                              \
    "0.000 connect",                                          \
    "0.000 > S 0:0(0) <mss 1000,sackOK>",                     \
    "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",    \
    "0.100 > . 1:1(0) ack 1 <>",                              \
    "0.100 write 100000",                                     \
    "0.100 > . 1:1001(1000)",                                 \
    "0.100 > . 1001:2001(1000)",                              \
    "0.100 > . 2001:3001(1000)",                              \
    "0.100 > . 3001:4001(1000)",                              \
    "0.100 > . 4001:5001(1000)",                              \
    "0.100 > . 5001:6001(1000)",                              \
    "0.100 > . 6001:7001(1000)",                              \
    "0.100 > . 7001:8001(1000)",                              \
    "0.100 > . 8001:9001(1000)",                              \
    "0.100 > . 9001:10001(1000)"
#define TEN   "newreno-ns2 mss_octets=1000 initial_window=10 sack=1 sample_each_ack=1"
#define SACK  TEN " recovery=1"
#define FACK  TEN " recovery=2 reduction=1 limited_transmit=1 burst=3"
#define RACK  TEN " recovery=3 limited_transmit=1 tail_probe=1"

// RFC 6675 5: the third duplicate marks what has three segments SACKed above it. The first and the
// third are lost; the pipe says when the next may go.
static void test_rfc6675(void **state)
{
    (void)state;
    SCRIPT(SACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 3001:4001 1001:2001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 3001:5001 1001:2001>",
           "0.202 > . 1:1001(1000)",
           "0.202 ? phase 1, ssthresh 5000, cwnd 5000, pipe 7000",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 3001:6001 1001:2001>",
           "0.203 ? pipe 5000",
           "0.204 < . 1:1(0) ack 1 win 65535 <sack 3001:7001 1001:2001>",
           "0.204 > . 2001:3001(1000)",
           "0.205 < . 1:1(0) ack 1 win 65535 <sack 3001:8001 1001:2001>",
           "0.205 > . 10001:11001(1000)",
           "0.300 < . 1:1(0) ack 2001 win 65535 <sack 3001:8001>",
           "0.300 > . 11001:12001(1000)",
           "0.302 < . 1:1(0) ack 10001 win 65535",
           "0.302 ? phase 0, cwnd 5000, resent 2, timeouts 0",
           "0.302 > . 12001:13001(1000)",
           "0.302 > . 13001:14001(1000)",
           "0.302 > . 14001:15001(1000)");
}

// Three segments above are enough, in one ACK as well.
static void test_one_sack_is_enough(void **state)
{
    (void)state;
    SCRIPT(SACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:4001>",
           "0.200 > . 1:1001(1000)",
           "0.200 ? phase 1, recoveries 1");
}

// Rule 3 of NextSeg: when nothing new is there to send, what is below the foremost SACK goes again though
// it does not count as lost yet.
static void test_rather_than_nothing(void **state)
{
    (void)state;
    SCRIPT("newreno-ns2 mss_octets=1000 initial_window=6 sack=1 recovery=1",
           "0.000 connect",
           "0.000 > S 0:0(0)",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",
           "0.100 > . 1:1(0) ack 1 <>",
           "0.100 write 6000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.100 > . 2001:3001(1000)",
           "0.100 > . 3001:4001(1000)",
           "0.100 > . 4001:5001(1000)",
           "0.100 > P. 5001:6001(1000)",
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 1001:3001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 4001:5001 1001:3001>",
           "0.202 > . 1:1001(1000)",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 4001:6001 1001:3001>",
           "0.203 > . 3001:4001(1000)",
           "0.303 < . 1:1(0) ack 6001 win 65535",
           "0.303 ? phase 0, timeouts 0, resent 2");
}

// A duplicate ACK without new SACKs is none.
static void test_old_sacks_say_nothing(void **state)
{
    (void)state;
    SCRIPT(SACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.203 ? phase 0");
}

// SACKs stay through a time-out: only holes are sent again.
static void test_time_out_keeps_sacks(void **state)
{
    (void)state;
    SCRIPT(SACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 9001:10001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 8001:10001>",
           "1.100 > . 1:1001(1000)",
           "1.100 ? phase 2, cwnd 1000",
           "1.200 < . 1:1(0) ack 7001 win 65535 <sack 8001:10001>",
           "1.200 > . 7001:8001(1000)",
           "1.200 > . 10001:11001(1000)",
           "1.300 < . 1:1(0) ack 11001 win 65535",
           "1.300 ? phase 0, resent 2",
           "1.300 > . 11001:12001(1000)",
           "1.300 > . 12001:13001(1000)",
           "1.300 > . 13001:14001(1000)");
}

// Wrong blocks do nothing: beyond what was sent, backwards, below.
static void test_wrong_blocks(void **state)
{
    (void)state;
    SCRIPT(SACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 5001:20001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 5001:3001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 0:1>",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 1001:1900>",
           "0.203 ? phase 0, pipe 10000");
}

// --- FACK and rate halving -----------------------------------------------------------------------

// One SACK that is three segments ahead is enough; then one segment goes for two ACKs, and the window is
// moderated in the end.
static void test_fack(void **state)
{
    (void)state;
    SCRIPT(FACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 4001:5001>",
           "0.200 > . 1:1001(1000)",
           "0.200 ? phase 1, ssthresh 5000",
           "0.210 < . 1:1(0) ack 1 win 65535 <sack 4001:6001>",
           "0.210 > . 1001:2001(1000)",
           "0.220 < . 1:1(0) ack 1 win 65535 <sack 4001:7001>",
           "0.220 > . 2001:3001(1000)",
           "0.230 < . 1:1(0) ack 1 win 65535 <sack 4001:8001>",
           "0.240 < . 1:1(0) ack 1 win 65535 <sack 4001:9001>",
           "0.240 > . 3001:4001(1000)",
           "0.250 < . 1:1(0) ack 1 win 65535 <sack 4001:10001>",
           "0.250 > . 10001:11001(1000)",
           "0.400 < . 1:1(0) ack 10001 win 65535",
           "0.400 ? phase 0, resent 4, recoveries 1, cwnd 4000",
           "0.400 > . 11001:12001(1000)",
           "0.400 > . 12001:13001(1000)",
           "0.400 > . 13001:14001(1000)");
}

// A recovery with more ACKs than it takes to halve the window: that is the end, or else, as in Linux 2.4,
// half of it.
#define HALVED                                                   \
    "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:5001>",         \
    "0.200 > . 1:1001(1000)",                                    \
    "0.200 ? phase 1, ssthresh 5000, cwnd 6000",                 \
    "0.210 < . 1:1(0) ack 1 win 65535 <sack 1001:6001>",         \
    "0.210 ? cwnd 5000",                                         \
    "0.220 < . 1:1(0) ack 1 win 65535 <sack 1001:7001>",         \
    "0.220 > . 10001:11001(1000)",                               \
    "0.230 < . 1:1(0) ack 1 win 65535 <sack 1001:8001>"

static void test_halving_ends_at_the_threshold(void **state)
{
    (void)state;
    SCRIPT(FACK, TEN_SENT, HALVED,
           "0.230 > . 11001:12001(1000)",
           "0.230 ? cwnd 5000");
}

static void test_halving_ends_at_half_of_it(void **state)
{
    (void)state;
    SCRIPT(FACK " halving_least=1", TEN_SENT, HALVED,
           "0.230 ? cwnd 4000",
           "0.240 < . 1:1(0) ack 1 win 65535 <sack 1001:9001>",
           "0.240 > . 11001:12001(1000)",
           "0.250 < . 1:1(0) ack 1 win 65535 <sack 1001:10001>",
           "0.250 ? cwnd 3000",
           "0.260 < . 1:1(0) ack 1 win 65535 <sack 1001:11001>",
           "0.260 > . 12001:13001(1000)",
           "0.270 < . 1:1(0) ack 1 win 65535 <sack 1001:12001>",
           "0.270 ? cwnd 2500, phase 1",
           "0.400 < . 1:1(0) ack 12001 win 65535",
           "0.400 > . 13001:14001(1000)",
           "0.400 ? phase 0, ssthresh 5000, cwnd 2500");
}

// --- RACK and the tail ---------------------------------------------------------------------------

// A single SACK starts a wait of a quarter of the least round trip; then what was sent before is lost.
static void test_rack_waits_for_reordering(void **state)
{
    (void)state;
    SCRIPT(RACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.200 > . 10001:11001(1000)",
           "0.225 > . 1:1001(1000)",
           "0.225 ? phase 1, recoveries 1");
}

// What arrives in time was only late.
static void test_rack_tolerates_reordering(void **state)
{
    (void)state;
    SCRIPT(RACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.200 > . 10001:11001(1000)",
           "0.220 < . 1:1(0) ack 2001 win 65535",
           "0.220 > . 11001:12001(1000)",
           "0.220 > . 12001:13001(1000)",
           "0.290 ? phase 0, recoveries 0, resent 0");
}

// RFC 8985 6.2 step 2: an ACK much sooner than any round trip is of the first transmission, and says
// nothing of what was sent before the second one.
static void test_rack_ignores_early_acks(void **state)
{
    (void)state;
    SCRIPT(RACK, TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.200 > . 10001:11001(1000)",
           "0.225 > . 1:1001(1000)",
           "0.230 < . 1:1(0) ack 2001 win 65535",
           "0.235 < . 1:1(0) ack 3001 win 65535",
           "0.290 ? resent 1");
}

// The end of a flight is lost: after two round trips the last segment goes again, and its SACK tells RACK
// of the others, without a time-out.
static void test_tail_probe(void **state)
{
    (void)state;
    SCRIPT(RACK " rto_least_ns=3000000000",
           "0.000 connect",
           "0.000 > S 0:0(0) <mss 1000,sackOK>",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",
           "0.100 > . 1:1(0) ack 1 <>",
           "0.100 write 3000",
           "0.100 > . 1:1001(1000)",
           "0.100 > . 1001:2001(1000)",
           "0.100 > P. 2001:3001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.410 > P. 2001:3001(1000)",
           "0.410 ? tail_probes 1, timeouts 0",
           "0.510 < . 1:1(0) ack 1001 win 65535 <sack 2001:3001>",
           "0.510 > . 1001:2001(1000)",
           "0.610 < . 1:1(0) ack 3001 win 65535",
           "0.610 ? phase 0, timeouts 0, recoveries 1, resent 2");
}

// If the probe alone repaired the loss, the window shrinks once something later is acknowledged.
static void test_tail_loss_shrinks_the_window(void **state)
{
    (void)state;
    SCRIPT(RACK " rto_least_ns=3000000000",
           "0.000 connect",
           "0.000 > S 0:0(0) <mss 1000,sackOK>",
           "0.100 < S. 0:0(0) ack 1 win 65535 <mss 1000,sackOK>",
           "0.100 > . 1:1(0) ack 1 <>",
           "0.100 write 2000",
           "0.100 > . 1:1001(1000)",
           "0.100 > P. 1001:2001(1000)",
           "0.200 < . 1:1(0) ack 1001 win 65535",
           "0.600 > P. 1001:2001(1000)",
           "0.700 < . 1:1(0) ack 2001 win 65535",
           "0.700 ? phase 0, cwnd 10000",
           "0.700 write 1000",
           "0.700 > P. 2001:3001(1000)",
           "0.800 < . 1:1(0) ack 3001 win 65535",
           "0.800 ? phase 3, ssthresh 2000, cwnd 2000");
}

// --- PRR -----------------------------------------------------------------------------------------

// RFC 6937: from ten down to five. Three have left before the recovery begins, so that the pipe is at the
// threshold after two more; then one goes for each that is delivered.
static void test_prr(void **state)
{
    (void)state;
    SCRIPT(SACK " reduction=2", TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 1001:2001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 1001:3001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 1001:4001>",
           "0.202 > . 1:1001(1000)",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 1001:5001>",
           "0.204 < . 1:1(0) ack 1 win 65535 <sack 1001:6001>",
           "0.205 < . 1:1(0) ack 1 win 65535 <sack 1001:7001>",
           "0.205 > . 10001:11001(1000)",
           "0.206 < . 1:1(0) ack 1 win 65535 <sack 1001:8001>",
           "0.206 > . 11001:12001(1000)",
           "0.207 < . 1:1(0) ack 1 win 65535 <sack 1001:9001>",
           "0.207 > . 12001:13001(1000)",
           "0.208 < . 1:1(0) ack 1 win 65535 <sack 1001:10001>",
           "0.208 > . 13001:14001(1000)",
           "0.302 < . 1:1(0) ack 10001 win 65535",
           "0.302 ? phase 0, cwnd 5000",
           "0.302 > . 14001:15001(1000)");
}

// Far below the threshold: as much as is delivered, and one more where an ACK makes progress and shows no
// further loss.
static void test_prr_slow_start(void **state)
{
    (void)state;
    SCRIPT(SACK " reduction=2", TEN_SENT,
           "0.200 < . 1:1(0) ack 1 win 65535 <sack 6001:7001>",
           "0.201 < . 1:1(0) ack 1 win 65535 <sack 6001:8001>",
           "0.202 < . 1:1(0) ack 1 win 65535 <sack 6001:9001>",
           "0.202 > . 1:1001(1000)",
           "0.203 < . 1:1(0) ack 1 win 65535 <sack 6001:10001>",
           "0.203 > . 1001:2001(1000)",
           "0.302 < . 1:1(0) ack 1001 win 65535 <sack 6001:10001>",
           "0.302 > . 2001:3001(1000)",
           "0.302 > . 3001:4001(1000)",
           "0.303 < . 1:1(0) ack 2001 win 65535 <sack 6001:10001>",
           "0.303 > . 4001:5001(1000)",
           "0.303 > . 5001:6001(1000)",
           "0.303 ? resent 6, ssthresh 5000, phase 1");
}
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rfc6675),
        cmocka_unit_test(test_one_sack_is_enough),
        cmocka_unit_test(test_old_sacks_say_nothing),
        cmocka_unit_test(test_time_out_keeps_sacks),
        cmocka_unit_test(test_wrong_blocks),
        cmocka_unit_test(test_fack),
        cmocka_unit_test(test_halving_ends_at_the_threshold),
        cmocka_unit_test(test_halving_ends_at_half_of_it),
        cmocka_unit_test(test_rack_waits_for_reordering),
        cmocka_unit_test(test_rack_tolerates_reordering),
        cmocka_unit_test(test_tail_probe),
        cmocka_unit_test(test_tail_loss_shrinks_the_window),
        cmocka_unit_test(test_prr),
        cmocka_unit_test(test_rack_ignores_early_acks),
        cmocka_unit_test(test_prr_slow_start),
        cmocka_unit_test(test_rather_than_nothing),
    };
    return cmocka_run_group_tests_name("hosts/tcp_sack", tests, NULL, NULL);
}
