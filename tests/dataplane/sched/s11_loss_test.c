// S11: at a full limit the queue that is largest for its share loses its head; one below 0.9 of its
// max-min share loses nothing. Ten healthy MSs share a cell of 40 kbit/s and ask for half of it,
// beside others that flood and are stopped, slow, or in other cells; the limits are the
// configuration's defaults. The same with tail drop shows that those do fill the buffer.
#include "tests/dataplane/sched/world.h"

#define HEALTHY 10u

// Who floods: how many MSs, at which rate (0: stopped), in how many other cells (0: in the healthy
// ones' own), and of which class.
struct flood {
    uint32_t mss, cells;
    uint64_t bit_per_s;
    enum traffic_class class;
};

static struct world *a_world(bool tail_drop)
{
    struct sched_config c = world_config();
    c.tail_drop = tail_drop;
    c.limit = (struct sched_limit){4096, 4000000};
    c.bvc_limit = (struct sched_limit){1024, 1000000};
    c.ms_limit = (struct sched_limit){256, 128000};
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        c.of_class[class].limit = (struct sched_limit){1u << 20, 1ULL << 38};
    struct world *w = world_open(&c);
    w->check_every = WORLD_EVERY(200);
    world_add_nse(w, WORLD_UNLIMITED);
    return w;
}

static void a_source(struct world *w, uint32_t pfc, uint32_t burst, uint64_t interval_ns,
                     uint64_t start_ns)
{
    struct world_source s = {.pfc = pfc,
                             .least = 500,
                             .most = 500,
                             .burst = burst,
                             .interval_ns = interval_ns,
                             .start_ns = start_ns,
                             .seed = pfc};
    world_add_source(w, s);
}

// How many N-PDUs of the healthy went, of how many that came.
static uint64_t healthy_sent(const struct flood *flood, bool tail_drop, uint64_t *came)
{
    struct world *w = a_world(tail_drop);
    for (uint32_t cell = 0; cell <= flood->cells; cell++)
        world_add_cell(w, 0, world_terms(40000, 8000), WORLD_PLENTY);
    for (uint32_t i = 0; i < flood->mss; i++) {
        uint32_t cell = flood->cells ? 1 + i % flood->cells : 0;
        uint32_t pfc = world_add_simple(w, cell, flood->class);
        world_ms_set(w, w->pfc[pfc].ms, world_terms(flood->bit_per_s, 2000));
        a_source(w, pfc, 20, S_IN_NS, 1000 + i);
    }
    uint32_t first = w->sources;
    for (uint32_t i = 0; i < HEALTHY; i++) {
        uint32_t pfc = world_add_simple(w, 0, CLASS_STREAMING);
        a_source(w, pfc, 1, 2 * S_IN_NS, 60 * S_IN_NS + i * 200 * MS_IN_NS);
    }
    world_run(w, 300 * S_IN_NS);
    uint64_t sent = 0, waits = 0;
    *came = 0;
    for (uint32_t i = first; i < w->sources; i++) {
        *came += w->source[i].count;
        waits += w->source[i].queued;
        sent += w->pfc[w->source[i].pfc].sent_pdus;
    }
    world_close(w);
    return sent + waits;
}

static void the_healthy_lose_nothing(void **state)
{
    static const struct flood floods[] = {
        {10, 0, 0, CLASS_STREAMING},   // stopped, in the cell
        {30, 0, 0, CLASS_STREAMING},   //
        {20, 0, 100, CLASS_STREAMING}, // slow
        {50, 5, 0, CLASS_STREAMING},   // in other cells
        {50, 9, 100, CLASS_STREAMING}, //
        {30, 0, 0, CLASS_BACKGROUND},  // of another class
        {30, 0, 1000, CLASS_BACKGROUND},
    };
    (void)state;
    for (uint32_t i = 0; i < sizeof floods / sizeof floods[0]; i++) {
        uint64_t came, tail_came;
        uint64_t sent = healthy_sent(&floods[i], false, &came);
        uint64_t by_tail_drop = healthy_sent(&floods[i], true, &tail_came);
        print_message("# %u floods: %llu of %llu, with tail drop %llu\n", i,
                      (unsigned long long)sent, (unsigned long long)came,
                      (unsigned long long)by_tail_drop);
        assert_int_equal(sent, came);
        assert_true(by_tail_drop < tail_came * 9 / 10);
    }
}

// The larger of two queues gives, half-sent ones and smaller ones do not.
static void the_largest_gives(void **state)
{
    (void)state;
    struct world *w = a_world(false);
    world_add_cell(w, 0, world_terms(40000, 8000), WORLD_PLENTY);
    uint32_t large = world_add_simple(w, 0, CLASS_BACKGROUND);
    uint32_t small = world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t ms = 0; ms < 2; ms++)
        world_ms_freeze(w, ms);
    w->check_every = 1;
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(world_put(w, large, 100, 0, 0, false), DROP_NONE);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(world_put(w, large, 100, 0, 0, false), DROP_NONE);
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(world_put(w, small, 100, 0, 0, false), DROP_NONE);
    world_take(w);
    assert_int_equal(w->dropped[DROP_ms_full].packets, 20);
    assert_int_equal(sched_ms_queued(w->sched, 0).packets, 256);
    assert_int_equal(sched_ms_queued(w->sched, 1).packets, 100);
    world_close(w);
}

static uint32_t a_frozen_one(struct world *w, uint32_t cell)
{
    uint32_t pfc = world_add_simple(w, cell, CLASS_BACKGROUND);
    world_ms_freeze(w, w->pfc[pfc].ms);
    return pfc;
}

static void put(struct world *w, uint32_t pfc, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(world_put(w, pfc, 100, 0, 0, false), DROP_NONE);
}

// Queues that begin and end: after so many, no older queue is among those that began last.
static void others_begin_and_end(struct world *w, uint32_t cell, uint32_t n)
{
    uint32_t pfc = world_add_simple(w, cell, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < n; i++) {
        put(w, pfc, 1);
        world_run(w, w->now_ns);
    }
}

// Ranks are kept from 70 N-PDUs on, and some queues are ranked at each call: the cell that has
// `old` and `brief` at once, `brief` not yet when it ends. So at 80 N-PDUs the cell of `other` has
// most, and that of `old` does not count with what `brief` had. Each cell is in an NSE of its own
// or not; `brief` is another PFC of the MS of `old` or not.
static void a_queue_ends(bool nses, bool same_ms)
{
    struct sched_config c = world_config();
    c.tail_drop = false;
    c.limit.packets = 80;
    struct world *w = world_open(&c);
    for (uint32_t i = 0; i < 4; i++) {
        if (nses || i == 0)
            world_add_nse(w, WORLD_UNLIMITED);
        world_add_cell(w, nses ? i : 0, WORLD_PLENTY, WORLD_PLENTY);
    }
    uint32_t old = a_frozen_one(w, 0), other = a_frozen_one(w, 1), third = a_frozen_one(w, 2);
    world_pfc_set(w, old, (struct bucket_terms){0, 1600});
    put(w, old, 30);
    others_begin_and_end(w, 3, 200);
    uint32_t brief =
        same_ms ? world_add_pfc(w, w->pfc[old].ms, 1, CLASS_STREAMING) : a_frozen_one(w, 0);
    put(w, brief, 8);
    put(w, other, 32);
    put(w, old, 1);
    world_ms_release(w, w->pfc[brief].ms);
    world_run(w, w->now_ns);
    assert_int_equal(w->pfc[brief].finished, 8);
    put(w, other, 3);
    put(w, third, 14);
    assert_int_equal(w->queued.packets, 80);
    put(w, third, 1);
    assert_int_equal(w->pfc[other].lost, 1);
    assert_int_equal(w->pfc[old].lost, 0);
    world_close(w);
}

static void a_queue_that_ends_before_its_rank(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++)
        a_queue_ends(i & 1, i & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_healthy_lose_nothing),
        cmocka_unit_test(the_largest_gives),
        cmocka_unit_test(a_queue_that_ends_before_its_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
