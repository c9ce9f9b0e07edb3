// S12 where PFCs share a bucket: one that is half sent is kept neither by what another of them
// begins nor by another that is half sent. The world judges S1, S6 and S12 besides; random lives
// are in packet_flow_test.c.
#include "tests/dataplane/sched/world.h"

// An MS that nothing but its packet flow limits; slot 0 is streaming, slot 1 background, each with
// an LLE for itself.
static struct world *a_flow(struct bucket_terms terms, struct bucket_terms cell)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, cell, WORLD_PLENTY);
    world_add_ms(w, 0, 500);
    world_add_pfc(w, 0, 0, CLASS_STREAMING);
    world_add_pfc(w, 0, 1, CLASS_BACKGROUND);
    world_pfc_share(w, 1, 0);
    world_pfc_set(w, 0, terms);
    return w;
}

// An N-PDU whose LLE others want begins when the bucket passes it whole. A PFC of the same bucket
// on another LLE takes none of that room before it has ended, so the others wait for the cell
// alone.
static void what_has_begun_keeps_its_room(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(800, 3000), world_terms(40000, 1600));
    world_add_greedy(w, 0, 1400, 1400);
    world_add_greedy(w, 1, 300, 300);
    w->source[1].lle = 1;
    world_add_pfc(w, 0, 2, CLASS_INTERACTIVE_1); // on the LLE of the first
    world_add_greedy(w, 2, 500, 500);
    world_run(w, 2000 * S_IN_NS);
    uint64_t begun_ns = 0;
    uint32_t ended = 0;
    for (uint32_t i = 0; i < w->sents; i++) {
        const struct world_sent *sent = &w->sent[i];
        if (sent->pfc != 0)
            continue;
        begun_ns = sent->first ? sent->time_ns : begun_ns;
        ended += sent->last;
        assert_true(sent->time_ns - begun_ns < S_IN_NS);
    }
    assert_true(ended > 30 && w->pfc[1].sent_pdus > 1);
    world_close(w);
}

// Two are half sent when the bucket is full: the one that it passes first goes first.
static void of_two_begun_none_waits_for_the_other(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 3000), world_terms(8000, 600));
    world_put(w, 0, 890, 0, 0, false);
    world_put(w, 1, 520, 1, 0, false);
    while (w->sents < 2)
        world_run(w, w->now_ns + MS_IN_NS);
    assert_true(w->sent[0].first && w->sent[1].first);
    world_ms_freeze(w, 0);
    world_run(w, w->now_ns + 2 * S_IN_NS);
    world_pfc_ratio(w, 0, 100);
    uint64_t full_ns = w->now_ns;
    world_ms_release(w, 0);
    world_run(w, full_ns + 2 * S_IN_NS);
    assert_int_equal(w->sents, 4);
    assert_int_equal(w->sent[2].pfc, 1);
    assert_int_equal(w->sent[2].time_ns, full_ns + w->sent[2].llc_octets * MS_IN_NS);
    world_close(w);
}

// The first of a bucket waits for its LLE, which a half-sent N-PDU of another bucket keeps. If that
// other bucket refuses the rest, another PFC of the first bucket goes at once. All is found out in
// one search, as nothing is tested while the MS is frozen.
static void a_held_first_delays_no_other_of_its_bucket(void **state)
{
    (void)state;
    struct world *w = a_flow(world_terms(8000, 1600), WORLD_PLENTY);
    uint32_t first = world_add_pfc(w, 0, 2, CLASS_SIGNALLING);
    world_pfc_share(w, first, 0);
    uint32_t keeper = world_add_pfc(w, 0, 3, CLASS_BACKGROUND);
    world_pfc_set(w, keeper, world_terms(100, 600));
    world_put(w, keeper, 900, 0, 0, false);
    world_put(w, 0, 1400, 1, 0, false);
    world_put(w, 0, 400, 1, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->pfc[keeper].sent_pdus, 1);
    assert_int_equal(w->pfc[0].finished, 1);
    world_put(w, first, 100, 0, 0, false);
    world_ms_freeze(w, 0);
    world_run(w, w->now_ns + S_IN_NS);
    world_pfc_set(w, keeper, world_terms(100, 700)); // the scheduler has to test it again
    world_ms_release(w, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->pfc[0].finished, 2);
    assert_int_equal(w->pfc[keeper].sent_pdus, 1);
    assert_int_equal(w->pfc[first].sent_pdus, 0);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_begun_keeps_its_room),
        cmocka_unit_test(of_two_begun_none_waits_for_the_other),
        cmocka_unit_test(a_held_first_delays_no_other_of_its_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
