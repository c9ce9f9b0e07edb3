// What a run has found out, as one JSON object and as a text.
#ifndef SLUICE_BENCH_THROUGHPUT_REPORT_H
#define SLUICE_BENCH_THROUGHPUT_REPORT_H

#include <stdio.h>

#include "bench/throughput/measure.h"

struct bench_result {
    const struct bench_options *options;
    const struct ports *ports;
    bool huge_pages, two_threads;
    double mean_octets;
    struct baseline baseline;
    struct saturated saturated;
    struct saturated of_worker[DP_WORKERS_MAX]; // all at once
    struct stages_cycles stages;
    struct view_cost view;
    struct mirrored mirrored;
    bool searched;
    struct search search;
    struct latency latency[LATENCY_LOADS];
    uint64_t sent, received, dropped, queued, astray; // packets, over the whole run
    uint64_t drops[DROP_COUNT];
};

extern const char *const report_stages[STAGE_COUNT];

void report_json(const struct bench_result *result, FILE *out);
void report_drops(const struct bench_result *result, FILE *out);
void report_text(const struct bench_result *result, FILE *out);

// Packets a second, in millions: the rate that was found, or, where none was looked for, what the
// cycles of the workers come to.
double report_mpps(const struct bench_result *result);
// Of the first worker alone, beside several at once. Of those the median sample counts: the least
// is one in which the others may have stood.
double report_mpps_alone(const struct bench_result *result);

// Cycles a packet that the path is to take (on a machine with AVX-512 and VPCLMULQDQ); 0: nothing
// is said of such a run.
double report_goal(const struct bench_options *options);

#endif
