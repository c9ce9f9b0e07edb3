// S7: a queue never reorders, and N(U) order is transmission order: an N-PDU that has begun ends,
// at the N201-U it began with, before the next of its LLE begins. The world judges every grant.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

static void change_n201_u(struct world *w, uint64_t *random)
{
    world_ms_n201_u(w, (uint32_t)world_draw(random, 0, w->mss - 1),
                    (uint32_t)world_draw(random, 0, SCHED_LLES - 1),
                    (uint16_t)world_draw(random, 140, 1520));
}

static void random_life(uint64_t random, bool flow_queues)
{
    const struct world_wish wish = {
        .nses = 2, .cells = 4, .mss = 8, .pfcs = 6, .flow_queues = flow_queues, .lifetimes = true};
    struct world *w = world_random(&random, &wish);
    for (uint32_t i = 0; i < 20; i++) {
        world_random_life(w, &random, 1500, 3);
        change_n201_u(w, &random);
    }
    world_close(w);
}

static void random_lives_keep_order(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(1000); i++)
        random_life(random_next(), i % 2);
}

static struct world *one_ms(uint16_t n201_u, struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->batch = 1;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, terms, WORLD_PLENTY);
    world_add_ms(w, 0, n201_u);
    return w;
}

// Four pieces of 140 and what is left; the next N-PDU only then.
static void the_next_n_pdu_waits_for_all_pieces(void **state)
{
    (void)state;
    struct world *w = one_ms(140, world_terms(8000, 300));
    world_add_pfc(w, 0, 0, CLASS_STREAMING);
    world_put(w, 0, 600, 0, 0, false);
    world_put(w, 0, 10, 0, 0, false);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sents, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(w->sent[i].first, i == 0 || i == 5);
        assert_int_equal(w->sent[i].last, i >= 4);
    }
    assert_int_equal(w->sent[0].llc_octets, 146);
    assert_int_equal(w->sent[4].llc_octets, 600 - 136 - 3 * 137 + 9);
    world_close(w);
}

// A long N-PDU of background has begun when a short one of streaming comes on another LLE: it goes
// between the pieces. On the same LLE it has to wait for the last of them.
static uint32_t place_of_the_short_one(uint8_t lle)
{
    struct world *w = one_ms(140, world_terms(8000, 300));
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    world_add_pfc(w, 0, 1, CLASS_STREAMING);
    world_put(w, 0, 1200, 0, 0, false);
    world_run(w, w->now_ns);
    assert_true(w->sents > 0 && w->sents < 5);
    world_put(w, 1, 10, lle, 0, false);
    world_run(w, 10 * S_IN_NS);
    uint32_t place = 0;
    while (w->sent[place].pfc != 1)
        place++;
    assert_int_equal(w->sents, 10);
    world_close(w);
    return place;
}

static void other_lles_go_between(void **state)
{
    (void)state;
    assert_in_range(place_of_the_short_one(1), 2, 4);
    assert_int_equal(place_of_the_short_one(0), 9);
}

static void a_begun_n_pdu_keeps_its_n201_u(void **state)
{
    (void)state;
    struct world *w = one_ms(140, world_terms(8000, 200));
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    world_put(w, 0, 1000, 2, 0, false);
    world_put(w, 0, 1000, 2, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_ms_n201_u(w, 0, 2, 500);
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 8 + 3);
    assert_int_equal(w->sent[6].llc_octets, 146);
    assert_int_equal(w->sent[8].llc_octets, 506);
    world_close(w);
}

// Flushed half sent, the LLE is free for the next.
static void a_flush_ends_a_begun_n_pdu(void **state)
{
    (void)state;
    struct world *w = one_ms(140, world_terms(8000, 200));
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    world_add_pfc(w, 0, 1, CLASS_STREAMING);
    world_put(w, 0, 1000, 0, 0, false);
    world_run(w, w->now_ns);
    world_put(w, 1, 100, 0, 0, false);
    world_ms_flush(w, 0);
    assert_int_equal(w->queued.packets, 0);
    assert_int_equal(w->dropped[DROP_flushed].packets, 2);
    world_put(w, 1, 100, 0, 0, false);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sents, 2);
    world_close(w);
}

// Removing one PFC frees the LLE for the other.
static void a_removed_pfc_frees_its_lle(void **state)
{
    (void)state;
    struct world *w = one_ms(140, world_terms(8000, 200));
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    world_add_pfc(w, 0, 1, CLASS_STREAMING);
    world_put(w, 0, 1000, 0, 0, false);
    world_run(w, w->now_ns);
    world_put(w, 1, 100, 0, 0, false);
    world_pfc_remove(w, 0);
    assert_int_equal(w->dropped[DROP_removed].packets, 1);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->finished.packets, 1);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lives_keep_order),
        cmocka_unit_test(the_next_n_pdu_waits_for_all_pieces),
        cmocka_unit_test(other_lles_go_between),
        cmocka_unit_test(a_begun_n_pdu_keeps_its_n201_u),
        cmocka_unit_test(a_flush_ends_a_begun_n_pdu),
        cmocka_unit_test(a_removed_pfc_frees_its_lle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
