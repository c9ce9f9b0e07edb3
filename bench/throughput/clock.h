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

// Since the clock was started, with what was skipped; never 0.
static inline uint64_t bench_clock_ns(void)
{
    uint64_t start = __atomic_load_n(&bench_clock.start, __ATOMIC_RELAXED);
    return 1 + bench_clock_ns_of(__rdtsc() - start);
}

// A cell's R is 6.5 Gbit/s at most, and its bucket holds 2.1 GB: a fast worker fills it in seconds,
// and then R would be what is measured. So before a measurement of that length ten times as much
// time passes for Sluice, in which the buckets run empty. Workers that are measured side by side
// share the clock, and each does so: it goes further forward, for all.
#define BENCH_CLOCK_SKIP 10.0
static inline void bench_clock_skip(double seconds)
{
    uint64_t cycles = (uint64_t)(BENCH_CLOCK_SKIP * seconds * bench_clock.hz);
    __atomic_fetch_sub(&bench_clock.start, cycles, __ATOMIC_RELAXED);
}

#endif
