// Turns of more than one LLC PDU (turn_ns): where a cell is fast an MS sends several N-PDUs before
// another one of its class does. The oracle counts in what went how often the MS changes.
#include "tests/dataplane/sched/world.h"

#define NPDU    1506 // with headers nearly the largest LLC PDU
#define MSS     3
#define NPDUS   1200
#define TURN_NS (300 * MS_IN_NS)

static struct world *open_cell(uint64_t turn_ns, struct bucket_terms terms, uint32_t flows)
{
    struct sched_config config = world_config();
    config.turn_ns = turn_ns;
    config.flows_a_pfc = flows;
    config.of_class[CLASS_BACKGROUND].flow_queues = flows > 0;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->batch = 1;
    w->check_every = WORLD_EVERY(64);
    world_add_nse(w, terms.rate == BUCKET_UNLIMITED ? world_terms(100000, 3000) : WORLD_UNLIMITED);
    world_add_cell(w, 0, terms, WORLD_PLENTY);
    for (uint32_t ms = 0; ms < MSS; ms++)
        world_add_greedy(w, world_add_simple(w, 0, CLASS_BACKGROUND), NPDU, NPDU);
    return w;
}

// N-PDUs that an MS sends in succession, in the mean, of those that went from that one on.
static double run_of(const struct world *w, uint32_t from)
{
    uint32_t begun = 0, changes = 1, of = WORLD_NONE;
    for (uint32_t i = from; i < w->sents; i++) {
        const struct world_sent *sent = &w->sent[i];
        if (!sent->first || !w->source[sent->source].depth)
            continue;
        changes += of != WORLD_NONE && sent->ms != of;
        of = sent->ms;
        begun++;
    }
    return (double)begun / changes;
}

static void more(struct world *w, uint32_t npdus)
{
    for (uint32_t end = w->sents + npdus; w->sents < end;)
        world_run(w, w->now_ns + 100 * MS_IN_NS);
}

// Behind turns that have begun: MSs that are new send N-PDU by N-PDU, as sparse ones.
static void assert_run(struct world *w, double npdus)
{
    more(w, 40);
    uint32_t from = w->sents;
    more(w, NPDUS);
    double run = run_of(w, from);
    if (run < 0.96 * npdus || run > 1.04 * npdus)
        fail_msg("%.3f N-PDUs of an MS in succession, not %.0f", run, npdus);
}

// As many of the largest LLC PDUs as the rate sends in the time, one at least, four at most.
static void a_turn_is_as_long_as_the_cell_is_fast(void **state)
{
    (void)state;
    static const struct {
        uint64_t bit_per_s;
        double npdus;
    } of[] = {{8000, 1},   {48000, 1},  {81300, 1},  {81500, 2},  {122000, 2},
              {122200, 3}, {162700, 3}, {162900, 4}, {1000000, 4}};
    for (uint32_t i = 0; i < sizeof(of) / sizeof(*of); i++)
        for (uint32_t flows = 0; flows <= 16; flows += 16) {
            struct world *w = open_cell(TURN_NS, world_terms(of[i].bit_per_s, 3000), flows);
            assert_run(w, of[i].npdus);
            world_close(w);
        }
}

static void without_it_and_without_a_rate_it_is_one(void **state)
{
    (void)state;
    struct world *w = open_cell(0, world_terms(1000000, 3000), 0);
    assert_run(w, 1);
    world_close(w);
    w = open_cell(TURN_NS, WORLD_UNLIMITED, 0);
    assert_run(w, 1);
    world_close(w);
}

static void it_follows_the_rate(void **state)
{
    (void)state;
    struct world *w = open_cell(TURN_NS, world_terms(40000, 3000), 0);
    static const uint64_t rates[] = {40000, 240000, 90000, 20000};
    static const double npdus[] = {1, 4, 2, 1};
    for (uint32_t i = 0; i < 4; i++) {
        world_cell_set(w, 0, world_terms(rates[i], 3000), WORLD_PLENTY);
        assert_run(w, npdus[i]);
    }
    world_close(w);
}

// S13: none of the others begins between its arrival and its begin.
static void a_ping_waits_for_no_turn(void **state)
{
    (void)state;
    struct world *w = open_cell(TURN_NS, world_terms(240000, 3000), 16);
    uint32_t ping = world_add_simple(w, 0, CLASS_BACKGROUND);
    world_add_source(w, (struct world_source){.pfc = ping,
                                              .least = 84,
                                              .most = 84,
                                              .burst = 1,
                                              .interval_ns = 777 * MS_IN_NS,
                                              .flow_hash = 7});
    more(w, NPDUS);
    uint32_t pings = 0;
    for (uint32_t i = 0; i < w->sents; i++) {
        if (w->sent[i].ms != w->pfc[ping].ms)
            continue;
        pings++;
        for (uint32_t j = i; j-- && w->sent[j].time_ns > w->sent[i].put_ns;)
            assert_false(w->sent[j].first);
    }
    assert_in_range(pings, 50, NPDUS);
    world_close(w);
}

// Two packet flows of an MS share its turn.
static void an_ms_has_one_turn(void **state)
{
    (void)state;
    struct world *w = open_cell(TURN_NS, world_terms(240000, 3000), 0);
    world_add_greedy(w, world_add_pfc(w, 0, 1, CLASS_BACKGROUND), NPDU, NPDU);
    more(w, NPDUS);
    uint64_t first = w->pfc[0].sent_octets + w->pfc[MSS].sent_octets,
             second = w->pfc[1].sent_octets;
    assert_true(first < second + 10 * NPDU && second < first + 10 * NPDU);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_is_as_long_as_the_cell_is_fast),
        cmocka_unit_test(without_it_and_without_a_rate_it_is_one),
        cmocka_unit_test(it_follows_the_rate),
        cmocka_unit_test(a_ping_waits_for_no_turn),
        cmocka_unit_test(an_ms_has_one_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
