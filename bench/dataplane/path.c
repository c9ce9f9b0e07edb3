// See path.h.
#include "bench/dataplane/path.h"

#include <pthread.h>
#include <rte_lcore.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/throughput/measure.h"

struct path {
    struct generator generator;
    struct bench_options options;
    struct population population;
    struct dp_worker *beside; // the first of two workers, else NULL
    bool has_thread;
    pthread_t thread;
    // Of that thread:
    bool ready, stop;
    uint64_t cycles, cycles_before;
};

static struct bench_options options_of(const struct path_traffic *t)
{
    struct bench_options o;
    char name[] = "path_bench";
    char *argv[] = {name, NULL};
    bench_options_parse(&o, 1, argv);
    o.mss = t->mss;
    o.size_octets = t->octets;
    o.n201_u = (uint16_t)t->n201_u;
    o.waiting = t->waiting;
    o.gea = (uint8_t)t->gea;
    o.workers = t->workers ? t->workers : 1;
    return o;
}

uint64_t path_octets(const struct path_traffic *traffic)
{
    struct bench_options o = options_of(traffic);
    struct ports ports;
    ports_parse(&ports, o.ports);
    return population_octets(&o, &ports);
}

static uint64_t received(const struct dp_worker *worker)
{
    return dp_stats(worker)->of_port[STATS_GN].rx_packets;
}

static void *work_beside(void *self)
{
    struct path *t = self;
    bool registered = rte_thread_register() == 0; // for the caches of the pools
    __atomic_store_n(&t->ready, true, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&t->stop, __ATOMIC_RELAXED)) {
        uint64_t before = received(t->beside), now_ns = bench_clock_ns();
        uint64_t start = bench_clock_cycles();
        dp_poll(t->beside, now_ns);
        if (received(t->beside) != before)
            __atomic_store_n(&t->cycles, t->cycles + bench_clock_cycles() - start,
                             __ATOMIC_RELAXED);
    }
    if (registered)
        rte_thread_unregister();
    return NULL;
}

// The thread may use all processors but this one.
static void start_beside(struct path *t)
{
    cpu_set_t others, own;
    pthread_getaffinity_np(pthread_self(), sizeof own, &own);
    CPU_ZERO(&others);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (!CPU_ISSET(i, &own))
            CPU_SET(i, &others);
    if (pthread_create(&t->thread, NULL, work_beside, t) != 0)
        abort();
    pthread_setaffinity_np(t->thread, sizeof others, &others);
    while (!__atomic_load_n(&t->ready, __ATOMIC_ACQUIRE))
        ;
    t->has_thread = true;
}

static void stop_beside(struct path *t)
{
    if (t->has_thread) {
        __atomic_store_n(&t->stop, true, __ATOMIC_RELAXED);
        pthread_join(t->thread, NULL);
    }
    t->has_thread = false;
}

static void open_beside(struct path *t, const struct path_traffic *traffic)
{
    t->beside = dp_worker(t->population.dp, 0);
    if (traffic->strays)
        t->generator.in.to_port = dp_far_end(t->population.dp, STATS_GN, 0).to_port;
    if (traffic->threads > 1)
        start_beside(t);
}

// All that was handed on has arrived, too.
static void drain(struct path *t)
{
    stop_beside(t);
    if (t->beside)
        for (uint32_t i = 0; i < OPTIONS_WAITING_MAX; i++) {
            dp_poll(t->beside, bench_clock_ns());
            dp_poll(dp_worker(t->population.dp, 1), bench_clock_ns());
            while (generator_receive(&t->generator) > 0)
                ;
        }
    else
        generator_drain(&t->generator);
}

struct path *path_open(const struct path_traffic *traffic)
{
    struct path *t = aligned_alloc(_Alignof(struct path), sizeof *t);
    struct ports ports;
    if (!t)
        abort();
    if (bench_clock.hz == 0)
        bench_clock_start();
    *t = (struct path){.options = options_of(traffic)};
    ports_parse(&ports, t->options.ports);
    if (!population_open(&t->population, &t->options, &ports) ||
        !generator_open(&t->generator, &t->population, t->options.workers - 1, STATS_GN, NULL))
        exit(1); // it has said why
    if (t->options.workers > 1)
        open_beside(t, traffic);
    return t;
}

void path_close(struct path *t)
{
    drain(t);
    generator_close(&t->generator);
    if (population_close(&t->population) != 0)
        fprintf(stderr, "path_bench: buffers were lost\n");
    free(t);
}

// Sends whole bursts, so that a worker that is quick does not find single frames.
static void fill_bursts(struct generator *g)
{
    uint64_t inside = g->count.sent - g->count.packets;
    g->stamp = bench_clock_cycles();
    for (; inside + OPTIONS_BURST <= g->population->options->waiting; inside += OPTIONS_BURST)
        generator_send(g, OPTIONS_BURST);
}

static uint64_t round_of_two(struct path *t, uint64_t *packets)
{
    struct generator *g = &t->generator;
    struct dp_worker *worker = dp_worker(t->population.dp, g->worker);
    uint64_t cycles = 0, came = g->count.packets, beside = t->cycles_before;
    do {
        fill_bursts(g);
        uint64_t now_ns = bench_clock_ns(), start = bench_clock_cycles(), frames = g->count.frames;
        if (!t->has_thread)
            dp_poll(t->beside, now_ns);
        dp_poll(worker, now_ns);
        uint64_t took = bench_clock_cycles() - start;
        while (generator_receive(g) > 0)
            ;
        cycles += g->count.frames != frames || !t->has_thread ? took : 0;
    } while (g->count.packets == came);
    *packets = g->count.packets - came;
    t->cycles_before = __atomic_load_n(&t->cycles, __ATOMIC_RELAXED);
    return cycles + t->cycles_before - beside;
}

uint64_t path_round(struct path *t, uint64_t *packets)
{
    return t->beside ? round_of_two(t, packets) : saturated_round(&t->generator, NULL, packets);
}

uint64_t path_handed_on(const struct path *t)
{
    return t->beside ? dp_stats(t->beside)->of_port[STATS_GN].strays_out_packets : 0;
}

// What is handed on is in the books of two workers.
static const char *fault_of_two(struct path *t)
{
    const struct stats_port *first = &dp_stats(t->beside)->of_port[STATS_GN];
    if (!dp_balanced(t->beside) || !dp_balanced(dp_worker(t->population.dp, 1)))
        return "a worker's books do not balance";
    if (first->drop[DROP_stray_full].packets)
        return "packets were dropped between the workers";
    return t->generator.count.packets == t->generator.count.sent ? NULL : "packets were lost";
}

const char *path_fault(struct path *t)
{
    drain(t);
    if (t->beside)
        return fault_of_two(t);
    return generator_dropped(&t->generator) ? "packets were dropped"
                                            : generator_fault(&t->generator);
}

static struct baseline_parts *baselines(void)
{
    static struct baseline_parts parts;
    if (!parts.pool && !baseline_open(&parts))
        abort();
    return &parts;
}

uint64_t path_mbuf_burst(void)
{
    return baseline_mbuf(baselines());
}

uint64_t path_forward_burst(void)
{
    return baseline_forward(baselines());
}
