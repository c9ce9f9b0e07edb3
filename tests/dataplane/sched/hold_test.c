// The longest stay: an N-PDU ends as expired when it has been there for its class's lifetime and
// the hold, frozen or not. The world judges that at each step where there is a hold.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

static struct world *open_cells(const struct sched_config *config, uint32_t nses, uint32_t cells)
{
    struct world *w = world_open(config);
    for (uint32_t i = 0; i < nses; i++)
        world_add_nse(w, WORLD_UNLIMITED);
    for (uint32_t i = 0; i < cells; i++)
        world_add_cell(w, i % nses, world_terms(40000, 5000), WORLD_PLENTY);
    return w;
}

// A stopped MS keeps what it has for its lifetime and the hold, and no longer.
static void what_stands_ends(void **state)
{
    (void)state;
    for (uint32_t freezes = 0; freezes < 3; freezes++) {
        struct sched_config config = world_config();
        config.hold_ns = 120 * S_IN_NS;
        for (uint32_t c = 0; c < CLASS_COUNT; c++)
            config.of_class[c].lifetime_ns = 10 * S_IN_NS;
        struct world *w = open_cells(&config, 1, 1);
        for (uint32_t i = 0; i < 3; i++)
            world_add_simple(w, 0, CLASS_BACKGROUND);
        if (freezes < 2)
            world_ms_freeze(w, 0);
        for (uint32_t i = 0; i < 20; i++)
            world_put(w, 0, 100, 0, 0, false);
        if (freezes == 2)
            world_ms_set(w, 0, (struct bucket_terms){0, 5000});
        for (uint32_t i = 0; freezes == 2 && i < 20; i++)
            world_put(w, 0, 100, 0, 0, false);
        for (uint32_t i = 0; freezes == 1 && i < 20; i++) { // frozen time and time that ages
            world_run(w, w->now_ns + 6 * S_IN_NS);
            world_ms_release(w, 0);
            world_ms_freeze(w, 0);
        }
        uint64_t stay = w->queued.packets;
        world_run(w, 129 * S_IN_NS);
        assert_int_equal(w->queued.packets, freezes == 1 ? 0 : stay);
        world_run(w, 130 * S_IN_NS + WORLD_HOLD_LATE_NS);
        assert_int_equal(w->queued.packets, 0);
        world_close(w);
    }
}

// In random worlds of which some classes have lifetimes; what moves takes its real age along.
static void random_lives_end(void **state)
{
    uint64_t expired = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(300); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {
            .nses = 2, .cells = 4, .mss = 12, .pfcs = 3, .lifetimes = true, .hold = true};
        struct world *w = world_random(&random, &wish);
        world_random_life(w, &random, 1500, 60);
        expired += w->dropped[DROP_expired].packets;
        world_close(w);
    }
    assert_true(expired > WORLD_CASES(300) * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stands_ends),
        cmocka_unit_test(random_lives_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
