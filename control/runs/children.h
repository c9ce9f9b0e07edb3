// Runs of a plan as child processes of this program, some at the same time. What a child prints is
// in run.log in its folder. A child ends with its parent, however that ends.
#ifndef SLUICE_CONTROL_RUNS_CHILDREN_H
#define SLUICE_CONTROL_RUNS_CHILDREN_H

#include "control/runs/plan.h"

// As many as processors and memory allow, for runs that each need that much memory.
uint32_t children_jobs(uint64_t need_octets);

// Does the runs `wanted`, at most `jobs` at the same time, in their turns; names on stderr those
// that failed. folder: of all results, open and locked; the lock lasts until the last child has
// ended, even if this process is killed. SIGINT or SIGTERM ends the children, and starts no more.
// Returns whether none failed and none was ended.
bool children_run(const struct plan *plan, const bool *wanted, uint32_t jobs, int folder);

#endif
