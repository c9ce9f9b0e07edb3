// S5: who is blocked adds no delay to any sibling. Each case runs twice, with the blocked one and
// its backlog and without; every N-PDU of every sibling goes at the same nanosecond. The blocked
// one is there, and has been found out, before the siblings' first N-PDU.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

// What blocks, for as long as the test lasts.
enum block {
    MS_STOPPED,  // R = 0
    MS_FROZEN,   // by command
    MS_FULL,     // a bucket so full that its rate needs longer than the test
    PFC_STOPPED, // of an MS whose other PFCs go on
    PFC_FULL,
    CELL_STOPPED,
    CELL_FULL,
    MS_DEFAULT_STOPPED, // a cell of MSs on defaults with R = 0, beside one with its own values
    BLOCKS
};

#define FULL ((struct bucket_terms){1, 65535})

// All contexts of an MS on one SAPI, the blocked one's too: it begins nothing, so it keeps nothing.
// Siblings may have buckets of their own, save beside one that waits for its bucket: that wants the
// LLE, for which a sibling does not begin what its bucket cannot pass whole.
static bool one_sapi;

static void block_ms(struct world *w, uint32_t ms, enum block block)
{
    if (block == MS_STOPPED)
        world_ms_set(w, ms, (struct bucket_terms){0, 5000});
    if (block == MS_FROZEN)
        world_ms_freeze(w, ms);
    if (block == MS_FULL) {
        world_ms_set(w, ms, FULL);
        world_ms_ratio(w, ms, 255);
    }
}

static void block_pfc(struct world *w, uint32_t pfc, enum block block)
{
    if (block == PFC_STOPPED)
        world_pfc_set(w, pfc, (struct bucket_terms){0, 5000});
    if (block == PFC_FULL) {
        world_pfc_set(w, pfc, FULL);
        world_pfc_ratio(w, pfc, 255);
    }
}

static void block_cell(struct world *w, uint32_t cell, enum block block)
{
    if (block == CELL_STOPPED)
        world_cell_set(w, cell, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    if (block == CELL_FULL) {
        world_cell_set(w, cell, FULL, WORLD_PLENTY);
        world_cell_ratio(w, cell, 255);
    }
}

static void add_source(struct world *w, uint32_t pfc, uint64_t *random)
{
    struct world_source s = {.pfc = pfc,
                             .least = 1,
                             .most = 1500,
                             .seed = *random & 0xffff,
                             .lle = one_sapi ? 0 : (uint8_t)w->pfc[pfc].slot,
                             .start_ns = MS_IN_NS};
    s.depth = world_draw(random, 0, 1) * 6;
    s.burst = (uint32_t)world_draw(random, 1, 5);
    s.interval_ns = world_draw(random, 50, 3000) * MS_IN_NS;
    s.off_ns = world_draw(random, 0, 1) * world_draw(random, 1, 5000) * MS_IN_NS;
    s.on_ns = world_draw(random, 1, 5000) * MS_IN_NS;
    world_add_source(w, s);
}

static struct bucket_terms terms(uint64_t *random)
{
    return world_terms(world_draw(random, 4000, 60000), (uint32_t)world_draw(random, 1000, 8000));
}

static void add_sibling_ms(struct world *w, uint32_t cell, enum block block, uint64_t *random)
{
    uint32_t ms = world_add_ms(w, cell, (uint16_t)world_draw(random, 140, 1520));
    if (world_draw(random, 0, 1))
        world_ms_set(w, ms, terms(random));
    for (uint32_t slot = 0; slot < 2; slot++) {
        uint32_t pfc = world_add_pfc(w, ms, slot, (enum traffic_class)world_draw(random, 0, 6));
        if (one_sapi && world_draw(random, 0, 2) == 0 && block != PFC_FULL)
            world_pfc_set(w, pfc, terms(random));
        add_source(w, pfc, random);
    }
}

// The blocked one comes last, so that the siblings' numbers are the same without it; its class may
// be theirs, and it may be signalling.
static void add_blocked(struct world *w, enum block block, uint64_t *random)
{
    enum traffic_class class = (enum traffic_class)world_draw(random, 0, 6);
    uint32_t cell = 0, ms, pfc;
    if (block == CELL_STOPPED || block == CELL_FULL) {
        cell = world_add_cell(w, 0, world_terms(8000, 5000), WORLD_PLENTY);
        block_cell(w, cell, block);
    }
    if (block == PFC_STOPPED || block == PFC_FULL)
        ms = 0; // a sibling's
    else
        ms = world_add_ms(w, block == MS_DEFAULT_STOPPED ? 1 : cell, 300);
    for (uint32_t n = 0; n < 2; n++) {
        pfc = world_add_pfc(w, ms, 2 + n, class);
        block_ms(w, ms, block);
        block_pfc(w, pfc, block);
        world_add_greedy(w, pfc, 1, 1500);
        w->source[w->sources - 1].lle = one_sapi ? 0 : (uint8_t)(2 + n);
    }
}

static struct world *run(enum block block, bool with, uint64_t random)
{
    struct sched_config config = world_config();
    config.limit = config.bvc_limit = config.ms_limit = (struct sched_limit){65536, 1u << 27};
    for (uint32_t c = 0; c < CLASS_COUNT; c++) // nobody's queue takes another's room
        config.of_class[c].limit = config.limit;
    struct world *w = world_open(&config);
    uint32_t mss = (uint32_t)world_draw(&random, 1, 8);
    w->keep_trace = true;
    w->check_every = 1000;
    world_add_nse(w, world_draw(&random, 0, 1) ? WORLD_UNLIMITED : terms(&random));
    world_add_cell(w, 0, terms(&random), WORLD_PLENTY);
    world_add_cell(w, 0, terms(&random),
                   block == MS_DEFAULT_STOPPED ? (struct bucket_terms){0, 5000} : WORLD_PLENTY);
    for (uint32_t i = 0; i < mss; i++) {
        add_sibling_ms(w, i % 2, block, &random);
        if (i % 2 && block == MS_DEFAULT_STOPPED)
            world_ms_set(w, i, terms(&random));
    }
    if (with)
        add_blocked(w, block, &random);
    world_run(w, 30 * S_IN_NS);
    return w;
}

// Whoever is blocked sends nothing, so the two traces are one.
static void compare(const struct world *with, const struct world *without, enum block block)
{
    assert_int_equal(with->sents, without->sents);
    for (uint32_t i = 0; i < with->sents; i++) {
        const struct world_sent *a = &with->sent[i], *b = &without->sent[i];
        if (a->time_ns != b->time_ns || a->pfc != b->pfc || a->number != b->number ||
            a->offset != b->offset)
            fail_msg("block %d: LLC PDU %u of PFC %u at %llu ns, without it of %u at %llu ns",
                     block, i, a->pfc, (unsigned long long)a->time_ns, b->pfc,
                     (unsigned long long)b->time_ns);
    }
}

static void cases(uint32_t n)
{
    uint64_t sent = 0;
    random_begin();
    for (uint32_t i = 0; i < n; i++) {
        enum block block = i % BLOCKS;
        uint64_t seed = random_next();
        struct world *with = run(block, true, seed), *without = run(block, false, seed);
        assert_true(with->queued.packets > without->queued.packets);
        compare(with, without, block);
        sent += with->sents;
        world_close(with);
        world_close(without);
    }
    assert_true(sent > n * 100);
}

static void the_blocked_delay_nobody(void **state)
{
    (void)state;
    one_sapi = false;
    cases(WORLD_CASES(400));
}

static void the_blocked_delay_nobody_on_their_sapi(void **state)
{
    (void)state;
    one_sapi = true;
    cases(WORLD_CASES(400));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_blocked_delay_nobody),
        cmocka_unit_test(the_blocked_delay_nobody_on_their_sapi),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
