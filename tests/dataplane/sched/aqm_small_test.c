// Behind queues by flow, an AQM that watches more than one flow drops no N-PDU that is small and
// alone: at most a quantum, and its flow has nothing queued. An ECT one is marked instead, if the
// AQM's `ecn` is on.
#include "tests/dataplane/sched/world.h"

enum { FIRST = 2, OTHER_FLOW = 100 };

static enum aqm_verdict advice;
static uint32_t asked;

static enum aqm_verdict on_enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)vars;
    (void)view;
    asked++;
    return advice;
}

static const struct aqm_ops adviser = {
    .name = "adviser", .help = "one advice for all", .enqueue = on_enqueue};

static struct world *open_world(enum sched_scope scope, bool by_flow, bool ecn)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = 16;
    config.of_class[CLASS_BACKGROUND].aqm = (struct aqm){.ops = &adviser, .marks = ecn};
    config.of_class[CLASS_BACKGROUND].scope = scope;
    config.of_class[CLASS_BACKGROUND].flow_queues = by_flow;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    advice = AQM_PASS; // an MS's first two are spared whatever their size: aqm_spares_test.c
    for (uint32_t i = 0; i < FIRST; i++)
        assert_int_equal(world_put(w, 0, 40, 0, OTHER_FLOW + i, false), DROP_NONE);
    asked = 0;
    return w;
}

static void lone_and_small_is_spared(enum sched_scope scope, bool by_flow)
{
    struct world *w = open_world(scope, by_flow, false);
    uint16_t quantum = (uint16_t)world_config().flow_quantum_octets;
    enum drop_reason lone = by_flow && scope != SCHED_SCOPE_FLOW ? DROP_NONE : DROP_aqm_in;
    advice = AQM_DROP;
    assert_int_equal(world_put(w, 0, quantum + 1, 0, 3, true), DROP_aqm_in);
    assert_int_equal(world_put(w, 0, quantum, 0, 0, true), lone);
    assert_int_equal(world_put(w, 0, 40, 0, 1, true), lone);
    advice = AQM_MARK; // of what cannot be marked: a drop
    assert_int_equal(world_put(w, 0, 40, 0, 2, false), lone);
    assert_int_equal(asked, 4); // it sees every arrival
    world_close(w);
}

static void test_lone_and_small_is_spared(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++)
        for (int by_flow = scope == SCHED_SCOPE_FLOW; by_flow < 2; by_flow++)
            lone_and_small_is_spared(scope, by_flow);
}

static void test_the_second_of_its_flow_is_not(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_BVC, true, false);
    advice = AQM_DROP;
    assert_int_equal(world_put(w, 0, 40, 0, 0, true), DROP_NONE);
    assert_int_equal(world_put(w, 0, 40, 0, 0, true), DROP_aqm_in);
    assert_int_equal(world_put(w, 0, 40, 0, 1, true), DROP_NONE); // of another flow
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    assert_int_equal(w->sents, FIRST + 2);
    assert_int_equal(world_put(w, 0, 40, 0, 0, true), DROP_NONE); // the flow has ended
    world_close(w);
}

static void test_an_ect_one_is_marked(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        bool ect = i & 1, marks = i & 2, ecn = i & 4;
        struct world *w = open_world(SCHED_SCOPE_BVC, true, ecn);
        advice = marks ? AQM_MARK : AQM_DROP; // a mark with `ecn` off is no advice of a real AQM
        assert_int_equal(world_put(w, 0, 40, 0, 0, ect), DROP_NONE);
        world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, FIRST + 1);
        assert_int_equal(w->sent[FIRST].mark, ect && (marks || ecn));
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lone_and_small_is_spared),
        cmocka_unit_test(test_the_second_of_its_flow_is_not),
        cmocka_unit_test(test_an_ect_one_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
