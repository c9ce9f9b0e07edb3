// What the scheduler makes of an AQM's advice and what it shows to it. A mark goes out with the
// first piece of an ECT N-PDU alone, a drop under its reason; lifetime, limits and flushes never
// mark. The view is right: age without frozen time, the queue of the AQM's scope, its share.
#include "tests/dataplane/sched/world.h"

#include <string.h>

// An AQM that does as it is told and remembers what it saw.
static struct {
    enum aqm_verdict enqueue, dequeue;
    struct aqm_view in, out; // the last ones
    uint32_t ins, outs, word;
} told;

static enum aqm_verdict on_enqueue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    told.in = *view;
    told.in.share_octets_per_s = aqm_share(view); // at this moment
    told.ins++;
    ++*(uint64_t *)vars;
    *view->pdu_word = told.word++;
    return told.enqueue;
}

static enum aqm_verdict on_dequeue(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    told.out = *view;
    told.outs++;
    ++*(uint64_t *)vars;
    assert_int_equal(*view->pdu_word, told.outs - 1); // as it was left at enqueue
    return told.dequeue;
}

static const struct aqm_ops teller = {
    .name = "teller", .help = "as told", .enqueue = on_enqueue, .dequeue = on_dequeue};

static struct sched_config config_of(enum sched_scope scope)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = 4;
    for (uint32_t i = 0; i < CLASS_COUNT; i++) {
        config.of_class[i].aqm = (struct aqm){.ops = &teller};
        config.of_class[i].scope = scope;
        config.of_class[i].flow_queues = scope == SCHED_SCOPE_FLOW;
    }
    return config;
}

static struct world *open_world(enum sched_scope scope, struct bucket_terms cell)
{
    struct sched_config config = config_of(scope);
    struct world *w = world_open(&config);
    memset(&told, 0, sizeof told);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, cell, WORLD_PLENTY);
    world_add_ms(w, 0, 140);
    world_add_pfc(w, 0, 0, CLASS_BACKGROUND);
    return w;
}

// Three pieces each; marked at enqueue, at dequeue, at both.
static void only_ect_and_only_the_first_piece(void **state)
{
    (void)state;
    for (uint32_t how = 1; how < 4; how++)
        for (int ect = 0; ect < 2; ect++) {
            struct world *w = open_world(SCHED_SCOPE_PFC, WORLD_PLENTY);
            told.enqueue = how & 1 ? AQM_MARK : AQM_PASS;
            told.dequeue = how & 2 ? AQM_MARK : AQM_PASS;
            enum drop_reason put = world_put(w, 0, 400, 0, 0, ect);
            world_run(w, w->now_ns);
            assert_int_equal(told.in.ect, ect);
            if (ect) {
                assert_int_equal(w->sents, 3);
                for (uint32_t i = 0; i < 3; i++)
                    assert_int_equal(w->sent[i].mark, i == 0);
            } else { // an advice to mark what cannot be marked is one to drop
                assert_int_equal(w->sents, 0);
                assert_int_equal(put, how & 1 ? DROP_aqm_in : DROP_NONE);
                assert_int_equal(w->dropped[DROP_aqm_out].packets, !(how & 1));
            }
            world_close(w);
        }
}

static void a_pass_does_not_mark(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_PFC, WORLD_PLENTY);
    world_put(w, 0, 400, 0, 0, true);
    world_run(w, w->now_ns);
    for (uint32_t i = 0; i < 3; i++)
        assert_false(w->sent[i].mark);
    world_close(w);
}

static void the_caller_s_own_mark_is_not_taken_over(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    struct world *w = world_open(&config);
    struct bucket_terms plenty = WORLD_PLENTY;
    struct pdu pdu = {.buffer = w, .octets = 10, .ect = 1, .mark = 1};
    struct sched_grant grant;
    (void)state;
    memset(&told, 0, sizeof told);
    assert_int_equal(sched_nse_add(w->sched, 0, plenty, w->now_ns), 0);
    assert_int_equal(sched_bvc_add(w->sched, 0, 0, w->now_ns), 0);
    assert_int_equal(sched_bvc_set(w->sched, 0, plenty, plenty, w->now_ns), 0);
    assert_int_equal(sched_ms_add(w->sched, 0, 0, 500, w->now_ns), 0);
    assert_int_equal(sched_pfc_add(w->sched, 0, 0, CLASS_BACKGROUND), 0);
    assert_int_equal(sched_put(w->sched, 0, 0, &pdu, w->now_ns), DROP_NONE);
    assert_int_equal(sched_take(w->sched, &grant, 1, w->now_ns), 1);
    assert_false(grant.mark);
    world_close(w);
}

// Drops are drops whatever the ECN bits say; each is asked once at each side.
static void drops_go_under_their_reason(void **state)
{
    (void)state;
    for (int ect = 0; ect < 2; ect++) {
        struct world *w = open_world(SCHED_SCOPE_PFC, WORLD_PLENTY);
        told.enqueue = AQM_DROP;
        assert_int_equal(world_put(w, 0, 400, 0, 0, ect), DROP_aqm_in);
        told.word = 0;
        told.enqueue = AQM_PASS;
        told.dequeue = AQM_DROP;
        for (uint32_t i = 0; i < 5; i++)
            assert_int_equal(world_put(w, 0, 400, 0, 0, ect), DROP_NONE);
        world_run(w, w->now_ns);
        assert_int_equal(w->dropped[DROP_aqm_out].packets, 5);
        assert_int_equal(told.ins, 6);
        assert_int_equal(told.outs, 5);
        world_close(w);
    }
}

// Once before the first piece; not again however long the pieces take.
static void an_n_pdu_is_judged_once(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_PFC, world_terms(8000, 200));
    world_put(w, 0, 1000, 0, 0, true);
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 8);
    assert_int_equal(told.outs, 1);
    world_close(w);
}

// A limit refuses before the AQM is asked, a lifetime drops without asking: neither is a sign of
// congestion.
static void lifetime_and_limits_do_not_ask(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    config.ms_limit.packets = 3;
    config.of_class[CLASS_BACKGROUND].lifetime_ns = S_IN_NS;
    (void)state;
    for (uint32_t late = 0; late < 2; late++) {
        struct world *w = world_open(&config);
        memset(&told, 0, sizeof told);
        told.dequeue = AQM_MARK;
        world_add_nse(w, WORLD_UNLIMITED);
        world_add_cell(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
        world_add_simple(w, 0, CLASS_BACKGROUND);
        for (uint32_t i = 0; i < 5; i++)
            world_put(w, 0, 100, 0, 0, true);
        assert_int_equal(w->refused[DROP_ms_full].packets, 2);
        assert_int_equal(told.ins, 3);
        if (late) // no time for the search: they are met by the way out
            w->now_ns += 10 * S_IN_NS;
        else
            world_run(w, 3 * S_IN_NS);
        world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_run(w, w->now_ns + S_IN_NS);
        assert_int_equal(w->dropped[DROP_expired].packets, 3);
        assert_int_equal(told.outs, 0);
        world_close(w);
    }
}

// For an AQM of the MS's own, of a PFC or a flow, time itself stands meanwhile.
static void frozen_time_is_no_time(enum sched_scope scope)
{
    struct world *w = open_world(scope, (struct bucket_terms){0, 5000});
    world_put(w, 0, 100, 0, 0, true);
    assert_int_equal(told.in.sojourn_ns, 0);
    world_run(w, w->now_ns + 3 * S_IN_NS);
    world_ms_freeze(w, 0);
    world_run(w, w->now_ns + 50 * S_IN_NS);
    world_ms_release(w, 0);
    world_run(w, w->now_ns + 2 * S_IN_NS);
    world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_run(w, w->now_ns);
    assert_int_equal(told.out.sojourn_ns, 5 * S_IN_NS);
    assert_int_equal(told.out.now_ns, w->now_ns - (scope >= SCHED_SCOPE_PFC ? 50 * S_IN_NS : 0));
    assert_int_equal(told.out.pdu_octets, 100);
    world_close(w);
}

static void the_sojourn_is_without_frozen_time(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++)
        frozen_time_is_no_time(scope);
}

// Two NSEs of two cells of two MSs of two PFCs of background and one of streaming; each PFC has two
// N-PDUs of two flows each. What is counted as the queue of the next N-PDU is by the scope.
static void the_queue_is_that_of_the_scope(void **state)
{
    static const uint32_t pdus[] = {[SCHED_SCOPE_NSE] = 2 * 2 * 2 * 4,
                                    [SCHED_SCOPE_BVC] = 2 * 2 * 4,
                                    [SCHED_SCOPE_PFC] = 4,
                                    [SCHED_SCOPE_FLOW] = 2};
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++) {
        struct sched_config config = config_of(scope);
        struct world *w = world_open(&config);
        memset(&told, 0, sizeof told);
        for (uint32_t b = 0; b < 4; b++) {
            if (b % 2 == 0)
                world_add_nse(w, WORLD_UNLIMITED);
            world_add_cell(w, b / 2, (struct bucket_terms){0, 1}, WORLD_PLENTY);
            for (uint32_t i = 0; i < 2; i++) {
                uint32_t ms = world_add_ms(w, b, 1520);
                for (uint32_t slot = 0; slot < 3; slot++)
                    world_add_pfc(w, ms, slot, slot < 2 ? CLASS_BACKGROUND : CLASS_STREAMING);
            }
        }
        for (uint32_t pfc = 0; pfc < w->pfcs; pfc++)
            for (uint32_t i = 0; i < 4; i++)
                world_put(w, pfc, 100, 0, i % 2, true);
        world_put(w, 0, 77, 0, 0, true);
        assert_int_equal(told.in.queue_pdus, pdus[scope]); // without this one
        assert_int_equal(told.in.queue_octets, pdus[scope] * 100);
        assert_int_equal(told.in.pdu_octets, 77);
        world_close(w);
    }
}

// At dequeue the head counts in.
static void the_head_is_in_its_queue(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++) {
        struct world *w = open_world(scope, (struct bucket_terms){0, 1});
        for (uint32_t i = 0; i < 3; i++)
            world_put(w, 0, (uint16_t)(100 + i), 0, 0, true);
        world_cell_set(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        w->batch = 1;
        world_take(w);
        assert_int_equal(told.out.queue_pdus, 3);
        assert_int_equal(told.out.queue_octets, 303);
        world_close(w);
    }
}

// The vars of a scope are one memory for all of it and apart from every other's, seen by an AQM
// that drops the third N-PDU that it is asked about.
static enum aqm_verdict third_drops(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config;
    (void)view;
    return ++*(uint64_t *)vars == 3 ? AQM_DROP : AQM_PASS;
}

static void each_scope_has_its_own_memory(void **state)
{
    static const struct aqm_ops third = {
        .name = "third", .help = "drops its third", .enqueue = third_drops};
    // Puts into PFC, flow: which of them is the third of its scope?
    static const struct {
        uint32_t pfc, flow;
    } puts[] = {{0, 0}, {0, 1}, {0, 0}, {1, 0}, {2, 0}, {0, 0}, {2, 0}, {2, 0}, {1, 0}, {1, 1}};
    static const uint32_t dropped[] = {[SCHED_SCOPE_NSE] = 1 << 2,
                                       [SCHED_SCOPE_BVC] = 1 << 2 | 1 << 7,
                                       [SCHED_SCOPE_PFC] = 1 << 2 | 1 << 7 | 1 << 9,
                                       [SCHED_SCOPE_FLOW] = 1 << 5 | 1 << 7};
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++) {
        struct sched_config config = config_of(scope);
        for (uint32_t c = 0; c < CLASS_COUNT; c++)
            config.of_class[c].aqm.ops = &third;
        struct world *w = world_open(&config);
        world_add_nse(w, WORLD_UNLIMITED);
        for (uint32_t b = 0; b < 2; b++)
            world_add_cell(w, 0, (struct bucket_terms){0, 1}, WORLD_PLENTY);
        for (uint32_t i = 0; i < 3; i++) // PFCs 0 and 1 in cell 0, PFC 2 in cell 1
            world_add_simple(w, i / 2, CLASS_BACKGROUND);
        for (uint32_t i = 0; i < sizeof puts / sizeof puts[0]; i++)
            assert_int_equal(world_put(w, puts[i].pfc, 100, 0, puts[i].flow, false),
                             dropped[scope] >> i & 1 ? DROP_aqm_in : DROP_NONE);
        world_close(w);
    }
}

// ---- The share ----

static uint32_t share_seen(struct world *w, uint32_t pfc)
{
    world_put(w, pfc, 100, 0, 0, true);
    return told.in.share_octets_per_s;
}

static void the_share_is_the_least_of_its_levels(void **state)
{
    (void)state;
    for (uint32_t level = 0; level < 4; level++) {
        struct sched_config config = config_of(SCHED_SCOPE_PFC);
        struct world *w = world_open(&config);
        uint64_t rate[] = {80000, 80000, 80000, 80000};
        rate[level] = 8000;
        world_add_nse(w, world_terms(rate[0], 5000));
        world_add_cell(w, 0, world_terms(rate[1], 5000), WORLD_PLENTY);
        uint32_t pfc = world_add_simple(w, 0, CLASS_BACKGROUND);
        world_ms_set(w, 0, world_terms(rate[2], 5000));
        world_pfc_set(w, pfc, world_terms(rate[3], 5000));
        assert_int_equal(share_seen(w, pfc), 1000);
        world_close(w);
    }
}

// Forty MSs share a cell: each can expect a fortieth, by weight if a class of more is backlogged.
static void the_share_is_of_what_is_backlogged(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(400000, 5000), WORLD_PLENTY); // 50 000 octets/s
    for (uint32_t i = 0; i < 39; i++)
        world_put(w, world_add_simple(w, 0, CLASS_BACKGROUND), 100, 0, 0, true);
    uint32_t streaming = world_add_simple(w, 0, CLASS_STREAMING);
    uint32_t last = world_add_simple(w, 0, CLASS_BACKGROUND);
    world_put(w, last, 100, 0, 0, true);
    for (uint32_t i = 0; i < 64; i++) // it may be worked out only now and then
        share_seen(w, last);
    assert_in_range(share_seen(w, last), 50000 / 40 - 1, 50000 / 40 + 1);
    world_put(w, streaming, 100, 0, 0, true);
    for (uint32_t i = 0; i < 64; i++)
        share_seen(w, last);
    assert_in_range(share_seen(w, last), 50000 * 5 / 905 / 40 - 1, 50000 * 5 / 905 / 40 + 1);
    world_close(w);
}

// Asked about the first N-PDU of a queue, that queue is one of those that share.
static void the_share_counts_the_newcomer_itself(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(80000, 5000), WORLD_PLENTY); // 10 000 octets/s
    uint32_t pfc[3] = {world_add_simple(w, 0, CLASS_BACKGROUND),
                       world_add_simple(w, 0, CLASS_BACKGROUND),
                       world_add_simple(w, 0, CLASS_STREAMING)};
    assert_in_range(share_seen(w, pfc[0]), 9999, 10000);
    assert_in_range(share_seen(w, pfc[1]), 4999, 5000);
    assert_in_range(share_seen(w, pfc[2]), 10000 * 900 / 905 - 1, 10000 * 900 / 905);
    world_close(w);
}

// A pipe's is shared by its cells, a cell's is not.
static void the_share_of_a_pipe_is_that_of_all_its_cells(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, world_terms(80000, 5000)); // 10 000 octets/s
    for (uint32_t i = 0; i < 2; i++)
        world_add_cell(w, 0, WORLD_UNLIMITED, WORLD_PLENTY);
    world_put(w, world_add_simple(w, 1, CLASS_BACKGROUND), 100, 0, 0, true);
    assert_in_range(share_seen(w, world_add_simple(w, 0, CLASS_BACKGROUND)), 4999, 5000);
    world_close(w);
}

// At once, though it is worked out now and then only.
static void the_share_is_that_of_the_cell_it_has_moved_to(void **state)
{
    struct sched_config config = config_of(SCHED_SCOPE_PFC);
    (void)state;
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(80000, 5000), WORLD_PLENTY);
    world_add_cell(w, 0, world_terms(8000, 5000), WORLD_PLENTY);
    uint32_t pfc = world_add_simple(w, 0, CLASS_BACKGROUND);
    share_seen(w, pfc);
    assert_in_range(share_seen(w, pfc), 9999, 10000);
    world_ms_move(w, 0, 1);
    assert_in_range(share_seen(w, pfc), 999, 1000);
    world_close(w);
}

// With an AQM for each flow: a part of the packet flow's for each that has N-PDUs, or has this one.
static void the_share_of_a_flow_is_its_part(void **state)
{
    (void)state;
    struct world *w = open_world(SCHED_SCOPE_FLOW, world_terms(80000, 200));
    for (uint32_t again = 0; again < 2; again++) // computed, and by the cached share
        for (uint32_t flow = 0; flow < 4; flow++) {
            world_put(w, 0, 500, 0, flow, false);
            uint32_t flows = again ? 4 : flow + 1;
            assert_in_range(told.in.share_octets_per_s, 10000 / flows - 1, 10000 / flows);
        }
    world_close(w);
}

static void the_share_is_never_0(void **state)
{
    (void)state;
    for (enum sched_scope scope = 0; scope <= SCHED_SCOPE_FLOW; scope++) {
        struct world *w = open_world(scope, (struct bucket_terms){0, 0});
        for (uint32_t i = 0; i < 40; i++)
            assert_true(share_seen(w, 0) > 0);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_ect_and_only_the_first_piece),
        cmocka_unit_test(a_pass_does_not_mark),
        cmocka_unit_test(the_caller_s_own_mark_is_not_taken_over),
        cmocka_unit_test(drops_go_under_their_reason),
        cmocka_unit_test(an_n_pdu_is_judged_once),
        cmocka_unit_test(lifetime_and_limits_do_not_ask),
        cmocka_unit_test(the_sojourn_is_without_frozen_time),
        cmocka_unit_test(the_queue_is_that_of_the_scope),
        cmocka_unit_test(the_head_is_in_its_queue),
        cmocka_unit_test(each_scope_has_its_own_memory),
        cmocka_unit_test(the_share_is_the_least_of_its_levels),
        cmocka_unit_test(the_share_is_of_what_is_backlogged),
        cmocka_unit_test(the_share_counts_the_newcomer_itself),
        cmocka_unit_test(the_share_of_a_pipe_is_that_of_all_its_cells),
        cmocka_unit_test(the_share_is_that_of_the_cell_it_has_moved_to),
        cmocka_unit_test(the_share_of_a_flow_is_its_part),
        cmocka_unit_test(the_share_is_never_0),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
