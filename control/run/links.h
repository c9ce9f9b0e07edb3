// Reads the link states of both ports from their devices and logs each change. A link that has not
// been up yet may take some seconds for that: if it stays down, it is a warning; a link that was up
// and goes down is an error. `sluice stats` shows the states of the last call. Control's thread
// only.
#ifndef SLUICE_CONTROL_RUN_LINKS_H
#define SLUICE_CONTROL_RUN_LINKS_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/dataplane.h"

struct run;

struct links {
    uint64_t since_ns;             // the first look; 0: none yet
    bool was_up[STATS_SIDES];      // at a look
    const char *told[STATS_SIDES]; // in the log; NULL: nothing, which means up
};

void links_look(struct run *run, uint64_t now_ns);

#endif
