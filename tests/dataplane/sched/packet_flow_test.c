// One packet flow with contexts of several classes (one PFI, 8.2.3.2): its bucket is one, whatever
// classes are in it, by whichever of them it is set, and what it refuses waits for the PDU that is
// first in the order of those that share it, so no class starves another. S1, that every PDU
// conforms to the one bucket, is judged by the world at every grant, and that the scheduler's level
// is the same.
#include "tests/dataplane/sched/world_random.h"

#include <math.h>

#include "tests/dataplane/random.h"

#define LLC_MOST 1526

// An MS with streaming in slot 0, background in slot 1 and interactive 1 in slot 2, in one packet
// flow; the bucket is that of `lender`, set by `setter`.
static struct world *one_flow(uint32_t lender, uint32_t setter, struct bucket_terms terms,
                              uint16_t n201_u)
{
    static const enum traffic_class class[] = {CLASS_STREAMING, CLASS_BACKGROUND,
                                               CLASS_INTERACTIVE_1};
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_ms(w, 0, n201_u);
    for (uint32_t slot = 0; slot < 3; slot++)
        world_add_pfc(w, 0, slot, class[slot]);
    for (uint32_t slot = 0; slot < 3; slot++)
        if (slot != lender)
            world_pfc_share(w, slot, lender);
    world_pfc_set(w, setter, terms);
    return w;
}

// 1410 octets of each class: the first fills Bmax, the second waits for the leak.
static void bmax_holds_for_all_classes_together(void **state)
{
    (void)state;
    for (uint32_t lender = 0; lender < 3; lender++)
        for (uint32_t setter = 0; setter < 3; setter++) {
            struct world *w = one_flow(lender, setter, world_terms(8000, 1600), 1520);
            for (uint32_t slot = 0; slot < 3; slot++)
                world_put(w, slot, 1400, (uint8_t)slot, 0, false);
            world_run(w, w->now_ns);
            assert_int_equal(w->sents, 1);
            world_run(w, 1219 * MS_IN_NS);
            assert_int_equal(w->sents, 1);
            world_run(w, 10 * S_IN_NS);
            assert_int_equal(w->sents, 3);
            assert_int_equal(w->sent[1].time_ns, 1 + 1220 * MS_IN_NS);
            assert_int_equal(w->sent[2].time_ns, 1 + 2630 * MS_IN_NS);
            world_close(w);
        }
}

// What goes of all classes is R t, whichever of them have something.
static void r_holds_for_all_classes_together(void **state)
{
    static const uint32_t bit_per_s[] = {100, 8000, 64000};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t busy = 1; busy < 8; busy++) {
            struct world *w = one_flow(0, 1, world_terms(bit_per_s[i], 3200), 500);
            w->keep_trace = false;
            for (uint32_t slot = 0; slot < 3; slot++)
                if (busy >> slot & 1)
                    world_add_greedy(w, slot, 40, 1400);
            uint64_t wanted = 1000000; // octets
            world_run(w, wanted * 8 * S_IN_NS / bit_per_s[i]);
            assert_in_range(w->ms[0].sent_octets, wanted, wanted + 3200);
            world_close(w);
        }
}

// Greedy classes of any weights and sizes get theirs of the one bucket, on one LLE or on several.
static void share_by_weight(uint32_t high, uint32_t low, uint16_t high_octets, uint16_t low_octets,
                            uint16_t n201_u, bool one_lle)
{
    struct world *w = one_flow(1, 0, world_terms(8000, 3200), n201_u);
    struct sched_class values = w->config.of_class[CLASS_STREAMING];
    w->keep_trace = false;
    values.weight = high;
    world_class_set(w, CLASS_STREAMING, &values);
    values.weight = low;
    world_class_set(w, CLASS_BACKGROUND, &values);
    world_add_greedy(w, 0, high_octets, high_octets);
    world_add_greedy(w, 1, low_octets, low_octets);
    w->source[1].lle = !one_lle;
    world_run(w, 60 * S_IN_NS);
    double before[2] = {(double)w->pfc[0].sent_octets, (double)w->pfc[1].sent_octets};
    world_run(w, 2060 * S_IN_NS);
    for (uint32_t i = 0; i < 2; i++) {
        double sent = (double)w->pfc[i].sent_octets - before[i];
        double wanted = 2e6 * (i ? low : high) / (high + low);
        if (fabs(sent - wanted) > 0.02 * wanted + 2 * LLC_MOST)
            fail_msg("%u:%u of %u and %u octets, N201-U %u: class %u got %.0f, wanted %.0f", high,
                     low, high_octets, low_octets, n201_u, i, sent, wanted);
    }
    world_close(w);
}

static void no_class_starves_another(void **state)
{
    static const uint16_t n201_u[] = {140, 500, 1520};
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        share_by_weight(900, 5, 1400, 40, n201_u[i / 2], i % 2);
        share_by_weight(900, 5, 40, 1400, n201_u[i / 2], i % 2);
        share_by_weight(5, 900, 1400, 40, n201_u[i / 2], i % 2);
        share_by_weight(50, 50, 1400, 40, n201_u[i / 2], i % 2);
        share_by_weight(50, 50, 40, 1400, n201_u[i / 2], i % 2);
        share_by_weight(100, 5, 700, 700, n201_u[i / 2], i % 2);
    }
}

// A small N-PDU of one class that would conform does not take the room that the large one waits
// for, nor does it wait longer than that.
static void the_small_one_waits_for_the_first(void **state)
{
    (void)state;
    struct world *w = one_flow(0, 0, world_terms(8000, 1600), 1520);
    world_put(w, 0, 1400, 0, 0, false);
    world_put(w, 0, 1400, 0, 0, false);
    world_run(w, w->now_ns);
    for (uint32_t i = 0; i < 20; i++)
        world_put(w, 1, 40, 1, 0, false);
    world_run(w, 60 * S_IN_NS);
    assert_int_equal(w->finished.packets, 22);
    assert_int_equal(w->sent[1].pfc, 0); // who comes has no claim on what went before
    assert_int_equal(w->sent[1].time_ns, 1 + 1220 * MS_IN_NS);
    world_close(w);
}

// A level and a credit of any of them are the flow's.
static void level_and_credit_are_the_flow_s(void **state)
{
    (void)state;
    for (uint32_t by = 0; by < 3; by++) {
        struct world *w = one_flow(2, 0, world_terms(8000, 2000), 1520);
        world_pfc_ratio(w, by, 100);
        for (uint32_t slot = 0; slot < 3; slot++)
            world_put(w, slot, 490, (uint8_t)slot, 0, false);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 0);
        world_pfc_credit(w, by, 1000);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 2);
        world_pfc_unlimit(w, by);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 3);
        world_close(w);
    }
}

// R = 0 of any of them stops all; other PFCs of the MS go on.
static void a_stop_is_of_the_flow(void **state)
{
    (void)state;
    for (uint32_t by = 0; by < 3; by++) {
        struct world *w = one_flow(1, 0, world_terms(8000, 2000), 1520);
        uint32_t other = world_add_pfc(w, 0, 3, CLASS_BACKGROUND);
        world_pfc_set(w, by, (struct bucket_terms){0, 2000});
        for (uint32_t slot = 0; slot < 4; slot++)
            world_put(w, slot, 490, 0, 0, false);
        world_run(w, 100 * S_IN_NS);
        assert_int_equal(w->sents, 1);
        assert_int_equal(w->sent[0].pfc, other);
        world_pfc_set(w, (by + 1) % 3, world_terms(8000, 2000));
        world_run(w, 200 * S_IN_NS);
        assert_int_equal(w->sents, 4);
        world_close(w);
    }
}

// One that comes into a flow brings no level and no backlog of its own bucket with it.
static void a_context_joins_a_flow(void **state)
{
    (void)state;
    struct world *w = one_flow(0, 0, world_terms(8000, 1600), 1520);
    uint32_t late = world_add_pfc(w, 0, 3, CLASS_BACKGROUND);
    world_pfc_set(w, late, world_terms(100, 1600));
    world_pfc_ratio(w, late, 100);
    world_put(w, late, 1000, 3, 0, false);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sents, 0);
    world_pfc_share(w, late, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_close(w);
}

static void random_lives(uint32_t cases, uint16_t octets)
{
    uint64_t finished = 0;
    random_begin();
    for (uint32_t i = 0; i < cases; i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 2,
                                        .cells = 3,
                                        .mss = 8,
                                        .pfcs = 6,
                                        .octets = octets ? (uint16_t)(1 + random % octets) : 0,
                                        .lifetimes = i % 4 == 0,
                                        .flow_queues = !octets && i % 3 == 0};
        struct world *w = world_random(&random, &wish);
        for (uint32_t p = 1; p < w->pfcs; p++)
            if (w->pfc[p].ms == w->pfc[p - 1].ms && world_draw(&random, 0, 1))
                world_pfc_share(w, p, p - 1);
        w->judge_work = !wish.flow_queues;
        world_random_life(w, &random, 1000, 60);
        finished += w->finished.packets;
        world_close(w);
    }
    assert_true(finished > cases * 10);
}

static void random_lives_conform(void **state)
{
    (void)state;
    random_lives(WORLD_CASES(400), 0);
    random_lives(WORLD_CASES(200), 1500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bmax_holds_for_all_classes_together),
        cmocka_unit_test(r_holds_for_all_classes_together),
        cmocka_unit_test(no_class_starves_another),
        cmocka_unit_test(the_small_one_waits_for_the_first),
        cmocka_unit_test(level_and_credit_are_the_flow_s),
        cmocka_unit_test(a_stop_is_of_the_flow),
        cmocka_unit_test(a_context_joins_a_flow),
        cmocka_unit_test(random_lives_conform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
