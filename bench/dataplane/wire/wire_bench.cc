// The codecs: TSC cycles a PDU. The FCS in each variant that this processor has, at the lengths of
// typical LLC frames, the byte table being the baseline; DL-UNITDATA and FLOW-CONTROL-MS through
// the tables, with a memcpy of as many octets as the baseline, and the parts of DL-UNITDATA that
// the path writes by itself. And the UDP checksum over IPv6, which is spared where the NIC computes
// it.
#include "bench/tsc.h"

#include <cstring>
#include <string>

extern "C" {
#include "dataplane/wire/bssgp.h"
#include "dataplane/wire/fcs.h"
#include "dataplane/wire/ipv6.h"
#include "dataplane/wire/udp.h"
}

namespace
{

void fcs_of(benchmark::State &state, const fcs_variant *variant)
{
    std::vector<uint8_t> b(4096 + calls_a_round, 0x5a);
    uint32_t octets = uint32_t(state.range(0));
    measure_calls(state,
                  [&](int i) { benchmark::DoNotOptimize(variant->fcs(b.data() + i, octets)); });
}

void udp_checksum_ipv6(benchmark::State &state)
{
    std::vector<uint8_t> b(4096 + calls_a_round, 0x5a);
    ipv6_address source{}, destination{};
    uint32_t octets = uint32_t(state.range(0));
    measure_calls(state, [&](int i) {
        udp_put_checksum_ipv6(b.data() + i, octets, &source, &destination);
        benchmark::ClobberMemory();
    });
}

uint8_t llc_pdu[590], frame[1024];

bssgp_dl_unitdata dl_unitdata()
{
    bssgp_dl_unitdata pdu{};
    pdu.tlli = 0xc0000001;
    pdu.qos.user_data = pdu.qos.not_ack = true;
    pdu.lifetime_ms = 40000;
    pdu.llc_pdu = {llc_pdu, sizeof llc_pdu};
    return pdu;
}

bssgp_flow_control_ms flow_control_ms()
{
    bssgp_flow_control_ms pdu{};
    pdu.tlli = 0xc0000001;
    pdu.tag = 7;
    pdu.bmax_octets = 10000;
    pdu.r_bit_per_s = 12000;
    return pdu;
}

void memcpy_590(benchmark::State &state)
{
    measure_calls(state, [](int) {
        memcpy(frame, llc_pdu, sizeof llc_pdu);
        benchmark::ClobberMemory();
    });
}

void dl_unitdata_encode(benchmark::State &state)
{
    bssgp_dl_unitdata pdu = dl_unitdata();
    measure_calls(state, [&](int) {
        benchmark::DoNotOptimize(bssgp_dl_unitdata_encode(&pdu, frame, sizeof frame));
    });
}

void dl_unitdata_decode(benchmark::State &state)
{
    bssgp_dl_unitdata pdu = dl_unitdata();
    uint32_t n = uint32_t(bssgp_dl_unitdata_encode(&pdu, frame, sizeof frame));
    measure_calls(state,
                  [&](int) { benchmark::DoNotOptimize(bssgp_dl_unitdata_decode(&pdu, frame, n)); });
}

void dl_unitdata_parts(benchmark::State &state)
{
    bssgp_dl_unitdata pdu = dl_unitdata();
    measure_calls(state, [&](int) {
        bssgp_dl_unitdata_put_fixed(&pdu, frame);
        bssgp_put_llc_tag(sizeof llc_pdu, frame + BSSGP_DL_UNITDATA_FIXED_OCTETS);
        benchmark::ClobberMemory();
    });
}

void flow_control_ms_encode(benchmark::State &state)
{
    bssgp_flow_control_ms pdu = flow_control_ms();
    measure_calls(state, [&](int) {
        benchmark::DoNotOptimize(bssgp_flow_control_ms_encode(&pdu, frame, sizeof frame));
    });
}

void flow_control_ms_decode(benchmark::State &state)
{
    bssgp_flow_control_ms pdu = flow_control_ms();
    uint32_t n = uint32_t(bssgp_flow_control_ms_encode(&pdu, frame, sizeof frame));
    measure_calls(state, [&](int) {
        benchmark::DoNotOptimize(bssgp_flow_control_ms_decode(&pdu, frame, n));
    });
}

BENCHMARK(udp_checksum_ipv6)
    ->ArgName("octets")
    ->Arg(84)
    ->Arg(596)
    ->Arg(1420)
    ->Apply(packet_benchmark);
BENCHMARK(memcpy_590)->Apply(packet_benchmark);
BENCHMARK(dl_unitdata_parts)->Apply(packet_benchmark);
BENCHMARK(dl_unitdata_encode)->Apply(packet_benchmark);
BENCHMARK(dl_unitdata_decode)->Apply(packet_benchmark);
BENCHMARK(flow_control_ms_encode)->Apply(packet_benchmark);
BENCHMARK(flow_control_ms_decode)->Apply(packet_benchmark);

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
            ->Arg(72)
            ->Arg(264)
            ->Arg(584)
            ->Arg(1408)
            ->Apply(packet_benchmark);
    }
    return benchmarks_begin(argc, argv) ? benchmarks_run() : 1;
}
