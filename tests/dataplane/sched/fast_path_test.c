// The fast path (sched_fast.c), case by case, where random lives (in_full_test.c) rarely come.
#include "tests/dataplane/sched/world.h"

static void put(struct world *w, uint32_t pfc, uint16_t octets)
{
    assert_int_equal(world_put(w, pfc, octets, 0, 0, false), DROP_NONE);
}

// ---- No more than asked for ----

// A call for two PDUs finds one, then so many MSs that their buckets refuse, then sixteen. The
// world judges how many each call gives.
static void passes_over(uint32_t refused)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->batch = 2;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    for (uint32_t i = 0; i < refused + 2; i++)
        world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t i = 1; i <= refused; i++) {
        world_ms_set(w, i, world_terms(800, 1500));
        put(w, i, 1000);
        world_take(w);
    }
    put(w, 0, 1000);
    for (uint32_t i = 1; i <= refused; i++)
        put(w, i, 1000);
    for (uint32_t i = 0; i < 16; i++)
        put(w, refused + 1, 40);
    world_run(w, w->now_ns);
    assert_int_equal(w->queued.packets, refused);
    world_close(w);
}

static void a_call_gives_no_more_than_asked_for(void **state)
{
    (void)state;
    for (uint32_t refused = 0; refused <= 120; refused++)
        passes_over(refused);
}

// ---- Who waits for both buckets ----

enum { ITS_BACKGROUND, ITS_STREAMING, OTHERS };

// The MS's background has such a bucket as its MS has. At first its MS's delays it, which streaming
// had used before; as the worker comes late both have run empty by then. So from there on both pass
// its next PDU at one instant.
static struct world *who_waits_for_both(bool in_full)
{
    const struct bucket_terms terms = world_terms(80000, 1600);
    struct sched_config config = world_config();
    config.in_full = in_full;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->poll_ns = 200 * MS_IN_NS;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(800000, 2000), WORLD_PLENTY);
    world_add_ms(w, 0, 1520);
    world_ms_set(w, 0, terms);
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    world_add_pfc(w, 0, 1, CLASS_STREAMING);
    world_pfc_set(w, ITS_BACKGROUND, terms);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    put(w, ITS_STREAMING, 300);
    put(w, ITS_BACKGROUND, 100);
    put(w, ITS_BACKGROUND, 1500);
    put(w, ITS_BACKGROUND, 1500);
    world_take(w);
    world_run(w, 300 * MS_IN_NS);
    return w;
}

// Its MS delays it no more than it does itself, so it goes by the order of the cell's classes:
// while it waits behind another MS, streaming comes, and goes before it. It is a sparse one in its
// class, so when its buckets pass it, it waits for no further N-PDU of the other MS.
static void who_waits_for_both_buckets_goes_by_the_cells_order(void **state)
{
    static const uint32_t order[] = {ITS_STREAMING, ITS_BACKGROUND, ITS_BACKGROUND, OTHERS,
                                     ITS_STREAMING, OTHERS,         ITS_BACKGROUND, OTHERS};
    const uint32_t sents = sizeof order / sizeof order[0];
    (void)state;
    for (int in_full = 0; in_full < 2; in_full++) {
        struct world *w = who_waits_for_both(in_full);
        for (uint32_t i = 0; i < 3; i++)
            put(w, OTHERS, 1500);
        world_run(w, 500 * MS_IN_NS);
        put(w, ITS_STREAMING, 300);
        world_run(w, 2 * S_IN_NS);
        assert_int_equal(w->sents, sents);
        for (uint32_t i = 0; i < sents; i++)
            assert_int_equal(w->sent[i].pfc, order[i]);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_gives_no_more_than_asked_for),
        cmocka_unit_test(who_waits_for_both_buckets_goes_by_the_cells_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
