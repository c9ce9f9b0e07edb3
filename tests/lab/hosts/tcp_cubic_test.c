// CUBIC against the curves of RFC 9438, in doubles: W(t) = 0.4 (t - K)^3 + W_max after a loss,
// where it is above NewReno's; NewReno's slope of 9/17 of a segment a round trip below W_max, and
// of one above it, where that is more; and less for a flow that did not reach its last maximum.
#include "tests/lab/hosts/tcp_pair.h"

#define MSS 1000.0

static uint32_t to_lose;

static void lose_one(struct pair *pair, int from, const struct tcp *segment, bool ect,
                     struct pair_fate *fate)
{
    (void)pair, (void)ect;
    if (from != 0 || to_lose == 0 || segment->payload.n == 0)
        return;
    to_lose--;
    fate->lose = true;
}

// A flow whose window is that of `segments` and about to grow by CUBIC.
static void setup(struct pair *pair, struct tcp_profile *profile, uint32_t segments,
                  uint64_t rtt_ns)
{
    *profile = *tcp_profile_find("linux");
    profile->mss_octets = (uint64_t)MSS + 12;
    profile->initial_window = segments;
    profile->initial_ssthresh_octets = segments * (uint64_t)MSS;
    profile->hystart = 0;
    profile->ack_every = 1;
    profile->receive_window_octets = 1 << 28;
    profile->window_scale = 14;
    pair_setup(pair, profile, profile);
    pair->way[0].fate = lose_one;
    pair->way[0].delay_ns = pair->way[1].delay_ns = rtt_ns / 2;
    pair_connect(pair);
    tcp_write(&pair->end[0], TCP_UNLIMITED, 0);
}

// Loses one segment and waits for the end of the recovery. Returns the window at the loss, in
// segments.
static double lose(struct pair *pair)
{
    uint64_t before = pair->end[0].figures.fast_recoveries;
    double window = 0;
    to_lose = 1;
    while (pair->end[0].figures.fast_recoveries == before) {
        window = (double)pair->end[0].cwnd / MSS;
        assert_true(pair_step(pair, TIME_NEVER - 1));
    }
    while (pair->end[0].phase != TCP_PHASE_OPEN)
        assert_true(pair_step(pair, TIME_NEVER - 1));
    return window;
}

static double cube_root(double x)
{
    double r = x > 1 ? x : 1;
    for (int i = 0; i < 100; i++)
        r = (2 * r + x / (r * r)) / 3;
    return r;
}

static void expect_near(double got, double want, double by, double at_s)
{
    if (got < want - by || got > want + by)
        fail_msg("after %.2f s a window of %.2f instead of %.2f", at_s, got, want);
}

static void test_curve(void **state)
{
    struct pair pair;
    struct tcp_profile profile;
    (void)state;
    setup(&pair, &profile, 400, 100 * MS_IN_NS);
    pair_run(&pair, 1 * S_IN_NS);
    double most = lose(&pair), start_s = (double)pair.now_ns / 1e9;
    double k_s = cube_root(most * 0.3 / 0.4);
    expect_near((double)pair.end[0].cwnd / MSS, 0.7 * most, 2, 0);
    for (double t_s = 0.5; t_s < 1.7 * k_s; t_s += 0.5) {
        pair_run(&pair, (uint64_t)((start_s + t_s) * 1e9));
        double w = 0.4 * (t_s - k_s) * (t_s - k_s) * (t_s - k_s) + most;
        double slope = 1.2 * (t_s - k_s) * (t_s - k_s); // segments a second
        expect_near((double)pair.end[0].cwnd / MSS, w, 1 + 0.15 * slope, t_s);
    }
    pair_release(&pair);
}

// The curve is a round trip ahead, of data: the SYN, before there is a queue, does not count.
static void test_least_round_trip_of_data(void **state)
{
    struct pair pair;
    struct tcp_profile profile;
    (void)state;
    setup(&pair, &profile, 4, 100 * MS_IN_NS);
    pair_run(&pair, 150 * MS_IN_NS);
    assert_int_equal(pair.end[0].rtt_least_ns, 100 * MS_IN_NS);
    assert_int_equal(pair.end[0].cubic.rtt_least_ns, 0);
    pair_run(&pair, 250 * MS_IN_NS);
    assert_int_equal(pair.end[0].cubic.rtt_least_ns, 100 * MS_IN_NS);
    pair_release(&pair);
}

// On a short path NewReno would be faster.
static void test_as_newreno(void **state)
{
    struct pair pair;
    struct tcp_profile profile;
    (void)state;
    setup(&pair, &profile, 40, 10 * MS_IN_NS);
    pair_run(&pair, 50 * MS_IN_NS);
    double most = lose(&pair), start_s = (double)pair.now_ns / 1e9;
    double low = (double)pair.end[0].cwnd / MSS, up_s = (most - low) * 17 / 9 * 0.01;
    for (double t_s = 0.05; t_s < 2 * up_s; t_s += 0.05) {
        pair_run(&pair, (uint64_t)((start_s + t_s) * 1e9));
        double w = t_s < up_s ? low + t_s / 0.01 * 9 / 17 : most + (t_s - up_s) / 0.01;
        expect_near((double)pair.end[0].cwnd / MSS, w, 2, t_s);
    }
    pair_release(&pair);
}

// RFC 9438 4.7: the second loss comes below the first maximum, so that the plateau is at 0.85 of
// it.
static void test_fast_convergence(void **state)
{
    struct pair pair;
    struct tcp_profile profile;
    (void)state;
    setup(&pair, &profile, 400, 100 * MS_IN_NS);
    pair_run(&pair, 1 * S_IN_NS);
    lose(&pair);
    pair_run(&pair, pair.now_ns + 500 * MS_IN_NS);
    double second = lose(&pair), start_s = (double)pair.now_ns / 1e9;
    double plateau = 0.85 * second, k_s = cube_root((plateau - 0.7 * second) / 0.4);
    pair_run(&pair, (uint64_t)((start_s + k_s) * 1e9));
    expect_near((double)pair.end[0].cwnd / MSS, plateau, 3, k_s);
    pair_release(&pair);
}

// --- HyStart -------------------------------------------------------------------------------------

static uint64_t threshold_of(enum tcp_congestion congestion, uint32_t hystart,
                             uint64_t rate_bit_per_s)
{
    struct tcp_profile profile = *tcp_profile_find("linux");
    struct pair pair;
    profile.hystart = hystart;
    profile.congestion = congestion;
    pair_setup(&pair, &profile, &profile);
    pair.way[0].rate_bit_per_s = rate_bit_per_s;
    pair_connect(&pair);
    tcp_write(&pair.end[0], 1000000, 0);
    pair_run(&pair, 10 * S_IN_NS);
    assert_int_equal(pair.way[0].lost, 0);
    uint64_t ssthresh = pair.end[0].ssthresh;
    pair_release(&pair);
    return ssthresh;
}

static uint64_t threshold(uint32_t hystart, uint64_t rate_bit_per_s)
{
    return threshold_of(TCP_CONGESTION_CUBIC, hystart, rate_bit_per_s);
}

// The queue that slow start makes ends it, from 16 segments on; a path without one does not. It is
// CUBIC's, and not that of NewReno on the same profile.
static void test_hystart(void **state)
{
    (void)state;
    assert_int_equal(threshold(0, 1000000), TCP_UNLIMITED);
    assert_int_equal(threshold(1, 0), TCP_UNLIMITED);
    uint64_t ssthresh = threshold(1, 1000000);
    assert_in_range(ssthresh, 16 * 1448, 64 * 1448);
    assert_int_equal(threshold_of(TCP_CONGESTION_NEWRENO, 1, 1000000), TCP_UNLIMITED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curve),      cmocka_unit_test(test_least_round_trip_of_data),
        cmocka_unit_test(test_as_newreno), cmocka_unit_test(test_fast_convergence),
        cmocka_unit_test(test_hystart),
    };
    return cmocka_run_group_tests_name("hosts/tcp_cubic", tests, NULL, NULL);
}
