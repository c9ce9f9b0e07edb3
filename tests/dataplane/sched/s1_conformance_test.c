// S1: nothing goes that 8.2.3.2, replayed by the oracle at NSE, cell, MS and PFC, refuses; and all
// levels are charged or none. The world judges both, each grant and each step; here is the life.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

static void random_trees_conform(void **state)
{
    const struct world_wish wish = {.nses = 3, .cells = 6, .mss = 20, .pfcs = 4};
    uint64_t pdus = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(1000); i++) {
        uint64_t random = random_next();
        struct world *w = world_random(&random, &wish);
        w->poll_ns = i % 4 ? 0 : world_draw(&random, 1, 3 * MS_IN_NS);
        world_random_life(w, &random, 500, 60);
        for (uint32_t m = 0; m < w->mss; m++)
            pdus += w->ms[m].sent_pdus;
        world_close(w);
    }
    print_message("# %llu LLC PDUs\n", (unsigned long long)pdus);
    assert_true(pdus > WORLD_CASES(1000) * 100);
}

// One MS; the bucket under test at each level in turn, the others never in the way.
enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVEL_PFC, LEVELS };

static struct world *limited(enum level level, struct bucket_terms terms, uint16_t n201_u)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    world_add_nse(w, level == LEVEL_NSE ? terms : WORLD_UNLIMITED);
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

static void every_rate_and_size_conforms(void **state)
{
    static const uint32_t rate[] = {1, 2, 9, 80, 134, 1000, 9999, 65000};
    static const uint16_t octets[] = {1, 2, 40, 576, 1500, 1600};
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t r = 0; r < sizeof rate / sizeof rate[0]; r++)
            for (uint32_t o = 0; o < sizeof octets / sizeof octets[0]; o++) {
                struct world *w = limited(level, (struct bucket_terms){rate[r], 4000}, 1520);
                world_add_greedy(w, 0, octets[o], octets[o]);
                w->check_every = 10;
                while (w->ms[0].sent_pdus < 450)
                    world_run(w, w->now_ns + 100 * MS_IN_NS + S_IN_NS * octets[o] / rate[r]);
                world_close(w);
            }
}

// Such a PDU passes through an empty bucket, one at a time.
static void a_bucket_smaller_than_a_pdu_conforms(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t max = 0; max <= 1600; max += 100) {
            struct world *w = limited(level, (struct bucket_terms){800, max}, 1520);
            world_add_greedy(w, 0, 1, 1500);
            world_run(w, 20 * S_IN_NS);
            assert_true(w->ms[0].sent_octets > 80000 * 2 - 2 * 1600);
            world_close(w);
        }
}

static void segments_of_140_conform_to_a_small_bucket(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t max = 100; max <= 500; max += 50) {
            struct world *w = limited(level, (struct bucket_terms){80, max}, 140);
            world_add_greedy(w, 0, 1, 1500);
            world_run(w, 100 * S_IN_NS);
            assert_true(w->ms[0].sent_octets > 100000 - 200);
            world_close(w);
        }
}

// A refusal anywhere must not have burnt credit elsewhere: the cell refuses for 1000 s what the MS
// and the PFC let go; once open, those still have all their room.
static void a_refusal_charges_nobody(void **state)
{
    (void)state;
    struct world *w = limited(LEVEL_PFC, (struct bucket_terms){1, 3000}, 1520);
    world_ms_set(w, 0, (struct bucket_terms){1, 3000});
    world_cell_set(w, 0, (struct bucket_terms){0, 3000}, WORLD_PLENTY);
    world_add_greedy(w, 0, 990, 990);
    world_run(w, 1000 * S_IN_NS);
    assert_int_equal(w->ms[0].sent_pdus, 0);
    assert_int_equal(sched_ms_bucket(w->sched, 0, w->now_ns).level, 0);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    assert_int_equal(w->ms[0].sent_pdus, 3);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_conform),
        cmocka_unit_test(every_rate_and_size_conforms),
        cmocka_unit_test(a_bucket_smaller_than_a_pdu_conforms),
        cmocka_unit_test(segments_of_140_conform_to_a_small_bucket),
        cmocka_unit_test(a_refusal_charges_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
