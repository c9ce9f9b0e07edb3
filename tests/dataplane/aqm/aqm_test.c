// What holds of every discipline, whoever wrote it: its table is sane, what is out of range is
// refused, no view brings it down, and it marks only what may be marked. Run under the sanitizers
// too.
#include "dataplane/aqm/aqm.h"

#include "tests/dataplane/aqm/congested.h"

#define ROUNDS    300
#define CALLS     300
#define LONGEST_S 1024

// What is never asked drops nothing.
static bool is_asked(const struct aqm_ops *ops)
{
    return ops->enqueue || ops->dequeue;
}

static void test_names(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < aqm_count; i++) {
        assert_true(aqm_of_name(aqm_list[i]->name) == aqm_list[i]); // so no name is there twice
        assert_true(strlen(aqm_list[i]->help) > 0);
    }
    assert_null(aqm_of_name("no such"));
    assert_null(aqm_of_name(""));
}

static void expect_sane(const struct aqm_param *p)
{
    uint64_t standard = p->unit == AQM_LEVEL ? aqm_level_value(p->standard) : p->standard;
    assert_true(p->least <= standard && standard <= p->most);
    assert_true(strlen(p->name) > 0 && strlen(p->help) > 0);
    if (p->unit == AQM_SWITCH)
        assert_true(p->least == 0 && p->most == 1);
    if (p->unit == AQM_PROBABILITY)
        assert_true(p->most <= 1000000);
    if (p->unit == AQM_LEVEL)
        assert_true(p->most < 1ULL << AQM_LEVEL_UNIT_SHIFT);
}

static void test_tables(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < aqm_count; i++) {
        const struct aqm_ops *ops = aqm_list[i];
        assert_true(ops->param_count <= AQM_PARAMS_MAX);
        for (uint32_t k = 0; k < ops->param_count; k++) {
            expect_sane(&ops->params[k]);
            for (uint32_t j = 0; j < k; j++)
                assert_string_not_equal(ops->params[j].name, ops->params[k].name);
        }
        struct asked a = asked_of(ops->name);
        asked_ready(&a);
    }
}

static void expect_refused(const struct aqm_ops *ops, uint32_t param, uint64_t value)
{
    struct asked a = asked_of(ops->name);
    a.params[param] = value;
    assert_string_equal(asked_setup(&a), ops->params[param].name);
}

static void test_out_of_range_is_refused_by_name(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < aqm_count; i++)
        for (uint32_t k = 0; k < aqm_list[i]->param_count; k++) {
            const struct aqm_param *p = &aqm_list[i]->params[k];
            expect_refused(aqm_list[i], k, p->most + 1);
            if (p->least)
                expect_refused(aqm_list[i], k, p->least - 1);
            if (p->unit == AQM_LEVEL)
                expect_refused(aqm_list[i], k, AQM_LEVEL_OF(3, p->least));
        }
}

// Anything within the ranges; levels of one unit, so that it is often accepted.
static void random_params(struct asked *a)
{
    uint64_t unit = random_next() % 3;
    for (uint32_t k = 0; k < a->aqm.ops->param_count; k++) {
        const struct aqm_param *p = &a->aqm.ops->params[k];
        if (random_next() % 2)
            a->params[k] = p->least + (random_in(p->least, p->most) >> random_in(0, 40)) %
                                          (p->most - p->least + 1);
        if (p->unit == AQM_LEVEL)
            a->params[k] = AQM_LEVEL_OF(unit, aqm_level_value(a->params[k]));
    }
}

static uint64_t any_of(uint64_t most)
{
    return random_in(0, most) >> random_in(0, 63);
}

// Time goes on; everything else is anything.
static void random_view(struct aqm_view *view, bool wild)
{
    view->now_ns += wild ? any_of(1ULL << 60) : any_of(10 * S_NS);
    view->sojourn_ns = wild ? any_of(UINT64_MAX) : any_of(20 * S_NS);
    view->pdu_octets = (uint32_t)any_of(wild ? UINT32_MAX : 1500);
    view->queue_octets = (uint32_t)any_of(wild ? UINT32_MAX : 300000);
    view->queue_pdus = (uint32_t)any_of(wild ? UINT32_MAX : 500);
    view->share_octets_per_s = 1 + (uint32_t)any_of(wild ? UINT32_MAX - 1 : 30000);
    view->ect = random_next() % 2;
    if (random_next() % 8 == 0)
        *view->pdu_word = (uint32_t)any_of(UINT32_MAX);
}

static bool ecn_of(const struct asked *a)
{
    for (uint32_t k = 0; k < a->aqm.ops->param_count; k++)
        if (strcmp(a->aqm.ops->params[k].name, "ecn") == 0)
            return a->params[k];
    return false;
}

// Behind its own vars are another queue's.
static void others_vars(struct asked *a, bool check)
{
    for (uint32_t i = aqm_vars_octets(a->aqm.ops); i < sizeof a->vars; i++) {
        if (check)
            assert_int_equal(a->vars[i], 0xa5);
        a->vars[i] = 0xa5;
    }
}

static void expect_lawful(struct asked *a, bool wild, uint32_t counts[AQM_STALE + 1])
{
    struct rng rng;
    others_vars(a, false);
    uint32_t word = 0;
    struct aqm_view view = {.rng = &rng, .pdu_word = &word};
    rng_seed(&rng, random_next(), 0);
    for (int call = 0; call < CALLS; call++) {
        random_view(&view, wild);
        enum aqm_verdict verdict = random_next() % 2 ? asked_in(a, &view) : asked_out(a, &view);
        assert_in_range(verdict, AQM_PASS, AQM_STALE);
        if (verdict == AQM_MARK)
            assert_true(view.ect && ecn_of(a));
        counts[verdict]++;
        if (a->aqm.ops->full && call % 8 == 0)
            a->aqm.ops->full(a->aqm.config, a->vars, &view);
    }
    others_vars(a, true);
}

static void test_any_view(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < aqm_count; i++) {
        uint32_t counts[AQM_STALE + 1] = {0};
        for (int round = 0; round < ROUNDS; round++) {
            struct asked a = asked_of(aqm_list[i]->name);
            random_params(&a);
            if (!asked_setup(&a))
                expect_lawful(&a, round % 2, counts);
        }
        assert_true(counts[AQM_PASS] > 0);
        assert_true((counts[AQM_DROP] > 0) == is_asked(aqm_list[i]));
    }
}

static uint64_t about_calm(const struct aqm_calm *calm, uint32_t share)
{
    bool by_time = random_next() % 2;
    return (by_time ? calm->below_ns : calm->below_nano_octets / share) + 2 - random_next() % 5;
}

// What an AQM that says when it is calm is not asked: it would have passed, drawn nothing at random
// and remembered nothing. Sojourns about the bound; a queue that stands now and then stirs it.
static uint32_t expect_calm_is_calm(struct asked *a)
{
    struct rng rng;
    uint32_t word = 0, calm = 0;
    struct aqm_view view = {.rng = &rng, .pdu_word = &word};
    rng_seed(&rng, random_next(), 0);
    for (int call = 0; call < CALLS; call++) {
        random_view(&view, false);
        if (random_next() % 2)
            view.sojourn_ns = about_calm(&a->aqm.calm, view.share_octets_per_s);
        bool in = random_next() % 2;
        view.sojourn_ns = in ? 0 : view.sojourn_ns;
        struct asked before = *a;
        struct rng drawn = rng;
        uint32_t said = word;
        enum aqm_verdict verdict = in ? asked_in(a, &view) : asked_out(a, &view);
        if (!aqm_is_calm(&a->aqm.calm, aqm_is_stirred(before.vars), view.sojourn_ns,
                         view.share_octets_per_s))
            continue;
        calm++;
        assert_int_equal(verdict, AQM_PASS);
        assert_memory_equal(a->vars, before.vars, sizeof a->vars);
        assert_memory_equal(&rng, &drawn, sizeof rng);
        assert_int_equal(word, said);
    }
    return calm;
}

static void test_calm_is_calm(void **state)
{
    (void)state;
    random_begin();
    uint32_t calm = 0;
    for (uint32_t i = 0; i < aqm_count; i++)
        for (int round = 0; aqm_list[i]->calm && round < ROUNDS; round++) {
            struct asked a = asked_of(aqm_list[i]->name);
            random_params(&a);
            if (!asked_setup(&a))
                calm += expect_calm_is_calm(&a);
        }
    assert_true(calm > ROUNDS);
}

// True if a call for an N-PDU that joins a queue did something.
static bool joining_matters(struct asked *a)
{
    struct rng rng;
    uint32_t word = 0;
    struct aqm_view view = {.rng = &rng, .pdu_word = &word};
    rng_seed(&rng, random_next(), 0);
    for (int call = 0; call < CALLS; call++) {
        random_view(&view, false);
        view.queue_pdus += view.queue_pdus == 0;
        struct asked before = *a;
        struct rng drawn = rng;
        uint32_t said = word;
        if (asked_in(a, &view) != AQM_PASS || word != said ||
            memcmp(a->vars, before.vars, sizeof a->vars) != 0 ||
            memcmp(&rng, &drawn, sizeof rng) != 0)
            return true;
        asked_out(a, &view);
    }
    return false;
}

// An AQM that only has to know when a queue begins says so, as a call for each N-PDU costs time;
// any other is called.
static void test_who_joins_a_queue_costs_no_needless_call(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < aqm_count; i++) {
        bool matters = false;
        for (int round = 0; aqm_list[i]->enqueue && round < ROUNDS && !matters; round++) {
            struct asked a = asked_of(aqm_list[i]->name);
            random_params(&a);
            matters = !asked_setup(&a) && joining_matters(&a);
        }
        if (aqm_list[i]->enqueue && aqm_list[i]->enqueue_if_empty == matters)
            fail_msg("%s: a call for who joins a queue matters: %d", aqm_list[i]->name, matters);
    }
}

// The shortest queue, from 2 s on, of which the discipline drops some when nothing may be marked.
static uint32_t dropped_from_s(struct asked *a)
{
    uint32_t counts[AQM_STALE + 1] = {0}, stands_s = 1;
    while (counts[AQM_DROP] == 0 && stands_s < LONGEST_S)
        congest(a, stands_s *= 2, true, false, counts);
    assert_true(counts[AQM_MARK] == 0 && counts[AQM_DROP] > 0);
    return stands_s;
}

static void test_marks_need_ect_and_ecn(void **state)
{
    uint32_t counts[AQM_STALE + 1];
    (void)state;
    for (uint32_t i = 0; i < aqm_count; i++) {
        if (!is_asked(aqm_list[i]))
            continue;
        struct asked a = asked_of(aqm_list[i]->name);
        uint32_t stands_s = dropped_from_s(&a);
        bool may_mark = congest(&a, stands_s, true, true, counts);
        assert_true((counts[AQM_MARK] > 0) == may_mark);
        congest(&a, stands_s, false, true, counts);
        assert_true(counts[AQM_MARK] == 0 && counts[AQM_DROP] > 0);
    }
}

// A queue that never held anything: the first N-PDU comes and goes at once.
static void test_idle_queue_is_left_alone(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < aqm_count; i++)
        for (int round = 0; round < 100; round++) {
            struct asked a = asked_of(aqm_list[i]->name);
            random_params(&a);
            if (asked_setup(&a))
                continue;
            struct rng rng;
            uint32_t word = 0;
            rng_seed(&rng, (uint64_t)round, 0);
            struct aqm_view view = {.now_ns = any_of(1ULL << 60),
                                    .pdu_octets = 500,
                                    .share_octets_per_s = 1 + (uint32_t)any_of(UINT32_MAX - 1),
                                    .rng = &rng,
                                    .pdu_word = &word};
            assert_int_equal(asked_in(&a, &view), AQM_PASS);
            view.queue_pdus = 1;
            view.queue_octets = 500;
            assert_int_equal(asked_out(&a, &view), AQM_PASS);
        }
}

static void test_octets_and_time(void **state)
{
    (void)state;
    random_begin();
    for (int i = 0; i < 100000; i++) {
        struct aqm_view view = {.share_octets_per_s = 1 + (uint32_t)any_of(UINT32_MAX - 1)};
        uint64_t ns = any_of(UINT64_MAX), octets = any_of(UINT32_MAX);
        long double share = (long double)view.share_octets_per_s;
        long double exact = floorl(share * (long double)ns / 1e9L);
        if (exact >= UINT32_MAX)
            assert_true(aqm_octets_in(&view, ns) == UINT32_MAX);
        else
            expect_near((long double)aqm_octets_in(&view, ns), exact, 1);
        expect_near((long double)aqm_time_of(&view, octets),
                    floorl((long double)octets * 1e9L / share), 1);
    }
    struct aqm_view view = {.share_octets_per_s = 2500};
    assert_true(aqm_octets_in(&view, S_NS) == 2500 && aqm_time_of(&view, 2500) == S_NS);
}

static void test_signal(void **state)
{
    struct aqm_view ect = {.ect = true}, not_ect = {.ect = false};
    (void)state;
    assert_int_equal(aqm_signal(true, &ect), AQM_MARK);
    assert_int_equal(aqm_signal(true, &not_ect), AQM_DROP);
    assert_int_equal(aqm_signal(false, &ect), AQM_DROP);
    assert_int_equal(aqm_signal(false, &not_ect), AQM_DROP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_out_of_range_is_refused_by_name),
        cmocka_unit_test(test_any_view),
        cmocka_unit_test(test_calm_is_calm),
        cmocka_unit_test(test_who_joins_a_queue_costs_no_needless_call),
        cmocka_unit_test(test_marks_need_ect_and_ecn),
        cmocka_unit_test(test_idle_queue_is_left_alone),
        cmocka_unit_test(test_octets_and_time),
        cmocka_unit_test(test_signal),
    };
    return cmocka_run_group_tests_name("aqm/aqm", tests, NULL, NULL);
}
