// Room at a full limit (S11): see sched_room.c.
#ifndef SLUICE_SCHED_SCHED_ROOM_H
#define SLUICE_SCHED_SCHED_ROOM_H

#include "dataplane/sched/sched_parts.h"

// Room for an N-PDU of that MS; its class's own limit is asked elsewhere. DROP_NONE, or the limit
// for which there is none.
enum drop_reason room_make(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t octets,
                           uint64_t now_ns);

enum room_unit { IN_PACKETS, IN_OCTETS };
#define ROOM_OCTETS_A_STEP 64u

// What is ranked of a total.
static inline uint32_t room_size(enum room_unit unit, uint64_t total)
{
    if (unit == IN_PACKETS)
        return total_packets(total);
    return (uint32_t)((total_octets(total) + ROOM_OCTETS_A_STEP - 1) / ROOM_OCTETS_A_STEP);
}

// ---- sched_places.c ----
uint64_t room_total_in_class(struct tree_ms *m, uint32_t class);
uint64_t room_nse_total(const struct tree_nse *n);
// Entries of the ranks: NSEs, cells, and from room_entry_of_place(s, 0) on MSs.
uint32_t room_entry_of_place(const struct sched *s, uint32_t place);
uint32_t room_pfc_of_entry(const struct sched *s, uint32_t entry);

// A queue has grown, or shrunk: its place among the largest follows.
void room_grown(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p);
void room_shrunk(struct sched *s, uint32_t ms, struct tree_ms *m, struct tree_pfc *p);

// The PFCs of an MS leave their places, before they change or it moves; and take them again.
void room_leave(struct sched *s, uint32_t ms);
void room_return(struct sched *s, uint32_t ms);
// Places for queues that came while none was needed: a bounded part of them a call.
void room_catch_up(struct sched *s);
static inline void room_placeless(struct sched *s)
{
    s->places_left = s->config.mss / 64 + 1;
}
// An MS has left a cell with its queue.
void room_settle(struct sched *s, uint32_t cell);

// So much is queued that places are kept: of small queues as well.
static inline bool room_is_short(uint64_t total, const struct sched_limit *limit)
{
    return total_packets(total) * 32ULL >= limit->packets ||
           total_octets(total) * 32ULL >= limit->octets;
}

// Whether the MS in this class, its cell or its NSE may have a place to follow.
static inline bool room_is_ranked(const struct sched *s, const struct tree_ms *m,
                                  const struct tree_pfc *p)
{
    const struct tree_cell *c = &s->cell[m->cell];
    return p->rank_level[IN_PACKETS] | c->rank_level[IN_PACKETS] |
               s->nse[c->nse].rank_level[IN_PACKETS] ||
           m->slots & (m->slots - 1);
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
