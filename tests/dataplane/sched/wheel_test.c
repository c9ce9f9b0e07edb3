// The wheel's laws one by one, its memory at the worst case, and a million entries.
#include "tests/dataplane/sched/wheel_owner.h"

static void test_an_empty_wheel_gives_nothing(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(1);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), TIME_NEVER);
    for (uint64_t step_ns = 1; owner->now_ns < 1000 * DAY_NS; step_ns *= 3) {
        assert_int_equal(owner_take(owner, true, TAKE), 0);
        assert_int_equal(sched_wheel_next_ns(&owner->wheel), TIME_NEVER);
        owner->now_ns += step_ns;
    }
    owner_end(owner);
}

static void test_exact_is_to_the_nanosecond_and_else_to_the_slot(void **state)
{
    (void)state;
    const uint64_t at_ns = 1000 * SLOT_NS + 12345;
    struct owner *owner = owner_begin(1);
    owner_add(owner, 0, at_ns);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), at_ns);
    owner->now_ns = at_ns - 1;
    assert_int_equal(owner_take(owner, true, 1), 0);
    owner->now_ns = at_ns;
    assert_int_equal(owner_take(owner, false, 1), 0);
    assert_int_equal(owner_take(owner, true, 1), 1);
    owner_add(owner, 0, at_ns);
    owner->now_ns = 1001 * SLOT_NS - 1;
    assert_int_equal(owner_take(owner, false, 1), 0);
    owner->now_ns = 1001 * SLOT_NS;
    assert_int_equal(owner_take(owner, false, 1), 1);
    owner_end(owner);
}

static void test_a_time_in_the_past_is_due_next(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(2);
    owner->now_ns = 5000 * SLOT_NS + 9;
    assert_int_equal(owner_take(owner, false, 1), 0);
    owner_add(owner, 0, 0);
    owner_add(owner, 1, 4999 * SLOT_NS);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), 5000 * SLOT_NS);
    assert_int_equal(owner_take(owner, false, 2), 0);
    assert_int_equal(owner_take(owner, true, 2), 2);
    owner_end(owner);
}

static void test_beyond_the_turn_comes_early_never_late(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(4);
    owner_add(owner, 0, TURN_NS - 1);
    owner_add(owner, 1, TURN_NS);
    owner_add(owner, 2, 30 * DAY_NS);
    owner_add(owner, 3, TIME_NEVER);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), TURN_NS - 1);
    owner->now_ns = TURN_NS - 2;
    assert_int_equal(owner_take(owner, true, 4), 0);
    owner->now_ns = TURN_NS - 1;
    assert_int_equal(owner_take(owner, true, 4), 4);
    owner_end(owner);
}

static void test_a_jump_of_days_keeps_the_order_of_slots(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(WHEEL_SLOTS);
    owner->now_ns = 7777 * SLOT_NS;
    owner_take(owner, false, 1);
    for (uint32_t id = 0; id < WHEEL_SLOTS; id++)
        owner_add(owner, id, owner->now_ns + id * SLOT_NS + id);
    owner->now_ns += 3 * DAY_NS;
    uint32_t ids[TAKE], next = 0;
    for (uint32_t n; (n = owner_take_some(owner, false, ids, TAKE)) > 0;)
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(ids[i], next++);
    assert_int_equal(next, WHEEL_SLOTS);
    owner_end(owner);
}

// Under a load that never lets the wheel run dry, new entries still are not clamped.
static void test_it_turns_with_what_is_taken(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(3);
    owner_add(owner, 0, 10 * SLOT_NS);
    owner_add(owner, 1, 12000 * SLOT_NS);
    owner_add(owner, 2, 12001 * SLOT_NS);
    owner->now_ns = 16000 * SLOT_NS;
    assert_int_equal(owner_take(owner, false, 2), 2);
    assert_int_equal(owner->wheel.turned_slots, 12000);
    wheel_add(&owner->wheel, 0, 28000 * SLOT_NS);
    owner_remove(owner, 2);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), 28000 * SLOT_NS);
    owner_end(owner);
}

static void test_a_time_that_goes_back_changes_nothing(void **state)
{
    (void)state;
    const uint64_t slot = WHEEL_SLOTS + 100;
    struct owner *owner = owner_begin(1);
    uint32_t id;
    owner->now_ns = slot * SLOT_NS;
    owner_take(owner, true, 1);
    owner_add(owner, 0, slot * SLOT_NS + 5);
    for (uint64_t back = 1; back <= slot; back++)
        assert_int_equal(
            sched_wheel_take(&owner->wheel, (slot - back) * SLOT_NS + 10, true, &id, 1), 0);
    assert_int_equal(owner->wheel.turned_slots, slot);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), slot * SLOT_NS + 5);
    owner_end(owner);
}

static void test_the_first_chunk_fills_a_hole_and_the_owner_is_told(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(2 * WHEEL_CHUNK_IDS + 2);
    for (uint32_t id = 0; id < owner->ids; id++)
        owner_add(owner, id, SLOT_NS + id);
    uint32_t hole = owner->ref[3];
    owner_remove(owner, 3); // in the last chunk
    for (uint32_t id = 0; id < owner->ids; id++)
        assert_int_equal(owner->told[id], id == owner->ids - 1);
    assert_int_equal(owner->ref[owner->ids - 1], hole);
    expect_refs(owner);
    owner_remove(owner, owner->ids - 2); // alone in the first chunk: nobody moves
    expect_refs(owner);
    assert_int_equal(expect_chunks(&owner->wheel), owner->ids - 2);
    owner_end(owner);
}

// Any 32-bit number is an id, as the wheel looks at none.
static void test_ids_are_any_numbers(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(2);
    uint32_t ids[2];
    wheel_add(&owner->wheel, UINT32_MAX, 0);
    wheel_add(&owner->wheel, 0x80000000, SLOT_NS);
    assert_int_equal(sched_wheel_take(&owner->wheel, DAY_NS, false, ids, 2), 2);
    assert_int_equal(ids[0], UINT32_MAX);
    assert_int_equal(ids[1], 0x80000000);
    owner_end(owner);
}

// Every other entry of the running slot is due, over many chunks.
static void test_exact_leaves_what_is_not_due(void **state)
{
    (void)state;
    struct owner *owner = owner_begin(400);
    for (uint32_t id = 0; id < 400; id++)
        owner_add(owner, id, 10 * SLOT_NS + (id % 2 ? 100 : 200) + id % 7);
    owner->now_ns = 10 * SLOT_NS + 150;
    for (uint32_t left = 200; left > 0; expect_refs(owner))
        left -= owner_take(owner, true, 7);
    assert_int_equal(owner_take(owner, true, 7), 0);
    assert_int_equal(owner->waiting, 200);
    expect_next(owner);
    expect_chunks(&owner->wheel);
    owner_end(owner);
}

// ---- Memory ----

// The worst case: one in each slot, then nine more wherever a slot gets any more.
static void test_the_worst_case_takes_the_last_chunk(void **state)
{
    (void)state;
    const uint32_t nines = 500;
    for (uint32_t over = 0; over < WHEEL_CHUNK_IDS; over++) {
        struct owner *owner = owner_begin(WHEEL_SLOTS + nines * WHEEL_CHUNK_IDS + over);
        uint32_t id = 0;
        for (uint64_t slot = 0; slot < WHEEL_SLOTS; slot++)
            owner_add(owner, id++, slot * SLOT_NS);
        for (uint32_t i = 0; i < nines * WHEEL_CHUNK_IDS; i++)
            owner_add(owner, id++, i / WHEEL_CHUNK_IDS * SLOT_NS);
        assert_int_equal(expect_chunks(&owner->wheel), 0);
        while (id < owner->ids)
            owner_add(owner, id++, 0);
        assert_int_equal(expect_chunks(&owner->wheel), 0);
        owner_end(owner);
    }
    struct owner *owner = owner_begin(1000);
    for (uint32_t id = 0; id < 1000; id++)
        owner_add(owner, id, id * SLOT_NS);
    assert_int_equal(expect_chunks(&owner->wheel), 0);
    owner_end(owner);
}

// A full wheel in which entries go and come somewhere else: what is free is always enough.
static void test_a_full_wheel_that_is_stirred(void **state)
{
    (void)state;
    random_begin();
    struct owner *owner = owner_begin(WHEEL_SLOTS + 20 * WHEEL_CHUNK_IDS);
    for (uint32_t id = 0; id < owner->ids; id++)
        owner_add(owner, id, random_in(0, TURN_NS - 1));
    for (uint32_t step = 0; step < 300000; step++) {
        uint32_t id = (uint32_t)random_in(0, owner->ids - 1);
        owner_remove(owner, id);
        owner_add(owner, id, random_in(0, step % 65536 < 32768 ? TURN_NS - 1 : TURN_NS / 64));
        if (step % 4096 == 0)
            expect_chunks(&owner->wheel);
    }
    expect_refs(owner);
    owner_end(owner);
}

// ---- A million ----

static void expect_million(uint64_t spread_ns)
{
    const uint32_t ids_count = 1000000;
    struct owner *owner = owner_begin(ids_count);
    for (uint32_t id = 0; id < ids_count; id++)
        owner_add(owner, id, spread_ns + random_next() % spread_ns);
    expect_refs(owner);
    expect_chunks(&owner->wheel);
    uint32_t ids[TAKE], left = ids_count;
    while (left > 0) {
        owner->now_ns = sched_wheel_next_ns(&owner->wheel) / SLOT_NS * SLOT_NS + SLOT_NS;
        for (uint32_t n = TAKE; n == TAKE; left -= n)
            n = owner_take_some(owner, false, ids, TAKE);
        uint64_t next_ns = sched_wheel_next_ns(&owner->wheel);
        assert_true(next_ns >= owner->now_ns);
    }
    expect_refs(owner);
    assert_int_equal(sched_wheel_next_ns(&owner->wheel), TIME_NEVER);
    expect_chunks(&owner->wheel);
    owner_end(owner);
}

static void test_a_million_spread_and_clustered(void **state)
{
    (void)state;
    random_begin();
    expect_million(TURN_NS / 2);
    expect_million(SLOT_NS);
    expect_million(100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_wheel_gives_nothing),
        cmocka_unit_test(test_exact_is_to_the_nanosecond_and_else_to_the_slot),
        cmocka_unit_test(test_a_time_in_the_past_is_due_next),
        cmocka_unit_test(test_beyond_the_turn_comes_early_never_late),
        cmocka_unit_test(test_a_jump_of_days_keeps_the_order_of_slots),
        cmocka_unit_test(test_it_turns_with_what_is_taken),
        cmocka_unit_test(test_a_time_that_goes_back_changes_nothing),
        cmocka_unit_test(test_the_first_chunk_fills_a_hole_and_the_owner_is_told),
        cmocka_unit_test(test_ids_are_any_numbers),
        cmocka_unit_test(test_exact_leaves_what_is_not_due),
        cmocka_unit_test(test_the_worst_case_takes_the_last_chunk),
        cmocka_unit_test(test_a_full_wheel_that_is_stirred),
        cmocka_unit_test(test_a_million_spread_and_clustered),
    };
    return cmocka_run_group_tests_name("sched/wheel", tests, NULL, NULL);
}
