// S11 in random trees: limits of every kind, NSEs, cells, classes, MSs, packet flows and flows that
// ask for much or little, now and then or always, stopped, slow or well; a few MSs, or so many that
// most of them have waited for long when a limit gets full; then with random changes, moves,
// flushes, resets and weights. The world judges each loss (world_loss.c).
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define FEW_MSS  12
#define MANY_MSS 120
#define MOST_MSS 300

static struct sched_limit random_limit(uint64_t *random, uint32_t least, uint32_t most)
{
    uint32_t packets = (uint32_t)world_draw(random, least, most);
    switch (world_draw(random, 0, 2)) {
    case 0:
        return (struct sched_limit){packets, 1u << 30};
    case 1:
        return (struct sched_limit){65535, packets * 700ULL};
    default:
        return (struct sched_limit){packets, packets * world_draw(random, 300, 1000)};
    }
}

static struct sched_config random_config(uint64_t *random, bool by_flow)
{
    struct sched_config c = world_config();
    c.tail_drop = false;
    c.mss = MOST_MSS;
    c.flows_a_pfc = by_flow ? 1u << world_draw(random, 1, 6) : 0;
    c.limit = c.nse_limit = c.bvc_limit = c.ms_limit = (struct sched_limit){4096, 1u << 30};
    if (world_draw(random, 0, 1))
        c.limit = random_limit(random, 40, 400);
    if (world_draw(random, 0, 1))
        c.nse_limit = random_limit(random, 40, 300);
    if (world_draw(random, 0, 1))
        c.bvc_limit = random_limit(random, 30, 200);
    if (world_draw(random, 0, 1))
        c.ms_limit = random_limit(random, 10, 60);
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        c.of_class[i].limit = (struct sched_limit){4096, 1u << 30};
        c.of_class[i].flow_queues = by_flow && world_draw(random, 0, 1);
        if (world_draw(random, 0, 1))
            c.of_class[i].weight = (uint32_t)world_draw(random, 1, 1000);
        if (world_draw(random, 0, 7) == 0)
            c.of_class[i].limit = random_limit(random, 10, 100);
    }
    return c;
}

// By turns it is on and off, so that limits get full, and have room again.
static void random_pauses(struct world_source *s, uint64_t *random)
{
    if (world_draw(random, 0, 2))
        return;
    s->on_ns = world_draw(random, 100, 1000) * MS_IN_NS;
    s->off_ns = world_draw(random, 100, 2000) * MS_IN_NS;
}

static void random_ms(struct world *w, uint64_t *random)
{
    uint32_t ms = world_add_ms(w, (uint32_t)world_draw(random, 0, w->cells - 1),
                               (uint16_t)world_draw(random, 140, 1520));
    uint32_t pfcs = (uint32_t)world_draw(random, 1, 3);
    bool few = world_draw(random, 0, 1);
    for (uint32_t slot = 0; slot < pfcs; slot++) {
        uint32_t pfc =
            world_add_pfc(w, ms, slot, (enum traffic_class)world_draw(random, 0, CLASS_COUNT - 1));
        struct world_source s = {.pfc = pfc, .seed = pfc, .lle = (uint8_t)world_draw(random, 0, 1)};
        s.most = (uint16_t)world_draw(random, 40, 1500);
        s.least = world_draw(random, 0, 1) ? s.most : 40;
        s.burst = (uint32_t)world_draw(random, 1, few ? 1 : 8);
        s.interval_ns = world_draw(random, few ? 500 : 50, 2000) * MS_IN_NS;
        s.flows = (uint32_t)world_draw(random, 1, 20);
        s.start_ns = world_draw(random, 1, 1000) * MS_IN_NS;
        random_pauses(&s, random);
        world_add_source(w, s);
    }
    switch (world_draw(random, 0, 5)) {
    case 0:
        world_ms_freeze(w, ms);
        break;
    case 1:
        world_ms_set(w, ms, (struct bucket_terms){0, 5000});
        break;
    case 2:
        world_ms_set(w, ms, world_terms(100, 1600));
        break;
    default:
        break;
    }
}

static struct world *random_tree(uint64_t *random, uint32_t mss_most)
{
    struct sched_config config = random_config(random, world_draw(random, 0, 2) == 0);
    struct world *w = world_open(&config);
    w->check_every = 100;
    uint32_t nses = (uint32_t)world_draw(random, 1, 3);
    for (uint32_t i = 0; i < nses; i++)
        world_add_nse(w, world_draw(random, 0, 1) ? WORLD_UNLIMITED : world_terms(30000, 3000));
    for (uint32_t n = (uint32_t)world_draw(random, 1, 4); n; n--) {
        uint64_t rate = world_draw(random, 0, 3) ? world_draw(random, 8000, 40000) : 0;
        world_add_cell(w, (uint32_t)world_draw(random, 0, nses - 1), world_terms(rate, 2000),
                       WORLD_PLENTY);
    }
    for (uint32_t n = (uint32_t)world_draw(random, 2, mss_most); n; n--)
        random_ms(w, random);
    return w;
}

// What it did, that the judge had something to do.
struct work {
    uint64_t victims[DROP_COUNT], refused[DROP_COUNT];
};

static void work_add(struct work *work, const struct world *w)
{
    for (uint32_t i = 0; i < DROP_COUNT; i++) {
        work->victims[i] += w->dropped[i].packets;
        work->refused[i] += w->refused[i].packets;
    }
}

static void work_judge(const struct work *work, uint64_t least)
{
    static const enum drop_reason reasons[] = {DROP_ms_full, DROP_bvc_full, DROP_nse_full,
                                               DROP_queue_full};
    for (uint32_t i = 0; i < 4; i++) {
        print_message("# %s: %llu victims, %llu refused\n", stats_drop_names[reasons[i]],
                      (unsigned long long)work->victims[reasons[i]],
                      (unsigned long long)work->refused[reasons[i]]);
        assert_true(work->victims[reasons[i]] > least);
    }
}

static void random_trees_lose_what_they_must(void **state)
{
    struct work work = {0};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(2000); i++) {
        uint64_t random = random_next();
        struct world *w = random_tree(&random, FEW_MSS);
        world_run(w, 4 * S_IN_NS);
        work_add(&work, w);
        world_close(w);
    }
    work_judge(&work, WORLD_CASES(2000));
}

static void crowded_trees_lose_what_they_must(void **state)
{
    struct work work = {0};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(300); i++) {
        uint64_t random = random_next();
        struct world *w = random_tree(&random, i % 2 ? MANY_MSS : MOST_MSS);
        world_run(w, 2 * S_IN_NS);
        if (i % 2)
            world_random_life(w, &random, UINT32_MAX, 20);
        work_add(&work, w);
        world_close(w);
    }
    work_judge(&work, WORLD_CASES(300));
}

static void random_changes_change_nothing(void **state)
{
    struct work work = {0};
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(1000); i++) {
        uint64_t random = random_next();
        struct world *w = random_tree(&random, FEW_MSS);
        world_random_life(w, &random, 500, 40);
        work_add(&work, w);
        world_close(w);
    }
    work_judge(&work, WORLD_CASES(1000) / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_lose_what_they_must),
        cmocka_unit_test(crowded_trees_lose_what_they_must),
        cmocka_unit_test(random_changes_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
