// The worker's speed: TSC cycles a packet from a frame in the Gn ring to its LLC PDU in the Gb
// ring, with buckets at PFC, MS and cell and COBALT with ECN, beside what no path can do without:
// an mbuf's alloc and free, and a forward from ring to ring that touches the header. Filling the Gn
// ring and emptying the Gb ring is not in the figure. `waiting` frames are in the Gn ring at a
// time: the more, the more are enciphered at once. Rates, latency, stages and a backlog are for
// `sluice bench`, whose parts these are.
#include "bench/dataplane/path.h"
#include "bench/tsc.h"

extern "C" {
#include "control/process/eal.h"
}

#include <cstdio>

namespace
{

constexpr uint32_t mss_max = 1000000;

void run_path(benchmark::State &state, const path_traffic &traffic)
{
    struct path *path = path_open(&traffic);
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t n = 0, took = path_round(path, &n);
        cycles += took;
        packets += n;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
    if (traffic.workers > 1)
        state.counters["packets_handed_on"] = double(path_handed_on(path)) / double(packets);
    if (path_fault(path))
        report_fault(state, path_fault(path));
    path_close(path);
}

void path_plain(benchmark::State &state)
{
    run_path(state, {uint32_t(state.range(0)), uint32_t(state.range(1)), uint32_t(state.range(2)),
                     PATH_BURST, 0, 1, 0, 1});
}

void path_gea4(benchmark::State &state)
{
    run_path(state, {uint32_t(state.range(0)), uint32_t(state.range(1)), 1520,
                     uint32_t(state.range(2)), 4, 1, 0, 1});
}

// The same waiting in plaintext.
void path_plain_waiting(benchmark::State &state)
{
    run_path(state, {uint32_t(state.range(0)), uint32_t(state.range(1)), 1520,
                     uint32_t(state.range(2)), 0, 1, 0, 1});
}

// Two workers, and the packets of one of them: they come to its queue, or to the other's, which
// hands them on. `packets_handed_on` is that for each packet.
void path_two_workers(benchmark::State &state)
{
    path_traffic traffic = {
        uint32_t(state.range(0)), uint32_t(state.range(1)), 1520, PATH_BURST, 0, 2,
        uint32_t(state.range(2)), uint32_t(state.range(3))};
    run_path(state, traffic);
}

void run_baseline(benchmark::State &state, uint64_t (*burst)())
{
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t took = burst();
        cycles += took;
        packets += PATH_BURST;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
}

void mbuf_alloc_free(benchmark::State &state)
{
    run_baseline(state, path_mbuf_burst);
}

void ring_forward(benchmark::State &state)
{
    run_baseline(state, path_forward_burst);
}

BENCHMARK(mbuf_alloc_free)->Apply(packet_benchmark);
BENCHMARK(ring_forward)->Apply(packet_benchmark);
BENCHMARK(path_plain)
    ->ArgNames({"ms", "octets", "n201_u"})
    ->ArgsProduct({{1000, 100000, mss_max}, {64, 576, 1400}, {1520}})
    ->Args({1000, 576, 500})
    ->Args({1000, 1400, 500})
    ->Apply(packet_benchmark);
BENCHMARK(path_gea4)
    ->ArgNames({"ms", "octets", "waiting"})
    ->ArgsProduct({{1000, 100000}, {64, 576, 1400}, {PATH_BURST, PATH_WAITING}})
    ->Apply(packet_benchmark);
BENCHMARK(path_plain_waiting)
    ->ArgNames({"ms", "octets", "waiting"})
    ->ArgsProduct({{1000, 100000}, {64, 576, 1400}, {PATH_WAITING}})
    ->Apply(packet_benchmark);
BENCHMARK(path_two_workers)
    ->ArgNames({"ms", "octets", "strays", "threads"})
    ->ArgsProduct({{1000, 100000}, {64, 576}, {0, 1}, {1, 2}})
    ->Apply(packet_benchmark);

} // namespace

int main(int argc, char **argv)
{
    char text[512];
    const path_traffic largest = {mss_max, 1400, 1520, PATH_WAITING, 4, 2, 0, 1};
    struct eal_plan plan = eal_plan(EAL_SYSFS, path_octets(&largest) + (32ULL << 20));
    eal_plan_text(&plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    if (!benchmarks_begin(argc, argv) || eal_start(&plan, true) != 0)
        return 1;
    int status = benchmarks_run();
    eal_stop();
    return status;
}
