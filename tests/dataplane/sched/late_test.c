// An N-PDU whose turn would come late in its lifetime is refused as it arrives, in a class with
// refuse_late: by what its flow has queued, and by the flow's share of the rate. The share is
// computed here from the rate and from who has a backlog. See judge_late in world_ledger.c as well.
#include "tests/dataplane/sched/world.h"

#define SGSN_MS 6000              // of the lifetime
#define IN_TIME (SGSN_MS * 5 / 8) // the rest is left to those that begin meanwhile
#define QUANTUM 300
#define FEW     4 // N-PDUs of the largest size: with more in time nothing is late
#define TRIES   60

static struct sched_config config_with(bool flows, bool refuse_late, uint64_t lifetime_ns)
{
    struct sched_config config = world_config();
    struct sched_class *k = &config.of_class[CLASS_BACKGROUND];
    k->lifetime_ns = lifetime_ns;
    k->bss_least_ns = 2 * S_IN_NS;
    k->flow_queues = flows;
    k->refuse_late = refuse_late;
    k->limit = config.limit = config.bvc_limit = config.ms_limit =
        (struct sched_limit){10000, 10000 * 1600};
    config.flows_a_pfc = flows ? 16 : 0;
    config.flow_quantum_octets = QUANTUM;
    return config;
}

static struct world *cell_of(const struct sched_config *config, uint32_t mss, uint32_t octets_per_s)
{
    struct world *w = world_open(config);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(8 * octets_per_s, 1600), WORLD_PLENTY);
    for (uint32_t i = 0; i < mss; i++)
        world_add_simple(w, 0, CLASS_BACKGROUND);
    return w;
}

// How many N-PDUs a flow takes, beside others of its MS and of other MSs that have one each.
static uint32_t taken(struct world *w, uint32_t mss, uint32_t flows, uint16_t octets)
{
    uint32_t n = 0;
    for (uint32_t pfc = 1; pfc < mss; pfc++)
        world_put(w, pfc, octets, 0, 1, false);
    for (uint32_t flow = 1; flow < flows; flow++)
        world_put(w, 0, octets, 0, flow, false);
    while (n < TRIES && world_put(w, 0, octets, 0, 0, false) == DROP_NONE)
        n++;
    return n;
}

// Flows with at most a quantum queued need no share; a flow may have as much, and one N-PDU.
static uint32_t expected(const struct sched_config *config, uint32_t octets_per_s, uint32_t mss,
                         uint32_t flows, uint32_t octets)
{
    uint32_t share = octets_per_s / mss / (octets > QUANTUM ? flows : 1);
    uint32_t in_time = share * IN_TIME / 1000, least = QUANTUM / octets > 1 ? QUANTUM / octets : 1;
    if (in_time >= FEW * config->pdu_octets_max)
        return TRIES;
    return in_time / octets > least ? in_time / octets : least;
}

static void a_flow_has_what_its_share_sends_in_time(void **state)
{
    (void)state;
    struct sched_config config = config_with(true, true, 8 * S_IN_NS);
    uint32_t limited = 0, free = 0;
    for (uint32_t rate = 500; rate <= 8000; rate *= 2)
        for (uint32_t mss = 1; mss <= 16; mss = mss * 2 + 1)
            for (uint32_t flows = 1; flows <= 8; flows *= 2)
                for (uint16_t octets = 100; octets <= 1500; octets += 200) {
                    struct world *w = cell_of(&config, mss, rate);
                    uint32_t right = expected(&config, rate, mss, flows, octets);
                    assert_int_equal(taken(w, mss, flows, octets), right);
                    assert_int_equal(w->refused[DROP_late].packets, right < TRIES);
                    limited += right < TRIES;
                    free += right == TRIES;
                    world_close(w);
                }
    assert_true(limited > 300 && free > 30);
}

static void nobody_else_is_refused(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        struct sched_config config =
            config_with(i != 0, i != 1, i == 2 ? SCHED_INFINITE : 8 * S_IN_NS);
        struct world *w = cell_of(&config, 1, 1000);
        if (i == 3) // a stop says nothing about the rate that follows
            world_cell_set(w, 0, (struct bucket_terms){0, 5000}, WORLD_PLENTY);
        assert_int_equal(taken(w, 1, 1, 500), TRIES);
        assert_int_equal(w->refused[DROP_late].packets, 0);
        world_close(w);
    }
}

// Shares change while N-PDUs wait: nothing is refused by an older one.
static void a_share_that_has_grown_counts(void **state)
{
    (void)state;
    struct sched_config config = config_with(true, true, 8 * S_IN_NS);
    struct world *w = cell_of(&config, 16, 1000);
    assert_int_equal(taken(w, 16, 1, 500), 1);
    for (uint32_t ms = 1; ms < 16; ms++)
        world_ms_flush(w, ms);
    assert_int_equal(taken(w, 1, 1, 500), 1000 * IN_TIME / 1000 / 500 - 1);
    world_cell_set(w, 0, world_terms(8 * 100000, 1600), WORLD_PLENTY);
    assert_int_equal(taken(w, 1, 1, 500), TRIES);
    world_close(w);
}

// The octets of a begun N-PDU that have gone are not in the way.
static void what_is_sent_does_not_count(void **state)
{
    (void)state;
    struct sched_config config = config_with(true, true, 8 * S_IN_NS);
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(8 * 600, 600), WORLD_PLENTY);
    world_add_pfc(w, world_add_ms(w, 0, 500), 0, CLASS_BACKGROUND);
    world_put(w, 0, 1450, 0, 0, false);
    assert_int_equal(world_put(w, 0, 1450, 0, 0, false), DROP_late); // 2250 octets in time
    world_run(w, w->now_ns + 1200 * MS_IN_NS);
    assert_true(w->sents == 2 && !w->finished.packets);
    assert_int_equal(world_put(w, 0, 1450, 0, 0, false), DROP_NONE);
    world_close(w);
}

// The time is that of the class's values in force.
static void a_new_lifetime_counts(void **state)
{
    (void)state;
    struct sched_config config = config_with(true, true, 8 * S_IN_NS);
    struct world *w = cell_of(&config, 1, 1000);
    struct sched_class values = config.of_class[CLASS_BACKGROUND];
    values.lifetime_ns = 4 * S_IN_NS;
    world_class_set(w, CLASS_BACKGROUND, &values);
    assert_int_equal(taken(w, 1, 1, 500), 2000 * 5 / 8 / 500);
    values.lifetime_ns = 2 * S_IN_NS + 10 * MS_IN_NS; // 6 ms in time, of 10
    world_class_set(w, CLASS_BACKGROUND, &values);
    world_cell_set(w, 0, world_terms(8 * 100000, 1600), WORLD_PLENTY);
    world_ms_flush(w, 0);
    assert_int_equal(taken(w, 1, 1, 100), 6);
    world_close(w);
}

// At a full limit it pushes out nothing.
static void a_late_one_costs_others_nothing(void **state)
{
    (void)state;
    struct sched_config config = config_with(true, true, 8 * S_IN_NS);
    config.bvc_limit = (struct sched_limit){16, 16 * 1600};
    struct world *w = cell_of(&config, 16, 1000);
    for (uint32_t pfc = 0; pfc < 16; pfc++)
        world_put(w, pfc, 500, 0, 1, false);
    assert_int_equal(world_put(w, 0, 500, 0, 1, false), DROP_late);
    assert_int_equal(w->queued.packets, 16);
    world_close(w);
}

// Eight flows of so many MSs, each of which asks for three times its share.
static struct world *overloaded(uint32_t mss, bool refuse_late)
{
    struct sched_config config = config_with(true, refuse_late, 8 * S_IN_NS);
    struct world *w = cell_of(&config, mss, 1000);
    for (uint32_t i = 0; i < 8; i++)
        world_add_source(w, (struct world_source){.pfc = i % mss,
                                                  .least = 400,
                                                  .most = 400,
                                                  .burst = 1,
                                                  .interval_ns = S_IN_NS + i * MS_IN_NS,
                                                  .flow_hash = i});
    world_run(w, 300 * S_IN_NS);
    return w;
}

// Of what is lost less than a tenth expires (flows go in turns, so some wait for longer than at a
// steady share), and the rate is used as it is without.
static void what_is_taken_goes_in_time(void **state)
{
    (void)state;
    for (uint32_t mss = 1; mss <= 2; mss++) {
        struct world *with = overloaded(mss, true), *without = overloaded(mss, false);
        assert_true(with->dropped[DROP_expired].packets * 10 < with->refused[DROP_late].packets);
        assert_true(with->refused[DROP_late].packets > 1000);
        assert_true(without->dropped[DROP_expired].packets > 1000);
        assert_in_range(with->finished.octets, without->finished.octets * 99 / 100,
                        without->finished.octets * 101 / 100);
        world_close(with);
        world_close(without);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flow_has_what_its_share_sends_in_time),
        cmocka_unit_test(nobody_else_is_refused),
        cmocka_unit_test(a_share_that_has_grown_counts),
        cmocka_unit_test(what_is_sent_does_not_count),
        cmocka_unit_test(a_new_lifetime_counts),
        cmocka_unit_test(a_late_one_costs_others_nothing),
        cmocka_unit_test(what_is_taken_goes_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
