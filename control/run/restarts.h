// How often a run has begun in its folder, modulo 256: the restart counter of TS 23.007, by which
// peers notice that we have forgotten all. It is kept in the folder of the results, as the file
// `restarts`, which is no result and stays; without one the clock gives the first number.
#ifndef SLUICE_CONTROL_RUN_RESTARTS_H
#define SLUICE_CONTROL_RUN_RESTARTS_H

#include "control/run/results.h"

#define RESTARTS_NUMBERS 256u

// The number of this run, kept for the next one before it is returned. Returns a negative errno if
// it cannot be kept.
int restarts_next(const struct results *results, uint64_t unix_s);

#endif
