// The time-stamp counter for benchmarks: read around the measured part only, calibrated once
// against the monotonic clock, and handed to Google Benchmark as manual time. `cycles` in the
// output is TSC cycles a packet, the least of all repetitions: on a shared machine the others are
// disturbed. A program in which a benchmark was not right ends with status 1: Google Benchmark
// prints such an error, and forgets it.
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

inline bool any_fault = false;

// What a benchmark measured is not right: its row says why.
inline void report_fault(benchmark::State &state, const char *why)
{
    any_fault = true;
    state.SkipWithError(why);
}

inline bool benchmarks_begin(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    return !benchmark::ReportUnrecognizedArguments(argc, argv);
}

// Runs those that are asked for; returns the program's status.
inline int benchmarks_run()
{
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return any_fault ? 1 : 0;
}

inline void count_packets(benchmark::State &state, uint64_t cycles, uint64_t packets)
{
    state.counters["cycles"] = double(cycles) / double(packets);
    state.SetItemsProcessed(int64_t(packets));
}

constexpr int calls_a_round = 64;

// Times rounds of so many calls, each of one packet.
template <typename Call> void measure_calls(benchmark::State &state, Call call)
{
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t start = __rdtsc();
        for (int i = 0; i < calls_a_round; i++)
            call(i);
        uint64_t took = __rdtsc() - start;
        cycles += took;
        packets += calls_a_round;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
}

#endif
