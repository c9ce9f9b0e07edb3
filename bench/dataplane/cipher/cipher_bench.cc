// The cipher: TSC cycles a frame in each variant that this processor has, 512 frames a call
// with a key each, at the lengths of LLC frames (information field and FCS) of 64, 256, 576 and
// 1400 octets, and mixed (IMIX, 7 : 4 : 1 of 72, 584 and 1408 octets); then fewer and more frames
// a call. intel-ipsec-mb is the baseline. Frames lie as far apart as mbufs of 2 KiB do and begin
// anywhere.
#include "bench/tsc.h"

#include <string>

extern "C" {
#include "dataplane/cipher/cipher.h"
}

namespace
{

constexpr int frames_most = 1024;
constexpr size_t apart = 2304; // an mbuf's header and headroom before 2 KiB
constexpr int imix = 0;        // for a length

cipher_scratch scratch;
uint8_t keys[frames_most][CIPHER_KEY_OCTETS];
uint8_t room[frames_most * apart];
cipher_frame frames[frames_most];

uint16_t length_of(int octets, int i)
{
    static const uint16_t mixed[12] = {72, 584, 72, 72, 584, 72, 1408, 72, 584, 72, 584, 72};
    return octets == imix ? mixed[i % 12] : uint16_t(octets);
}

void lay_out(int octets, int n)
{
    for (int i = 0; i < n; i++) {
        for (unsigned j = 0; j < CIPHER_KEY_OCTETS; j++)
            keys[i][j] = uint8_t(i * 31 + int(j) * 7);
        frames[i].key = keys[i];
        frames[i].octets = room + size_t(i) * apart + 128 + i * 13 % 64;
        frames[i].input = uint32_t(i) * 2654435761u;
        frames[i].length_octets = length_of(octets, i);
        frames[i].direction = CIPHER_DOWNLINK;
    }
}

void run(benchmark::State &state, const cipher_variant *variant)
{
    int n = int(state.range(1));
    uint64_t cycles = 0, done = 0;
    lay_out(int(state.range(0)), n);
    variant->run(&scratch, frames, uint32_t(n));
    for (auto _ : state) {
        uint64_t start = __rdtsc();
        variant->run(&scratch, frames, uint32_t(n));
        uint64_t took = __rdtsc() - start;
        cycles += took;
        done += uint64_t(n);
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, done);
}

void add(const cipher_variant *variant)
{
    bool baseline = variant == cipher_variant_named("ipsec-mb");
    auto named = [&](const char *what) {
        std::string name = std::string(variant->name) + what;
        return benchmark::RegisterBenchmark(name.c_str(), run, variant)
            ->ArgNames({"octets", "frames"})
            ->Apply(packet_benchmark);
    };
    auto *equal = named("");
    for (int octets : {72, 264, 584, 1408})
        equal->Args({octets, 512});
    if (!baseline)
        for (int n : {1, 4, 16, 32, 64, 128, 256})
            equal->Args({584, n});
    auto *mixed = named("/imix");
    mixed->Args({imix, 512});
    if (!baseline)
        mixed->Args({imix, 64})->Args({imix, 1024});
}

} // namespace

int main(int argc, char **argv)
{
    cipher_setup();
    for (uint32_t i = 0; i < cipher_variant_count; i++)
        if (cipher_variants[i].supported())
            add(&cipher_variants[i]);
    if (!benchmarks_begin(argc, argv))
        return 1;
    int status = benchmarks_run();
    cipher_release();
    return status;
}
