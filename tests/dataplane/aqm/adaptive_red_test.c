// Adaptive RED against a model in double of its paper's law, step by step; and what a target delay
// makes of min, max and wq. max_p is read off the probability of a signal half-way from min to max.
#include "dataplane/aqm/red.h"

#include "tests/dataplane/aqm/congested.h"

#define MIN_OCTETS  10000
#define MAX_OCTETS  20000
#define INTERVAL_NS (500 * MS_NS)

static uint32_t word;
static struct rng rng;

static struct aqm_view view_of(uint64_t now_ns, uint32_t octets, uint32_t share)
{
    return (struct aqm_view){.now_ns = now_ns,
                             .pdu_octets = 500,
                             .queue_octets = octets,
                             .queue_pdus = 1,
                             .share_octets_per_s = share,
                             .rng = &rng,
                             .pdu_word = &word};
}

// Without a target, and the average is what the last N-PDU found.
static struct asked given(void)
{
    struct asked a = asked_of("adaptive-red");
    asked_param(&a, "target", 0);
    asked_param(&a, "min", AQM_LEVEL_OF(AQM_LEVEL_OCTETS, MIN_OCTETS));
    asked_param(&a, "max", AQM_LEVEL_OF(AQM_LEVEL_OCTETS, MAX_OCTETS));
    asked_param(&a, "weight", 1000000);
    return a;
}

static long double max_p_of(const struct asked *a, uint64_t now_ns)
{
    struct asked fresh = *a;
    ((struct red_vars *)fresh.vars)->passed = 0;
    struct aqm_view view = view_of(now_ns, (MIN_OCTETS + MAX_OCTETS) / 2, 2500);
    return 2 * signal_probability(&fresh, asked_in, &view);
}

static double model_step(double max_p, uint32_t average)
{
    double part = ((double)average - MIN_OCTETS) / (MAX_OCTETS - MIN_OCTETS);
    if (part > 0.6 && max_p <= 0.5)
        return max_p + fmin(0.01, max_p / 4);
    if (part < 0.4 && max_p >= 0.01)
        return max_p * 0.9;
    return max_p;
}

static void expect_step(struct asked *a, uint64_t now_ns, uint32_t octets, double *model)
{
    struct aqm_view view = view_of(now_ns, octets, 2500);
    asked_in(a, &view);
    *model = model_step(*model, octets);
    expect_near(max_p_of(a, now_ns), *model, 1e-7L);
}

// Up from its beginning to its bound, down to the other, up again from a quarter of itself a step.
static void test_up_and_down(void **state)
{
    struct asked a = given();
    double model = 0.1;
    uint64_t now_ns = 7 * S_NS;
    (void)state;
    asked_ready(&a);
    expect_near(max_p_of(&a, now_ns), 0.1, 1e-8L);
    struct aqm_view view = view_of(now_ns, 15000, 2500);
    asked_in(&a, &view);
    for (int i = 0; i < 100; i++)
        expect_step(&a, now_ns += INTERVAL_NS, 19000, &model);
    assert_true(model > 0.5 && model <= 0.51);
    for (int i = 0; i < 100; i++)
        expect_step(&a, now_ns += INTERVAL_NS, 11000, &model);
    assert_true(model < 0.01 && model >= 0.009);
    for (int i = 0; i < 10; i++)
        expect_step(&a, now_ns += INTERVAL_NS, 30000, &model);
    for (int i = 0; i < 10; i++)
        expect_step(&a, now_ns += INTERVAL_NS, 15000, &model);
}

static void test_random_walk(void **state)
{
    struct asked a = given();
    double model = 0.1;
    uint64_t now_ns = 1;
    (void)state;
    random_begin();
    asked_ready(&a);
    struct aqm_view view = view_of(now_ns, 15000, 2500);
    asked_in(&a, &view);
    for (int i = 0; i < 5000; i++) {
        uint32_t octets = (uint32_t)random_in(0, 40000);
        while (octets == 14000 || octets == 16000) // the band's edges, which Q32 may round away
            octets = (uint32_t)random_in(0, 40000);
        expect_step(&a, now_ns += INTERVAL_NS, octets, &model);
    }
}

// The band's edges: of 10000 and 20000 they are 14000 and 16000, and it holds still on them.
static void test_band(void **state)
{
    static const struct {
        uint32_t octets;
        long double max_p;
    } cases[] = {{13999, 0.09L}, {14001, 0.1L}, {15999, 0.1L}, {16001, 0.11L}};
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct asked a = given();
        asked_ready(&a);
        struct aqm_view view = view_of(0, cases[i].octets, 2500);
        asked_in(&a, &view);
        view.now_ns = INTERVAL_NS;
        asked_in(&a, &view);
        expect_near(max_p_of(&a, INTERVAL_NS), cases[i].max_p, 1e-8L);
    }
}

// Nothing before an interval is over, one step however many N-PDUs come in it.
static void test_once_an_interval(void **state)
{
    struct asked a = given();
    (void)state;
    asked_ready(&a);
    for (uint64_t i = 0; i < 1000; i++) {
        uint64_t now_ns = S_NS + i * 10 * MS_NS;
        struct aqm_view view = view_of(now_ns, 19000, 2500);
        asked_in(&a, &view);
        long double steps = (long double)(i * 10 / 500);
        expect_near(max_p_of(&a, now_ns), 0.1L + 0.01L * steps, 1e-7L);
    }
}

// n intervals without an N-PDU are n steps at once; the phase is kept; however many, the work is
// bounded and the bounds are met.
static void test_missed_intervals(void **state)
{
    (void)state;
    for (uint64_t missed = 1; missed < 2000; missed = missed < 60 ? missed + 1 : missed * 3) {
        struct asked a = given();
        double up = 0.1, down = 0.1;
        asked_ready(&a);
        struct aqm_view view = view_of(S_NS, 15000, 2500);
        asked_in(&a, &view);
        struct asked b = a;
        for (uint64_t i = 0; i < missed; i++) {
            up = model_step(up, 19000);
            down = model_step(down, 11000);
        }
        uint64_t now_ns = S_NS + missed * INTERVAL_NS + INTERVAL_NS - 1;
        view = view_of(now_ns, 19000, 2500);
        asked_in(&a, &view);
        expect_near(max_p_of(&a, now_ns), up, 1e-7L);
        view = view_of(now_ns, 11000, 2500);
        asked_in(&b, &view);
        expect_near(max_p_of(&b, now_ns), down, 1e-7L);
        view.now_ns++;
        asked_in(&b, &view);
        expect_near(max_p_of(&b, now_ns + 1), model_step(down, 11000), 1e-7L);
    }
}

static void test_many_years_missed(void **state)
{
    struct asked a = given();
    (void)state;
    asked_param(&a, "interval", MS_NS);
    asked_ready(&a);
    struct aqm_view view = view_of(1, 15000, 2500);
    asked_in(&a, &view);
    view = view_of(1ULL << 62, 19000, 2500);
    asked_in(&a, &view);
    expect_near(max_p_of(&a, 1ULL << 62), 0.505L, 0.0051L); // a step below or at its bound
}

// The length at which a signal begins to be possible, or becomes certain.
static uint32_t length_where(const struct asked *a, uint32_t share, long double p)
{
    uint64_t low = 0, high = UINT32_MAX;
    while (high - low > 1) {
        struct asked copy = *a;
        uint64_t middle = (low + high) / 2;
        struct aqm_view view = view_of(S_NS, (uint32_t)middle, share);
        ((struct red_vars *)copy.vars)->average = middle << 32;
        if (signal_probability(&copy, asked_in, &view) >= p)
            high = middle;
        else
            low = middle;
    }
    return (uint32_t)high;
}

// With C = share / 500: min = max(5 * 500, target * share / 2) octets and max = 3 min, so certain
// from 6 min on. 30 000 octets/s (240 kbit/s) with 1 s gives the 15 and 45 kB of the 2G-SGSN study.
static void test_target_sets_thresholds(void **state)
{
    static const uint32_t shares[] = {1250, 2500, 5000, 10000, 14200, 30000, 1000000};
    (void)state;
    for (int i = 0; i < 7; i++)
        for (uint64_t target_ns = 500 * MS_NS; target_ns <= 4 * S_NS; target_ns *= 2) {
            struct asked a = asked_of("adaptive-red");
            asked_param(&a, "target", target_ns);
            asked_ready(&a);
            double min = fmax(2500, floor((double)target_ns / 1e9 * shares[i] / 2));
            uint32_t first = length_where(&a, shares[i], 1e-9L);
            expect_near(first, min, 1);
            expect_near(length_where(&a, shares[i], 1), 6 * min, 1);
        }
}

// wq = 1 - exp(-1 / C): the average after one N-PDU that finds 10 000 octets.
static void test_target_sets_weight(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 5000; i++) {
        struct asked a = asked_of("adaptive-red");
        uint32_t share = 1 + (uint32_t)(random_in(0, UINT32_MAX - 1) >> random_in(0, 31));
        uint32_t mean = (uint32_t)random_in(1, 3000);
        asked_param(&a, "mean_pdu", mean);
        asked_ready(&a);
        struct aqm_view view = view_of(S_NS, 10000, share);
        asked_in(&a, &view);
        long double c = (long double)share / mean;
        expect_near(ldexpl((long double)((struct red_vars *)a.vars)->average, -32),
                    10000 * -expm1l(-1 / c), 1e-5L);
    }
}

// Idle, the average of a target falls with a time constant of 1 s, whatever the share.
static void test_target_forgets_in_a_second(void **state)
{
    (void)state;
    for (uint32_t share = 1250; share < 40000; share *= 2) {
        struct asked a = asked_of("adaptive-red");
        asked_ready(&a);
        struct aqm_view view = view_of(S_NS, 500, share);
        asked_out(&a, &view);
        ((struct red_vars *)a.vars)->average = 10000ULL << 32;
        view = view_of(3 * S_NS, 0, share);
        view.queue_pdus = 0;
        asked_in(&a, &view);
        expect_near(ldexpl((long double)((struct red_vars *)a.vars)->average, -32),
                    10000 * expl(-2), 1e-3L);
    }
}

static void test_ecn(void **state)
{
    struct asked a = given();
    (void)state;
    asked_param(&a, "ecn", 1);
    asked_ready(&a);
    struct aqm_view view = view_of(S_NS, 100000, 2500);
    assert_int_equal(asked_in(&a, &view), AQM_DROP);
    view.ect = true;
    assert_int_equal(asked_in(&a, &view), AQM_MARK);
}

static void test_refused(void **state)
{
    struct asked a = given();
    (void)state;
    asked_param(&a, "max_p_least", 300000);
    asked_param(&a, "max_p_most", 200000);
    assert_string_equal(asked_setup(&a), "max_p_least must not be above max_p_most");
    a = given();
    asked_param(&a, "max", AQM_LEVEL_OF(AQM_LEVEL_OCTETS, MIN_OCTETS));
    assert_string_equal(asked_setup(&a), "min must be below max");
    asked_param(&a, "target", S_NS); // then min and max do not count
    assert_null(asked_setup(&a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "adaptive-red"),
        cmocka_unit_test(test_up_and_down),
        cmocka_unit_test(test_random_walk),
        cmocka_unit_test(test_band),
        cmocka_unit_test(test_once_an_interval),
        cmocka_unit_test(test_missed_intervals),
        cmocka_unit_test(test_many_years_missed),
        cmocka_unit_test(test_target_sets_thresholds),
        cmocka_unit_test(test_target_sets_weight),
        cmocka_unit_test(test_target_forgets_in_a_second),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("aqm/adaptive_red", tests, NULL, NULL);
}
