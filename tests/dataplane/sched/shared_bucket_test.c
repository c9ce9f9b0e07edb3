// One packet flow with contexts of several classes: a slot for each, and one bucket (TS 48.018
// 8.2.3.2). The world replays that bucket beside the scheduler and judges each grant (S1), so a
// grant that a bucket of each class would let pass fails there too; the figures here are those of
// the standard's formula, worked out by hand.
#include "tests/dataplane/sched/world.h"

#include <math.h>

#define LLC_MOST 1526.0

// An MS that nothing but its packet flow limits; slot 0 is streaming, slot 1 background.
static struct world *a_flow(struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_ms(w, 0, 1520);
    world_add_pfc(w, 0, 0, CLASS_STREAMING);
    world_add_pfc(w, 0, 1, CLASS_BACKGROUND);
    world_pfc_share(w, 1, 0);
    world_pfc_set(w, 0, terms);
    return w;
}

// An N-PDU is 10 octets less than its LLC PDU; each PFC has an LLE for itself.
static void put_llc(struct world *w, uint32_t pfc, uint16_t llc_octets)
{
    assert_int_equal(world_put(w, pfc, (uint16_t)(llc_octets - 10), (uint8_t)pfc, 0, false),
                     DROP_NONE);
}

static void add_source(struct world *w, uint32_t pfc, uint8_t lle, uint16_t octets,
                       uint64_t stop_ns)
{
    world_add_source(w, (struct world_source){.pfc = pfc,
                                              .least = octets,
                                              .most = octets,
                                              .depth = 4,
                                              .lle = lle,
                                              .seed = pfc,
                                              .stop_ns = stop_ns});
}

static uint64_t sent_at(const struct world *w, uint64_t time_ns)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < w->sents; i++)
        octets += w->sent[i].time_ns == time_ns ? w->sent[i].llc_octets : 0;
    return octets;
}

static void no_more_than_bmax_at_an_instant(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 1600));
    uint64_t begin_ns = w->now_ns;
    put_llc(w, 0, 1410);
    put_llc(w, 1, 1410);
    world_run(w, begin_ns);
    assert_int_equal(sent_at(w, begin_ns), 1410);
    world_run(w, begin_ns + 10 * S_IN_NS);
    assert_int_equal(w->sents, 2);
    // 1410 + 1410 - 1600 octets have to leak, at 1000 octets a second.
    assert_int_equal(w->sent[1].time_ns, begin_ns + 1220 * MS_IN_NS);
    world_close(w);
}

static void r_of_100_bit_per_s_is_100(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(100, 100));
    add_source(w, 0, 0, 40, UINT64_MAX);
    add_source(w, 1, 1, 40, UINT64_MAX);
    world_run(w, 8000 * S_IN_NS);
    double sent = (double)(w->pfc[0].sent_octets + w->pfc[1].sent_octets);
    assert_true(fabs(sent - 100000.0) <= 100 + 50);
    world_close(w);
}

// Backlogged, they share it by weight, whatever the sizes, on LLEs of their own or on one.
static void no_class_starves_the_other(void **state)
{
    (void)state;
    static const uint16_t sizes[][2] = {{40, 1500}, {1500, 40}, {40, 40}, {1500, 1500}};
    for (uint32_t i = 0; i < 8; i++) {
        struct world *w = a_flow(world_terms(40000, i % 2 ? 1600 : 5000));
        w->check_every = 64;
        add_source(w, 0, 0, sizes[i / 2][0], UINT64_MAX);
        add_source(w, 1, i % 2, sizes[i / 2][1], UINT64_MAX);
        world_run(w, 400 * S_IN_NS);
        const struct sched_class *of = w->config.of_class;
        double weights[2] = {of[CLASS_STREAMING].weight, of[CLASS_BACKGROUND].weight};
        double sent[2] = {(double)w->pfc[0].sent_octets, (double)w->pfc[1].sent_octets};
        double wanted = 2000000.0 * weights[1] / (weights[0] + weights[1]);
        assert_true(fabs(sent[0] + sent[1] - 2000000) <= 5000 + LLC_MOST);
        if (fabs(sent[1] - wanted) > 0.02 * wanted + 2 * LLC_MOST)
            fail_msg("case %u: %.0f and %.0f octets, wanted %.0f", i, sent[0], sent[1], wanted);
        world_close(w);
    }
}

// A class whose queue runs empty and comes back has its own claim alone: it takes none of those
// that wait meanwhile.
static void coming_back_takes_no_claim(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(40000, 1600));
    w->keep_trace = false;
    add_source(w, 0, 0, 1500, UINT64_MAX);
    add_source(w, 1, 1, 40, UINT64_MAX);
    w->source[1].depth = 1;
    world_run(w, 400 * S_IN_NS);
    const struct sched_class *of = w->config.of_class;
    double weights[2] = {of[CLASS_STREAMING].weight, of[CLASS_BACKGROUND].weight};
    double most = 2000000.0 * weights[1] / (weights[0] + weights[1]) + 2 * LLC_MOST;
    if ((double)w->pfc[1].sent_octets > most)
        fail_msg("%llu octets, at most %.0f", (unsigned long long)w->pfc[1].sent_octets, most);
    world_close(w);
}

// In a full cell: what the cell lacks for one class is no reason for the flow to lose its rate, and
// a small PDU whose class's turn comes first does not take the room that was waited for. Ten MSs of
// background leave that class little there; the flow has its rate, shared by weight.
static void in_a_full_cell(uint16_t streaming_octets, uint16_t background_octets)
{
    struct world *w = a_flow(world_terms(10000, 3000));
    w->check_every = 256;
    w->keep_trace = false;
    world_cell_set(w, 0, world_terms(40000, 8000), WORLD_PLENTY);
    add_source(w, 0, 0, streaming_octets, UINT64_MAX);
    add_source(w, 1, 1, background_octets, UINT64_MAX);
    for (uint32_t i = 0; i < 10; i++)
        add_source(w, world_add_simple(w, 0, CLASS_BACKGROUND), 0, 500, UINT64_MAX);
    world_run(w, 4000 * S_IN_NS);
    double sent[2] = {(double)w->pfc[0].sent_octets, (double)w->pfc[1].sent_octets};
    const struct sched_class *of = w->config.of_class;
    double weights[2] = {of[CLASS_STREAMING].weight, of[CLASS_BACKGROUND].weight};
    double wanted = 5000000.0 * weights[1] / (weights[0] + weights[1]);
    assert_true(fabs(sent[0] + sent[1] - 5000000) <= 3000 + LLC_MOST);
    if (fabs(sent[1] - wanted) > 0.02 * wanted + 2 * LLC_MOST)
        fail_msg("%.0f and %.0f octets, wanted %.0f", sent[0], sent[1], wanted);
    world_close(w);
}

static void a_full_cell_does_not_halve_it(void **state)
{
    (void)state;
    in_a_full_cell(500, 500);
    in_a_full_cell(40, 1500);
    in_a_full_cell(1500, 40);
}

// A neighbour outside the flow, without a limit, loses nothing by it and gives nothing to it.
static void others_of_the_ms_are_not_delayed(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 1600));
    world_add_pfc(w, 0, 2, CLASS_BACKGROUND);
    for (uint32_t pfc = 0; pfc < 2; pfc++)
        add_source(w, pfc, (uint8_t)pfc, 700, UINT64_MAX);
    world_run(w, 100 * S_IN_NS);
    for (uint32_t i = 0; i < 50; i++) {
        uint64_t before = w->pfc[2].sent_pdus;
        put_llc(w, 2, 400);
        world_run(w, w->now_ns);
        assert_int_equal(w->pfc[2].sent_pdus, before + 1);
        world_run(w, w->now_ns + 77 * MS_IN_NS);
    }
    world_close(w);
}

// Whoever of them is asked: values, level, credit and a stop are those of all.
static void what_is_set_at_one_holds_for_all(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 1600));
    world_pfc_set(w, 1, world_terms(16000, 2000));
    assert_int_equal(sched_pfc_bucket(w->sched, 0, 0, w->now_ns).terms.max_octets, 2000);
    world_pfc_ratio(w, 1, 50);
    assert_int_equal(sched_pfc_bucket(w->sched, 0, 0, w->now_ns).level,
                     1000 * BUCKET_UNITS_AN_OCTET);
    world_pfc_credit(w, 0, 400);
    assert_int_equal(sched_pfc_bucket(w->sched, 0, 1, w->now_ns).level,
                     600 * BUCKET_UNITS_AN_OCTET);
    world_pfc_set(w, 1, world_terms(0, 2000));
    put_llc(w, 0, 100);
    put_llc(w, 1, 100);
    world_run(w, w->now_ns + 10 * S_IN_NS);
    assert_int_equal(w->sents, 0);
    world_pfc_unlimit(w, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 2);
    world_close(w);
}

// The bucket, its level and its values pass to who is left; alone, that one goes on exactly.
static void the_leader_goes(void **state)
{
    (void)state;
    for (uint32_t goes = 0; goes < 2; goes++) {
        struct world *w = a_flow(world_terms(8000, 1600));
        uint64_t begin_ns = w->now_ns;
        put_llc(w, 0, 1410);
        put_llc(w, 1, 1410);
        put_llc(w, 0, 1410);
        put_llc(w, 1, 1410);
        world_run(w, begin_ns);
        uint32_t rest = !goes;
        uint64_t before = w->pfc[rest].sent_pdus;
        world_pfc_remove(w, goes);
        world_run(w, begin_ns + 1219 * MS_IN_NS);
        assert_int_equal(w->pfc[rest].sent_pdus, before);
        world_run(w, begin_ns + 1220 * MS_IN_NS);
        assert_int_equal(w->pfc[rest].sent_pdus, before + 1);
        assert_int_equal(sched_pfc_bucket(w->sched, 0, rest, w->now_ns).terms.max_octets, 1600);
        world_close(w);
    }
}

// In its new cell the flow has no values, but still one bucket: so within a scheduler as between
// two.
static void it_moves(void **state)
{
    (void)state;
    for (uint32_t far = 0; far < 2; far++) {
        struct world *w = a_flow(world_terms(100, 1600)), *to = a_flow(world_terms(8000, 1600));
        world_ms_remove(to, 0);
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        put_llc(w, 0, 1410);
        put_llc(w, 1, 1410);
        world_run(w, S_IN_NS);
        world_run(to, S_IN_NS);
        assert_int_equal(w->sents, 1);
        if (far)
            world_ms_goes(w, 0, to, 0);
        else
            world_ms_move(w, 0, 1);
        struct world *there = far ? to : w;
        world_run(there, there->now_ns);
        assert_int_equal(there->sents, far ? 1 : 2); // without values
        world_pfc_set(there, 1, world_terms(8000, 1600));
        uint64_t now_ns = there->now_ns;
        uint32_t before = there->sents;
        put_llc(there, 0, 1420);
        put_llc(there, 1, 1420);
        world_run(there, now_ns);
        assert_int_equal(there->sents, before + 1);
        world_run(there, now_ns + 1240 * MS_IN_NS);
        assert_int_equal(there->sents, before + 2);
        assert_int_equal(there->sent[before + 1].time_ns, now_ns + 1240 * MS_IN_NS);
        world_close(w);
        world_close(to);
    }
}

// ---- What an AQM can expect of it ----

static uint32_t seen_octets_per_s;

static enum aqm_verdict on_enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    seen_octets_per_s = aqm_share(view);
    return AQM_PASS;
}

static enum aqm_verdict on_dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    (void)view;
    return AQM_PASS;
}

static const struct aqm_ops looker = {
    .name = "looker", .help = "looks", .enqueue = on_enqueue, .dequeue = on_dequeue};

static uint32_t share_seen(struct world *w, uint32_t pfc)
{
    world_put(w, pfc, 100, 0, 0, false);
    return seen_octets_per_s;
}

// By weight while both classes want it, all of it for one alone.
static void the_share_is_by_weight(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    for (uint32_t i = 0; i < CLASS_COUNT; i++)
        config.of_class[i].aqm.ops = &looker;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    uint32_t ms = world_add_ms(w, 0, 1520);
    uint32_t background = world_add_pfc(w, ms, 0, CLASS_BACKGROUND);
    uint32_t streaming = world_add_pfc(w, ms, 1, CLASS_STREAMING);
    world_pfc_share(w, background, streaming);
    world_pfc_set(w, background, world_terms(800000, 5000)); // 100 000 octets/s
    const struct sched_class *of = w->config.of_class;
    uint32_t weights[2] = {of[CLASS_BACKGROUND].weight, of[CLASS_STREAMING].weight};
    uint32_t sum = weights[0] + weights[1];
    assert_int_equal(share_seen(w, background), 100000);
    assert_int_equal(share_seen(w, streaming), 100000 * weights[1] / sum);
    for (uint32_t i = 0; i < 64; i++) // it may be worked out only now and then
        share_seen(w, background);
    assert_int_equal(share_seen(w, background), 100000 * weights[0] / sum);
    world_close(w);
}

static void refused(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 1600));
    assert_int_equal(sched_pfc_share(w->sched, 0, 1, 1, 0), -SCHED_BAD_ID);
    assert_int_equal(sched_pfc_share(w->sched, 0, 1, 2, 0), -SCHED_MISSING);
    assert_int_equal(sched_pfc_share(w->sched, 0, 2, 1, 0), -SCHED_MISSING);
    assert_int_equal(sched_pfc_share(w->sched, 1, 0, 1, 0), -SCHED_MISSING);
    assert_int_equal(sched_pfc_share(w->sched, 0, SCHED_SLOTS, 1, 0), -SCHED_BAD_ID);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_more_than_bmax_at_an_instant),
        cmocka_unit_test(r_of_100_bit_per_s_is_100),
        cmocka_unit_test(no_class_starves_the_other),
        cmocka_unit_test(coming_back_takes_no_claim),
        cmocka_unit_test(a_full_cell_does_not_halve_it),
        cmocka_unit_test(others_of_the_ms_are_not_delayed),
        cmocka_unit_test(what_is_set_at_one_holds_for_all),
        cmocka_unit_test(the_leader_goes),
        cmocka_unit_test(it_moves),
        cmocka_unit_test(the_share_is_by_weight),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
