// Our scheduler under the traffic of traffic.h: one NSE whose pipe has no CIR, cells of 1000 MSs
// that do not limit, MSs and PFCs with values of their own, of which the MS's limit. A PFC may send
// twice what its MS may. AQM signals are marks (every N-PDU is ECT), so that the AQM does all it
// would and the backlog stays. With `flows`, the N-PDUs of a queue are of so many flows in turn,
// each with a queue and an AQM of its own, as in config/recommended.lua.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#include "bench/dataplane/sched/traffic.h"
#include "dataplane/sched/sched.h"

#define BENCH_INLINE   inline __attribute__((always_inline))
#define MSS_A_CELL     1000u
#define FLOW_QUEUES    16
#define FLOW_QUANTUM   300
#define PACE           (TRAFFIC_BURST - 4)
#define PREFETCH_AHEAD 32u
#define TURN_NS        1073741824ULL // of the wheel
#define WARM_UP_NS     (TURN_NS + TURN_NS / 4)
#define TELL_NS        500000000ULL // a packet may be a wheel's slot late: 1 in 8000

struct tree_bench {
    struct subject subject;
    struct sched *sched;
    void *memory;
    uint64_t memory_octets;
    struct traffic_delay delay;
    uint64_t bit_per_s;
    uint64_t rounds, now_ns; // since the first round
    uint64_t sent_octets, since_ns;
    uint64_t dropped, refused;
    uint32_t mss, pfcs_an_ms;
    uint32_t flows; // of a queue
    uint32_t npdus; // put
};

// Time goes at the pace of all rates together: by PACE of the LLC PDUs that a round may take. A
// scheduler under exactly its load would never catch up.
static void advance(struct tree_bench *b)
{
    unsigned __int128 bits = (unsigned __int128)++b->rounds * PACE * TRAFFIC_PDU_OCTETS * 8;
    b->now_ns = (uint64_t)(bits * 1000000000u / b->bit_per_s);
}

// Of the N-PDU that is the number-th of all. The functions below are compiled with and without
// flows, so that what has none does not pay for their hashes.
static BENCH_INLINE uint32_t flow_hash(const struct tree_bench *b, uint32_t queue, uint32_t number,
                                       bool flows)
{
    if (!flows)
        return 0;
    return (queue * TRAFFIC_FLOWS_MAX + number % b->flows) * 2654435761u; // Knuth's
}

static BENCH_INLINE void put(struct tree_bench *b, uint32_t queue, bool flows)
{
    // Written whole, here or before: a copy of parts just written would have to wait for them.
    static const struct pdu usual = {.octets = TRAFFIC_NPDU_OCTETS, .ect = 1};
    const struct pdu *pdu = &usual;
    struct pdu of_flow;
    if (flows) {
        of_flow = usual;
        of_flow.flow_hash = flow_hash(b, queue, b->npdus++, true);
        pdu = &of_flow;
    }
    enum drop_reason reason =
        sched_put(b->sched, queue / SCHED_SLOTS, queue % SCHED_SLOTS, pdu, b->now_ns);
    b->refused += reason != DROP_NONE;
}

// Lines are asked for some packets ahead; what lies behind those, half as many.
static BENCH_INLINE void put_each(struct tree_bench *b, const uint32_t *queue, uint32_t n,
                                  bool flows)
{
    uint32_t first = b->npdus;
    for (uint32_t i = 0; i < n + PREFETCH_AHEAD; i++) {
        uint32_t lines = i, tail = i - PREFETCH_AHEAD / 2, now = i - PREFETCH_AHEAD;
        if (lines < n)
            sched_prefetch(b->sched, queue[lines] / SCHED_SLOTS, queue[lines] % SCHED_SLOTS);
        if (flows && lines < n)
            sched_prefetch_flow(b->sched, queue[lines] / SCHED_SLOTS, queue[lines] % SCHED_SLOTS,
                                flow_hash(b, queue[lines], first + lines, true));
        if (tail < n)
            sched_prefetch_tail(b->sched, queue[tail] / SCHED_SLOTS, queue[tail] % SCHED_SLOTS,
                                flow_hash(b, queue[tail], first + tail, flows));
        if (now < n)
            put(b, queue[now], flows);
    }
}

static void put_all(struct tree_bench *b, const uint32_t *queue, uint32_t n)
{
    if (b->flows)
        put_each(b, queue, n, true);
    else
        put_each(b, queue, n, false);
}

// The queues that something comes for; returns how many.
static uint32_t arrivals(struct tree_bench *b, const struct sched_grant *g, uint32_t n,
                         uint32_t *queue)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        b->sent_octets += g[i].octets + TRAFFIC_HEADER_OCTETS;
        queue[kept] = g[i].ms * SCHED_SLOTS + g[i].slot;
        kept += traffic_delay_swap(&b->delay, &queue[kept]);
    }
    return kept;
}

static uint64_t take_and_put(struct tree_bench *b, uint32_t *packets)
{
    struct sched_grant grants[TRAFFIC_BURST];
    const struct sched_drop *drops;
    uint32_t queue[TRAFFIC_BURST];
    uint64_t start = __rdtsc();
    *packets = sched_take(b->sched, grants, TRAFFIC_BURST, b->now_ns);
    b->dropped += sched_dropped(b->sched, &drops);
    uint64_t cycles = __rdtsc() - start;
    uint32_t n = arrivals(b, grants, *packets, queue);
    start = __rdtsc();
    put_all(b, queue, n);
    return cycles + __rdtsc() - start;
}

static uint64_t round_once(struct subject *subject, uint32_t *packets)
{
    struct tree_bench *b = (struct tree_bench *)subject;
    advance(b);
    return take_and_put(b, packets);
}

static double delivered(const struct subject *subject)
{
    const struct tree_bench *b = (const struct tree_bench *)subject;
    uint64_t ns = b->now_ns - b->since_ns;
    return ns < TELL_NS ? 0 : (double)b->sent_octets / ((double)b->bit_per_s / 8e9 * (double)ns);
}

static const char *fault(const struct subject *subject)
{
    const struct tree_bench *b = (const struct tree_bench *)subject;
    if (b->dropped)
        return "N-PDUs were dropped";
    return b->refused ? "N-PDUs were refused" : NULL;
}

static void release(struct subject *subject)
{
    struct tree_bench *b = (struct tree_bench *)subject;
    traffic_pages_release(b->memory, b->memory_octets);
    traffic_delay_release(&b->delay);
    free(b);
}

static void must(int err)
{
    if (err == 0)
        return;
    fprintf(stderr, "sched_bench: %s\n", sched_err_text(err));
    exit(1);
}

static void set_param(const struct aqm_ops *ops, uint64_t *params, const char *name, uint64_t value)
{
    for (uint32_t i = 0; i < ops->param_count; i++)
        if (strcmp(ops->params[i].name, name) == 0)
            params[i] = value;
}

static struct aqm aqm_for(const char *name)
{
    const struct aqm_ops *ops = aqm_of_name(name);
    uint64_t params[AQM_PARAMS_MAX];
    struct aqm aqm;
    aqm_standard_params(ops, params);
    set_param(ops, params, "ecn", 1);
    if (strcmp(name, "red") == 0) { // so that its average lies between them
        set_param(ops, params, "min", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 1));
        set_param(ops, params, "max", AQM_LEVEL_OF(AQM_LEVEL_PDUS, 4));
    }
    const char *wrong = aqm_setup(&aqm, ops, params);
    if (wrong) {
        fprintf(stderr, "sched_bench: %s: %s\n", name, wrong);
        exit(1);
    }
    return aqm;
}

// Full, what is queued is all that the limits hold, so that it is known all the time who has most
// (S11); else two thirds of it.
static struct sched_config config_for(uint32_t mss, uint32_t pfcs_an_ms, const char *aqm_name,
                                      bool full, uint32_t flows)
{
    uint32_t npdus = mss * pfcs_an_ms * TRAFFIC_NPDUS_A_QUEUE;
    npdus = full ? npdus : npdus / 2 * 3;
    struct sched_limit all = {npdus, (uint64_t)npdus * TRAFFIC_NPDU_OCTETS};
    struct sched_config config = {
        .nses = 1,
        .bvcs = (mss + MSS_A_CELL - 1) / MSS_A_CELL,
        .mss = mss,
        .pfcs_an_ms = pfcs_an_ms,
        .flows_a_pfc = flows ? FLOW_QUEUES : 0,
        .flow_quantum_octets = FLOW_QUANTUM,
        .limit = all,
        .bvc_limit = all,
        .ms_limit = all,
        .first_header_octets = TRAFFIC_HEADER_OCTETS,
        .next_header_octets = TRAFFIC_HEADER_OCTETS - 1,
        .llc_octets = 6,
        .pdu_octets_max = 1526,
        .coarse = true,
        .seed = 1,
    };
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        config.of_class[class] =
            (struct sched_class){.weight = 1 + class,
                                 .limit = all,
                                 .lifetime_ns = 60000000000ULL,
                                 .bss_least_ns = 1000000000ULL,
                                 .bss_most_ns = 10000000000ULL,
                                 .scope = flows ? SCHED_SCOPE_FLOW : SCHED_SCOPE_PFC,
                                 .flow_queues = flows > 0,
                                 .aqm = aqm_for(aqm_name)};
    return config;
}

// Levels of any height, so that MSs of one rate are not in step.
static void add_pfcs(struct tree_bench *b, uint32_t ms, uint32_t rate, struct rng *rng)
{
    for (uint32_t slot = 0; slot < b->pfcs_an_ms; slot++) {
        enum traffic_class class = 1 + traffic_class_of(ms * b->pfcs_an_ms + slot);
        must(sched_pfc_add(b->sched, ms, slot, class));
        must(sched_pfc_set(b->sched, ms, slot,
                           (struct bucket_terms){2 * rate, TRAFFIC_BUCKET_OCTETS}, 0));
    }
    uint64_t level = rng_below(rng, TRAFFIC_BUCKET_OCTETS * BUCKET_UNITS_AN_OCTET);
    must(sched_ms_level(b->sched, ms, level, 0));
}

static void add_all(struct tree_bench *b, uint32_t cells)
{
    struct bucket_terms unlimited = {BUCKET_UNLIMITED, 0};
    struct bucket_terms wide = {BUCKET_RATE_MAX / 2, 6000000};
    struct rng rng;
    rng_seed(&rng, 1, 0);
    must(sched_nse_add(b->sched, 0, unlimited, 0));
    for (uint32_t cell = 0; cell < cells; cell++) {
        must(sched_bvc_add(b->sched, cell, 0, 0));
        must(sched_bvc_set(b->sched, cell, wide, (struct bucket_terms){1000, 10000}, 0));
    }
    for (uint32_t ms = 0; ms < b->mss; ms++) {
        uint32_t rate = traffic_rate_bit_per_s(traffic_rate_of(ms)) / BUCKET_RATE_BIT_PER_S;
        must(sched_ms_add(b->sched, ms, ms / MSS_A_CELL, 1520, 0));
        must(sched_ms_set(b->sched, ms, (struct bucket_terms){rate, TRAFFIC_BUCKET_OCTETS}, 0));
        add_pfcs(b, ms, rate, &rng);
    }
}

static void fill(struct tree_bench *b)
{
    uint32_t queues = b->mss * b->pfcs_an_ms;
    uint32_t *order = traffic_random_order(queues);
    for (uint32_t i = 0; i < queues; i++)
        order[i] = order[i] / b->pfcs_an_ms * SCHED_SLOTS + order[i] % b->pfcs_an_ms;
    for (uint32_t n = 0; n < TRAFFIC_NPDUS_A_QUEUE; n++)
        put_all(b, order, queues);
    free(order);
}

// First all that conforms at once, then more than a turn of the wheel.
static void warm_up(struct tree_bench *b)
{
    uint32_t packets;
    do
        take_and_put(b, &packets);
    while (packets);
    while (b->now_ns < WARM_UP_NS)
        round_once(&b->subject, &packets);
    b->since_ns = b->now_ns;
    b->sent_octets = 0;
}

struct subject *tree_subject(uint32_t mss, uint32_t pfcs_an_ms, const char *aqm_name, bool full,
                             uint32_t flows)
{
    struct tree_bench *b = calloc(1, sizeof *b);
    struct sched_config config = config_for(mss, pfcs_an_ms, aqm_name, full, flows);
    b->subject = (struct subject){round_once, delivered, fault, release};
    b->mss = mss;
    b->pfcs_an_ms = pfcs_an_ms;
    b->flows = flows;
    b->bit_per_s = traffic_total_bit_per_s(mss);
    b->memory_octets = sched_octets(&config);
    b->memory = traffic_pages(b->memory_octets);
    traffic_delay_setup(&b->delay, mss * pfcs_an_ms);
    must(sched_setup(&b->sched, &config, b->memory));
    add_all(b, config.bvcs);
    fill(b);
    warm_up(b);
    return &b->subject;
}
