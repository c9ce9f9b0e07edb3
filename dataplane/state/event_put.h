// Makes events and puts them on a worker's ring. Events that any sender can cause at will (unknown
// senders, an MS's UL-UNITDATA, error indications, GTP-C) may fill half of the ring. So BSSs' own
// PDUs and the path's own events always have room.
#ifndef SLUICE_STATE_EVENT_PUT_H
#define SLUICE_STATE_EVENT_PUT_H

#include <rte_ring_elem.h>

#include "dataplane/state/event.h"

// An event without ids. `commands`: the number that `worker` has carried out.
static inline struct event event_of(enum event_kind kind, uint32_t worker, uint64_t commands)
{
    return (struct event){.kind = (uint8_t)kind,
                          .worker = (uint8_t)worker,
                          .nse_id = EVENT_NONE,
                          .nsvc_id = EVENT_NONE,
                          .ggsn_id = EVENT_NONE,
                          .bvc_id = EVENT_NONE,
                          .claimed_bvc_id = EVENT_NONE,
                          .ms_id = EVENT_NONE,
                          .commands = commands};
}

// Both: false if the ring has no room.
static inline bool event_put(struct rte_ring *events, struct event *event)
{
    return rte_ring_sp_enqueue_elem(events, event, sizeof *event) == 0;
}

static inline bool event_put_unsolicited(struct rte_ring *events, struct event *event)
{
    return rte_ring_free_count(events) > rte_ring_get_capacity(events) / 2 &&
           event_put(events, event);
}

// Events of which only so many may be unread: counts of those reported by the worker, and of those
// read by control.
struct event_unread {
    uint32_t told, taken;
};

// Moves of an NSE's MSs take no turns (events.c) and are never shed, so their number is bounded by
// the work that control can do between two PDUs of other NSEs: as many MSs as change cells within a
// tenth of a second.
#define EVENT_MOVES_MOST 256u
// A GGSN's datagrams in a worker's ring, so that one that floods leaves the others room.
#define EVENT_GTPC_MOST 256u

static inline bool event_may_be_told(const struct event_unread *unread, uint32_t most)
{
    return unread->told - __atomic_load_n(&unread->taken, __ATOMIC_RELAXED) < most;
}

#endif
