// A BTS in real time: the PCU's socket, of which it is the server, a tun device, and the clock.
#ifndef SLUICE_LAB_BTS_SERVE_H
#define SLUICE_LAB_BTS_SERVE_H

#include <signal.h>

#include "lab/bts/bts.h"

struct serve {
    const char *path;  // of the socket
    int tun;           // a descriptor that gives a packet a read; -1: none
    uint64_t until_ns; // from the start on; 0: until the signal
    volatile sig_atomic_t *ended;
    FILE *say; // a line a second; NULL: none
    // What came of it:
    uint64_t ticks, late_ticks; // late_ticks: the PCU was not done by the block's end
    uint64_t latest_ns;         // the most that a block was late
    uint64_t skipped_ns;        // of time that the clock gave up
    // Its own:
    struct bts *bts;
    int listener, pcu;
};

// Makes the BTS and listens. NULL: *fault is -errno.
struct bts *serve_begin(struct serve *serve, const struct bts_config *config, int *fault);
// Until the end of it. 0, or -errno.
int serve_run(struct serve *serve);
// Removes the socket; the BTS is its caller's to destroy.
void serve_end(struct serve *serve);

#endif
