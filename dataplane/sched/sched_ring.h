// Rings of PFCs, and who has a backlog: on every packet's way, so inline. See sched_cell.c.
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

// It is in the ring, and stays there: the class does not fall idle.
static inline void ring_unlink(struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                               struct tree_class *k)
{
    uint32_t next = p->next, prev = p->prev;
    tree_pfc(s, prev)->next = next;
    tree_pfc(s, next)->prev = prev;
    if (k->head == pfc)
        k->head = next;
}

// Out of its ring; cell_refresh has to follow.
static inline void cell_ring_unlink(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                    struct tree_cell *c)
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

// A PFC of that class has, or no longer has, a backlog in that cell.
static inline void cell_backlog(struct sched *s, struct tree_cell *c, uint32_t class, bool more)
{
    uint32_t step = more ? 1 : UINT32_MAX;
    uint32_t before = c->of_class[class].backlogged, after = before + step;
    c->of_class[class].backlogged = after;
    if (__builtin_expect(before && after, 1))
        return;
    c->backlogged ^= (uint8_t)(1u << class);
    s->nse[c->nse].cells_backlogged[class] += step;
}

#endif
