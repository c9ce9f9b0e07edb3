// S13: an MS that asks for less than half its fair share of a class waits, beyond its own buckets,
// for the N-PDU that has begun and for others like it, however many MSs have a backlog. And who
// arranges its bursts to be sparse as often as it can gets its fair share and a quantum at most.
//
// The oracle knows no rounds: it reads from what went when each N-PDU arrived, and which N-PDUs of
// its class and cell began before it though they did not belong to such an MS.
#include "tests/dataplane/random.h"
#include "tests/dataplane/sched/world.h"

#define QUANTUM 1526 // pdu_octets_max: what an MS may send in its turn
#define HEADERS 10

static struct world *open_cell(uint64_t bit_per_s, bool flow_queues, bool in_full)
{
    struct sched_config config = world_config();
    config.in_full = in_full;
    config.flows_a_pfc = flow_queues ? 16 : 0;
    for (uint32_t c = 0; c < CLASS_COUNT; c++)
        config.of_class[c].flow_queues = flow_queues;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    w->check_every = WORLD_EVERY(64);
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, world_terms(bit_per_s, 3000), WORLD_PLENTY);
    return w;
}

static uint32_t add_ms(struct world *w, uint32_t cell, uint16_t n201_u, enum traffic_class class)
{
    return world_add_pfc(w, world_add_ms(w, cell, n201_u), 0, class);
}

// One N-PDU each interval.
static void add_sparse(struct world *w, uint32_t pfc, uint16_t octets, uint64_t interval_ns,
                       uint64_t start_ns)
{
    world_add_source(w, (struct world_source){.pfc = pfc,
                                              .least = octets,
                                              .most = octets,
                                              .burst = 1,
                                              .interval_ns = interval_ns,
                                              .start_ns = start_ns,
                                              .flow_hash = 7});
}

// Who has a backlog; but one that its own bucket holds to less than its share is a sparse one.
static bool is_greedy(const struct world *w, uint32_t source)
{
    return w->source[source].depth > 0 && !w->ms[w->pfc[w->source[source].pfc].ms].own;
}

static bool is_small(const struct world *w, uint32_t octets)
{
    return octets <= w->config.flow_quantum_octets;
}

// N-PDUs of MSs with a backlog that began between the arrival and the begin of this one. By flow,
// small ones on credit go before a large one.
static uint32_t begun_before(const struct world *w, uint32_t at)
{
    const struct world_sent *own = &w->sent[at];
    bool credit = w->config.flows_a_pfc && !is_small(w, own->octets);
    uint32_t n = 0;
    for (uint32_t i = at; i-- && w->sent[i].time_ns > own->put_ns;)
        n += w->sent[i].first && w->sent[i].cell == own->cell &&
             w->sent[i].traffic_class == own->traffic_class && is_greedy(w, w->sent[i].source) &&
             !(credit && is_small(w, w->sent[i].octets));
    return n;
}

// The oracle. Returns the number of N-PDUs of sparse MSs.
static uint32_t judge(const struct world *w)
{
    uint32_t judged = 0;
    for (uint32_t i = 0; i < w->sents; i++) {
        const struct world_sent *sent = &w->sent[i];
        if (!sent->first || w->source[sent->source].depth)
            continue;
        judged++;
        uint32_t n = begun_before(w, i);
        if (n)
            fail_msg("N-PDU %llu of MS %u, arrived at %llu ns, waited until %llu ns; meanwhile %u "
                     "of MSs with a backlog began",
                     (unsigned long long)sent->number, sent->ms, (unsigned long long)sent->put_ns,
                     (unsigned long long)sent->time_ns, n);
    }
    return judged;
}

// Half of what the cell gives each of so many MSs, in time for so many octets.
static uint64_t half_share_ns(uint64_t bit_per_s, uint32_t mss, uint32_t octets)
{
    return 2 * mss * (octets + HEADERS) * 8 * S_IN_NS / bit_per_s;
}

// ---- Tables ----

// The longest wait is that for one N-PDU of the others, and for its own LLC PDU to conform.
static void one_that_pings_beside_any_number_of_downloads(void **state)
{
    (void)state;
    static const uint32_t downloads[] = {1, 4, 16, 40};
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t full = 0; full < 2; full++)
            for (uint32_t n201_u = 140; n201_u <= 1520; n201_u += 690) {
                struct world *w = open_cell(48000, full, full);
                uint32_t ping = add_ms(w, 0, (uint16_t)n201_u, CLASS_BACKGROUND);
                for (uint32_t n = 0; n < downloads[i]; n++)
                    world_add_greedy(w, add_ms(w, 0, (uint16_t)n201_u, CLASS_BACKGROUND), 1500,
                                     1500);
                // At first all are sparse.
                uint64_t start_ns = half_share_ns(48000, downloads[i], QUANTUM);
                add_sparse(w, ping, 84, half_share_ns(48000, downloads[i] + 1, 84) + 1234567,
                           start_ns);
                world_run(w, start_ns + 120 * S_IN_NS);
                assert_true(judge(w) > 40);
                uint64_t longest_ns = 0;
                for (uint32_t k = 0; k < w->sents; k++)
                    if (w->sent[k].pfc == ping &&
                        w->sent[k].time_ns - w->sent[k].put_ns > longest_ns)
                        longest_ns = w->sent[k].time_ns - w->sent[k].put_ns;
                uint64_t octets = 1500 + (1500 / n201_u + 1) * HEADERS + 84 + HEADERS;
                if (longest_ns > octets * 8 * S_IN_NS / 48000)
                    fail_msg("%u downloads: a ping waited %llu ns", downloads[i],
                             (unsigned long long)longest_ns);
                world_close(w);
            }
}

// One turn holds many small N-PDUs: a sparse MS does not wait for the rest of a turn.
static void not_for_the_rest_of_a_turn(void **state)
{
    (void)state;
    for (uint32_t pieces = 1; pieces <= 2; pieces++) {
        struct world *w = open_cell(16000, false, false);
        uint32_t ping = add_ms(w, 0, 520, CLASS_BACKGROUND);
        for (uint32_t n = 0; n < 5; n++)
            world_add_greedy(w, add_ms(w, 0, 140, CLASS_BACKGROUND), (uint16_t)(pieces * 100),
                             (uint16_t)(pieces * 100));
        uint64_t start_ns = half_share_ns(16000, 5, QUANTUM);
        add_sparse(w, ping, 84, half_share_ns(16000, 6, 84), start_ns);
        world_run(w, start_ns + 120 * S_IN_NS);
        assert_true(judge(w) > 100);
        world_close(w);
    }
}

// Six MSs wake at once beside a download, the odd ones with 84 octets; they go in that order, and
// the download goes before the first or behind the last.
static void six_wake(uint16_t even_octets, const uint32_t *order)
{
    for (uint32_t in_full = 0; in_full < 2; in_full++) {
        struct world *w = open_cell(16000, false, in_full);
        world_add_greedy(w, add_ms(w, 0, 1520, CLASS_BACKGROUND), 1500, 1500);
        uint32_t first = add_ms(w, 0, 1520, CLASS_BACKGROUND);
        for (uint32_t n = 1; n < 6; n++)
            add_ms(w, 0, 1520, CLASS_BACKGROUND);
        world_run(w, 10 * S_IN_NS + 1);
        uint32_t before = w->sents, at = 0;
        for (uint32_t n = 0; n < 6; n++)
            assert_int_equal(world_put(w, first + n, n % 2 ? 84 : even_octets, 0, 0, false),
                             DROP_NONE);
        world_run(w, 14 * S_IN_NS);
        for (uint32_t i = before; i < w->sents; i++)
            if (w->sent[i].pfc >= first)
                assert_int_equal(w->sent[i].pfc, first + order[at++]);
            else
                assert_true(at == 0 || at == 6);
        assert_int_equal(at, 6);
        world_close(w);
    }
}

static void sparse_ones_in_order(void **state)
{
    static const uint32_t order[] = {0, 1, 2, 3, 4, 5};
    (void)state;
    six_wake(84, order);
}

// A ping waits for no page of another MS that wakes.
static void small_ones_first(void **state)
{
    static const uint32_t order[] = {1, 3, 5, 0, 2, 4};
    (void)state;
    six_wake(1000, order);
}

// ---- Random trees ----

#define CLASSES_MOST 3

struct tree {
    struct world *w;
    uint64_t random, bit_per_s; // of the slowest cell, and its part of the pipe
    uint32_t classes, greedy;   // in each cell; greedy MSs a class at most
    enum traffic_class class[CLASSES_MOST];
};

static uint64_t draw(struct tree *t, uint64_t least, uint64_t most)
{
    return world_draw(&t->random, least, most);
}

// What a class is sure to get of a cell.
static uint64_t class_bit_per_s(const struct tree *t, uint32_t which)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->classes; i++)
        sum += t->w->config.of_class[t->class[i]].weight;
    return t->bit_per_s * t->w->config.of_class[t->class[which]].weight / sum;
}

static void add_class(struct tree *t, uint32_t cell, uint32_t which)
{
    enum traffic_class class = t->class[which];
    uint32_t greedy = (uint32_t)draw(t, 1, t->greedy), sparse = (uint32_t)draw(t, 1, 4);
    for (uint32_t i = 0; i < greedy; i++) {
        uint16_t most = (uint16_t)draw(t, 40, 1500);
        uint32_t pfc = add_ms(t->w, cell, (uint16_t)draw(t, 140, 1520), class);
        world_add_greedy(t->w, pfc, (uint16_t)draw(t, 40, most), most);
        t->w->source[t->w->sources - 1].flows = (uint32_t)draw(t, 1, 20);
        if (draw(t, 0, 4) == 0) // one that its own bucket delays
            world_ms_set(t->w, t->w->pfc[pfc].ms, world_terms(draw(t, 10, 400) * 100, 3000));
    }
    for (uint32_t i = 0; i < sparse; i++) {
        uint16_t octets = (uint16_t)draw(t, 20, QUANTUM / 2 - HEADERS);
        uint64_t least_ns = half_share_ns(class_bit_per_s(t, which), greedy + sparse, octets);
        uint64_t start_ns = half_share_ns(class_bit_per_s(t, which), greedy, 2 * QUANTUM);
        add_sparse(t->w, add_ms(t->w, cell, 1520, class), octets, draw(t, least_ns, 3 * least_ns),
                   start_ns + draw(t, 0, 2 * least_ns));
    }
}

static struct tree random_tree(uint64_t random, bool in_full)
{
    struct tree t = {.random = random};
    t.w = open_cell(draw(&t, 100, 4000) * 100, draw(&t, 0, 1), in_full);
    t.bit_per_s = (uint64_t)t.w->cell[0].bucket.offered.rate * BUCKET_RATE_BIT_PER_S;
    uint32_t cells = (uint32_t)draw(&t, 1, 3);
    for (uint32_t i = 1; i < cells; i++)
        world_add_cell(t.w, 0, world_terms(t.bit_per_s, 3000), WORLD_PLENTY);
    if (draw(&t, 0, 1)) { // a pipe for less than all of them
        t.bit_per_s = t.bit_per_s * draw(&t, 50, 90) / 100;
        world_nse_set(t.w, 0, world_terms(t.bit_per_s * cells, 6000));
    }
    t.classes = (uint32_t)draw(&t, 1, CLASSES_MOST);
    t.greedy = (uint32_t)draw(&t, 1, 10);
    uint32_t first = (uint32_t)draw(&t, 1, CLASS_COUNT - 1);
    for (uint32_t i = 0; i < t.classes; i++) {
        t.class[i] = (enum traffic_class)(1 + (first + i) % (CLASS_COUNT - 1));
        struct sched_class values = t.w->config.of_class[t.class[i]];
        values.weight = (uint32_t)draw(&t, 20, 100);
        world_class_set(t.w, t.class[i], &values);
    }
    for (uint32_t cell = 0; cell < cells; cell++)
        for (uint32_t i = 0; i < t.classes; i++)
            add_class(&t, cell, i);
    return t;
}

static void who_asks_for_little_waits_for_nobody(void **state)
{
    (void)state;
    random_begin();
    uint32_t judged = 0, cases = WORLD_CASES(200);
    for (uint32_t i = 0; i < cases; i++) {
        struct tree t = random_tree(random_next(), i % 2);
        world_run(t.w, 3000 * QUANTUM * 8 * S_IN_NS / t.bit_per_s);
        judged += judge(t.w);
        world_close(t.w);
    }
    print_message("# %u N-PDUs of sparse MSs in %u trees\n", judged, cases);
    assert_true(judged > 100 * cases);
}

// ---- Against gaming ----

// Over any span of time it gets no more than the mean of the others, a quantum, and what a turn may
// overdraw: an N-PDU of theirs, and one of each packet flow of its own.
static void gets_its_share(struct world *w, uint32_t gamer, uint32_t others, uint32_t own_octets)
{
    const uint64_t bit_per_s = 48000;
    int64_t least_lead = 0, most = 2 * QUANTUM + 1500 + own_octets + 2 * HEADERS;
    world_run(w, 5 * S_IN_NS);
    for (uint32_t step = 0; step < 1500; step++) {
        world_run(w, w->now_ns + 400 * 8 * S_IN_NS / bit_per_s);
        uint64_t sum = 0;
        for (uint32_t i = 0; i < others; i++)
            sum += w->ms[i].sent_octets;
        int64_t lead = (int64_t)w->ms[gamer].sent_octets - (int64_t)(sum / others);
        if (step == 0 || lead < least_lead)
            least_lead = lead;
        if (lead - least_lead > most)
            fail_msg("step %u: it is %lld octets ahead of the others' mean", step,
                     (long long)(lead - least_lead));
    }
    world_close(w);
}

// Its queue runs empty behind each burst, and the next burst comes at once, so it is sparse
// whenever it may be.
static void bursts_that_run_empty(void **state)
{
    (void)state;
    static const uint16_t octets[] = {40, 150, 500, 1500};
    for (uint32_t size = 0; size < 4; size++)
        for (uint32_t others = 1; others <= 8; others *= 2)
            for (uint32_t full = 0; full < 2; full++) {
                struct world *w = open_cell(48000, false, full);
                w->keep_trace = false;
                for (uint32_t i = 0; i < others; i++)
                    world_add_greedy(w, add_ms(w, 0, 1520, CLASS_BACKGROUND), 700, 1500);
                uint32_t gamer = add_ms(w, 0, 1520, CLASS_BACKGROUND);
                world_add_greedy(w, gamer, octets[size], octets[size]);
                w->source[w->sources - 1].depth = 1;
                gets_its_share(w, w->pfc[gamer].ms, others, octets[size]);
            }
}

// Several packet flows of one class in an MS are one MS: all at once, and one after another, six
// in the time of a round.
static void several_pfcs_in_turn(void **state)
{
    (void)state;
    for (uint32_t after = 0; after < 2; after++)
        for (uint32_t others = 1; others <= 8; others *= 2) {
            struct world *w = open_cell(48000, false, false);
            w->keep_trace = false;
            for (uint32_t i = 0; i < others; i++)
                world_add_greedy(w, add_ms(w, 0, 1520, CLASS_BACKGROUND), 700, 1500);
            uint32_t gamer = world_add_ms(w, 0, 1520);
            uint64_t on_ns = (others + 1) * QUANTUM * 8 * S_IN_NS / 48000 / 6;
            for (uint32_t slot = 0; slot < 6; slot++) {
                world_add_greedy(w, world_add_pfc(w, gamer, slot, CLASS_BACKGROUND), 300, 300);
                struct world_source *source = &w->source[w->sources - 1];
                source->depth = 1;
                source->on_ns = on_ns;
                source->off_ns = after ? 5 * on_ns : 0;
                source->start_ns = after ? slot * on_ns : 0;
                source->next_ns = source->start_ns;
            }
            gets_its_share(w, gamer, others, 6 * (300 + HEADERS));
        }
}

// Its own bucket lets it go at times of its choice.
static void a_bucket_that_lets_it_go_in_bursts(void **state)
{
    (void)state;
    for (uint32_t max = 1600; max <= 12800; max *= 2) {
        struct world *w = open_cell(48000, false, false);
        w->keep_trace = false;
        for (uint32_t i = 0; i < 4; i++)
            world_add_greedy(w, add_ms(w, 0, 1520, CLASS_BACKGROUND), 700, 1500);
        uint32_t gamer = add_ms(w, 0, 1520, CLASS_BACKGROUND);
        world_add_greedy(w, gamer, 300, 300);
        world_ms_set(w, w->pfc[gamer].ms, world_terms(16000, max));
        gets_its_share(w, w->pfc[gamer].ms, 4, 300);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_that_pings_beside_any_number_of_downloads),
        cmocka_unit_test(not_for_the_rest_of_a_turn),
        cmocka_unit_test(sparse_ones_in_order),
        cmocka_unit_test(small_ones_first),
        cmocka_unit_test(who_asks_for_little_waits_for_nobody),
        cmocka_unit_test(bursts_that_run_empty),
        cmocka_unit_test(several_pfcs_in_turn),
        cmocka_unit_test(a_bucket_that_lets_it_go_in_bursts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
