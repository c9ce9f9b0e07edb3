// Queues by flow inside a PFC: DRR with a quantum between flows, those that send little first, no
// order lost within a flow. (The world judges the order within each flow at every grant.)
#include "tests/dataplane/sched/world_random.h"

#include "tests/dataplane/random.h"

#define FLOWS   16
#define QUANTUM 300

static struct world *one_pfc(bool flow_queues, struct bucket_terms terms)
{
    struct sched_config config = world_config();
    config.flows_a_pfc = FLOWS;
    config.flow_quantum_octets = QUANTUM;
    config.of_class[CLASS_BACKGROUND].flow_queues = flow_queues;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->batch = 1;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, terms, WORLD_PLENTY);
    world_add_simple(w, 0, CLASS_BACKGROUND);
    return w;
}

// A greedy source a flow: its sizes, and hashes that fall into queues of their own.
static void add_flow(struct world *w, uint32_t flow, uint16_t least, uint16_t most)
{
    world_add_source(
        w,
        (struct world_source){
            .pfc = 0, .least = least, .most = most, .depth = 8, .seed = flow, .flow_hash = flow});
}

static uint64_t sent_of(const struct world *w, uint32_t source)
{
    uint64_t octets = 0;
    for (uint32_t i = 0; i < w->sents; i++)
        octets += w->sent[i].source == source ? w->sent[i].octets : 0;
    return octets;
}

// Between greedy flows: octets alike, whatever their sizes, within a quantum and a largest N-PDU.
static void greedy_flows_get_equal_octets(void **state)
{
    static const uint16_t octets[] = {40, 1500, 576, 100, 1000};
    const uint32_t n = sizeof octets / sizeof octets[0];
    (void)state;
    struct world *w = one_pfc(true, world_terms(80000, 3000));
    for (uint32_t i = 0; i < n; i++)
        add_flow(w, i, octets[i], octets[i]);
    world_run(w, 100 * S_IN_NS);
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t sent = sent_of(w, i);
        least = sent < least ? sent : least;
        most = sent > most ? sent : most;
    }
    assert_true(least > 100000);
    assert_true(most - least <= 2 * (QUANTUM + 1500));
    world_close(w);
}

static void without_flow_queues_it_is_one_fifo(void **state)
{
    (void)state;
    struct world *w = one_pfc(false, world_terms(8000, 1500));
    for (uint32_t i = 0; i < 40; i++)
        world_put(w, 0, 500, 0, i % 4, false);
    world_run(w, 100 * S_IN_NS); // the world asserts the order
    assert_int_equal(w->finished.packets, 40);
    world_close(w);
}

// How long a single small N-PDU of another flow waits behind a greedy one's queue.
static uint64_t sparse_delay_ns(bool flow_queues)
{
    struct world *w = one_pfc(flow_queues, world_terms(8000, 1600));
    for (uint32_t i = 0; i < 20; i++)
        world_put(w, 0, 1000, 0, 1, false);
    world_run(w, S_IN_NS);
    uint64_t put_ns = w->now_ns;
    world_put(w, 0, 40, 0, 2, false);
    world_run(w, 100 * S_IN_NS);
    uint64_t delay_ns = 0;
    for (uint32_t i = 0; i < w->sents; i++)
        if (w->sent[i].llc_octets == 50)
            delay_ns = w->sent[i].time_ns - put_ns;
    assert_int_equal(w->finished.packets, 21);
    world_close(w);
    return delay_ns;
}

static void a_sparse_flow_goes_before_a_greedy_one(void **state)
{
    (void)state;
    assert_true(sparse_delay_ns(false) > 15 * S_IN_NS);
    assert_true(sparse_delay_ns(true) <= 1010 * MS_IN_NS + 50 * MS_IN_NS);
}

// A flow of one small N-PDU now and then, beside five greedy ones, always goes next.
static void a_sparse_flow_stays_first(void **state)
{
    (void)state;
    struct world *w = one_pfc(true, world_terms(80000, 3000));
    for (uint32_t i = 0; i < 5; i++)
        add_flow(w, i, 40, 1500);
    uint32_t sparse = world_add_source(w, (struct world_source){.pfc = 0,
                                                                .least = 40,
                                                                .most = 40,
                                                                .burst = 1,
                                                                .flow_hash = 7,
                                                                .interval_ns = 777 * MS_IN_NS});
    world_run(w, 100 * S_IN_NS);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < w->sents; i++)
        if (w->sent[i].source == sparse && w->sent[i].number > 0) { // at first all are new
            uint64_t put_ns = 1 + w->sent[i].number * 777 * MS_IN_NS;
            assert_true(w->sent[i].time_ns - put_ns <= 160 * MS_IN_NS); // 1510 octets and itself
            seen++;
        }
    assert_true(seen > 100);
    world_close(w);
}

// Nobody gets ahead by having his queue run empty and coming back as a new flow, or as a small one.
static void coming_back_is_no_trick(void **state)
{
    (void)state;
    for (uint16_t octets = 84; octets <= 500; octets += 104) {
        struct world *w = one_pfc(true, world_terms(80000, 3000));
        add_flow(w, 1, 500, 500);
        world_add_source(
            w,
            (struct world_source){
                .pfc = 0, .least = octets, .most = octets, .depth = 1, .seed = 2, .flow_hash = 2});
        world_run(w, 100 * S_IN_NS);
        assert_true(sent_of(w, 1) < sent_of(w, 0) * 11 / 10 + 5000);
        world_close(w);
    }
}

// Nor by being another flow with each N-PDU: all of them together get half, or a little more.
static void new_flows_without_end_take_half(void **state)
{
    static const uint16_t octets[] = {40, 84, 300, 301, 500, 1000, 1500};
    (void)state;
    for (uint32_t i = 0; i < sizeof octets / sizeof octets[0]; i++)
        for (uint32_t depth = 1; depth <= 4; depth *= 2) {
            struct world *w = one_pfc(true, world_terms(80000, 3000));
            add_flow(w, 1, 1500, 1500);
            uint32_t fresh = world_add_source(w, (struct world_source){.pfc = 0,
                                                                       .least = octets[i],
                                                                       .most = octets[i],
                                                                       .depth = depth,
                                                                       .flows = 1u << 30});
            world_run(w, 100 * S_IN_NS);
            uint64_t of_fresh = sent_of(w, fresh), of_download = sent_of(w, 0);
            if (of_download * 10 < (of_download + of_fresh) * 4)
                fail_msg("%u octets, %u at a time: %llu, the download %llu", octets[i], depth,
                         (unsigned long long)of_fresh, (unsigned long long)of_download);
            world_close(w);
        }
}

// What a flow has sent before its turn is paid by later rounds, however many: beside others that
// always have a backlog, its next N-PDU waits for the one that has begun.
static void debts_do_not_come_back(void **state)
{
    (void)state;
    struct world *w = one_pfc(true, world_terms(80000, 3000));
    w->check_every = 1000;
    for (uint32_t i = 0; i < 12; i++)
        add_flow(w, i, 300, 300);
    for (uint32_t rest = 0; rest < 300; rest++) {
        for (uint32_t i = 0; i < 12; i++) // on credit
            world_put(w, 0, 290, 0, 99, false);
        uint64_t round_ns = 12 * 310 * 8 * S_IN_NS / 80000;
        world_run(w, w->now_ns + (20 + rest) * round_ns);
        uint32_t before = w->sents;
        world_put(w, 0, 1400, 0, 99, false);
        world_run(w, w->now_ns + 2 * round_ns);
        uint32_t i = before;
        while (i < w->sents && w->sent[i].octets != 1400)
            i++;
        if (i - before > 1)
            fail_msg("after %u rounds: %u others went first", 20 + rest, i - before);
    }
    world_close(w);
}

// What a flow has sent before its turn is forgotten when nothing is queued: nobody waits for it
// then.
static void an_empty_queue_owes_nothing(void **state)
{
    (void)state;
    struct world *w = one_pfc(true, world_terms(80000, 3000));
    for (uint32_t i = 0; i < 100; i++) {
        world_put(w, 0, 1500, 0, 1, false);
        uint32_t before = w->sents;
        world_put(w, 0, 200, 0, 2, false);
        world_run(w, w->now_ns + S_IN_NS);
        assert_int_equal(w->queued.packets, 0);
        assert_int_equal(w->sent[before].octets, 200);
    }
    world_close(w);
}

// Flows whose hashes name one queue have each a queue of its own: the second waits for one N-PDU of
// the first.
static void flows_of_one_hash_are_apart(void **state)
{
    (void)state;
    for (uint32_t flows = 2; flows <= FLOWS; flows++) {
        struct world *w = one_pfc(true, world_terms(8000, 1500));
        for (uint32_t i = 0; i < 40; i++)
            world_put(w, 0, 300, 0, 3, false);
        for (uint32_t i = 1; i < flows; i++)
            world_put(w, 0, 100, 0, 3 + i * FLOWS, false);
        world_run(w, 200 * S_IN_NS);
        uint32_t small = 0;
        for (uint32_t i = 0; i < 4 + flows; i++)
            small += w->sent[i].llc_octets == 110;
        assert_int_equal(small, flows - 1);
        world_close(w);
    }
}

// One more flow than queues shares that of its hash, in the order of their coming; and goes on
// doing so while it has N-PDUs there, though others are empty by then.
static void one_more_than_queues_shares_one(void **state)
{
    (void)state;
    struct world *w = one_pfc(true, world_terms(8000, 1500));
    for (uint32_t flow = 0; flow < FLOWS; flow++)
        for (uint32_t i = 0; i < (flow == 3 ? 20 : 1); i++)
            world_put(w, 0, 200, 0, flow, false);
    uint32_t more = 3 + 5 * FLOWS;
    world_put(w, 0, 300, 0, more, false);
    world_run(w, 5 * S_IN_NS);
    world_put(w, 0, 300, 0, more, false);
    world_run(w, 100 * S_IN_NS);
    uint32_t others = 0, seen = 0;
    for (uint32_t i = 0; i < w->sents; i++) {
        others += w->sent[i].llc_octets == 210;
        seen += w->sent[i].llc_octets == 310;
        if (seen == 1 && w->sent[i].llc_octets == 310)
            assert_int_equal(others, FLOWS - 1 + 20);
    }
    assert_int_equal(seen, 2);
    world_close(w);
}

// With N flows of random hashes, an N+1st shares with one of them only by its tag, 16 bits.
static void a_new_flow_is_alone(void **state)
{
    (void)state;
    random_begin();
    uint32_t shared = 0, tries = WORLD_CASES(2000);
    for (uint32_t flows = 1; flows < FLOWS; flows++) {
        for (uint32_t i = 0; i < tries; i++) {
            struct world *w = one_pfc(true, (struct bucket_terms){0, 1500});
            w->check_every = 1000;
            for (uint32_t flow = 0; flow < flows; flow++)
                world_put(w, 0, 100, 0, (uint32_t)random_next(), false);
            world_put(w, 0, 100, 0, (uint32_t)random_next(), false);
            uint64_t filled = 0;
            for (uint32_t n = w->pfc[0].head; n != WORLD_NONE; n = w->npdu[n].next)
                filled |= 1ULL << w->npdu[n].queue;
            shared += (uint32_t)__builtin_popcountll(filled) != flows + 1;
            world_close(w);
        }
    }
    print_message("# %u of %u packet flows had two flows in a queue\n", shared,
                  tries * (FLOWS - 1));
    assert_true(shared < tries * (FLOWS - 1) / 200); // 0.5 %
}

// A half-sent N-PDU ends before another of its LLE, of whatever flow; another flow's on another
// LLE is of the same PFC, whose head it is not.
static void a_begun_n_pdu_is_finished_first(void **state)
{
    (void)state;
    struct world *w = one_pfc(true, world_terms(8000, 200));
    world_ms_n201_u(w, 0, 0, 140);
    world_put(w, 0, 1000, 0, 1, false);
    world_run(w, w->now_ns);
    world_put(w, 0, 40, 0, 2, false);
    world_run(w, 100 * S_IN_NS);
    assert_int_equal(w->sents, 9);
    assert_true(w->sent[7].last && w->sent[8].first);
    world_close(w);
}

// PFC 0, by flow, has two N-PDUs of flow 1 for LLE 0, which another PFC keeps: it has sent a piece
// of its N-PDU there and is stopped. So many N-PDUs of that flow went before: its turn is over.
static struct world *kept_lle(uint32_t before)
{
    struct world *w = one_pfc(true, WORLD_PLENTY);
    uint32_t keeper = world_add_pfc(w, 0, 1, CLASS_STREAMING);
    world_ms_n201_u(w, 0, 0, 140);
    for (uint32_t i = 0; i < before; i++)
        world_put(w, 0, 500, 0, 1, false);
    world_run(w, w->now_ns);
    world_pfc_set(w, keeper, world_terms(8000, 150));
    world_put(w, keeper, 1000, 0, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->pfc[keeper].sent_pdus, 1);
    world_pfc_set(w, keeper, (struct bucket_terms){0, 150});
    world_put(w, 0, 500, 0, 1, false);
    world_put(w, 0, 500, 0, 1, false);
    world_run(w, w->now_ns + S_IN_NS);
    assert_int_equal(w->queued.packets, 3);
    return w;
}

// What comes then of a new flow, on an LLE that is free, goes at once: a flow that has had its turn
// is not before it.
static void a_kept_lle_keeps_no_new_flow_of_another(void **state)
{
    (void)state;
    for (uint32_t turns = 1; turns <= 4; turns++) {
        struct world *w = kept_lle(turns);
        uint32_t before = w->sents;
        world_put(w, 0, 60, 1, 2, false);
        world_run(w, w->now_ns);
        assert_int_equal(w->sents, before + 1);
        assert_int_equal(w->sent[before].llc_octets, 70);
        world_close(w);
    }
}

static void random_lives(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(600); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 1,
                                        .cells = 3,
                                        .mss = 6,
                                        .pfcs = 4,
                                        .flow_queues = true,
                                        .lifetimes = i % 2,
                                        .limits = i % 3 == 0};
        struct world *w = world_random(&random, &wish);
        world_random_life(w, &random, 1500, 50);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(greedy_flows_get_equal_octets),
        cmocka_unit_test(without_flow_queues_it_is_one_fifo),
        cmocka_unit_test(a_sparse_flow_goes_before_a_greedy_one),
        cmocka_unit_test(a_sparse_flow_stays_first),
        cmocka_unit_test(coming_back_is_no_trick),
        cmocka_unit_test(new_flows_without_end_take_half),
        cmocka_unit_test(debts_do_not_come_back),
        cmocka_unit_test(an_empty_queue_owes_nothing),
        cmocka_unit_test(flows_of_one_hash_are_apart),
        cmocka_unit_test(one_more_than_queues_shares_one),
        cmocka_unit_test(a_new_flow_is_alone),
        cmocka_unit_test(a_begun_n_pdu_is_finished_first),
        cmocka_unit_test(a_kept_lle_keeps_no_new_flow_of_another),
        cmocka_unit_test(random_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
