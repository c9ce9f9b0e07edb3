// Turns of NSEs, a blocked cell, and octets off a bucket's level. That levels are right to the unit
// afterwards, and that nothing goes to a blocked cell, is judged by the world.
#include "tests/dataplane/sched/world.h"

// Cell 0 of 8 kbit/s with a greedy MS, 1000 octets a PDU.
static struct world *one_cell(void)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->judge_work = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(8000, 2000), WORLD_PLENTY);
    world_add_greedy(w, world_add_simple(w, 0, CLASS_BACKGROUND), 990, 990);
    return w;
}

// Nothing goes, the bucket leaks, and what it has leaked may go at once afterwards.
static void a_blocked_cell_leaks_on(void **state)
{
    (void)state;
    for (uint64_t ms = 100; ms < 5000; ms += 700) {
        struct world *w = one_cell();
        world_run(w, 1);
        assert_int_equal(w->ms[0].sent_pdus, 2);
        world_cell_block(w, 0, true);
        world_cell_block(w, 0, true);
        world_run(w, 1 + ms * MS_IN_NS);
        assert_int_equal(w->ms[0].sent_pdus, 2);
        assert_int_equal(sched_bvc_bucket(w->sched, 0, w->now_ns).level,
                         ms < 2000 ? (2000 - ms) * BUCKET_UNITS_AN_OCTET : 0);
        world_cell_block(w, 0, false);
        world_run(w, w->now_ns);
        assert_int_equal(w->ms[0].sent_pdus, 2 + (ms < 2000 ? ms / 1000 : 2));
        world_close(w);
    }
}

// New values do not unblock it, nor does a reset; and once unblocked it has them.
static void blocked_and_stopped_do_not_know_of_each_other(void **state)
{
    struct world *w = one_cell();
    (void)state;
    world_run(w, 1);
    world_cell_block(w, 0, true);
    world_cell_reset(w, 0);
    world_cell_set(w, 0, world_terms(80000, 1000), WORLD_PLENTY);
    world_run(w, S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 2);
    world_cell_reset(w, 0);
    world_cell_block(w, 0, false);
    world_run(w, 2 * S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 2);
    world_cell_set(w, 0, world_terms(80000, 1000), WORLD_PLENTY);
    world_run(w, 2 * S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 3);
    world_run(w, 3 * S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 13);
    world_close(w);
}

static void what_waits_in_a_blocked_cell_ages(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    config.of_class[CLASS_BACKGROUND].lifetime_ns = 3 * S_IN_NS;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    world_cell_block(w, 0, true);
    world_put(w, 0, 100, 0, 0, false);
    world_run(w, 5 * S_IN_NS);
    assert_int_equal(w->dropped[DROP_expired].packets, 1);
    world_close(w);
}

enum level { LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVEL_PFC, LEVELS };

static struct world *limited(enum level level)
{
    const struct bucket_terms terms = world_terms(8000, 2000);
    struct world *w = one_cell();
    world_cell_set(w, 0, level == LEVEL_CELL ? terms : WORLD_PLENTY,
                   level == LEVEL_DEFAULT ? terms : WORLD_PLENTY);
    if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    if (level == LEVEL_PFC)
        world_pfc_set(w, 0, terms);
    return w;
}

static void credit(struct world *w, enum level level, uint32_t octets)
{
    if (level == LEVEL_CELL)
        world_cell_credit(w, 0, octets);
    else if (level == LEVEL_PFC)
        world_pfc_credit(w, 0, octets);
    else
        world_ms_credit(w, 0, octets);
}

// The BSS has thrown away so much: so much may come at once, and no more than an empty bucket
// takes.
static void a_credit_lets_as_much_go(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t octets = 0; octets <= 5000; octets += 250) {
            struct world *w = limited(level);
            world_run(w, 1);
            assert_int_equal(w->ms[0].sent_pdus, 2);
            world_run(w, S_IN_NS / 2 + 1); // the level is 1500
            credit(w, level, octets);
            world_run(w, w->now_ns);
            uint32_t room = octets < 1500 ? 500 + octets : 2000;
            assert_int_equal(w->ms[0].sent_pdus, 2 + room / 1000);
            world_close(w);
        }
}

static void a_credit_where_there_is_no_bucket(void **state)
{
    struct world *w = one_cell();
    (void)state;
    world_cell_set(w, 0, WORLD_UNLIMITED, WORLD_UNLIMITED);
    world_cell_credit(w, 0, 100);
    world_ms_credit(w, 0, 100);
    assert_int_equal(sched_pfc_credit(w->sched, 0, 0, UINT32_MAX, w->now_ns), 0);
    assert_int_equal(sched_bvc_credit(w->sched, 7, 1, w->now_ns), -SCHED_MISSING);
    assert_int_equal(sched_ms_credit(w->sched, 7, 1, w->now_ns), -SCHED_MISSING);
    assert_int_equal(sched_pfc_credit(w->sched, 0, 1, 1, w->now_ns), -SCHED_MISSING);
    assert_int_equal(sched_bvc_block(w->sched, 7, true, w->now_ns), -SCHED_MISSING);
    assert_int_equal(sched_bvc_block(w->sched, UINT32_MAX, true, w->now_ns), -SCHED_BAD_ID);
    assert_int_equal(sched_nse_block(w->sched, 3, true), -SCHED_MISSING);
    assert_int_equal(sched_nse_block(w->sched, UINT32_MAX, true), -SCHED_BAD_ID);
    w->source[0].stop_ns = w->source[0].next_ns = w->now_ns; // or it never ends
    world_close(w);
}

// Neither has a pipe that limits, and each has more than a take asks for.
static void nses_take_turns(void **state)
{
    (void)state;
    for (int in_full = 0; in_full < 2; in_full++) {
        struct sched_config config = world_config();
        config.in_full = in_full;
        struct world *w = world_open(&config);
        w->batch = 8;
        for (uint32_t nse = 0; nse < 2; nse++) {
            world_add_nse(w, WORLD_UNLIMITED);
            world_add_cell(w, nse, WORLD_UNLIMITED, WORLD_UNLIMITED);
            uint32_t pfc = world_add_simple(w, nse, CLASS_BACKGROUND);
            for (uint32_t i = 0; i < 20; i++)
                world_put(w, pfc, 100, 0, 0, false);
        }
        for (uint32_t takes = 1; takes <= 4; takes++) {
            assert_int_equal(world_take(w), 8);
            assert_int_equal(w->ms[0].sent_pdus, 4 * takes);
            assert_int_equal(w->ms[1].sent_pdus, 4 * takes);
        }
        world_close(w);
    }
}

// Forty MSs of a free cell are due, more than a take asks for. Half of it goes to them before the
// cell that stands in line has a turn.
static void those_that_are_due_leave_half_of_a_take(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t i = 0; i < 2; i++)
        world_add_cell(w, 0, WORLD_UNLIMITED, WORLD_UNLIMITED);
    uint32_t in_line = world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t pfc = world_add_simple(w, 1, CLASS_BACKGROUND);
        world_ms_set(w, w->pfc[pfc].ms, world_terms(8000, 1000));
        world_put(w, pfc, 990, 0, 0, false);
        world_put(w, pfc, 990, 0, 0, false);
    }
    world_run(w, S_IN_NS / 2);
    assert_int_equal(w->sents, 40);
    w->now_ns = 2 * S_IN_NS;
    w->batch = 16;
    for (uint32_t i = 0; i < 16; i++)
        world_put(w, in_line, 100, 0, 0, false);
    assert_int_equal(world_take(w), 16);
    for (uint32_t i = 40; i < 48; i++)
        assert_int_equal(w->sent[i].cell, 1);
    for (uint32_t i = 48; i < 56; i++) // and who is due beyond that takes turns with it
        assert_int_equal(w->sent[i].cell, i % 2);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_blocked_cell_leaks_on),
        cmocka_unit_test(blocked_and_stopped_do_not_know_of_each_other),
        cmocka_unit_test(what_waits_in_a_blocked_cell_ages),
        cmocka_unit_test(a_credit_lets_as_much_go),
        cmocka_unit_test(a_credit_where_there_is_no_bucket),
        cmocka_unit_test(nses_take_turns),
        cmocka_unit_test(those_that_are_due_leave_half_of_a_take),
    };
    return cmocka_run_group_tests_name("levels", tests, NULL, NULL);
}
