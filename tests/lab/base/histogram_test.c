// The histogram's percentiles against those of the sorted samples: never below, and at most 1/128
// above.
#include "lab/base/histogram.h"

#include <stdbool.h>
#include <string.h>

#include "tests/dataplane/random.h"

#define SAMPLES 10000

static struct histogram h;

static void clear(void)
{
    memset(&h, 0, sizeof h);
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void expect_near(uint64_t got, uint64_t exact)
{
    if (got < exact || got - exact > exact / 128)
        fail_msg("%llu for a true %llu", (unsigned long long)got, (unsigned long long)exact);
}

// The smallest sample that at least per_mille of all do not exceed.
static uint64_t exact_quantile(const uint64_t *sorted, uint64_t n, uint64_t per_mille)
{
    uint64_t i = 0;
    while ((i + 1) * 1000 < n * per_mille)
        i++;
    return sorted[i];
}

static void expect_quantiles(uint64_t *samples, uint32_t n)
{
    qsort(samples, n, sizeof samples[0], by_value);
    for (uint32_t per_mille = 0; per_mille <= 1000; per_mille++)
        expect_near(histogram_quantile(&h, per_mille), exact_quantile(samples, n, per_mille));
}

static void test_random_samples_of_all_magnitudes(void **state)
{
    static uint64_t samples[SAMPLES];
    (void)state;
    random_begin();
    for (uint32_t n = 1; n <= SAMPLES; n = n * 7 + 3) {
        clear();
        for (uint32_t i = 0; i < n; i++) {
            samples[i] = random_next() >> random_next() % 64;
            histogram_add(&h, samples[i]);
        }
        assert_true(h.samples == n);
        expect_quantiles(samples, n);
    }
}

static void test_many_equal_samples(void **state)
{
    (void)state;
    clear();
    for (int i = 0; i < 1000; i++)
        histogram_add(&h, 123456789);
    assert_true(histogram_quantile(&h, 1) == 123456789);
    assert_true(histogram_quantile(&h, 1000) == 123456789);
}

// Below 128 each value has its own bucket, so there the figures are exact.
static void test_small_values_are_exact(void **state)
{
    (void)state;
    clear();
    for (uint64_t value = 0; value < 128; value++)
        histogram_add(&h, value);
    for (uint32_t per_mille = 1; per_mille <= 1000; per_mille++)
        assert_true(histogram_quantile(&h, per_mille) == (128 * per_mille + 999) / 1000 - 1);
}

// Around each power of two, with a larger sample that takes the part of the largest.
static void test_edges_of_the_buckets(void **state)
{
    (void)state;
    for (int bit = 0; bit < 64; bit++) {
        for (int64_t beside = -1; beside <= 1; beside++) {
            uint64_t value = (1ULL << bit) + (uint64_t)beside;
            clear();
            histogram_add(&h, value);
            histogram_add(&h, UINT64_MAX);
            expect_near(histogram_quantile(&h, 500), value);
        }
    }
}

static void test_extremes(void **state)
{
    (void)state;
    clear();
    assert_true(histogram_quantile(&h, 500) == 0);
    histogram_add(&h, 0);
    assert_true(histogram_quantile(&h, 500) == 0);
    histogram_add(&h, 1);
    assert_true(histogram_quantile(&h, 500) == 0);
    assert_true(histogram_quantile(&h, 501) == 1);
    histogram_add(&h, UINT64_MAX);
    assert_true(histogram_quantile(&h, 666) == 1);
    assert_true(histogram_quantile(&h, 667) == UINT64_MAX);
    assert_true(histogram_quantile(&h, 1000) == UINT64_MAX);
    assert_true(h.most == UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_samples_of_all_magnitudes),
        cmocka_unit_test(test_many_equal_samples),
        cmocka_unit_test(test_small_values_are_exact),
        cmocka_unit_test(test_edges_of_the_buckets),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests_name("base/histogram", tests, NULL, NULL);
}
