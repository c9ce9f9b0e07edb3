// Lifetimes: an N-PDU that has expired is never sent, and counted within 1 s even where nothing
// moves; what is left for the BSS as an N-PDU begins is at least its least and at most its most;
// frozen time does not age. The world judges each grant's lifetime and each drop's age; here are
// the cases and bounds.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define LIFETIME_NS (5 * S_IN_NS)
#define LEAST_NS    (1 * S_IN_NS)
#define MOST_NS     (3 * S_IN_NS)

static struct world *one_pfc(struct bucket_terms cell, bool flow_queues)
{
    struct sched_config config = world_config();
    struct sched_class *c = &config.of_class[CLASS_STREAMING];
    c->lifetime_ns = LIFETIME_NS;
    c->bss_least_ns = LEAST_NS;
    c->bss_most_ns = MOST_NS;
    c->flow_queues = flow_queues;
    c->limit = config.limit = config.bvc_limit = (struct sched_limit){10000, 10000 * 1600};
    config.flows_a_pfc = 8;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, cell, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_STREAMING);
    return w;
}

// Put into a stopped cell that goes on after so long.
static struct world *sent_after(uint64_t age_ns)
{
    struct world *w = one_pfc((struct bucket_terms){0, 5000}, false);
    uint64_t put_ns = w->now_ns;
    world_put(w, 0, 100, 0, 0, true);
    world_run(w, put_ns + age_ns);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns + 2 * S_IN_NS);
    return w;
}

static void what_is_left_is_within_least_and_most(void **state)
{
    static const struct {
        uint64_t age_ns, left_ns;
    } cases[] = {{0, MOST_NS},
                 {LIFETIME_NS - MOST_NS, MOST_NS},
                 {LIFETIME_NS - MOST_NS + 1, MOST_NS - 1},
                 {3 * S_IN_NS, 2 * S_IN_NS},
                 {LIFETIME_NS - LEAST_NS - 1, LEAST_NS + 1},
                 {LIFETIME_NS - LEAST_NS, LEAST_NS}};
    (void)state;
    for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct world *w = sent_after(cases[i].age_ns);
        assert_int_equal(w->sents, 1);
        assert_int_equal(w->sent[0].lifetime_ns, cases[i].left_ns);
        assert_false(w->sent[0].mark);
        world_close(w);
    }
}

static void too_old_is_not_sent(void **state)
{
    (void)state;
    for (uint64_t late_ns = 1; late_ns < 3 * S_IN_NS; late_ns *= 3) {
        struct world *w = sent_after(LIFETIME_NS - LEAST_NS + late_ns);
        assert_int_equal(w->sents, 0);
        assert_int_equal(w->dropped[DROP_expired].packets, 1);
        world_close(w);
    }
}

static void no_lifetime_never_expires(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_put(w, world_add_simple(w, 0, CLASS_STREAMING), 100, 0, 0, false);
    world_run(w, 1000000 * S_IN_NS);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    assert_int_equal(w->sent[0].lifetime_ns, SCHED_INFINITE);
    world_close(w);
}

// Many MSs, some with a backlog: each N-PDU is counted within 1 s of its end and not before it,
// also if more end at once than a call can tell of.
static void counted_within_a_second(uint32_t npdus)
{
    for (uint32_t by_flow = 0; by_flow < 2; by_flow++) {
        struct world *w = one_pfc((struct bucket_terms){0, 5000}, by_flow);
        uint64_t end_ns = w->now_ns + LIFETIME_NS - LEAST_NS;
        for (uint32_t i = 1; i < 100; i++)
            world_add_simple(w, 0, CLASS_STREAMING);
        for (uint32_t i = 0; i < npdus; i++)
            world_put(w, i * 7 % 100, 100, 0, i, false);
        world_run(w, end_ns);
        assert_int_equal(w->queued.packets, npdus);
        world_run(w, end_ns + S_IN_NS);
        assert_int_equal(w->dropped[DROP_expired].packets, npdus);
        world_close(w);
    }
}

static void counted_within_a_second_though_nothing_moves(void **state)
{
    (void)state;
    counted_within_a_second(1000);
    counted_within_a_second(10000); // 100 of an MS, and 8 MSs or more a call
}

// What stands behind others that have not expired counts as soon as those do: lives of one queue
// end in the order in which they came.
static void each_is_counted_within_its_second(void **state)
{
    (void)state;
    struct world *w = one_pfc((struct bucket_terms){0, 5000}, false);
    uint64_t begin_ns = w->now_ns;
    for (uint32_t i = 0; i < 1000; i++) {
        world_run(w, begin_ns + i * 10 * MS_IN_NS);
        world_put(w, 0, 100, 0, 0, false);
        uint64_t ended = i * 10 * MS_IN_NS > LIFETIME_NS - LEAST_NS
                             ? i - (LIFETIME_NS - LEAST_NS) / MS_IN_NS / 10
                             : 0;
        assert_true(w->dropped[DROP_expired].packets <= ended);
        assert_true(w->dropped[DROP_expired].packets + 100 >= ended);
    }
    world_close(w);
}

// A half-sent N-PDU goes on while any of its lifetime is left, and says no more than that.
static void a_begun_n_pdu_goes_on_while_it_lives(void **state)
{
    (void)state;
    struct world *w = one_pfc(world_terms(200, 180), false);
    world_ms_n201_u(w, 0, 0, 140);
    uint64_t put_ns = w->now_ns;
    world_put(w, 0, 400, 0, 0, false); // pieces at 0, 4.5 and 10.3 s
    world_run(w, put_ns + LIFETIME_NS - 1);
    assert_int_equal(w->sents, 2);
    assert_true(w->sent[1].time_ns > put_ns + LIFETIME_NS - LEAST_NS);
    assert_int_equal(w->sent[1].lifetime_ns, put_ns + LIFETIME_NS - w->sent[1].time_ns);
    assert_int_equal(w->dropped[DROP_expired].packets, 0);
    world_run(w, put_ns + LIFETIME_NS + S_IN_NS);
    assert_int_equal(w->sents, 2);
    assert_int_equal(w->dropped[DROP_expired].packets, 1);
    world_put(w, 0, 100, 0, 0, false); // its LLE is free
    world_run(w, w->now_ns + 3 * S_IN_NS);
    assert_int_equal(w->finished.packets, 1);
    world_close(w);
}

// Others keep its class from its turn: beyond the SGSN's part of its lifetime it goes first, at
// once with the next search. Its class has not gained by that: others get their weights over time.
static void a_begun_n_pdu_that_is_late_goes_first(void **state)
{
    (void)state;
    for (uint32_t limited = 0; limited < 2; limited++) { // or in the order of its own MS
        struct world *w = one_pfc(world_terms(limited ? 800000 : 8000, 2000), false);
        struct sched_class values = w->config.of_class[CLASS_STREAMING];
        values.weight = 1;
        world_class_set(w, CLASS_STREAMING, &values);
        uint32_t other = limited ? world_add_pfc(w, 0, 1, CLASS_CONVERSATIONAL)
                                 : world_add_simple(w, 0, CLASS_CONVERSATIONAL);
        if (limited)
            world_ms_set(w, 0, world_terms(8000, 2000));
        world_add_greedy(w, other, 140, 140);
        w->source[w->sources - 1].lle = 1;
        world_ms_n201_u(w, 0, 0, 140);
        world_run(w, S_IN_NS);
        uint64_t put_ns = w->now_ns;
        world_put(w, 0, 400, 0, 0, false);
        world_put(w, 0, 400, 0, 0, false);
        world_run(w, put_ns + LIFETIME_NS);
        uint32_t pieces = 0;
        for (uint32_t i = 0; i < w->sents; i++) {
            if (w->sent[i].pfc != 0)
                continue;
            pieces++;
            if (pieces == 3)
                assert_true(w->sent[i].last);
        }
        assert_int_equal(pieces, 3); // none of the second, whose turn has not come
        assert_int_equal(w->dropped[DROP_expired].packets, 1);
        world_close(w);
    }
}

// What goes first out of the order moves no clock: a class that wakes behind it has its share at
// once.
static void a_late_one_costs_who_wakes_nothing(void **state)
{
    (void)state;
    for (uint32_t pipe = 0; pipe < 2; pipe++) {
        struct world *w = one_pfc(world_terms(8000, 2000), false);
        if (pipe) // the pipe is what is full
            world_nse_set(w, 0, world_terms(7000, 2000));
        struct sched_class values = w->config.of_class[CLASS_STREAMING];
        values.weight = 1;
        world_class_set(w, CLASS_STREAMING, &values);
        world_add_greedy(w, world_add_simple(w, 0, CLASS_CONVERSATIONAL), 140, 140);
        uint32_t wakes = world_add_simple(w, 0, CLASS_INTERACTIVE_1);
        values = w->config.of_class[CLASS_INTERACTIVE_1];
        values.weight = w->config.of_class[CLASS_CONVERSATIONAL].weight;
        world_class_set(w, CLASS_INTERACTIVE_1, &values);
        world_ms_n201_u(w, 0, 0, 140);
        world_run(w, S_IN_NS);
        world_put(w, 0, 400, 0, 0, false);
        world_run(w, w->now_ns + LIFETIME_NS + S_IN_NS);
        assert_int_equal(w->pfc[0].finished, 1);
        world_add_greedy(w, wakes, 140, 140);
        uint64_t before = w->pfc[wakes].sent_octets;
        world_run(w, w->now_ns + 4 * S_IN_NS); // 4000 octets, or 3500: half of them
        assert_in_range(w->pfc[wakes].sent_octets - before, 1400, 2300);
        world_close(w);
    }
}

// Those behind a half-sent N-PDU that the bucket holds up are counted in time as well.
static void behind_a_begun_n_pdu_they_expire_too(void **state)
{
    (void)state;
    for (uint32_t by_flow = 0; by_flow < 2; by_flow++) {
        struct world *w = one_pfc(world_terms(100, 200), by_flow);
        world_ms_n201_u(w, 0, 0, 140);
        world_put(w, 0, 400, 0, 0, false);
        for (uint32_t i = 1; i < 10; i++)
            world_put(w, 0, 400, 0, i % 4, false);
        world_run(w, w->now_ns + LIFETIME_NS - LEAST_NS + S_IN_NS);
        assert_int_equal(w->sents, 1);
        assert_int_equal(w->dropped[DROP_expired].packets, 9);
        world_close(w);
    }
}

enum level { LEVEL_PFC, LEVEL_MS, LEVEL_CELL, LEVEL_NSE, LEVELS };

// Limited at that level alone, which has let 1500 octets of 1600 go and waits 14 s for 1500 more.
static struct world *large_one_waits(enum level level, bool flow_queues)
{
    const struct bucket_terms terms = world_terms(800, 1600);
    struct world *w = one_pfc(level == LEVEL_CELL ? terms : WORLD_PLENTY, flow_queues);
    if (level == LEVEL_PFC)
        world_pfc_set(w, 0, terms);
    if (level == LEVEL_MS)
        world_ms_set(w, 0, terms);
    if (level == LEVEL_NSE)
        world_nse_set(w, 0, terms);
    world_put(w, 0, 1490, 0, 0, false);
    world_put(w, 0, 1490, 0, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    return w;
}

// When the large one expires, a small one that stood behind it and conforms goes the moment at
// which the search takes the large one away: nobody goes on waiting for that.
static void who_waited_for_an_expired_head_waits_anew(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++)
        for (uint32_t by_flow = 0; by_flow < 2; by_flow++) {
            struct world *w = large_one_waits(level, by_flow);
            world_run(w, 2 * S_IN_NS);
            world_put(w, 0, 100, 0, 0, false);
            while (w->dropped[DROP_expired].packets == 0) {
                assert_int_equal(w->sents, 1);
                world_run(w, w->now_ns + MS_IN_NS);
                assert_true(w->now_ns < 6 * S_IN_NS);
            }
            assert_int_equal(w->sents, 2);
            world_close(w);
        }
}

static void frozen_time_does_not_age(void **state)
{
    (void)state;
    for (uint32_t by_rate = 0; by_rate < 2; by_rate++) {
        struct world *w = one_pfc((struct bucket_terms){0, 5000}, false);
        world_put(w, 0, 100, 0, 0, false);
        world_run(w, w->now_ns + 2 * S_IN_NS);
        if (by_rate)
            world_ms_set(w, 0, (struct bucket_terms){0, 5000});
        else
            world_ms_freeze(w, 0);
        world_run(w, w->now_ns + 1000 * S_IN_NS);
        assert_int_equal(w->queued.packets, 1);
        if (by_rate)
            world_ms_set(w, 0, WORLD_PLENTY);
        else
            world_ms_release(w, 0);
        world_run(w, w->now_ns + S_IN_NS / 2);
        world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, 1);
        assert_int_equal(w->sent[0].lifetime_ns, LIFETIME_NS - 5 * S_IN_NS / 2);
        world_close(w);
    }
}

// It ages up to the freeze and from the release on.
static void it_ages_after_the_release(void **state)
{
    (void)state;
    struct world *w = one_pfc((struct bucket_terms){0, 5000}, false);
    world_put(w, 0, 100, 0, 0, false);
    world_run(w, w->now_ns + 2 * S_IN_NS);
    world_ms_freeze(w, 0);
    world_run(w, w->now_ns + 100 * S_IN_NS);
    world_ms_release(w, 0);
    world_run(w, w->now_ns + 2 * S_IN_NS);
    assert_int_equal(w->queued.packets, 1);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(w->dropped[DROP_expired].packets, 1);
    world_close(w);
}

// The age goes with a moving MS.
static void a_move_does_not_rejuvenate(void **state)
{
    (void)state;
    struct world *w = one_pfc((struct bucket_terms){0, 5000}, false);
    uint32_t other = world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_put(w, 0, 100, 0, 0, false);
    world_run(w, w->now_ns + 3 * S_IN_NS);
    world_ms_move(w, 0, other);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, 1);
    assert_int_equal(w->sent[0].lifetime_ns, 2 * S_IN_NS);
    world_close(w);
}

static void random_lives_send_nothing_expired(void **state)
{
    uint64_t expired = 0, sent = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(600); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {
            .nses = 2, .cells = 4, .mss = 12, .pfcs = 3, .lifetimes = true, .flow_queues = i % 2};
        struct world *w = world_random(&random, &wish);
        world_random_life(w, &random, 1500, 50);
        expired += w->dropped[DROP_expired].packets;
        sent += w->finished.packets;
        world_close(w);
    }
    print_message("# %llu N-PDUs sent, %llu expired\n", (unsigned long long)sent,
                  (unsigned long long)expired);
    assert_true(sent > WORLD_CASES(600) * 10 && expired > WORLD_CASES(600) * 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_left_is_within_least_and_most),
        cmocka_unit_test(too_old_is_not_sent),
        cmocka_unit_test(no_lifetime_never_expires),
        cmocka_unit_test(counted_within_a_second_though_nothing_moves),
        cmocka_unit_test(each_is_counted_within_its_second),
        cmocka_unit_test(a_begun_n_pdu_goes_on_while_it_lives),
        cmocka_unit_test(a_begun_n_pdu_that_is_late_goes_first),
        cmocka_unit_test(a_late_one_costs_who_wakes_nothing),
        cmocka_unit_test(behind_a_begun_n_pdu_they_expire_too),
        cmocka_unit_test(who_waited_for_an_expired_head_waits_anew),
        cmocka_unit_test(frozen_time_does_not_age),
        cmocka_unit_test(it_ages_after_the_release),
        cmocka_unit_test(a_move_does_not_rejuvenate),
        cmocka_unit_test(random_lives_send_nothing_expired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
