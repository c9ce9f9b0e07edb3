// S3 on a pipe that is full at times: whenever it is, its (cell, class) pairs share by weight; what
// was sent while it was not is held against nobody, and gives nobody a claim. And many cells, ready
// at once, of pipes that are full and not in turns.
#include "tests/dataplane/sched/world_random.h"

#include <math.h>

#include "tests/dataplane/random.h"

#define PAIRS 4
#define MOST  1526.0

// Four greedy pairs of weights 15, 5, 50 and 15 in two cells of 80 kbit/s, which is more than what
// the pipe has for each while it is full.
static const enum traffic_class class_of[PAIRS] = {CLASS_INTERACTIVE_2, CLASS_BACKGROUND,
                                                   CLASS_INTERACTIVE_1, CLASS_INTERACTIVE_2};
static const struct bucket_terms roomy = {10000, 250000};

static struct world *two_cells(struct bucket_terms cir, uint16_t least, uint16_t most)
{
    struct sched_config config = world_config();
    config.of_class[CLASS_INTERACTIVE_1].weight = 50;
    config.of_class[CLASS_INTERACTIVE_2].weight = 15;
    config.of_class[CLASS_BACKGROUND].weight = 5;
    struct world *w = world_open(&config);
    w->check_every = 16;
    world_add_nse(w, cir);
    for (uint32_t i = 0; i < PAIRS; i++) {
        if (i % 2 == 0)
            world_add_cell(w, 0, world_terms(80000, 3600), WORLD_PLENTY);
        world_add_greedy(w, world_add_simple(w, i / 2, class_of[i]), least, most);
    }
    return w;
}

// From now on for so long: weights hold, but for two PDUs of each pair and 2 %.
static void expect_weights(struct world *w, uint64_t ns, const char *when)
{
    double before[PAIRS], sent[PAIRS], sum = 0, weights = 0;
    for (uint32_t i = 0; i < PAIRS; i++)
        before[i] = (double)w->pfc[i].sent_octets;
    world_run(w, w->now_ns + ns);
    for (uint32_t i = 0; i < PAIRS; i++) {
        sum += sent[i] = (double)w->pfc[i].sent_octets - before[i];
        weights += w->config.of_class[class_of[i]].weight;
    }
    for (uint32_t i = 0; i < PAIRS; i++) {
        double wanted = sum * w->config.of_class[class_of[i]].weight / weights;
        if (fabs(sent[i] - wanted) > 0.02 * wanted + 2 * MOST)
            fail_msg("%s at %.3f s: pair %u sent %.0f of %.0f octets, wanted %.0f", when,
                     (double)w->now_ns / 1e9, i, sent[i], sum, wanted);
    }
}

// A CIR that limits and one that does not, in turns: both long and short ones.
static void weights_hold_whenever_a_pipe_is_full(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(20); i++) {
        uint64_t random = random_next();
        uint16_t most = (uint16_t)world_draw(&random, 60, 1500);
        uint16_t least = world_draw(&random, 0, 1) ? most : (uint16_t)world_draw(&random, 40, most);
        struct world *w = two_cells(roomy, least, most);
        for (uint32_t turn = 0; turn < 20; turn++) {
            world_nse_set(w, 0, i % 2 && turn % 2 ? WORLD_UNLIMITED : roomy);
            world_run(w, w->now_ns + world_draw(&random, 1, 4000) * MS_IN_NS);
            world_nse_set(w, 0, world_terms(60000, 3200));
            world_run(w, w->now_ns + S_IN_NS); // the bucket fills
            expect_weights(w, world_draw(&random, 1, 60) * S_IN_NS, "while it is full");
        }
        world_close(w);
    }
}

// By itself: between bursts, each of which fills the pipe for long, it runs empty.
static void weights_hold_in_every_burst(void **state)
{
    (void)state;
    for (uint64_t pause_ms = 10; pause_ms <= 10000; pause_ms *= 10) {
        struct world *w = two_cells(world_terms(60000, 3200), 500, 500);
        for (uint32_t i = 0; i < PAIRS; i++)
            w->source[i].on_ns = w->source[i].off_ns = 0;
        for (uint32_t burst = 0; burst < 30; burst++) {
            for (uint32_t i = 0; i < PAIRS; i++) {
                w->source[i].stop_ns = TIME_NEVER;
                w->source[i].next_ns = w->now_ns;
            }
            world_run(w, w->now_ns + S_IN_NS);
            expect_weights(w, 20 * S_IN_NS, "in a burst");
            for (uint32_t i = 0; i < PAIRS; i++)
                w->source[i].stop_ns = w->now_ns;
            world_run(w, w->now_ns + 4 * S_IN_NS); // all that is queued goes
            assert_int_equal(w->queued.packets, 0);
            world_run(w, w->now_ns + pause_ms * MS_IN_NS);
        }
        world_close(w);
    }
}

// A bucket of less than two PDUs has run empty behind each, and is what limits all the same: also
// for a worker that comes late each time.
static void a_small_bucket_that_runs_empty_is_full(void **state)
{
    static const uint32_t max_octets[] = {0, 100, 510, 600, 1000};
    (void)state;
    for (uint32_t i = 0; i < 2 * sizeof max_octets / sizeof max_octets[0]; i++) {
        struct world *w = two_cells(world_terms(60000, max_octets[i / 2]), 500, 500);
        w->poll_ns = i % 2 ? 7 * MS_IN_NS : 0;
        world_run(w, S_IN_NS);
        expect_weights(w, 60 * S_IN_NS, "with a small bucket");
        world_close(w);
    }
}

// Signalling goes first at once, whoever stands in line when the pipe becomes full.
static void signalling_goes_first_from_the_beginning(void **state)
{
    struct sched_config config = world_config();
    const uint32_t cells = config.bvcs = 60;
    (void)state;
    config.mss = 2 * cells;
    struct world *w = world_open(&config);
    w->keep_trace = true;
    world_add_nse(w, world_terms(60000, 3200));
    for (uint32_t b = 0; b < cells; b++) {
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
        world_add_simple(w, b, CLASS_BACKGROUND);
        world_add_simple(w, b, CLASS_SIGNALLING);
    }
    for (uint32_t b = 0; b < cells; b++) {
        world_put(w, 2 * b, 1000, 0, 0, false);
        if (b % 7 == 6)
            world_put(w, 2 * b + 1, 100, 0, 0, false);
    }
    world_run(w, 200 * S_IN_NS);
    assert_int_equal(w->sents, cells + cells / 7);
    for (uint32_t i = 0; i < w->sents; i++)
        assert_int_equal(w->sent[i].traffic_class == CLASS_SIGNALLING, i < cells / 7);
    world_close(w);
}

// It shares from its first N-PDU on, whatever its pipe and a faster one have sent before.
static void a_cell_that_comes_to_a_full_pipe_shares_at_once(void **state)
{
    (void)state;
    struct world *w = two_cells(world_terms(60000, 3200), 500, 500);
    uint32_t fast = world_add_nse(w, world_terms(600000, 32000));
    uint32_t its_cell = world_add_cell(w, fast, WORLD_PLENTY, WORLD_PLENTY);
    world_add_greedy(w, world_add_simple(w, its_cell, CLASS_BACKGROUND), 500, 500);
    world_run(w, 60 * S_IN_NS);
    uint32_t cell = world_add_cell(w, 0, world_terms(80000, 3600), WORLD_PLENTY);
    uint32_t late = world_add_simple(w, cell, class_of[0]);
    world_add_greedy(w, late, 500, 500);
    double before = (double)w->pfc[0].sent_octets;
    world_run(w, w->now_ns + 60 * S_IN_NS);
    double sent = (double)w->pfc[late].sent_octets, wanted = (double)w->pfc[0].sent_octets - before;
    if (fabs(sent - wanted) > 0.02 * wanted + 2 * MOST)
        fail_msg("the new cell sent %.0f octets, one of the same weight %.0f", sent, wanted);
    world_close(w);
}

// A cell was idle for long, and its data comes while signalling of it waits for the full pipe.
static void data_behind_signalling_has_no_claim(void **state)
{
    (void)state;
    struct sched_config config = world_config();
    struct world *w = world_open(&config);
    w->check_every = 16;
    world_add_nse(w, world_terms(60000, 3200));
    for (uint32_t cell = 0; cell < 2; cell++)
        world_add_cell(w, 0, WORLD_PLENTY, WORLD_PLENTY);
    uint32_t busy = world_add_simple(w, 0, CLASS_BACKGROUND);
    uint32_t idle = world_add_simple(w, 1, CLASS_BACKGROUND);
    uint32_t signalling = world_add_simple(w, 1, CLASS_SIGNALLING);
    world_add_greedy(w, busy, 500, 500);
    world_run(w, 100 * S_IN_NS);
    world_put(w, signalling, 500, 0, 0, false);
    double before = (double)w->pfc[busy].sent_octets;
    world_add_greedy(w, idle, 500, 500);
    world_run(w, w->now_ns + 20 * S_IN_NS);
    double sent = (double)w->pfc[idle].sent_octets,
           other = (double)w->pfc[busy].sent_octets - before;
    if (fabs(sent - other) > 0.02 * other + 2 * MOST)
        fail_msg("the cell that was idle sent %.0f octets, the other %.0f", sent, other);
    world_close(w);
}

// Heaps of several pipes grow and shrink beside one another; sched_check looks at each.
static void many_cells_of_several_pipes(void **state)
{
    (void)state;
    random_begin();
    for (uint32_t i = 0; i < WORLD_CASES(20); i++) {
        uint64_t random = random_next();
        const struct world_wish wish = {.nses = 5, .cells = 150, .mss = 300, .pfcs = 2};
        struct world *w = world_random(&random, &wish);
        w->check_every = 100;
        world_random_life(w, &random, 20000, 60);
        world_close(w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_hold_whenever_a_pipe_is_full),
        cmocka_unit_test(weights_hold_in_every_burst),
        cmocka_unit_test(a_small_bucket_that_runs_empty_is_full),
        cmocka_unit_test(signalling_goes_first_from_the_beginning),
        cmocka_unit_test(a_cell_that_comes_to_a_full_pipe_shares_at_once),
        cmocka_unit_test(data_behind_signalling_has_no_claim),
        cmocka_unit_test(many_cells_of_several_pipes),
    };
    return cmocka_run_group_tests_name("s3_pipe", tests, NULL, NULL);
}
