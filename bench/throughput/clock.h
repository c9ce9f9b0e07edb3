// The time-stamp counter as the clock of a measurement: calibrated once against
// CLOCK_MONOTONIC_RAW, since what DPDK and the kernel say of its rate can be 0.15 % off.
#ifndef SLUICE_BENCH_THROUGHPUT_CLOCK_H
#define SLUICE_BENCH_THROUGHPUT_CLOCK_H

#include <stdint.h>
#include <x86intrin.h>

struct bench_clock {
    double hz;
    uint64_t ns_a_cycle_32; // in units of 2^-32 ns
    uint64_t start;
};
extern struct bench_clock bench_clock;

void bench_clock_start(void);

static inline uint64_t bench_clock_cycles(void)
{
    return __rdtsc();
}

static inline uint64_t bench_clock_ns_of(uint64_t cycles)
{
    return (uint64_t)((unsigned __int128)cycles * bench_clock.ns_a_cycle_32 >> 32);
}

// Since the clock was started; never 0.
static inline uint64_t bench_clock_ns(void)
{
    return 1 + bench_clock_ns_of(__rdtsc() - bench_clock.start);
}

#endif
