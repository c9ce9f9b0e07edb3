// What has been found out, as JSON (report.def), CSV (tables.def), text and page.
#ifndef SLUICE_BENCH_THROUGHPUT_REPORT_H
#define SLUICE_BENCH_THROUGHPUT_REPORT_H

#include <stdio.h>

#include "bench/throughput/machine.h"
#include "bench/throughput/measure.h"
#include "lab/base/table.h"

// Rows of CSV, and of lists in a point's JSON: a rate and a load of a point.
struct bench_rate {
    const struct bench_result *point;
    double loss;
    struct search_rate rate;
    char name[64]; // what it is
};

struct bench_latency {
    const struct bench_result *point;
    struct latency of;
};

struct bench_result {
    const struct bench_options *options;
    const struct machine *machine;
    bool good;                     // all was measured, and nothing failed
    bool huge_pages, threads;      // threads: each worker had one of its own in the search
    char drivers[STATS_SIDES][32]; // of the ports; "": rings
    // Of Gn: how frames come to their worker, and why not in a better way; "": one worker, or
    // rings.
    char steering[16], steering_lacks[500];
    uint16_t vlan; // 0: none
    double tsc_hz, mean_octets;
    struct baseline baseline;
    struct saturated saturated;
    struct saturated of_worker[DP_WORKERS_MAX]; // all at once
    struct stages_cycles stages;
    struct view_cost view;
    struct mirrored mirrored;
    bool searched;
    struct spread generator; // packets a second, without Sluice
    struct search search;
    struct bench_rate rates[SEARCH_LOSSES_MAX]; // of the search, for rows
    struct bench_latency latency[LATENCY_LOAD_COUNT];
    uint64_t sent, received, dropped, queued, astray; // packets, over the whole run
    uint64_t handed_on; // of them, by the worker that they came to to their own
    uint64_t drops[DROP_COUNT];
};

// All points.
struct bench_results {
    const struct bench_options *options;
    const struct machine *machine;
    struct bench_point *point;
    uint32_t points, done; // done: those that were measured, or failed; the others are to come
};
struct bench_point {
    struct bench_options options;
    struct bench_result result;
};

struct bench_trial {
    const struct bench_result *point;
    const struct trial *trial;
};
struct bench_bucket {
    const struct bench_result *point;
    const struct latency *latency;
    uint32_t bucket;
    double share; // of the samples up to it
};
extern const struct table bench_cycles_table, bench_rates_table, bench_trials_table,
    bench_latency_table, bench_histogram_table;
// A rate was looked for at some point.
bool report_is_searched(const struct bench_results *results);

// After a search: makes its rows.
void report_searched(struct bench_result *result);

// One object, or of several points a list of them.
void report_json(const struct bench_results *results, FILE *out);
void report_drops(const struct bench_result *result, FILE *out);
void report_text(const struct bench_result *result, FILE *out);
// Of several points: a line for each rate.
void report_lines(const struct bench_results *results, FILE *out);
// tables.c, page.c. Makes the folder, before anything is measured for it, unless it has the results
// of a run; then writes all files, and removes those of an earlier benchmark that this one does not
// have. False, with the reason on stderr: one cannot be written.
bool report_folder(const char *folder);
bool report_files(const struct bench_results *results, const char *folder);
void report_page(const struct bench_results *results, FILE *out);
const char *report_direction(const struct bench_options *options);
const char *report_loss(const struct bench_rate *rate, char room[TABLE_ROOM]); // in per cent
// "576" or "imix".
const char *report_size(const struct bench_options *options, char room[TABLE_ROOM]);

// The rate at the least loss that has one; or else that of the first, which is 0.
const struct bench_rate *report_found(const struct bench_result *result);
bool report_is_found(const struct bench_result *result); // latency was measured at that rate
// False: at some point a rate was looked for, and even the lowest lost more than it may.
bool report_found_all(const struct bench_results *results);
// Packets a second, in millions: that rate, or, where none was looked for, what the cycles of the
// workers come to.
double report_mpps(const struct bench_result *result);
// Of all workers at once, by their cycles.
double report_mpps_all(const struct bench_result *result);
// Of the first worker alone, beside several at once. Of those the median sample counts: the least
// is one in which the others may have stood.
double report_mpps_alone(const struct bench_result *result);

// What a reader has to know before these figures count, the same in text and page; NULL: nothing.
const char *report_cycles_note(const struct bench_result *result);
const char *report_rates_note(const struct bench_result *result);
const char *report_limit_note(const struct bench_rate *rate); // the generator did hardly more

// Cycles a packet that the path is to take (on a machine with AVX-512 and VPCLMULQDQ); 0: nothing
// is said of such a run.
double report_goal(const struct bench_options *options);

#endif
