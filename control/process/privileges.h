// Gives up what a run does not need once its ports are open: root, capabilities, and the right of
// the user's other processes to read the run's memory, which holds keys. In every thread, verified
// in the kernel's status of each.
#ifndef SLUICE_CONTROL_PROCESS_PRIVILEGES_H
#define SLUICE_CONTROL_PROCESS_PRIVILEGES_H

#include <stdint.h>

#include "control/process/user.h"

// The capabilities that a port's driver needs at run time, as bits; drivers.def says why.
uint64_t privileges_of_driver(const char *driver);

// Becomes the user, if it is another, with only those capabilities of `keep` that the process has.
// Does nothing if neither changes. Returns 0, or a negative errno and the reason in `why`: the
// process must then end.
int privileges_drop(const struct user *user, uint64_t keep, char why[128]);

// The names of the capabilities, or "none".
void privileges_text(uint64_t keep, char text[128]);

#endif
