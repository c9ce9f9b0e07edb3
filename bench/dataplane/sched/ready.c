// Many cells that are ready at once, on one pipe: what their order costs. A cell has one MS with
// one packet flow and three N-PDUs queued; what sends gets a new one, and nothing but the pipe
// limits. `pipe` says how: it has no CIR, a CIR that never refuses, or one that refuses in each
// round.
#include <stdio.h>
#include <stdlib.h>
#include <x86intrin.h>

#include "bench/dataplane/sched/traffic.h"
#include "dataplane/sched/sched.h"

#define PACE (TRAFFIC_BURST - 4)

struct ready_bench {
    struct subject subject;
    struct sched *sched;
    void *memory;
    uint64_t memory_octets, rounds, warm_rounds, now_ns, took, dropped, refused;
    uint32_t cells;
    enum ready_pipe pipe;
};

static uint64_t round_once(struct subject *subject, uint32_t *packets)
{
    struct ready_bench *b = (struct ready_bench *)subject;
    static const struct pdu pdu = {.octets = TRAFFIC_NPDU_OCTETS};
    struct sched_grant grants[TRAFFIC_BURST];
    const struct sched_drop *drops;
    // By PACE of the LLC PDUs that a round could take, at the rate of a full pipe.
    unsigned __int128 bits = (unsigned __int128)++b->rounds * PACE * TRAFFIC_PDU_OCTETS * 8;
    b->now_ns = (uint64_t)(bits * 1000000000u / (BUCKET_RATE_MAX * BUCKET_RATE_BIT_PER_S));
    uint64_t start = __rdtsc();
    *packets = sched_take(b->sched, grants, TRAFFIC_BURST, b->now_ns);
    for (uint32_t i = 0; i < *packets; i++)
        b->refused += sched_put(b->sched, grants[i].ms, 0, &pdu, b->now_ns) != DROP_NONE;
    uint64_t cycles = __rdtsc() - start;
    b->dropped += sched_dropped(b->sched, &drops);
    b->took += *packets;
    return cycles;
}

// Of what the rounds allow: no round has more than what is queued, which is 30 N-PDUs of ten cells.
static double delivered(const struct subject *subject)
{
    const struct ready_bench *b = (const struct ready_bench *)subject;
    uint32_t most = b->pipe == READY_PIPE_FULL ? PACE : TRAFFIC_BURST;
    uint32_t queued = b->cells * TRAFFIC_NPDUS_A_QUEUE;
    most = queued < most ? queued : most;
    return (double)b->took / ((double)(b->rounds - b->warm_rounds) * most);
}

static const char *fault(const struct subject *subject)
{
    const struct ready_bench *b = (const struct ready_bench *)subject;
    if (b->dropped)
        return "N-PDUs were dropped";
    return b->refused ? "N-PDUs were refused" : NULL;
}

static void release(struct subject *subject)
{
    struct ready_bench *b = (struct ready_bench *)subject;
    traffic_pages_release(b->memory, b->memory_octets);
    free(b);
}

static void must(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "sched_bench: %s\n", what);
    exit(1);
}

static struct sched_config config_for(uint32_t cells)
{
    uint32_t npdus = cells * TRAFFIC_NPDUS_A_QUEUE;
    struct sched_limit all = {npdus, (uint64_t)npdus * TRAFFIC_NPDU_OCTETS};
    struct sched_config config = {.nses = 1,
                                  .bvcs = cells,
                                  .mss = cells,
                                  .pfcs_an_ms = 1,
                                  .limit = all,
                                  .bvc_limit = all,
                                  .ms_limit = all,
                                  .first_header_octets = TRAFFIC_HEADER_OCTETS,
                                  .next_header_octets = TRAFFIC_HEADER_OCTETS - 1,
                                  .llc_octets = 6,
                                  .pdu_octets_max = 1526,
                                  .coarse = true};
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        struct sched_class *k = &config.of_class[class];
        *k = (struct sched_class){.weight = 1 + class,
                                  .limit = all,
                                  .lifetime_ns = SCHED_INFINITE,
                                  .bss_most_ns = SCHED_INFINITE,
                                  .scope = SCHED_SCOPE_PFC};
        must(!aqm_setup(&k->aqm, &aqm_tail_drop, NULL), "tail drop");
    }
    return config;
}

static bool add_cell(struct sched *s, uint32_t cell)
{
    const struct bucket_terms none = {BUCKET_UNLIMITED, 0};
    enum traffic_class class = 1 + traffic_class_of(cell);
    return !sched_bvc_add(s, cell, 0, 0) && !sched_bvc_set(s, cell, none, none, 0) &&
           !sched_ms_add(s, cell, cell, 1520, 0) && !sched_pfc_add(s, cell, 0, class);
}

// None; one so deep that nothing ever fills it; a tenth of a second, which the clock of round_once
// keeps full.
static struct bucket_terms cir_of(enum ready_pipe pipe)
{
    static const struct bucket_terms terms[] = {
        [READY_PIPE_NO_CIR] = {BUCKET_UNLIMITED, 0},
        [READY_PIPE_ROOMY] = {BUCKET_RATE_MAX, UINT32_MAX},
        [READY_PIPE_FULL] = {BUCKET_RATE_MAX, BUCKET_RATE_MAX / 8 / 10},
    };
    return terms[pipe];
}

struct subject *ready_subject(uint32_t cells, enum ready_pipe pipe)
{
    struct ready_bench *b = calloc(1, sizeof *b);
    struct sched_config config = config_for(cells);
    const struct pdu pdu = {.octets = TRAFFIC_NPDU_OCTETS};
    b->subject = (struct subject){round_once, delivered, fault, release};
    b->cells = cells;
    b->pipe = pipe;
    b->memory_octets = sched_octets(&config);
    b->memory = traffic_pages(b->memory_octets);
    must(!sched_setup(&b->sched, &config, b->memory), "sched_setup");
    must(!sched_nse_add(b->sched, 0, cir_of(pipe), 0), "the NSE");
    for (uint32_t i = 0; i < cells; i++)
        must(add_cell(b->sched, i), "a cell");
    for (uint32_t i = 0; i < TRAFFIC_NPDUS_A_QUEUE * cells; i++)
        must(sched_put(b->sched, i % cells, 0, &pdu, 0) == DROP_NONE, "an N-PDU");
    for (uint32_t n, i = 0; i < cells / 4 + 1000; i++) // some 15 PDUs of each, or more
        round_once(&b->subject, &n);
    b->warm_rounds = b->rounds;
    b->took = 0;
    return &b->subject;
}
