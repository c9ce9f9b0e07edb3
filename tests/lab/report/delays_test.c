// Delays against a sorted list of the same samples: quantiles within a bucket, mean and largest
// exact.
#include "lab/report/delays.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"

#define SAMPLES 3997

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Delays of every size, from 1 ns to some centuries.
static void as_a_sorted_list(void **state)
{
    static uint64_t list[SAMPLES];
    struct delays delays = {0};
    struct rng rng;
    unsigned __int128 sum = 0;
    (void)state;
    rng_seed(&rng, 1, 0);
    for (int i = 0; i < SAMPLES; i++) {
        list[i] = rng_next(&rng) >> (1 + rng_below(&rng, 63));
        sum += list[i];
        delays_add(&delays, list[i]);
    }
    qsort(list, SAMPLES, sizeof list[0], compare);
    assert_true(delays_mean_ns(&delays) == (uint64_t)(sum / SAMPLES));
    assert_true(delays.most_ns == list[SAMPLES - 1]);
    for (uint32_t per_mille = 1; per_mille <= 1000; per_mille++) {
        uint64_t right = list[(SAMPLES * per_mille + 999) / 1000 - 1];
        uint64_t found = delays_quantile_ns(&delays, per_mille);
        assert_true(found >= right && found - right <= right / 128);
    }
    delays_release(&delays);
}

static void buckets_rise_and_have_all_samples(void **state)
{
    struct delays delays = {0};
    struct delays_bucket found;
    uint64_t samples = 0, before = 0;
    (void)state;
    for (uint64_t ns = 1; ns < 1ULL << 40; ns += 1 + ns / 3)
        delays_add(&delays, ns);
    for (uint32_t bucket = 0; delays_next(&delays, &bucket, &found);) {
        assert_true(found.most_ns > before && found.samples > 0);
        before = found.most_ns;
        samples += found.samples;
    }
    assert_true(samples == delays.samples && before == delays.most_ns);
    delays_release(&delays);
}

static void nothing_and_cleared_is_0(void **state)
{
    struct delays delays = {0};
    struct delays_bucket found;
    (void)state;
    for (int round = 0; round < 2; round++) {
        uint32_t bucket = 0;
        assert_false(delays_next(&delays, &bucket, &found));
        assert_true(delays_quantile_ns(&delays, 950) == 0 && delays_mean_ns(&delays) == 0);
        delays_add(&delays, 5000000);
        assert_true(delays_quantile_ns(&delays, 950) == 5000000);
        delays_clear(&delays);
    }
    delays_release(&delays);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_a_sorted_list),
        cmocka_unit_test(buckets_rise_and_have_all_samples),
        cmocka_unit_test(nothing_and_cleared_is_0),
    };
    return cmocka_run_group_tests_name("lab/report/delays", tests, NULL, NULL);
}
