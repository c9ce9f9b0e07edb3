// The usual case in one straight line (sched_fast.c, and who joins others in sched_put.c) gives
// what every round in full gives: two schedulers lead the same random lives, one of them in full,
// and each PDU, its time, its lifetime and its marks, and each drop are the same.
#include "tests/dataplane/sched/world_random.h"

#include "dataplane/sched/sched_round.h"
#include "tests/dataplane/random.h"

#define CHANGES 8
#define MSS     20

// The linker calls these in each other's place, to count how often the fast path was gone.
static uint64_t tried, gone, fired, sent_at_once;
uint32_t __real_sched_fast_rounds(struct sched *s, uint64_t now_ns, struct sched_grant *g,
                                  uint32_t n);
uint32_t __wrap_sched_fast_rounds(struct sched *s, uint64_t now_ns, struct sched_grant *g,
                                  uint32_t n);

uint32_t __wrap_sched_fast_rounds(struct sched *s, uint64_t now_ns, struct sched_grant *g,
                                  uint32_t n)
{
    uint32_t went = __real_sched_fast_rounds(s, now_ns, g, n);
    tried += went + (went < n);
    gone += went;
    return went;
}

bool __real_sched_fast_fired(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns,
                             struct sched_grant *g);
bool __wrap_sched_fast_fired(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns,
                             struct sched_grant *g);

bool __wrap_sched_fast_fired(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns,
                             struct sched_grant *g)
{
    bool went = __real_sched_fast_fired(s, ms, m, now_ns, g);
    fired++;
    sent_at_once += went;
    return went;
}

static void fast_path_begin(void)
{
    tried = gone = fired = sent_at_once = 0;
}

static void expect_fast_path(uint64_t rounds, uint64_t firings)
{
    print_message("# the fast path: %lu of %lu rounds, %lu of %lu MSs from the wheel\n",
                  (unsigned long)gone, (unsigned long)tried, (unsigned long)sent_at_once,
                  (unsigned long)fired);
    assert_true(gone > rounds);
    assert_true(sent_at_once > firings);
}

static void same_ledgers(const struct world_ledger *a, const struct world_ledger *b, uint32_t n)
{
    assert_memory_equal(a, b, n * sizeof *a);
}

static void same_sent(const struct world_sent *a, const struct world_sent *b)
{
    assert_int_equal(a->time_ns, b->time_ns);
    assert_int_equal(a->lifetime_ns, b->lifetime_ns);
    assert_int_equal(a->pfc, b->pfc);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->octets, b->octets);
    assert_int_equal(a->pipe_octets, b->pipe_octets);
    assert_int_equal(a->traffic_class, b->traffic_class);
    assert_int_equal(a->first, b->first);
    assert_int_equal(a->last, b->last);
    assert_int_equal(a->mark, b->mark);
}

static void same_lives(const struct world *a, const struct world *b)
{
    assert_int_equal(a->sents, b->sents);
    assert_int_equal(a->now_ns, b->now_ns);
    for (uint32_t i = 0; i < a->sents; i++)
        same_sent(&a->sent[i], &b->sent[i]);
    same_ledgers(a->refused, b->refused, DROP_COUNT);
    same_ledgers(a->dropped, b->dropped, DROP_COUNT);
    same_ledgers(&a->queued, &b->queued, 1);
}

// Half of the worlds: pipes without a bucket, roomy cells, few buckets of packet flows.
static void make_roomy(struct world *w, uint64_t *random)
{
    for (uint32_t nse = 0; nse < w->nses; nse++)
        world_nse_set(w, nse, WORLD_UNLIMITED);
    for (uint32_t cell = 0; cell < w->cells; cell++)
        world_cell_set(w, cell, world_terms(2000000, 50000), world_terms(500000, 20000));
    for (uint32_t pfc = 0; pfc < w->pfcs; pfc++)
        if (world_draw(random, 0, 3))
            world_pfc_unlimit(w, pfc);
}

static struct world *a_life(uint64_t random, uint32_t i, const struct aqm *aqm, bool in_full)
{
    struct world_wish wish = {.nses = 2,
                              .cells = 4,
                              .mss = MSS,
                              .pfcs = 1 + i % 3,
                              .limits = i % 5 == 0,
                              .lifetimes = i % 3 == 0,
                              .flow_queues = i % 7 < 2,
                              .aqm = aqm,
                              .scope = i % 7 ? SCHED_SCOPE_PFC : SCHED_SCOPE_FLOW,
                              .in_full = in_full,
                              .sparse = i % 2};
    struct world *w = world_random(&random, &wish);
    w->keep_trace = true;
    w->batch = WORLD_BATCH;
    if (i % 2)
        make_roomy(w, &random);
    world_random_life(w, &random, 1500, CHANGES);
    return w;
}

// How often the AQMs of this file were asked: in full for each N-PDU, else they rest while calm.
static uint64_t asked;

// After a head that has waited long the next one is marked, however short it has waited.
#define LONG_NS 2000000ULL
static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    uint64_t *stirred = vars;
    (void)config;
    asked++;
    bool marks = *stirred;
    *stirred = view->sojourn_ns >= LONG_NS;
    return marks ? AQM_MARK : AQM_PASS;
}

static const struct aqm_ops slow_to_calm = {
    .name = "slow to calm", .help = "marks behind a long wait", .dequeue = dequeue};

// A head that has waited for longer than its share takes for so many octets is marked.
#define MANY_OCTETS 2000
static enum aqm_verdict dequeue_by_share(const void *config, void *vars,
                                         const struct aqm_view *view)
{
    (void)config, (void)vars;
    asked++;
    return (unsigned __int128)view->sojourn_ns * aqm_share(view) >= MANY_OCTETS * 1000000000ULL
               ? AQM_MARK
               : AQM_PASS;
}

static const struct aqm_ops by_share = {.name = "by share",
                                        .help = "marks what waited long for its share",
                                        .dequeue = dequeue_by_share};

static void the_usual_case_is_as_in_full(void **state)
{
    struct aqm aqm[3] = {{.ops = NULL},
                         {.ops = &slow_to_calm, .calm = {LONG_NS, 0}},
                         {.ops = &by_share, .calm = {0, MANY_OCTETS * 1000000000ULL}}};
    uint64_t params[AQM_PARAMS_MAX], asked_quick = 0;
    (void)state;
    random_begin();
    fast_path_begin();
    asked = 0;
    aqm_standard_params(&aqm_cobalt, params);
    assert_null(aqm_setup(&aqm[0], &aqm_cobalt, params));
    for (uint32_t i = 0; i < WORLD_CASES(1500); i++) {
        uint64_t random = random_next();
        uint64_t before = asked;
        struct world *quick = a_life(random, i, &aqm[i / 2 % 3], false);
        asked_quick += asked - before;
        struct world *full = a_life(random, i, &aqm[i / 2 % 3], true);
        same_lives(quick, full);
        world_close(quick);
        world_close(full);
    }
    print_message("# AQMs were asked %lu times, in full %lu\n", (unsigned long)asked_quick,
                  (unsigned long)(asked - asked_quick));
    assert_true(asked - asked_quick > asked_quick + asked_quick / 8);
    expect_fast_path(5 * WORLD_CASES(1500), WORLD_CASES(1500) / 4);
}

// ---- Worlds in which the usual is frequent: short bursts, buckets that limit now and then ----

static struct bucket_terms some_terms(uint64_t *random, uint64_t least, uint64_t most)
{
    return world_terms(world_draw(random, least, most), (uint32_t)world_draw(random, 1600, 12000));
}

// `slow`: its own bucket limits it. `flows`: most of a source.
static void add_busy_ms(struct world *w, uint64_t *random, uint32_t cell, bool slow, uint32_t flows)
{
    const uint16_t most[] = {290, 290, 1500, 4000}; // of an N-PDU
    uint32_t ms = world_add_ms(w, cell, world_draw(random, 0, 2) ? 1520 : 300);
    if (slow)
        world_ms_set(w, ms, some_terms(random, 8000, 80000));
    else if (!world_draw(random, 0, 2))
        world_ms_set(w, ms, some_terms(random, 30000, 600000));
    for (uint32_t slot = 0; slot <= !world_draw(random, 0, 4); slot++) {
        enum traffic_class class = CLASS_BACKGROUND;
        if (!world_draw(random, 0, 4))
            class = world_draw(random, 0, 2) ? CLASS_STREAMING : CLASS_SIGNALLING;
        uint32_t pfc = world_add_pfc(w, ms, slot, class);
        if (!world_draw(random, 0, 3))
            world_pfc_set(w, pfc, some_terms(random, 30000, 600000));
        world_add_source(w,
                         (struct world_source){.pfc = pfc,
                                               .least = 40,
                                               .most = most[world_draw(random, 0, 3)],
                                               .burst = (uint32_t)world_draw(random, 1, 5),
                                               .interval_ns = world_draw(random, 2000000, 60000000),
                                               .seed = world_draw(random, 0, 1u << 30),
                                               .flows = flows ? 1 + pfc % flows : 0,
                                               .lle = (uint8_t)world_draw(random, 0, 1)});
    }
}

static void one_change(struct world *w, uint64_t *random)
{
    uint32_t ms = (uint32_t)world_draw(random, 0, w->mss - 1);
    uint32_t cell = (uint32_t)world_draw(random, 0, w->cells - 1);
    switch (world_draw(random, 0, 9)) {
    case 7:
        world_ms_flush(w, ms);
        break;
    case 0:
        world_ms_freeze(w, ms);
        break;
    case 1:
        world_ms_release(w, ms);
        break;
    case 2:
        world_ms_move(w, ms, cell);
        break;
    case 3:
        world_cell_block(w, cell, true);
        break;
    case 4:
        world_cell_set(w, cell, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        break;
    case 5:
        world_cell_set(w, cell, some_terms(random, 50000, 900000),
                       some_terms(random, 50000, 900000));
        break;
    case 6:
        world_nse_set(w, 1, some_terms(random, 100000, 2000000));
        break;
    default:
        world_cell_block(w, cell, false);
    }
}

static struct world *a_busy_life(uint64_t random, uint32_t i, const struct aqm *aqm, bool in_full)
{
    struct sched_config config = world_config();
    bool by_flow = i % 3 == 1;
    config.in_full = in_full;
    config.flows_a_pfc = by_flow ? 8 : 0;
    config.hold_ns = 500000000;
    config.turn_ns = i % 2 * 100000000; // turns of one to four LLC PDUs
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        config.of_class[class].aqm = *aqm;
        config.of_class[class].scope = by_flow ? SCHED_SCOPE_FLOW : SCHED_SCOPE_PFC;
        config.of_class[class].flow_queues = by_flow;
        if (i % 6 == 0)
            config.of_class[class].lifetime_ns = 300000000;
    }
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->batch = i % 4 ? WORLD_BATCH : 3;
    w->poll_ns = i % 2 ? 4000000 : 0; // so that several come before one goes
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_nse(w, some_terms(&random, 100000, 3000000));
    bool slow = i % 5 == 2;
    for (uint32_t cell = 0; cell < 6; cell++)
        world_add_cell(w, cell % 2, some_terms(&random, slow ? 900000 : 50000, 1000000),
                       some_terms(&random, 50000, 900000));
    for (uint32_t ms = 0; ms < 12; ms++)
        add_busy_ms(w, &random, (uint32_t)world_draw(&random, 0, 5), slow, by_flow ? 4 : 0);
    uint64_t rest_ns = i % 6 ? 40000000 : 400000000; // who is frozen long stays too long
    for (uint32_t change = 0; change < 40; change++) {
        world_run(w, w->now_ns + world_draw(&random, 1000000, rest_ns));
        one_change(w, &random);
    }
    return w;
}

static void a_busy_life_is_as_in_full(void **state)
{
    struct aqm aqm = {.ops = NULL};
    uint64_t params[AQM_PARAMS_MAX];
    (void)state;
    random_begin();
    fast_path_begin();
    aqm_standard_params(&aqm_cobalt, params);
    assert_null(aqm_setup(&aqm, &aqm_cobalt, params));
    for (uint32_t i = 0; i < WORLD_CASES(400); i++) {
        uint64_t random = random_next();
        struct world *quick = a_busy_life(random, i, &aqm, false);
        struct world *full = a_busy_life(random, i, &aqm, true);
        same_lives(quick, full);
        world_close(quick);
        world_close(full);
    }
    expect_fast_path(50 * WORLD_CASES(400), 10 * WORLD_CASES(400));
}

// In its ring behind a blocked cell, and then held: the cell goes on, and it does not.
static void who_is_held_in_its_ring_stays(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(100000, 5000), WORLD_PLENTY);
    for (uint32_t ms = 0; ms < 3; ms++)
        world_add_simple(w, 0, CLASS_BACKGROUND);
    world_cell_block(w, 0, true);
    for (uint32_t pfc = 0; pfc < 3; pfc++)
        assert_int_equal(world_put(w, pfc, 200, 0, 0, false), DROP_NONE);
    world_run(w, 1000000);
    world_ms_freeze(w, 1);
    world_ms_set(w, 2, (struct bucket_terms){0, 5000});
    world_cell_block(w, 0, false);
    world_run(w, 1000000000);
    assert_int_equal(w->pfc[0].finished, 1);
    assert_int_equal(w->pfc[1].finished + w->pfc[2].finished, 0);
    world_ms_release(w, 1);
    world_ms_set(w, 2, world_terms(8000, 5000));
    world_run(w, 2000000000);
    assert_int_equal(w->pfc[1].finished + w->pfc[2].finished, 2);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_usual_case_is_as_in_full),
        cmocka_unit_test(a_busy_life_is_as_in_full),
        cmocka_unit_test(who_is_held_in_its_ring_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
