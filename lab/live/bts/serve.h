// Cells in real time: each with a PCU's socket, of which it is the server, and a clock of its own;
// one tun device for all. An MS changes to the next cell when it is told to.
#ifndef SLUICE_LAB_LIVE_BTS_SERVE_H
#define SLUICE_LAB_LIVE_BTS_SERVE_H

#include <signal.h>

#include "lab/live/bts/bts.h"

#define SERVE_CELLS_MOST 8

struct serve_cell {
    struct bts *bts;
    // What came of it:
    uint64_t ticks, late_ticks; // late_ticks: the PCU was not done by the block's end
    uint64_t latest_ns;         // the most that a block was late
    uint64_t skipped_ns;        // of time that the clock gave up
    // Its own:
    struct serve *serve;
    const char *path; // of the socket
    char name[16];    // NSEI-BVCI
    uint64_t due_ns;  // the block's end; 0: the clock stands
    int listener, pcu;
};

struct serve {
    int tun;           // a descriptor that gives a packet a read; -1: none
    uint64_t until_ns; // from the start on; 0: until the signal
    volatile sig_atomic_t *ended;
    volatile sig_atomic_t *moves; // not 0: the MS of that IMSI is to change its cell
    char imsi[16];
    FILE *say; // a line a second for each cell; NULL: none
    struct serve_cell cell[SERVE_CELLS_MOST];
    uint32_t cells;
};

// Makes one more cell, not more than SERVE_CELLS_MOST, and listens; `path` must outlive it. NULL:
// *fault is -errno.
struct bts *serve_add(struct serve *serve, const char *path, const struct bts_config *config,
                      int *fault);
// Until the end of it. 0, or -errno.
int serve_run(struct serve *serve);
// Removes the sockets; the BTSs stay, for the counts, until serve_release.
void serve_end(struct serve *serve);
void serve_release(struct serve *serve);

#endif
