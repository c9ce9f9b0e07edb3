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

// Moves of an NSE's MSs: how many its worker has told, and how many of those control has taken.
// They have no turns (events.c) and are never shed, so no more may be untaken than control can do
// before it comes to another NSE's PDU: as many as MSs change cells within some tenth of a second.
#define EVENT_MOVES_MOST 256u
struct event_moves {
    uint32_t told, taken;
};

static inline bool event_move_may_be_told(const struct event_moves *moves)
{
    return moves->told - __atomic_load_n(&moves->taken, __ATOMIC_RELAXED) < EVENT_MOVES_MOST;
}

#endif
