// What is measured, one file a question: the worker alone (saturated.c), with a backlog (backlog.c)
// during queries for the state of MSs (view.c) or while its frames are captured (mirrored.c), its
// stages (stages.c), a trial at a rate (trial.c), of which search.h makes the rates without loss,
// and the latency there (latency.c), the baselines of the same run (baseline.c). Cycles are those
// of the TSC.
#ifndef SLUICE_BENCH_THROUGHPUT_MEASURE_H
#define SLUICE_BENCH_THROUGHPUT_MEASURE_H

#include "bench/throughput/generator.h"
#include "dataplane/stats/stages.h"

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

// A trial at that rate, of this generator and the others behind it together; one in which a thread
// got no processor is made again. threads: each worker has one.
struct trial trial_run(struct generator *g, double pps, double seconds, bool threads);
// Once it is known what a packet takes: which turns of a trial are pauses.
void trial_pause(struct generator *g, double packet_cycles);
// What a flood lets through, in packets a second.
double trial_flood(struct generator *g, bool threads, const char **fault);
// What generator and ports do with a bare forwarder in Sluice's place: the packets a second that
// came back out of a flood, of the repeats. Before Sluice has received anything.
struct spread trial_limit(struct generator *g, bool threads);

// Loads, in per cent of the rate that was found.
#define LATENCY_LOADS(LOAD) LOAD(10) LOAD(50) LOAD(90) LOAD(100)
enum latency_load {
#define LOAD(percent) LATENCY_LOAD_##percent,
    LATENCY_LOADS(LOAD)
#undef LOAD
        LATENCY_LOAD_COUNT
};
struct latency {
    uint32_t load_percent;
    double pps, offered_pps; // as asked; as the generator did
    uint64_t lost;
    struct histogram of; // in ns
};
// At the load of that number, of the rate. NULL, or what is wrong.
const char *latency_run(struct generator *g, uint32_t load, double pps, bool threads,
                        struct latency *latency);
// A quantile; 0 where it would be one of the ten longest samples or fewer: that is chance.
uint64_t latency_quantile(const struct latency *latency, uint32_t per_mille);

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
