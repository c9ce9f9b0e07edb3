// One worker: built by dataplane.c, run by worker.c, read by dataplane_read.c.
#ifndef SLUICE_DATAPLANE_WORKER_H
#define SLUICE_DATAPLANE_WORKER_H

#include "dataplane/dataplane.h"
#include "dataplane/down/down.h"
#include "dataplane/post/post.h"
#include "dataplane/up/up.h"
#include "dataplane/window/window.h"

struct dp_worker {
    struct state state;
    struct sched *sched;
    void *sched_memory;
    struct window window;
    void *window_memory; // NULL: no class has a window
    struct port port[STATS_SIDES];
    struct rte_mempool *segment_pool;
    struct rte_ring *commands, *events;
    struct command waiting; // taken off the ring; not carried out yet for lack of room
    bool waits;
    struct down down;
    struct up up;
    struct post *post;
    struct cipher_scratch scratch;
    uint64_t now_ns; // of the last poll
    int node;        // the NUMA node of its thread; below 0: it has none
    struct view view;
    // The mirror that control has published, and the one in use since the last poll; NULL: none.
    struct mirror *mirror_wanted, *mirror;
    struct stats_worker stats;
};

#endif
