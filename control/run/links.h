// Asks the devices of both ports for their links and counts. Logs each change of a link, and when a
// device has lost frames: at once, then once a minute. A link that has not been up yet may take
// some seconds for that: if it stays down, it is a warning; a link that was up and goes down is an
// error. `sluice stats` shows what the last call found. Control's thread only.
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
    uint64_t lost[STATS_SIDES];    // frames by the device, as told in the log
    uint64_t lost_ns[STATS_SIDES]; // when that was; 0: never
};

void links_look(struct run *run, uint64_t now_ns);

#endif
