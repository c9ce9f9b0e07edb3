// The generator against the published sequence, and what is drawn from it against probability
// theory. Seeds are fixed, so a bound of 4 standard deviations holds always or never.
#include "dataplane/base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include <cmocka.h>

#define SAMPLES 1000000

static struct rng seeded(uint64_t seed, uint64_t stream)
{
    struct rng rng;
    rng_seed(&rng, seed, stream);
    return rng;
}

// The first numbers of xoshiro256** from the state 1, 2, 3, 4, as published with its reference
// code.
static void test_published_sequence(void **state)
{
    static const uint64_t expected[] = {
        11520,
        0,
        1509978240,
        1215971899390074240ULL,
        1216172134540287360ULL,
        607988272756665600ULL,
        16172922978634559625ULL,
        8476171486693032832ULL,
        10595114339597558777ULL,
        2904607092377533576ULL,
    };
    struct rng rng = {{1, 2, 3, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_true(rng_next(&rng) == expected[i]);
}

static void test_same_seed_same_numbers(void **state)
{
    struct rng a = seeded(7, 3), b = seeded(7, 3);
    (void)state;
    for (int i = 0; i < 1000; i++) {
        assert_true(rng_next(&a) == rng_next(&b));
        assert_true(rng_below(&a, 1000) == rng_below(&b, 1000));
        assert_true(rng_exponential(&a, 1000) == rng_exponential(&b, 1000));
    }
}

// 40 seeds with 25 streams each: no two begin with the same number.
static void test_seeds_and_streams_differ(void **state)
{
    static uint64_t first[1000];
    (void)state;
    for (uint64_t i = 0; i < 1000; i++) {
        struct rng rng = seeded(i / 25, i % 25);
        first[i] = rng_next(&rng);
        for (uint64_t j = 0; j < i; j++)
            assert_true(first[i] != first[j]);
    }
}

// Two streams of one seed agree in half of their bits, as unrelated numbers do.
static void test_streams_are_unrelated(void **state)
{
    struct rng a = seeded(1, 0), b = seeded(1, 1);
    double agree = 0, bits = 64.0 * 100000;
    (void)state;
    for (int i = 0; i < 100000; i++)
        agree += __builtin_popcountll(~(rng_next(&a) ^ rng_next(&b)));
    double off = agree - bits / 2;
    assert_true(off * off < 16 * bits / 4);
}

static void expect_even(uint32_t bound)
{
    static uint32_t hits[1024];
    struct rng rng = seeded(2, bound);
    for (uint32_t i = 0; i < bound; i++)
        hits[i] = 0;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t value = rng_below(&rng, bound);
        assert_true(value < bound);
        hits[value]++;
    }
    double expected = (double)SAMPLES / bound, chi_square = 0;
    for (uint32_t i = 0; i < bound; i++)
        chi_square += (hits[i] - expected) * (hits[i] - expected) / expected;
    double off = chi_square - (bound - 1);
    assert_true(off * off < 16 * 2.0 * (bound - 1));
}

static void test_below_is_even(void **state)
{
    (void)state;
    expect_even(2);
    expect_even(3);
    expect_even(7);
    expect_even(100);
    expect_even(1000);
    expect_even(1024);
}

// A bound of 3/4 of the range, where a plain remainder would draw the lower third half the time.
static void test_below_a_huge_bound_is_even(void **state)
{
    struct rng rng = seeded(3, 0);
    uint64_t bound = 3ULL << 62;
    double lower_third = 0;
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t value = rng_below(&rng, bound);
        assert_true(value < bound);
        lower_third += value < bound / 3;
    }
    double off = lower_third - SAMPLES / 3.0;
    assert_true(off * off < 16 * SAMPLES * (1 / 3.0) * (2 / 3.0));
}

static void test_below_one_is_zero(void **state)
{
    struct rng rng = seeded(4, 0);
    (void)state;
    for (int i = 0; i < 100; i++)
        assert_true(rng_below(&rng, 1) == 0);
}

static void expect_share(double hits, double share)
{
    double off = hits - SAMPLES * share;
    assert_true(off * off < 16 * SAMPLES * share * (1 - share));
}

// Mean and variance of the sample: their own variances are 1 / n and 8 / n for an exponential of
// mean 1. The shares are exp(-1), exp(-2) and exp(-1/10).
static void test_exponential_distribution(void **state)
{
    const uint64_t mean = 1000000007;
    struct rng rng = seeded(5, 0);
    double sum = 0, squares = 0, above_1 = 0, above_2 = 0, above_tenth = 0;
    (void)state;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t sample = rng_exponential(&rng, mean);
        double x = (double)sample / (double)mean;
        sum += x;
        squares += x * x;
        above_1 += x > 1;
        above_2 += x > 2;
        above_tenth += x > 0.1;
    }
    double m = sum / SAMPLES, variance = squares / SAMPLES - m * m;
    assert_true((m - 1) * (m - 1) < 16.0 / SAMPLES);
    assert_true((variance - 1) * (variance - 1) < 16 * 8.0 / SAMPLES);
    expect_share(above_1, 0.36787944117144233);
    expect_share(above_2, 0.13533528323661270);
    expect_share(above_tenth, 0.90483741803595957);
}

static void test_exponential_bounds(void **state)
{
    struct rng rng = seeded(6, 0);
    (void)state;
    for (int i = 0; i < SAMPLES; i++)
        assert_true(rng_exponential(&rng, 1000) <= 64 * 1000);
    assert_true(rng_exponential(&rng, 0) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_published_sequence),
        cmocka_unit_test(test_same_seed_same_numbers),
        cmocka_unit_test(test_seeds_and_streams_differ),
        cmocka_unit_test(test_streams_are_unrelated),
        cmocka_unit_test(test_below_is_even),
        cmocka_unit_test(test_below_a_huge_bound_is_even),
        cmocka_unit_test(test_below_one_is_zero),
        cmocka_unit_test(test_exponential_distribution),
        cmocka_unit_test(test_exponential_bounds),
    };
    return cmocka_run_group_tests_name("base/rng", tests, NULL, NULL);
}
