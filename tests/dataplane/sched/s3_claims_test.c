// S3 over time: who was alone, idle, stopped or on a pipe without a CIR keeps neither a claim on
// what others sent meanwhile nor a debt for what it sent itself. From the moment on at which all of
// them want to send, they share by weight, within 2 % and two largest PDUs.
#include "tests/dataplane/sched/world_random.h"

#include <math.h>

#include "tests/dataplane/random.h"

#define LLC_MOST 1526.0

// An MS of 40 kbit/s of its own, in a cell that has plenty. Its PFCs are of these classes.
static struct world *one_ms(const enum traffic_class *classes, uint32_t pfcs)
{
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->check_every = 256;
    world_add_nse(w, WORLD_UNLIMITED);
    world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    world_add_ms(w, 0, 1520);
    world_ms_set(w, 0, world_terms(40000, 3200));
    for (uint32_t slot = 0; slot < pfcs; slot++)
        world_add_pfc(w, 0, slot, classes[slot]);
    return w;
}

// Greedy from one time to another; each PFC has an LLE for itself.
static void add_greedy(struct world *w, uint32_t pfc, uint64_t start_ns, uint64_t stop_ns)
{
    world_add_source(w, (struct world_source){.pfc = pfc,
                                              .least = 500,
                                              .most = 1500,
                                              .depth = 8,
                                              .lle = (uint8_t)pfc,
                                              .seed = pfc,
                                              .start_ns = start_ns,
                                              .stop_ns = stop_ns});
}

// From now on PFCs 0 and 1 both send; in which proportion?
static void judge_pair(struct world *w, uint64_t for_ns, const char *when)
{
    const uint32_t weight[] = {w->config.of_class[w->pfc[0].traffic_class].weight,
                               w->config.of_class[w->pfc[1].traffic_class].weight};
    double before[] = {(double)w->pfc[0].sent_octets, (double)w->pfc[1].sent_octets};
    world_run(w, w->now_ns + for_ns);
    double sent[] = {(double)w->pfc[0].sent_octets - before[0],
                     (double)w->pfc[1].sent_octets - before[1]};
    double wanted = (sent[0] + sent[1]) * weight[0] / (weight[0] + weight[1]);
    if (fabs(sent[0] - wanted) > 0.02 * wanted + 2 * LLC_MOST)
        fail_msg("%s: %.0f and %.0f octets of weights %u and %u", when, sent[0], sent[1], weight[0],
                 weight[1]);
}

// One PFC is busy alone for long, goes idle, and returns to find the other busy, who began alone
// after it: at that moment nobody was there to compare with.
static void a_returns(enum traffic_class a, enum traffic_class b, uint64_t alone_ns)
{
    const enum traffic_class classes[] = {a, b};
    struct world *w = one_ms(classes, 2);
    add_greedy(w, 0, 0, alone_ns);
    world_run(w, alone_ns + 10 * S_IN_NS);
    assert_int_equal(w->queued.packets, 0);
    add_greedy(w, 1, 0, 0);
    world_run(w, w->now_ns + 5 * S_IN_NS);
    add_greedy(w, 0, 0, 0);
    judge_pair(w, 60 * S_IN_NS, "after the return");
    world_close(w);
}

static void a_pfc_that_was_busy_alone_owes_nothing_on_its_return(void **state)
{
    (void)state;
    for (uint64_t alone_s = 1; alone_s <= 1000; alone_s *= 10) {
        a_returns(CLASS_BACKGROUND, CLASS_INTERACTIVE_1, alone_s * S_IN_NS);
        a_returns(CLASS_INTERACTIVE_1, CLASS_BACKGROUND, alone_s * S_IN_NS);
        a_returns(CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_1, alone_s * S_IN_NS);
        a_returns(CLASS_SIGNALLING, CLASS_SIGNALLING, alone_s * S_IN_NS);
    }
}

// Both come and go at random; whenever both are there, and from the first second of it on.
static void come_and_go(const enum traffic_class *classes)
{
    uint64_t random = random_next();
    struct world *w = one_ms(classes, 2);
    for (uint32_t i = 0; i < 40; i++) {
        uint32_t pfc = (uint32_t)world_draw(&random, 0, 1);
        uint64_t both_ns = w->now_ns + world_draw(&random, 1, 100) * S_IN_NS;
        bool overlap = world_draw(&random, 0, 1); // or is the first gone when the other comes?
        add_greedy(w, pfc, 0, overlap ? both_ns + 60 * S_IN_NS : both_ns);
        world_run(w, both_ns + (overlap ? 0 : world_draw(&random, 5, 20) * S_IN_NS));
        add_greedy(w, !pfc, 0, w->now_ns + 60 * S_IN_NS);
        if (!overlap) {
            world_run(w, w->now_ns + world_draw(&random, 1, 20) * S_IN_NS);
            add_greedy(w, pfc, 0, w->now_ns + 30 * S_IN_NS);
        }
        judge_pair(w, 30 * S_IN_NS, "while both are there");
        world_run(w, w->now_ns + 100 * S_IN_NS);
        assert_int_equal(w->queued.packets, 0);
    }
    world_close(w);
}

static void pfcs_that_come_and_go_share_by_weight(void **state)
{
    const enum traffic_class data[] = {CLASS_INTERACTIVE_1, CLASS_BACKGROUND};
    const enum traffic_class signalling[] = {CLASS_SIGNALLING, CLASS_SIGNALLING};
    (void)state;
    random_begin();
    come_and_go(data);
    come_and_go(signalling);
}

// Stopped with a backlog, not idle: R = 0 takes it out of the order as an empty queue does.
static void a_pfc_that_r_0_stopped_has_no_claim(void **state)
{
    static const enum traffic_class pair[][2] = {{CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_1},
                                                 {CLASS_INTERACTIVE_1, CLASS_BACKGROUND},
                                                 {CLASS_SIGNALLING, CLASS_SIGNALLING}};
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        for (uint32_t way = 0; way < 3; way++) { // a new R, no values at all, another cell
            struct world *w = one_ms(pair[i], 2);
            world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
            world_pfc_set(w, 0, (struct bucket_terms){0, 3000});
            add_greedy(w, 0, 0, 0);
            add_greedy(w, 1, 0, 0);
            world_run(w, 120 * S_IN_NS);
            assert_int_equal(w->pfc[0].sent_octets, 0);
            if (way == 0)
                world_pfc_set(w, 0, WORLD_PLENTY);
            else if (way == 1)
                world_pfc_unlimit(w, 0);
            else
                world_ms_move(w, 0, 1);
            if (way == 2)
                world_ms_set(w, 0, world_terms(40000, 3200));
            judge_pair(w, 20 * S_IN_NS, "after the stop");
            world_close(w);
        }
}

// The same for a wait of its own bucket instead of a stop: a long one, ended by a larger R.
static void a_pfc_that_waited_long_has_no_claim(void **state)
{
    static const enum traffic_class pair[][2] = {{CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_1},
                                                 {CLASS_SIGNALLING, CLASS_SIGNALLING}};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        struct world *w = one_ms(pair[i], 2);
        world_pfc_set(w, 0, (struct bucket_terms){1, 3000});
        add_greedy(w, 0, 0, 0);
        add_greedy(w, 1, 0, 0);
        world_run(w, 120 * S_IN_NS);
        world_pfc_set(w, 0, WORLD_PLENTY);
        judge_pair(w, 20 * S_IN_NS, "after the wait");
        world_close(w);
    }
}

// PFC 1 is busy alone for long; then PFC 0 of its class begins, while one N-PDU of signalling,
// which has no weight and so no place in that order, is queued.
static void signalling_is_nobody_to_compare_with(void **state)
{
    const enum traffic_class classes[] = {CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_1,
                                          CLASS_SIGNALLING};
    (void)state;
    struct world *w = one_ms(classes, 3);
    add_greedy(w, 1, 0, 0);
    world_run(w, 120 * S_IN_NS);
    assert_int_equal(world_put(w, 2, 50, 3, 0, false), DROP_NONE);
    add_greedy(w, 0, 0, 0);
    judge_pair(w, 20 * S_IN_NS, "with signalling queued");
    world_close(w);
}

// The same for PFCs of a packet flow, held by its bucket until it has a larger R. The MS is fast:
// one that its own bucket delays would wake PFCs from the wheel, and a PFC that wakes loses its
// credit.
static void signalling_is_nobody_to_compare_a_flow_with(void **state)
{
    const enum traffic_class classes[] = {CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_1,
                                          CLASS_SIGNALLING, CLASS_BACKGROUND};
    (void)state;
    struct world *w = one_ms(classes, 4);
    world_ms_set(w, 0, world_terms(4000000, 8000));
    world_pfc_share(w, 3, 0);
    world_pfc_set(w, 0, (struct bucket_terms){1, 3000});
    add_greedy(w, 0, 0, 0);
    add_greedy(w, 1, 0, 0);
    world_run(w, 20 * S_IN_NS);
    for (uint32_t i = 0; i < 20; i++) // more than goes at once
        assert_int_equal(world_put(w, 2, 1500, 3, 0, false), DROP_NONE);
    world_run(w, w->now_ns + MS_IN_NS);
    assert_true(w->pfc[2].queued.packets > 0);
    world_pfc_set(w, 0, WORLD_PLENTY);
    judge_pair(w, S_IN_NS, "with signalling queued");
    world_close(w);
}

// An N-PDU of signalling that goes before streaming begins, or is queued as it begins.
enum between { NOTHING, GOES_BEFORE, IS_QUEUED };

// How many N-PDUs of streaming go before the second one of background, which owes for its first and
// is held by its own bucket at first; with signalling in between, or none. There has been more
// signalling before than data.
static uint64_t streaming_before_background(enum between signalling)
{
    const enum traffic_class classes[] = {CLASS_STREAMING, CLASS_BACKGROUND, CLASS_SIGNALLING};
    struct world *w = one_ms(classes, 3);
    world_pfc_set(w, 1, world_terms(800, 1200));
    for (uint32_t i = 0; i < 20; i++)
        world_put(w, 2, 1000, 2, 0, false);
    world_run(w, 5 * S_IN_NS);
    world_put(w, 0, 1000, 0, 0, false);
    world_put(w, 1, 1000, 1, 0, false);
    world_put(w, 0, 1000, 0, 0, false);
    world_run(w, 10 * S_IN_NS);
    assert_int_equal(w->finished.packets, 23);
    world_put(w, 1, 1000, 1, 0, false);
    if (signalling == GOES_BEFORE)
        world_put(w, 2, 50, 2, 0, false);
    world_run(w, w->now_ns);
    assert_int_equal(w->queued.packets, 1); // of background
    if (signalling == IS_QUEUED)
        world_put(w, 2, 50, 2, 0, false);
    add_greedy(w, 0, 0, 0);
    while (w->pfc[1].finished < 2)
        world_run(w, w->now_ns + 10 * MS_IN_NS);
    uint64_t before = w->pfc[0].finished;
    world_close(w);
    return before;
}

// Nor does it settle what another owes.
static void signalling_leaves_the_order_of_the_others(void **state)
{
    (void)state;
    uint64_t before = streaming_before_background(NOTHING);
    assert_true(before > 100); // by weight 1000 octets to 180000
    assert_int_equal(streaming_before_background(GOES_BEFORE), before);
    assert_int_equal(streaming_before_background(IS_QUEUED), before);
}

// A cell that was blocked for long, while another had the pipe, comes back as that takes turns, and
// is refused before its first turn. Then signalling takes it out of the order, and it returns.
static void a_cell_with_signalling_has_no_claim_for_the_time_that_it_was_blocked(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->check_every = 256;
    world_add_nse(w, world_terms(600000, 3200));
    for (uint32_t cell = 0; cell < 2; cell++) {
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_add_simple(w, cell, CLASS_BACKGROUND);
        add_greedy(w, cell, 0, cell == 0 ? 100 * S_IN_NS : 0);
    }
    uint32_t signalling = world_add_pfc(w, 1, 1, CLASS_SIGNALLING);
    world_run(w, 10 * S_IN_NS);
    world_cell_block(w, 1, true);
    world_run(w, 200 * S_IN_NS); // the pipe is no longer full
    for (uint32_t i = 0; i < 3; i++)
        world_put(w, 0, 1000, 0, 0, false);
    world_run(w, w->now_ns);
    world_cell_block(w, 1, false);
    world_run(w, w->now_ns);
    world_put(w, signalling, 50, 3, 0, false);
    add_greedy(w, 0, 0, 0);
    judge_pair(w, 20 * S_IN_NS, "after the block");
    assert_int_equal(w->pfc[signalling].finished, 1);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pfc_that_was_busy_alone_owes_nothing_on_its_return),
        cmocka_unit_test(pfcs_that_come_and_go_share_by_weight),
        cmocka_unit_test(a_pfc_that_r_0_stopped_has_no_claim),
        cmocka_unit_test(a_pfc_that_waited_long_has_no_claim),
        cmocka_unit_test(signalling_is_nobody_to_compare_with),
        cmocka_unit_test(signalling_is_nobody_to_compare_a_flow_with),
        cmocka_unit_test(signalling_leaves_the_order_of_the_others),
        cmocka_unit_test(a_cell_with_signalling_has_no_claim_for_the_time_that_it_was_blocked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
