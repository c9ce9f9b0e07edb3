// The sum of the internet checksum beside a plain model of RFC 1071, octet pair by octet pair: each
// loop that this processor has, all lengths, at any alignment.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "dataplane/base/rng.h"
#include "lab/capture/capture_sum.h"

#define ROOM 70000

static uint8_t octets[ROOM];

// Big end first, as the RFC writes it; the order of octets does not matter to what is right.
static uint16_t model(const uint8_t *b, uint32_t n)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += i % 2 ? b[i] : b[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static uint16_t folded(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)sum;
}

static void agree(uint32_t at, uint32_t n)
{
    uint64_t found = capture_sum(octets + at, n);
    assert_int_equal(__builtin_bswap16(folded(found)), model(octets + at, n));
    assert_int_equal(capture_sum_is_right(found), folded(found) == 0xffff);
}

static void all_lengths(void)
{
    for (uint32_t n = 0; n < 700; n++)
        agree(n % 67, n);
    for (uint32_t n = 65000; n < 65536; n += 5)
        agree(n % 67, n);
}

static void test_each_loop_is_as_the_model(void **state)
{
    (void)state;
    struct rng rng;
    rng_seed(&rng, 1, 0);
    for (int fill = 0; fill < 2; fill++) { // at random, then all ones, for the carries
        for (uint32_t i = 0; i < ROOM; i++)
            octets[i] = fill ? 0xff : (uint8_t)rng_below(&rng, 256);
        capture_sum_words = capture_sum_words_any;
        all_lengths();
        if (__builtin_cpu_supports("avx2")) {
            capture_sum_words = capture_sum_words_avx2;
            all_lengths();
        }
        capture_sum_choose();
        all_lengths();
    }
}

// Of sums at random, as many as are right: one of 65535, made so.
static void test_right_is_what_folds_to_ones(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, 2, 0);
    assert_false(capture_sum_is_right(0));
    assert_true(capture_sum_is_right(UINT64_MAX));
    assert_false(capture_sum_is_right(0xffff0001ffffffff));
    for (int i = 0; i < 100000; i++) {
        uint64_t sum = rng_next(&rng) >> rng_below(&rng, 48);
        assert_int_equal(capture_sum_is_right(sum), folded(sum) == 0xffff);
        uint64_t right = capture_sum_add(sum, 0xffff - folded(sum));
        assert_true(capture_sum_is_right(right));
        assert_false(capture_sum_is_right(capture_sum_add(right, 1 + rng_below(&rng, 0xfffe))));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_loop_is_as_the_model),
        cmocka_unit_test(test_right_is_what_folds_to_ones),
    };
    return cmocka_run_group_tests_name("lab/capture/capture_sum", tests, NULL, NULL);
}
