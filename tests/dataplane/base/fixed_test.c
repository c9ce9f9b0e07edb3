// Against libm in long double (64 bits of mantissa, so the oracle is off by less than a millionth
// of a unit of the last place of Q32).
#include "dataplane/base/fixed.h"

#include <math.h>
#include <stdbool.h>

#include "tests/dataplane/random.h"

#define POINTS 200000
#define Q32    4294967296.0L

static void expect_exp(uint64_t x)
{
    long double exact = expl(-(long double)x / Q32) * Q32;
    long double off = fabsl((long double)fixed_exp_neg(x) - exact);
    if (off > 0.501L)
        print_error("exp(-%llu / 2^32) is off by %Lf\n", (unsigned long long)x, off);
    assert_true(off <= 0.501L);
}

static void test_exp_neg(void **state)
{
    (void)state;
    random_begin();
    for (uint64_t x = 0; x < 1000; x++) {
        expect_exp(x);
        expect_exp(23 * FIXED_ONE - 1 - x);
        expect_exp(23 * FIXED_ONE + x);
        expect_exp(UINT64_MAX - x);
    }
    for (int i = 0; i < POINTS; i++) {
        expect_exp(random_in(0, 24 * FIXED_ONE));
        expect_exp(random_next() >> random_in(27, 63));
    }
}

// Around every multiple of ln 2, where the series meets its next piece.
static void test_exp_neg_at_the_seams(void **state)
{
    (void)state;
    for (int k = 1; k <= 33; k++)
        for (int off = -50; off <= 50; off++)
            expect_exp((uint64_t)((long double)k * logl(2) * Q32 + off));
}

static void test_exp_neg_edges(void **state)
{
    (void)state;
    assert_true(fixed_exp_neg(0) == FIXED_ONE);
    assert_true(fixed_exp_neg(23 * FIXED_ONE) == 0);
    assert_true(fixed_exp_neg(UINT64_MAX) == 0);
}

static void expect_ln(uint64_t p)
{
    long double exact = -logl((long double)p / Q32) * Q32;
    long double off = fabsl((long double)fixed_neg_ln(p) - exact);
    if (off > 0.501L)
        print_error("-ln(%llu / 2^32) is off by %Lf\n", (unsigned long long)p, off);
    assert_true(off <= 0.501L);
}

static void test_neg_ln(void **state)
{
    (void)state;
    random_begin();
    for (uint64_t p = 1; p < 100000; p++) {
        expect_ln(p);
        expect_ln(FIXED_ONE + 1 - p);
    }
    for (int i = 0; i < POINTS; i++) {
        expect_ln(random_in(1, FIXED_ONE));
        expect_ln((random_next() >> random_in(32, 63)) | 1);
    }
    for (int bit = 0; bit <= 32; bit++)
        expect_ln(1ULL << bit);
}

static void test_neg_ln_edges(void **state)
{
    (void)state;
    assert_true(fixed_neg_ln(FIXED_ONE) == 0);
    assert_true(fixed_neg_ln(FIXED_ONE - 1) == 1);
    assert_true(fixed_neg_ln(1) == 95265423098ULL); // 32 ln 2
}

static void expect_root(uint64_t x)
{
    uint64_t root = fixed_sqrt(x);
    assert_true(root * root <= x);
    assert_true(root == UINT32_MAX || (root + 1) * (root + 1) > x);
    assert_true(root == (uint64_t)floorl(sqrtl((long double)x)) ||
                sqrtl((long double)x) == (long double)(root + 1)); // rounded up by libm
}

static void test_sqrt(void **state)
{
    (void)state;
    random_begin();
    for (uint64_t root = 1; root < 100000; root++) {
        expect_root(root);
        expect_root(root * root);
        expect_root(root * root - 1);
        expect_root((UINT32_MAX - root) * (UINT32_MAX - root) - 1);
        expect_root(UINT64_MAX - root);
    }
    for (int i = 0; i < POINTS; i++)
        expect_root(random_next() >> random_in(0, 63));
    assert_true(fixed_sqrt(0) == 0 && fixed_sqrt(UINT64_MAX) == UINT32_MAX);
}

static void test_mul(void **state)
{
    (void)state;
    random_begin();
    assert_true(fixed_mul(FIXED_ONE, FIXED_ONE) == FIXED_ONE);
    assert_true(fixed_mul(UINT64_MAX, FIXED_ONE) == UINT64_MAX);
    assert_true(fixed_mul(FIXED_ONE - 1, FIXED_ONE - 1) == FIXED_ONE - 2);
    for (int i = 0; i < POINTS; i++) {
        uint64_t a = random_in(0, UINT64_MAX), b = random_in(0, FIXED_ONE);
        // a = high 2^32 + low, by hand
        uint64_t expected = (a >> 32) * b + (((a & UINT32_MAX) * b) >> 32);
        assert_true(fixed_mul(a, b) == expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exp_neg),       cmocka_unit_test(test_exp_neg_at_the_seams),
        cmocka_unit_test(test_exp_neg_edges), cmocka_unit_test(test_neg_ln),
        cmocka_unit_test(test_neg_ln_edges),  cmocka_unit_test(test_sqrt),
        cmocka_unit_test(test_mul),
    };
    return cmocka_run_group_tests_name("base/fixed", tests, NULL, NULL);
}
