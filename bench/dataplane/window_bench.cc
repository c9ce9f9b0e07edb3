// What windows cost: TSC cycles an N-PDU. Down only SYNs count, but each N-PDU is looked at; up an
// ACK's flow is found and its window lowered, without the scheduler's answer to what its share is.
// The flows of a context take turns, so each is the one that was used longest ago: the slowest to
// find. Baseline: the decoder of the TCP header alone.
#include "bench/tsc.h"

extern "C" {
#include "dataplane/wire/bytes.h"
#include "dataplane/wire/ipv4.h"
#include "dataplane/wire/tcp.h"
#include "dataplane/window/window.h"
}

namespace
{

constexpr uint32_t syn = 2, ack = 16, ip_octets = 20, tcp_octets = 20;
constexpr uint32_t ms_address = 0x0a000001, host_address = 0xc6336401;

struct npdu {
    uint8_t octets[ip_octets + tcp_octets + 536];
    uint32_t n;
};

npdu segment(bool up, uint16_t ms_port, uint32_t flags, uint32_t payload_octets)
{
    npdu s{};
    uint8_t *ip = s.octets, *tcp = ip + ip_octets;
    s.n = ip_octets + tcp_octets + payload_octets;
    ipv4 header{};
    header.ttl = 64;
    header.protocol = IPV4_PROTOCOL_TCP;
    header.source = up ? ms_address : host_address;
    header.destination = up ? host_address : ms_address;
    ipv4_put_header(&header, tcp_octets + payload_octets, ip);
    put_be16(tcp, up ? ms_port : 443);
    put_be16(tcp + 2, up ? 443 : ms_port);
    put_be32(tcp + 4, flags & syn ? 99 : 100);
    put_be32(tcp + 8, 100);
    tcp[12] = 0x50;
    tcp[13] = uint8_t(flags);
    put_be16(tcp + 14, 0xffff);
    return s;
}

// One context, with so many flows whose SYN and SYN-ACK have passed.
struct flows {
    window w;
    stats_up stats{};
    std::vector<uint64_t> memory;
    std::vector<npdu> acks;

    explicit flows(uint32_t n) : memory(window_octets(1) / sizeof(uint64_t))
    {
        uint64_t of_class_ns[CLASS_COUNT] = {};
        window_setup(&w, 1, of_class_ns, &stats, memory.data());
        for (uint32_t i = 0; i < n; i++) {
            uint16_t port = uint16_t(32768 + i);
            npdu first = segment(true, port, syn, 0), answer = segment(false, port, syn | ack, 0);
            window_ack unused;
            window_up(&w, 0, first.octets, first.n, &unused);
            window_down(&w, 0, answer.octets, answer.n);
            acks.push_back(segment(true, port, ack, 0));
        }
    }
};

void tcp_decode_ack(benchmark::State &state)
{
    npdu s = segment(true, 32768, ack, 0);
    measure_calls(state, [&](int) {
        tcp decoded;
        benchmark::DoNotOptimize(tcp_decode(&decoded, s.octets + ip_octets, tcp_octets));
        benchmark::DoNotOptimize(decoded);
    });
}

void window_down_data(benchmark::State &state)
{
    flows f(1);
    npdu s = segment(false, 32768, ack, 536);
    measure_calls(state, [&](int) {
        window_down(&f.w, 0, s.octets, s.n);
        benchmark::ClobberMemory();
    });
}

void window_up_ack(benchmark::State &state)
{
    flows f(uint32_t(state.range(0)));
    measure_calls(state, [&](int i) {
        npdu &s = f.acks[size_t(i) % f.acks.size()];
        window_ack found;
        put_be16(s.octets + ip_octets + 14, 0xffff);
        if (window_up(&f.w, 0, s.octets, s.n, &found))
            window_lower(&f.w, &found, 20000);
    });
    if (f.stats.window_lowered == 0 || f.stats.window_enough + f.stats.window_unseen > 0)
        report_fault(state, "not each window was lowered");
}

BENCHMARK(tcp_decode_ack)->Apply(packet_benchmark);
BENCHMARK(window_down_data)->Apply(packet_benchmark);
BENCHMARK(window_up_ack)->ArgName("flows")->Arg(1)->Arg(16)->Apply(packet_benchmark);

} // namespace

int main(int argc, char **argv)
{
    return benchmarks_begin(argc, argv) ? benchmarks_run() : 1;
}
