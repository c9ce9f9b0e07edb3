// The time-stamp counter for benchmarks: read around the measured part only, calibrated once
// against the monotonic clock, and handed to Google Benchmark as manual time. `cycles` in the
// output is TSC cycles a packet, the least of all repetitions: on a shared machine the others are
// disturbed.
#ifndef SLUICE_BENCH_TSC_H
#define SLUICE_BENCH_TSC_H

#include <benchmark/benchmark.h>
#include <x86intrin.h>

#include <algorithm>
#include <chrono>
#include <vector>

inline double tsc_hz()
{
    static const double hz = [] {
        using clock = std::chrono::steady_clock;
        auto start = clock::now();
        uint64_t first = __rdtsc();
        while (clock::now() - start < std::chrono::milliseconds(100))
            ;
        double cycles = double(__rdtsc() - first);
        return cycles / std::chrono::duration<double>(clock::now() - start).count();
    }();
    return hz;
}

inline double least(const std::vector<double> &values)
{
    return *std::min_element(values.begin(), values.end());
}

// What each benchmark of a packet path is run with.
inline void packet_benchmark(benchmark::internal::Benchmark *b)
{
    b->UseManualTime()->MinTime(0.2)->Repetitions(5)->ReportAggregatesOnly(true);
    b->ComputeStatistics("least", least);
}

inline void count_packets(benchmark::State &state, uint64_t cycles, uint64_t packets)
{
    state.counters["cycles"] = double(cycles) / double(packets);
    state.SetItemsProcessed(int64_t(packets));
}

#endif
