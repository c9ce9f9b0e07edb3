// S3: (cell, class) pairs share by weighted max-min, signalling first: each is within 2 % and two
// largest PDUs of progressive filling, once buckets have filled, for Bmax >= R x 0.2 s + one PDU.
// The 0.2 s are what a node may wait for its turn above without its bucket running empty: what
// leaks then is lost to it. Where a PDU alone takes longer than that above (1526 octets take 1.5 s
// at 8 kbit/s) no order of PDUs keeps the bucket filled. So the random trees, which are as slow as
// cells are, add the time of two largest PDUs on each node above; the trees by hand do not.
#include "tests/dataplane/sched/world_shares.h"

#include <math.h>

#include "tests/dataplane/random.h"

static void random_sizes(uint64_t *random, uint16_t *least, uint16_t *most)
{
    *most = (uint16_t)world_draw(random, 60, 1500);
    *least = world_draw(random, 0, 1) ? *most : (uint16_t)world_draw(random, 40, *most);
}

static void random_pair(struct shares *t, uint32_t b, enum traffic_class class, uint64_t *random)
{
    double cell = t->cell_rate[b];
    for (uint32_t n = (uint32_t)world_draw(random, 1, 3); n; n--) {
        uint16_t least, most;
        random_sizes(random, &least, &most);
        bool limited = world_draw(random, 0, 2) == 0;
        double demand = limited ? shares_draw_rate(random, 800, cell * 8) / 8 : INFINITY;
        shares_ms(t, b, class, demand, (enum shares_way)world_draw(random, BY_MS, BY_SOURCE), least,
                  most);
    }
}

static struct shares *random_shares(uint64_t *random)
{
    struct sched_config config = world_config();
    double rate[6], sum = 0;
    uint32_t cells = (uint32_t)world_draw(random, 1, 6);
    for (uint32_t c = 1; c < CLASS_COUNT && world_draw(random, 0, 1); c++)
        config.of_class[c].weight = (uint32_t)world_draw(random, 1, 1000);
    for (uint32_t b = 0; b < cells; b++)
        sum += rate[b] = shares_draw_rate(random, 8000, 200000);
    double pipe = sum * (double)world_draw(random, 30, 95) / 100;
    struct shares *t = shares_open(
        &config, world_draw(random, 0, 2) ? shares_deep(pipe, SHARES_BANK_S) : WORLD_UNLIMITED);
    for (uint32_t b = 0; b < cells; b++) {
        double turns_s = 2 * SHARES_LLC_MOST / t->pipe_rate;
        shares_cell(t, shares_deep(rate[b], SHARES_BANK_S + turns_s +
                                                (double)world_draw(random, 0, 800) / 1000));
        t->ms_bank_s = SHARES_BANK_S + turns_s + 2 * SHARES_LLC_MOST / t->cell_rate[b];
        if (world_draw(random, 0, 4) == 0) { // little enough of it for every cell and pipe
            shares_ms(t, b, CLASS_SIGNALLING, rate[b] / 8 / 10, BY_MS, 40, 300);
            if (world_draw(random, 0, 1))
                shares_twin(t, t->w->pfcs - 1, 40, 300);
        }
        for (uint32_t c = 1; c < CLASS_COUNT; c++)
            if (world_draw(random, 0, 1))
                random_pair(t, b, c, random);
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

// What a plain scheduler of cells gets wrong: on a full pipe background alone in its cell is worth
// no more than background beside all classes.
static void a_cell_of_background_beside_one_of_all_classes(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct shares *t = shares_open(&config, shares_deep(100000, SHARES_BANK_S));
    shares_cell(t, shares_deep(80000, SHARES_BANK_S));
    shares_cell(t, shares_deep(80000, SHARES_BANK_S));
    shares_ms(t, 0, CLASS_BACKGROUND, INFINITY, BY_MS, 1500, 1500);
    for (uint32_t c = 1; c < CLASS_COUNT; c++)
        shares_ms(t, 1, c, INFINITY, BY_MS, 600, 600);
    shares_judge(t, 60, 2000);
}

// The same beside a cell that leaves the pipe room: then the lone background fills its own cell.
static void a_lone_background_gets_what_the_pipe_has_left(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct shares *t = shares_open(&config, shares_deep(100000, SHARES_BANK_S));
    shares_cell(t, shares_deep(80000, SHARES_BANK_S));
    shares_cell(t, shares_deep(80000, SHARES_BANK_S));
    shares_ms(t, 0, CLASS_BACKGROUND, INFINITY, BY_MS, 1500, 1500);
    shares_ms(t, 1, CLASS_STREAMING, 2500, BY_MS, 600, 600);
    shares_ms(t, 1, CLASS_BACKGROUND, INFINITY, BY_MS, 40, 40);
    shares_judge(t, 60, 1000);
}

static void the_paper_s_weights_hold_in_one_cell(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct shares *t = shares_open(&config, WORLD_UNLIMITED);
    shares_cell(t, shares_deep(30000, SHARES_BANK_S));
    for (uint32_t c = CLASS_STREAMING; c < CLASS_COUNT; c++)
        shares_ms(t, 0, c, INFINITY, BY_MS, 40, 1500);
    shares_judge(t, 60, 3000);
}

static void signalling_leaves_what_it_does_not_need(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct shares *t = shares_open(&config, shares_deep(60000, SHARES_BANK_S));
    for (uint32_t b = 0; b < 2; b++) {
        shares_cell(t, shares_deep(50000, SHARES_BANK_S));
        shares_ms(t, b, CLASS_SIGNALLING, b ? 3000 : 1000, BY_MS, 20, 200);
        shares_ms(t, b, CLASS_STREAMING, INFINITY, BY_MS, 1000, 1000);
    }
    shares_judge(t, 60, 300);
}

static void signalling_may_take_it_all(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct shares *t = shares_open(&config, WORLD_UNLIMITED);
    shares_cell(t, shares_deep(20000, SHARES_BANK_S));
    shares_ms(t, 0, CLASS_SIGNALLING, INFINITY, BY_MS, 20, 200);
    shares_ms(t, 0, CLASS_STREAMING, INFINITY, BY_MS, 1000, 1000);
    shares_judge(t, 10, 300);
}

// A cell, or a class of one, that had nothing to send for long has saved up no claim: from its
// coming on it gets its share and no more.
static void who_comes_back_has_no_claim(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 4; late++) {
        struct sched_config config = world_config();
        struct shares *t = shares_open(&config, shares_deep(50000, SHARES_BANK_S));
        for (uint32_t i = 0; i < 4; i++) { // cell and class
            if (i % 2 == 0)
                shares_cell(t, shares_deep(40000, SHARES_BANK_S));
            shares_ms(t, i / 2, i % 2 ? CLASS_STREAMING : CLASS_INTERACTIVE_1, INFINITY, BY_MS, 500,
                      500);
            if (i == late || (late % 2 == 0 && i == late + 1))
                t->w->source[i].start_ns = t->w->source[i].next_ns = 500 * S_IN_NS;
        }
        shares_judge(t, 502, 60);
    }
}

// A pipe without a CIR has no virtual time: what cells send then, far more than their later shares,
// is held against nobody when it gets a CIR, nor has who sent nothing a claim. The late cell comes
// just after the CIR: where both wait for their own buckets at that moment, they start anew anyhow.
static void pipe_gets_a_cir(uint32_t late, enum traffic_class of_0, enum traffic_class of_1)
{
    struct sched_config config = world_config();
    struct shares *t = shares_open(&config, WORLD_UNLIMITED);
    for (uint32_t b = 0; b < 2; b++) {
        shares_cell(t, shares_deep(500000, SHARES_BANK_S));
        shares_ms(t, b, b ? of_1 : of_0, INFINITY, BY_MS, 1000, 1000);
        if (late >> b & 1)
            t->w->source[b].start_ns = t->w->source[b].next_ns = 60 * S_IN_NS + MS_IN_NS;
    }
    world_run(t->w, 60 * S_IN_NS);
    world_nse_set(t->w, 0, shares_deep(200000, SHARES_BANK_S));
    t->pipe_rate = shares_octets_per_s(t->w->nse[0].bucket.offered);
    shares_judge(t, 61, 60);
}

static void a_pipe_that_gets_a_cir_starts_anew(void **state)
{
    (void)state;
    for (uint32_t late = 0; late < 4; late++) { // a bit for each cell
        pipe_gets_a_cir(late, CLASS_BACKGROUND, CLASS_BACKGROUND);
        pipe_gets_a_cir(late, CLASS_INTERACTIVE_1, CLASS_BACKGROUND);
    }
}

// An MS that its own bucket limits shares its rate by weight among its classes. The cell is not
// full; its other MSs, limited by their own buckets too, keep the high class busy.
static void ms_of_two_classes(uint32_t high, uint32_t low, uint32_t others, uint16_t high_octets,
                              uint16_t low_octets)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_STREAMING].weight = high;
    config.of_class[CLASS_BACKGROUND].weight = low;
    struct shares *t = shares_open(&config, WORLD_UNLIMITED);
    shares_cell(t, shares_deep(20000 * (others + 1) * 1.3, SHARES_BANK_S));
    for (uint32_t i = 0; i < others; i++)
        shares_ms(t, 0, CLASS_STREAMING, 2500, BY_MS, 500, 500);
    uint32_t pfc = world_add_simple(t->w, 0, CLASS_STREAMING), ms = t->w->pfc[pfc].ms;
    uint32_t back = world_add_pfc(t->w, ms, 1, CLASS_BACKGROUND);
    world_ms_set(t->w, ms, shares_deep(20000, SHARES_BANK_S));
    world_add_greedy(t->w, pfc, high_octets, high_octets);
    world_add_greedy(t->w, back, low_octets, low_octets);
    t->w->source[t->w->sources - 1].lle = 1;
    world_run(t->w, 60 * S_IN_NS);
    double before[2] = {(double)t->w->pfc[pfc].sent_octets, (double)t->w->pfc[back].sent_octets};
    world_run(t->w, 2060 * S_IN_NS);
    double sent = (double)t->w->pfc[back].sent_octets - before[1];
    double sum = (double)t->w->pfc[pfc].sent_octets - before[0] + sent;
    double wanted = 5e6 * low / (high + low);
    if (fabs(sum - 5e6) > 2 * SHARES_LLC_MOST ||
        fabs(sent - wanted) > 0.02 * wanted + 2 * SHARES_LLC_MOST)
        fail_msg("%u:%u of %u and %u octets beside %u: %.0f of %.0f octets, wanted %.0f", high, low,
                 high_octets, low_octets, others, sent, sum, wanted);
    world_close(t->w);
    free(t);
}

static void an_ms_limited_by_its_own_bucket_shares_by_weight(void **state)
{
    (void)state;
    for (uint32_t others = 0; others <= 4; others += 2) {
        ms_of_two_classes(900, 5, others, 500, 500);
        ms_of_two_classes(900, 5, others, 1500, 40);
        ms_of_two_classes(900, 5, others, 40, 1500);
        ms_of_two_classes(50, 50, others, 1500, 40);
        ms_of_two_classes(50, 15, others, 40, 1500);
        ms_of_two_classes(5, 900, others, 700, 700);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_trees_share),
        cmocka_unit_test(a_cell_of_background_beside_one_of_all_classes),
        cmocka_unit_test(a_lone_background_gets_what_the_pipe_has_left),
        cmocka_unit_test(the_paper_s_weights_hold_in_one_cell),
        cmocka_unit_test(signalling_leaves_what_it_does_not_need),
        cmocka_unit_test(signalling_may_take_it_all),
        cmocka_unit_test(who_comes_back_has_no_claim),
        cmocka_unit_test(a_pipe_that_gets_a_cir_starts_anew),
        cmocka_unit_test(an_ms_limited_by_its_own_bucket_shares_by_weight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
