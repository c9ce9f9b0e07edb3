// Rings of PFCs and of cells, and counts of backlogs: inline, as every packet passes these. See
// sched_bvc.c and sched_ready.c.
#ifndef SLUICE_SCHED_SCHED_RING_H
#define SLUICE_SCHED_SCHED_RING_H

#include "dataplane/sched/sched_parts.h"

static inline void ring_link_before(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                    uint32_t next)
{
    struct tree_pfc *n = tree_pfc(s, next);
    uint32_t prev = n->prev;
    p->next = next;
    p->prev = prev;
    tree_pfc(s, prev)->next = pfc;
    n->prev = pfc;
}

// The class keeps other PFCs in its ring, so it does not become idle.
static inline void ring_unlink(struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                               struct tree_class *k)
{
    uint32_t next = p->next, prev = p->prev;
    tree_pfc(s, prev)->next = next;
    tree_pfc(s, next)->prev = prev;
    if (k->head == pfc)
        k->head = next;
}

// Removes the PFC from its ring; the caller then calls sched_bvc_refresh.
static inline void bvc_ring_unlink(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                   struct tree_bvc *c)
{
    uint32_t class = p->traffic_class;
    struct tree_class *k = &c->of_class[class];
    if (p->next == pfc) {
        k->head = TREE_NONE;
        c->active &= (uint8_t) ~(1u << class);
    } else {
        ring_unlink(s, pfc, p, k);
    }
    p->state &= (uint8_t) ~(PFC_IN_RING | PFC_TURN);
}

// A PFC of that class begins, or ends, to have a backlog in that cell.
static inline void bvc_backlog(struct sched *s, struct tree_bvc *c, uint32_t class, bool more)
{
    uint32_t step = more ? 1 : UINT32_MAX;
    uint32_t before = c->of_class[class].backlogged, after = before + step;
    c->of_class[class].backlogged = after;
    if (__builtin_expect(before && after, 1))
        return;
    c->backlogged ^= (uint8_t)(1u << class);
    s->nse[c->nse].bvcs_backlogged[class] += step;
}

// Appends the cell to the ring of ready cells that starts with `first`.
static inline void bvcs_link(struct sched *s, uint32_t bvc, struct tree_bvc *c, uint32_t first)
{
    struct tree_bvc *next = &s->bvc[first];
    c->next = first;
    c->prev = next->prev;
    s->bvc[next->prev].next = bvc;
    next->prev = bvc;
}

static inline void bvcs_unlink(struct sched *s, const struct tree_bvc *c)
{
    s->bvc[c->prev].next = c->next;
    s->bvc[c->next].prev = c->prev;
}

// The cell was idle, and its pipe's cells take turns; others are ready, so neither the first cell
// nor the pipe's readiness changes.
static inline bool bvc_joins_turns(const struct tree_nse *n, const struct tree_bvc *c)
{
    return !(c->state & (BVC_READY | BVC_WAITS | BVC_STANDS)) && !ready_by_time(n) &&
           n->ring[READY_TURNS] != TREE_NONE;
}

static inline void bvc_join_turns(struct sched *s, struct tree_nse *n, uint32_t bvc,
                                  struct tree_bvc *c)
{
    c->state |= BVC_READY;
    c->untimed = true;
    c->ready_ring = READY_TURNS;
    bvcs_link(s, bvc, c, n->ring[READY_TURNS]);
}

// The cell is first by turns and has nothing left to send; others are ready.
static inline void bvc_leave_turns(struct sched *s, struct tree_nse *n, struct tree_bvc *c)
{
    c->state &= (uint8_t)~BVC_READY;
    bvcs_unlink(s, c);
    bvc_has_had_turn(n, c);
}

#endif
