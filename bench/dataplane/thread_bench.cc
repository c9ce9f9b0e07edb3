// The thread's speed: TSC cycles a packet from a frame in the Gn ring to its LLC PDU in the Gb
// ring, with buckets at PFC, MS and cell and COBALT with ECN, beside what no path can do without:
// an mbuf's alloc and free, and a forward from ring to ring that touches the header. Filling the Gn
// ring and emptying the Gb ring is not in the figure. Bursts go straight through, so no queue
// builds up; what a backlog costs is in bench/dataplane/sched. With GEA4 every MS has a key of its
// own, and `waiting` frames are in the Gn ring at a time: the more, the more are enciphered at
// once.
#include "bench/tsc.h"

extern "C" {
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>

#include "control/eal.h"
#include "dataplane/aqm/aqm.h"
#include "dataplane/dataplane.h"
#include "dataplane/port/port.h"
}

#include <cstdio>
#include <cstring>
#include <random>

namespace
{

constexpr uint32_t burst = 64;
constexpr uint32_t waiting_max = 512;
constexpr uint32_t mss_max = 1000000;
constexpr uint32_t gn_headers = 50; // Ethernet, IPv4, UDP, GTP-U

// COBALT with ECN, and limits that nothing meets.
dp_class class_for(uint32_t packets)
{
    dp_class c{};
    c.weight = 1;
    c.packets = packets;
    c.octets = 1u << 31;
    c.lifetime_ns = 10000000000;
    c.bss_least_ns = 1000000000;
    c.scope = SCHED_SCOPE_PFC;
    while (aqm_list[c.aqm] != &aqm_cobalt)
        c.aqm++;
    uint64_t params[AQM_PARAMS_MAX];
    aqm_standard_params(&aqm_cobalt, params);
    c.aqm_params.n = aqm_cobalt.param_count;
    for (uint32_t i = 0; i < aqm_cobalt.param_count; i++) {
        bool ecn = strcmp(aqm_cobalt.params[i].name, "ecn") == 0;
        c.aqm_params.item[i] = {uint8_t(aqm_level_unit(params[i])),
                                ecn ? 1 : aqm_level_value(params[i])};
    }
    return c;
}

// MSs in one cell.
constexpr uint32_t mss_a_cell = 400;

dp_config config_for(uint32_t mss)
{
    dp_config c{};
    c.nses = 1;
    c.bvcs = (mss + mss_a_cell - 1) / mss_a_cell;
    c.mss = c.pdps = mss;
    c.pfcs_an_ms = 1;
    c.flow_quantum_octets = 300;
    c.queue_packets = c.bvc_packets = c.ms_packets = 1024;
    c.queue_octets = c.bvc_octets = c.ms_octets = 16 << 20;
    c.classes.n = CLASS_COUNT;
    for (dp_class &one : c.classes.item)
        one = class_for(1024);
    c.gn_ring_frames = c.gb_ring_frames = 1024;
    c.gn_address = 0xc0000201;
    c.gn_mac = {{2, 0, 0, 0, 0, 1}};
    c.gn_mtu_octets = c.gb_mtu_octets = 1600;
    c.gb_address = 0xc6336401;
    c.gb_port = 23000;
    return c;
}

// A GTP-U frame octet by octet; the TEID is written per packet.
void put_gn_frame(uint8_t *b, uint32_t octets)
{
    auto put16 = [](uint8_t *at, uint32_t v) {
        at[0] = uint8_t(v >> 8);
        at[1] = uint8_t(v);
    };
    static const uint8_t headers[gn_headers] = {
        2, 0,  0, 0, 0,   1, 2, 0, 0,   0, 0, 7, 8,    0,    0x45, 0,    0, 0, 0, 0, 0,    0,
        9, 17, 0, 0, 192, 0, 2, 2, 192, 0, 2, 1, 0x08, 0x68, 0x08, 0x68, 0, 0, 0, 0, 0x30, 255};
    memcpy(b, headers, gn_headers);
    put16(b + 16, 36 + octets);
    uint32_t sum = 0;
    for (int i = 14; i < 34; i += 2)
        sum += uint32_t(b[i]) << 8 | b[i + 1];
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    put16(b + 24, ~sum & 0xffff);
    put16(b + 38, 16 + octets);
    put16(b + 44, octets);
    for (uint32_t i = 0; i < octets; i++)
        b[gn_headers + i] = uint8_t(i * 7);
}

class Thread
{
  public:
    Thread(uint32_t mss, uint32_t octets, uint16_t n201_u, uint32_t waiting, bool gea4)
        : frame_octets_(gn_headers + octets), waiting_(waiting), gea4_(gea4), random_(1), teid_(mss)
    {
        dp_config c = config_for(mss);
        const char *why;
        dp_ = dp_create(&c, &why);
        if (!dp_) {
            fprintf(stderr, "thread_bench: %u MSs: %s\n", mss, why);
            exit(1);
        }
        worker_ = dp_worker(dp_);
        put_gn_frame(frame_, octets);
        open_cells(c.bvcs);
        for (uint32_t id = 0; id < mss; id++)
            add_ms(id, n201_u);
    }

    ~Thread()
    {
        if (dp_destroy(dp_) != 0)
            fprintf(stderr, "thread_bench: buffers were lost\n");
    }

    // What waits goes through the path; the cycles that the path took.
    uint64_t round()
    {
        fill();
        now_ns_ += 10000;
        uint64_t start = __rdtsc();
        while (dp_poll(worker_, now_ns_) == now_ns_)
            ;
        uint64_t cycles = __rdtsc() - start;
        empty();
        return cycles;
    }

    bool sound() const
    {
        struct stats_balance b = stats_balance(dp_stats(worker_));
        return dp_balanced(worker_) && b.packets.dropped == 0;
    }

  private:
    void command(const struct command &c)
    {
        int64_t result = dp_command(dp_, &c);
        if (c.op == COMMAND_pdp)
            teid_[c.pdp.pdp_id] = __builtin_bswap32(uint32_t(result));
        while (dp_poll(worker_, now_ns_) == now_ns_)
            ;
    }

    // Every level has a bucket that is tested and charged and refuses nothing.
    template <typename T> static void put_bucket(T &c, uint32_t rate_100_bit_per_s)
    {
        c.has_rate_100_bit_per_s = true;
        c.rate_100_bit_per_s = rate_100_bit_per_s;
        c.bucket_octets = 4000000000;
    }

    void open_cells(uint32_t cells)
    {
        struct command c {
        };
        c.op = COMMAND_nse;
        c.nse.peer_port = 23000;
        command(c);
        for (uint32_t id = 0; id < cells; id++) {
            c = {};
            c.op = COMMAND_bvc;
            c.bvc.bvc_id = id;
            c.bvc.bvci = 2;
            command(c);
            c = {};
            c.op = COMMAND_bvc_flow;
            c.bvc_flow.bvc_id = id;
            put_bucket(c.bvc_flow, BUCKET_RATE_MAX);
            c.bvc_flow.has_ms_rate_100_bit_per_s = true;
            c.bvc_flow.ms_rate_100_bit_per_s = BUCKET_RATE_MAX;
            c.bvc_flow.ms_bucket_octets = 4000000000;
            command(c);
        }
    }

    void add_ms(uint32_t id, uint16_t n201_u)
    {
        struct command c {
        };
        c.op = COMMAND_ms;
        c.ms.ms_id = id;
        c.ms.bvc_id = id / mss_a_cell;
        c.ms.tlli = 0xc0000000 + id;
        c.ms.n201_u = n201_u;
        command(c);
        if (gea4_)
            add_key(id);
        c = {};
        c.op = COMMAND_pfc;
        c.pfc.ms_id = id;
        c.pfc.traffic_class = CLASS_BACKGROUND;
        command(c);
        c = {};
        c.op = COMMAND_pfc_flow;
        c.pfc_flow.ms_id = id;
        put_bucket(c.pfc_flow, BUCKET_RATE_MAX);
        command(c);
        c = {};
        c.op = COMMAND_pdp;
        c.pdp.pdp_id = c.pdp.ms_id = id;
        c.pdp.nsapi = 5;
        c.pdp.sapi = 3;
        command(c);
    }

    void add_key(uint32_t id)
    {
        uint8_t kc[16] = {};
        memcpy(kc, &id, sizeof id);
        struct command c {
        };
        c.op = COMMAND_ms_cipher;
        c.ms_cipher.ms_id = id;
        c.ms_cipher.gea = 4;
        c.ms_cipher.key = {kc, sizeof kc};
        command(c);
    }

    void fill()
    {
        dp_far_end gn = dp_gn_far_end(dp_);
        rte_mbuf *m[waiting_max];
        if (rte_pktmbuf_alloc_bulk(gn.pool, m, waiting_) != 0)
            abort();
        for (uint32_t i = 0; i < waiting_; i++) {
            auto *b = reinterpret_cast<uint8_t *>(rte_pktmbuf_append(m[i], frame_octets_));
            memcpy(b, frame_, frame_octets_);
            memcpy(b + 46, &teid_[random_() % teid_.size()], 4);
        }
        rte_ring_enqueue_bulk(gn.to_port, reinterpret_cast<void **>(m), waiting_, nullptr);
    }

    void empty()
    {
        dp_far_end gb = dp_gb_far_end(dp_);
        rte_mbuf *m[burst];
        unsigned n;
        while ((n = rte_ring_dequeue_burst(gb.from_port, reinterpret_cast<void **>(m), burst,
                                           nullptr)) > 0)
            rte_pktmbuf_free_bulk(m, n);
    }

    dp *dp_;
    struct dp_worker *worker_;
    uint8_t frame_[2048];
    uint16_t frame_octets_;
    uint32_t waiting_;
    bool gea4_;
    uint64_t now_ns_ = 1;
    std::minstd_rand random_;
    std::vector<uint32_t> teid_; // in network order
};

void run_thread(benchmark::State &state, uint16_t n201_u, uint32_t waiting, bool gea4)
{
    Thread thread(uint32_t(state.range(0)), uint32_t(state.range(1)), n201_u, waiting, gea4);
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t took = thread.round();
        cycles += took;
        packets += waiting;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
    if (!thread.sound())
        state.SkipWithError("packets were dropped or not accounted for");
}

void thread_path(benchmark::State &state)
{
    run_thread(state, uint16_t(state.range(2)), burst, false);
}

void thread_path_gea4(benchmark::State &state)
{
    run_thread(state, 1520, uint32_t(state.range(2)), true);
}

// The same waiting in plaintext.
void thread_path_clear(benchmark::State &state)
{
    run_thread(state, 1520, uint32_t(state.range(2)), false);
}

rte_mempool *baseline_pool()
{
    static rte_mempool *pool = port_pool("baseline", 8191, 1600);
    if (!pool)
        abort();
    return pool;
}

void mbuf_alloc_free(benchmark::State &state)
{
    rte_mempool *pool = baseline_pool();
    rte_mbuf *m[burst];
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        uint64_t start = __rdtsc();
        if (rte_pktmbuf_alloc_bulk(pool, m, burst) != 0)
            abort();
        rte_pktmbuf_free_bulk(m, burst);
        uint64_t took = __rdtsc() - start;
        cycles += took;
        packets += burst;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
}

// Out of one ring, a look at the header, into another: the least that a path over rings can cost.
void ring_forward(benchmark::State &state)
{
    rte_mempool *pool = baseline_pool();
    rte_ring *in = rte_ring_create("in", 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    rte_ring *out = rte_ring_create("out", 1024, SOCKET_ID_ANY, RING_F_SP_ENQ | RING_F_SC_DEQ);
    void *m[burst];
    uint64_t cycles = 0, packets = 0;
    for (auto _ : state) {
        rte_pktmbuf_alloc_bulk(pool, reinterpret_cast<rte_mbuf **>(m), burst);
        rte_ring_enqueue_bulk(in, m, burst, nullptr);
        uint64_t start = __rdtsc();
        unsigned n = rte_ring_dequeue_burst(in, m, burst, nullptr);
        for (unsigned i = 0; i < n; i++)
            rte_pktmbuf_mtod(static_cast<rte_mbuf *>(m[i]), uint8_t *)[0] ^= 1;
        rte_ring_enqueue_burst(out, m, n, nullptr);
        uint64_t took = __rdtsc() - start;
        n = rte_ring_dequeue_burst(out, m, burst, nullptr);
        rte_pktmbuf_free_bulk(reinterpret_cast<rte_mbuf **>(m), n);
        cycles += took;
        packets += burst;
        state.SetIterationTime(double(took) / tsc_hz());
    }
    count_packets(state, cycles, packets);
    rte_ring_free(in);
    rte_ring_free(out);
}

BENCHMARK(mbuf_alloc_free)->Apply(packet_benchmark);
BENCHMARK(ring_forward)->Apply(packet_benchmark);
BENCHMARK(thread_path)
    ->ArgNames({"ms", "octets", "n201_u"})
    ->ArgsProduct({{1000, 100000, mss_max}, {64, 576, 1400}, {1520}})
    ->Args({1000, 576, 500})
    ->Args({1000, 1400, 500})
    ->Apply(packet_benchmark);
BENCHMARK(thread_path_gea4)
    ->ArgNames({"ms", "octets", "waiting"})
    ->ArgsProduct({{1000, 100000}, {64, 576, 1400}, {burst, waiting_max}})
    ->Apply(packet_benchmark);
BENCHMARK(thread_path_clear)
    ->ArgNames({"ms", "octets", "waiting"})
    ->ArgsProduct({{1000, 100000}, {64, 576, 1400}, {waiting_max}})
    ->Apply(packet_benchmark);

} // namespace

int main(int argc, char **argv)
{
    char text[512];
    dp_config largest = config_for(mss_max);
    struct eal_plan plan = eal_plan(EAL_SYSFS, dp_memory_octets(&largest) + (32ULL << 20));
    eal_plan_text(&plan, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv) || eal_start(&plan, true) != 0)
        return 1;
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    eal_stop();
    return 0;
}
