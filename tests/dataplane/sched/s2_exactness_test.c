// S2: once the only limiting bucket has refused, what goes between any two instants of its backlog
// differs from R t / 8 by less than one PDU. So the range of sent - R t / 8 over all instants, just
// before and just after each PDU, is less than the largest PDU. In units of 1e-7 bit all of it is
// integers, and the instants are those of the clock: whole nanoseconds.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_MS, LEVEL_DEFAULT, LEVEL_PFC, LEVELS };

struct mix {
    uint16_t least, most, n201_u;
};

// Nodes below the limiting one: cells of an NSE, MSs of a cell, PFCs of an MS.
static void add_ms(struct world *w, enum level level, struct bucket_terms terms, uint32_t cell,
                   struct mix mix, uint64_t *random)
{
    uint32_t ms = world_add_ms(w, cell, mix.n201_u);
    w->ms[ms].extra = (uint32_t)world_draw(random, 0, 60);
    uint32_t pfcs = level == LEVEL_PFC ? 1 : (uint32_t)world_draw(random, 1, 3);
    if (level == LEVEL_MS)
        world_ms_set(w, ms, terms);
    for (uint32_t slot = 0; slot < pfcs; slot++) {
        uint32_t pfc = world_add_pfc(w, ms, slot, (enum traffic_class)world_draw(random, 0, 6));
        world_add_greedy(w, pfc, mix.least, mix.most);
        w->source[w->sources - 1].lle = (uint8_t)slot;
        if (level == LEVEL_PFC)
            world_pfc_set(w, pfc, terms);
    }
}

static struct world *limited(enum level level, struct bucket_terms terms, struct mix mix,
                             uint64_t *random)
{
    struct sched_config config = world_config();
    config.pipe_header_octets = (uint32_t)world_draw(random, 0, 60);
    config.pipe_octets = world_draw(random, 0, 1) ? world_pipe : NULL;
    struct world *w = world_open(&config);
    uint32_t cells = level == LEVEL_NSE ? (uint32_t)world_draw(random, 1, 3) : 1;
    uint32_t mss = level <= LEVEL_CELL ? (uint32_t)world_draw(random, 1, 4) : 1;
    w->keep_trace = true;
    w->check_every = 16;
    world_add_nse(w, level == LEVEL_NSE ? terms : WORLD_UNLIMITED);
    for (uint32_t b = 0; b < cells; b++) {
        world_add_cell(w, 0, level == LEVEL_CELL ? terms : WORLD_PLENTY,
                       level == LEVEL_DEFAULT ? terms : WORLD_PLENTY);
        for (uint32_t i = 0; i < mss; i++)
            add_ms(w, level, terms, b, mix, random);
    }
    return w;
}

// The trace from the first refusal on: after what went at the very beginning.
static void judge(const struct world *w, enum level level, uint32_t rate, uint32_t pdus)
{
    __int128 sent = 0, least = 0, most = 0;
    uint32_t i = 0, largest = 0;
    uint64_t begin_ns = w->sent[0].time_ns;
    while (i < w->sents && w->sent[i].time_ns == begin_ns)
        i++;
    uint64_t last_ns = begin_ns;
    assert_true(w->sents - i >= pdus);
    for (; i < w->sents; i++) {
        const struct world_sent *s = &w->sent[i];
        uint32_t octets = level == LEVEL_NSE ? s->pipe_octets : s->llc_octets;
        __int128 leaked = (__int128)rate * (s->time_ns - begin_ns);
        if (s->time_ns != last_ns && sent - (leaked - rate) < least)
            least = sent - (leaked - rate);
        sent += octets * (__int128)BUCKET_UNITS_AN_OCTET;
        most = sent - leaked > most ? sent - leaked : most;
        largest = octets > largest ? octets : largest;
        last_ns = s->time_ns;
    }
    if (most - least >= (__int128)(largest * BUCKET_UNITS_AN_OCTET))
        fail_msg("level %d, rate %u: %.3f octets off, largest PDU %u", level, rate,
                 (double)(most - least) / (double)BUCKET_UNITS_AN_OCTET, largest);
}

static void run_and_judge(enum level level, struct bucket_terms terms, struct mix mix,
                          uint32_t pdus, uint64_t random)
{
    struct world *w = limited(level, terms, mix, &random);
    while (w->sents < pdus + terms.max_octets / 11u + 20)
        world_run(w, w->now_ns + MS_IN_NS + 4000 * S_IN_NS / terms.rate);
    judge(w, level, terms.rate, pdus);
    world_close(w);
}

static void every_level_every_rate_every_size(void **state)
{
    static const uint32_t rate[] = {1, 3, 10, 80, 134, 236, 1000, 4321, 20000, 65000, 65535};
    static const struct mix mix[] = {{1, 1, 1520},       {40, 40, 1520},  {1500, 1500, 1520},
                                     {1600, 1600, 1520}, {1, 1600, 1520}, {1, 1600, 140}};
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t r = 0; r < sizeof rate / sizeof rate[0]; r++)
            for (uint32_t m = 0; m < sizeof mix / sizeof mix[0]; m++)
                run_and_judge(level, (struct bucket_terms){rate[r], 2 * 1586}, mix[m], 200, r + m);
}

static void random_buckets_are_exact(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(1000); i++) {
        uint64_t random = random_next();
        uint32_t rate = world_random_rate(&random);
        uint16_t most = (uint16_t)world_draw(&random, 1, 1600);
        struct mix mix = {(uint16_t)world_draw(&random, 1, most), most,
                          (uint16_t)world_draw(&random, 140, 1520)};
        uint32_t max = (uint32_t)world_draw(&random, 2 * 1586, 8000);
        run_and_judge(i % LEVELS, (struct bucket_terms){rate, max}, mix, 150, random);
    }
}

// An hour at 13.4 kbit/s: no error adds up.
static void an_hour_is_exact(void **state)
{
    const struct mix mix = {40, 1500, 1520};
    uint32_t pdus = 13400 / 8 * 3600 / 780;
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        run_and_judge(level, (struct bucket_terms){134, 5000}, mix, WORLD_CASES(pdus), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_every_rate_every_size),
        cmocka_unit_test(random_buckets_are_exact),
        cmocka_unit_test(an_hour_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
