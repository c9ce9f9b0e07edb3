// TCP as sluice gi measures it, on the lab's Gn while the run goes on: lab.passive. Its flows and
// tables are among the results, gi_flows.csv,
// gi_tables.csv and gi_bins.csv.
#ifndef SLUICE_CONTROL_RUN_PASSIVE_H
#define SLUICE_CONTROL_RUN_PASSIVE_H

#include "control/run/run.h"

// Before the lab is made; EXIT_...
int passive_open(struct run *run);
// Ends the flows that still live, and writes the tables; EXIT_...
int passive_close(struct run *run);

// Calls `take` with the name of each of its files.
void passive_each(void (*take)(void *self, const char *name), void *self);

// Prints what each column of its files means.
void passive_describe(FILE *out);

#endif
