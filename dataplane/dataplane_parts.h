// The structs of the whole dataplane, for commands.c, dataplane*.c and events.c alone.
#ifndef SLUICE_DATAPLANE_DATAPLANE_PARTS_H
#define SLUICE_DATAPLANE_DATAPLANE_PARTS_H

#include "dataplane/registry/registry.h"
#include "dataplane/worker.h"

_Static_assert(DP_WORKERS_MAX <= POST_WORKERS_MAX && DP_WORKERS_MAX <= PORT_QUEUES_MAX &&
                   DP_WORKERS_MAX <= TRACE_WORKERS_MAX &&
                   DP_WORKERS_MAX <= 1u << TEID_WORKER_BITS_MAX,
               "every worker has messages, a queue of each port, and a number that a TEID holds");

// Events in control's memory, oldest first.
struct kept_event;
struct events_list {
    struct kept_event *first, *last;
};

// The turn of an NSE's BSS, of an NSE's phones, of a GGSN, or of all unknown senders.
struct events_turn {
    struct events_list list; // of events that wait for their turn
    uint64_t octets;         // in memory: this turn's events in any list
    uint64_t round;          // in which this turn last took an event
    uint32_t taken;          // in that round
    uint32_t next;           // the turn that waits behind this one
};

struct dp_events {
    struct events_list in_order; // events of all turns, in order of arrival
    // Of BSSs by NSE, then that of unknown senders, then of phones by NSE, then of GGSNs.
    struct events_turn *turn;
    struct event_unread *moves; // by NSE
    struct event_unread *gtpc;  // by worker, then by GGSN
    uint32_t strangers;         // the turn of unknown senders, which is the number of NSEs
    uint32_t ggsns;             // the turn of the first GGSN
    uint32_t ggsn_count;
    uint32_t first_waiting, last_waiting; // turns with waiting events
    bool waiting_next;
    uint64_t octets, phones_octets; // in memory; of them those of phones' turns
    uint64_t round, now_ns;         // the present round (events.c); control's time
    uint64_t shed, shed_late;
};

// False: out of memory; dp_events_release is correct in either case.
void dp_events_release(struct dp_events *events);
bool dp_events_setup(struct dp_events *events, uint32_t workers, uint32_t nses, uint32_t ggsns);

// dataplane_rules.c: the rule of an NS-VC, or that the device refused it.
struct peer_rule {
    struct rte_flow *flow; // NULL: none
    bool refused;
    uint8_t worker;
    struct state_endpoint endpoint;
};

struct peer_rules {
    struct peer_rule *of; // by NS-VC; NULL: not by peer
    uint32_t at;      // the next to look at: all are, for what is to end, then for what is missing
    bool again;       // one has ended, so what was refused may have room now
    uint64_t changes; // of NS-VCs, that have been seen
    uint32_t made, refused; // read by other threads
    char why[80];           // a driver's text may be in a buffer that its next error writes
};

// False: out of memory.
bool dp_rules_setup(struct dp *dp);

struct dp {
    uint32_t workers;
    struct dp_worker *worker[DP_WORKERS_MAX];
    struct port_device device[STATS_SIDES];
    uint32_t link[STATS_SIDES];            // enum port_link, the last answer; read by other threads
    bool link_seen[STATS_SIDES];           // it has been looked at
    struct stats_nic nic[STATS_SIDES];     // as `link`
    uint32_t mbit_per_s[STATS_SIDES];      // likewise
    struct mirror *mirror[DP_WORKERS_MAX]; // NULL: none is open
    struct post post[DP_WORKERS_MAX];
    struct registry registry;
    struct peer_rules rules;
    struct dp_events events;
    struct traces traces; // from the first dp_trace_begin on
    uint32_t next_event;  // the worker to read next
};

#endif
