// Intervals of differences: a few against values computed by hand, and how many of 20000 hold the
// true difference of samples that are drawn.
#include "control/captures/gi_chance.h"

#include <math.h>

#include "tests/dataplane/random.h"

static void near(double found, double wanted)
{
    if (!(fabs(found - wanted) < 1e-6))
        fail_msg("%.9g, right is %.9g", found, wanted);
}

// s1 2 and 4 of 4 and 9 values: variances of the means 1 and 16/9; freedom (25/9)^2 / (1/3 +
// (16/9)^2 / 8) = 10.602, so 10: t is 2.228139.
static void means_after_welch(void **state)
{
    struct gi_interval found;
    (void)state;
    assert_true(
        gi_chance_of_means((struct gi_sample){4, 10, 2}, (struct gi_sample){9, 13, 4}, &found));
    near(found.least, 3 - 2.228139 * 5.0 / 3);
    near(found.most, 3 + 2.228139 * 5.0 / 3);
}

// 2 of 10 and 12 of 20: (2 + 1) / 12 and (12 + 1) / 22.
static void shares_after_agresti_and_caffo(void **state)
{
    struct gi_interval found;
    double a = 3.0 / 12, b = 13.0 / 22, error = sqrt(a * (1 - a) / 12 + b * (1 - b) / 22);
    (void)state;
    assert_true(gi_chance_of_shares((struct gi_sample){10, 0.2, 0}, (struct gi_sample){20, 0.6, 0},
                                    &found));
    near(found.least, b - a - 1.959963985 * error);
    near(found.most, b - a + 1.959963985 * error);
}

static void figures_with_errors(void **state)
{
    struct gi_interval found;
    (void)state;
    assert_true(gi_chance_of_errors(0.01, 0.003, 0.02, 0.004, &found));
    near(found.least, 0.01 - 1.959963985 * 0.005);
    near(found.most, 0.01 + 1.959963985 * 0.005);
}

static void too_few_have_no_interval(void **state)
{
    struct gi_interval found;
    struct gi_sample one = {1, 5, NAN}, two = {2, 5, 1}, none = {0, NAN, NAN}, same = {3, 5, 0};
    (void)state;
    assert_false(gi_chance_of_means(one, two, &found));
    assert_false(gi_chance_of_means(two, one, &found));
    assert_false(gi_chance_of_means((struct gi_sample){NAN, 5, 1}, two, &found));
    assert_false(gi_chance_of_shares(none, two, &found));
    assert_false(gi_chance_of_shares(two, none, &found));
    assert_false(gi_chance_of_errors(1, NAN, 2, 1, &found));
    assert_true(gi_chance_of_means(same, same, &found));
    assert_true(found.least == 0 && found.most == 0);
}

// ---- How often ----

#define TRIES 20000

static double uniform(void)
{
    return (double)(random_next() >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(2 * M_PI * uniform());
}

static struct gi_sample sample(uint32_t n, double mean, double deviation)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < n; i++) {
        double value = mean + deviation * normal();
        sum += value;
        squares += value * value;
    }
    return (struct gi_sample){n, sum / n, sqrt((squares - sum * sum / n) / (n - 1))};
}

static struct gi_sample hits(uint32_t n, double share)
{
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++)
        k += uniform() < share;
    return (struct gi_sample){n, (double)k / n, 0};
}

static bool holds(const struct gi_interval *interval, double value)
{
    return interval->least <= value && value <= interval->most;
}

static void expect_95(uint32_t held, const char *what)
{
    double share = (double)held / TRIES;
    print_message("# %s: %.2f %%\n", what, 100 * share);
    assert_true(share > 0.94 && share < 0.965);
}

static void means_hold_the_truth(void **state)
{
    struct gi_interval interval;
    uint32_t held = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        assert_true(gi_chance_of_means(sample(8, 20, 1), sample(30, 23, 6), &interval));
        held += holds(&interval, 3);
    }
    expect_95(held, "means of 8 and 30 with deviations 1 and 6");
}

static void shares_hold_the_truth(void **state)
{
    struct gi_interval interval;
    uint32_t held = 0;
    (void)state;
    for (int i = 0; i < TRIES; i++) {
        assert_true(gi_chance_of_shares(hits(150, 0.05), hits(60, 0.2), &interval));
        held += holds(&interval, 0.15);
    }
    expect_95(held, "shares of 150 and 60");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(means_after_welch),    cmocka_unit_test(shares_after_agresti_and_caffo),
        cmocka_unit_test(figures_with_errors),  cmocka_unit_test(too_few_have_no_interval),
        cmocka_unit_test(means_hold_the_truth), cmocka_unit_test(shares_hold_the_truth),
    };
    return cmocka_run_group_tests_name("control/program/gi_chance", tests, NULL, NULL);
}
