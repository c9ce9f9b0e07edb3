// What a run leaves: summary.json, in virtual time the same byte for byte for the same seed; and a
// text for the terminal.
#ifndef SLUICE_LAB_REPORT_REPORT_H
#define SLUICE_LAB_REPORT_REPORT_H

#include <stdio.h>

#include "lab/lab.h"

// What is known of a run that ended as it should (`complete`) or did not.
struct report {
    const struct lab *lab; // NULL: the clock was real, and what the network did is not known
    const char *name;
    uint64_t seed, elapsed_ns; // by the run's own clock
    uint32_t workers;
    bool complete;
    const uint64_t *events; // that control took, of each kind
    uint64_t faults, cuts;  // what the user's policy got wrong, and how often it was cut off
    const char *last_fault; // of the policy's; "": none
    // By report_collect, of all workers:
    struct stats_worker stats;
    struct dp_held held[STATS_SIDES];
    bool balanced;
    uint32_t in_pieces; // frames of which fragments wait in the Gb port
};

// The counters alone, also while workers run.
void report_add(struct report *report, struct dp *dp);

// While no worker runs.
void report_collect(struct report *report, struct dp *dp);

// Every packet is accounted for: the ledgers of the dataplane close, and the workers carried out
// every command. In the lab from the sources to the receiver: each frame sent on Gn came in or is
// counted as lost at the port; and the receiver found no fault and, class by class, all that the
// dataplane counted as out, but for what was on the line or in pieces in the port at the end.
bool report_sound(const struct report *report);

void report_summary(const struct report *report, FILE *out);
void report_print(const struct report *report, FILE *out);

#endif
