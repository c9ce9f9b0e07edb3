// How fast the control plane takes flow control: from an event of the worker's to the command and
// the acknowledgement on its ring, all in Lua with its codecs in C. `cycles` is the control core's
// alone; `all` what a PDU costs on both sides, the BSS's writing and reading included. Beside it,
// libosmogb's handling of a FLOW-CONTROL-BVC, which it decodes, takes over for one cell and
// acknowledges; it takes none for an MS.
#include "bench/control/gb.h"
#include "bench/tsc.h"

#include <cstdio>

namespace
{

constexpr uint32_t mss_max = 1000000, cells_max = 10000;

void run(benchmark::State &state, const gb_shape &shape, gb_cycles (*burst)(struct gb *))
{
    struct gb *gb = gb_open(&shape);
    uint64_t control = 0, all = 0, pdus = 0;
    for (auto _ : state) {
        gb_cycles took = burst(gb);
        control += took.control;
        all += took.all;
        pdus += took.pdus;
        state.SetIterationTime(double(took.control) / tsc_hz());
    }
    count_packets(state, control, pdus);
    state.counters["all"] = double(all) / double(pdus);
    if (gb_fault(gb))
        report_fault(state, gb_fault(gb));
    gb_close(gb);
}

void flow_control_ms(benchmark::State &state)
{
    run(state, {1, uint32_t(state.range(0))}, gb_flow_control_ms);
}

void flow_control_bvc(benchmark::State &state)
{
    run(state, {uint32_t(state.range(0)), 1}, gb_flow_control_bvc);
}

void libosmogb_flow_control_bvc(benchmark::State &state)
{
    uint64_t cycles = 0, pdus = 0;
    for (auto _ : state) {
        uint64_t took = osmogb_flow_control_bvc();
        cycles += took;
        pdus += GB_BURST;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, pdus);
}

// Seconds, not cycles: until each of the cells is up again.
void bsc_restart(benchmark::State &state)
{
    const gb_shape shape = {uint32_t(state.range(0)), 1};
    struct gb *gb = gb_open(&shape);
    for (auto _ : state)
        state.SetIterationTime(double(gb_restart(gb)) / tsc_hz());
    if (gb_fault(gb))
        report_fault(state, gb_fault(gb));
    gb_close(gb);
}

// The worker at half its no-drop rate, and control, at the same time.
void flow_control_beside_traffic(benchmark::State &state)
{
    const gb_shape shape = {1, uint32_t(state.range(0))};
    if (gb_processors() < 2)
        return report_fault(state, "worker and control need a processor each");
    struct gb *gb = gb_open(&shape);
    for (auto _ : state) {
        struct gb_beside found = gb_beside(gb, 0.5, double(state.range(1)), 2);
        state.SetIterationTime(2);
        state.counters["no_drop_mpps"] = found.no_drop_mpps;
        state.counters["mpps"] = found.mpps;
        state.counters["flow_controls_per_s"] = found.flow_control_per_s;
        state.counters["packets"] = double(found.packets);
        state.counters["lost"] = double(found.lost);
        state.counters["unanswered"] = double(found.unanswered);
        state.SetLabel(found.lost         ? "TRAFFIC WAS LOST"
                       : found.unanswered ? "control was full"
                                          : "nothing lost");
    }
    gb_close(gb);
}

BENCHMARK(libosmogb_flow_control_bvc)->Apply(packet_benchmark);
BENCHMARK(flow_control_bvc)->ArgName("cells")->Arg(1)->Arg(cells_max)->Apply(packet_benchmark);
BENCHMARK(flow_control_ms)->ArgName("ms")->Arg(1000)->Arg(mss_max)->Apply(packet_benchmark);
BENCHMARK(flow_control_beside_traffic)
    ->ArgNames({"ms", "per_s"})
    ->Args({mss_max, 50000})
    ->Args({mss_max, 100000})
    ->Args({mss_max, 200000})
    ->Args({mss_max, 300000})
    ->UseManualTime()
    ->Iterations(1);
BENCHMARK(bsc_restart)
    ->ArgName("cells")
    ->Arg(cells_max)
    ->UseManualTime()
    ->Iterations(3)
    ->Unit(benchmark::kMillisecond);

} // namespace

int main(int argc, char **argv)
{
    const gb_shape largest = {cells_max, mss_max};
    if (!benchmarks_begin(argc, argv) || !gb_begin(&largest))
        return 1;
    int status = benchmarks_run();
    gb_end();
    return status;
}
