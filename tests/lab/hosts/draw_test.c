// Drawn numbers: the mean, and a point or two of each law's distribution, in whole numbers.
#include "lab/hosts/draw.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define DRAWS 100000

static uint64_t value[DRAWS];

static uint64_t draw_all(const struct draw *draw)
{
    struct rng rng;
    uint64_t sum = 0;
    rng_seed(&rng, 11, 0);
    assert_null(draw_fault(draw));
    for (uint32_t i = 0; i < DRAWS; i++) {
        value[i] = draw_next(draw, &rng);
        sum += value[i];
    }
    return sum / DRAWS;
}

// Of 1000, how many are at most x.
static uint64_t at_most(uint64_t x)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < DRAWS; i++)
        n += value[i] <= x;
    return n * 1000 / DRAWS;
}

static void test_fixed(void **state)
{
    (void)state;
    assert_int_equal(draw_all(&(struct draw){.mean = 4910, .least = 9000}), 4910);
    assert_int_equal(at_most(4909), 0);
    assert_int_equal(at_most(4910), 1000);
}

static void test_uniform(void **state)
{
    (void)state;
    assert_in_range(draw_all(&(struct draw){DRAW_UNIFORM, 1, 0, 100, 299}), 198, 200);
    assert_int_equal(at_most(99), 0);
    assert_int_equal(at_most(299), 1000);
    assert_in_range(at_most(149), 245, 255);
}

// 1 - 1/e are at most the mean.
static void test_exponential(void **state)
{
    (void)state;
    assert_in_range(draw_all(&(struct draw){DRAW_EXPONENTIAL, 10000, 0, 0, 0}), 9870, 10130);
    assert_in_range(at_most(10000), 626, 638);
    assert_in_range(at_most(30000), 947, 953);
}

// Mean 10710 and deviation 25032, the main objects of 3GPP2's web model: the logarithm has the
// deviation s = sqrt(ln(1 + 2.337^2)) = 1.3658, so the median is mean / exp(s^2 / 2) = 4213.6,
// and 84.13 % are at most median * exp(s) = 16510. The mean of 100 000 has a deviation of 79.
static void test_lognormal(void **state)
{
    (void)state;
    assert_in_range(draw_all(&(struct draw){DRAW_LOGNORMAL, 10710, 25032, 0, 0}), 10390, 11030);
    assert_in_range(at_most(4213), 493, 507);
    assert_in_range(at_most(16510), 836, 847);
    assert_in_range(at_most(1075), 154, 164);
}

// Least 2000 and mean 6000: alpha 1.5. Half are at most least * 2^(2/3) = 3175, 99 % at most least
// * 100^(2/3) = 43089.
static void test_pareto(void **state)
{
    (void)state;
    draw_all(&(struct draw){DRAW_PARETO, 6000, 0, 2000, 0});
    assert_int_equal(at_most(1999), 0);
    assert_in_range(at_most(3175), 493, 507);
    assert_in_range(at_most(43089), 988, 992);
}

// What is cut off is drawn again, not moved to the edge: of an exponential below its mean, the
// median is where half of 1 - 1/e is reached, at -ln(1 - 0.316) = 0.380 of the mean.
static void test_limits(void **state)
{
    (void)state;
    draw_all(&(struct draw){DRAW_EXPONENTIAL, 10000, 0, 0, 10000});
    assert_int_equal(at_most(10000), 1000);
    assert_in_range(at_most(9900), 980, 998);
    assert_in_range(at_most(3799), 492, 508);
    draw_all(&(struct draw){DRAW_EXPONENTIAL, 10000, 0, 20000, 0});
    assert_int_equal(at_most(19999), 0);
    assert_in_range(at_most(30000), 626, 638);
}

// A range that the law does not reach is no endless loop.
static void test_an_impossible_range(void **state)
{
    struct rng rng;
    (void)state;
    rng_seed(&rng, 1, 0);
    struct draw never = {DRAW_EXPONENTIAL, 1, 0, 1000000, 2000000};
    assert_int_equal(draw_next(&never, &rng), 1000000);
    struct draw low = {DRAW_PARETO, 2000000, 0, 1000000, 1000000};
    assert_int_equal(draw_next(&low, &rng), 1000000);
}

// The same numbers on every machine, as a report that is compared byte for byte needs.
static void test_the_first_numbers(void **state)
{
    static const uint64_t lognormal[] = {893, 3700, 3130, 1141},
                          pareto[] = {2099, 8755, 3305, 3084};
    struct rng rng;
    (void)state;
    rng_seed(&rng, 1, 0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(draw_next(&(struct draw){DRAW_LOGNORMAL, 10710, 25032, 0, 0}, &rng),
                         lognormal[i]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(draw_next(&(struct draw){DRAW_PARETO, 6000, 0, 2000, 0}, &rng), pareto[i]);
}

static void test_faults(void **state)
{
    (void)state;
    assert_string_equal(draw_fault(&(struct draw){DRAW_UNIFORM, 1, 0, 0, 0}), "_law: needs _most");
    assert_string_equal(draw_fault(&(struct draw){DRAW_LOGNORMAL, 1, 0, 0, 0}),
                        "_law: needs _deviation");
    assert_string_equal(draw_fault(&(struct draw){DRAW_PARETO, 5, 0, 5, 0}),
                        "_law: needs a _least that is less than the mean");
    assert_string_equal(draw_fault(&(struct draw){DRAW_PARETO, 5, 0, 0, 0}),
                        "_law: needs a _least that is less than the mean");
    assert_string_equal(draw_fault(&(struct draw){DRAW_FIXED, 5, 0, 6, 5}),
                        "_most: less than _least");
    assert_string_equal(draw_key_fault(&(struct draw){DRAW_FIXED, 5, 0, 6, 5}, "think"),
                        "think_most: less than _least");
    assert_null(draw_key_fault(&(struct draw){DRAW_FIXED, 5, 0, 0, 0}, "think"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_exponential),
        cmocka_unit_test(test_lognormal),
        cmocka_unit_test(test_pareto),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_an_impossible_range),
        cmocka_unit_test(test_the_first_numbers),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests_name("lab/hosts/draw", tests, NULL, NULL);
}
