// The effective bucket: where a level has a delay D, an empty bucket lets out at once what its rate
// sends in D, and one LLC PDU as large as those can be that come through it: the MS's, or the
// largest of the cell's MSs. So that, and no more, is what waits in the BSS.
#include "tests/dataplane/sched/world.h"

// 12 kbit/s: 1500 octets a second, 450 in 0.3 s.
#define RATE     12000
#define IN_DELAY 450u
#define OFFERED  30000u

enum level { LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVEL_PFC, LEVELS };

static struct world *limited(enum level level, uint16_t n201_u)
{
    struct sched_config config = world_config();
    struct bucket_terms terms = world_terms(RATE, OFFERED);
    config.bvc_delay_ns = level == LEVEL_CELL ? 300 * MS_IN_NS : 0;
    config.ms_delay_ns = level == LEVEL_MS || level == LEVEL_DEFAULT ? 300 * MS_IN_NS : 0;
    config.pfc_delay_ns = level == LEVEL_PFC ? 300 * MS_IN_NS : 0;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, level == LEVEL_CELL ? terms : WORLD_PLENTY,
                   level == LEVEL_DEFAULT ? terms : WORLD_PLENTY);
    world_add_ms(w, 0, n201_u);
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    if (level == LEVEL_PFC)
        world_pfc_set(w, 0, terms);
    return w;
}

static uint32_t bmax(const struct world *w, enum level level)
{
    if (level == LEVEL_CELL)
        return sched_bvc_bucket(w->sched, 0, w->now_ns).terms.max_octets;
    if (level == LEVEL_PFC)
        return sched_pfc_bucket(w->sched, 0, 0, w->now_ns).terms.max_octets;
    return sched_ms_bucket(w->sched, 0, w->now_ns).terms.max_octets;
}

// What the BSS has before it at the worst: all of the burst at first, later one bucket.
static void no_more_waits_in_the_bss(void **state)
{
    static const uint16_t n201_u[] = {140, 500, 1520};
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t i = 0; i < 3; i++) {
            struct world *w = limited(level, n201_u[i]);
            uint32_t most = IN_DELAY + n201_u[i] + 6;
            world_add_greedy(w, 0, 1500, 1500);
            world_run(w, w->now_ns);
            assert_in_range(w->ms[0].sent_octets, most - n201_u[i] - 6, most);
            world_run(w, 60 * S_IN_NS);
            assert_true(w->ms[0].sent_octets + n201_u[i] + 6 > 1500 * 60 + IN_DELAY);
            assert_true(w->ms[0].sent_octets <= 1500 * 60 + most);
            world_close(w);
        }
}

static void it_follows_n201_u(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = limited(level, 500);
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_ms_n201_u(w, 0, 2, 1520);
        assert_int_equal(bmax(w, level), IN_DELAY + 1526);
        world_ms_lles(w, 0, 1 | 2); // not the one that has it
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_ms_lles(w, 0, 4);
        assert_int_equal(bmax(w, level), IN_DELAY + 1526);
        world_ms_n201_u(w, 0, 2, 140);
        assert_int_equal(bmax(w, level), IN_DELAY + 146);
        world_ms_lles(w, 0, 0);
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_close(w);
    }
}

// MSs come, go and move; the cell and its defaults follow the largest there, an MS's own values do
// not.
static void a_cell_follows_its_mss(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        bool cell = level == LEVEL_CELL || level == LEVEL_DEFAULT;
        struct world *w = limited(level, 500);
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        uint32_t large = world_add_ms(w, 0, 1520), also = world_add_ms(w, 0, 1520);
        assert_int_equal(bmax(w, level), IN_DELAY + (cell ? 1526 : 506));
        world_ms_move(w, large, 1);
        assert_int_equal(bmax(w, level), IN_DELAY + (cell ? 1526 : 506));
        world_ms_remove(w, also);
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_ms_move(w, large, 0);
        assert_int_equal(bmax(w, level), IN_DELAY + (cell ? 1526 : 506));
        world_ms_remove(w, large);
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_close(w);
    }
}

// An MS has a third of the cell's R, or less than half: three are served side by side, as far as
// there are so many. If less than half is rounding, two are. One whose R is the cell's, or more,
// fills it alone.
static void a_cell_has_room_for_those_side_by_side(void **state)
{
    static const uint64_t ms_bit_per_s[] = {4000, 5800, 5900, 6000, 11900, 12000, 50000};
    static const uint32_t wanted[] = {3, 3, 2, 2, 1, 1, 1};
    (void)state;
    for (uint32_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        for (uint32_t mss = 1; mss < 6; mss++) {
            struct world *w = limited(LEVEL_CELL, 500);
            uint32_t some = wanted[i] < mss ? wanted[i] : mss, side = some > 1 ? some * 1500 : 0;
            uint32_t none = IN_DELAY + 506;
            for (uint32_t ms = 1; ms < mss; ms++)
                world_add_ms(w, 0, 500);
            assert_int_equal(bmax(w, LEVEL_CELL), none);
            struct bucket_terms of_ms = world_terms(ms_bit_per_s[i], OFFERED);
            world_cell_set(w, 0, world_terms(RATE, OFFERED), of_ms);
            assert_int_equal(bmax(w, LEVEL_CELL), side ? side + 506 : none);
            world_cell_ratio(w, 0, 0);
            assert_int_equal(bmax(w, LEVEL_CELL), side + 2 * 506 + 300);
            world_cell_set(w, 0, world_terms(RATE, 2000), of_ms); // never more than is offered
            assert_int_equal(bmax(w, LEVEL_CELL), side ? 2000 : none);
            world_add_ms(w, 0, 500);
            world_cell_set(w, 0, world_terms(RATE, OFFERED), of_ms);
            world_ms_remove(w, mss); // it follows those that come and go
            assert_int_equal(bmax(w, LEVEL_CELL), side ? side + 506 : none);
            world_close(w);
        }
}

// For as many more than the rates need as control says, at once, as far as the cell has so many;
// after a reset for none.
static void a_cell_has_room_for_as_many_more_as_is_said(void **state)
{
    static const struct {
        uint64_t ms_bit_per_s;
        uint32_t more, npdus;
    } row[] = {{4000, 0, 3},  {4000, 1, 4},  {4000, 5, 6},  {4000, 255, 6}, {12000, 0, 0},
               {12000, 1, 2}, {12000, 3, 4}, {50000, 2, 3}, {12000, 0, 0}};
    (void)state;
    struct world *w = limited(LEVEL_CELL, 500);
    for (uint32_t ms = 1; ms < 6; ms++)
        world_add_ms(w, 0, 500);
    for (uint32_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        world_cell_set(w, 0, world_terms(RATE, OFFERED), world_terms(row[i].ms_bit_per_s, OFFERED));
        world_cell_more(w, 0, row[i].more);
        assert_int_equal(bmax(w, LEVEL_CELL),
                         (row[i].npdus ? 1500 * row[i].npdus : IN_DELAY) + 506);
    }
    world_cell_more(w, 0, 2);
    world_cell_reset(w, 0);
    world_cell_set(w, 0, world_terms(RATE, OFFERED), world_terms(RATE, OFFERED));
    assert_int_equal(bmax(w, LEVEL_CELL), IN_DELAY + 506);
    assert_int_equal(sched_bvc_more(w->sched, 77, 1), -SCHED_BAD_ID);
    world_close(w);
}

static void tell(struct world *w, enum level level, uint32_t percent)
{
    if (level == LEVEL_CELL)
        world_cell_ratio(w, 0, percent);
    else if (level == LEVEL_PFC)
        world_pfc_ratio(w, 0, percent);
    else
        world_ms_ratio(w, 0, percent);
}

static void offer(struct world *w, enum level level, struct bucket_terms terms)
{
    if (level == LEVEL_CELL)
        world_cell_set(w, 0, terms, WORLD_PLENTY);
    else if (level == LEVEL_PFC)
        world_pfc_set(w, 0, terms);
    else
        world_ms_set(w, 0, terms);
}

// 450 octets are less than a PDU of N201-U 500, which the BSS may count whole. A hundredth of
// 30 000 octets is 300. The level of a default bucket is told to nobody.
static void a_bucket_with_a_told_level_holds_two_pdus(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        bool told = level != LEVEL_DEFAULT;
        struct world *w = limited(level, 500);
        tell(w, level, 0);
        assert_int_equal(bmax(w, level), told ? 2 * 506 + 300 : IN_DELAY + 506);
        world_add_greedy(w, 0, 1500, 1500);
        world_run(w, w->now_ns);
        assert_int_equal(w->ms[0].sent_octets, told ? 2 * 506 : 506);
        world_ms_n201_u(w, 0, 2, 1520);
        assert_int_equal(bmax(w, level), told ? 2 * 1526 + 300 : IN_DELAY + 1526);
        world_ms_n201_u(w, 0, 2, 140);
        world_run(w, 20 * S_IN_NS);
        assert_int_equal(bmax(w, level), told ? 2 * 506 + 300 : IN_DELAY + 506);
        world_close(w);
    }
}

// Until new values come without a level; what is credited tells none, nor does a reset. No bucket
// is larger than the BSS offers, nor less than what its rate sends in the delay and one PDU.
static void a_level_is_told_of_the_last_values(void **state)
{
    static const enum level levels[] = {LEVEL_CELL, LEVEL_MS, LEVEL_PFC};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        enum level level = levels[i];
        struct world *w = limited(level, 500);
        tell(w, level, 100);
        offer(w, level, world_terms(RATE, OFFERED));
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        world_ms_n201_u(w, 0, 2, 1520);
        assert_int_equal(bmax(w, level), IN_DELAY + 1526);
        world_ms_n201_u(w, 0, 2, 140);
        world_cell_credit(w, 0, 100);
        world_ms_credit(w, 0, 100);
        if (level == LEVEL_PFC)
            world_pfc_credit(w, 0, 100);
        assert_int_equal(bmax(w, level), IN_DELAY + 506);
        offer(w, level, world_terms(RATE, 1000));
        tell(w, level, 0);
        assert_int_equal(bmax(w, level), 1000);
        offer(w, level, world_terms(10 * RATE, OFFERED));
        tell(w, level, 0);
        assert_int_equal(bmax(w, level), 10 * IN_DELAY + 506);
        world_close(w);
    }
}

static void a_reset_tells_no_level(void **state)
{
    (void)state;
    struct world *w = limited(LEVEL_CELL, 500);
    tell(w, LEVEL_CELL, 50);
    world_cell_reset(w, 0);
    assert_int_equal(bmax(w, LEVEL_CELL), 0);
    world_cell_set(w, 0, world_terms(RATE, OFFERED), WORLD_PLENTY);
    assert_int_equal(bmax(w, LEVEL_CELL), IN_DELAY + 506);
    world_close(w);
}

// What was offered is less than the delay and a PDU: it stays, and what is offered next counts.
static void what_is_offered_is_the_most(void **state)
{
    (void)state;
    struct world *w = limited(LEVEL_CELL, 500);
    world_cell_set(w, 0, world_terms(RATE, 700), WORLD_PLENTY);
    assert_int_equal(bmax(w, LEVEL_CELL), 700);
    world_ms_n201_u(w, 0, 0, 1520);
    assert_int_equal(bmax(w, LEVEL_CELL), 700);
    world_cell_set(w, 0, world_terms(RATE, 1800), WORLD_PLENTY);
    assert_int_equal(bmax(w, LEVEL_CELL), 1800);
    world_ms_n201_u(w, 0, 0, 500);
    assert_int_equal(bmax(w, LEVEL_CELL), IN_DELAY + 506);
    world_ms_n201_u(w, 0, 0, 1520);
    assert_int_equal(bmax(w, LEVEL_CELL), 1800);
    world_close(w);
}

// One that waits by the small bucket goes as soon as the large one lets it: with 1020 octets more
// in it two PDUs of 500 more at once; whether its own PDUs may be larger now or those of another
// MS.
static void who_waits_is_looked_at_again(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (int another = 0; another <= (level == LEVEL_CELL); another++) {
            struct world *w = limited(level, 500);
            world_add_greedy(w, 0, 490, 490);
            world_run(w, w->now_ns);
            uint64_t before = w->ms[0].sent_pdus;
            if (another)
                world_add_ms(w, 0, 1520);
            else
                world_ms_n201_u(w, 0, 1, 1520);
            // One on defaults may be 100 ms late, in which 150 octets more have gone.
            bool late = level == LEVEL_DEFAULT;
            w->judge_work = !late;
            world_run(w, w->now_ns + (late ? 100 * MS_IN_NS : 0));
            assert_in_range(w->ms[0].sent_pdus, before + 2, before + 2 + late);
            world_close(w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_waits_in_the_bss),
        cmocka_unit_test(it_follows_n201_u),
        cmocka_unit_test(a_cell_follows_its_mss),
        cmocka_unit_test(a_cell_has_room_for_those_side_by_side),
        cmocka_unit_test(a_cell_has_room_for_as_many_more_as_is_said),
        cmocka_unit_test(a_bucket_with_a_told_level_holds_two_pdus),
        cmocka_unit_test(a_level_is_told_of_the_last_values),
        cmocka_unit_test(a_reset_tells_no_level),
        cmocka_unit_test(what_is_offered_is_the_most),
        cmocka_unit_test(who_waits_is_looked_at_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
