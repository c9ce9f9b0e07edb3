// --targets FILE: several runs judged by a file of targets (lua/sluice/targets).
#ifndef SLUICE_CONTROL_PROGRAM_TARGETS_H
#define SLUICE_CONTROL_PROGRAM_TARGETS_H

#include "control/program/plan.h"
#include "control/program/run.h"

// Reads the file, if one is given. Returns false after mistakes, which are on stderr.
bool targets_read(const struct run *run);

// Judges the runs that are there: prints the table, and writes targets.csv and targets.json.
// Returns false if a target could not be worked out, or a file not be written.
bool targets_judge(const struct run *run, const struct plan *plan);

#endif
