// RED against the laws of its paper, in long double: the average (over N-PDUs, over time, after an
// idle time), the curve of pb, gentle and not, and the distance between two signals, uniform in
// 1 .. 1/pb.
#include "dataplane/aqm/red.h"

#include "tests/dataplane/aqm/congested.h"

#define SHARE 2500 // octets a second: 20 kbit/s

static uint32_t word;
static struct rng rng;

static struct aqm_view view_of(uint64_t now_ns, uint32_t octets, uint32_t pdus)
{
    return (struct aqm_view){.now_ns = now_ns,
                             .pdu_octets = 500,
                             .queue_octets = octets,
                             .queue_pdus = pdus,
                             .share_octets_per_s = SHARE,
                             .rng = &rng,
                             .pdu_word = &word};
}

static long double average_of(const struct asked *a)
{
    return ldexpl((long double)((const struct red_vars *)a->vars)->average, -32);
}

// An average that the next N-PDU will not move.
static struct aqm_view steady(struct asked *a, uint64_t now_ns, uint32_t length)
{
    ((struct red_vars *)a->vars)->average = (uint64_t)length << 32;
    return view_of(now_ns, length, length ? length : 1);
}

static struct asked red_of(uint64_t min, uint64_t max, enum aqm_level_unit unit)
{
    struct asked a = asked_of("red");
    asked_param(&a, "min", AQM_LEVEL_OF(unit, min));
    asked_param(&a, "max", AQM_LEVEL_OF(unit, max));
    return a;
}

// The values of the 2G-SGSN study.
static void test_standard_values(void **state)
{
    struct asked a = asked_of("red");
    (void)state;
    asked_ready(&a);
    struct aqm_view view = steady(&a, 0, 14999);
    expect_near(signal_probability(&a, asked_in, &view), 0, 0);
    view = steady(&a, 0, 30000);
    expect_near(signal_probability(&a, asked_in, &view), 0.1L, 1e-9L);
    view = steady(&a, 0, 44999);
    expect_near(signal_probability(&a, asked_in, &view), 0.2L * 29999 / 30000, 1e-9L);
}

static void test_average_over_pdus(void **state)
{
    static const uint32_t weights[] = {2000, 100000, 500000, 1000000};
    (void)state;
    random_begin();
    rng_seed(&rng, 1, 0);
    for (int w = 0; w < 4; w++) {
        struct asked a = asked_of("red");
        long double model = 0, wq = weights[w] / 1e6L;
        asked_param(&a, "weight", weights[w]);
        asked_ready(&a);
        for (uint64_t i = 0; i < 20000; i++) {
            struct aqm_view view = view_of(i * MS_NS, (uint32_t)random_in(0, 100000), 1);
            model = (1 - wq) * model + wq * view.queue_octets;
            asked_in(&a, &view);
            expect_near(average_of(&a), model, 0.01L);
        }
    }
}

// m = idle time / time of a mean N-PDU; the idle time begins where the last N-PDU left.
static void test_average_after_idle(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 2000; i++) {
        struct asked a = asked_of("red");
        uint32_t weight = (uint32_t)random_in(100, 999999), mean = (uint32_t)random_in(1, 3000);
        uint64_t left_ns = random_in(1, 100 * S_NS), idle_ns = random_in(0, 60 * S_NS);
        asked_param(&a, "weight", weight);
        asked_param(&a, "mean_pdu", mean);
        asked_ready(&a);
        struct aqm_view view = steady(&a, 0, 40000);
        asked_in(&a, &view);
        long double before = average_of(&a);
        view = view_of(left_ns, 500, 1);
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
        view = view_of(left_ns + idle_ns, 0, 0);
        asked_in(&a, &view);
        long double octets = floorl((long double)idle_ns * SHARE / 1e9L);
        long double kept = powl(1 - weight / 1e6L, octets / mean);
        // Half a unit of the weight and half a unit of its logarithm, m times.
        long double units = octets / mean / (1 - weight / 1e6L) + 2;
        expect_near(average_of(&a), before * kept, ldexpl(before * kept * units + 40000, -32));
    }
}

static void test_full_weight_forgets(void **state)
{
    struct asked a = asked_of("red");
    (void)state;
    asked_param(&a, "weight", 1000000);
    asked_ready(&a);
    struct aqm_view view = steady(&a, 0, 40000);
    asked_in(&a, &view);
    view = view_of(S_NS, 0, 0);
    asked_in(&a, &view);
    expect_near(average_of(&a), 0, 0);
}

// Between two events the queue is constant, so a time average has a closed form at each of them.
static void test_average_over_time(void **state)
{
    (void)state;
    random_begin();
    for (int round = 0; round < 200; round++) {
        struct asked a = asked_of("red");
        uint64_t tau_ns = random_in(MS_NS, 100 * S_NS), now_ns = 0;
        long double model = 0;
        asked_param(&a, "time_constant", tau_ns);
        asked_ready(&a);
        for (int i = 0; i < 200; i++) {
            uint64_t step_ns = random_in(0, 5 * S_NS) >> random_in(0, 30);
            uint32_t octets = random_next() % 4 ? (uint32_t)random_in(0, 100000) : 0;
            struct aqm_view view = view_of(now_ns += step_ns, octets, octets / 500);
            long double kept = expl(-(long double)step_ns / (long double)tau_ns);
            model = model * kept + octets * (1 - kept);
            random_next() % 2 ? asked_in(&a, &view) : asked_out(&a, &view);
            expect_near(average_of(&a), model, 0.01L);
        }
    }
}

// A burst within no time does not move it; neither does looking more often.
static void test_time_average_ignores_how_often(void **state)
{
    struct asked once = asked_of("red"), often;
    (void)state;
    asked_param(&once, "time_constant", 2 * S_NS);
    asked_ready(&once);
    often = once;
    for (uint64_t i = 1; i <= 1000; i++) {
        struct aqm_view view = view_of(i * MS_NS, 14000, 28);
        asked_in(&often, &view);
        asked_in(&often, &view);
    }
    struct aqm_view view = view_of(S_NS, 14000, 28);
    asked_in(&once, &view);
    expect_near(average_of(&often), average_of(&once), 0.01L);
    expect_near(average_of(&once), 14000 * (1 - expl(-0.5L)), 0.01L);
}

static long double curve(long double average, long double min, long double max, long double max_p,
                         bool gentle)
{
    if (average < min)
        return 0;
    if (average < max)
        return max_p * (average - min) / (max - min);
    if (gentle && average < 2 * max)
        return max_p + (1 - max_p) * (average - max) / max;
    return 1;
}

static void test_curve(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 3000; i++) {
        uint32_t min = (uint32_t)random_in(1, 100000), gentle = i % 2;
        uint32_t max = min + (uint32_t)random_in(1, 100000),
                 max_p = (uint32_t)random_in(0, 1000000);
        struct asked a = red_of(min, max, i % 3 ? AQM_LEVEL_OCTETS : AQM_LEVEL_PDUS);
        asked_param(&a, "max_p", max_p);
        asked_param(&a, "gentle", gentle);
        asked_ready(&a);
        const uint32_t lengths[] = {
            min - 1, min, max - 1, max, 2 * max - 1, 2 * max, (uint32_t)random_in(0, 3ULL * max)};
        for (int k = 0; k < 7; k++) {
            struct aqm_view view = steady(&a, 0, lengths[k]);
            expect_near(signal_probability(&a, asked_in, &view),
                        curve(lengths[k], min, max, max_p / 1e6L, gentle), 2e-9L);
        }
    }
}

// The same average, another share: the thresholds are times.
static void test_thresholds_in_time(void **state)
{
    struct asked a = red_of(2 * S_NS, 4 * S_NS, AQM_LEVEL_TIME);
    (void)state;
    asked_ready(&a);
    for (uint32_t share = 1; share < 20000; share += 7) {
        struct aqm_view view = steady(&a, 0, 15000);
        view.share_octets_per_s = share;
        expect_near(signal_probability(&a, asked_in, &view),
                    curve(15000, 2.0L * share, 4.0L * share, 0.2L, true), 2e-9L);
    }
}

// P[distance = n] = pb for n = 1 .. 1/pb, out of the probability at each N-PDU after a signal.
static void test_distance_is_uniform_exactly(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 200; n++) {
        struct asked a = red_of(1000, 2000, AQM_LEVEL_OCTETS);
        asked_param(&a, "gentle", 0);
        asked_param(&a, "max_p", 1000000);
        asked_ready(&a);
        uint32_t average = 1000 + 1000 / n;
        long double pb = (average - 1000) / 1000.0L, before = 1;
        struct aqm_view view = steady(&a, 0, average);
        for (uint32_t distance = 1; distance * pb <= 1; distance++) {
            long double pa = signal_probability(&a, asked_in, &view);
            expect_near(before * pa, pb, 1e-8L);
            before *= 1 - pa;
            struct rng never = rng_that_says(UINT64_MAX);
            view.rng = &never;
            if ((distance + 1) * pb <= 1)
                assert_int_equal(asked_in(&a, &view), AQM_PASS);
        }
    }
}

// And counted: chi-square of 19 degrees of freedom, 59.7 is exceeded once in 200 000.
static void test_distance_is_uniform_counted(void **state)
{
    struct asked a = red_of(1000, 2000, AQM_LEVEL_OCTETS);
    uint32_t hits[21] = {0}, distance = 0;
    const uint32_t signals = 100000;
    long double chi_square = 0;
    (void)state;
    rng_seed(&rng, 5, 0);
    asked_param(&a, "max_p", 100000); // pb = 1/20 half-way
    asked_ready(&a);
    struct aqm_view view = steady(&a, 0, 1500);
    for (uint32_t seen = 0; seen < signals;) {
        distance++;
        if (asked_in(&a, &view) == AQM_PASS)
            continue;
        assert_in_range(distance, 1, 20);
        hits[distance]++;
        distance = 0;
        seen++;
    }
    for (int i = 1; i <= 20; i++)
        chi_square += (hits[i] - signals / 20.0L) * (hits[i] - signals / 20.0L) / (signals / 20.0L);
    print_message("# chi-square %.1Lf\n", chi_square);
    assert_true(chi_square < 59.7L);
}

// Below min the count of passed N-PDUs begins anew.
static void test_below_min_forgets_the_distance(void **state)
{
    struct asked a = asked_of("red");
    (void)state;
    asked_ready(&a);
    struct rng never = rng_that_says(UINT64_MAX);
    struct aqm_view view = steady(&a, 0, 30000);
    view.rng = &never;
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    assert_int_equal(asked_in(&a, &view), AQM_PASS);
    expect_near(signal_probability(&a, asked_in, &view), 0.1L / (1 - 2 * 0.1L), 1e-8L);
    struct aqm_view below = steady(&a, 0, 14000);
    assert_int_equal(asked_in(&a, &below), AQM_PASS);
    view = steady(&a, 0, 30000);
    expect_near(signal_probability(&a, asked_in, &view), 0.1L, 1e-8L);
}

static enum aqm_verdict verdict_at(struct asked *a, uint32_t length, bool ect)
{
    struct rng always = rng_that_says(0);
    struct aqm_view view = steady(a, 0, length);
    view.rng = &always;
    view.ect = ect;
    return asked_in(a, &view);
}

static void test_ecn(void **state)
{
    struct asked a = asked_of("red");
    (void)state;
    asked_param(&a, "ecn", 1);
    asked_ready(&a);
    assert_int_equal(verdict_at(&a, 30000, true), AQM_MARK);
    assert_int_equal(verdict_at(&a, 30000, false), AQM_DROP);
    assert_int_equal(verdict_at(&a, 200000, true), AQM_MARK);
    asked_param(&a, "drop_above_max", 1);
    asked_ready(&a);
    assert_int_equal(verdict_at(&a, 44999, true), AQM_MARK);
    assert_int_equal(verdict_at(&a, 45000, true), AQM_DROP);
    assert_int_equal(verdict_at(&a, 200000, true), AQM_DROP);
    asked_param(&a, "ecn", 0);
    asked_ready(&a);
    assert_int_equal(verdict_at(&a, 30000, true), AQM_DROP);
}

// With a share of 1 octet/s 500 ms are 0 octets: still the queue is never shut for good.
static void test_empty_queue_is_never_signalled(void **state)
{
    struct asked a = red_of(500 * MS_NS, 800 * MS_NS, AQM_LEVEL_TIME);
    (void)state;
    asked_ready(&a);
    struct aqm_view view = view_of(0, 0, 0);
    view.share_octets_per_s = 1;
    expect_near(signal_probability(&a, asked_in, &view), 0, 0);
    view.queue_octets = view.queue_pdus = 1;
    expect_near(signal_probability(&a, asked_in, &view), 1, 0);
}

static uint32_t ahead;
static uint32_t told_ahead(const struct aqm_view *view)
{
    (void)view;
    return ahead;
}

// The less of the average and of what goes ahead in turns, as N-PDUs and as octets of the mean of
// those queued. Above max it drops, with drop_above_max, by the same length.
static void test_in_turn(void **state)
{
    (void)state;
    for (int octets = 0; octets < 2; octets++) {
        struct asked a = red_of(octets ? 2000 : 2, octets ? 6000 : 6,
                                octets ? AQM_LEVEL_OCTETS : AQM_LEVEL_PDUS);
        asked_param(&a, "in_turn", 1);
        asked_param(&a, "max_p", 1000000);
        asked_param(&a, "gentle", 0);
        asked_param(&a, "ecn", 1);
        asked_param(&a, "drop_above_max", 1);
        asked_ready(&a);
        uint32_t scale = octets ? 1000 : 1;
        for (uint32_t average = 0; average < 10; average++)
            for (ahead = 0; ahead < 10; ahead++) {
                ((struct red_vars *)a.vars)->average = (uint64_t)average * scale << 32;
                struct aqm_view view = view_of(0, average * 1000, average);
                view.ahead_of = told_ahead;
                view.ect = true;
                uint32_t least = ahead < average ? ahead : average;
                long double pb = least < 2 ? 0 : least < 6 ? (least - 2) / 4.0L : 1;
                expect_near(signal_probability(&a, asked_in, &view), average ? pb : 0, 1e-6L);
                if (least >= 6)
                    assert_int_equal(asked_in(&a, &view), AQM_DROP);
                view.ahead_of = NULL; // not one of many MSs: by the average alone
                pb = average < 2 ? 0 : average < 6 ? (average - 2) / 4.0L : 1;
                ((struct red_vars *)a.vars)->average = (uint64_t)average * scale << 32;
                expect_near(signal_probability(&a, asked_in, &view), pb, 1e-6L);
            }
    }
}

static void test_refused(void **state)
{
    struct asked a = red_of(1000, 1000, AQM_LEVEL_OCTETS);
    (void)state;
    assert_string_equal(asked_setup(&a), "min must be below max");
    asked_param(&a, "max", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 2000));
    assert_string_equal(asked_setup(&a), "min and max must have the same unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "red"),
        cmocka_unit_test(test_standard_values),
        cmocka_unit_test(test_average_over_pdus),
        cmocka_unit_test(test_average_after_idle),
        cmocka_unit_test(test_full_weight_forgets),
        cmocka_unit_test(test_average_over_time),
        cmocka_unit_test(test_time_average_ignores_how_often),
        cmocka_unit_test(test_curve),
        cmocka_unit_test(test_thresholds_in_time),
        cmocka_unit_test(test_distance_is_uniform_exactly),
        cmocka_unit_test(test_distance_is_uniform_counted),
        cmocka_unit_test(test_below_min_forgets_the_distance),
        cmocka_unit_test(test_ecn),
        cmocka_unit_test(test_empty_queue_is_never_signalled),
        cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("aqm/red", tests, NULL, NULL);
}
