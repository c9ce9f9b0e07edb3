// See measure.h: a run of its own, since reading the clock at every mark makes the whole slower;
// what that costs is measured first and taken off. Of several samples the one with the least sum
// counts, stage by stage, as it does for the whole.
#include "bench/throughput/measure.h"

#define SAMPLES     50u
#define CLOCK_READS 1000u
#define CLOCK_TRIES 100u

// The least that one reading costs, through the pointer that the marks go by.
static double clock_cycles(void)
{
    uint64_t (*volatile clock)(void) = bench_clock_cycles;
    double least = 1e9;
    for (uint32_t i = 0; i < CLOCK_TRIES; i++) {
        uint64_t start = bench_clock_cycles();
        for (uint32_t n = 0; n < CLOCK_READS; n++)
            clock();
        double cycles = (double)(bench_clock_cycles() - start) / CLOCK_READS;
        least = cycles < least ? cycles : least;
    }
    return least;
}

static struct stages_cycles sample(struct generator *g, double seconds, double own)
{
    struct stages stages = {.clock = bench_clock_cycles};
    struct stages_cycles result = {0};
    struct dp_worker *worker = dp_worker(g->population->dp, g->worker);
    uint64_t length = (uint64_t)(seconds * bench_clock.hz), start = bench_clock_cycles();
    uint64_t packets = 0, n;
    bench_clock_skip(seconds);
    g->dropped = generator_dropped(g) + generator_astray(g);
    dp_stages(worker, &stages);
    while (bench_clock_cycles() - start < length) {
        saturated_round(g, &stages, &n);
        packets += n;
    }
    dp_stages(worker, NULL);
    for (uint32_t i = 0; i < STAGE_COUNT; i++) {
        double cycles = (double)stages.cycles[i] - own * (double)stages.marks[i];
        result.of[i] = cycles > 0 && packets ? cycles / (double)packets : 0;
        result.sum += result.of[i];
    }
    return result;
}

struct stages_cycles stages_run(struct generator *g)
{
    double own = clock_cycles(), seconds = g->population->options->seconds / SAMPLES;
    struct stages_cycles best = sample(g, seconds, own);
    for (uint32_t i = 1; i < SAMPLES; i++) {
        struct stages_cycles one = sample(g, seconds, own);
        if (one.sum > 0 && (best.sum == 0 || one.sum < best.sum))
            best = one;
    }
    return best;
}
