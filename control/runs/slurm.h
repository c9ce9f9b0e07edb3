// Runs of a plan as a job array of Slurm, which brings them to other machines; all of them need the
// same folders.
#ifndef SLUICE_CONTROL_RUNS_SLURM_H
#define SLUICE_CONTROL_RUNS_SLURM_H

#include "control/runs/plan.h"

// Writes DIR/slurm.sh, submits it and waits for the array. at_once: the most tasks at the same
// time; 0: as Slurm has it. Returns false, with the reason on stderr, if a task failed or none was
// submitted.
bool slurm_run(const struct plan *plan, const bool *wanted, uint32_t at_once);

#endif
