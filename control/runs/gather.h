// The results of several runs as one: summary.json and runs.csv in their folder, and a table. Runs
// and classes stand in declared order, so the files depend on the runs' results alone.
#ifndef SLUICE_CONTROL_RUNS_GATHER_H
#define SLUICE_CONTROL_RUNS_GATHER_H

#include "control/runs/plan.h"
#include "control/run/results.h"

enum gather_state {
    GATHER_ABSENT,     // no results
    GATHER_OTHER,      // complete, but of another run: see origin.h
    GATHER_INCOMPLETE, // interrupted, it did not come up, or it lacks a file
    GATHER_UNSOUND,    // complete, but packets are not accounted for
    GATHER_COMPLETE    // and all its files are as it wrote them
};

struct gather_found {
    enum gather_state state;
    const char *differs; // in words, in what the results are of another run; NULL: they are not
    char lacks[48];      // a file that is missing or not whole; "": none, or it was interrupted
};

// Looks at a run's folder.
struct gather_found gather_look(const struct plan *plan, uint32_t run);

// Writes the summary as it is before the runs: whose the folder is.
bool gather_begin(const struct plan *plan, const char *name, const struct results *results);

// Prints what each column of the CSV files of several runs means.
void gather_describe(FILE *out);

// Writes the files and prints the table. Returns whether all runs are complete and all is written.
bool gather(const struct plan *plan, const char *name, const struct results *results);

#endif
