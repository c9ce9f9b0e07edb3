// Rings of PFCs and of cells, and counts of backlogs: inline, as every packet passes these. See
// sched_bvc.c and sched_ready.c.
#ifndef SLUICE_SCHED_SCHED_RING_H
#define SLUICE_SCHED_SCHED_RING_H

#include "dataplane/sched/sched_parts.h"

// The order in a class's ring: PFCs that have begun an N-PDU (S12), then sparse ones with a small
// N-PDU (flow_quantum), those on credit, sparse ones with a large N-PDU (S13), and the rest, by
// turns. A PFC that joins is sparse while its MS has sent less than a quantum in this round; so it
// waits for none of those with a longer backlog. It may leave and come back with what is left of
// its quantum, but has no other one before the next round: none of the rest has less. A round ends
// with the turn of the PFC that was the last when the round began.
//
// On credit goes an N-PDU of a flow that has at most a flow_quantum queued: else it would wait for
// the turn that another flow of its MS has used up. It is charged to its MS, which may owe two
// LLC PDUs; but the MS has one turn in each round, whatever it sends on credit, so its other flows
// go on.

static inline void ring_link(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t prev,
                             uint32_t next)
{
    p->next = next;
    p->prev = prev;
    tree_pfc(s, prev)->next = pfc;
    tree_pfc(s, next)->prev = pfc;
}

static inline void ring_link_before(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                    uint32_t next)
{
    ring_link(s, pfc, p, tree_pfc(s, next)->prev, next);
}

// The last PFC in front up to that place, or TREE_NONE.
static inline uint32_t ring_last_up_to(const struct tree_class *k, uint32_t place)
{
    for (uint32_t i = place; i; i--)
        if (k->last[i] != TREE_NONE)
            return k->last[i];
    return k->last[0];
}

static inline void ring_front_leave(struct tree_class *k, uint32_t pfc, const struct tree_pfc *p)
{
    uint32_t before = k->head == pfc ? TREE_NONE : p->prev;
    for (uint32_t place = 0; place < RING_PLACES; place++)
        if (k->last[place] == pfc)
            k->last[place] = place && ring_last_up_to(k, place - 1) == before ? TREE_NONE : before;
}

// No PFC is in front of the rest.
static inline bool ring_has_front(const struct tree_class *k)
{
    return (k->last[RING_SMALL] & k->last[RING_CREDIT] & k->last[RING_LARGE]) != TREE_NONE;
}

static inline void ring_take_out(struct sched *s, const struct tree_pfc *p)
{
    tree_pfc(s, p->prev)->next = p->next;
    tree_pfc(s, p->next)->prev = p->prev;
}

// To take another place in the ring.
static inline void ring_leave_place(struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                                    struct tree_class *k)
{
    if (k->head == pfc)
        k->head = p->next;
    ring_take_out(s, p);
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

// It waits for its turn behind those in front.
static inline bool ring_is_rest(const struct tree_pfc *p)
{
    return p->place == RING_REST && !p->sent_octets;
}

// The turn of the head ends: it becomes the last.
static inline void ring_pass(struct tree_class *k, struct tree_pfc *p)
{
    k->round += k->round_end == k->head;
    ring_front_leave(k, k->head, p);
    p->place = RING_REST;
    k->head = p->next;
}

// So many rounds later nothing is owed. An odd number, as one round is, so that the present round
// is not taken for that of a PFC's last turn (odd_turn).
#define RING_ROUNDS_TO_FORGET 65

// Removes the PFC from its ring; the caller then calls sched_bvc_refresh. In an empty ring nobody
// waits for what another one owes, so that is forgotten.
static inline void bvc_ring_unlink(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                   struct tree_bvc *c)
{
    uint32_t class = p->traffic_class;
    struct tree_class *k = &c->of_class[class];
    uint32_t round = k->round;
    if (p->next == pfc) {
        k->head = TREE_NONE;
        k->round += RING_ROUNDS_TO_FORGET;
        c->active &= (uint8_t) ~(1u << class);
    } else {
        ring_unlink(s, pfc, p, k);
    }
    p->state &= (uint8_t) ~(PFC_IN_RING | PFC_TURN);
    p->place = RING_REST;
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

// It owes so much that its turn may not come: of eight PFCs of a class each has an eighth of it.
static inline bool ring_owes(const struct sched *s, const struct tree_pfc *p)
{
    return p->deficit <= -(int32_t)(s->config.pdu_octets_max / SCHED_SLOTS);
}

// The turns of rounds in which no PFC of its class was in the ring pay for all of them that owe;
// the turn of this round is still to come.
void sched_ring_pay(const struct sched *s, struct tree_ms *m, struct tree_pfc *p,
                    const struct tree_class *k);

static inline bool ring_is_small(const struct sched *s, const struct tree_pfc *p)
{
    return (p->head_info & QUEUE_INFO_OCTETS) <= s->config.flow_quantum_octets;
}

static inline enum ring_place ring_sparse_place(const struct sched *s, const struct tree_pfc *p)
{
    return ring_is_small(s, p) ? RING_SMALL : RING_LARGE;
}

// Its turn has begun in this round; of a sparse one that waited, it may have been in the last one.
static inline bool ring_turn_goes_on(const struct tree_pfc *p, const struct tree_class *k)
{
    return p->state & PFC_TURN && p->odd_turn == (k->round & 1);
}

// Its next N-PDU may go on credit.
static inline bool ring_has_credit(const struct sched *s, uint32_t pfc, struct tree_ms *m,
                                   const struct tree_pfc *p, const struct tree_class *k)
{
    return p->state & PFC_BY_FLOW && !p->sent_octets && p->deficit > -credit_octets(s) &&
           queue_flow_is_small(s, pfc, p) &&
           (!(m->slots & (m->slots - 1)) || !sched_ring_mate_has_turn(m, p, k));
}

// It is the last of its place in front now.
static inline void ring_is_last(struct tree_class *k, uint32_t pfc, enum ring_place place)
{
    if (place != RING_REST)
        k->last[place] = pfc;
}

// Into the ring of an idle class.
static inline void ring_begin(const struct sched *s, uint32_t pfc, struct tree_pfc *p,
                              struct tree_class *k)
{
    k->head = k->round_end = p->next = p->prev = pfc;
    p->place = (uint8_t)ring_sparse_place(s, p) & 3;
    k->last[RING_SMALL] = k->last[RING_CREDIT] = k->last[RING_LARGE] = TREE_NONE;
    k->last[p->sent_octets ? RING_SMALL : p->place] = pfc;
}

// One that is not in the ring takes a place in front of the rest; or the first one of the rest, if
// its turn of this round is now. True: it is the head now.
static inline bool ring_put_in(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                               struct tree_class *k, enum ring_place place)
{
    if (place == RING_REST && !ring_is_rest(tree_pfc(s, k->round_end)))
        k->round_end = pfc;
    p->place = (uint8_t)place & 3;
    uint32_t behind = ring_last_up_to(k, place < RING_PLACES ? place : RING_LARGE);
    if (tree_pfc(s, k->head)->sent_octets) {
        behind = behind == TREE_NONE ? k->head : behind;
        // `behind` may have begun, and count in a later place as well: now this one follows it
        // there
        for (uint32_t i = place + 1; i < RING_PLACES; i++)
            k->last[i] = k->last[i] == behind ? TREE_NONE : k->last[i];
    }
    bool first = behind == TREE_NONE;
    if (first) {
        ring_link_before(s, pfc, p, k->head);
        k->head = pfc;
    } else {
        ring_link(s, pfc, p, behind, tree_pfc(s, behind)->next);
    }
    ring_is_last(k, pfc, place);
    return first;
}

// Into the ring of a class that is not idle; true: it is the head now.
static inline bool ring_join(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                             struct tree_class *k)
{
    if (ring_is_sparse(m, p, k)) {
        if (p->next == k->round && p->odd_turn == (k->round & 1)) // it goes on
            p->state |= PFC_TURN;
        return ring_put_in(s, pfc, p, k, ring_sparse_place(s, p));
    }
    if (ring_has_credit(s, pfc, m, p, k))
        return ring_put_in(s, pfc, p, k, RING_CREDIT);
    p->place = RING_REST;
    ring_link_before(s, pfc, p, k->head);
    return false;
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
