// See measure.h. What no path can do without: a buffer's alloc and free; out of one ring, a look at
// the header, and into another. And what scheduling alone costs elsewhere: rte_sched with rte_red,
// a pipe for each MS and every pipe backlogged and shaped.
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "bench/dataplane/sched/traffic.h"
#include "bench/throughput/measure.h"
#include "dataplane/port/port.h"

#define BUFFERS           8191u
#define MTU_OCTETS        1600
#define RING_FRAMES       1024u
#define SAMPLES           9u
#define BURSTS            2000u
#define PIPES_LEAST       4096u
#define PIPES_MOST        262144u
#define PIPE_OCTETS       4400u
#define PERIOD_MS         1000u // of its classes: with shorter ones it sends less than it may
#define RTE_SCHED_SECONDS 0.3

bool baseline_open(struct baseline_parts *p)
{
    unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ;
    p->pool = port_pool("baseline", BUFFERS, MTU_OCTETS, false);
    p->ring[0] = rte_ring_create("baseline0", RING_FRAMES, SOCKET_ID_ANY, flags);
    p->ring[1] = rte_ring_create("baseline1", RING_FRAMES, SOCKET_ID_ANY, flags);
    return p->pool && p->ring[0] && p->ring[1];
}

void baseline_close(struct baseline_parts *p)
{
    rte_mempool_free(p->pool);
    rte_ring_free(p->ring[0]);
    rte_ring_free(p->ring[1]);
}

uint64_t baseline_mbuf(struct baseline_parts *p)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    uint64_t start = bench_clock_cycles();
    if (rte_pktmbuf_alloc_bulk(p->pool, m, OPTIONS_BURST) == 0)
        rte_pktmbuf_free_bulk(m, OPTIONS_BURST);
    return bench_clock_cycles() - start;
}

uint64_t baseline_forward(struct baseline_parts *p)
{
    struct rte_mbuf *m[OPTIONS_BURST];
    if (rte_pktmbuf_alloc_bulk(p->pool, m, OPTIONS_BURST) != 0)
        return 0;
    rte_ring_enqueue_bulk(p->ring[0], (void **)m, OPTIONS_BURST, NULL);
    uint64_t start = bench_clock_cycles();
    uint32_t n = rte_ring_dequeue_burst(p->ring[0], (void **)m, OPTIONS_BURST, NULL);
    for (uint32_t i = 0; i < n; i++)
        rte_pktmbuf_mtod(m[i], uint8_t *)[0] ^= 1;
    rte_ring_enqueue_burst(p->ring[1], (void **)m, n, NULL);
    uint64_t cycles = bench_clock_cycles() - start;
    n = rte_ring_dequeue_burst(p->ring[1], (void **)m, OPTIONS_BURST, NULL);
    rte_pktmbuf_free_bulk(m, n);
    return cycles;
}

// Cycles a packet, the least of some samples.
static double least(uint64_t (*burst)(struct baseline_parts *parts), struct baseline_parts *parts)
{
    double cycles[SAMPLES];
    for (uint32_t i = 0; i < SAMPLES; i++) {
        uint64_t sum = 0;
        for (uint32_t n = 0; n < BURSTS; n++)
            sum += burst(parts);
        cycles[i] = (double)sum / BURSTS / OPTIONS_BURST;
    }
    return spread_of(cycles, SAMPLES).least;
}

// As many pipes as MSs, which have to be a power of two: the next lower one.
static uint32_t pipes_of(const struct bench_options *o)
{
    uint32_t pipes = PIPES_LEAST;
    if (o->no_rte_sched || o->mss < PIPES_LEAST)
        return 0;
    while (2 * pipes <= o->mss && pipes < PIPES_MOST)
        pipes *= 2;
    return pipes;
}

uint64_t baseline_octets(const struct bench_options *o)
{
    return port_pool_octets(BUFFERS, MTU_OCTETS) + (uint64_t)pipes_of(o) * PIPE_OCTETS +
           (pipes_of(o) ? 32u << 20 : 0);
}

static double rte_sched_sample(struct subject *s)
{
    uint64_t length = (uint64_t)(RTE_SCHED_SECONDS * bench_clock.hz), start = bench_clock_cycles();
    uint64_t cycles = 0, packets = 0;
    while (bench_clock_cycles() - start < length || packets == 0) {
        uint32_t n = 0;
        cycles += s->round(s, &n);
        packets += n;
    }
    return (double)cycles / (double)packets;
}

static double rte_sched_least(uint32_t pipes)
{
    double cycles[SAMPLES];
    struct subject *s = rte_sched_subject(pipes, PERIOD_MS);
    for (uint32_t i = 0; i < SAMPLES; i++)
        cycles[i] = rte_sched_sample(s);
    s->release(s);
    return spread_of(cycles, SAMPLES).least;
}

struct baseline baseline_run(const struct bench_options *o)
{
    struct baseline result = {.rte_sched_pipes = pipes_of(o)};
    struct baseline_parts parts;
    if (baseline_open(&parts)) {
        result.mbuf = least(baseline_mbuf, &parts);
        result.forward = least(baseline_forward, &parts);
    }
    baseline_close(&parts);
    if (result.rte_sched_pipes)
        result.rte_sched = rte_sched_least(result.rte_sched_pipes);
    return result;
}
