// The report of a run: summary.json, in virtual time byte for byte the same for the same seed, and
// a text for the terminal.
#ifndef SLUICE_LAB_SUMMARY_REPORT_H
#define SLUICE_LAB_SUMMARY_REPORT_H

#include <stdio.h>

#include "lab/base/json.h"
#include "lab/lab.h"

// The figures of a run, complete or not.
struct report {
    const struct lab *lab; // NULL: a run in real time
    const char *name;
    uint64_t seed, elapsed_ns;         // by the run's own clock
    uint64_t warmup_ns;                // of that: the beginning that the figures leave out
    const struct stats_worker *before; // the workers' counters then; NULL: there is no warm-up
    uint32_t workers;
    bool batch;             // of the lab: the figures are of the batch
    bool complete;          // the configuration came up, and the run reached its end
    const uint64_t *events; // taken by control, by kind
    uint64_t faults, cuts;  // failed calls of the user's policy, and calls cut off
    const char *last_fault; // of the policy; "": none
    // Writes what the run was made of into the summary's object: put_origin(origin, json).
    void (*put_origin)(const void *origin, struct json *json);
    const void *origin;
    // The same for its batches; NULL: none.
    void (*put_batches)(const void *batches, struct json *json);
    const void *batches;
    // Filled by report_collect, the sums of all workers:
    struct stats_worker stats; // of the whole run, for the balance
    struct stats_worker since; // behind the warm-up, for figures
    struct dp_held held[STATS_SIDES];
    bool balanced;
    bool has_nic[STATS_SIDES]; // the port is a device, of which it has counts
    struct stats_nic nic[STATS_SIDES];
    uint32_t in_pieces; // frames of which fragments wait in the Gb port
};

// Adds the workers' counters; allowed while workers run.
void report_add(struct report *report, struct dp *dp);

// Collects all figures of the workers, none of which may run.
void report_collect(struct report *report, struct dp *dp);

// Fills `since` alone; allowed while workers run.
void report_look(struct report *report, struct dp *dp);

// The time that rates are over, never 0.
uint64_t report_measured_ns(const struct report *report);

// Returns whether every packet is accounted for: the dataplane's ledgers balance, and the workers
// refused no command. In the lab also from end to end: each frame sent on Gn or Gb came in or is
// counted as lost at the port; no part of the lab found a fault; the books of all its parts agree
// (lab_wrong); and all frames that the Gb port sent have arrived, except those on the line or in
// fragments in the port at the end.
bool report_sound(const struct report *report);

// Whether the class had packets behind the warm-up, in the lab in either direction.
bool report_has_class(const struct report *report, int traffic_class);

// What of a class has arrived; in real time, what was sent.
struct ledger_count report_received(const struct report *report, int traffic_class);

// Of a group of the lab's ledger, or of its batch.
const struct ledger_tally *report_tally(const struct report *report, enum ledger_kind kind,
                                        uint32_t number, enum ledger_way way);

void report_summary(const struct report *report, FILE *out);
// An object of its members classes and applications alone.
void report_figures(const struct report *report, FILE *out);
void report_print(const struct report *report, FILE *out);

// Prints what each key of the summary means, but for those of put_origin and put_batches.
void report_describe(FILE *out);

#endif
