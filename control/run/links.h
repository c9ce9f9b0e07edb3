// Reads the link states of both ports from their devices and logs each change. `sluice stats` shows
// the states of the last call. Control's thread only.
#ifndef SLUICE_CONTROL_RUN_LINKS_H
#define SLUICE_CONTROL_RUN_LINKS_H

#include <stdint.h>

struct run;

void links_look(struct run *run, uint64_t now_ns);

#endif
