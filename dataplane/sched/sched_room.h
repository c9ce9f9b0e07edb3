// Room at a full limit (S11): see sched_room.c.
#ifndef SLUICE_SCHED_SCHED_ROOM_H
#define SLUICE_SCHED_SCHED_ROOM_H

#include "dataplane/sched/sched_parts.h"

enum room_unit { IN_PACKETS, IN_OCTETS, ROOM_UNITS };
#define ROOM_KEPT(unit)    (1u << (unit))
#define ROOM_OCTETS_A_STEP 64u

// An N-PDU that comes; its class's own limit is asked elsewhere.
struct room {
    uint32_t ms, slot, flow, octets;
    uint64_t now_ns;
    // which limit is full, and of what
    enum drop_reason full;
    enum room_unit unit;
};
// DROP_NONE, or the limit at which there is no room for it.
enum drop_reason room_make(struct sched *s, struct room *r);

// Of those who waited before ranks were kept in the cell, or everywhere, none is left.
static inline bool room_all_are_ranked(const struct sched *s, const struct tree_cell *c)
{
    return !s->young_left && c->places_left == TREE_NONE &&
           (!s->kept || s->places_left == s->places_end);
}

static inline bool room_is_full(uint64_t total, const struct sched_limit *limit, uint32_t octets)
{
    return total_packets(total) >= limit->packets || total_octets(total) + octets > limit->octets;
}

// ---- sched_places.c ----
// What an MS has queued in a class, and whether any of that is not half sent.
struct room_sum {
    uint64_t total;
    bool gives;
};
struct room_sum room_sum(struct tree_ms *m, uint32_t class);
uint64_t room_nse_total(const struct tree_nse *n);
// Entries of the ranks: NSEs, cells, and from room_entry_of_place(s, 0) on MSs in a class.
uint32_t room_entry_of_cell(const struct sched *s, uint32_t cell);
uint32_t room_entry_of_place(const struct sched *s, uint32_t place);
uint32_t room_pfc_of_entry(const struct sched *s, uint32_t entry);
// RANK_NONE: it has no place.
uint32_t room_entry_of_ms(const struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class);
// The slot under which the MS is ranked in a class in which it has one.
uint32_t room_leader(struct tree_ms *m, uint32_t class);

// What the MS has in that class has changed: its place among the largest follows.
void room_follow(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class);
// The limit of the cell, or that of all, is as good as full: ranks are kept from now on, and so
// many of those who waited before are ranked. True if that is all of them.
bool room_keep(struct sched *s, uint32_t cell, uint32_t octets, uint32_t places);
// A PFC that began a while ago, and may wait for long.
void room_linger(struct sched *s, uint32_t pfc);

// The MS leaves its places, before it moves or its PFCs change; and takes them again.
void room_leave(struct sched *s, uint32_t ms);
void room_return(struct sched *s, uint32_t ms);
// An MS has left a cell with its queue.
void room_settle(struct sched *s, uint32_t cell);

const char *room_check(const struct sched *s); // sched_check_room.c: which invariant does not hold

static inline void room_young_begins(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    uint32_t at = s->young_at++ % TREE_YOUNG, former = s->young[at];
    s->young[at] = pfc;
    p->young = (uint8_t)at;
    if (__builtin_expect(former != TREE_NONE, 0))
        room_linger(s, former);
}

static inline void room_young_ends(struct sched *s, uint32_t pfc, const struct tree_pfc *p)
{
    if (s->young[p->young] == pfc)
        s->young[p->young] = TREE_NONE;
}

// Ranks are kept there, or the MS may be ranked yet: if it has several PFCs, under another one.
static inline bool room_is_ranked(const struct sched *s, const struct tree_ms *m,
                                  const struct tree_pfc *p)
{
    bool several = m->slots & (m->slots - 1);
    return s->kept | s->cell[m->cell].kept || (m->state & MS_PLACED && (several || p->ranked));
}

// A queue has grown, has shrunk, or its head is half sent now.
static inline void room_grown(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                              bool begins)
{
    if (__builtin_expect(room_is_ranked(s, m, p), 0))
        room_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
    else if (begins)
        room_young_begins(s, pfc, p);
}

static inline void room_shrunk(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    if (p->queue.total == 0)
        room_young_ends(s, pfc, p);
    if (__builtin_expect(m->state & MS_PLACED, 0) &&
        (p->queue.total == 0 || room_is_ranked(s, m, p)))
        room_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
}

static inline void room_begun(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    if (__builtin_expect(m->state & MS_PLACED && total_packets(p->queue.total) == 1, 0))
        room_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
}

#endif
