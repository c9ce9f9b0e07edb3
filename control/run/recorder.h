// The capture of user traffic in real time: user.pcapng among the results, switched on and off by
// control. The workers copy frames into their mirrors (dataplane/mirror), and a thread of its own
// writes what is there: so neither a worker nor control ever waits for the disk. A failed write,
// or the file's limit, ends the capture and not the run; the file then ends with a whole block.
#ifndef SLUICE_CONTROL_RUN_RECORDER_H
#define SLUICE_CONTROL_RUN_RECORDER_H

#include <pthread.h>
#include <stdbool.h>

#include "control/plane/control.h"
#include "control/process/clock.h"
#include "control/run/results.h"
#include "dataplane/dataplane.h"

struct recorder {
    // The run's.
    struct dp *dp;
    uint32_t workers;
    const struct results *results;
    const struct clock *clock;
    // The capture that runs, or the last one.
    bool runs; // its thread is not joined yet
    pthread_t thread;
    FILE *out;
    char path[PATH_MAX];
    uint64_t most_octets;
    struct mirror_count sum; // once it has ended
    // For the thread: to end once the workers have let go of their mirrors, or at once.
    bool stop, workers_ended;
    // Of the thread.
    uint64_t octets;                  // in the file
    uint64_t lost[MIRROR_INTERFACES]; // frames that were copied and are not there
    bool full, ended;
    int fault; // errno of a write; 0: none
};

// Lets control switch the capture on and off.
void recorder_begin(struct recorder *recorder, struct control *control, struct dp *dp,
                    uint32_t workers, const struct results *results, const struct clock *clock);

// In each round of control: completes a capture that has ended, and logs why.
void recorder_look(struct recorder *recorder, struct control *control);

// At the end of the run, when no worker polls any more: completes the file.
void recorder_end(struct recorder *recorder, struct control *control);

#endif
