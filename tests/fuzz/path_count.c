// So many packets through the path, from inputs made of random octets; then what was reached, as
// TAP. Each drop reason that something outside can cause must have been met at least once. Some
// need more than chance: for them there are scenes at the end, in a dataplane with thousands of PDP
// contexts.
#include <string.h>

#include "tests/fuzz/path.h"

#define INPUT_OCTETS 20000u

static void run_random(struct rng *rng, uint32_t octets)
{
    static uint8_t input[INPUT_OCTETS];
    for (uint32_t i = 0; i < octets; i++)
        input[i] = (uint8_t)(rng_next(rng) >> 32);
    path_run_input(input, octets);
}

// Frames alone, the worker polled after each, as long as the scene takes.
static void run_scene(struct rng *rng, uint64_t frames)
{
    static uint8_t input[INPUT_OCTETS];
    for (uint64_t end = path_totals.frames + frames; path_totals.frames < end;) {
        for (uint32_t i = 0; i < sizeof input; i++)
            input[i] = (uint8_t)(rng_next(rng) >> 32);
        input_begin(input, sizeof input);
        while (input_left()) {
            path_frame_from_input(input_octet() % 8 ? STATS_GB : STATS_GN);
            path_poll();
        }
    }
}

static void run_many(struct rng *rng)
{
    const struct command remove = {.op = COMMAND_bvc_remove, .bvc_remove = {PATH_BVCS - 1}};
    if (path.dp)
        path_close();
    path_open(true);
    path.faultless = true;
    path.events_left = true;
    run_scene(rng, 1000); // MSs move to a cell that control thinks empty, and removes
    CHECK(dp_command(path.dp, &remove) == 0);
    run_scene(rng, 300000); // more to tell control than it takes
    path.events_left = false;
    run_scene(rng, 40000); // more N-PDUs begun than the uplink keeps
    path.stalled[STATS_GN] = true;
    run_scene(rng, 8000); // N-PDUs for a port that takes none
    path_wake();
    path.asleep[1] = true;
    run_scene(rng, 30000); // more for the other worker than its messages hold
    path_close();
}

// None of these is a packet's from outside: a fault of ours, what nothing uses, and the end, at
// which the counters go with the dataplane.
static bool from_outside(uint32_t reason)
{
    return reason != DROP_NONE && reason != DROP_no_queue && reason != DROP_shutdown;
}

static void print_counters(void)
{
    const struct stats_worker *s = &path_totals.stats;
    for (uint32_t i = 0; i < stats_counter_count; i++) {
        const struct stats_counter *c = &stats_counters[i];
        const uint8_t *of[] = {
            [STATS_SCOPE_WORKER] = (const uint8_t *)s, [STATS_SCOPE_UP] = (const uint8_t *)&s->up};
        for (int side = 0; c->scope == STATS_SCOPE_PORT && side < STATS_SIDES; side++)
            printf("# %-4s %-20s %12lu %s\n", stats_side_names[side], c->name,
                   *(const uint64_t *)((const uint8_t *)&s->of_port[side] + c->offset), c->unit);
        uint64_t sum = 0;
        for (int class = 0; c->scope == STATS_SCOPE_CLASS && class < CLASS_COUNT; class ++)
            sum += *(const uint64_t *)((const uint8_t *)&s->of_class[class] + c->offset);
        if (c->scope == STATS_SCOPE_CLASS)
            printf("# down %-20s %12lu %s\n", c->name, sum, c->unit);
        if (c->scope == STATS_SCOPE_WORKER || c->scope == STATS_SCOPE_UP)
            printf("# %-4s %-20s %12lu %s\n", c->scope == STATS_SCOPE_UP ? "up" : "", c->name,
                   *(const uint64_t *)(of[c->scope] + c->offset), c->unit);
    }
    for (int kind = 0; kind < EVENT_COUNT; kind++)
        printf("# event %-19s %12lu\n", state_event_names[kind], path_totals.events[kind]);
}

static void case_(bool ok, int number, const char *what)
{
    printf("%sok %d - %s\n", ok ? "" : "not ", number, what);
}

static bool all_reasons(void)
{
    bool all = true;
    for (uint32_t r = 0; r < DROP_COUNT; r++) {
        bool missed = from_outside(r) && path_totals.dropped[r] == 0;
        if (r != DROP_NONE)
            printf("# drop %-19s %13lu%s\n", stats_drop_names[r], path_totals.dropped[r],
                   missed ? "  never reached" : "");
        all &= !missed;
    }
    return all;
}

static bool all_layers(void)
{
    const struct stats_worker *s = &path_totals.stats;
    uint64_t down = 0, marks = 0;
    bool events = true;
    for (int class = 0; class < CLASS_COUNT; class ++)
        down += s->of_class[class].out_packets, marks += s->of_class[class].marks;
    for (int kind = 0; kind < EVENT_COUNT; kind++)
        events &= path_totals.events[kind] > 0;
    return events && down > 0 && marks > 0 && s->up.npdus > 0 && s->up.moves > 0 &&
           s->of_port[STATS_GN].joined_packets > 0 && s->of_port[STATS_GB].joined_packets > 0 &&
           s->of_port[STATS_GB].strays_in_packets > 0 &&
           s->of_port[STATS_GN].strays_in_packets > 0 && s->of_port[STATS_GB].tx_fragmented > 0 &&
           s->of_port[STATS_GN].tx_fragmented > 0;
}

int path_count(uint64_t packets, uint64_t seed)
{
    struct rng rng;
    uint64_t inputs = 0;
    rng_seed(&rng, seed, 0);
    printf("# seed %lu\n1..3\n", seed);
    for (; path_totals.frames < packets; inputs++)
        run_random(&rng, 100 + (uint32_t)rng_below(&rng, INPUT_OCTETS - 100));
    run_many(&rng);
    print_counters();
    bool reasons = all_reasons(), layers = all_layers();
    printf("# %lu packets and %lu commands in %lu inputs\n", path_totals.frames,
           path_totals.commands, inputs);
    case_(path_totals.frames >= packets, 1, "so many packets, and after each poll all was right");
    case_(reasons, 2, "each reason that something outside can cause was met");
    case_(layers, 3, "both ways to their ends, fragments, moves and each event");
    return reasons && layers ? 0 : 1;
}
