// The longest stay: while its MS is frozen or stopped an N-PDU does not age, but in real time since
// it came it stays no longer than its lifetime and hold_ns; then it expires, within two steps of
// 2^30 ns and the second that a search may take, and never before.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define LIFETIME_NS (5 * S_IN_NS)
#define LEAST_NS    (1 * S_IN_NS)
#define HOLD_NS     (60 * S_IN_NS)
#define STAY_NS     (LIFETIME_NS + HOLD_NS)
#define LATE_NS     (WORLD_STEPS_NS + S_IN_NS)

static struct sched_config config_of(uint64_t hold_ns, bool flow_queues)
{
    struct sched_config config = world_config();
    struct sched_class *c = &config.of_class[CLASS_STREAMING];
    c->lifetime_ns = LIFETIME_NS;
    c->bss_least_ns = LEAST_NS;
    c->bss_most_ns = LIFETIME_NS;
    c->flow_queues = flow_queues;
    config.flows_a_pfc = 8;
    config.hold_ns = hold_ns;
    return config;
}

static struct world *one_ms(const struct sched_config *config)
{
    struct world *w = world_open(config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_STREAMING);
    return w;
}

static void stop(struct world *w, bool by_rate)
{
    if (by_rate)
        world_ms_set(w, 0, (struct bucket_terms){0, 5000});
    else
        world_ms_freeze(w, 0);
}

static void go_on(struct world *w, bool by_rate)
{
    if (by_rate)
        world_ms_set(w, 0, WORLD_PLENTY);
    else
        world_ms_release(w, 0);
}

static void put(struct world *w, uint32_t flow)
{
    assert_int_equal(world_put(w, 0, 100, 0, flow, false), DROP_NONE);
}

static uint64_t expired(const struct world *w)
{
    return w->dropped[DROP_expired].packets;
}

// So many came `every_ns` apart from begin_ns on: each ends in its time.
static void judge_ends(const struct world *w, uint64_t n, uint64_t begin_ns, uint64_t every_ns)
{
    uint64_t least = 0, most = 0;
    for (uint64_t i = 0; i < n; i++) {
        uint64_t end_ns = begin_ns + i * every_ns + STAY_NS;
        least += end_ns + LATE_NS < w->now_ns;
        most += end_ns < w->now_ns;
    }
    assert_true(expired(w) >= least);
    assert_true(expired(w) <= most);
}

// An hour at R = 0, or frozen by command: they have come 300 ms apart, and go as they came.
static void for_an_hour(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 4; how++) {
        struct sched_config config = config_of(HOLD_NS, how / 2);
        struct world *w = one_ms(&config);
        uint64_t begin_ns = w->now_ns;
        stop(w, how % 2);
        for (uint32_t i = 0; i < 100; i++, world_run(w, w->now_ns + 300 * MS_IN_NS))
            put(w, i % 5);
        while (w->now_ns < begin_ns + 100 * S_IN_NS) {
            world_run(w, w->now_ns + 70 * MS_IN_NS);
            judge_ends(w, 100, begin_ns, 300 * MS_IN_NS);
        }
        assert_int_equal(expired(w), 100);
        world_run(w, 3600 * S_IN_NS);
        put(w, 0);
        go_on(w, how % 2);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 1); // the MS goes on as ever
        world_close(w);
    }
}

// Both freezes count, and the time between them: the age by the MS's clock stays below its
// lifetime.
static void frozen_twice(void **state)
{
    (void)state;
    struct sched_config config = config_of(HOLD_NS, false);
    struct world *w = one_ms(&config);
    uint64_t begin_ns = w->now_ns;
    world_cell_set(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    put(w, 0);
    stop(w, false);
    world_run(w, begin_ns + 40 * S_IN_NS);
    go_on(w, false);
    world_run(w, begin_ns + 41 * S_IN_NS);
    stop(w, true);
    world_run(w, begin_ns + STAY_NS);
    assert_int_equal(w->queued.packets, 1);
    world_run(w, begin_ns + STAY_NS + LATE_NS);
    assert_int_equal(expired(w), 1);
    assert_int_equal(w->overstayed.packets, 1);
    world_close(w);
}

// What is left after the release keeps its end; before that it goes.
static void after_the_release(void **state)
{
    (void)state;
    for (uint64_t left_ns = 0; left_ns <= 2 * S_IN_NS; left_ns += S_IN_NS) {
        struct sched_config config = config_of(HOLD_NS, false);
        struct world *w = one_ms(&config);
        uint64_t begin_ns = w->now_ns;
        stop(w, false);
        put(w, 0);
        world_run(w, begin_ns + STAY_NS - left_ns);
        world_cell_set(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        go_on(w, false);
        world_run(w, w->now_ns + left_ns);
        assert_int_equal(w->queued.packets, 1);
        if (left_ns == 2 * S_IN_NS) {
            world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
            world_run(w, w->now_ns);
            assert_int_equal(w->sents, 1);
        } else {
            world_run(w, w->now_ns + LATE_NS);
            assert_int_equal(expired(w), 1);
        }
        world_close(w);
    }
}

// Released just when it has stayed for too long, before any search has met it, it is not sent.
static void the_release_sends_none_that_is_over(void **state)
{
    (void)state;
    uint64_t end_ns = (((STAY_NS - 1) >> 30) + 2) << 30; // rounded up, and one step
    struct sched_config config = config_of(HOLD_NS, false);
    for (uint64_t ns = 0; ns < 2; ns++) {
        struct world *w = one_ms(&config);
        stop(w, false);
        put(w, 0); // in the first step
        world_run(w, end_ns - 1);
        assert_int_equal(w->queued.packets, 1);
        w->now_ns += ns;
        go_on(w, false);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 1 - ns);
        assert_int_equal(expired(w), ns);
        world_close(w);
    }
}

// Ten N-PDUs of three segments each, of which one segment has gone; the next waits for 7 s.
static struct world *one_begun(bool by_flow)
{
    struct sched_config config = config_of(HOLD_NS, by_flow);
    struct world *w = one_ms(&config);
    world_ms_set(w, 0, world_terms(100, 200));
    world_ms_n201_u(w, 0, 0, 140);
    for (uint32_t i = 0; i < 10; i++)
        world_put(w, 0, 400, 0, i % 4, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    return w;
}

// A half-sent N-PDU ends with those behind it; then its LLE is free for another PFC's.
static void a_begun_n_pdu_ends_too(void **state)
{
    (void)state;
    for (uint32_t how = 0; how < 4; how++) {
        struct world *w = one_begun(how / 2);
        uint32_t other = world_add_pfc(w, 0, 1, CLASS_BACKGROUND);
        uint64_t begin_ns = w->now_ns;
        stop(w, how % 2);
        world_put(w, other, 300, 0, 0, false);
        world_run(w, begin_ns + STAY_NS);
        assert_int_equal(w->queued.packets, 11);
        world_run(w, begin_ns + STAY_NS + LATE_NS);
        assert_int_equal(w->queued.packets, 1);
        assert_int_equal(expired(w), 10);
        assert_int_equal(w->given_up.packets, 1);
        go_on(w, how % 2);
        world_run(w, w->now_ns + 60 * S_IN_NS);
        assert_int_equal(w->sents, 4);
        assert_true(w->sent[1].pfc == other && w->sent[1].first && w->sent[3].last);
        world_close(w);
    }
}

// Released before any search it goes on, for its MS does not stand any more. In a stopped cell it
// ages, and ends with its lifetime.
static void a_begun_n_pdu_goes_on(void **state)
{
    (void)state;
    for (uint32_t released = 0; released < 2; released++) {
        struct world *w = one_begun(false);
        uint64_t begin_ns = w->now_ns;
        world_cell_set(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        if (released)
            stop(w, false);
        world_run(w, begin_ns + STAY_NS);
        w->now_ns += WORLD_STEPS_NS;
        go_on(w, false);
        world_run(w, w->now_ns + S_IN_NS);
        assert_int_equal(expired(w), released ? 9 : 10);
        world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_ms_set(w, 0, WORLD_PLENTY);
        world_run(w, w->now_ns + 60 * S_IN_NS);
        assert_int_equal(w->finished.packets, released);
        world_close(w);
    }
}

// The N-PDU behind it has not begun: those of its class and cell that have, go first (S12). Both
// MSs are in the ring of a cell that does not send, the frozen one first; the other one's is kept
// young.
static void its_place_before_others_is_gone(void **state)
{
    (void)state;
    struct world *w = one_begun(false);
    uint32_t other = world_add_simple(w, 0, CLASS_STREAMING);
    uint64_t begin_ns = w->now_ns;
    world_ms_set(w, 1, world_terms(1000, 200));
    world_ms_n201_u(w, 1, 0, 140);
    world_put(w, other, 300, 0, 0, false);
    world_run(w, w->now_ns);
    world_cell_set(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_run(w, begin_ns + S_IN_NS / 10);
    stop(w, false);
    world_ms_freeze(w, 1);
    world_run(w, begin_ns + 10 * S_IN_NS);
    put(w, 0);
    world_run(w, begin_ns + STAY_NS - S_IN_NS / 2);
    world_ms_release(w, 1);
    world_run(w, begin_ns + STAY_NS + LATE_NS);
    assert_int_equal(w->given_up.packets, 1);
    assert_int_equal(w->queued.packets, 2);
    go_on(w, false);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns + 4 * S_IN_NS);
    assert_int_equal(w->sent[2].pfc, other);
    assert_int_equal(w->finished.packets, 2);
    world_close(w);
}

// Of a class without a lifetime, or without a stay that can be told: however often steps run round.
// The first case alone ends.
static void none_ends_without_both(void **state)
{
    static const struct {
        uint64_t lifetime_ns, hold_ns;
    } cases[] = {
        {LIFETIME_NS, HOLD_NS},         {LIFETIME_NS, 0},         {LIFETIME_NS, SCHED_INFINITE},
        {LIFETIME_NS, 20000 * S_IN_NS}, {LIFETIME_NS, INT64_MAX}, {LIFETIME_NS, 1ULL << 62},
        {20000 * S_IN_NS, HOLD_NS},     {1ULL << 62, HOLD_NS},    {SCHED_INFINITE - 1, HOLD_NS}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct sched_config config = config_of(cases[i].hold_ns, false);
        config.of_class[CLASS_STREAMING].lifetime_ns = cases[i].lifetime_ns;
        struct world *w = one_ms(&config);
        uint32_t pfc = world_add_pfc(w, 0, 1, CLASS_BACKGROUND);
        stop(w, false);
        put(w, 0);
        world_put(w, pfc, 100, 0, 0, false);
        world_run(w, 18000 * S_IN_NS);
        assert_int_equal(w->queued.packets, 2 - (i == 0));
        go_on(w, false);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 2 - (i == 0));
        world_close(w);
    }
}

// Another lifetime of its class moves its end.
static void the_lifetime_changes(void **state)
{
    (void)state;
    struct sched_config config = config_of(HOLD_NS, false);
    struct world *w = one_ms(&config);
    struct sched_class values = config.of_class[CLASS_STREAMING];
    uint64_t begin_ns = w->now_ns;
    stop(w, true);
    put(w, 0);
    values.lifetime_ns += 30 * S_IN_NS;
    world_class_set(w, CLASS_STREAMING, &values);
    world_run(w, begin_ns + STAY_NS + 30 * S_IN_NS);
    assert_int_equal(w->queued.packets, 1);
    values.lifetime_ns -= 20 * S_IN_NS;
    world_class_set(w, CLASS_STREAMING, &values);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(expired(w), 1);
    world_close(w);
}

// To another scheduler, and back; the other's time may be a little behind, over the end of a step.
static void a_move_takes_it_along(void **state)
{
    (void)state;
    for (uint32_t behind = 0; behind < 2; behind++) {
        struct sched_config config = config_of(HOLD_NS, false);
        struct world *from = one_ms(&config), *to = one_ms(&config);
        uint64_t begin_ns = 20ULL << 30;
        world_ms_remove(to, 0);
        world_run(from, begin_ns);
        world_run(to, begin_ns - behind);
        stop(from, false);
        put(from, 0);
        world_ms_goes(from, 0, to, 0);
        world_run(to, begin_ns + 30 * S_IN_NS);
        world_run(from, to->now_ns);
        assert_int_equal(to->queued.packets, 1);
        world_ms_goes(to, 0, from, 0);
        world_run(from, begin_ns + STAY_NS);
        assert_int_equal(from->queued.packets, 1);
        world_run(from, begin_ns + STAY_NS + LATE_NS);
        assert_int_equal(expired(from), 1);
        world_close(from);
        world_close(to);
    }
}

// A half-sent one may, unless its MS has stood for the time of a search.
static void none_overstays(const struct world *w)
{
    for (uint32_t i = 0; i < w->npdu_room; i++) {
        const struct world_npdu *n = &w->npdu[i];
        const struct world_ms *m = n->live ? &w->ms[w->pfc[n->pfc].ms] : NULL;
        if (m && (n->sent == 0 || (m->stands && w->now_ns - m->stands_since_ns > S_IN_NS)))
            assert_false(world_overstays(w, n, LATE_NS));
    }
}

// A half-sent one that stays too long is rare: so who has begun one is frozen, and not released.
static bool has_begun(const struct world *w, uint32_t ms)
{
    for (uint32_t lle = 0; lle < SCHED_LLES; lle++)
        if (w->ms[ms].started[lle] != WORLD_NONE)
            return true;
    return false;
}

static void random_lives(void **state)
{
    uint64_t overstayed = 0, given_up = 0, sent = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(300); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 2,
                                        .cells = 4,
                                        .mss = 12,
                                        .pfcs = 3,
                                        .lifetimes = true,
                                        .holds = true,
                                        .flow_queues = i % 2};
        struct world *w = world_random(&random, &wish);
        for (uint32_t k = 0; k < 30; k++) {
            uint32_t ms = (uint32_t)world_draw(&random, 0, w->mss - 1);
            if (has_begun(w, ms) || world_draw(&random, 0, 1))
                world_ms_freeze(w, ms);
            else
                world_ms_release(w, ms);
            world_random_change(w, &random);
            world_run(w, w->now_ns + world_draw(&random, 1, S_IN_NS));
            none_overstays(w);
        }
        overstayed += w->overstayed.packets;
        given_up += w->given_up.packets;
        sent += w->finished.packets;
        world_close(w);
    }
    print_message("# %llu N-PDUs sent, %llu stayed too long, %llu of them begun\n",
                  (unsigned long long)sent, (unsigned long long)overstayed,
                  (unsigned long long)given_up);
    assert_true(sent > WORLD_CASES(300) * 10 && overstayed > WORLD_CASES(300) &&
                given_up > WORLD_CASES(300) / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(for_an_hour),
        cmocka_unit_test(frozen_twice),
        cmocka_unit_test(after_the_release),
        cmocka_unit_test(the_release_sends_none_that_is_over),
        cmocka_unit_test(a_begun_n_pdu_ends_too),
        cmocka_unit_test(a_begun_n_pdu_goes_on),
        cmocka_unit_test(its_place_before_others_is_gone),
        cmocka_unit_test(none_ends_without_both),
        cmocka_unit_test(the_lifetime_changes),
        cmocka_unit_test(a_move_takes_it_along),
        cmocka_unit_test(random_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
