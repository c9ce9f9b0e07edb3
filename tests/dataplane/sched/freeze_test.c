// Freeze and release of an MS, by command or by R = 0 of its own: nothing goes, the queue waits and
// does not age, N-PDUs still come in; the release sends at once what conforms.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

static struct world *one_ms(struct bucket_terms terms)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->judge_work = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_STREAMING);
    world_ms_set(w, 0, terms);
    return w;
}

static void stop(struct world *w, bool by_rate)
{
    if (by_rate)
        world_ms_set(w, 0, (struct bucket_terms){0, 5000});
    else
        world_ms_freeze(w, 0);
}

static void go_on(struct world *w, bool by_rate, struct bucket_terms terms)
{
    if (by_rate)
        world_ms_set(w, 0, terms);
    else
        world_ms_release(w, 0);
}

static void the_release_sends_at_once(void **state)
{
    const struct bucket_terms terms = world_terms(8000, 3300);
    (void)state;
    for (int by_rate = 0; by_rate < 2; by_rate++) {
        struct world *w = one_ms(terms);
        stop(w, by_rate);
        for (uint32_t i = 0; i < 10; i++)
            assert_int_equal(world_put(w, 0, 1000, 0, 0, false), DROP_NONE);
        world_run(w, 100 * S_IN_NS);
        assert_int_equal(w->sents, 0);
        assert_true(sched_next_ns(w->sched, w->now_ns) > 200 * S_IN_NS);
        go_on(w, by_rate, terms);
        assert_true(sched_next_ns(w->sched, w->now_ns) <= w->now_ns);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 3);
        world_run(w, 200 * S_IN_NS);
        assert_int_equal(w->sents, 10);
        world_close(w);
    }
}

// Frozen at any moment of a wait, also when it is due.
static void a_freeze_holds_at_every_moment(void **state)
{
    const struct bucket_terms terms = world_terms(8000, 2020);
    (void)state;
    for (uint64_t at_ns = 1; at_ns < 3 * S_IN_NS; at_ns += 50 * MS_IN_NS)
        for (int by_rate = 0; by_rate < 2; by_rate++) {
            struct world *w = one_ms(terms);
            world_add_greedy(w, 0, 1000, 1000);
            world_run(w, at_ns);
            uint32_t sents = w->sents;
            stop(w, by_rate);
            world_run(w, at_ns + 10 * S_IN_NS);
            assert_int_equal(w->sents, sents);
            go_on(w, by_rate, terms);
            world_run(w, w->now_ns + (by_rate ? 2 * S_IN_NS : 0)); // R = 0 does not leak
            assert_true(w->sents > sents);
            world_close(w);
        }
}

// Both: only when neither holds it does it go on.
static void a_freeze_and_r_0_are_two_things(void **state)
{
    (void)state;
    for (int release_last = 0; release_last < 2; release_last++) {
        struct world *w = one_ms(WORLD_PLENTY);
        stop(w, true);
        stop(w, false);
        world_put(w, 0, 100, 0, 0, false);
        go_on(w, release_last, WORLD_PLENTY);
        world_run(w, w->now_ns + S_IN_NS);
        assert_int_equal(w->sents, 0);
        go_on(w, !release_last, WORLD_PLENTY);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 1);
        world_close(w);
    }
}

static void twice_is_once(void **state)
{
    (void)state;
    struct world *w = one_ms(WORLD_PLENTY);
    world_ms_release(w, 0);
    world_put(w, 0, 100, 0, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_ms_freeze(w, 0);
    world_ms_freeze(w, 0);
    world_put(w, 0, 100, 0, 0, false);
    world_ms_release(w, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 2);
    world_close(w);
}

// A bucket goes on leaking meanwhile: what the BSS holds drains, if not to this MS's radio.
static void half_sent_and_frozen(void **state)
{
    (void)state;
    struct world *w = one_ms(world_terms(8000, 150));
    world_ms_n201_u(w, 0, 0, 140);
    world_put(w, 0, 300, 0, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_ms_freeze(w, 0);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->sents, 1);
    world_ms_release(w, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 2);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(w->sents, 3);
    world_close(w);
}

// A frozen MS may be flushed, moved and removed; it stays frozen in its new cell.
static void frozen_and_moved(void **state)
{
    (void)state;
    struct world *w = one_ms(WORLD_PLENTY);
    uint32_t other = world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_ms_freeze(w, 0);
    world_put(w, 0, 100, 0, 0, false);
    world_ms_move(w, 0, other);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(w->sents, 0);
    world_ms_flush(w, 0);
    world_put(w, 0, 100, 0, 0, false);
    world_ms_release(w, 0);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    world_ms_freeze(w, 0);
    world_put(w, 0, 100, 0, 0, false);
    world_ms_remove(w, 0);
    assert_int_equal(w->dropped[DROP_removed].packets, 1);
    world_close(w);
}

static void random_freezes(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(300); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 1, .cells = 2, .mss = 6, .pfcs = 3};
        struct world *w = world_random(&random, &wish);
        w->judge_work = true;
        for (uint32_t k = 0; k < 60; k++) {
            uint32_t ms = (uint32_t)world_draw(&random, 0, w->mss - 1);
            world_run(w, w->now_ns + world_draw(&random, 1, 300 * MS_IN_NS));
            if (world_draw(&random, 0, 1))
                world_ms_freeze(w, ms);
            else
                world_ms_release(w, ms);
        }
        world_close(w);
    }
}

// However many frozen ones a call meets first, which cost it rounds: it gives no more PDUs than it
// is asked for, which the world judges, and nobody else is kept from sending.
static void many_frozen_ones_come_first(void **state)
{
    (void)state;
    for (uint32_t frozen = 1; frozen < 120; frozen++) {
        struct world *w = one_ms(WORLD_PLENTY);
        w->batch = 1;
        for (uint32_t i = 1; i <= frozen; i++)
            world_add_simple(w, 0, CLASS_STREAMING);
        for (uint32_t i = 1; i <= frozen; i++)
            world_put(w, i, 100, 0, 0, false);
        for (uint32_t i = 0; i < 3; i++)
            world_put(w, 0, 100, 0, 0, false);
        for (uint32_t i = 1; i <= frozen; i++)
            world_ms_freeze(w, i);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 3);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_release_sends_at_once),
        cmocka_unit_test(a_freeze_holds_at_every_moment),
        cmocka_unit_test(a_freeze_and_r_0_are_two_things),
        cmocka_unit_test(twice_is_once),
        cmocka_unit_test(half_sent_and_frozen),
        cmocka_unit_test(frozen_and_moved),
        cmocka_unit_test(many_frozen_ones_come_first),
        cmocka_unit_test(random_freezes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
