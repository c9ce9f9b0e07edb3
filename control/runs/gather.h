// The results of several runs as one: summary.json and runs.csv in their folder, and a table. Runs
// and classes stand in declared order, so the files depend on the runs' results alone.
#ifndef SLUICE_CONTROL_RUNS_GATHER_H
#define SLUICE_CONTROL_RUNS_GATHER_H

#include "control/runs/plan.h"
#include "control/run/results.h"

enum gather_state {
    GATHER_ABSENT,     // no results
    GATHER_OTHER,      // complete, but of another run: see origin.h
    GATHER_INCOMPLETE, // interrupted, or it did not come up
    GATHER_UNSOUND,    // complete, but packets are not accounted for
    GATHER_COMPLETE
};

// Looks at a run's folder. differs: in words, in what the results are of another run, or NULL.
enum gather_state gather_look(const struct plan *plan, uint32_t run, const char **differs);

// Writes the files and prints the table. Returns whether all runs are complete and all is written.
bool gather(const struct plan *plan, const char *name, const struct results *results);

#endif
