// S6: the pipe never idles while a PDU that is first in its order conforms. At each idle instant,
// and at the last nanosecond before the next event, the world asks the oracle: is there a head that
// must go? With N-PDUs of one size that is exact: the order does not matter. With all sizes it is
// asked of those cells alone in which every head that could be first conforms.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

static void lives(uint32_t cases, uint16_t octets)
{
    uint64_t steps = 0;
    random_begin();
    for (uint32_t i = 0; i < cases; i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 3,
                                        .cells = 6,
                                        .mss = 16,
                                        .pfcs = 4,
                                        .octets = octets ? (uint16_t)(1 + random % octets) : 0};
        struct world *w = world_random(&random, &wish);
        w->judge_work = true;
        world_random_life(w, &random, 1000, 60);
        steps += w->steps;
        world_close(w);
    }
    print_message("# %llu idle instants\n", (unsigned long long)steps);
    assert_true(steps > 20 * cases);
}

static void never_idle_with_one_size(void **state)
{
    (void)state;
    lives(WORLD_CASES(300), 1500);
}

static void never_idle_with_all_sizes(void **state)
{
    (void)state;
    lives(WORLD_CASES(300), 0);
}

// An MS that waits long and one that waits a moment, in turns: each wakes at its own nanosecond.
static void each_waits_for_itself_alone(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = world_open(&config);
    w->judge_work = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    for (uint32_t i = 0; i < 17; i++) {
        uint32_t pfc = world_add_simple(w, 0, CLASS_BACKGROUND);
        world_ms_set(w, i, (struct bucket_terms){1u << i >> (i == 16), 2000});
        world_add_greedy(w, pfc, 200, 200);
    }
    world_run(w, 60 * S_IN_NS);
    for (uint32_t i = 0; i < 17; i++) {
        uint64_t leaked = 60 * w->ms[i].bucket.offered.rate * 100ULL / 8;
        assert_in_range(w->ms[i].sent_octets, leaked + 2000 - 420, leaked + 2000);
    }
    world_close(w);
}

enum level { LEVEL_PFC, LEVEL_MS, LEVEL_CELL, LEVEL_NSE, LEVELS };

// One PFC with queues by flow, limited at that level alone.
static struct world *limited_by_flow(enum level level, struct bucket_terms terms)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = 8;
    config.of_class[CLASS_BACKGROUND].flow_queues = true;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, level == LEVEL_NSE ? terms : WORLD_UNLIMITED);
    world_add_cell(w, 0, level == LEVEL_CELL ? terms : WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    if (level == LEVEL_PFC)
        world_pfc_set(w, 0, terms);
    return w;
}

// 1500 octets of 1600 are in the bucket, 8 kbit/s: the next large N-PDU of flow 1 waits 1.4 s. Flow
// 2's small one goes first in its PFC, and goes the very moment at which it conforms: at once, or
// when its own octets have leaked. `others`: it is not alone in its flow.
static void small_one_goes(enum level level, uint64_t after_ms, uint16_t octets, uint32_t others)
{
    struct world *w = limited_by_flow(level, world_terms(8000, 1600));
    for (uint32_t i = 0; i < 5; i++)
        world_put(w, 0, 1490, 0, 1, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_run(w, 1 + after_ms * MS_IN_NS);
    assert_int_equal(w->sents, 1);
    for (uint32_t i = 0; i <= others; i++)
        world_put(w, 0, octets, 0, 2, false);
    uint64_t conforms_ms = octets + 10 > 100 ? octets + 10 - 100 : 0;
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sent[1].llc_octets, octets + 10);
    assert_int_equal(w->sent[1].time_ns,
                     1 + MS_IN_NS * (conforms_ms > after_ms ? conforms_ms : after_ms));
    world_close(w);
}

static void no_wait_for_a_head_that_is_no_longer_first(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint64_t after_ms = 0; after_ms < 1400; after_ms += 200)
            for (uint32_t others = 0; others < 3; others++) {
                small_one_goes(level, after_ms, 90, others);
                small_one_goes(level, after_ms, 500, others);
                small_one_goes(level, after_ms, 1000, others);
            }
}

// Calls that are many, late or needless change nothing but when things go.
static void needless_calls_do_no_harm(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = world_open(&config);
    w->judge_work = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(20000, 3000), WORLD_PLENTY);
    world_add_greedy(w, world_add_simple(w, 0, CLASS_STREAMING), 40, 1500);
    for (uint32_t i = 0; i < 20000; i++) {
        world_run(w, w->now_ns + 100000);
        while (world_take(w))
            ;
    }
    assert_true(w->ms[0].sent_octets > 2500 * 2 + 3000 - 1526);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(never_idle_with_one_size),
        cmocka_unit_test(never_idle_with_all_sizes),
        cmocka_unit_test(each_waits_for_itself_alone),
        cmocka_unit_test(no_wait_for_a_head_that_is_no_longer_first),
        cmocka_unit_test(needless_calls_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
