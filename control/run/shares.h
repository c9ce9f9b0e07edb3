// Whether all workers get alike shares of Gn's frames: a line in the log when one has had more than
// twice as many as another in 10 s, and when they are alike again. Control's thread only.
#ifndef SLUICE_CONTROL_RUN_SHARES_H
#define SLUICE_CONTROL_RUN_SHARES_H

#include <stdbool.h>
#include <stdint.h>

#include "dataplane/dataplane.h"

struct run;

struct shares {
    uint64_t since_ns;               // the beginning of these 10 s; 0: no look yet
    uint64_t frames[DP_WORKERS_MAX]; // received until then
    bool unlike;                     // as told in the log
};

// To be called each second or so.
void shares_look(struct run *run, uint64_t now_ns);

#endif
