// --knobs FILE: the conclusions of a file of targets at each setting of a scenario's knobs, and
// which of the settings they depend on (lua/sluice/knobs).
#ifndef SLUICE_CONTROL_RUNS_KNOBS_H
#define SLUICE_CONTROL_RUNS_KNOBS_H

#include "control/runs/plan.h"
#include "control/run/run.h"

// Reads the file, once the targets are read, and makes the plan of all its runs. Returns false
// after mistakes, which are on stderr.
bool knobs_plan(struct run *run, struct plan *plan, const char *dir);

// Judges the runs that are there: prints the table, and writes knobs.csv and knobs.json. Returns
// false if a conclusion has no figure somewhere, or a file could not be written.
bool knobs_judge(const struct run *run, const struct plan *plan);

#endif
