// See path.h.
#include "bench/dataplane/path.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/throughput/measure.h"

struct path {
    struct generator generator;
    struct bench_options options;
    struct population population;
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
    return o;
}

uint64_t path_octets(const struct path_traffic *traffic)
{
    struct bench_options o = options_of(traffic);
    struct ports ports;
    ports_parse(&ports, o.ports);
    return population_octets(&o, &ports);
}

struct path *path_open(const struct path_traffic *traffic)
{
    struct path *t = aligned_alloc(_Alignof(struct path), sizeof *t);
    struct ports ports;
    if (!t)
        abort();
    if (bench_clock.hz == 0)
        bench_clock_start();
    t->options = options_of(traffic);
    ports_parse(&ports, t->options.ports);
    if (!population_open(&t->population, &t->options, &ports) ||
        !generator_open(&t->generator, &t->population, 0))
        exit(1); // it has said why
    return t;
}

void path_close(struct path *t)
{
    generator_drain(&t->generator);
    generator_close(&t->generator);
    if (population_close(&t->population) != 0)
        fprintf(stderr, "path_bench: buffers were lost\n");
    free(t);
}

uint64_t path_round(struct path *t, uint64_t *packets)
{
    return saturated_round(&t->generator, NULL, packets);
}

const char *path_fault(struct path *t)
{
    generator_drain(&t->generator);
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
