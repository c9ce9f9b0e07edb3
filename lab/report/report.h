// What a run leaves: summary.json, the same byte for byte for the same seed; run.json, what the
// wall clock and the machine said; and a text for the terminal.
#ifndef SLUICE_LAB_REPORT_REPORT_H
#define SLUICE_LAB_REPORT_REPORT_H

#include <stdio.h>

#include "lab/lab.h"

// What is known of a run that ended at its time (`complete`) or did not.
struct report {
    const struct lab *lab;
    const struct dp_worker *worker;
    bool complete;
};

// Every packet is accounted for, from the sources to the receiver: the ledger of the dataplane
// closes, and the worker carried out every command; each frame sent on Gn came into it or is
// counted as lost at the port; and the receiver found no fault and, class by class, all that the
// dataplane counted as out, but for what was on the line at the end.
bool report_sound(const struct report *report);

void report_summary(const struct report *report, FILE *out);
void report_text(const struct report *report, FILE *out);

#endif
