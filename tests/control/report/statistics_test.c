// Student's t as printed in tables, to their last digit, and the mean with its interval of samples
// that were worked out by hand.
#include "control/report/statistics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

// The quantile 0.975 as textbooks print it, with three decimals.
static void t_is_that_of_the_tables(void **state)
{
    static const struct {
        uint32_t freedom;
        double t;
    } rows[] = {{1, 12.706},  {2, 4.303},    {3, 3.182},         {4, 2.776},  {5, 2.571},
                {6, 2.447},   {7, 2.365},    {8, 2.306},         {9, 2.262},  {10, 2.228},
                {11, 2.201},  {12, 2.179},   {13, 2.160},        {14, 2.145}, {15, 2.131},
                {16, 2.120},  {17, 2.110},   {18, 2.101},        {19, 2.093}, {20, 2.086},
                {21, 2.080},  {22, 2.074},   {23, 2.069},        {24, 2.064}, {25, 2.060},
                {26, 2.056},  {27, 2.052},   {28, 2.048},        {29, 2.045}, {30, 2.042},
                {40, 2.021},  {50, 2.009},   {60, 2.000},        {80, 1.990}, {100, 1.984},
                {120, 1.980}, {1000, 1.962}, {UINT32_MAX, 1.960}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(statistics_t975(rows[i].freedom) - rows[i].t) <= 0.00051);
}

// Where the table ends and the expansion begins, too.
static void t_falls_with_freedom(void **state)
{
    (void)state;
    for (uint32_t freedom = 1; freedom < 2000; freedom++)
        assert_true(statistics_t975(freedom + 1) < statistics_t975(freedom));
}

// By numerical integration of the density; two of them are in tables of Bonferroni's t, too.
static void t_of_several_intervals(void **state)
{
    static const struct {
        uint32_t freedom, intervals;
        double t;
    } rows[] = {{1, 2, 25.4517}, {2, 3, 7.6488},  {4, 2, 3.4954},  {4, 4, 4.3147},
                {9, 4, 3.1109},  {9, 10, 3.6897}, {19, 4, 2.7586}, {29, 31, 3.4785}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_true(fabs(statistics_t_of(rows[i].freedom, rows[i].intervals) - rows[i].t) < 6e-5);
    for (uint32_t freedom = 1; freedom < 200; freedom++) {
        assert_true(statistics_t_of(freedom, 1) == statistics_t975(freedom));
        for (uint32_t intervals = 1; intervals < 32; intervals++)
            assert_true(statistics_t_of(freedom, intervals + 1) >
                        statistics_t_of(freedom, intervals));
    }
}

static void mean_and_interval(void **state)
{
    const double samples[] = {2, 4, 4, 4, 5, 5, 7, 9}; // variance 32 / 7
    struct statistics s = statistics_of(samples, 8);
    (void)state;
    assert_int_equal(s.n, 8);
    assert_true(fabs(s.mean - 5) < 1e-12);
    assert_true(fabs(s.ci95 - 2.364624 * sqrt(32.0 / 7 / 8)) < 1e-12);
}

static void one_sample_or_none_has_no_interval(void **state)
{
    const double sample = 3;
    struct statistics one = statistics_of(&sample, 1), none = statistics_of(NULL, 0);
    (void)state;
    assert_true(one.n == 1 && one.mean == 3 && one.ci95 == 0);
    assert_true(none.n == 0 && none.mean == 0 && none.ci95 == 0);
}

// 1 to 5 with a hole behind 2: mean 3, squares 10; neighbours 1 2 and 4 5 only: 2 + 2.
static void neighbours_of_batches(void **state)
{
    const double rising[] = {1, 2, NAN, 4, 5, 3}, falling[] = {1, 5, 1, 5, 1, 5},
                 same[] = {0.1, 0.1, 0.1, NAN, 0.1, 0.1, 0.1}, none[] = {NAN, NAN};
    double steps[60];
    (void)state;
    struct statistics s = statistics_of_batches(rising, 6);
    assert_int_equal(s.n, 5);
    assert_true(s.batches && fabs(s.mean - 3) < 1e-12 && fabs(s.lag1 - 0.4) < 1e-12);
    assert_true(fabs(s.ci95 - 2.776445 * sqrt(10.0 / 4 / 5)) < 1e-12);
    assert_false(s.too_short); // 2 / sqrt(5) is 0.894
    s = statistics_of_batches(falling, 6);
    assert_true(fabs(s.lag1 + 5.0 / 6) < 1e-12 && !s.too_short);
    s = statistics_of_batches(same, 7); // whatever rounding makes of them
    assert_true(s.n == 6 && s.lag1 == 0 && s.ci95 == 0 && !s.too_short);
    s = statistics_of_batches(none, 2);
    assert_true(s.n == 0 && s.mean == 0 && s.lag1 == 0 && !s.too_short);
    for (int i = 0; i < 60; i++)
        steps[i] = i / 30;
    assert_true(statistics_of_batches(steps, 60).too_short);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(t_is_that_of_the_tables),
        cmocka_unit_test(t_falls_with_freedom),
        cmocka_unit_test(t_of_several_intervals),
        cmocka_unit_test(mean_and_interval),
        cmocka_unit_test(one_sample_or_none_has_no_interval),
        cmocka_unit_test(neighbours_of_batches),
    };
    return cmocka_run_group_tests_name("control/program/statistics", tests, NULL, NULL);
}
