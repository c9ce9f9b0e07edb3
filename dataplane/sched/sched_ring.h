// Rings of PFCs and of cells, and counts of backlogs: inline, as every packet passes these. See
// sched_bvc.c and sched_ready.c.
#ifndef SLUICE_SCHED_SCHED_RING_H
#define SLUICE_SCHED_SCHED_RING_H

#include "dataplane/sched/sched_parts.h"

// The order in a class's ring: PFCs that have begun an N-PDU (S12), then sparse ones (S13), of
// which those with a small N-PDU (flow_quantum) go first, then the rest, by turns. A PFC that joins
// is sparse while its MS has sent less than a quantum in this round; so it waits for none of those
// with a longer backlog. It may leave and come back with what is left of its quantum, but has no
// other one before the next round: none of the rest has less. A round ends with the turn of the PFC
// that was the last when the round began.
enum { RING_REST, RING_SMALL, RING_LARGE };

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

static inline void ring_front_leave(struct tree_class *k, uint32_t pfc, const struct tree_pfc *p)
{
    uint32_t before = k->head == pfc ? TREE_NONE : p->prev;
    if (k->front == pfc)
        k->front = before;
    if (k->small == pfc)
        k->small = before;
}

static inline void ring_take_out(struct sched *s, const struct tree_pfc *p)
{
    tree_pfc(s, p->prev)->next = p->next;
    tree_pfc(s, p->next)->prev = p->prev;
}

// The class keeps other PFCs in its ring, so it does not become idle.
static inline void ring_unlink(struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                               struct tree_class *k)
{
    ring_front_leave(k, pfc, p);
    if (k->round_end == pfc) {
        k->round += k->head == pfc;
        k->round_end = p->prev;
    }
    ring_take_out(s, p);
    if (k->head == pfc)
        k->head = p->next;
}

// The turn of the head ends: it becomes the last.
static inline void ring_pass(struct tree_class *k, struct tree_pfc *p)
{
    k->round += k->round_end == k->head;
    ring_front_leave(k, k->head, p);
    p->sparse = RING_REST;
    k->head = p->next;
}

// Removes the PFC from its ring; the caller then calls sched_bvc_refresh.
static inline void bvc_ring_unlink(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                   struct tree_bvc *c)
{
    uint32_t class = p->traffic_class;
    struct tree_class *k = &c->of_class[class];
    uint32_t round = k->round;
    if (p->next == pfc) {
        k->head = TREE_NONE;
        k->round++;
        c->active &= (uint8_t) ~(1u << class);
    } else {
        ring_unlink(s, pfc, p, k);
    }
    p->state &= (uint8_t) ~(PFC_IN_RING | PFC_TURN);
    p->sparse = RING_REST;
    p->next = round;
}

// It has, or has had, its turn of this round.
static inline bool ring_has_turn(const struct tree_pfc *p, const struct tree_class *k)
{
    return p->state & PFC_IN_RING || p->next == k->round;
}

// Another PFC of its MS and class has that.
bool sched_ring_mate_has_turn(struct tree_ms *m, const struct tree_pfc *p,
                              const struct tree_class *k);
static inline bool ring_is_sparse(struct tree_ms *m, const struct tree_pfc *p,
                                  const struct tree_class *k)
{
    return (p->next != k->round || p->deficit > 0) &&
           (!(m->slots & (m->slots - 1)) || !sched_ring_mate_has_turn(m, p, k));
}

static inline uint8_t ring_size(const struct sched *s, const struct tree_pfc *p)
{
    return (p->head_info & QUEUE_INFO_OCTETS) <= s->config.flow_quantum_octets ? RING_SMALL
                                                                               : RING_LARGE;
}

// Into the ring of an idle class.
static inline void ring_begin(const struct sched *s, uint32_t pfc, struct tree_pfc *p,
                              struct tree_class *k)
{
    k->head = k->front = k->round_end = p->next = p->prev = pfc;
    p->sparse = ring_size(s, p);
    k->small = p->sparse == RING_SMALL || p->sent_octets ? pfc : TREE_NONE;
}

// A sparse one that is not in the ring takes its place there; true: it is the head now.
static inline bool ring_place_sparse(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                     struct tree_class *k)
{
    p->sparse = ring_size(s, p);
    uint32_t behind = p->sparse == RING_SMALL ? k->small : k->front;
    if (behind == TREE_NONE && tree_pfc(s, k->head)->sent_octets)
        behind = k->head;
    ring_link_before(s, pfc, p, behind == TREE_NONE ? k->head : tree_pfc(s, behind)->next);
    if (behind == TREE_NONE)
        k->head = pfc;
    if (p->sparse == RING_SMALL)
        k->small = pfc;
    if (k->front == TREE_NONE || k->front == behind)
        k->front = pfc;
    return behind == TREE_NONE;
}

// Into the ring of a class that is not idle; true: it is the head now.
static inline bool ring_join(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                             struct tree_class *k)
{
    if (!ring_is_sparse(m, p, k)) {
        ring_link_before(s, pfc, p, k->head);
        return false;
    }
    if (p->next == k->round && p->odd_turn == (k->round & 1)) // it goes on
        p->state |= PFC_TURN;
    return ring_place_sparse(s, pfc, p, k);
}

// Its turn has begun in this round; of a sparse one that waited, it may have been in the last one.
static inline bool ring_turn_goes_on(const struct tree_pfc *p, const struct tree_class *k)
{
    return p->state & PFC_TURN && p->odd_turn == (k->round & 1);
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
    return !(c->state & (BVC_READY | GATE_WAITS | BVC_SHUT)) && !ready_by_time(n) &&
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
