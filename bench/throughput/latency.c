// See measure.h: from a packet's stamp, just before the port is given it, until it has come out of
// the other one. Every packet is a sample (RFC 8219 wants 500 of them, RFC 2544 one).
#include "bench/throughput/measure.h"

#define BEYOND 10u // samples that a quantile has to leave above it

const char *latency_run(struct generator *g, uint32_t load, double pps, bool threads,
                        struct latency *latency)
{
    static const uint32_t percent[] = {
#define LOAD(percent) percent,
        LATENCY_LOADS(LOAD)
#undef LOAD
    };
    *latency = (struct latency){.load_percent = percent[load], .pps = pps * percent[load] / 100};
    for (struct generator *one = g; one; one = one->other)
        one->latency = &latency->of;
    struct trial t = trial_run(g, latency->pps, g->population->options->seconds, threads);
    for (struct generator *one = g; one; one = one->other)
        one->latency = NULL;
    latency->lost = t.lost;
    latency->offered_pps = t.offered_pps;
    return t.fault;
}

uint64_t latency_quantile(const struct latency *latency, uint32_t per_mille)
{
    uint64_t above = latency->of.samples * (1000 - per_mille) / 1000;
    return above >= BEYOND ? histogram_quantile(&latency->of, per_mille) : 0;
}
