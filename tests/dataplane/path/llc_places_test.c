// The places of LLC frames that wait are shared: MSs that are stopped, one of them or all, in one
// cell or in many, take none of an MS that has fewer than its share. Each frame is counted once,
// and those of one MS keep their order.
#include "tests/dataplane/path/llc.h"
#include "tests/dataplane/random.h"

#define CELLS 8u

static void open_cells(void)
{
    open_world(1, false);
    for (uint32_t bvc = 3; bvc < CELLS; bvc++)
        path_bvc(bvc, bvc % 2, (uint16_t)(2 + bvc));
}

static void rate_is(uint32_t ms, uint32_t rate_100_bit_per_s)
{
    DO(ms_bucket, .ms_id = ms, .has_rate_100_bit_per_s = true,
       .rate_100_bit_per_s = rate_100_bit_per_s, .bucket_octets = 65000);
}

static void stopped_ms(uint32_t ms, uint32_t bvc)
{
    path_plain_ms(ms, bvc, 500);
    rate_is(ms, 0);
}

static void order_is_kept(void)
{
    static uint32_t next[PATH_MSS];
    memset(next, 0, sizeof next);
    for (uint32_t i = 0; i < wents; i++) {
        assert_true(went[i].number >= next[went[i].ms]);
        next[went[i].ms] = went[i].number + 1;
    }
}

// 256 MSs at R = 0 in the first `cells` cells have a frame each; then that of one that is not
// stopped, in their cell or in another.
static void stopped_mss_take_nothing_of_others(void **state)
{
    (void)state;
    for (uint32_t cells = 1; cells <= CELLS; cells *= 2)
        for (uint32_t cell = 0; cell < CELLS; cell++) {
            open_cells();
            for (uint32_t ms = 0; ms < SCHED_FRAMES; ms++) {
                stopped_ms(ms, ms % cells);
                give(ms);
            }
            answers_are(0, 0);
            path_plain_ms(SCHED_FRAMES, cell, 500);
            for (uint32_t i = 0; i < 20; i++) {
                give(SCHED_FRAMES);
                assert_int_equal(wents, i + 1);
                assert_int_equal(went[i].ms, SCHED_FRAMES);
            }
            answers_are(21, 1); // it takes one place, which is free again
            for (uint32_t ms = 0; ms < SCHED_FRAMES; ms++)
                rate_is(ms, 1000);
            path_run_until(p.now_ns + 5 * S_IN_NS);
            assert_int_equal(wents, 20 + SCHED_FRAMES - 1);
            answers_are(20 + SCHED_FRAMES, 1);
            path_close();
        }
}

// Whoever has a few frames keeps them through a flood for one MS, of its own cell or another.
static void a_flood_for_one_takes_nothing_of_others(void **state)
{
    (void)state;
    for (uint32_t cell = 0; cell < 2; cell++) {
        uint32_t of[10] = {0};
        open_cells();
        for (uint32_t ms = 0; ms < 10; ms++) {
            stopped_ms(ms, ms == 9 ? cell : ms % CELLS);
            for (uint32_t i = 0; ms < 9 && i < 3; i++)
                give(ms);
        }
        for (uint32_t i = 0; i < 1000; i++)
            give(9);
        answers_are(1027 - SCHED_FRAMES, 1027 - SCHED_FRAMES);
        for (uint32_t ms = 0; ms < 10; ms++)
            rate_is(ms, 10000);
        path_run_until(p.now_ns + 5 * S_IN_NS);
        for (uint32_t i = 0; i < wents; i++)
            of[went[i].ms]++;
        for (uint32_t ms = 0; ms < 9; ms++)
            assert_int_equal(of[ms], 3);
        assert_int_equal(of[9], SCHED_FRAMES - 27);
        assert_int_equal(went[wents - 1].number, 1026); // the youngest of the flood are left
        answers_are(1027, 1027 - SCHED_FRAMES);
        order_is_kept();
        path_close();
    }
}

// MSs of one cell against one of another: cells are equal, however many MSs they have.
static void a_cell_of_many_takes_nothing_of_a_cell_of_one(void **state)
{
    uint32_t lonely = 0;
    (void)state;
    open_cells();
    for (uint32_t ms = 0; ms <= 300; ms++)
        stopped_ms(ms, ms == 300);
    for (uint32_t i = 0; i < 2000; i++)
        give(i % 300);
    for (uint32_t i = 0; i < SCHED_FRAMES / 2; i++)
        give(300);
    for (uint32_t i = 0; i < 1000; i++)
        give(i % 300);
    for (uint32_t ms = 0; ms <= 300; ms++)
        rate_is(ms, 10000);
    path_run_until(p.now_ns + 5 * S_IN_NS);
    for (uint32_t i = 0; i < wents; i++)
        lonely += went[i].ms == 300;
    assert_int_equal(lonely, SCHED_FRAMES / 2);
    assert_int_equal(wents, SCHED_FRAMES);
    answers_are(3000 + SCHED_FRAMES / 2, 3000 - SCHED_FRAMES / 2);
    order_is_kept();
    path_close();
}

// MSs of any numbers, given in turn to so many cells.
static void some_mss(uint32_t *ms, uint32_t n, uint32_t cells)
{
    static bool taken[PATH_MSS];
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < n; i++) {
        do
            ms[i] = (uint32_t)random_next() % PATH_MSS;
        while (taken[ms[i]]);
        taken[ms[i]] = true;
        stopped_ms(ms[i], i % cells);
    }
}

// Eight cells of four MSs, or one of 64, all stopped: each MS has a share of 256 places. Every
// third MS has no more, and loses none, whatever comes for the others in whatever order.
static void a_share_is_safe_in_any_order(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t round = 0; round < 20; round++) {
        uint32_t cells = round % 2 ? CELLS : 1, n = round % 2 ? 4 * CELLS : 64;
        uint32_t ms[64], given[64] = {0}, of[PATH_MSS] = {0}, sum = 0, loud = 1 + round * 3 % n;
        open_cells();
        some_mss(ms, n, cells);
        for (int i = 0; i < 1500; i++) {
            uint32_t at = (uint32_t)random_next() % (random_next() % 2 ? loud : n);
            if (at % 3 == 0 && given[at] == SCHED_FRAMES / n)
                continue;
            given[at]++;
            sum++;
            give(ms[at]);
        }
        for (uint32_t i = 0; i < n; i++)
            rate_is(ms[i], 10000);
        path_run_until(p.now_ns + 5 * S_IN_NS);
        for (uint32_t i = 0; i < wents; i++)
            of[went[i].ms]++;
        for (uint32_t i = 0; i < n; i += 3)
            assert_int_equal(of[ms[i]], given[i]);
        assert_int_equal(wents, sum < SCHED_FRAMES ? sum : SCHED_FRAMES);
        answers_are(sum, sum - wents);
        order_is_kept();
        path_close();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stopped_mss_take_nothing_of_others),
        cmocka_unit_test(a_flood_for_one_takes_nothing_of_others),
        cmocka_unit_test(a_cell_of_many_takes_nothing_of_a_cell_of_one),
        cmocka_unit_test(a_share_is_safe_in_any_order),
    };
    return cmocka_run_group_tests_name("path_llc_places", tests, path_start_eal, NULL);
}
