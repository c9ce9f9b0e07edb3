// What PIE (RFC 8033) does with its probability: the safeguards, the spread of drops, ECN, and in a
// closed loop the delay that integral control must hold.
#include "tests/dataplane/aqm/congested.h"
#include "tests/dataplane/aqm/pie_queue.h"

// With p as it is given, and no update, no allowance.
static struct asked pie_of(long double p, bool ecn, uint64_t ceiling)
{
    struct asked a = asked_of("pie");
    asked_param(&a, "ecn", ecn);
    asked_param(&a, "ecn_ceiling", ceiling);
    asked_ready(&a);
    set_vars(&a, (struct pie_vars){.p = (uint64_t)llroundl(p * PIE_ONE), .next_ns = UINT64_MAX});
    return a;
}

// ---- When it does not drop ----

// p is 1 soon, and yet nothing is dropped for 150 ms.
static void test_burst_is_let_be(void **state)
{
    struct asked a = pie();
    uint64_t now_ns = S_NS;
    (void)state;
    for (; now_ns < S_NS + 150 * MS_NS; now_ns += MS_NS)
        assert_int_equal(comes(&a, now_ns, S_NS), AQM_PASS);
    assert_true(p_of(&a) > 0.2L);
    while (comes(&a, now_ns, S_NS) == AQM_PASS)
        now_ns += MS_NS;
    assert_true(now_ns < S_NS + 200 * MS_NS);
}

// An empty queue: once p is down to 0.
static void test_allowance_comes_back_with_p_of_0(void **state)
{
    struct asked a = pie();
    uint64_t now_ns = S_NS;
    (void)state;
    set_vars(&a, (struct pie_vars){.p = PIE_ONE / 2, .next_ns = S_NS, .quiet = true});
    for (; vars_of(&a).p; now_ns += STEP_NS) {
        assert_true(vars_of(&a).burst_ns == 0);
        looks(&a, now_ns, 0);
    }
    assert_true(vars_of(&a).burst_ns == 150 * MS_NS);
    for (uint32_t left = 10; left-- > 0; now_ns += STEP_NS) { // used up by an update's time each
        looks(&a, now_ns, S_NS);
        assert_true(vars_of(&a).burst_ns == left * STEP_NS);
    }
    looks(&a, now_ns, S_NS);
    assert_true(vars_of(&a).burst_ns == 0);
}

static uint64_t allowance_after(uint64_t delay_ns, uint64_t then_ns)
{
    struct asked a = pie();
    set_vars(&a, (struct pie_vars){.next_ns = S_NS, .delay_ns = S_NS});
    looks(&a, S_NS, delay_ns);
    looks(&a, S_NS + STEP_NS, then_ns);
    assert_true(vars_of(&a).p == 0);
    return vars_of(&a).burst_ns;
}

static void test_allowance_needs_two_delays_below_half_of_ref(void **state)
{
    (void)state;
    assert_true(allowance_after(7499 * US_NS, 7499 * US_NS) == 150 * MS_NS);
    assert_true(allowance_after(7500 * US_NS, 7499 * US_NS) == 0);
    assert_true(allowance_after(7499 * US_NS, 7500 * US_NS) == 0);
}

static bool ever_drops(const struct asked *a, uint64_t delay_ns)
{
    struct asked copy = *a;
    for (uint32_t i = 0; i < 10000; i++)
        if (comes(&copy, S_NS, delay_ns) != AQM_PASS)
            return true;
    return false;
}

static struct asked quiet_of(long double p)
{
    struct asked a = pie_of(p, false, 0);
    struct pie_vars vars = vars_of(&a);
    vars.quiet = true;
    set_vars(&a, vars);
    return a;
}

static void test_quiet_queue_is_let_be_below_a_fifth(void **state)
{
    struct asked busy = pie_of(0.1L, false, 0);
    struct asked below = quiet_of(0.2L - 1e-18L), at = quiet_of(0.2L);
    (void)state;
    assert_true(ever_drops(&busy, S_NS));
    assert_false(ever_drops(&below, S_NS));
    assert_true(ever_drops(&at, S_NS));
}

static void test_two_packets_are_let_be(void **state)
{
    struct asked a = pie_of(1, false, 0);
    (void)state;
    assert_false(ever_drops(&a, 2 * PACKET * US_NS));
    assert_true(ever_drops(&a, (2 * PACKET + 1) * US_NS));
}

// ---- How it drops ----

// N-PDUs up to the first drop, that one included, if each random number is `u`.
static uint32_t until_drop(long double p, uint64_t u)
{
    struct asked a = pie_of(p, false, 0);
    for (uint32_t n = 1;; n++) {
        struct rng rng = rng_that_says(u);
        struct aqm_view view = queue_of(S_NS, S_NS);
        view.rng = &rng;
        if (asked_in(&a, &view) == AQM_DROP)
            return n;
    }
}

// At the earliest when p has added up to 0.85, at the latest at 8.5.
static void test_drops_are_spread(void **state)
{
    (void)state;
    assert_int_equal(until_drop(0.01L, 0), 85);
    assert_int_equal(until_drop(0.01L, UINT64_MAX), 850);
    assert_int_equal(until_drop(0.25L, 0), 4);
    assert_int_equal(until_drop(0.25L, UINT64_MAX), 34);
    assert_int_equal(until_drop(0.85L, 0), 1);
    assert_int_equal(until_drop(0.9L, UINT64_MAX), 10);
    assert_int_equal(until_drop(1, UINT64_MAX), 1);
}

static struct asked pie_with_sum(long double p, uint64_t sum)
{
    struct asked a = pie_of(p, false, 0);
    struct pie_vars vars = vars_of(&a);
    vars.sum = sum;
    set_vars(&a, vars);
    return a;
}

// In between each is dropped with p; after a drop it starts anew.
static void test_probability_of_a_drop(void **state)
{
    static const long double ps[] = {0.001L, 0.05L, 0.3L, 0.8L};
    (void)state;
    for (size_t i = 0; i < sizeof ps / sizeof ps[0]; i++) {
        struct asked a = pie_with_sum(ps[i], PIE_ONE);
        struct aqm_view view = queue_of(S_NS, S_NS);
        expect_near(signal_probability(&a, asked_in, &view), ps[i], 0.5e-18L);
        struct rng rng = rng_that_says(0);
        view.rng = &rng;
        assert_int_equal(asked_in(&a, &view), AQM_DROP);
        assert_true(vars_of(&a).sum == 0);
    }
}

static void test_p_of_0_forgets_the_sum(void **state)
{
    struct asked a = pie_with_sum(0, 8 * PIE_ONE);
    (void)state;
    assert_int_equal(comes(&a, S_NS, S_NS), AQM_PASS);
    assert_true(vars_of(&a).sum == 0);
}

// ---- ECN ----

static enum aqm_verdict signal_of(long double p, bool ecn, uint64_t ceiling, bool ect)
{
    struct asked a = pie_of(p, ecn, ceiling);
    for (;;) {
        struct aqm_view view = queue_of(S_NS, S_NS);
        view.ect = ect;
        enum aqm_verdict verdict = asked_in(&a, &view);
        if (verdict != AQM_PASS)
            return verdict;
    }
}

static void test_marks_up_to_the_ceiling(void **state)
{
    (void)state;
    assert_int_equal(signal_of(0.1L, true, 100000, true), AQM_MARK);
    assert_int_equal(signal_of(0.1L + 1e-18L, true, 100000, true), AQM_DROP);
    assert_int_equal(signal_of(1, true, 1000000, true), AQM_MARK);
    assert_int_equal(signal_of(1e-6L, true, 0, true), AQM_DROP);
    assert_int_equal(signal_of(0.1L, true, 100000, false), AQM_DROP);
    assert_int_equal(signal_of(0.1L, false, 100000, true), AQM_DROP);
}

// ---- The loop closed ----

// Twice what the link carries comes in, deaf to drops. p stays within 0 and 1, at scale 1, so what
// alpha summed up is bounded: over N updates the mean delay is within 1 / (alpha N) of ref. The
// cap on rises pushes one way only, and must not act: beta * a packet's time is far below 0.02.
static void test_loop_holds_the_delay(void **state)
{
    struct asked a = pie();
    struct rng rng;
    const uint64_t packet_ns = PACKET * US_NS;
    uint64_t queue = 0, updates = 0, sum_ns = 0, drops = 0, offered = 0;
    (void)state;
    rng_seed(&rng, 1, 1);
    for (uint64_t now_ns = S_NS; now_ns < 700 * S_NS; now_ns += packet_ns / 2) {
        struct aqm_view view = queue_of(now_ns, queue * packet_ns);
        view.rng = &rng;
        uint64_t next_ns = vars_of(&a).next_ns;
        bool dropped = asked_in(&a, &view) == AQM_DROP;
        if (now_ns >= 100 * S_NS) {
            sum_ns += vars_of(&a).next_ns != next_ns ? vars_of(&a).delay_ns : 0;
            updates += vars_of(&a).next_ns != next_ns;
            drops += dropped;
            offered++;
        }
        queue += !dropped;
        if (now_ns / packet_ns != (now_ns - packet_ns / 2) / packet_ns && queue)
            queue--;
    }
    assert_true(updates == 40000);
    expect_near((long double)sum_ns / 40000, REF_NS, 1e9L / (0.125L * 40000));
    expect_near((long double)drops / (long double)offered, 0.5L, 0.001L);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "pie"),
        cmocka_unit_test(test_burst_is_let_be),
        cmocka_unit_test(test_allowance_comes_back_with_p_of_0),
        cmocka_unit_test(test_allowance_needs_two_delays_below_half_of_ref),
        cmocka_unit_test(test_quiet_queue_is_let_be_below_a_fifth),
        cmocka_unit_test(test_two_packets_are_let_be),
        cmocka_unit_test(test_drops_are_spread),
        cmocka_unit_test(test_probability_of_a_drop),
        cmocka_unit_test(test_p_of_0_forgets_the_sum),
        cmocka_unit_test(test_marks_up_to_the_ceiling),
        cmocka_unit_test(test_loop_holds_the_delay),
    };
    return cmocka_run_group_tests_name("aqm/pie_drops", tests, NULL, NULL);
}
