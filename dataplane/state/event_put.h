// Putting events on a worker's ring. What anybody can bring about, as often as he likes, has half
// of it: strangers, MSs by UL-UNITDATA, error indications. So there is room for BSSs' own PDUs and
// for what the path itself has to say.
#ifndef SLUICE_STATE_EVENT_PUT_H
#define SLUICE_STATE_EVENT_PUT_H

#include <rte_ring_elem.h>

#include "dataplane/state/event.h"

// Both: false if there is no room.
static inline bool event_put(struct rte_ring *events, struct event *event)
{
    return rte_ring_sp_enqueue_elem(events, event, sizeof *event) == 0;
}

static inline bool event_put_of_anybody(struct rte_ring *events, struct event *event)
{
    return rte_ring_free_count(events) > rte_ring_get_capacity(events) / 2 &&
           event_put(events, event);
}

#endif
