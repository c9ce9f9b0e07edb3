// Random steps of every size, the whole state held against the model after each.
#include "tests/dataplane/sched/wheel_owner.h"

// How far the times of entries, and the steps of time, go.
struct manner {
    uint64_t ahead_ns, step_ns;
    uint32_t ids;
};

static uint64_t random_at(const struct owner *owner, const struct manner *manner)
{
    uint64_t back_ns = owner->now_ns < 2 * SLOT_NS ? 0 : random_next() % (2 * SLOT_NS);
    if (random_next() % 16 == 0)
        return owner->now_ns - back_ns;
    return owner->now_ns + random_in(0, manner->ahead_ns);
}

// A small step is more likely than a large one.
static void random_time(struct owner *owner, const struct manner *manner)
{
    uint64_t step_ns = random_in(0, manner->step_ns);
    owner->now_ns += step_ns >> random_next() % 24;
    uint64_t next_ns = sched_wheel_next_ns(&owner->wheel);
    if (random_next() % 4 == 0 && next_ns != TIME_NEVER && next_ns > owner->now_ns)
        owner->now_ns = next_ns - random_next() % 2;
}

static void random_step(struct owner *owner, const struct manner *manner)
{
    uint32_t id = (uint32_t)random_in(0, owner->ids - 1);
    uint64_t kind = random_next() % 8;
    bool exact = random_next() % 2;
    if (kind == 0)
        random_time(owner, manner);
    else if (kind == 1)
        owner_take(owner, exact, (uint32_t)random_in(0, TAKE));
    else if (owner->ref[id] == WHEEL_NO_REF)
        owner_add(owner, id, random_at(owner, manner));
    else if (kind < 4)
        owner_remove(owner, id);
}

static void expect_model(struct manner manner)
{
    struct owner *owner = owner_begin(manner.ids);
    for (uint32_t step = 0; step < 200000; step++) {
        random_step(owner, &manner);
        expect_refs(owner);
        expect_next(owner);
        if (step % 500 == 0)
            expect_chunks(&owner->wheel);
    }
    owner_end(owner);
}

static void test_random_steps_within_a_slot(void **state)
{
    (void)state;
    random_begin();
    expect_model((struct manner){.ahead_ns = SLOT_NS / 2, .step_ns = SLOT_NS / 4, .ids = 150});
}

static void test_random_steps_over_a_few_slots(void **state)
{
    (void)state;
    random_begin();
    expect_model((struct manner){.ahead_ns = 5 * SLOT_NS, .step_ns = SLOT_NS, .ids = 150});
}

static void test_random_steps_within_the_turn(void **state)
{
    (void)state;
    random_begin();
    expect_model((struct manner){.ahead_ns = TURN_NS - 1, .step_ns = TURN_NS / 8, .ids = 150});
}

static void test_random_steps_of_days(void **state)
{
    (void)state;
    random_begin();
    expect_model((struct manner){.ahead_ns = DAY_NS, .step_ns = 7 * DAY_NS, .ids = 150});
    expect_model((struct manner){.ahead_ns = SLOT_NS, .step_ns = DAY_NS, .ids = 1});
    expect_model((struct manner){.ahead_ns = 100 * S_IN_NS, .step_ns = 1, .ids = 40});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_steps_within_a_slot),
        cmocka_unit_test(test_random_steps_over_a_few_slots),
        cmocka_unit_test(test_random_steps_within_the_turn),
        cmocka_unit_test(test_random_steps_of_days),
    };
    return cmocka_run_group_tests_name("sched/wheel_random", tests, NULL, NULL);
}
