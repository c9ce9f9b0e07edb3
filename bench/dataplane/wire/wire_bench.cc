// The FCS, each variant that this processor has: TSC cycles a frame at the lengths of typical LLC
// frames, the byte table being the baseline.
#include "bench/tsc.h"

extern "C" {
#include "dataplane/wire/fcs.h"
}

namespace
{

void fcs_of(benchmark::State &state, const fcs_variant *variant)
{
    constexpr int frames = 64;
    std::vector<uint8_t> b(4096 + frames, 0x5a);
    uint32_t octets = uint32_t(state.range(0));
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t start = __rdtsc();
        for (int i = 0; i < frames; i++)
            benchmark::DoNotOptimize(variant->fcs(b.data() + i, octets));
        uint64_t took = __rdtsc() - start;
        cycles += took;
        packets += frames;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
}

} // namespace

int main(int argc, char **argv)
{
    for (uint32_t i = 0; i < fcs_variant_count; i++) {
        const fcs_variant *variant = &fcs_variants[i];
        if (!variant->supported())
            continue;
        std::string name = std::string("fcs/") + variant->name;
        benchmark::RegisterBenchmark(name.c_str(), fcs_of, variant)
            ->ArgName("octets")
            ->Arg(74)
            ->Arg(266)
            ->Arg(586)
            ->Arg(1410)
            ->Apply(packet_benchmark);
    }
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
