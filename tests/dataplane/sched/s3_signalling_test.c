// S3 and S4 among PFCs of signalling in one MS: whatever bucket limits them together, that of their
// MS or that of their packet flow, they share it equally by octets, within 2 % and two largest
// PDUs. Nobody keeps a claim for being idle, nor a debt for being busy alone; signalling still goes
// before all data, and data's order does not know of it.
#include "tests/dataplane/sched/world.h"

#include <math.h>

#define LLC_MOST 1526.0

enum limit { BY_MS, BY_FLOW, LIMITS };

// An MS of 40 kbit/s, by its own bucket or by one that all its PFCs share, in a cell that has
// plenty.
static struct world *one_ms(enum limit limit, uint16_t n201_u, const enum traffic_class *classes,
                            uint32_t pfcs)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->check_every = 256;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_ms(w, 0, n201_u);
    for (uint32_t slot = 0; slot < pfcs; slot++) {
        world_add_pfc(w, 0, slot, classes[slot]);
        if (limit == BY_FLOW && slot)
            world_pfc_share(w, slot, 0);
    }
    if (limit == BY_MS)
        world_ms_set(w, 0, world_terms(40000, 3200));
    else
        world_pfc_set(w, 0, world_terms(40000, 3200));
    return w;
}

static struct world *all_signalling(enum limit limit, uint16_t n201_u, uint32_t pfcs)
{
    const enum traffic_class classes[] = {CLASS_SIGNALLING, CLASS_SIGNALLING, CLASS_SIGNALLING};
    return one_ms(limit, n201_u, classes, pfcs);
}

// So many N-PDUs are always queued, until that time.
static void add_greedy(struct world *w, uint32_t pfc, uint8_t lle, uint16_t octets, uint32_t depth,
                       uint64_t stop_ns)
{
    world_add_source(w, (struct world_source){.pfc = pfc,
                                              .least = octets,
                                              .most = octets,
                                              .depth = depth,
                                              .lle = lle,
                                              .seed = pfc,
                                              .stop_ns = stop_ns});
}

// From now on these PFCs all send; each has an equal part.
static void judge_parts(struct world *w, const uint32_t *pfc, uint32_t pfcs, uint64_t for_ns,
                        const char *when)
{
    double sent[SCHED_SLOTS], sum = 0;
    for (uint32_t i = 0; i < pfcs; i++)
        sent[i] = -(double)w->pfc[pfc[i]].sent_octets;
    world_run(w, w->now_ns + for_ns);
    for (uint32_t i = 0; i < pfcs; i++)
        sum += sent[i] += (double)w->pfc[pfc[i]].sent_octets;
    for (uint32_t i = 0; i < pfcs; i++)
        if (fabs(sent[i] - sum / pfcs) > 0.02 * sum / pfcs + 2 * LLC_MOST)
            fail_msg("%s: PFC %u sent %.0f octets, wanted %.0f", when, pfc[i], sent[i], sum / pfcs);
}

static void judge_equal(struct world *w, uint32_t pfcs, uint64_t for_ns, const char *when)
{
    const uint32_t first[] = {0, 1, 2};
    judge_parts(w, first, pfcs, for_ns, when);
}

// Whatever their sizes, in one piece or several, on LLEs of their own or on one.
static void it_is_shared_equally(void **state)
{
    static const uint16_t sizes[][3] = {
        {1000, 1000, 1000}, {40, 1500, 700}, {1500, 40, 700}, {40, 60, 1500}};
    (void)state;
    for (uint32_t i = 0; i < 64; i++) {
        const uint16_t *octets = sizes[i / 16];
        enum limit limit = i % 2 ? BY_MS : BY_FLOW;
        uint32_t pfcs = i & 8 ? 2 : 3;
        struct world *w = all_signalling(limit, i & 4 ? 1520 : 300, pfcs);
        for (uint32_t pfc = 0; pfc < pfcs; pfc++)
            add_greedy(w, pfc, (uint8_t)(i & 2 ? pfc : 0), octets[pfc], 4, 0);
        judge_equal(w, pfcs, 400 * S_IN_NS, limit == BY_MS ? "by the MS" : "by the packet flow");
        world_close(w);
    }
}

// One PFC has one N-PDU queued at a time, so its queue runs empty behind each: it takes no more
// than its part by that.
static void a_queue_that_runs_empty_takes_no_claim(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct world *w = all_signalling(i % 2 ? BY_MS : BY_FLOW, i & 2 ? 1520 : 300, 2);
        add_greedy(w, 0, 0, 1500, 1, 0);
        add_greedy(w, 1, 1, i & 4 ? 40 : 1500, 4, 0);
        world_run(w, 400 * S_IN_NS);
        double sent[] = {(double)w->pfc[0].sent_octets, (double)w->pfc[1].sent_octets};
        double most = 1.02 * (sent[0] + sent[1]) / 2 + 2 * LLC_MOST;
        if (sent[0] > most)
            fail_msg("%.0f of %.0f octets", sent[0], sent[0] + sent[1]);
        world_close(w);
    }
}

// One is busy alone for long, and the other begins while it goes on: each has its part at once. The
// first goes idle and returns; then the other does.
static void who_wakes_has_its_part_at_once(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t first = i / 2 % 2;
        uint64_t alone_ns = (i & 4 ? 1000 : 10) * S_IN_NS;
        struct world *w = all_signalling(i % 2 ? BY_MS : BY_FLOW, 1520, 2);
        add_greedy(w, first, 0, 700, 4, alone_ns + 30 * S_IN_NS);
        world_run(w, alone_ns);
        add_greedy(w, !first, 1, 500, 4, alone_ns + 200 * S_IN_NS);
        judge_equal(w, 2, 20 * S_IN_NS, "the other begins");
        world_run(w, alone_ns + 100 * S_IN_NS); // the first has been idle for long
        add_greedy(w, first, 0, 700, 4, 0);
        judge_equal(w, 2, 20 * S_IN_NS, "the first returns");
        world_run(w, alone_ns + 400 * S_IN_NS);
        add_greedy(w, !first, 1, 500, 4, 0);
        judge_equal(w, 2, 20 * S_IN_NS, "the other returns");
        world_close(w);
    }
}

// Two of a packet flow beside one outside it, all limited by their MS as well.
static void a_flow_beside_a_neighbour(void **state)
{
    (void)state;
    struct world *w = all_signalling(BY_MS, 1520, 3);
    world_pfc_share(w, 1, 0);
    world_pfc_set(w, 0, world_terms(39000, 3200));
    for (uint32_t pfc = 0; pfc < 3; pfc++)
        add_greedy(w, pfc, (uint8_t)pfc, 500, 4, 0);
    judge_equal(w, 3, 400 * S_IN_NS, "a flow and its neighbour");
    world_close(w);
}

// Their bucket passes the rest of a half-sent N-PDU of data later than the small one's PDU, and
// sooner than the large one's, in whatever slots they are.
static void beside_half_sent_data(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t data = i / 2, large = (data + 1 + i % 2) % 3, small = (data + 2 - i % 2) % 3;
        enum traffic_class classes[] = {CLASS_SIGNALLING, CLASS_SIGNALLING, CLASS_SIGNALLING};
        classes[data] = CLASS_STREAMING;
        struct world *w = one_ms(BY_FLOW, 700, classes, 3);
        world_ms_n201_u(w, 0, 1, 1520);
        add_greedy(w, data, 0, 1500, 4, 0);
        while (w->now_ns < 2 * S_IN_NS || w->ms[0].started[0] == WORLD_NONE)
            world_run(w, w->now_ns + MS_IN_NS);
        add_greedy(w, large, 1, 1500, 4, 0);
        add_greedy(w, small, 2, 40, 4, 0);
        judge_parts(w, (uint32_t[]){large, small}, 2, 60 * S_IN_NS, "beside half-sent data");
        assert_true(w->ms[0].started[0] == WORLD_NONE);
        world_close(w);
    }
}

// New weights, of whatever class, a move, a reset and a late third PFC are no reason to starve.
static void what_changes_leaves_it_equal(void **state)
{
    (void)state;
    for (enum limit limit = 0; limit < LIMITS; limit++) {
        struct world *w = all_signalling(limit, 1520, 2);
        struct bucket_terms terms = world_terms(40000, 3200);
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        add_greedy(w, 0, 0, 1000, 4, 0);
        world_run(w, 120 * S_IN_NS);
        add_greedy(w, 1, 1, 400, 4, 0);
        for (enum traffic_class c = CLASS_SIGNALLING; c <= CLASS_STREAMING; c++) {
            struct sched_class values = w->config.of_class[c];
            values.weight = 7;
            world_class_set(w, c, &values);
            judge_equal(w, 2, 20 * S_IN_NS, "after a new weight");
        }
        world_ms_move(w, 0, 1);
        world_ms_set(w, 0, limit == BY_MS ? terms : WORLD_PLENTY);
        world_pfc_set(w, 0, limit == BY_FLOW ? terms : WORLD_PLENTY);
        judge_equal(w, 2, 20 * S_IN_NS, "after a move");
        world_cell_reset(w, 1);
        world_run(w, w->now_ns + S_IN_NS);
        world_cell_set(w, 1, WORLD_PLENTY, WORLD_PLENTY);
        judge_equal(w, 2, 20 * S_IN_NS, "after a reset");
        world_add_pfc(w, 0, 2, CLASS_SIGNALLING);
        if (limit == BY_FLOW)
            world_pfc_share(w, 2, 0);
        add_greedy(w, 2, 2, 900, 4, 0);
        judge_equal(w, 3, 20 * S_IN_NS, "with a third one");
        world_close(w);
    }
}

// Signalling goes first and takes all it wants; data has the rest, by weight, as ever.
static void data_comes_behind_all_of_it(void **state)
{
    const enum traffic_class classes[] = {CLASS_SIGNALLING, CLASS_SIGNALLING, CLASS_STREAMING,
                                          CLASS_STREAMING};
    (void)state;
    for (enum limit limit = 0; limit < LIMITS; limit++) {
        struct world *w = one_ms(limit, 1520, classes, 4);
        add_greedy(w, 2, 2, 1000, 4, 0);
        world_run(w, 120 * S_IN_NS);
        add_greedy(w, 0, 0, 500, 4, 300 * S_IN_NS);
        world_run(w, 180 * S_IN_NS); // alone, but for data
        uint64_t before = w->pfc[2].sent_octets;
        add_greedy(w, 1, 1, 500, 4, 300 * S_IN_NS);
        judge_equal(w, 2, 40 * S_IN_NS, "before data");
        assert_int_equal(w->pfc[2].sent_octets, before);
        world_run(w, 320 * S_IN_NS);
        add_greedy(w, 3, 3, 300, 4, 0);
        judge_parts(w, (uint32_t[]){2, 3}, 2, 60 * S_IN_NS, "data behind it");
        world_close(w);
    }
}

// ---- Signalling in a slot that data's order refers to: that which sent last, or the first ----

// PFC `late` begins some seconds after `early`, who had nobody beside it then.
static void judge_late(struct world *w, uint32_t early, uint32_t late)
{
    add_greedy(w, early, 1, 700, 4, 0);
    world_run(w, w->now_ns + 5 * S_IN_NS);
    add_greedy(w, late, 2, 700, 4, 0);
    judge_parts(w, (uint32_t[]){early, late}, 2, 20 * S_IN_NS, "one after the other");
    world_close(w);
}

// PFC 0 has sent for long, and last; PFC 2 almost as long. Signalling takes PFC 0's slot.
static void in_the_slot_that_sent_last(void **state)
{
    const enum traffic_class classes[] = {CLASS_STREAMING, CLASS_STREAMING, CLASS_STREAMING};
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        struct world *w = one_ms(BY_MS, 1520, classes, 3);
        add_greedy(w, 0, 0, 700, 4, 120 * S_IN_NS);
        add_greedy(w, 2, 2, 700, 4, 119 * S_IN_NS);
        world_run(w, 130 * S_IN_NS);
        world_pfc_remove(w, 0);
        if (i & 4) // while others have a backlog
            assert_int_equal(world_put(w, 2, 100, 2, 0, false), DROP_NONE);
        uint32_t pfc = world_add_pfc(w, 0, 0, CLASS_SIGNALLING);
        uint64_t busy_ns = i & 2 ? 600 * S_IN_NS : 0;
        add_greedy(w, pfc, 3, 700, 4, w->now_ns + busy_ns);
        world_run(w, w->now_ns + busy_ns + 10 * S_IN_NS);
        judge_late(w, i & 1 ? 1 : 2, i & 1 ? 2 : 1);
    }
}

// Signalling is in slot 0, and alone for a time before each PFC of data comes.
static void in_the_first_slot(void **state)
{
    const enum traffic_class classes[] = {CLASS_SIGNALLING, CLASS_SIGNALLING};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct world *w = one_ms(BY_MS, 1520, classes, 2);
        for (uint32_t slot = 2; slot < 4; slot++) {
            add_greedy(w, 0, 0, 700, 4, w->now_ns + 120 * S_IN_NS);
            add_greedy(w, 1, 0, 700, 4, w->now_ns + 60 * S_IN_NS);
            world_run(w, w->now_ns + 130 * S_IN_NS);
            world_add_pfc(w, 0, slot, CLASS_BACKGROUND);
        }
        judge_late(w, 2 + i, 3 - i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_shared_equally),
        cmocka_unit_test(a_queue_that_runs_empty_takes_no_claim),
        cmocka_unit_test(who_wakes_has_its_part_at_once),
        cmocka_unit_test(a_flow_beside_a_neighbour),
        cmocka_unit_test(beside_half_sent_data),
        cmocka_unit_test(what_changes_leaves_it_equal),
        cmocka_unit_test(data_comes_behind_all_of_it),
        cmocka_unit_test(in_the_slot_that_sent_last),
        cmocka_unit_test(in_the_first_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
