// The dataplane whole, for dataplane*.c and view.c alone.
#ifndef SLUICE_DATAPLANE_DATAPLANE_PARTS_H
#define SLUICE_DATAPLANE_DATAPLANE_PARTS_H

#include "dataplane/commands.h"
#include "dataplane/worker.h"

_Static_assert(DP_WORKERS_MAX <= POST_WORKERS_MAX && DP_WORKERS_MAX <= PORT_QUEUES_MAX &&
                   DP_WORKERS_MAX <= 1u << TEID_WORKER_BITS_MAX,
               "every worker has letters, a queue of each port, and a number that a TEID holds");

// Those that wait in control's memory, oldest first.
struct kept_event;
struct dp_events {
    struct kept_event *first, *last;
    uint64_t octets;
};

struct dp {
    uint32_t workers;
    struct dp_worker *worker[DP_WORKERS_MAX];
    struct port_device device[STATS_SIDES];
    uint32_t link[STATS_SIDES]; // enum port_link, as last looked at; read by other threads
    struct post post[DP_WORKERS_MAX];
    struct commands commands;
    struct dp_events events;
    uint32_t next_event; // the worker whose turn it is
};

#endif
