// What dataplane.c builds and worker.c runs; for these two alone.
#ifndef SLUICE_DATAPLANE_WORKER_H
#define SLUICE_DATAPLANE_WORKER_H

#include "dataplane/dataplane.h"
#include "dataplane/down/down.h"

struct dp_worker {
    struct state state;
    struct sched *sched;
    void *sched_memory;
    struct port gn, gb;
    struct rte_ring *commands;
    struct down down;
    struct cipher_scratch scratch;
    uint64_t now_ns; // of the last poll
    struct stats_worker stats;
};

#endif
