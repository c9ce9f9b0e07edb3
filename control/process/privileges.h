// Giving up what a run needs no more once its ports are open: root, capabilities, and that others
// of its user may look into its memory, in which there are keys. In every thread, and proved by
// what the kernel says of each.
#ifndef SLUICE_CONTROL_PROCESS_PRIVILEGES_H
#define SLUICE_CONTROL_PROCESS_PRIVILEGES_H

#include <stdint.h>

#include "control/process/user.h"

// What a port's driver needs afterwards, a bit for each capability; drivers.def has why.
uint64_t privileges_of_driver(const char *driver);

// Becomes the user, if another, with no capability but those in `keep` that it has. Without a user
// and without more capabilities than those it does nothing. 0, or a negative errno and in `why`
// what was refused: the process is good for nothing then.
int privileges_drop(const struct user *user, uint64_t keep, char why[128]);

// "none", or their names.
void privileges_text(uint64_t keep, char text[128]);

#endif
