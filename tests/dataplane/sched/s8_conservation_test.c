// S8: N-PDUs and octets that were put have been finished, refused, dropped under a reason, or are
// queued: the world counts after each call. Here is what makes it hard: full limits, an AQM that
// drops, lifetimes, flushes, removals, and more drops at once than the list holds.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/check.h"

// Passes, marks or drops by the random numbers that the scheduler gives it.
static enum aqm_verdict any_verdict(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    assert_true(aqm_share(view) > 0);
    uint64_t n = rng_below(view->rng, 12);
    return n == 0 ? AQM_DROP : n == 1 ? AQM_MARK : AQM_PASS;
}

static const struct aqm_ops dice = {
    .name = "dice", .help = "any verdict", .enqueue = any_verdict, .dequeue = any_verdict};

static void remove_something(struct world *w, uint64_t *random)
{
    uint32_t pfc = (uint32_t)world_draw(random, 0, w->pfcs - 1);
    if (w->pfc[pfc].exists && world_draw(random, 0, 3) == 0)
        world_pfc_remove(w, pfc);
    else if (w->ms[w->pfc[pfc].ms].exists && world_draw(random, 0, 7) == 0)
        world_ms_remove(w, w->pfc[pfc].ms);
}

static void random_lives_lose_nothing(void **state)
{
    struct aqm aqm = {.ops = &dice};
    struct world_ledger dropped[DROP_COUNT] = {0}, refused[DROP_COUNT] = {0};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(800); i++) {
        uint64_t random = random_next();
        struct world_wish wish = {.nses = 2,
                                  .cells = 4,
                                  .mss = 12,
                                  .pfcs = 4,
                                  .limits = i % 2,
                                  .lifetimes = true,
                                  .flow_queues = i % 3 == 0,
                                  .aqm = &aqm};
        wish.scope = (enum sched_scope)(i % 5 % 4);
        wish.flow_queues = wish.flow_queues || wish.scope == SCHED_SCOPE_FLOW;
        struct world *w = world_random(&random, &wish);
        for (uint32_t k = 0; k < 12; k++) {
            world_random_life(w, &random, 1500, 4);
            remove_something(w, &random);
        }
        for (uint32_t d = 0; d < DROP_COUNT; d++) {
            dropped[d].packets += w->dropped[d].packets;
            refused[d].packets += w->refused[d].packets;
        }
        world_close(w);
    }
    assert_true(dropped[DROP_aqm_out].packets && dropped[DROP_expired].packets);
    assert_true(dropped[DROP_flushed].packets && dropped[DROP_removed].packets);
    assert_true(refused[DROP_aqm_in].packets && refused[DROP_queue_full].packets);
    assert_true(refused[DROP_class_full].packets && refused[DROP_bvc_full].packets);
    assert_true(refused[DROP_ms_full].packets);
}

static struct world *backlog(uint64_t lifetime_ns, uint32_t pfcs, uint32_t packets)
{
    struct sched_config config = world_config();
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        config.of_class[c].lifetime_ns = config.of_class[c].bss_most_ns = lifetime_ns;
    config.limit = config.bvc_limit = config.ms_limit = (struct sched_limit){4096, 4096 * 1600};
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        config.of_class[c].limit = config.limit;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_add_ms(w, 0, 500);
    for (uint32_t slot = 0; slot < pfcs; slot++)
        world_add_pfc(w, 0, slot, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < packets; i++)
        assert_int_equal(world_put(w, i % pfcs, (uint16_t)(1 + i % 1500), 0, i, false), DROP_NONE);
    return w;
}

static void a_flush_of_more_than_the_list_holds(void **state)
{
    (void)state;
    struct world *w = backlog(SCHED_INFINITE, 3, 5 * SCHED_DROPS / 2);
    const struct sched_drop *drops;
    assert_int_equal(sched_ms_flush(w->sched, 0, DROP_flushed, w->now_ns), -SCHED_MORE);
    assert_int_equal(sched_queued(w->sched).packets, 3 * SCHED_DROPS / 2);
    // Once more without emptying the list: nothing is lost, nothing overflows.
    assert_int_equal(sched_ms_flush(w->sched, 0, DROP_flushed, w->now_ns), -SCHED_MORE);
    assert_int_equal(sched_dropped(w->sched, &drops), SCHED_DROPS);
    assert_int_equal(sched_ms_flush(w->sched, 0, DROP_flushed, w->now_ns), -SCHED_MORE);
    assert_int_equal(sched_dropped(w->sched, &drops), SCHED_DROPS);
    assert_int_equal(sched_ms_flush(w->sched, 0, DROP_flushed, w->now_ns), 0);
    assert_int_equal(sched_dropped(w->sched, &drops), SCHED_DROPS / 2);
    assert_int_equal(sched_queued(w->sched).packets, 0);
    assert_int_equal(sched_queued(w->sched).octets, 0);
    assert_null(sched_check(w->sched));
    free(w->ms);
    w->ms = calloc(w->config.mss, sizeof *w->ms); // the mirror has not seen it
    w->mss = w->pfcs = 0;
    w->queued = w->put = (struct world_ledger){0};
    world_close(w);
}

static void removals_of_more_than_the_list_holds(void **state)
{
    (void)state;
    struct world *w = backlog(SCHED_INFINITE, 2, 3 * SCHED_DROPS);
    world_pfc_remove(w, 1);
    assert_int_equal(w->dropped[DROP_removed].packets, 3 * SCHED_DROPS / 2);
    world_ms_remove(w, 0);
    assert_int_equal(w->dropped[DROP_removed].packets, 3 * SCHED_DROPS);
    world_close(w);
}

// More expire at once than the list holds, behind a stopped cell and as the cell goes on.
static void many_expire_at_once(void **state)
{
    (void)state;
    for (uint32_t goes = 0; goes < 2; goes++) {
        struct world *w = backlog(S_IN_NS, 3, 4 * SCHED_DROPS);
        w->now_ns += 2 * S_IN_NS;
        if (goes)
            world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_run(w, w->now_ns + S_IN_NS);
        assert_int_equal(w->dropped[DROP_expired].packets, 4 * SCHED_DROPS);
        assert_int_equal(w->ms[0].sent_pdus, 0);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lives_lose_nothing),
        cmocka_unit_test(a_flush_of_more_than_the_list_holds),
        cmocka_unit_test(removals_of_more_than_the_list_holds),
        cmocka_unit_test(many_expire_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
