// What is measured, one file a question: the worker alone (saturated.c), with a backlog (backlog.c)
// during queries for the state of MSs (view.c) or while its frames are captured (mirrored.c), its
// stages (stages.c), the highest rate without loss (search.c) and the latency there (latency.c),
// the baselines of the same run (baseline.c). Cycles are those of the TSC.
#ifndef SLUICE_BENCH_THROUGHPUT_MEASURE_H
#define SLUICE_BENCH_THROUGHPUT_MEASURE_H

#include "bench/throughput/generator.h"
#include "dataplane/stats/stages.h"

struct spread {
    double least, median, most;
};
struct spread spread_of(double *values, uint32_t n); // sorts them

// On a terminal: what goes on, on one line; NULL ends it.
void measure_progress(const char *what);

// ---- The worker alone: in turns with the generator in one thread, and only it is timed ----

struct saturated {
    struct spread cycles; // a packet
    uint64_t packets;
    const char *fault; // NULL: none
};
struct saturated saturated_run(struct generator *g);

// A round: packets are put into the port, the worker is called, what came out is taken. The cycles
// that the worker took, and how many packets it has finished; `stages` as dp_stages, or NULL.
uint64_t saturated_round(struct generator *g, struct stages *stages, uint64_t *packets);

// The cost of reading the state of the MSs (dataplane/view/view.h), by the page.
struct view_cost {
    double page_cycles;  // on top of the rounds that it is felt in
    double round_cycles; // of a round without
    double pass_pages;   // for all MSs
    uint64_t pages;      // that were asked for
};
struct view_cost view_run(struct generator *g);
// Of the worker's time, if all MSs are looked at that often.
double view_percent(const struct view_cost *cost, double each_s);

// Copies all frames of worker 0 from its next poll on (dataplane/mirror/mirror.h), for a thread
// that takes them; false: no memory. What was copied, and missed since the thread was behind.
struct mirrored {
    uint64_t copied, missed, octets;
};
bool mirrored_begin(struct generator *g);
struct mirrored mirrored_end(void);

// Workers 0 to n - 1 at once, each on the lcore of its number.
void saturated_run_all(struct generator **g, uint32_t n, struct saturated *of);

// Queues a packet or two for each MS that is to have a backlog, and lets the clock go on until the
// scheduler has come to its pace.
void backlog_begin(struct generator *g);
// Sends the next packets of MSs that are due; returns the time of the next round, by the traffic's
// clock.
uint64_t backlog_round(struct generator *g);
// What waits in the port goes in, so that all buffers are the worker's, which gives them back.
void backlog_end(struct generator *g);

struct stages_cycles {
    double of[STAGE_COUNT]; // a packet, without the clock's own
    double sum;
};
struct stages_cycles stages_run(struct generator *g);

// ---- Generator and worker side by side ----

struct trial {
    double offered_pps;
    uint64_t offered, lost;
    bool behind;       // the generator did not reach the rate that was asked for
    bool starved;      // a thread got no processor
    const char *fault; // NULL: none
};
struct trial trial_run(struct generator *g, double pps, double seconds, bool two_threads);

struct search {
    struct spread pps;
    uint64_t offered, lost; // of the best trial of each repeat, together
    uint32_t trials;
    bool behind; // the generator was the limit
    const char *fault;
};
struct search search_run(struct generator *g, double most_loss, bool two_threads);

#define LATENCY_LOADS 2
struct latency {
    uint32_t load_percent;
    double pps;
    uint64_t samples, lost;
    uint64_t p50_ns, p90_ns, p99_ns, p999_ns, most_ns;
};
// At 50 and 90 per cent of that rate. NULL, or what is wrong.
const char *latency_run(struct generator *g, double pps, bool two_threads,
                        struct latency of[LATENCY_LOADS]);

// ---- Baselines ----

struct baseline {
    double mbuf, forward; // cycles a packet
    double rte_sched;     // 0: not measured
    uint32_t rte_sched_pipes;
};
uint64_t baseline_octets(const struct bench_options *options); // memory, for the EAL
struct baseline baseline_run(const struct bench_options *options);

// The two that are not rte_sched, by bursts of OPTIONS_BURST: the cycles of one.
struct baseline_parts {
    struct rte_mempool *pool;
    struct rte_ring *ring[2];
};
bool baseline_open(struct baseline_parts *parts); // false: too little memory
void baseline_close(struct baseline_parts *parts);
uint64_t baseline_mbuf(struct baseline_parts *parts);
uint64_t baseline_forward(struct baseline_parts *parts);

#endif
