// Which runs of a plan are to be done, by what its folder has of earlier commands.
#ifndef SLUICE_CONTROL_RUNS_CHOOSE_H
#define SLUICE_CONTROL_RUNS_CHOOSE_H

#include "control/run/run.h"
#include "control/runs/plan.h"

// Fills in which runs are to do. Returns false, with the reason on stderr, if the folder has
// results that this command would replace or no longer count, unless the options allow that.
bool choose_runs(const struct run *run, const struct plan *plan, bool *wanted);

#endif
