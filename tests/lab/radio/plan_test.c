// Events at given times.
#include "tests/lab/radio/cell.h"

#define CS2 30

static void begin(const struct radio_plan *plans, uint32_t count)
{
    cell.config.slots = 1;
    cell_begin(2, 1);
    for (uint32_t i = 0; i < count; i++)
        assert_null(radio_plan_fault(&plans[i]));
    radio_add_plans(cell.radio, plans, count, cell_now());
}

// buffer-2004: an LLC PDU of the MS is lost at 240 s.
static void test_a_loss_at_its_time(void **state)
{
    (void)state;
    struct radio_plan plans[] = {
        {.kind = RADIO_PLAN_LOSS, .at_ns = 240 * S_IN_NS, .count = 2},
        {.kind = RADIO_PLAN_LOSS, .at_ns = 240 * S_IN_NS, .count = 1, .ms = 1},
        {.kind = RADIO_PLAN_LOSS, .at_ns = 240 * S_IN_NS, .count = 1, .ms = 77}, // no such MS
        {.kind = RADIO_PLAN_UP_LOSS, .at_ns = 100 * S_IN_NS, .count = 1}};
    cell_config();
    begin(plans, 4);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_endless(0, RADIO_UP, CS2);
    cell_run(300 * S_IN_NS);
    const struct radio_counts *c = radio_counts(cell.radio, RADIO_DOWN);
    assert_int_equal(c->lost[RADIO_LOSS_planned].packets, 2);
    assert_int_equal(radio_counts(cell.radio, RADIO_UP)->lost[RADIO_LOSS_planned].packets, 1);
    uint32_t losses = 0;
    for (uint32_t i = 0; i < cell.logs; i++)
        if (cell.log[i].why != ARRIVED) {
            // The blocks that end at 240 s still arrive.
            static const uint64_t at_ms[] = {100020, 240020, 240040};
            assert_true(cell.log[i].now_ns == MS(at_ms[losses]));
            assert_int_equal(cell.log[i].way, losses == 0 ? RADIO_UP : RADIO_DOWN);
            losses++;
        }
    assert_int_equal(losses, 3);
    cell_end(2);
}

// preempt-2004: calls of 3 s, a minute apart.
static void test_a_call_each_minute(void **state)
{
    (void)state;
    struct radio_plan plan = {.kind = RADIO_PLAN_CALLS,
                              .at_ns = 60 * S_IN_NS,
                              .every_ns = 63 * S_IN_NS,
                              .lasts_ns = 3 * S_IN_NS,
                              .count = 1,
                              .times = 3};
    cell_config();
    begin(&plan, 1);
    cell_endless(0, RADIO_DOWN, CS2);
    static const uint64_t starts[] = {60, 123, 186};
    for (uint32_t i = 0; i < 3; i++) {
        cell_run(starts[i] * S_IN_NS - 1);
        assert_true(radio_has_channel(cell.radio, 0));
        cell_run(starts[i] * S_IN_NS);
        assert_false(radio_has_channel(cell.radio, 0));
        assert_true(cell.event_ns[RADIO_TAKEN] == starts[i] * S_IN_NS);
        cell_run((starts[i] + 3) * S_IN_NS - 1);
        assert_false(radio_has_channel(cell.radio, 0));
        cell_run((starts[i] + 3) * S_IN_NS);
        assert_true(radio_has_channel(cell.radio, 0));
        radio_ready(cell.radio, 0, cell_now());
    }
    cell_run(1000 * S_IN_NS);
    assert_int_equal(cell.events[RADIO_TAKEN], 3 * 2);
    cell_end(2);
}

static void test_the_call_of_an_ms(void **state)
{
    (void)state;
    struct radio_plan plans[] = {
        {.kind = RADIO_PLAN_MS_CALL, .at_ns = MS(1000), .lasts_ns = MS(500), .ms = 1},
        {.kind = RADIO_PLAN_MS_CALL, .at_ns = MS(1200), .ms = 1}}; // without end
    cell_config();
    begin(plans, 2);
    cell_run(MS(1000));
    assert_true(radio_has_channel(cell.radio, 0) && !radio_has_channel(cell.radio, 1));
    cell_run(MS(100000));
    assert_true(!radio_has_channel(cell.radio, 1));
    assert_int_equal(cell.events[RADIO_TAKEN], 1);
    cell_end(2);
}

// The MS leaves while its call lasts, and comes back, or another MS has its index, and a call of
// its own, when the call ends.
static void call_of_an_ms_that_leaves(uint32_t next)
{
    struct radio_plan plan = {
        .kind = RADIO_PLAN_MS_CALL, .at_ns = MS(1000), .lasts_ns = MS(500), .ms = 1};
    cell_config();
    begin(&plan, 1);
    cell_run(MS(1100));
    radio_remove_ms(cell.radio, 1, cell_now());
    assert_int_equal(radio_add_ms(cell.radio, next, NULL), 1);
    assert_true(radio_has_channel(cell.radio, 1));
    radio_preempt_ms(cell.radio, 1, cell_now());
    cell_run(MS(2000));
    assert_false(radio_has_channel(cell.radio, 1));
    assert_int_equal(cell.events[RADIO_BACK], 0);
    radio_release_ms(cell.radio, 1, cell_now());
    assert_true(radio_has_channel(cell.radio, 1));
    cell_end(2);
}

static void test_the_call_of_an_ms_that_leaves(void **state)
{
    (void)state;
    call_of_an_ms_that_leaves(1);
    call_of_an_ms_that_leaves(7);
}

static void test_the_number_of_slots(void **state)
{
    (void)state;
    struct radio_plan plans[] = {{.kind = RADIO_PLAN_SLOTS, .at_ns = MS(1000), .count = 3},
                                 {.kind = RADIO_PLAN_SLOTS, .at_ns = MS(2000), .count = 0},
                                 {.kind = RADIO_PLAN_SLOTS, .at_ns = MS(2500), .count = 1}};
    cell_config();
    begin(plans, 3);
    cell_endless(0, RADIO_DOWN, CS2);
    cell_run(MS(1010));
    assert_int_equal(cell.logs, 49); // the block that started at 20 ms has arrived at 40 ms
    cell_run(MS(2010));
    assert_int_equal(cell.logs, 49 + 1 + 49 * 3 + 3 - 1);
    assert_int_equal(cell.events[RADIO_TAKEN], 2);
    cell_run(MS(2500));
    assert_int_equal(cell.events[RADIO_BACK], 2);
    cell_end(2);
}

static void test_plans_at_one_time_happen_in_their_order(void **state)
{
    (void)state;
    struct radio_plan plans[] = {{.kind = RADIO_PLAN_SLOTS, .at_ns = MS(1000), .count = 0},
                                 {.kind = RADIO_PLAN_SLOTS, .at_ns = MS(1000), .count = 2}};
    cell_config();
    begin(plans, 2);
    cell_run(MS(1000));
    assert_true(radio_has_channel(cell.radio, 0));
    assert_int_equal(cell.events[RADIO_TAKEN], 2);
    assert_int_equal(cell.events[RADIO_BACK], 2);
    cell_end(2);
}

// One that is past, and comes again, happens at its next time.
static void test_plans_from_a_later_time(void **state)
{
    (void)state;
    cell_config();
    cell.config.slots = 2;
    cell_begin(1, 1);
    cell_run(MS(10500));
    struct radio_plan plans[] = {{.kind = RADIO_PLAN_CALLS,
                                  .at_ns = MS(1000),
                                  .every_ns = MS(2000),
                                  .lasts_ns = MS(100),
                                  .count = 2},
                                 {.kind = RADIO_PLAN_SLOTS, .at_ns = MS(11100), .count = 3}};
    radio_add_plans(cell.radio, plans, 2, cell_now());
    cell_run(MS(11000));
    assert_false(radio_has_channel(cell.radio, 0));
    cell_run(MS(11100));
    assert_int_equal(cell.events[RADIO_BACK], 1);
    cell_run(MS(13000)); // two of three slots
    assert_true(radio_has_channel(cell.radio, 0));
    assert_int_equal(cell.events[RADIO_TAKEN], 1);
    cell_end(1);
}

static void test_faults(void **state)
{
    (void)state;
    struct radio_plan plan = {.kind = RADIO_PLAN_CALLS, .every_ns = 5, .lasts_ns = 5};
    assert_non_null(radio_plan_fault(&plan));
    plan.lasts_ns = 4;
    assert_null(radio_plan_fault(&plan));
    plan.lasts_ns = 0;
    assert_non_null(radio_plan_fault(&plan));
    plan.every_ns = 0;
    assert_null(radio_plan_fault(&plan));
    plan = (struct radio_plan){.kind = RADIO_PLAN_LOSS, .lasts_ns = 1};
    assert_non_null(radio_plan_fault(&plan));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_loss_at_its_time),
        cmocka_unit_test(test_a_call_each_minute),
        cmocka_unit_test(test_the_call_of_an_ms),
        cmocka_unit_test(test_the_call_of_an_ms_that_leaves),
        cmocka_unit_test(test_the_number_of_slots),
        cmocka_unit_test(test_plans_at_one_time_happen_in_their_order),
        cmocka_unit_test(test_plans_from_a_later_time),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
