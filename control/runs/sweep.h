// sluice run with several variants, points or seeds: what is to do, its children or its job array,
// and the results as one.
#ifndef SLUICE_CONTROL_RUNS_SWEEP_H
#define SLUICE_CONTROL_RUNS_SWEEP_H

struct run;

// The configuration is loaded. Returns SWEEP_NONE if the command means a single run, else EXIT_...
// after all of them.
#define SWEEP_NONE (-1)
int sweep_of(struct run *run);

#endif
