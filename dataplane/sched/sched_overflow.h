// A full limit (S11): see sched_overflow.c.
#ifndef SLUICE_SCHED_SCHED_OVERFLOW_H
#define SLUICE_SCHED_SCHED_OVERFLOW_H

#include "dataplane/sched/sched_parts.h"

enum overflow_unit { IN_PACKETS, IN_OCTETS, OVERFLOW_UNITS };
#define OVERFLOW_KEPT(unit)    (1u << (unit))
#define OVERFLOW_OCTETS_A_STEP 64u

// An arriving N-PDU; the caller checks its class's own limit.
struct overflow {
    uint32_t ms, slot, flow, octets;
    uint64_t now_ns;
    // output: the full limit, and its unit
    enum drop_reason full;
    enum overflow_unit unit;
};
// Drops heads of the largest queues until there is room. DROP_NONE, or the limit that stays full.
enum drop_reason sched_overflow_make(struct sched *s, struct overflow *r);

// All queues older than the beginning of ranking, in the cell or everywhere, are ranked now.
static inline bool overflow_all_are_ranked(const struct sched *s, uint32_t bvc)
{
    return !s->young_left && s->bvc_rest[bvc].candidates_left == TREE_NONE &&
           (!s->kept || s->candidates_left == s->candidates_end);
}

static inline bool overflow_is_full(uint64_t total, const struct sched_limit *limit,
                                    uint32_t octets)
{
    return total_packets(total) >= limit->packets || total_octets(total) + octets > limit->octets;
}

// ---- sched_candidates.c ----
// The queued N-PDUs of an MS in a class; `gives`: one of them is not half sent.
struct sched_overflow_sum {
    uint64_t total;
    bool gives;
};
struct sched_overflow_sum sched_overflow_sum(struct tree_ms *m, uint32_t class);
uint64_t sched_overflow_nse_total(const struct tree_nse *n);
// Entries of the ranks: NSEs, cells, and from sched_overflow_entry_of_candidate(s, 0) on MSs in a
// class.
uint32_t sched_overflow_entry_of_bvc(const struct sched *s, uint32_t bvc);
uint32_t sched_overflow_entry_of_candidate(const struct sched *s, uint32_t candidate);
uint32_t sched_overflow_pfc_of_entry(const struct sched *s, uint32_t entry);
// RANK_NONE: the MS is no candidate in that class.
uint32_t sched_overflow_entry_of_ms(const struct sched *s, uint32_t ms, struct tree_ms *m,
                                    uint32_t class);
// The slot that stands for the MS in a class: its lowest one there.
uint32_t sched_overflow_leader(struct tree_ms *m, uint32_t class);

// After a change of the MS's queues in that class: updates its rank.
void sched_overflow_follow(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t class);
// The limit of the cell, or of all, is nearly full: keeps ranks from now on, and ranks so many of
// the older queues. True if none of these is left.
bool sched_overflow_keep(struct sched *s, uint32_t bvc, uint32_t octets, uint32_t candidates);
// Makes a PFC with an older backlog a candidate.
void sched_overflow_linger(struct sched *s, uint32_t pfc);

// The queues of an MS are no candidates, before it moves or its PFCs change; and are again.
void sched_overflow_leave(struct sched *s, uint32_t ms);
void sched_overflow_return(struct sched *s, uint32_t ms);
// After an MS left a cell with its queue.
void sched_overflow_settle(struct sched *s, uint32_t bvc);

static inline void overflow_young_begins(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    uint32_t at = s->young_at++ % TREE_YOUNG, former = s->young[at];
    s->young[at] = pfc;
    p->young = (uint8_t)at;
    if (__builtin_expect(former != TREE_NONE, 0))
        sched_overflow_linger(s, former);
}

static inline void overflow_young_ends(struct sched *s, uint32_t pfc, const struct tree_pfc *p)
{
    if (s->young[p->young] == pfc)
        s->young[p->young] = TREE_NONE;
}

// Ranks are kept there, or the MS may still be ranked: with several PFCs, under another slot.
static inline bool overflow_is_ranked(const struct sched *s, const struct tree_ms *m,
                                      const struct tree_pfc *p)
{
    bool several = m->slots & (m->slots - 1);
    return s->kept | s->bvc[m->bvc].kept || (m->state & MS_CANDIDATE && (several || p->ranked));
}

// A queue grew, shrank, or its head became half sent.
static inline void overflow_grown(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                  struct tree_pfc *p, bool begins)
{
    if (__builtin_expect(overflow_is_ranked(s, m, p), 0))
        sched_overflow_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
    else if (begins)
        overflow_young_begins(s, pfc, p);
}

// A young queue that ends is no candidate, but its cell and its NSE may be ranked with it.
static inline void overflow_shrunk(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                   struct tree_pfc *p)
{
    bool ends = p->queue.total == 0;
    if (ends)
        overflow_young_ends(s, pfc, p);
    if (__builtin_expect(m->state & MS_CANDIDATE || (ends && s->kept), 0) &&
        (ends || overflow_is_ranked(s, m, p)))
        sched_overflow_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
}

static inline void overflow_begun(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                  struct tree_pfc *p)
{
    if (__builtin_expect(m->state & MS_CANDIDATE && total_packets(p->queue.total) == 1, 0))
        sched_overflow_follow(s, tree_pfc_ms(pfc), m, p->traffic_class);
}

#endif
