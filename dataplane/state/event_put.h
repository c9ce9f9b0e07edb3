// Making events and putting them on a worker's ring. What anybody can bring about, as often as he
// likes, has half of it: strangers, MSs by UL-UNITDATA, error indications. So there is room for
// BSSs' own PDUs and for what the path itself has to say.
#ifndef SLUICE_STATE_EVENT_PUT_H
#define SLUICE_STATE_EVENT_PUT_H

#include <rte_ring_elem.h>

#include "dataplane/state/event.h"

// About nobody yet. `worker` had carried out so many commands.
static inline struct event event_of(enum event_kind kind, uint32_t worker, uint64_t commands)
{
    return (struct event){.kind = (uint8_t)kind,
                          .worker = (uint8_t)worker,
                          .nse_id = EVENT_NONE,
                          .nsvc_id = EVENT_NONE,
                          .bvc_id = EVENT_NONE,
                          .ms_id = EVENT_NONE,
                          .commands = commands};
}

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
