// S4: MSs of one class of one cell, none limited by its own bucket, get equal octets after 200
// N-PDUs each: Jain's index at least 0.99, whatever their packet sizes, pieces and numbers of
// flows, and whatever other contexts of theirs are on the same SAPI.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define NPDUS_EACH 200
#define PDU_MOST   1526

static struct world *cell_of(bool flow_queues, uint64_t bit_per_s, uint64_t cir_bit_per_s)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = flow_queues ? 16 : 0;
    for (uint32_t c = 0; c < CLASS_COUNT; c++) {
        config.of_class[c].flow_queues = flow_queues;
        config.of_class[c].weight = 50;
    }
    struct world *w = world_open(&config);
    w->check_every = WORLD_EVERY(256);
    world_add_nse(w, cir_bit_per_s ? world_terms(cir_bit_per_s, 5000) : WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(bit_per_s, 5000), WORLD_PLENTY);
    return w;
}

// A greedy MS of so many flows, deep enough to be backlogged through any burst of takes.
static void add_ms(struct world *w, enum traffic_class class, uint16_t least, uint16_t most,
                   uint32_t flows)
{
    uint32_t pfc = world_add_simple(w, 0, class);
    world_add_greedy(w, pfc, least, most);
    w->source[w->sources - 1].flows = flows;
    w->source[w->sources - 1].depth = flows > 1 ? 24 : 8;
}

#define MSS_MOST 128

// What each MS has sent in the class of its first context: N-PDUs, and octets of LLC PDUs.
struct sums {
    uint64_t npdus[MSS_MOST], octets[MSS_MOST];
    enum traffic_class class[MSS_MOST];
};

static struct sums sums_of(const struct world *w)
{
    struct sums sums = {0};
    bool known[MSS_MOST] = {false};
    for (uint32_t i = 0; i < w->pfcs; i++) {
        const struct world_pfc *p = &w->pfc[i];
        if (!known[p->ms])
            sums.class[p->ms] = p->traffic_class;
        known[p->ms] = true;
        if (p->traffic_class != sums.class[p->ms])
            continue;
        sums.npdus[p->ms] += p->finished;
        sums.octets[p->ms] += p->sent_octets;
    }
    return sums;
}

static uint64_t npdus_least(const struct sums *sums, uint32_t mss)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < mss; i++)
        least = sums->npdus[i] < least ? sums->npdus[i] : least;
    return least;
}

static double jain(const struct sums *sums, uint32_t mss)
{
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < mss; i++) {
        double octets = (double)sums->octets[i];
        sum += octets;
        squares += octets * octets;
    }
    return sum * sum / squares / mss;
}

// Of the first MSs only; others are there to disturb. It is judged from the step on in which each
// has sent so many N-PDUs until each has sent a quarter more, in steps of one PDU: after thousands
// anything is fair, and so is any order of turns at the moment at which the last one has had his.
static void judge(struct world *w, uint32_t mss)
{
    uint64_t step_ns = PDU_MOST * BUCKET_UNITS_AN_OCTET / w->cell[0].bucket.offered.rate;
    step_ns = step_ns < S_IN_NS ? step_ns : S_IN_NS;
    for (uint64_t least = 0; least < NPDUS_EACH * 5 / 4;) {
        world_run(w, w->now_ns + step_ns);
        struct sums sums = sums_of(w);
        least = npdus_least(&sums, mss);
        if (least >= NPDUS_EACH && jain(&sums, mss) < 0.99)
            fail_msg("Jain's index of %u MSs is %.4f after %llu N-PDUs", mss, jain(&sums, mss),
                     (unsigned long long)least);
        assert_true(w->now_ns < 200000 * S_IN_NS);
    }
    world_close(w);
}

static void one_ms_with_100_flows_beside_99_with_one(void **state)
{
    (void)state;
    for (uint32_t flow_queues = 0; flow_queues < 2; flow_queues++)
        for (enum traffic_class c = 0; c < CLASS_COUNT; c++) {
            struct world *w = cell_of(flow_queues, 400000, 0);
            for (uint32_t i = 0; i < 100; i++)
                add_ms(w, c, 500, 500, i ? 1 : 100);
            judge(w, 100);
        }
}

static void small_packets_beside_large_ones(void **state)
{
    (void)state;
    for (uint32_t cir = 0; cir < 2; cir++) {
        struct world *w = cell_of(false, 80000, cir * 60000);
        for (uint32_t i = 0; i < 20; i++)
            add_ms(w, CLASS_BACKGROUND, i % 2 ? 40 : 1500, i % 2 ? 40 : 1500, 1);
        judge(w, 20);
    }
}

// Of one class: the MS counts once, however its PFCs share what it gets.
static void two_pfcs_of_a_class_count_as_one_ms(void **state)
{
    (void)state;
    struct world *w = cell_of(false, 80000, 0);
    for (uint32_t i = 0; i < 10; i++)
        add_ms(w, CLASS_INTERACTIVE_2, 40, 1500, 1);
    for (uint32_t slot = 1; slot < 4; slot++) {
        uint32_t pfc = world_add_pfc(w, 0, slot, CLASS_INTERACTIVE_2);
        world_add_greedy(w, pfc, 40, 1500);
        w->source[w->sources - 1].lle = (uint8_t)slot;
    }
    world_run(w, 60 * S_IN_NS);
    judge(w, 10);
}

// ---- Several contexts on one SAPI, N-PDUs of several pieces ----

static uint32_t add_context(struct world *w, uint32_t ms, uint32_t slot, enum traffic_class class,
                            uint16_t least, uint16_t most)
{
    uint32_t pfc = world_add_pfc(w, ms, slot, class);
    world_add_greedy(w, pfc, least, most);
    return pfc;
}

static void contexts_of_a_class_on_one_sapi_count_as_one_ms(void **state)
{
    (void)state;
    for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += 460) {
        struct world *w = cell_of(false, 80000, 0);
        for (uint32_t i = 0; i < 6; i++)
            add_context(w, world_add_ms(w, 0, (uint16_t)n201_u), 0, CLASS_INTERACTIVE_2, 1400,
                        1400);
        for (uint32_t slot = 1; slot < 4; slot++)
            add_context(w, 0, slot, CLASS_INTERACTIVE_2, 1400, 1400);
        judge(w, 6);
    }
}

// Half of them have a context of another class on the same SAPI.
static void another_class_on_the_sapi_costs_nothing(void **state)
{
    (void)state;
    for (uint32_t weight = 5; weight <= 500; weight *= 10)
        for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += 460) {
            struct world *w = cell_of(false, 80000, 0);
            struct sched_class values = w->config.of_class[CLASS_BACKGROUND];
            values.weight = weight;
            world_class_set(w, CLASS_BACKGROUND, &values);
            for (uint32_t i = 0; i < 8; i++) {
                uint32_t ms = world_add_ms(w, 0, (uint16_t)n201_u);
                add_context(w, ms, 0, CLASS_STREAMING, 1400, 1400);
                if (i % 2)
                    add_context(w, ms, 1, CLASS_BACKGROUND, 1400, 1400);
            }
            judge(w, 8);
        }
}

// The first MS has a second class. Its bucket, which holds an LLC PDU and 60 ms, delays it between
// LLC PDUs, but does not limit it, as its R is the cell's.
static void another_class_in_a_small_bucket_takes_nothing_from_others(void **state)
{
    (void)state;
    for (uint32_t flow_queues = 0; flow_queues < 2; flow_queues++)
        for (uint32_t mss = 2; mss <= 8; mss += 3) {
            struct sched_config config = world_config();
            config.flows_a_pfc = flow_queues ? 16 : 0;
            config.of_class[CLASS_INTERACTIVE_1].weight = 40;
            config.of_class[CLASS_BACKGROUND].weight = 10;
            config.of_class[CLASS_INTERACTIVE_1].flow_queues = flow_queues;
            config.of_class[CLASS_BACKGROUND].flow_queues = flow_queues;
            struct world *w = world_open(&config);
            w->check_every = WORLD_EVERY(256);
            world_add_nse(w, WORLD_UNLIMITED);
            world_add_cell(w, 0, world_terms(48000, 120 + 506), world_terms(48000, 360 + 506));
            for (uint32_t i = 0; i < mss; i++)
                add_context(w, world_add_ms(w, 0, 500), 0, CLASS_BACKGROUND, 1400, 1400);
            add_context(w, 0, 1, CLASS_INTERACTIVE_1, 1400, 1400);
            w->source[w->sources - 1].lle = 1;
            world_run(w, 2400 * S_IN_NS);
            struct sums sums = sums_of(w);
            assert_true(npdus_least(&sums, mss) >= NPDUS_EACH);
            assert_true(jain(&sums, mss) >= 0.99);
            world_close(w);
        }
}

static void random_contexts_are_served_alike(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(150); i++) {
        uint64_t random = random_next();
        struct world *w = cell_of(false, world_draw(&random, 100, 4000) * 100, 0);
        enum traffic_class class = (enum traffic_class)world_draw(&random, 1, CLASS_COUNT - 1);
        uint32_t mss = (uint32_t)world_draw(&random, 2, 8);
        for (uint32_t m = 0; m < mss; m++) {
            uint16_t most = (uint16_t)world_draw(&random, 40, 1600);
            uint32_t ms = world_add_ms(w, 0, (uint16_t)world_draw(&random, 140, 1520));
            uint32_t slots = (uint32_t)world_draw(&random, 1, 4);
            for (uint32_t slot = 0; slot < slots; slot++)
                add_context(
                    w, ms, slot,
                    slot == 0 ? class : (enum traffic_class)world_draw(&random, 1, CLASS_COUNT - 1),
                    (uint16_t)world_draw(&random, 40, most), most);
        }
        judge(w, mss);
    }
}

// Other MSs come and go in the class and in others; some are limited.
static void add_disturbance(struct world *w, enum traffic_class class, uint64_t *random)
{
    for (uint32_t n = (uint32_t)world_draw(random, 0, 6); n; n--) {
        enum traffic_class c = world_draw(random, 0, 1)
                                   ? class
                                   : (enum traffic_class)world_draw(random, 1, CLASS_COUNT - 1);
        uint32_t pfc = world_add_simple(w, 0, c);
        if (world_draw(random, 0, 1))
            world_ms_set(w, w->pfc[pfc].ms, world_terms(800, 2000));
        world_add_source(w,
                         (struct world_source){.pfc = pfc,
                                               .least = 20,
                                               .most = 1500,
                                               .depth = 8,
                                               .seed = n,
                                               .on_ns = world_draw(random, 1, 5000) * MS_IN_NS,
                                               .off_ns = world_draw(random, 1, 20000) * MS_IN_NS});
    }
}

static void random_mss_are_served_alike(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(400); i++) {
        uint64_t random = random_next();
        uint64_t rate = world_draw(&random, 10, 4000) * 100;
        struct world *w =
            cell_of(world_draw(&random, 0, 1), rate, world_draw(&random, 0, 1) * rate * 9 / 10);
        enum traffic_class class = (enum traffic_class)world_draw(&random, 1, CLASS_COUNT - 1);
        uint32_t mss = (uint32_t)world_draw(&random, 2, 20);
        for (uint32_t m = 0; m < mss; m++) {
            uint16_t most = (uint16_t)world_draw(&random, 40, 1600);
            add_ms(w, class, (uint16_t)world_draw(&random, 40, most), most,
                   (uint32_t)world_draw(&random, 1, 30));
        }
        add_disturbance(w, class, &random);
        judge(w, mss);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ms_with_100_flows_beside_99_with_one),
        cmocka_unit_test(small_packets_beside_large_ones),
        cmocka_unit_test(two_pfcs_of_a_class_count_as_one_ms),
        cmocka_unit_test(random_mss_are_served_alike),
        cmocka_unit_test(contexts_of_a_class_on_one_sapi_count_as_one_ms),
        cmocka_unit_test(another_class_on_the_sapi_costs_nothing),
        cmocka_unit_test(another_class_in_a_small_bucket_takes_nothing_from_others),
        cmocka_unit_test(random_contexts_are_served_alike),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
