// Other values of a traffic class while there is traffic: a new weight shares from then on (S3,
// S10), whoever limits; a new limit is for what comes; a new lifetime ends what is too old; an AQM
// goes on with its new parameters.
#include "tests/dataplane/sched/world_random.h"

#include <math.h>

#include "tests/dataplane/random.h"

enum level { LEVEL_NSE, LEVEL_CELL, LEVEL_MS, LEVELS };

static void weigh(struct world *w, enum traffic_class class, uint32_t weight)
{
    struct sched_class values = w->config.of_class[class];
    values.weight = weight;
    world_class_set(w, class, &values);
}

// PFCs 0 (streaming) and 1 (background), greedy, of one MS where that is what limits; else of an MS
// each, and where the pipe limits of a cell each.
static struct world *two_classes(enum level level, uint32_t streaming, uint32_t background)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_STREAMING].weight = streaming;
    config.of_class[CLASS_BACKGROUND].weight = background;
    struct world *w = world_open(&config);
    const struct bucket_terms terms = world_terms(800000, 24000);
    w->check_every = 64;
    world_add_nse(w, level == LEVEL_NSE ? terms : WORLD_UNLIMITED);
    world_add_cell(w, 0, level == LEVEL_CELL ? terms : WORLD_PLENTY, WORLD_PLENTY);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_STREAMING);
    if (level == LEVEL_MS) {
        world_ms_set(w, 0, terms);
        world_add_pfc(w, 0, 1, CLASS_BACKGROUND);
    } else {
        world_add_simple(w, level == LEVEL_NSE, CLASS_BACKGROUND);
    }
    for (uint32_t pfc = 0; pfc < 2; pfc++)
        world_add_greedy(w, pfc, 40, 1500);
    return w;
}

// In that time from now on; two largest PDUs of each, and 2 %, are free.
static void expect_shares(struct world *w, uint64_t ns, double streaming, double background)
{
    double before[2], after[2], sum;
    for (uint32_t i = 0; i < 2; i++)
        before[i] = (double)w->pfc[i].sent_octets;
    world_run(w, w->now_ns + ns);
    for (uint32_t i = 0; i < 2; i++)
        after[i] = (double)w->pfc[i].sent_octets - before[i];
    sum = after[0] + after[1];
    assert_true(sum > 0.9 * 100000 * (double)ns / 1e9);
    double wanted = sum * streaming / (streaming + background);
    if (fabs(after[0] - wanted) > 0.02 * wanted + 2 * 1526)
        fail_msg("%.0f of %.0f octets, wanted %.0f", after[0], sum, wanted);
}

static void a_new_weight_shares_from_then_on(void **state)
{
    static const uint32_t weights[][2] = {{1, 10000}, {10000, 1}, {100, 100}, {1, 10000},
                                          {7, 1},     {1, 7},     {900, 5},   {1, 1}};
    const uint32_t n = sizeof weights / sizeof weights[0];
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = two_classes(level, 5000, 1);
        world_run(w, 5 * S_IN_NS);
        for (uint32_t i = 0; i < n; i++) {
            weigh(w, CLASS_STREAMING, weights[i][0]);
            weigh(w, CLASS_BACKGROUND, weights[i][1]);
            expect_shares(w, S_IN_NS, weights[i][0], weights[i][1]);
        }
        world_close(w);
    }
}

// A class that sleeps while its weight changes, and one that nobody has, are no worse off.
static void who_has_nothing_queued_keeps_no_debt(void **state)
{
    (void)state;
    for (enum level level = 0; level < LEVELS; level++) {
        struct world *w = two_classes(level, 1, 10000);
        world_run(w, S_IN_NS);
        w->source[0].depth = 0; // what is queued goes
        w->source[0].stop_ns = w->now_ns;
        world_run(w, 60 * S_IN_NS);
        weigh(w, CLASS_STREAMING, 10000);
        weigh(w, CLASS_INTERACTIVE_2, 77);
        w->source[0].depth = 6;
        w->source[0].stop_ns = TIME_NEVER;
        w->source[0].next_ns = w->now_ns;
        expect_shares(w, S_IN_NS, 1, 1);
        world_close(w);
    }
}

static void a_new_limit_is_for_what_comes(void **state)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    struct sched_class values = config.of_class[CLASS_BACKGROUND];
    (void)state;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, (struct bucket_terms){0}, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(world_put(w, 0, 100, 0, 0, false), DROP_NONE);
    values.limit = (struct sched_limit){5, 100000};
    world_class_set(w, CLASS_BACKGROUND, &values);
    assert_int_equal(sched_queued(w->sched).packets, 10);
    assert_int_equal(world_put(w, 0, 100, 0, 0, false), DROP_class_full);
    values.limit = (struct sched_limit){12, 1050};
    world_class_set(w, CLASS_BACKGROUND, &values);
    assert_int_equal(world_put(w, 0, 51, 0, 0, false), DROP_class_full);
    assert_int_equal(world_put(w, 0, 50, 0, 0, false), DROP_NONE);
    values.limit.octets = 5000;
    world_class_set(w, CLASS_BACKGROUND, &values);
    assert_int_equal(world_put(w, 0, 51, 0, 0, false), DROP_NONE);
    assert_int_equal(world_put(w, 0, 51, 0, 0, false), DROP_class_full);
    world_close(w);
}

// None at first; then one that has passed already, and one that passes later.
static void a_new_lifetime_ends_what_is_too_old(void **state)
{
    (void)state;
    for (uint64_t s = 5; s <= 20; s += 15) {
        struct sched_config config = world_config();
        struct world *w = world_open(&config);
        struct sched_class values = config.of_class[CLASS_BACKGROUND];
        world_add_nse(w, WORLD_UNLIMITED);
        world_add_cell(w, 0, (struct bucket_terms){0}, WORLD_PLENTY);
        world_add_simple(w, 0, CLASS_BACKGROUND);
        world_run(w, S_IN_NS);
        assert_int_equal(world_put(w, 0, 100, 0, 0, false), DROP_NONE);
        world_run(w, 11 * S_IN_NS);
        values.lifetime_ns = s * S_IN_NS;
        values.bss_least_ns = S_IN_NS;
        world_class_set(w, CLASS_BACKGROUND, &values);
        uint64_t end_ns = S_IN_NS + (s == 5 ? 10 : s - 1) * S_IN_NS;
        world_run(w, end_ns);
        if (s == 20)
            assert_int_equal(w->dropped[DROP_expired].packets, 0);
        world_run(w, end_ns + S_IN_NS);
        assert_int_equal(w->dropped[DROP_expired].packets, 1);
        assert_int_equal(sched_queued(w->sched).packets, 0);
        values.lifetime_ns = SCHED_INFINITE;
        world_class_set(w, CLASS_BACKGROUND, &values);
        assert_int_equal(world_put(w, 0, 100, 0, 0, false), DROP_NONE);
        world_run(w, 1000 * S_IN_NS);
        assert_int_equal(sched_queued(w->sched).packets, 1);
        assert_int_equal(sched_next_ns(w->sched, w->now_ns), TIME_NEVER); // nobody searches
        world_close(w);
    }
}

static void what_does_not_go_together_changes_nothing(void **state)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct sched_class bad = config.of_class[CLASS_BACKGROUND];
        bad.weight = i == 0 ? 0 : i == 1 ? SCHED_WEIGHT_MAX + 1 : 5;
        bad.limit.packets = i != 2;
        bad.limit.octets = i != 3;
        bad.bss_least_ns = i == 4 ? 2 : i == 5 ? 10 : 0;
        bad.bss_most_ns = i == 4 ? 1 : SCHED_INFINITE;
        bad.lifetime_ns = i == 5 ? 9 : SCHED_INFINITE;
        assert_true(sched_class_set(w->sched, CLASS_BACKGROUND, &bad) < 0);
    }
    assert_int_equal(sched_class_set(w->sched, CLASS_COUNT, &config.of_class[0]), -SCHED_BAD_CLASS);
    assert_int_equal(sched_class_aqm(w->sched, CLASS_COUNT, NULL, 0), -SCHED_BAD_CLASS);
    assert_int_equal(sched_class_aqm(w->sched, CLASS_BACKGROUND, (uint64_t[]){1}, 1),
                     -SCHED_BAD_AQM);
    assert_int_equal(sched_class_aqm(w->sched, CLASS_BACKGROUND, NULL, 0), 0);
    world_close(w);
}

// Every discipline goes on with any of its parameters, at any time; lives are judged as ever.
static void an_aqm_goes_on_with_new_parameters(void **state)
{
    uint64_t params[AQM_PARAMS_MAX], changed = 0, refused = 0;
    (void)state;
    random_begin();
    for (uint32_t a = 0; a < aqm_count; a++)
        for (uint32_t scope = SCHED_SCOPE_NSE; scope <= SCHED_SCOPE_FLOW; scope++) {
            struct aqm aqm;
            aqm_standard_params(aqm_list[a], params);
            assert_null(aqm_setup(&aqm, aqm_list[a], params));
            struct world_wish wish = {.nses = 2,
                                      .cells = 3,
                                      .mss = 6,
                                      .pfcs = 2,
                                      .flow_queues = scope == SCHED_SCOPE_FLOW,
                                      .aqm = &aqm,
                                      .scope = (enum sched_scope)scope};
            uint64_t random = random_next();
            struct world *w = world_random(&random, &wish);
            for (uint32_t i = 0; i < 60; i++) {
                world_random_life(w, &random, UINT32_MAX, 2);
                const struct aqm_ops *ops = aqm_list[a];
                for (uint32_t p = 0; p < ops->param_count; p++)
                    params[p] = ops->params[p].unit == AQM_LEVEL || i % 2
                                    ? ops->params[p].standard
                                    : random_in(ops->params[p].least, ops->params[p].most);
                struct aqm good;
                bool goes = !aqm_setup(&good, ops, params);
                int fault = sched_class_aqm(w->sched, i % CLASS_COUNT, params, ops->param_count);
                assert_int_equal(fault, goes ? 0 : -SCHED_BAD_AQM);
                changed += goes && i % 2 == 0;
                refused += !goes;
            }
            world_close(w);
        }
    print_message("# %llu changes, %llu refused\n", (unsigned long long)changed,
                  (unsigned long long)refused);
    assert_true(changed > 100 && refused > 10);
}

// CoDel drops as soon as it may when its target is far below the sojourn, and not before.
static void a_new_target_is_in_force(void **state)
{
    struct sched_config config = world_config();
    uint64_t params[AQM_PARAMS_MAX];
    const struct aqm_ops *codel = aqm_of_name("codel");
    (void)state;
    assert_non_null(codel);
    aqm_standard_params(codel, params);
    uint64_t target_ns = params[0], interval_ns = params[1];
    params[0] = 10 * S_IN_NS;
    params[1] = 10 * S_IN_NS;
    assert_null(aqm_setup(&config.of_class[CLASS_BACKGROUND].aqm, codel, params));
    struct world *w = world_open(&config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(80000, 3000), WORLD_PLENTY);
    world_add_greedy(w, world_add_simple(w, 0, CLASS_BACKGROUND), 1000, 1000);
    world_run(w, 20 * S_IN_NS);
    assert_int_equal(w->dropped[DROP_aqm_out].packets, 0);
    params[0] = target_ns;
    params[1] = interval_ns;
    assert_int_equal(sched_class_aqm(w->sched, CLASS_BACKGROUND, params, codel->param_count), 0);
    world_run(w, 25 * S_IN_NS);
    assert_true(w->dropped[DROP_aqm_out].packets > 3);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_weight_shares_from_then_on),
        cmocka_unit_test(who_has_nothing_queued_keeps_no_debt),
        cmocka_unit_test(a_new_limit_is_for_what_comes),
        cmocka_unit_test(a_new_lifetime_ends_what_is_too_old),
        cmocka_unit_test(what_does_not_go_together_changes_nothing),
        cmocka_unit_test(an_aqm_goes_on_with_new_parameters),
        cmocka_unit_test(a_new_target_is_in_force),
    };
    return cmocka_run_group_tests_name("classes", tests, NULL, NULL);
}
