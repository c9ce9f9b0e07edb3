// The scheduler's speed: TSC cycles a packet for enqueue + dequeue with three buckets, the AQM on
// and every MS backlogged, beside rte_sched with rte_red on the same traffic (traffic.h).
// `delivered` is what went out since the warm-up, over all repetitions of a row, as a part of what
// the rates allow: 1 is exact.
#include "bench/dataplane/sched/traffic.h"
#include "bench/tsc.h"

extern "C" {
#include "control/process/eal.h"
}

#include <cstdio>
#include <functional>
#include <string>

namespace
{

constexpr uint64_t baseline_octets = 1100ULL << 20; // rte_sched with 262144 pipes

// One stands at a time, for all repetitions of its row: a million MSs take seconds to warm up.
subject *stand(const std::string &name, const std::function<subject *()> &make)
{
    static std::string standing;
    static subject *it;
    if (standing != name) {
        if (it)
            it->release(it);
        it = make ? make() : nullptr;
        standing = name;
    }
    return it;
}

void measure(benchmark::State &state, subject *s)
{
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint32_t n = 0;
        uint64_t took = s->round(s, &n);
        cycles += took;
        packets += n;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
    for (uint32_t n; s->delivered(s) == 0;)
        s->round(s, &n);
    state.counters["delivered"] = s->delivered(s);
    if (s->fault(s))
        report_fault(state, s->fault(s));
}

void sched_of(benchmark::State &state, const char *aqm, uint32_t pfcs, bool full, uint32_t flows)
{
    auto mss = uint32_t(state.range(0));
    std::string name = std::string(aqm) + "/" + std::to_string(mss) + "/" + std::to_string(pfcs) +
                       (full ? "/full/" : "/") + std::to_string(flows);
    measure(state, stand(name, [=] { return tree_subject(mss, pfcs, aqm, full, flows); }));
}

void sched(benchmark::State &state, const char *aqm)
{
    sched_of(state, aqm, uint32_t(state.range(1)), false, 0);
}

// At limits that are full all the time.
void sched_full(benchmark::State &state, const char *aqm)
{
    sched_of(state, aqm, uint32_t(state.range(1)), true, 0);
}

// Queues and AQM by flow.
void sched_flows(benchmark::State &state, const char *aqm)
{
    sched_of(state, aqm, 1, false, uint32_t(state.range(1)));
}

void rte_sched_red(benchmark::State &state)
{
    auto pipes = uint32_t(state.range(0)), period_ms = uint32_t(state.range(1));
    std::string name = "rte_sched/" + std::to_string(pipes) + "/" + std::to_string(period_ms);
    measure(state, stand(name, [=] { return rte_sched_subject(pipes, period_ms); }));
}

// What cells that are ready at once cost, by what their pipe does.
void ready_cells(benchmark::State &state, ready_pipe pipe)
{
    auto cells = uint32_t(state.range(0));
    std::string name = "ready/" + std::to_string(cells) + "/" + std::to_string(pipe);
    measure(state, stand(name, [=] { return ready_subject(cells, pipe); }));
}

BENCHMARK(rte_sched_red)
    ->ArgNames({"pipes", "tc_period_ms"})
    ->ArgsProduct({{1024, 65536, 262144}, {1000}})
    ->ArgsProduct({{1024, 65536, 262144}, {40}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(sched, cobalt, "cobalt")
    ->ArgNames({"ms", "pfcs"})
    ->ArgsProduct({{1000, 65536, 100000, 262144, 1000000}, {1}})
    ->Args({100000, 4})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(sched_full, cobalt, "cobalt")
    ->ArgNames({"ms", "pfcs"})
    ->ArgsProduct({{1000, 65536, 1000000}, {1}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(sched_flows, cobalt, "cobalt")
    ->ArgNames({"ms", "flows"})
    ->ArgsProduct({{1000, 65536, 262144}, {1, 3}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(sched, red, "red")
    ->ArgNames({"ms", "pfcs"})
    ->ArgsProduct({{1000, 65536, 100000, 262144, 1000000}, {1}})
    ->Args({100000, 4})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(sched, tail_drop, "tail-drop")
    ->ArgNames({"ms", "pfcs"})
    ->ArgsProduct({{1000, 100000, 1000000}, {1}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(ready_cells, no_cir, READY_PIPE_NO_CIR)
    ->ArgNames({"cells"})
    ->ArgsProduct({{10, 1000, 10000, 65536}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(ready_cells, roomy, READY_PIPE_ROOMY)
    ->ArgNames({"cells"})
    ->ArgsProduct({{10, 1000, 10000, 65536}})
    ->Apply(packet_benchmark);
BENCHMARK_CAPTURE(ready_cells, full, READY_PIPE_FULL)
    ->ArgNames({"cells"})
    ->ArgsProduct({{10, 1000, 10000, 65536}})
    ->Apply(packet_benchmark);

} // namespace

int main(int argc, char **argv)
{
    char text[512];
    struct eal_plan plan = eal_plan(EAL_SYSFS, baseline_octets);
    eal_plan_text(&plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    if (!benchmarks_begin(argc, argv) || eal_start(&plan, true) != 0)
        return 1;
    int status = benchmarks_run();
    stand("", nullptr);
    eal_stop();
    return status;
}
