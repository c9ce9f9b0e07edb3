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

static void agree(uint32_t at, uint32_t n)
{
    uint16_t found = capture_sum_fold(capture_sum(octets + at, n));
    assert_int_equal(__builtin_bswap16(found), model(octets + at, n));
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

static void test_no_sum_is_lost_by_folding(void **state)
{
    (void)state;
    assert_int_equal(capture_sum_fold(0), 0);
    assert_int_equal(capture_sum_fold(UINT64_MAX), 0xffff);
    assert_int_equal(capture_sum_fold(0xffff0001ffffffff), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_loop_is_as_the_model),
        cmocka_unit_test(test_no_sum_is_lost_by_folding),
    };
    return cmocka_run_group_tests_name("lab/capture/capture_sum", tests, NULL, NULL);
}
