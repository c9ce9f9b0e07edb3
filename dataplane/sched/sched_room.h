// Room at a full limit (S11): see sched_room.c.
#ifndef SLUICE_SCHED_SCHED_ROOM_H
#define SLUICE_SCHED_SCHED_ROOM_H

#include "dataplane/sched/sched_parts.h"

// Room for an N-PDU of that MS; its class's own limit is asked elsewhere. DROP_NONE, or the limit
// for which there is none.
enum drop_reason room_make(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t octets,
                           uint64_t now_ns);

// A queue has grown, or shrunk: its place among the largest follows.
void room_grown(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p);
void room_shrunk(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p);

// The PFCs of an MS leave their places, before they change or it moves; and take them again.
void room_leave(struct sched *s, uint32_t ms);
void room_return(struct sched *s, uint32_t ms);
// An MS has left a cell with its queue.
void room_settle(struct sched *s, uint32_t cell);

// So much is queued that places are kept: of small queues as well.
static inline bool room_is_short(uint64_t total, const struct sched_limit *limit)
{
    return total_packets(total) * 32ULL >= limit->packets ||
           total_octets(total) * 32ULL >= limit->octets;
}

// Whether the queue that an N-PDU has joined may have to be found.
static inline bool room_is_watched(const struct sched *s, const struct tree_ms *m,
                                   const struct tree_pfc *p)
{
    return total_packets(p->queue.total) >= 3 || total_octets(p->queue.total) > 3000 ||
           room_is_short(s->total, &s->watched) ||
           room_is_short(s->cell[m->cell].total, &s->config.bvc_limit);
}

#endif
