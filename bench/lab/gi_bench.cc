// Captures of TCP: packets a second of `sluice gi` without the file, for downloads that live at one
// time, each a segment of 1500 octets down and an ACK up in turn, of which so many octets were
// captured. Beside it, of the same frames: memchr over all that was captured, which a checksum must
// touch, and the headers alone.
#include "bench/tsc.h"

#include <pcap/pcap.h>

#include <cstring>
#include <vector>

extern "C" {
#include "dataplane/base/units.h"
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "lab/captures/gi/gi.h"
}

namespace
{

constexpr uint32_t ip_octets = 1500, data_octets = ip_octets - IPV4_OCTETS - TCP_OCTETS;
constexpr uint32_t user_address = 0x0a000000, host_address = 0xcb007109;

struct captured {
    std::vector<uint8_t> octets;
    uint32_t length;
};

captured segment(uint32_t flow, bool down, uint8_t flags, uint32_t sequence, uint32_t ack,
                 uint32_t octets, uint32_t snap)
{
    uint32_t user = user_address + flow, length = IPV4_OCTETS + TCP_OCTETS + octets;
    captured one = {std::vector<uint8_t>(length), length};
    ipv4 ip = {};
    ip.ttl = 64;
    ip.protocol = IPV4_PROTOCOL_TCP;
    ip.source = down ? host_address : user;
    ip.destination = down ? user : host_address;
    uint8_t *b = one.octets.data(), *t = b + IPV4_OCTETS;
    ipv4_put_header(&ip, length - IPV4_OCTETS, b);
    put_be16(t, down ? 80 : 40000);
    put_be16(t + 2, down ? 40000 : 80);
    put_be32(t + 4, sequence);
    put_be32(t + 8, ack);
    t[12] = TCP_OCTETS / 4 << 4;
    t[13] = flags;
    put_be16(t + 14, 16384);
    tcp_put_checksum(t, length - IPV4_OCTETS, ip.source, ip.destination);
    one.octets.resize(length < snap ? length : snap);
    return one;
}

// Rounds of all flows: SYN, SYN-ACK, then data and its ACK in turn.
std::vector<captured> frames_of(uint32_t flows, uint32_t snap)
{
    constexpr uint32_t rounds = 8;
    std::vector<captured> frames;
    for (uint32_t flow = 0; flow < flows; flow++) {
        frames.push_back(segment(flow, false, TCP_SYN, 999, 0, 0, snap));
        frames.push_back(segment(flow, true, TCP_SYN | TCP_ACK, 4999, 1000, 0, snap));
    }
    for (uint32_t i = 0; i < rounds; i++)
        for (uint32_t flow = 0; flow < flows; flow++) {
            uint32_t sequence = 5000 + i * data_octets;
            frames.push_back(segment(flow, false, TCP_ACK, 1000, sequence, 0, snap));
            frames.push_back(segment(flow, true, TCP_ACK, sequence, 1000, data_octets, snap));
        }
    return frames;
}

capture_packet frame_of(const captured &one, uint64_t time_ns)
{
    return {0, time_ns, DLT_RAW, one.octets.data(), uint32_t(one.octets.size()), one.length};
}

void flow_ended(void *self, const gi_result *)
{
    ++*static_cast<uint64_t *>(self);
}

void packets(benchmark::State &state)
{
    auto frames = frames_of(uint32_t(state.range(0)), uint32_t(state.range(1)));
    gi_config config = {};
    config.idle_s = 3600;
    config.flows_most = 1000000;
    gi_memory memory = {};
    for (auto _ : state) {
        uint64_t ended = 0, time_ns = S_IN_NS;
        gi *gi = gi_create(&config, flow_ended, &ended);
        for (const auto &one : frames) {
            capture_packet frame = frame_of(one, time_ns += 1000);
            gi_take(gi, &frame);
        }
        gi_finish(gi);
        memory = gi_memory_of(gi);
        if (ended != uint64_t(state.range(0)) || gi_wrong(gi))
            report_fault(state, "not all flows were found");
        gi_destroy(gi);
    }
    state.SetItemsProcessed(int64_t(state.iterations() * frames.size()));
    state.counters["octets_a_flow"] = memory.octets_a_flow;
}

void headers(benchmark::State &state)
{
    auto frames = frames_of(uint32_t(state.range(0)), uint32_t(state.range(1)));
    gi_packet_rules rules = {};
    gi_counts counts = {};
    for (auto _ : state)
        for (const auto &one : frames) {
            gi_packet packet;
            gi_piece piece;
            capture_packet frame = frame_of(one, S_IN_NS);
            benchmark::DoNotOptimize(gi_packet_read(&packet, &piece, &frame, &rules, &counts));
        }
    state.SetItemsProcessed(int64_t(state.iterations() * frames.size()));
}

void octets(benchmark::State &state)
{
    auto frames = frames_of(uint32_t(state.range(0)), uint32_t(state.range(1)));
    for (auto _ : state)
        for (const auto &one : frames)
            benchmark::DoNotOptimize(memchr(one.octets.data(), 0xa7, one.octets.size()));
    state.SetItemsProcessed(int64_t(state.iterations() * frames.size()));
}

void rows(benchmark::internal::Benchmark *benchmark)
{
    benchmark->ArgNames({"flows", "snap"})
        ->Args({100, 1500})
        ->Args({100, 96})
        ->Args({10000, 1500})
        ->Args({10000, 96})
        ->Unit(benchmark::kMillisecond);
}
BENCHMARK(packets)->Apply(rows);
BENCHMARK(headers)->Apply(rows);
BENCHMARK(octets)->Apply(rows);

} // namespace

int main(int argc, char **argv)
{
    return benchmarks_begin(argc, argv) ? benchmarks_run() : 1;
}
