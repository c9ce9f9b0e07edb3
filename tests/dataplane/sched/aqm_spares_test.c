// Which of an AQM's drops are left out. Of an AQM of one flow, half of those behind a drop or a
// mark, by a coin; of an AQM of many MSs, behind queues by flow, those of the first two N-PDUs of
// an MS.
#include "tests/dataplane/sched/world.h"

static enum aqm_verdict on_arrival, on_departure;
static uint64_t seed = 1; // of the coins

static enum aqm_verdict enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    (void)view;
    return on_arrival;
}

static enum aqm_verdict dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    (void)view;
    return on_departure;
}

static const struct aqm_ops adviser = {
    .name = "adviser", .help = "one advice for all", .enqueue = enqueue, .dequeue = dequeue};

static struct world *open_world(enum sched_scope scope, bool by_flow, uint32_t flows)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = flows;
    config.seed = seed;
    config.of_class[CLASS_BACKGROUND].aqm = (struct aqm){.ops = &adviser, .marks = true};
    config.of_class[CLASS_BACKGROUND].scope = scope;
    config.of_class[CLASS_BACKGROUND].flow_queues = by_flow;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    on_arrival = on_departure = AQM_PASS;
    return w;
}

static void send_all(struct world *w)
{
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    world_cell_set(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
}

// Puts three N-PDUs of 1000 octets in the queue of PFC 0, more than what an MS has for nothing.
static void put_three(struct world *w, uint32_t flow, bool ect)
{
    enum aqm_verdict advice = on_arrival;
    on_arrival = AQM_PASS;
    for (int i = 0; i < 3; i++)
        assert_int_equal(world_put(w, 0, 1000, 0, flow, ect), DROP_NONE);
    on_arrival = advice;
}

// Of MANY drops, each behind a mark or a drop that was obeyed, those that the coin leaves out.
enum { MANY = 1000, LEAST = 420, MOST = 580 };

static bool arrives(struct world *w, uint32_t flow, bool ect)
{
    bool passes = world_put(w, 0, 1000, 0, flow, ect) == DROP_NONE;
    if (passes)
        send_all(w);
    return passes;
}

// The first drop of a flow, and one behind a drop that was left out, are obeyed.
static void test_half_of_the_arrivals_behind_a_drop(void **state)
{
    (void)state;
    for (int advice = AQM_MARK; advice <= AQM_DROP; advice++) {
        bool ect = advice == AQM_DROP; // what cannot be marked is dropped
        struct world *w = open_world(SCHED_SCOPE_FLOW, true, 16);
        uint32_t left_out = 0, alike = 0;
        bool before = false;
        put_three(w, 1, true);
        put_three(w, 2, true);
        send_all(w);
        on_arrival = (enum aqm_verdict)advice;
        assert_false(arrives(w, 1, ect));
        assert_false(arrives(w, 2, ect)); // of another flow
        for (uint32_t i = 0; i < MANY; i++) {
            bool passes = arrives(w, 1, ect);
            left_out += passes;
            alike += passes == before;
            before = passes;
            if (passes)
                assert_false(arrives(w, 1, ect));
        }
        assert_in_range(left_out, LEAST, MOST);
        assert_in_range(alike, LEAST, MOST); // no rhythm
        world_close(w);
    }
}

// All marks are obeyed; a drop behind one is a coin's.
static void test_half_of_the_arrivals_behind_a_mark(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, true, 16);
    uint32_t left_out = 0;
    on_arrival = AQM_MARK;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t before = w->sents;
        assert_true(arrives(w, 1, true));
        assert_true(w->sent[before].mark);
        left_out += arrives(w, 1, false);
    }
    assert_in_range(left_out, LEAST, MOST);
    world_close(w);
}

// What is stale is no signal: each is dropped, ECT or not, and a signal behind one is a coin's.
static void test_none_that_is_stale(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, true, 16);
    uint32_t left_out = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t before = w->sents;
        put_three(w, 1, i % 2);
        on_departure = AQM_STALE;
        send_all(w);
        assert_int_equal(w->sents, before);
        on_departure = AQM_PASS;
        on_arrival = AQM_DROP;
        left_out += arrives(w, 1, true);
        on_arrival = AQM_PASS;
    }
    assert_in_range(left_out, LEAST, MOST);
    assert_int_equal(w->dropped[DROP_aqm_out].packets, 3 * MANY);
    world_close(w);
}

// Behind marks, and three drops of which a half, a quarter and 3 in 8 are left out.
static void test_half_of_the_departures(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, true, 16);
    uint32_t passed = 0, before = w->sents;
    for (uint32_t i = 0; i < MANY; i++) {
        put_three(w, 1, true);
        on_departure = AQM_MARK;
        send_all(w);
        assert_int_equal(w->sents, before + 3); // marks are never left out
        before = w->sents;
        put_three(w, 1, true);
        on_departure = AQM_DROP;
        send_all(w);
        passed += w->sents - before;
        assert_in_range(w->sents - before, 0, 2);
        before = w->sents;
        on_departure = AQM_PASS;
    }
    assert_in_range(passed, MANY * 9 / 8 - 100, MANY * 9 / 8 + 100);
    world_close(w);
}

static void arrivals_of_all(enum sched_scope scope, bool by_flow)
{
    struct world *w = open_world(scope, by_flow, 16);
    put_three(w, 1, true);
    on_arrival = AQM_DROP;
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(world_put(w, 0, 1000, 0, 1, true), DROP_aqm_in);
    on_arrival = AQM_PASS;
    on_departure = AQM_DROP;
    send_all(w);
    assert_int_equal(w->sents, 0);
    world_close(w);
}

static void test_of_an_aqm_of_more_than_a_flow_none_is_left_out(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope < SCHED_SCOPE_FLOW; scope++)
        for (int by_flow = 0; by_flow < 2; by_flow++)
            arrivals_of_all(scope, by_flow);
}

// Flow `marked` has had a queue in which its last was marked; flow 3 gets it, first with that
// advice, then with a drop, in 20 worlds. Returns how many of the drops are left out.
static uint32_t left_out_behind(uint32_t marked, enum aqm_verdict first)
{
    uint32_t left_out = 0;
    for (seed = 0; seed < 20; seed++) {
        struct world *w = open_world(SCHED_SCOPE_FLOW, true, 2);
        put_three(w, marked, true);
        on_departure = AQM_MARK;
        send_all(w);
        put_three(w, 0, true); // so that the other queue is all that is free
        on_arrival = first;
        bool queued = world_put(w, 0, 1000, 0, 3, true) == DROP_NONE;
        on_arrival = AQM_DROP;
        if (first != AQM_DROP)
            queued = world_put(w, 0, 1000, 0, 3, true) == DROP_NONE;
        left_out += queued;
        world_close(w);
    }
    return left_out;
}

// A flow whose packet is in a queue that was another's has nothing of that one's mark; its own is
// kept while the queue is empty.
static void test_the_mark_is_the_flows_own(void **state)
{
    (void)state;
    assert_int_equal(left_out_behind(1, AQM_PASS), 0);
    assert_in_range(left_out_behind(1, AQM_MARK), 4, 16);
    for (enum aqm_verdict first = 0; first <= AQM_DROP; first++)
        assert_in_range(left_out_behind(3, first), 4, 16);
}

// Where none of a flow's packets comes in, the queue stays another's; a coin lets one in all the
// same, be it by that one's mark.
static void test_none_is_kept_out_of_an_empty_queue(void **state)
{
    (void)state;
    assert_in_range(left_out_behind(1, AQM_DROP), 4, 16);
    for (seed = 0; seed < 20; seed++) {
        struct world *w = open_world(SCHED_SCOPE_FLOW, true, 2);
        put_three(w, 1, true);
        send_all(w);
        put_three(w, 0, true);
        on_arrival = AQM_DROP;
        uint32_t tries = 1;
        while (tries < 30 && world_put(w, 0, 1000, 0, 3, true) != DROP_NONE)
            tries++;
        assert_in_range(tries, 2, 29);
        world_close(w);
    }
}

static void first_two_of(enum sched_scope scope, bool by_flow)
{
    enum drop_reason spared = by_flow && scope <= SCHED_SCOPE_BVC ? DROP_NONE : DROP_aqm_in;
    struct world *w = open_world(scope, by_flow, 16);
    on_arrival = AQM_DROP;
    for (uint32_t pfc = 0; pfc < 2; pfc++) {
        assert_int_equal(world_put(w, pfc, 1500, 0, 1, true), spared);
        assert_int_equal(world_put(w, pfc, 1500, 0, 1, true), spared);
        assert_int_equal(world_put(w, pfc, 1500, 0, 1, true), DROP_aqm_in);
        assert_int_equal(world_put(w, pfc, 1500, 0, 2, true), DROP_aqm_in);
    }
    send_all(w);
    assert_int_equal(w->sents, spared == DROP_NONE ? 4 : 0);
    assert_int_equal(world_put(w, 0, 1500, 0, 1, true), spared);
    world_close(w);
}

static void test_first_two_of_an_ms(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope < SCHED_SCOPE_FLOW; scope++)
        for (int by_flow = 0; by_flow < 2; by_flow++)
            first_two_of(scope, by_flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_half_of_the_arrivals_behind_a_drop),
        cmocka_unit_test(test_half_of_the_arrivals_behind_a_mark),
        cmocka_unit_test(test_none_that_is_stale),
        cmocka_unit_test(test_half_of_the_departures),
        cmocka_unit_test(test_of_an_aqm_of_more_than_a_flow_none_is_left_out),
        cmocka_unit_test(test_the_mark_is_the_flows_own),
        cmocka_unit_test(test_none_is_kept_out_of_an_empty_queue),
        cmocka_unit_test(test_first_two_of_an_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
