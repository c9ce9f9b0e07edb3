// `ecn` off means that nothing is marked: each AQM, each scope, with queues by flow and without,
// under a load that makes it act on large N-PDUs, on small ones, and on ones alone in their flow.
// With `ecn` on the same load meets marks.
#include <string.h>

#include "tests/dataplane/sched/world.h"

#define PARAMS_MOST 16

// Its standard parameters, but for `ecn` and its ceiling. False: it has no such switch.
static bool setup(struct aqm *aqm, const struct aqm_ops *ops, bool ecn)
{
    uint64_t params[PARAMS_MOST];
    bool has = false;
    assert_true(ops->param_count <= PARAMS_MOST);
    aqm_standard_params(ops, params);
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (!strcmp(ops->params[i].name, "ecn")) {
            params[i] = ecn;
            has = true;
        } else if (!strcmp(ops->params[i].name, "ecn_ceiling")) {
            params[i] = ops->params[i].most; // slow cells are beyond PIE's own
        }
    assert_null(aqm_setup(aqm, ops, params));
    return has;
}

static struct world *loaded(const struct aqm *aqm, enum sched_scope scope, bool by_flow)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = 16;
    config.of_class[CLASS_BACKGROUND].aqm = *aqm;
    config.of_class[CLASS_BACKGROUND].scope = scope;
    config.of_class[CLASS_BACKGROUND].flow_queues = by_flow;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->check_every = WORLD_EVERY(64);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(10000, 3000), WORLD_PLENTY);
    for (uint32_t ms = 0; ms < 4; ms++) {
        uint32_t pfc = world_add_simple(w, 0, CLASS_BACKGROUND);
        for (uint32_t i = 0; i < 3; i++)
            world_add_source(w, (struct world_source){.pfc = pfc,
                                                      .least = i ? 40 : 1000,
                                                      .most = i ? 300 : 1500,
                                                      .burst = 1 + i,
                                                      .interval_ns = (i + 1) * 900 * MS_IN_NS,
                                                      .flows = i == 2 ? 1000 : 0,
                                                      .flow_hash = i,
                                                      .ect = true,
                                                      .seed = ms * 3 + i});
    }
    return w;
}

static uint32_t marks_of(const struct aqm *aqm, enum sched_scope scope, bool by_flow)
{
    struct world *w = loaded(aqm, scope, by_flow);
    world_run(w, 200 * S_IN_NS);
    uint32_t marks = 0;
    for (uint32_t i = 0; i < w->sents; i++)
        marks += w->sent[i].mark;
    assert_true(w->finished.packets > 100);
    world_close(w);
    return marks;
}

static void off_marks_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < aqm_count; i++)
        for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++)
            for (int by_flow = scope == SCHED_SCOPE_FLOW; by_flow < 2; by_flow++) {
                struct aqm off, on;
                bool has = setup(&off, aqm_list[i], false);
                setup(&on, aqm_list[i], true);
                uint32_t marks = marks_of(&off, scope, by_flow);
                if (marks)
                    fail_msg("%s, scope %d, %s: %u marks with ecn off", aqm_list[i]->name, scope,
                             by_flow ? "by flow" : "one queue", marks);
                if (has && scope == SCHED_SCOPE_BVC && !by_flow && !marks_of(&on, scope, by_flow))
                    fail_msg("%s: this load meets no mark with ecn on", aqm_list[i]->name);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(off_marks_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
