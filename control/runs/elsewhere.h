// The runs of a plan as commands of the shell, a line each, for a program that starts them on this
// or on other machines; all of them need the same folders.
#ifndef SLUICE_CONTROL_RUNS_ELSEWHERE_H
#define SLUICE_CONTROL_RUNS_ELSEWHERE_H

#include "control/runs/plan.h"

// Prints the commands of the runs `wanted` in their turns, and on stderr how many there are and
// what to do after them. Nothing is written into the folders. Returns false, with the reason on
// stderr, if a command cannot be a line.
bool elsewhere_print(const struct plan *plan, const bool *wanted);

#endif
