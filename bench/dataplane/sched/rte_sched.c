// The baseline: DPDK's rte_sched with rte_red, a pipe for each MS, the traffic of traffic.h. What
// could be chosen was chosen in its favour: one subport (more are slower), queues of 8, mbufs still
// warm from their last way when they are enqueued, and rounds that found fewer packets than asked
// for, because no other pipe conformed, are not counted.
//
// Its clock: it counts octets on the wire, and takes the TSC only as a lower bound. The port's rate
// is the sum of its pipes' rates, so what it sends moves its clock at the pace of the traffic, as
// the time of our own scheduler is moved. Where nothing conforms, a packet in a pipe of its own
// stands for a pause of JUMP_MS or less. All rates are a hundredth and all periods a hundredfold:
// the same in octets, but the TSC's bound stays far behind.
//
// What it under-delivers comes from its credits of a class, at most the pipe's rate, which are set,
// not added, at the end of a period: what does not fill a packet by then is lost.
#include <rte_mbuf.h>
#include <rte_sched.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "bench/dataplane/sched/traffic.h"

#define SLOW          100
#define JUMP_MS       32u // the time that a pipe of the mean rate takes for a packet
#define LONG_MS       100000u
#define QUEUE_PACKETS 8
#define CLOCK_CLASS   0
#define CLOCK_PROFILE TRAFFIC_RATES
#define LARGE         (1u << 31)

struct rte_sched_bench {
    struct subject subject;
    struct rte_sched_port *port;
    struct rte_mbuf *mbufs;
    struct rte_mbuf *clock;
    struct traffic_delay delay;
    uint64_t mbuf_octets, octets_per_s, jump_octets;
    uint64_t sent, jumps, lost;
    uint64_t period_octets, period_end_octets;
    double delivered; // until the last end of a period
    uint32_t mss;     // pipes but the last, which is the clock's
    bool clock_queued;
};

static void address(struct rte_sched_bench *b, struct rte_mbuf *m, uint32_t pipe, uint32_t class)
{
    rte_sched_port_pkt_write(b->port, m, 0, pipe, class, 0, RTE_COLOR_GREEN);
}

static void enqueue_one(struct rte_sched_bench *b, struct rte_mbuf *m)
{
    b->lost += rte_sched_port_enqueue(b->port, &m, 1) != 1;
}

static void pause_clock(struct rte_sched_bench *b)
{
    if (b->clock_queued)
        return;
    enqueue_one(b, b->clock);
    b->clock_queued = true;
}

// What came out becomes what goes in; returns how many.
static uint32_t arrivals(struct rte_sched_bench *b, struct rte_mbuf **m, uint32_t n)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ms = m[i]->hash.sched.queue_id / RTE_SCHED_QUEUES_PER_PIPE;
        if (m[i] == b->clock) {
            b->clock_queued = false;
            b->jumps++;
            continue;
        }
        b->sent++;
        if (!traffic_delay_swap(&b->delay, &ms))
            continue; // only at the beginning: this mbuf is not needed again
        address(b, m[i], ms, 1 + traffic_class_of(ms));
        m[kept++] = m[i];
    }
    return kept;
}

static uint64_t octets_of_time(const struct rte_sched_bench *b)
{
    return b->sent * TRAFFIC_PDU_OCTETS + b->jumps * b->jump_octets;
}

// Credits are renewed once a period, so only whole periods tell.
static void look_at_period(struct rte_sched_bench *b)
{
    uint64_t octets = octets_of_time(b);
    if (octets < b->period_end_octets)
        return;
    b->period_end_octets += b->period_octets;
    b->delivered = (double)(b->sent * TRAFFIC_PDU_OCTETS) / (double)octets;
}

static uint64_t round_once(struct subject *subject, uint32_t *packets)
{
    struct rte_sched_bench *b = (struct rte_sched_bench *)subject;
    struct rte_mbuf *m[TRAFFIC_BURST];
    uint64_t start = __rdtsc();
    uint32_t n = (uint32_t)rte_sched_port_dequeue(b->port, m, TRAFFIC_BURST);
    uint64_t cycles = __rdtsc() - start;
    uint32_t kept = arrivals(b, m, n);
    start = __rdtsc();
    uint32_t taken = (uint32_t)rte_sched_port_enqueue(b->port, m, kept);
    cycles += __rdtsc() - start;
    b->lost += kept - taken;
    if (n < TRAFFIC_BURST)
        pause_clock(b);
    look_at_period(b);
    *packets = n == TRAFFIC_BURST ? n : 0;
    return *packets ? cycles : 0;
}

static double delivered(const struct subject *subject)
{
    return ((const struct rte_sched_bench *)subject)->delivered;
}

static const char *fault(const struct subject *subject)
{
    return ((const struct rte_sched_bench *)subject)->lost ? "packets were lost" : NULL;
}

static void release(struct subject *subject)
{
    struct rte_sched_bench *b = (struct rte_sched_bench *)subject;
    rte_sched_port_free(b->port);
    traffic_pages_release(b->mbufs, b->mbuf_octets);
    traffic_delay_release(&b->delay);
    free(b);
}

static void port_setup(struct rte_sched_bench *b)
{
    struct rte_sched_subport_profile_params whole = {
        .tb_rate = b->octets_per_s / SLOW, .tb_size = LARGE, .tc_period = LONG_MS * SLOW};
    for (uint32_t class = 0; class < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; class ++)
        whole.tc_rate[class] = whole.tb_rate;
    struct rte_sched_port_params port = {.name = "baseline",
                                         .rate = whole.tb_rate,
                                         .mtu = 1600,
                                         .frame_overhead = TRAFFIC_HEADER_OCTETS,
                                         .n_subports_per_port = 1,
                                         .subport_profiles = &whole,
                                         .n_subport_profiles = 1,
                                         .n_max_subport_profiles = 1,
                                         .n_pipes_per_subport = b->mss + 1};
    b->port = rte_sched_port_config(&port);
    if (!b->port)
        abort();
}

static struct rte_sched_pipe_params pipe_profile(uint64_t octets_per_s, uint32_t bucket_octets,
                                                 uint64_t tc_period_ms, const uint16_t *qsize)
{
    struct rte_sched_pipe_params p = {.tb_rate = octets_per_s / SLOW,
                                      .tb_size = bucket_octets,
                                      .tc_period = tc_period_ms * SLOW,
                                      .tc_ov_weight = 1,
                                      .wrr_weights = {1, 1, 1, 1}};
    for (uint32_t class = 0; class < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; class ++)
        p.tc_rate[class] = qsize[class] ? p.tb_rate : 0;
    return p;
}

static void pipes_setup(struct rte_sched_bench *b, uint32_t tc_period_ms)
{
    struct rte_sched_pipe_params profile[TRAFFIC_RATES + 1];
    struct rte_sched_cman_params red = {.cman_mode = RTE_SCHED_CMAN_RED};
    struct rte_sched_subport_params subport = {.n_pipes_per_subport_enabled = b->mss + 1,
                                               .pipe_profiles = profile,
                                               .n_pipe_profiles = TRAFFIC_RATES + 1,
                                               .n_max_pipe_profiles = TRAFFIC_RATES + 1,
                                               .cman_params = &red};
    for (uint32_t class = 0; class < RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE; class ++) {
        for (uint32_t color = 0; color < RTE_COLORS; color++)
            red.red_params[class][color] = (struct rte_red_params){4, 8, 10, 9};
        if (class <= TRAFFIC_CLASSES || class == RTE_SCHED_TRAFFIC_CLASS_BE)
            subport.qsize[class] = QUEUE_PACKETS;
    }
    for (uint32_t rate = 0; rate < TRAFFIC_RATES; rate++)
        profile[rate] = pipe_profile(traffic_rate_bit_per_s(rate) / 8, TRAFFIC_BUCKET_OCTETS,
                                     tc_period_ms, subport.qsize);
    profile[CLOCK_PROFILE] = pipe_profile(b->octets_per_s, LARGE, LONG_MS, subport.qsize);
    if (rte_sched_subport_config(b->port, 0, &subport, 0) != 0)
        abort();
    for (uint32_t ms = 0; ms < b->mss; ms++)
        rte_sched_pipe_config(b->port, 0, ms, (int32_t)traffic_rate_of(ms));
    rte_sched_pipe_config(b->port, 0, b->mss, CLOCK_PROFILE);
}

static void fill(struct rte_sched_bench *b)
{
    struct rte_mbuf *m = b->mbufs;
    uint32_t *order = traffic_random_order(b->mss);
    for (uint32_t n = 0; n < TRAFFIC_NPDUS_A_QUEUE; n++)
        for (uint32_t i = 0; i < b->mss; i++, m++) {
            m->pkt_len = TRAFFIC_NPDU_OCTETS;
            address(b, m, order[i], 1 + traffic_class_of(order[i]));
            enqueue_one(b, m);
        }
    free(order);
    b->clock = m;
    b->clock->pkt_len = (uint32_t)b->jump_octets - TRAFFIC_HEADER_OCTETS;
    address(b, b->clock, b->mss, CLOCK_CLASS);
}

// Two periods, and the time in which the slowest pipe has sent four packets.
static void warm_up(struct rte_sched_bench *b)
{
    uint32_t packets;
    while (octets_of_time(b) < 2 * b->octets_per_s + 2 * b->period_octets)
        round_once(&b->subject, &packets);
    b->sent = b->jumps = 0;
    b->period_end_octets = b->period_octets;
    b->delivered = 0;
}

struct subject *rte_sched_subject(uint32_t pipes, uint32_t tc_period_ms)
{
    struct rte_sched_bench *b = calloc(1, sizeof *b);
    b->subject = (struct subject){round_once, delivered, fault, release};
    b->mss = pipes - 1;
    b->octets_per_s = traffic_total_bit_per_s(b->mss) / 8;
    b->period_octets = b->octets_per_s * tc_period_ms / 1000;
    uint32_t jump_ms = tc_period_ms / 5 < JUMP_MS ? tc_period_ms / 5 : JUMP_MS;
    b->jump_octets = b->octets_per_s * jump_ms / 1000;
    b->mbuf_octets = ((uint64_t)b->mss * TRAFFIC_NPDUS_A_QUEUE + 1) * sizeof *b->mbufs;
    b->mbufs = traffic_pages(b->mbuf_octets);
    traffic_delay_setup(&b->delay, b->mss);
    port_setup(b);
    pipes_setup(b, tc_period_ms);
    fill(b);
    warm_up(b);
    return &b->subject;
}
