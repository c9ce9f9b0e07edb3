// TTL-RED, second variant: the distribution of the drawn lifetimes, exactly at chosen random
// numbers and counted, and what becomes of an N-PDU that is older than its own.
#include "tests/dataplane/aqm/congested.h"

#define DRAWS 200000

static uint32_t word;
static struct rng rng;

static struct aqm_view aged(uint64_t sojourn_ns)
{
    return (struct aqm_view){.now_ns = 100 * S_NS,
                             .sojourn_ns = sojourn_ns,
                             .pdu_octets = 500,
                             .queue_octets = 500,
                             .queue_pdus = 1,
                             .share_octets_per_s = 2500,
                             .rng = &rng,
                             .pdu_word = &word};
}

static uint32_t draw_us(struct asked *a)
{
    struct aqm_view view = aged(0);
    assert_int_equal(asked_in(a, &view), AQM_PASS);
    return word;
}

// The lifetime whose distribution function is u.
static long double drawn_at(struct asked *a, long double u)
{
    struct rng forced = rng_that_says((uint64_t)ldexpl(u, 64));
    struct aqm_view view = aged(0);
    view.rng = &forced;
    assert_int_equal(asked_in(a, &view), AQM_PASS);
    return word / 1e6L;
}

static long double inverse(long double u, long double low, long double high, long double p)
{
    return u < p ? low + (high - low) * u / p : high + high * (u - p) / (1 - p);
}

// F(0.75 s) = 0, F(2.25 s) = 0.2, F(4.5 s) = 1 with the standard values.
static void test_published_points(void **state)
{
    struct asked a = asked_of("ttl-red-v2");
    (void)state;
    asked_ready(&a);
    expect_near(drawn_at(&a, 0), 0.75L, 0);
    expect_near(drawn_at(&a, 0.1L), 1.5L, 1.5e-6L);
    expect_near(drawn_at(&a, 0.2L), 2.25L, 1.5e-6L);
    expect_near(drawn_at(&a, 0.6L), 3.375L, 1.5e-6L);
    expect_near(drawn_at(&a, 1 - ldexpl(1, -63)), 4.5L, 1.5e-6L);
}

// Within the microsecond that it is cut to, and the half that the width of a range is cut to.
static void test_inverse_of_the_distribution(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 5000; i++) {
        uint64_t low_us = random_in(1, 5000000), high_us = low_us + random_in(1, 5000000);
        uint32_t max_p = (uint32_t)random_in(0, 1000000);
        struct asked a = asked_of("ttl-red-v2");
        asked_param(&a, "low", low_us * 1000);
        asked_param(&a, "high", high_us * 1000);
        asked_param(&a, "max_p", max_p);
        asked_ready(&a);
        for (int k = 0; k < 20; k++) {
            long double u = (long double)(random_next() >> 12) / ldexpl(1, 52);
            expect_near(drawn_at(&a, u), inverse(u, low_us / 1e6L, high_us / 1e6L, max_p / 1e6L),
                        2.1e-6L);
        }
    }
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static long double distribution(long double t)
{
    if (t < 2.25L)
        return fmaxl(0, 0.2L * (t - 0.75L) / 1.5L);
    return fminl(1, 0.2L + 0.8L * (t - 2.25L) / 2.25L);
}

// Mean 3.000 s; Kolmogorov and Smirnov: sqrt(n) D above 2.5 comes once in 130 000. The mean's
// deviation is that of the two ranges.
static void test_distribution_counted(void **state)
{
    static uint32_t draws[DRAWS];
    struct asked a = asked_of("ttl-red-v2");
    long double mean = 0, most = 0, first = 0;
    (void)state;
    rng_seed(&rng, 21, 0);
    asked_ready(&a);
    for (int i = 0; i < DRAWS; i++) {
        draws[i] = draw_us(&a);
        mean += draws[i] / 1e6L / DRAWS;
        first += draws[i] < 2250000;
    }
    qsort(draws, DRAWS, sizeof draws[0], ascending);
    for (int i = 0; i < DRAWS; i++) {
        long double f = distribution(draws[i] / 1e6L);
        most = fmaxl(most, fmaxl(fabsl(f - (long double)i / DRAWS), fabsl(f - (i + 1.0L) / DRAWS)));
    }
    long double square =
        0.2L * (1.5L * 1.5L + 1.5L * 1.5L / 12) + 0.8L * (3.375L * 3.375L + 2.25L * 2.25L / 12);
    print_message("# mean %.4Lf s, sqrt(n) D = %.2Lf\n", mean, sqrtl(DRAWS) * most);
    expect_near(mean, 3, 4.5L * sqrtl((square - 9) / DRAWS));
    expect_share((uint64_t)first, DRAWS, 0.2L);
    assert_true(sqrtl(DRAWS) * most < 2.5L);
    assert_true(draws[0] >= 750000 && draws[DRAWS - 1] < 4500000);
}

static void test_goes_when_older(void **state)
{
    struct asked a = asked_of("ttl-red-v2");
    (void)state;
    asked_param(&a, "ecn", 1);
    asked_ready(&a);
    rng_seed(&rng, 22, 0);
    for (int i = 0; i < 1000; i++) {
        uint64_t lifetime_ns = draw_us(&a) * 1000ULL;
        struct aqm_view view = aged(lifetime_ns);
        assert_int_equal(asked_out(&a, &view), AQM_PASS);
        view.sojourn_ns++;
        assert_int_equal(asked_out(&a, &view), AQM_DROP);
        view.ect = true;
        assert_int_equal(asked_out(&a, &view), AQM_MARK);
    }
}

// It came in before the discipline did.
static void test_no_lifetime_drawn(void **state)
{
    struct asked a = asked_of("ttl-red-v2");
    struct aqm_view view = aged(100 * S_NS);
    (void)state;
    asked_ready(&a);
    word = 0;
    assert_int_equal(asked_out(&a, &view), AQM_PASS);
}

static void test_refused(void **state)
{
    struct asked a = asked_of("ttl-red-v2");
    (void)state;
    asked_param(&a, "low", 2250 * MS_NS + 999); // the same microsecond
    assert_string_equal(asked_setup(&a), "low must be below high");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_marks_a_queue_of_2_s, "ttl-red-v2"),
        cmocka_unit_test(test_published_points),
        cmocka_unit_test(test_inverse_of_the_distribution),
        cmocka_unit_test(test_distribution_counted),
        cmocka_unit_test(test_goes_when_older),
        cmocka_unit_test(test_no_lifetime_drawn),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests_name("aqm/ttl_red_v2", tests, NULL, NULL);
}
