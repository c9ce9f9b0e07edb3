// See measure.h. Every round leaves frames waiting in the port, so the worker's bursts are full, as
// they are when it cannot keep up. With a backlog the clock is virtual and goes as fast as the
// traffic allows, so that a round finds about a burst of packets that may go.
#include <pthread.h>
#include <rte_launch.h>
#include <stdlib.h>

#include "bench/throughput/measure.h"

#define SAMPLES_A_REPEAT 50u // short ones, so that some are left alone by the machine's others
#define ROUNDS_LEAST     1000u
#define SAMPLES_MAX      (SAMPLES_A_REPEAT * SEARCH_REPEATS_MAX)

static uint64_t finished(const struct generator *g)
{
    const struct stats_worker *stats = generator_stats(g);
    if (g->in_side == STATS_GB)
        return stats->up.npdus;
    uint64_t out = 0;
    for (int i = 0; i < CLASS_COUNT; i++)
        out += stats->of_class[i].out_packets;
    return out;
}

// Brings what is inside to what is to wait in the port; a queue behind it counts, so that a worker
// that makes many segments of a packet is not flooded.
static void fill(struct generator *g)
{
    uint64_t inside = g->count.sent - finished(g) - g->dropped;
    uint64_t waiting = g->population->options->waiting;
    if (g->population->ports.by_itself)
        return;
    g->stamp = bench_clock_cycles();
    for (uint64_t left = inside < waiting ? waiting - inside : 0, n; left > 0; left -= n) {
        n = left < OPTIONS_BURST ? left : OPTIONS_BURST;
        generator_send(g, (uint32_t)n);
    }
}

uint64_t saturated_round(struct generator *g, struct stages *stages, uint64_t *packets)
{
    struct dp_worker *worker = dp_worker(g->population->dp, g->worker);
    uint64_t before = finished(g);
    uint64_t now_ns = bench_clock_ns();
    if (g->population->options->backlogged)
        now_ns = backlog_round(g);
    else
        fill(g);
    generator_poll_others(g, now_ns);
    uint64_t start = bench_clock_cycles();
    if (stages)
        stages->last = start;
    dp_poll(worker, now_ns);
    stages_mark(stages, STAGE_rest);
    uint64_t cycles = bench_clock_cycles() - start;
    while (generator_receive(g) > 0)
        ;
    *packets = finished(g) - before;
    return *packets ? cycles : 0; // with a device, frames may still be on their way
}

// Cycles a packet in so many seconds of rounds, and in some rounds more if the machine gave the
// time to somebody else; 0: there was no packet.
static double sample(struct generator *g, double seconds, uint64_t *packets)
{
    uint64_t length = (uint64_t)(seconds * bench_clock.hz), start = bench_clock_cycles();
    uint64_t cycles = 0, count = 0, n;
    uint32_t rounds = 0;
    bench_clock_skip(seconds);
    g->dropped = generator_dropped(g) + generator_astray(g);
    while (bench_clock_cycles() - start < length || (count == 0 && rounds++ < ROUNDS_LEAST)) {
        cycles += saturated_round(g, NULL, &n);
        count += n;
    }
    *packets += count;
    return count ? (double)cycles / (double)count : 0;
}

struct saturated saturated_run(struct generator *g)
{
    double cycles[SAMPLES_MAX], seconds = g->population->options->seconds / SAMPLES_A_REPEAT;
    uint32_t n = SAMPLES_A_REPEAT * g->population->options->repeats;
    struct saturated result = {0};
    uint64_t warm_up = 0;
    sample(g, seconds, &warm_up);
    for (uint32_t i = 0; i < n; i++) {
        cycles[i] = sample(g, seconds, &result.packets);
        if (cycles[i] == 0)
            result.fault = "no packet came out while the worker was timed";
    }
    result.cycles = spread_of(cycles, n);
    return result;
}

// ---- Several workers at once ----

struct of_thread {
    struct generator *g;
    pthread_barrier_t *all;
    struct saturated result;
};

static int run_one(void *self)
{
    struct of_thread *t = self;
    pthread_barrier_wait(t->all);
    t->result = saturated_run(t->g);
    return 0;
}

void saturated_run_all(struct generator **g, uint32_t n, struct saturated *of)
{
    struct of_thread part[DP_WORKERS_MAX];
    pthread_barrier_t all;
    pthread_barrier_init(&all, NULL, n);
    for (uint32_t i = 0; i < n; i++)
        part[i] = (struct of_thread){.g = g[i], .all = &all};
    for (uint32_t i = 1; i < n; i++)
        rte_eal_remote_launch(run_one, &part[i], i);
    run_one(&part[0]);
    rte_eal_mp_wait_lcore();
    for (uint32_t i = 0; i < n; i++)
        of[i] = part[i].result;
    pthread_barrier_destroy(&all);
}
