// See measure.h: from a packet's stamp, just before the port is given it, until it has come out of
// the other one.
#include "bench/throughput/measure.h"

const char *latency_run(struct generator *g, double pps, bool two_threads,
                        struct latency of[LATENCY_LOADS])
{
    static const uint32_t percent[LATENCY_LOADS] = {50, 90};
    static struct histogram h;
    for (uint32_t i = 0; i < LATENCY_LOADS; i++) {
        double load = pps * percent[i] / 100;
        g->latency = &h;
        struct trial t = trial_run(g, load, g->population->options->seconds, two_threads);
        g->latency = NULL;
        of[i] = (struct latency){.load_percent = percent[i],
                                 .pps = load,
                                 .samples = h.samples,
                                 .lost = t.lost,
                                 .p50_ns = histogram_quantile(&h, 500),
                                 .p90_ns = histogram_quantile(&h, 900),
                                 .p99_ns = histogram_quantile(&h, 990),
                                 .p999_ns = histogram_quantile(&h, 999),
                                 .most_ns = h.most};
        if (t.fault)
            return t.fault;
    }
    return NULL;
}
