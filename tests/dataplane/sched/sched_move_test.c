// An MS goes to another scheduler with all that it has: its queues in their order, the age of each
// N-PDU by a clock that stands while it is frozen, what is half sent, and the memory of its AQM.
// Both worlds judge each grant as ever (world.h), and both schedulers are checked at each move.
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

// Two worlds of one NSE and one cell; MSs 0 and 1 in the first, with three PFCs each.
struct pair {
    struct world *at[2];
};

static struct world *a_world(const struct sched_config *config)
{
    struct world *w = world_open(config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    for (uint32_t ms = 0; ms < 2; ms++) {
        world_add_ms(w, 0, 500);
        world_add_pfc(w, ms, 0, CLASS_STREAMING);
        world_add_pfc(w, ms, 1, CLASS_BACKGROUND);
        world_add_pfc(w, ms, 4, CLASS_BACKGROUND);
    }
    w->judge_work = true;
    w->keep_trace = true;
    return w;
}

static struct pair a_pair(const struct sched_config *config)
{
    struct pair pair = {{a_world(config), a_world(config)}};
    world_ms_remove(pair.at[1], 0);
    world_ms_remove(pair.at[1], 1);
    return pair;
}

static void close_pair(const struct pair *pair)
{
    world_close(pair->at[0]);
    world_close(pair->at[1]);
}

static void run_both(const struct pair *pair, uint64_t until_ns)
{
    world_run(pair->at[0], until_ns);
    world_run(pair->at[1], until_ns);
}

static void put(struct world *w, uint32_t pfc, uint16_t octets, uint8_t lle)
{
    assert_int_equal(world_put(w, pfc, octets, lle, 0, false), DROP_NONE);
}

// Frozen, it fills three queues; it goes there and back, and sends all of them in their order.
static void queues_go_along(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct pair pair = a_pair(&config);
    world_ms_freeze(pair.at[0], 0);
    for (uint16_t i = 0; i < 60; i++)
        put(pair.at[0], i % 3, (uint16_t)(100 + 40 * i), i % 2);
    put(pair.at[0], 3, 100, 0); // the other MS's
    world_ms_goes(pair.at[0], 0, pair.at[1], 0);
    assert_int_equal(sched_queued(pair.at[0]->sched).packets, 1);
    assert_int_equal(sched_queued(pair.at[1]->sched).packets, 60);
    run_both(&pair, S_IN_NS);
    assert_int_equal(pair.at[1]->sents, 0); // still frozen
    world_ms_goes(pair.at[1], 0, pair.at[0], 0);
    run_both(&pair, 2 * S_IN_NS);
    assert_int_equal(pair.at[0]->sents, 1);
    world_ms_release(pair.at[0], 0);
    run_both(&pair, 100 * S_IN_NS);
    assert_int_equal(pair.at[0]->finished.packets - 60, 61); // 60 left once
    close_pair(&pair);
}

// Two N-PDUs are half sent, of two LLEs; a third waits for one of these. N201-U has changed since.
static void what_is_half_sent_goes_on(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    for (int by_flow = 0; by_flow < 2; by_flow++) {
        config.flows_a_pfc = 8;
        config.of_class[CLASS_BACKGROUND].flow_queues = by_flow;
        struct pair pair = a_pair(&config);
        struct world *w = pair.at[0];
        w->batch = 1;
        w->judge_work = pair.at[1]->judge_work = false;
        put(w, 1, 1500, 0);
        put(w, 2, 1500, 1);
        while (w->npdu[0].sent == 0 || w->npdu[1].sent == 0)
            assert_int_equal(world_take(w), 1);
        put(w, 0, 1500, 0);
        put(w, 1, 700, 1);
        assert_true(w->npdu[0].live && w->npdu[1].live);
        world_ms_n201_u(w, 0, 0, 300);
        world_ms_goes(w, 0, pair.at[1], 0);
        world_ms_n201_u(pair.at[1], 0, 1, 1000);
        world_ms_goes(pair.at[1], 0, w, 0);
        world_ms_goes(w, 0, pair.at[1], 0);
        run_both(&pair, S_IN_NS);
        assert_int_equal(sched_queued(w->sched).packets, 0);
        assert_int_equal(sched_queued(pair.at[1]->sched).packets, 0);
        close_pair(&pair);
    }
}

static bool is_dropped_by(struct world *w, uint64_t at_ns)
{
    world_run(w, at_ns);
    return w->dropped[DROP_expired].packets > 0;
}

// A lifetime of 10 s, of which 3 s pass before, 40 s frozen on the way, and the rest at the end.
static void age_goes_along(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    config.of_class[CLASS_STREAMING].lifetime_ns = 10 * S_IN_NS;
    for (int early = 0; early < 2; early++) {
        struct pair pair = a_pair(&config);
        for (int i = 0; i < 2; i++)
            world_cell_set(pair.at[i], 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        put(pair.at[0], 0, 100, 0);
        run_both(&pair, 3 * S_IN_NS);
        world_ms_freeze(pair.at[0], 0);
        run_both(&pair, 13 * S_IN_NS);
        world_ms_goes(pair.at[0], 0, pair.at[1], 0);
        run_both(&pair, 43 * S_IN_NS);
        world_ms_release(pair.at[1], 0);
        world_ms_goes(pair.at[1], 0, pair.at[0], 0);
        if (early) {
            run_both(&pair, 49900 * MS_IN_NS);
            world_cell_set(pair.at[0], 0, WORLD_PLENTY, WORLD_PLENTY);
            run_both(&pair, 50 * S_IN_NS);
            assert_int_equal(pair.at[0]->sents, 1);
        } else {
            assert_false(is_dropped_by(pair.at[0], 49999 * MS_IN_NS));
            assert_true(is_dropped_by(pair.at[0], 51 * S_IN_NS));
        }
        close_pair(&pair);
    }
}

// R = 0 of its own was the old cell's BSS's; in the new one it goes on.
static void a_stop_ends_with_the_cell(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    struct pair pair = a_pair(&config);
    world_ms_set(pair.at[0], 0, (struct bucket_terms){0, 5000});
    put(pair.at[0], 0, 100, 0);
    run_both(&pair, 5 * S_IN_NS);
    world_ms_goes(pair.at[0], 0, pair.at[1], 0);
    run_both(&pair, 6 * S_IN_NS);
    assert_int_equal(pair.at[1]->sents, 1);
    close_pair(&pair);
}

// The other thread's time may be behind: what came a moment ago has an age of nothing then.
static void a_clock_that_is_behind(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    config.of_class[CLASS_STREAMING].lifetime_ns = 10 * S_IN_NS;
    struct pair pair = a_pair(&config);
    world_cell_set(pair.at[0], 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
    world_run(pair.at[0], S_IN_NS);
    world_run(pair.at[1], S_IN_NS - 30000);
    put(pair.at[0], 0, 100, 0);
    world_ms_goes(pair.at[0], 0, pair.at[1], 0);
    world_run(pair.at[1], S_IN_NS);
    assert_int_equal(pair.at[1]->sents, 1);
    assert_int_equal(pair.at[1]->dropped[DROP_expired].packets, 0);
    close_pair(&pair);
}

static void a_full_table_refuses(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    config.limit.packets = 20;
    struct pair pair = a_pair(&config);
    struct world *there = pair.at[1];
    world_ms_goes(pair.at[0], 1, there, 0);
    world_ms_freeze(there, 1);
    for (uint32_t i = 0; i < 12; i++)
        put(there, 3, 100, 0);
    put(pair.at[0], 1, 1400, 2);
    pair.at[0]->batch = 1;
    world_take(pair.at[0]); // a half-sent one goes first
    world_ms_freeze(pair.at[0], 0);
    for (uint32_t i = 0; i < 16; i++)
        put(pair.at[0], i % 2, 100, 0);
    world_ms_goes(pair.at[0], 0, there, 0);
    assert_int_equal(there->refused[DROP_queue_full].packets, 9);
    world_ms_release(there, 0);
    world_ms_release(there, 1);
    run_both(&pair, 100 * S_IN_NS);
    assert_int_equal(sched_queued(there->sched).packets, 0);
    for (uint32_t i = 0; i < 20; i++) // all places are free again
        put(there, 0, 100, 0);
    close_pair(&pair);
}

// ---- AQM ----

static struct world *an_aqm_world(const struct sched_config *config)
{
    struct world *w = world_open(config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_UNLIMITED, WORLD_UNLIMITED);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    w->batch = 1;
    return w;
}

static uint64_t gone(const struct world *a, const struct world *b, enum drop_reason reason)
{
    uint64_t sum = a->dropped[reason].octets + a->refused[reason].octets;
    return b ? sum + b->dropped[reason].octets + b->refused[reason].octets : sum;
}

// An MS that goes to and fro meets the same drops as one that stays.
static void expect_remembers(const struct aqm_ops *ops)
{
    struct sched_config config = world_config();
    uint64_t params[AQM_PARAMS_MAX];
    aqm_standard_params(ops, params);
    assert_null(aqm_setup(&config.of_class[CLASS_BACKGROUND].aqm, ops, params));
    struct world *stays = an_aqm_world(&config), *at = an_aqm_world(&config),
                 *other = an_aqm_world(&config);
    world_ms_remove(other, 0);
    for (uint32_t step = 0; step < WORLD_CASES(20000); step++) {
        uint64_t now_ns = stays->now_ns + random_in(0, 30 * MS_IN_NS);
        stays->now_ns = at->now_ns = other->now_ns = now_ns;
        if (stays->queued.packets < 40 && random_next() % 9 < 5) {
            uint16_t octets = (uint16_t)random_in(40, 1400);
            put(stays, 0, octets, 0);
            put(at, 0, octets, 0);
        } else {
            assert_int_equal(world_take(stays), world_take(at));
        }
        if (random_next() % 5 == 0) {
            struct world *to = other;
            world_ms_goes(at, 0, to, 0);
            other = at;
            at = to;
        }
        assert_int_equal(stays->queued.octets, at->queued.octets);
        assert_int_equal(gone(stays, NULL, DROP_aqm_out), gone(at, other, DROP_aqm_out));
    }
    assert_true(stays->dropped[DROP_aqm_out].packets > WORLD_CASES(20000) / 100);
    world_close(stays);
    world_close(at);
    world_close(other);
}

// CoDel's drops depend on all that it remembers; COBALT is not even asked while it is calm.
static void the_aqm_remembers(void **state)
{
    (void)state;
    random_begin();
    expect_remembers(&aqm_codel);
    expect_remembers(&aqm_cobalt);
}

// Marks on the way in and remembers of each N-PDU what it was.
static enum aqm_verdict mark_in(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config, (void)vars;
    *view->pdu_word = view->pdu_octets + 1;
    return view->pdu_octets % 2 ? AQM_MARK : AQM_PASS;
}

static enum aqm_verdict know_again(const void *config, void *vars, const struct aqm_view *view)
{
    (void)config, (void)vars;
    assert_int_equal(*view->pdu_word, view->pdu_octets + 1);
    return AQM_PASS;
}

static const struct aqm_ops memory = {
    .name = "memory", .help = "knows each again", .enqueue = mark_in, .dequeue = know_again};

static void marks_go_along(void **state)
{
    struct sched_config config = world_config();
    (void)state;
    config.of_class[CLASS_STREAMING].aqm = (struct aqm){.ops = &memory};
    struct pair pair = a_pair(&config);
    world_ms_freeze(pair.at[0], 0);
    for (uint16_t octets = 100; octets < 120; octets++)
        assert_int_equal(world_put(pair.at[0], 0, octets, 0, 0, true), DROP_NONE);
    world_ms_goes(pair.at[0], 0, pair.at[1], 0);
    world_ms_release(pair.at[1], 0);
    run_both(&pair, S_IN_NS);
    assert_int_equal(pair.at[1]->sents, 20);
    for (uint32_t i = 0; i < 20; i++)
        assert_int_equal(pair.at[1]->sent[i].mark, i % 2);
    close_pair(&pair);
}

// ---- Random ----

static void move_something(struct pair *pair, uint64_t *random)
{
    uint32_t ms = (uint32_t)world_draw(random, 0, pair->at[0]->mss - 1);
    struct world *from = pair->at[!pair->at[0]->ms[ms].exists];
    struct world *to = pair->at[from == pair->at[0]];
    uint32_t cell = (uint32_t)world_draw(random, 0, to->cells - 1);
    assert_true(from->ms[ms].exists && !to->ms[ms].exists);
    world_ms_goes(from, ms, to, cell);
}

static uint64_t refused_at_a_limit(const struct world *w)
{
    return w->refused[DROP_queue_full].packets + w->refused[DROP_class_full].packets +
           w->refused[DROP_bvc_full].packets + w->refused[DROP_ms_full].packets;
}

static void random_lives_on_both_sides(void **state)
{
    struct world_ledger expired = {0}, finished = {0};
    uint64_t refused_packets = 0;
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(120); i++) {
        uint64_t random = random_next(), again = random;
        struct world_wish wish = {.nses = 2,
                                  .cells = 4,
                                  .mss = 10,
                                  .pfcs = 5,
                                  .limits = i % 2,
                                  .lifetimes = true,
                                  .flow_queues = i % 3 == 0};
        struct pair pair = {{world_random(&random, &wish), world_random(&again, &wish)}};
        for (uint32_t ms = 0; ms < pair.at[0]->mss; ms++)
            world_ms_remove(pair.at[random_next() % 2], ms);
        for (uint32_t k = 0; k < 60; k++) {
            for (int side = 0; side < 2; side++)
                world_random_life(pair.at[side], &random, UINT32_MAX, 1);
            for (int side = 0; side < 2; side++) // some of the time the other is behind
                if (pair.at[side]->now_ns < pair.at[!side]->now_ns && random_next() % 2)
                    world_run(pair.at[side], pair.at[!side]->now_ns);
            for (uint32_t moves = (uint32_t)(random_next() % 4); moves; moves--)
                move_something(&pair, &random);
        }
        for (int side = 0; side < 2; side++) {
            refused_packets += refused_at_a_limit(pair.at[side]);
            expired.packets += pair.at[side]->dropped[DROP_expired].packets;
            finished.packets += pair.at[side]->finished.packets;
        }
        close_pair(&pair);
    }
    print_message("# %lu finished or gone on, %lu refused, %lu expired\n",
                  (unsigned long)finished.packets, (unsigned long)refused_packets,
                  (unsigned long)expired.packets);
    assert_true(refused_packets > 0 && expired.packets > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queues_go_along),
        cmocka_unit_test(what_is_half_sent_goes_on),
        cmocka_unit_test(age_goes_along),
        cmocka_unit_test(a_stop_ends_with_the_cell),
        cmocka_unit_test(a_clock_that_is_behind),
        cmocka_unit_test(a_full_table_refuses),
        cmocka_unit_test(the_aqm_remembers),
        cmocka_unit_test(marks_go_along),
        cmocka_unit_test(random_lives_on_both_sides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
