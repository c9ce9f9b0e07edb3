// S12: a started N-PDU goes on. After its first piece no N-PDU of its class and cell begins before
// its last, unless its packet flow, MS or LLE is held; after a hold it goes on before the next of
// its class begins. Other classes go between its pieces. The world judges that at every first piece
// of every test; here are the cases by hand, worlds that are full of pieces, and what it is for:
// with forty MSs in an overloaded cell nothing comes long after its lifetime.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define LIFETIME_NS (10 * S_IN_NS)
#define LEAST_NS    (1 * S_IN_NS) // of it the BSS's

static struct world *one_cell(const struct sched_config *config, struct bucket_terms terms)
{
    struct world *w = world_open(config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, terms, WORLD_PLENTY);
    return w;
}

// An MS with a context of background in slot 0 and one of streaming in slot 1: PFCs 2 i and 2 i
// + 1.
static void add_ms(struct world *w, uint16_t n201_u)
{
    uint32_t ms = world_add_ms(w, 0, n201_u);
    world_add_pfc(w, ms, 0, CLASS_BACKGROUND);
    world_add_pfc(w, ms, 1, CLASS_STREAMING);
}

// A cell that a PDU of 146 octets fills for 146 ms, and MSs of N201-U 140.
static struct world *slow_cell(uint32_t mss)
{
    struct sched_config config = world_config();
    struct world *w = one_cell(&config, world_terms(8000, 150));
    w->judge_work = true;
    for (uint32_t i = 0; i < mss; i++)
        add_ms(w, 140);
    return w;
}

// The pieces that went, a letter for each: its PFC, as a capital where it is the last one.
static void assert_went(const struct world *w, const char *pieces)
{
    char went[256];
    uint32_t n = w->sents < sizeof went - 1 ? w->sents : sizeof went - 1;
    for (uint32_t i = 0; i < n; i++)
        went[i] = (char)((w->sent[i].last ? 'A' : 'a') + w->sent[i].pfc);
    went[n] = 0;
    assert_string_equal(went, pieces);
}

static void n_pdus_of_a_class_go_one_after_the_other(void **state)
{
    (void)state;
    struct world *w = slow_cell(3);
    for (uint32_t i = 0; i < 6; i++)
        world_put(w, i % 3 * 2, 1000, 0, 0, false);
    world_run(w, 60 * S_IN_NS);
    assert_int_equal(w->sents, 48);
    for (uint32_t i = 0; i < w->sents; i++) {
        assert_int_equal(w->sent[i].first, i % 8 == 0);
        assert_int_equal(w->sent[i].last, i % 8 == 7);
        assert_int_equal(w->sent[i].ms, w->sent[i / 8 * 8].ms);
    }
    world_close(w);
}

// Streaming of another MS, and of its own MS on another LLE, goes between the pieces of background,
// behind one LLC PDU at most.
static void other_classes_go_between(void **state)
{
    (void)state;
    for (uint32_t own = 0; own < 2; own++) {
        struct world *w = slow_cell(2);
        uint32_t pfc = own ? 1 : 3;
        world_put(w, 0, 1000, 0, 0, false);
        world_put(w, 2, 1000, 0, 0, false);
        world_run(w, 300 * MS_IN_NS);
        assert_went(w, "aaa");
        world_put(w, pfc, 100, 1, 0, false);
        world_run(w, 60 * S_IN_NS);
        assert_went(w, own ? "aaaBaaaaAcccccccC" : "aaaDaaaaAcccccccC");
        world_close(w);
    }
}

// What holds an MS in the midst of its N-PDU, and what lets it go on.
enum hold { BY_FREEZE, BY_R_0, BY_RATE, BY_PFC_R_0, BY_PFC_RATE, BY_FRAME, HOLDS };

static void hold(struct world *w, enum hold hold)
{
    const struct bucket_terms stop = {0, 5000}, slow = world_terms(100, 150);
    if (hold == BY_FREEZE)
        world_ms_freeze(w, 0);
    if (hold == BY_R_0 || hold == BY_RATE)
        world_ms_set(w, 0, hold == BY_RATE ? slow : stop);
    if (hold == BY_PFC_R_0 || hold == BY_PFC_RATE)
        world_pfc_set(w, 0, hold == BY_PFC_RATE ? slow : stop);
    if (hold == BY_RATE)
        world_ms_ratio(w, 0, 100);
    if (hold == BY_PFC_RATE)
        world_pfc_ratio(w, 0, 100);
    if (hold == BY_FRAME) { // which its MS's bucket does not let go
        world_ms_set(w, 0, slow);
        world_ms_ratio(w, 0, 100);
        world_frame_put(w, 0, 20);
    }
}

static void release(struct world *w, enum hold hold)
{
    if (hold == BY_FREEZE)
        world_ms_release(w, 0);
    else if (hold == BY_PFC_R_0 || hold == BY_PFC_RATE)
        world_pfc_unlimit(w, 0);
    else
        world_ms_default(w, 0);
}

// While it is held the others of its class go; after it, it goes on before the next one begins.
static void after_a_hold_it_goes_on_first(void **state)
{
    (void)state;
    for (enum hold by = 0; by < HOLDS; by++) {
        struct world *w = slow_cell(3);
        world_put(w, 0, 500, 0, 0, false);
        world_run(w, 50 * MS_IN_NS);
        hold(w, by);
        for (uint32_t i = 0; i < 6; i++)
            world_put(w, 2 + i % 2 * 2, 500, 0, 0, false);
        world_run(w, 2 * S_IN_NS);
        uint64_t released_ns = w->now_ns;
        release(w, by);
        world_run(w, w->now_ns + 60 * S_IN_NS);
        uint32_t begun = 0, ended = WORLD_NONE;
        for (uint32_t i = 0; i < w->sents; i++) {
            if (w->sent[i].pfc == 0 && w->sent[i].last)
                ended = i;
            begun += w->sent[i].first && w->sent[i].time_ns < released_ns;
            if (w->sent[i].first && w->sent[i].time_ns >= released_ns)
                assert_true(ended != WORLD_NONE);
        }
        assert_true(begun > 2); // others of its class, meanwhile
        assert_int_equal(w->finished.packets, 7);
        world_close(w);
    }
}

// In its new cell, too, an MS that moved goes on before another of the class begins; what has begun
// there may end first.
static void after_a_move_it_goes_on_first(void **state)
{
    (void)state;
    struct world *w = slow_cell(2);
    uint32_t there = world_add_cell(w, 0, world_terms(8000, 150), WORLD_PLENTY);
    world_add_ms(w, there, 140);
    uint32_t pfc = world_add_pfc(w, 2, 0, CLASS_BACKGROUND);
    world_put(w, 0, 500, 0, 0, false);
    for (uint32_t i = 0; i < 3; i++)
        world_put(w, pfc, 500, 0, 0, false);
    world_run(w, 50 * MS_IN_NS);
    world_ms_move(w, 0, there);
    world_run(w, w->now_ns + 60 * S_IN_NS);
    uint32_t ended = 0, last = WORLD_NONE;
    for (uint32_t i = 0; i < w->sents; i++) {
        ended += last == WORLD_NONE && w->sent[i].last && w->sent[i].pfc == pfc;
        last = w->sent[i].pfc == 0 && w->sent[i].last ? i : last;
    }
    assert_int_equal(w->finished.packets, 4);
    assert_true(ended <= 1);
    world_close(w);
}

// ---- Worlds full of pieces, and of contexts that share an SAPI ----

static void add_random_source(struct world *w, uint32_t pfc, uint64_t *random)
{
    struct world_source s = {.pfc = pfc,
                             .least = 40,
                             .most = 1500,
                             .seed = pfc,
                             .lle = (uint8_t)(world_draw(random, 0, 3) == 0)};
    s.depth = (uint32_t)world_draw(random, 0, 1) * 6;
    s.burst = (uint32_t)world_draw(random, 1, 4);
    s.interval_ns = world_draw(random, 100, 4000) * MS_IN_NS;
    s.on_ns = world_draw(random, 100, 5000) * MS_IN_NS;
    s.off_ns = world_draw(random, 0, 1) * world_draw(random, 100, 5000) * MS_IN_NS;
    world_add_source(w, s);
}

static void add_random_ms(struct world *w, uint64_t *random)
{
    uint32_t ms = world_add_ms(w, (uint32_t)world_draw(random, 0, w->cells - 1),
                               (uint16_t)world_draw(random, 140, 700));
    uint32_t pfcs = (uint32_t)world_draw(random, 1, 3);
    if (world_draw(random, 0, 3) == 0)
        world_ms_set(w, ms, world_terms(world_draw(random, 1000, 20000), 1600));
    for (uint32_t slot = 0; slot < pfcs; slot++) {
        uint32_t pfc = world_add_pfc(w, ms, slot, (enum traffic_class)world_draw(random, 4, 6));
        if (world_draw(random, 0, 3) == 0)
            world_pfc_set(w, pfc,
                          world_terms(world_draw(random, 1000, 20000),
                                      (uint32_t)world_draw(random, 500, 4000)));
        add_random_source(w, pfc, random);
    }
}

static struct world *random_pieces(uint64_t *random)
{
    struct sched_config config = world_config();
    bool by_flow = world_draw(random, 0, 3) == 0;
    config.flows_a_pfc = by_flow ? 8 : 0;
    for (uint32_t c = 0; c < CLASS_COUNT; c++) {
        config.of_class[c].flow_queues = by_flow;
        config.of_class[c].lifetime_ns = world_draw(random, 0, 1) ? LIFETIME_NS : SCHED_INFINITE;
        config.of_class[c].bss_least_ns = LEAST_NS;
    }
    struct world *w = world_open(&config);
    w->batch = (uint32_t)world_draw(random, 1, 9);
    w->check_every = 100;
    world_add_nse(w, world_draw(random, 0, 1) ? WORLD_UNLIMITED : world_terms(30000, 3000));
    for (uint32_t b = 0; b < 2; b++)
        world_add_cell(w, 0, world_terms(world_draw(random, 8000, 40000), 2000), WORLD_PLENTY);
    for (uint32_t n = (uint32_t)world_draw(random, 2, 8); n; n--)
        add_random_ms(w, random);
    for (uint32_t i = 0; by_flow && i < w->sources; i++)
        w->source[i].flows = 5;
    return w;
}

static void whatever_happens_it_goes_on(void **state)
{
    uint64_t finished = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(1000); i++) {
        uint64_t random = random_next();
        struct world *w = random_pieces(&random);
        if (i % 2)
            world_run(w, 60 * S_IN_NS);
        else
            world_random_life(w, &random, 2000, 100);
        finished += w->finished.packets;
        world_close(w);
    }
    print_message("# %llu N-PDUs\n", (unsigned long long)finished);
    assert_true(finished > WORLD_CASES(1000) * 20);
}

// ---- What it is for ----

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// From arrival to the last piece, in order.
struct delays {
    uint64_t *of;
    uint32_t n;
    uint64_t octets; // of N-PDUs
};

// What the source put at its start, an interval apart.
static uint64_t arrived_ns(const struct world *w, const struct world_sent *sent)
{
    const struct world_source *s = &w->source[sent->source];
    return s->start_ns + sent->number * s->interval_ns;
}

static struct delays delays_of(const struct world *w)
{
    struct delays d = {.of = calloc(w->sents + 1, sizeof *d.of)};
    assert_non_null(d.of);
    for (uint32_t i = 0; i < w->sents; i++)
        if (w->sent[i].last) {
            d.of[d.n++] = w->sent[i].time_ns - arrived_ns(w, &w->sent[i]);
            d.octets += w->sent[i].offset + w->sent[i].octets;
        }
    qsort(d.of, d.n, sizeof *d.of, compare);
    return d;
}

// MSs of one context at N201-U 500, a cell of 40 kbit/s, each with 1400 octets every 5.6 s of its
// own phase: twice what the cell carries.
static struct world *forty_mss(void)
{
    struct sched_config config = world_config();
    for (uint32_t c = 0; c < CLASS_COUNT; c++) {
        config.of_class[c].lifetime_ns = LIFETIME_NS;
        config.of_class[c].bss_least_ns = LEAST_NS;
    }
    struct world *w = one_cell(&config, world_terms(40000, 5000));
    w->check_every = 100;
    for (uint32_t i = 0; i < 40; i++) {
        world_add_pfc(w, world_add_ms(w, 0, 500), 0, CLASS_INTERACTIVE_1);
        world_add_source(w, (struct world_source){.pfc = i,
                                                  .least = 1400,
                                                  .most = 1400,
                                                  .burst = 1,
                                                  .interval_ns = 5600 * MS_IN_NS,
                                                  .start_ns = 1 + i * 140 * MS_IN_NS});
    }
    return w;
}

// 2090 N-PDUs were delivered when turns ended between pieces.
#define GOODPUT_OCTETS (2090 * 1400)

static void nothing_comes_long_after_its_lifetime(void **state)
{
    (void)state;
    struct world *w = forty_mss();
    world_run(w, 600 * S_IN_NS);
    struct delays d = delays_of(w);
    uint32_t late = 0;
    for (uint32_t i = 0; i < d.n; i++)
        late += d.of[i] > LIFETIME_NS;
    print_message("# %u of %u late, median %.1f s, most %.1f s; %llu octets\n", late, d.n,
                  (double)d.of[d.n / 2] / 1e9, (double)d.of[d.n - 1] / 1e9,
                  (unsigned long long)d.octets);
    assert_true(d.of[d.n - 1] <= 10600 * MS_IN_NS);
    assert_true(d.octets >= GOODPUT_OCTETS);
    free(d.of);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n_pdus_of_a_class_go_one_after_the_other),
        cmocka_unit_test(other_classes_go_between),
        cmocka_unit_test(after_a_hold_it_goes_on_first),
        cmocka_unit_test(after_a_move_it_goes_on_first),
        cmocka_unit_test(whatever_happens_it_goes_on),
        cmocka_unit_test(nothing_comes_long_after_its_lifetime),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
