// What an AQM over a class in a cell or an NSE sees of the MSs that take turns: how many N-PDUs go
// ahead of one that arrives, and nothing of an MS that is frozen or stopped.
#include "tests/dataplane/sched/world.h"

#include <string.h>

static struct {
    uint32_t pdus, octets, ahead;
    bool has_ahead;
} seen;

static enum aqm_verdict on_enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    seen.pdus = view->queue_pdus;
    seen.octets = view->queue_octets;
    seen.has_ahead = view->ahead_of;
    seen.ahead = view->ahead_of ? view->ahead_of(view) : 0;
    return AQM_PASS;
}

static const struct aqm_ops watcher = {
    .name = "watcher", .help = "passes all", .enqueue = on_enqueue};

// Four MSs of one class in a cell that sends nothing; the last is in the NSE's other cell.
static struct world *open_world(enum sched_scope scope)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = 4;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        config.of_class[class].aqm = (struct aqm){.ops = &watcher};
        config.of_class[class].scope = scope;
        config.of_class[class].flow_queues = scope == SCHED_SCOPE_FLOW;
    }
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t bvc = 0; bvc < 2; bvc++)
        world_add_cell(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
    for (uint32_t ms = 0; ms < 4; ms++)
        world_add_simple(w, ms == 3, CLASS_BACKGROUND);
    return w;
}

static void puts_of(struct world *w, uint32_t pfc, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(world_put(w, pfc, 100, 0, i, true), DROP_NONE);
}

static void expect_next(struct world *w, uint32_t pfc, uint32_t pdus, uint32_t ahead)
{
    assert_int_equal(world_put(w, pfc, 100, 0, 0, true), DROP_NONE);
    assert_true(seen.has_ahead);
    assert_int_equal(seen.pdus, pdus);
    assert_int_equal(seen.octets, pdus * 100);
    assert_int_equal(seen.ahead, ahead);
}

// (own + 1) for each MS that waits, this one included, without this N-PDU.
static void test_ahead(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_BVC);
    expect_next(w, 0, 0, 0); // alone
    expect_next(w, 0, 1, 1);
    expect_next(w, 1, 2, 1); // one N-PDU of MS 0
    expect_next(w, 0, 3, 5); // its third: 2 of its own and 3 of MS 1
    expect_next(w, 2, 4, 2);
    expect_next(w, 3, 0, 0); // in the other cell
    world_close(w);
}

static void test_an_nse_s_queue_is_that_of_its_cells(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_NSE);
    puts_of(w, 0, 2);
    puts_of(w, 1, 1);
    expect_next(w, 3, 3, 0); // turns are taken in a cell
    world_close(w);
}

static void stand(struct world *w, uint32_t ms, bool by_r_0, bool on)
{
    if (by_r_0)
        world_ms_set(w, ms, on ? (struct bucket_terms){0, 5000} : WORLD_PLENTY);
    else if (on)
        world_ms_freeze(w, ms);
    else
        world_ms_release(w, ms);
}

// Frozen, or stopped by an R of 0; N-PDUs that come meanwhile count no more.
static void test_what_stands_does_not_count(void **state)
{
    (void)state;
    for (int by_r_0 = 0; by_r_0 < 2; by_r_0++)
        for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_BVC; scope++) {
            struct world *w = open_world(scope);
            puts_of(w, 0, 5);
            stand(w, 0, by_r_0, true);
            expect_next(w, 1, 0, 0);
            puts_of(w, 0, 3);
            expect_next(w, 1, 1, 1);
            expect_next(w, 0, 2, 17); // its own ninth, if MS 0 and 1 took turns
            stand(w, 0, by_r_0, false);
            expect_next(w, 1, 11, 5); // 9 and 2
            world_close(w);
        }
}

// A frozen MS that moves takes what stands with it, and frozen goes on.
static void test_what_stands_moves(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_BVC);
    puts_of(w, 0, 5);
    world_ms_freeze(w, 0);
    world_ms_move(w, 0, 1);
    expect_next(w, 1, 0, 0);
    expect_next(w, 3, 0, 0);
    world_ms_release(w, 0);
    expect_next(w, 3, 6, 3);
    world_close(w);
}

static void test_of_one_ms_nothing_goes_in_turns(void **state)
{
    (void)state;
    for (enum sched_scope scope = SCHED_SCOPE_PFC; scope <= SCHED_SCOPE_FLOW; scope++) {
        struct world *w = open_world(scope);
        puts_of(w, 0, 1);
        assert_false(seen.has_ahead);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ahead),
        cmocka_unit_test(test_an_nse_s_queue_is_that_of_its_cells),
        cmocka_unit_test(test_what_stands_does_not_count),
        cmocka_unit_test(test_what_stands_moves),
        cmocka_unit_test(test_of_one_ms_nothing_goes_in_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
