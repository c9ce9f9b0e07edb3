// See clock.h.
#include "bench/throughput/clock.h"

#include <time.h>

#include "dataplane/base/units.h"

#define CALIBRATION_NS (50 * MS_IN_NS)

struct bench_clock bench_clock;

static uint64_t raw_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_RAW, &t);
    return (uint64_t)t.tv_sec * S_IN_NS + (uint64_t)t.tv_nsec;
}

void bench_clock_start(void)
{
    uint64_t from_ns = raw_ns(), from = __rdtsc(), to_ns;
    do
        to_ns = raw_ns();
    while (to_ns - from_ns < CALIBRATION_NS);
    bench_clock.hz = (double)(__rdtsc() - from) * 1e9 / (double)(to_ns - from_ns);
    bench_clock.ns_a_cycle_32 = (uint64_t)(1e9 * 4294967296.0 / bench_clock.hz);
    bench_clock.start = __rdtsc();
}
