// Which of an AQM's drops are left out. Of an AQM of one flow, the one behind a drop or a mark; of
// an AQM of many MSs, behind queues by flow, those of the first two N-PDUs of an MS.
#include "tests/dataplane/sched/world.h"

static enum aqm_verdict on_arrival, on_departure;

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

static void arrivals_of(enum sched_scope scope, bool by_flow)
{
    enum drop_reason spared = scope == SCHED_SCOPE_FLOW ? DROP_NONE : DROP_aqm_in;
    struct world *w = open_world(scope, by_flow, 16);
    put_three(w, 1, true);
    put_three(w, 2, true);
    on_arrival = AQM_DROP;
    assert_int_equal(world_put(w, 0, 1000, 0, 1, true), DROP_aqm_in);
    assert_int_equal(world_put(w, 0, 1000, 0, 2, true), DROP_aqm_in); // of another flow
    assert_int_equal(world_put(w, 0, 1000, 0, 1, true), spared);
    assert_int_equal(world_put(w, 0, 1000, 0, 1, true), DROP_aqm_in); // once
    on_arrival = AQM_MARK;
    assert_int_equal(world_put(w, 0, 1000, 0, 2, true), DROP_NONE);
    assert_int_equal(world_put(w, 0, 1000, 0, 2, true), DROP_NONE); // marks are never left out
    assert_int_equal(world_put(w, 0, 1000, 0, 2, false), spared);   // what cannot be marked
    assert_int_equal(world_put(w, 0, 1000, 0, 2, false), DROP_aqm_in);
    world_close(w);
}

static uint32_t sent_of_three(struct world *w, enum aqm_verdict advice, bool ect)
{
    uint32_t before = w->sents;
    put_three(w, 1, ect);
    on_departure = advice;
    send_all(w);
    return w->sents - before;
}

static void departures_of(enum sched_scope scope, bool by_flow)
{
    bool spares = scope == SCHED_SCOPE_FLOW;
    struct world *w = open_world(scope, by_flow, 16);
    assert_int_equal(sent_of_three(w, AQM_DROP, true), spares ? 1 : 0); // the second
    assert_int_equal(sent_of_three(w, AQM_DROP, true), spares ? 2 : 0); // the first, the third
    assert_int_equal(sent_of_three(w, AQM_MARK, true), 3);
    assert_int_equal(sent_of_three(w, AQM_MARK, false), spares ? 2 : 0); // behind a mark
    world_close(w);
}

static void test_never_two_in_a_row(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++)
        for (int by_flow = scope == SCHED_SCOPE_FLOW; by_flow < 2; by_flow++) {
            arrivals_of(scope, by_flow);
            departures_of(scope, by_flow);
        }
}

// A flow that takes the empty queue of another has nothing of that one's drop.
static void test_the_drop_is_the_flows_own(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, true, 2);
    put_three(w, 1, true);
    on_departure = AQM_MARK;
    send_all(w);
    put_three(w, 0, true); // so that the other queue is all that is free
    on_arrival = AQM_DROP;
    assert_int_equal(world_put(w, 0, 1000, 0, 3, true), DROP_aqm_in);
    on_arrival = AQM_PASS;
    assert_int_equal(world_put(w, 0, 1000, 0, 3, true), DROP_NONE);
    on_arrival = AQM_DROP;
    assert_int_equal(world_put(w, 0, 1000, 0, 3, true), DROP_aqm_in);
    world_close(w);
}

// In a queue that it had to itself before, the flow's own is kept while the queue is empty.
static void test_an_empty_queue_keeps_it(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, true, 2);
    put_three(w, 1, true);
    on_departure = AQM_MARK;
    send_all(w);
    on_arrival = AQM_DROP;
    assert_int_equal(world_put(w, 0, 1000, 0, 1, false), DROP_NONE);
    world_close(w);
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
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++)
        for (int by_flow = scope == SCHED_SCOPE_FLOW; by_flow < 2; by_flow++)
            first_two_of(scope, by_flow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_two_in_a_row),
        cmocka_unit_test(test_the_drop_is_the_flows_own),
        cmocka_unit_test(test_an_empty_queue_keeps_it),
        cmocka_unit_test(test_first_two_of_an_ms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
