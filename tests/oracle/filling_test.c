// The oracle of shares: cases worked out by hand, and for random ones the condition that makes
// shares weighted max-min: whoever has less than its demand has a full vessel (its cell or the
// pipe) in which nobody else of its rank has more by weight.
#include "tests/oracle/filling.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

// xorshift64* (Vigna); least .. most
static uint64_t random_in(uint64_t least, uint64_t most)
{
    static uint64_t state = 20240229;
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return least + (state * 0x2545f4914f6cdd1dULL >> 16) % (most - least + 1);
}

static void assert_near(double found, double wanted)
{
    if (fabs(found - wanted) > 1e-6 * (1 + fabs(wanted)))
        fail_msg("share %.9g, wanted %.9g", found, wanted);
}

static void one_cell_shares_by_weight(void **state)
{
    struct filling_pair p[] = {{0, false, 900, INFINITY, 0}, {0, false, 5, INFINITY, 0}};
    double cell = 905;
    (void)state;
    filling(p, 2, &cell, 1, INFINITY);
    assert_near(p[0].share, 900);
    assert_near(p[1].share, 5);
}

static void what_one_does_not_want_goes_to_the_others(void **state)
{
    struct filling_pair p[] = {
        {0, false, 2, 10, 0}, {0, false, 1, INFINITY, 0}, {0, false, 2, INFINITY, 0}};
    double cell = 100;
    (void)state;
    filling(p, 3, &cell, 1, INFINITY);
    assert_near(p[0].share, 10);
    assert_near(p[1].share, 30);
    assert_near(p[2].share, 60);
}

// Pipe 100; cell 0 (rate 20) holds weights 1 and 3, cell 1 weight 1 alone.
static void a_full_cell_leaves_the_pipe_to_the_others(void **state)
{
    struct filling_pair p[] = {
        {0, false, 1, INFINITY, 0}, {0, false, 3, INFINITY, 0}, {1, false, 1, INFINITY, 0}};
    double cells[] = {20, 1000};
    (void)state;
    filling(p, 3, cells, 2, 100);
    assert_near(p[0].share, 5);
    assert_near(p[1].share, 15);
    assert_near(p[2].share, 80);
}

// On a full pipe weights count across cells, not cell by cell.
static void a_full_pipe_shares_among_all_pairs(void **state)
{
    struct filling_pair p[] = {
        {0, false, 5, INFINITY, 0}, {1, false, 900, INFINITY, 0}, {1, false, 5, INFINITY, 0}};
    double cells[] = {1000, 1000};
    (void)state;
    filling(p, 3, cells, 2, 910);
    assert_near(p[0].share, 5);
    assert_near(p[1].share, 900);
    assert_near(p[2].share, 5);
}

static void signalling_goes_first(void **state)
{
    struct filling_pair p[] = {{0, false, 900, INFINITY, 0}, {0, true, 0, 60, 0}};
    double cell = 100;
    (void)state;
    filling(p, 2, &cell, 1, INFINITY);
    assert_near(p[1].share, 60);
    assert_near(p[0].share, 40);
    cell = 50;
    filling(p, 2, &cell, 1, INFINITY);
    assert_near(p[1].share, 50);
    assert_near(p[0].share, 0);
}

// Is there a full vessel of pair i's in which it has the most by weight?
static bool held_by(const struct filling_pair *p, uint32_t n, uint32_t i, bool whole, double rate)
{
    double sum = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (!whole && p[j].cell != p[i].cell)
            continue;
        sum += p[j].share;
        double mine = p[i].share / p[i].weight, others = p[j].share / p[j].weight;
        if (!p[j].first && others > mine * (1 + 1e-6) + 1e-6)
            return false;
    }
    return sum >= rate * (1 - 1e-6);
}

static void shares_of_random_trees_are_max_min(void **state)
{
    (void)state;
    for (uint32_t k = 0; k < 3000; k++) {
        struct filling_pair p[40];
        double cells[6], pipe = (double)random_in(1, 300);
        uint32_t n = (uint32_t)random_in(1, 40);
        for (uint32_t b = 0; b < 6; b++)
            cells[b] = (double)random_in(1, 100);
        for (uint32_t i = 0; i < n; i++)
            p[i] = (struct filling_pair){(uint32_t)random_in(0, 5), random_in(0, 9) == 9,
                                         (double)random_in(1, 900),
                                         random_in(0, 1) ? INFINITY : (double)random_in(0, 60), -1};
        filling(p, n, cells, 6, pipe);
        for (uint32_t i = 0; i < n; i++) {
            assert_true(p[i].share >= 0 && p[i].share <= p[i].demand * (1 + 1e-9));
            if (p[i].first || p[i].share >= p[i].demand * (1 - 1e-6) - 1e-9)
                continue;
            assert_true(held_by(p, n, i, true, pipe) || held_by(p, n, i, false, cells[p[i].cell]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cell_shares_by_weight),
        cmocka_unit_test(what_one_does_not_want_goes_to_the_others),
        cmocka_unit_test(a_full_cell_leaves_the_pipe_to_the_others),
        cmocka_unit_test(a_full_pipe_shares_among_all_pairs),
        cmocka_unit_test(signalling_goes_first),
        cmocka_unit_test(shares_of_random_trees_are_max_min),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
