// S13 within an MS that has a backlog: a small N-PDU of a flow that asks for less than half its
// share waits for no large one of its class that has not begun. Its MS pays for it: it gets its
// fair share, and at most two turns of it early.
//
// As in s13_sparse_test.c the oracle knows no rounds and no credit: it reads from what went when
// each N-PDU arrived, and what began before it.
#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/world.h"

#define QUANTUM 1526 // pdu_octets_max: what an MS may send in its turn
#define SMALL   300  // flow_quantum_octets
#define HEADERS 10
#define PING    84

// Two turns of credit, a turn, and what it overdraws, of two MSs that are compared.
#define SPAN (4 * QUANTUM + 1500 + 2 * HEADERS)

static struct world *open_cell(uint64_t bit_per_s, bool in_full)
{
    struct sched_config config = world_config();
    config.in_full = in_full;
    config.flows_a_pfc = 16;
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        config.of_class[c].flow_queues = true;
    struct world *w = world_open(&config);
    w->check_every = WORLD_EVERY(64);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(bit_per_s, 3000), WORLD_PLENTY);
    return w;
}

static uint32_t add_ms(struct world *w, uint16_t n201_u, enum traffic_class class)
{
    return world_add_pfc(w, world_add_ms(w, 0, n201_u), 0, class);
}

// One N-PDU each interval, of a flow of its own.
static uint32_t add_flow(struct world *w, uint32_t pfc, uint16_t octets, uint64_t interval_ns,
                         uint64_t start_ns)
{
    return world_add_source(w, (struct world_source){.pfc = pfc,
                                                     .least = octets,
                                                     .most = octets,
                                                     .burst = 1,
                                                     .interval_ns = interval_ns,
                                                     .start_ns = start_ns,
                                                     .flow_hash = 7});
}

// ---- Who goes before it ----

#define PINGS_MOST 16
#define MSS_MOST   24

struct cell {
    struct world *w;
    uint64_t random, bit_per_s; // of the slower class
    uint32_t mss;               // of each class
    uint32_t ping[PINGS_MOST], pings;
    uint32_t download[MSS_MOST], downloads; // MSs, and their PFCs
    bool backlogged[MSS_MOST];              // at any time; else it is empty behind each N-PDU
};

static uint64_t draw(struct cell *t, uint64_t least, uint64_t most)
{
    return world_draw(&t->random, least, most);
}

// Time for so many octets of each MS of the class.
static uint64_t round_ns(const struct cell *t, uint64_t octets)
{
    return t->mss * (octets + HEADERS) * 8 * S_IN_NS / t->bit_per_s;
}

// An MS with downloads, or one that wakes now and then with large N-PDUs; mostly with a small flow
// beside them.
static void add_random_ms(struct cell *t, enum traffic_class class)
{
    uint32_t pfc = add_ms(t->w, (uint16_t)draw(t, 140, 1520), class);
    uint64_t start_ns = round_ns(t, 3 * QUANTUM);
    uint32_t flows = (uint32_t)draw(t, 1, 3);
    if (draw(t, 0, 3)) {
        uint32_t added = world_add_greedy(t->w, pfc, (uint16_t)draw(t, SMALL + 1, 1500), 1500);
        struct world_source *source = &t->w->source[added];
        source->flows = flows;
        t->backlogged[t->downloads] = draw(t, 0, 1);
        if (!t->backlogged[t->downloads])
            source->depth = 1;
        t->download[t->downloads++] = pfc;
    } else {
        uint32_t burst = (uint32_t)draw(t, 1, 3);
        uint64_t least_ns = 2 * burst * round_ns(t, QUANTUM);
        uint32_t source = add_flow(t->w, pfc, (uint16_t)draw(t, SMALL + 1, 1500),
                                   draw(t, least_ns, 2 * least_ns), start_ns);
        t->w->source[source].burst = burst;
        t->w->source[source].flow_hash = 1;
    }
    if (t->pings == PINGS_MOST || draw(t, 0, 3) == 0)
        return;
    uint16_t octets = (uint16_t)draw(t, 20, SMALL);
    uint64_t least_ns = 2 * (flows + 1) * round_ns(t, octets);
    t->ping[t->pings++] = add_flow(t->w, pfc, octets, draw(t, least_ns, 3 * least_ns),
                                   start_ns + draw(t, 0, start_ns));
}

static struct cell random_cell(uint64_t random, bool in_full)
{
    struct cell t = {.random = random};
    uint64_t bit_per_s = draw(&t, 80, 480) * 100;
    t.w = open_cell(bit_per_s, in_full);
    t.w->keep_trace = true;
    t.mss = (uint32_t)draw(&t, 2, 12);
    bool both = draw(&t, 0, 1);
    struct sched_class values = t.w->config.of_class[CLASS_BACKGROUND];
    values.weight = (uint32_t)draw(&t, 10, 30);
    world_class_set(t.w, CLASS_BACKGROUND, &values);
    values.weight = 30;
    world_class_set(t.w, CLASS_STREAMING, &values);
    t.bit_per_s = both ? bit_per_s / 4 : bit_per_s;
    for (uint32_t i = 0; i < t.mss; i++) {
        add_random_ms(&t, CLASS_BACKGROUND);
        if (both)
            add_random_ms(&t, CLASS_STREAMING);
    }
    return t;
}

// Large N-PDUs of its class that began between its arrival and its begin.
static uint32_t large_before(const struct world *w, uint32_t at)
{
    const struct world_sent *own = &w->sent[at];
    uint32_t n = 0;
    for (uint32_t i = at; i-- && w->sent[i].time_ns > own->put_ns;)
        n += w->sent[i].first && w->sent[i].cell == own->cell &&
             w->sent[i].traffic_class == own->traffic_class && w->sent[i].octets > SMALL;
    return n;
}

static uint32_t judge(const struct cell *t)
{
    uint32_t judged = 0;
    for (uint32_t i = 0; i < t->w->sents; i++) {
        const struct world_sent *sent = &t->w->sent[i];
        bool is_ping = false;
        for (uint32_t k = 0; k < t->pings; k++)
            is_ping |= sent->source == t->ping[k];
        if (!is_ping || !sent->first)
            continue;
        judged++;
        uint32_t n = large_before(t->w, i);
        if (n)
            fail_msg("N-PDU %llu of MS %u, arrived at %llu ns, waited until %llu ns; meanwhile %u "
                     "large ones began",
                     (unsigned long long)sent->number, sent->ms, (unsigned long long)sent->put_ns,
                     (unsigned long long)sent->time_ns, n);
    }
    return judged;
}

// Of a class, MSs with a backlog have the same in LLC PDUs, whatever small flows they have beside;
// those whose queues run empty have no more.
static void judge_shares(const struct cell *t, uint64_t from_ns)
{
    uint64_t octets[MSS_MOST] = {0};
    for (uint32_t i = 0; i < t->w->sents; i++)
        if (t->w->sent[i].time_ns >= from_ns)
            octets[t->w->sent[i].ms] += t->w->sent[i].llc_octets;
    for (uint32_t i = 0; i < t->downloads; i++)
        for (uint32_t k = 0; k < t->downloads; k++) {
            uint32_t a = t->download[i], b = t->download[k];
            if (t->w->pfc[a].traffic_class == t->w->pfc[b].traffic_class && t->backlogged[k] &&
                octets[a] > octets[b] + SPAN)
                fail_msg("MS %u has %llu octets, MS %u %llu", a, (unsigned long long)octets[a], b,
                         (unsigned long long)octets[b]);
        }
}

static void a_small_flow_beside_downloads_of_its_ms(void **state)
{
    (void)state;
    random_begin();
    uint32_t judged = 0, cases = WORLD_CASES(200);
    for (uint32_t i = 0; i < cases; i++) {
        struct cell t = random_cell(random_next(), i % 2);
        world_run(t.w, round_ns(&t, 3 * QUANTUM));
        uint64_t from_ns = t.w->now_ns;
        world_run(t.w, round_ns(&t, 200 * QUANTUM));
        judged += judge(&t);
        judge_shares(&t, from_ns);
        world_close(t.w);
    }
    print_message("# %u small N-PDUs in %u cells\n", judged, cases);
    assert_true(judged > 50 * cases);
}

// ---- What it costs its MS ----

// Over any span of time the MS gets what the others get on average, more or less that.
static void gets_its_share(struct world *w, uint32_t ms, uint32_t others)
{
    const uint64_t bit_per_s = 48000;
    int64_t least = 0, most = 0;
    world_run(w, 6 * S_IN_NS);
    for (uint32_t step = 0; step < 1500; step++) {
        world_run(w, w->now_ns + 400 * 8 * S_IN_NS / bit_per_s);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < others; i++)
            sum += w->ms[i].sent_octets;
        int64_t lead = (int64_t)w->ms[ms].sent_octets - (int64_t)(sum / others);
        least = step == 0 || lead < least ? lead : least;
        most = step == 0 || lead > most ? lead : most;
        if (most - least > SPAN)
            fail_msg("step %u: it is %lld octets from the others' mean, and was %lld and %lld",
                     step, (long long)lead, (long long)least, (long long)most);
    }
    world_close(w);
}

static struct world *with_others(uint32_t others, bool in_full)
{
    struct world *w = open_cell(48000, in_full);
    for (uint32_t i = 0; i < others; i++)
        world_add_greedy(w, add_ms(w, 1520, CLASS_BACKGROUND), 700, 1500);
    return w;
}

// As fast as it can, each of another flow; it begins when the others are at it.
static void add_small_flows(struct world *w, uint32_t pfc, uint16_t octets)
{
    uint32_t added = world_add_greedy(w, pfc, octets, octets);
    struct world_source *source = &w->source[added];
    source->depth = 1;
    source->flows = 1000;
    source->start_ns = source->next_ns = 6 * S_IN_NS;
}

// An MS with a download sends small N-PDUs as fast as it can, each of another flow: it has as much
// as the others, and no less, though its place in the round changes with each of them.
static void small_flows_are_paid_for(void **state)
{
    (void)state;
    static const uint16_t octets[] = {40, 150, 300};
    for (uint32_t size = 0; size < 3; size++)
        for (uint32_t others = 1; others <= 8; others *= 2)
            for (uint32_t download = 0; download < 2; download++) {
                struct world *w = with_others(others, others == 2);
                uint32_t pfc = add_ms(w, 1520, CLASS_BACKGROUND);
                add_small_flows(w, pfc, octets[size]);
                if (download)
                    world_add_greedy(w, pfc, 1500, 1500);
                gets_its_share(w, w->pfc[pfc].ms, others);
            }
}

// Packet flows of one class in an MS are one MS, with one credit.
static void several_pfcs(void **state)
{
    (void)state;
    for (uint32_t others = 1; others <= 8; others *= 2) {
        struct world *w = with_others(others, false);
        uint32_t ms = world_add_ms(w, 0, 1520);
        for (uint32_t slot = 0; slot < 6; slot++)
            add_small_flows(w, world_add_pfc(w, ms, slot, CLASS_BACKGROUND), 300);
        gets_its_share(w, ms, others);
    }
}

// Nor if they send in turn, so that each has rounds to pay what it owes: each for a period of its
// own, so many small N-PDUs at most, one at a time. Each may owe two turns at the end.
static void send_in_turn(struct world *w, uint32_t first, uint32_t pfcs, uint64_t period_ns)
{
    uint64_t next_ns = w->now_ns + period_ns, end_ns = w->now_ns + 200 * S_IN_NS;
    uint32_t turn = 0, sent = 0, flow = 0;
    while (w->now_ns < end_ns) {
        bool empty = !w->pfc[first + turn % pfcs].queued.packets;
        if (empty && w->now_ns >= next_ns) {
            turn++;
            sent = 0;
            next_ns = w->now_ns + period_ns;
        }
        if (empty && sent < 15) {
            sent++;
            world_put(w, first + turn % pfcs, 290, 0, ++flow * 0x9e3779b9, false);
        }
        world_run(w, w->now_ns + 4 * MS_IN_NS);
    }
}

static void several_pfcs_in_turn(void **state)
{
    (void)state;
    for (uint32_t others = 2; others <= 8; others *= 2)
        for (uint32_t pfcs = 2; pfcs <= SCHED_SLOTS; pfcs *= 2)
            for (uint32_t tenths = 20; tenths <= 40; tenths += 5) {
                struct world *w = with_others(others, false);
                uint32_t ms = world_add_ms(w, 0, 1520), first = others;
                for (uint32_t slot = 0; slot < pfcs; slot++)
                    world_add_pfc(w, ms, slot, CLASS_BACKGROUND);
                world_run(w, 6 * S_IN_NS);
                send_in_turn(w, first, pfcs, (10 * others + tenths) * 1510ULL * S_IN_NS / 60000);
                uint64_t sum = 0;
                for (uint32_t i = 0; i < others; i++)
                    sum += w->ms[i].sent_octets;
                if (w->ms[ms].sent_octets > sum / others + SPAN + (pfcs - 1) * 2 * QUANTUM)
                    fail_msg("%u others, %u PFCs, %u tenths: %llu octets, the others %llu", others,
                             pfcs, tenths, (unsigned long long)w->ms[ms].sent_octets,
                             (unsigned long long)(sum / others));
                world_close(w);
            }
}

// A ping in each round takes its download no turn.
static void pings_cost_no_turn(void **state)
{
    (void)state;
    for (uint32_t others = 1; others <= 8; others *= 2)
        for (uint32_t part = 1; part <= 4; part++) {
            struct world *w = with_others(others, false);
            uint32_t pfc = add_ms(w, 1520, CLASS_BACKGROUND);
            world_add_greedy(w, pfc, 1500, 1500);
            uint64_t round = (others + 1) * QUANTUM * 8 * S_IN_NS / 48000;
            add_flow(w, pfc, PING, round * part / 4 + 1234567, 0);
            gets_its_share(w, w->pfc[pfc].ms, others);
        }
}

// So many small N-PDUs on credit, each as the one before it has gone; from an MS that has had its
// turn.
static void overdraw(struct world *w, uint32_t pfc, uint32_t small)
{
    world_put(w, pfc, 1500, 0, 1, false);
    for (uint32_t i = 0; i <= small; i++) {
        for (uint32_t step = 0; w->pfc[pfc].queued.packets && step < 10000; step++)
            world_run(w, w->now_ns + MS_IN_NS);
        world_put(w, pfc, SMALL, 0, 2, false);
    }
}

// Its next large N-PDU waits for so many of the others' at most.
static void goes_behind(struct world *w, uint32_t pfc, uint32_t most)
{
    uint64_t finished = w->pfc[pfc].finished, put_ns = w->now_ns;
    world_put(w, pfc, 1400, 0, 3, false);
    world_run(w, put_ns + 20 * S_IN_NS);
    assert_int_equal(w->pfc[pfc].finished, finished + 1);
    for (uint32_t i = 0; i < w->sents; i++)
        if (w->sent[i].pfc == pfc && w->sent[i].put_ns >= put_ns && large_before(w, i) > most)
            fail_msg("%u large ones of %u MSs went first", large_before(w, i), w->mss - 1);
    world_close(w);
}

// What an MS owes is paid some rounds later, or when nobody of its class has anything queued.
static void owes_nothing_for_ever(void **state)
{
    (void)state;
    for (uint32_t others = 2; others <= 16; others *= 2)
        for (uint32_t small = 0; small < 32; small++) {
            bool ends = small % 2;
            struct world *w = with_others(others, others == 4);
            w->keep_trace = true;
            uint32_t pfc = add_ms(w, 1520, CLASS_BACKGROUND);
            for (uint32_t i = 0; i < others; i++)
                w->source[i].depth = ends ? 1 : 8;
            world_run(w, 10 * S_IN_NS);
            overdraw(w, pfc, small / 2);
            for (uint32_t i = 0; ends && i < others; i++)
                w->source[i].stop_ns = w->now_ns;
            world_run(w, w->now_ns + 12 * (others + 1) * QUANTUM * 8 * S_IN_NS / 48000);
            assert_int_equal(w->queued.packets == 0, ends);
            for (uint32_t i = 0; ends && i < others; i++)
                world_add_greedy(w, w->source[i].pfc, 1500, 1500);
            world_run(w, w->now_ns + MS_IN_NS);
            goes_behind(w, pfc, ends ? others : 0); // they are new, too
        }
}

// Nor in a cell that it comes to, where as many rounds have passed: it has had no turn there.
static void owes_nothing_elsewhere(void **state)
{
    (void)state;
    for (uint32_t small = 0; small < 16; small++) {
        struct world *w = with_others(4, small % 2);
        w->keep_trace = true;
        uint32_t pfc = add_ms(w, 1520, CLASS_BACKGROUND);
        uint32_t cell = world_add_cell(w, 0, world_terms(48000, 3000), WORLD_PLENTY);
        for (uint32_t i = 0; i < 4; i++)
            world_add_greedy(w, world_add_pfc(w, world_add_ms(w, cell, 1520), 0, CLASS_BACKGROUND),
                             700, 1500);
        world_run(w, 10 * S_IN_NS);
        overdraw(w, pfc, small);
        while (w->pfc[pfc].queued.packets)
            world_run(w, w->now_ns + MS_IN_NS);
        world_ms_move(w, w->pfc[pfc].ms, cell);
        goes_behind(w, pfc, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_small_flow_beside_downloads_of_its_ms),
        cmocka_unit_test(small_flows_are_paid_for),
        cmocka_unit_test(several_pfcs),
        cmocka_unit_test(several_pfcs_in_turn),
        cmocka_unit_test(pings_cost_no_turn),
        cmocka_unit_test(owes_nothing_for_ever),
        cmocka_unit_test(owes_nothing_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
