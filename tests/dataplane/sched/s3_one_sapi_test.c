// S3 with several contexts of an MS on one SAPI, and N-PDUs of several pieces: pairs of cell and
// class share by weight all the same, for nobody's turn ends with another's N-PDU in its way. What
// is excepted: while a started N-PDU is held by its own bucket. An N-PDU that its packet flow's
// bucket cannot pass whole is not begun while others want the LLE, so buckets of packet flows hold
// nobody up here; they are as deep as the bank of S3 and one whole N-PDU.
#include "tests/dataplane/sched/world_shares.h"

#include <math.h>

#include "tests/dataplane/random.h"

#define N201_U 500
#define GREEDY(class, most)                      \
    (struct shares_context)                      \
    {                                            \
        0, class, INFINITY, BY_MS, most, most, 3 \
    }

// ---- One cell of 100 kbit/s: what went wrong here once ----

static struct shares *cell_of_100_kbit_per_s(uint32_t streaming, uint32_t background)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_STREAMING].weight = streaming;
    config.of_class[CLASS_BACKGROUND].weight = background;
    struct shares *t = shares_open(&config, WORLD_UNLIMITED);
    shares_cell(t, shares_deep(100000, SHARES_BANK_S));
    return t;
}

// Both on one SAPI of one MS, beside another MS's background: the class has its share, and the two
// have equal parts of it (S4).
static void two_contexts_beside_a_neighbour(uint32_t streaming, uint32_t background)
{
    struct shares *t = cell_of_100_kbit_per_s(streaming, background);
    uint32_t ms = world_add_ms(t->w, 0, N201_U), neighbour = world_add_ms(t->w, 0, N201_U);
    shares_add(t, ms, 0, GREEDY(CLASS_STREAMING, 1400));
    uint32_t own = shares_add(t, ms, 1, GREEDY(CLASS_BACKGROUND, 1400));
    uint32_t other = shares_add(t, neighbour, 0, GREEDY(CLASS_BACKGROUND, 1400));
    world_run(t->w, 510 * S_IN_NS);
    double sent[3];
    for (uint32_t i = 0; i < 3; i++)
        sent[i] = (double)t->w->pfc[i].sent_octets;
    print_message("# %u : %u: streaming %.0f, background %.0f, its neighbour's %.0f bit/s\n",
                  streaming, background, sent[0] * 8 / 510, sent[own] * 8 / 510,
                  sent[other] * 8 / 510);
    assert_true(fabs(sent[own] - sent[other]) <= 0.02 * sent[own] + 2 * SHARES_LLC_MOST);
    shares_judge(t, 510, 500);
}

static void weights_hold_on_one_sapi(void **state)
{
    (void)state;
    two_contexts_beside_a_neighbour(100, 5);
    two_contexts_beside_a_neighbour(5, 100);
    two_contexts_beside_a_neighbour(50, 50);
}

// Alone in the cell as well.
static void weights_hold_in_one_ms(void **state)
{
    static const uint32_t weights[][2] = {{100, 5}, {5, 100}, {900, 5}, {1, 1}};
    (void)state;
    for (uint32_t i = 0; i < sizeof weights / sizeof weights[0]; i++) {
        struct shares *t = cell_of_100_kbit_per_s(weights[i][0], weights[i][1]);
        uint32_t ms = world_add_ms(t->w, 0, N201_U);
        shares_add(t, ms, 0, GREEDY(CLASS_STREAMING, 1400));
        shares_add(t, ms, 1, GREEDY(CLASS_BACKGROUND, 600));
        shares_judge(t, 60, 500);
    }
}

// Four MSs of one class, one of them with a second context on the SAPI: it gets as much as they.
static void four_equal_mss(void **state)
{
    (void)state;
    struct shares *t = cell_of_100_kbit_per_s(100, 5);
    for (uint32_t i = 0; i < 4; i++)
        shares_add(t, world_add_ms(t->w, 0, N201_U), 0, GREEDY(CLASS_STREAMING, 1400));
    shares_add(t, 3, 1, GREEDY(CLASS_BACKGROUND, 1400));
    world_run(t->w, 500 * S_IN_NS);
    for (uint32_t i = 0; i < 4; i++)
        print_message("# MS %u: %.0f bit/s\n", i, (double)t->w->pfc[i].sent_octets * 8 / 500);
    for (uint32_t i = 0; i < 4; i++) {
        double sent = (double)t->w->pfc[i].sent_octets, wanted = 500 * 12500 / 105.0 * 25;
        assert_true(fabs(sent - wanted) <= 0.02 * wanted + 2 * SHARES_LLC_MOST);
    }
    shares_judge(t, 500, 500);
}

// Its own bucket limits the MS: the weights hold within it.
static void an_ms_limited_by_its_own_bucket_shares_by_weight(void **state)
{
    static const uint32_t weights[][2] = {{900, 5}, {5, 900}, {50, 15}, {1, 1}};
    (void)state;
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t *weight = weights[i / 4];
        struct shares *t = cell_of_100_kbit_per_s(weight[0], weight[1]);
        uint32_t ms = world_add_ms(t->w, 0, i % 2 ? N201_U : 140);
        world_ms_set(t->w, ms, shares_deep(20000, SHARES_BANK_S));
        uint32_t high = shares_add(t, ms, 0, GREEDY(CLASS_STREAMING, 1400));
        uint32_t low = shares_add(t, ms, 1, GREEDY(CLASS_BACKGROUND, i % 4 < 2 ? 1400 : 200));
        world_run(t->w, 2000 * S_IN_NS);
        double sent = (double)t->w->pfc[low].sent_octets;
        double sum = (double)t->w->pfc[high].sent_octets + sent;
        double wanted = 5e6 * weight[1] / (weight[0] + weight[1]);
        if (fabs(sum - 5e6) > 0.02 * 5e6 ||
            fabs(sent - wanted) > 0.02 * wanted + 2 * SHARES_LLC_MOST)
            fail_msg("%u:%u: %.0f of %.0f octets, wanted %.0f", weight[0], weight[1], sent, sum,
                     wanted);
        world_close(t->w);
        free(t);
    }
}

// ---- Random trees ----

static uint16_t random_n201_u(uint64_t *random)
{
    return (uint16_t)(world_draw(random, 0, 2) ? world_draw(random, 140, 700)
                                               : world_draw(random, 140, 1520));
}

static struct shares_context random_context(uint32_t b, enum traffic_class class, uint64_t *random)
{
    struct shares_context c = {.cell = b, .traffic_class = class, .demand = INFINITY};
    c.most = (uint16_t)world_draw(random, 60, 1500);
    c.least = world_draw(random, 0, 1) ? c.most : (uint16_t)world_draw(random, 40, c.most);
    c.lle = (uint8_t)(world_draw(random, 0, 7) == 0);
    return c;
}

// Contexts of different classes on one MS: those with buckets of their own are always backlogged,
// and so are those beside them, or some that begin alone would be held in the midst; beside sources
// that come and go there are greedy ones.
static void random_ms(struct shares *t, uint32_t b, uint64_t *random)
{
    uint32_t ms = world_add_ms(t->w, b, random_n201_u(random));
    enum shares_way way = world_draw(random, 0, 1) ? BY_PFC : BY_SOURCE;
    uint32_t slots = (uint32_t)world_draw(random, 1, 5);
    for (uint32_t slot = 0; slot < slots; slot++) {
        enum traffic_class class = (enum traffic_class)world_draw(random, 1, CLASS_COUNT - 1);
        struct shares_context c = random_context(b, class, random);
        c.way = way;
        if (world_draw(random, 0, 2) == 0)
            c.demand = shares_draw_rate(random, 800, t->cell_rate[b] * 8) / 8;
        shares_add(t, ms, slot, c);
    }
}

// Contexts of one class share an MS's own bucket; it is so small for signalling that every cell and
// pipe has it to spare.
static void random_limited_ms(struct shares *t, uint32_t b, uint64_t *random)
{
    uint32_t ms = world_add_ms(t->w, b, random_n201_u(random));
    enum traffic_class class = (enum traffic_class)world_draw(random, 0, CLASS_COUNT - 1);
    struct shares_context c = random_context(b, class, random);
    c.way = BY_MS;
    c.demand = shares_draw_rate(random, 800, t->cell_rate[b] * 8) / 8;
    if (class == CLASS_SIGNALLING)
        c.demand = t->cell_rate[b] / 10;
    uint32_t pfc = shares_add(t, ms, 0, c);
    if (world_draw(random, 0, 1))
        shares_twin(t, pfc, c.least, c.most);
}

static struct shares *random_shares(uint64_t *random)
{
    struct sched_config config = world_config();
    double rate[4], sum = 0;
    uint32_t cells = (uint32_t)world_draw(random, 1, 4);
    for (uint32_t c = 1; c < CLASS_COUNT && world_draw(random, 0, 1); c++)
        config.of_class[c].weight = (uint32_t)world_draw(random, 1, 1000);
    for (uint32_t b = 0; b < cells; b++)
        sum += rate[b] = shares_draw_rate(random, 8000, 200000);
    double pipe = sum * (double)world_draw(random, 30, 95) / 100;
    struct shares *t = shares_open(
        &config, world_draw(random, 0, 2) ? shares_deep(pipe, SHARES_BANK_S) : WORLD_UNLIMITED);
    for (uint32_t b = 0; b < cells; b++) {
        double turns_s = 2 * SHARES_LLC_MOST / t->pipe_rate;
        double bank_s = SHARES_BANK_S + turns_s + (double)world_draw(random, 0, 800) / 1000;
        shares_cell(t, shares_deep(rate[b], bank_s));
        t->ms_bank_s = SHARES_BANK_S + turns_s + 2 * SHARES_LLC_MOST / t->cell_rate[b];
        for (uint32_t n = (uint32_t)world_draw(random, 1, 3); n; n--)
            random_ms(t, b, random);
        if (world_draw(random, 0, 2) == 0)
            random_limited_ms(t, b, random);
    }
    return t;
}

static void random_trees_share(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(500); i++) {
        uint64_t random = random_next();
        shares_judge(random_shares(&random), 100, 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_hold_on_one_sapi),
        cmocka_unit_test(weights_hold_in_one_ms),
        cmocka_unit_test(four_equal_mss),
        cmocka_unit_test(an_ms_limited_by_its_own_bucket_shares_by_weight),
        cmocka_unit_test(random_trees_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
