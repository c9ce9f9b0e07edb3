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

// Tells on stderr how the run ended and why: the last message of a fault in its run.log, or the
// last lines there. Keeps it as the plan's failure of the run, and adds to run.log how the run
// ended.
void children_tell(const struct plan *plan, uint32_t run, const char *how);

// Runs a program and waits for it, with this process's streams. SIGINT and SIGTERM end it. Returns
// its exit status; -1 if it cannot be started.
int children_program(const char *program, char *const *words);

#endif
