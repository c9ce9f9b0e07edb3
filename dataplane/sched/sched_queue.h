// Adds N-PDUs to queues and removes them: inline, as every packet passes this. See sched_queue.c.
#ifndef SLUICE_SCHED_SCHED_QUEUE_H
#define SLUICE_SCHED_SCHED_QUEUE_H

#include "dataplane/sched/sched_overflow.h"

void sched_queue_append_to_flow(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                                uint32_t slot);
// The flow has sent an N-PDU of so many octets, before the first flow of a list behind its own.
void sched_queue_charge(const struct sched *s, uint32_t pfc, uint32_t flow, uint32_t octets);
// The PFC's half-sent N-PDU has ended: PFCs that waited for its LLE may send.
void sched_queue_close_lle(struct sched *s, uint32_t pfc, struct tree_ms *m, uint32_t lle);

// Of a flow, by its hash.
static inline uint16_t queue_tag_of(uint32_t hash)
{
    return (uint16_t)(hash ^ hash >> 16);
}

// The lists of a PFC's flows, and one of its flows.
static SCHED_INLINE void queue_prefetch_lists(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    const struct tree_flow *f = &s->flow[queue_flow_index(s, pfc, flow)];
    __builtin_prefetch(&s->flows[tree_pfc_index(s, pfc)], 1);
    __builtin_prefetch(f, 1);
    __builtin_prefetch((const uint8_t *)(f + 1) - 1, 1);
}

// What an N-PDU of that flow touches beside these: the end of its queue, and the AQM's vars.
static SCHED_INLINE void queue_prefetch_flow(const struct sched *s, uint32_t pfc, uint32_t flow,
                                             bool head)
{
    size_t at = queue_flow_index(s, pfc, flow);
    const struct tree_flow *f = &s->flow[at];
    if (f->queue.total)
        __builtin_prefetch(&s->slot[head ? f->queue.head : f->queue.tail], 1);
    if (f->asked)
        __builtin_prefetch(tree_vars(s, SCHED_SCOPE_FLOW, at), 1);
}

static inline void queue_append(struct sched *s, struct tree_queue *q, uint32_t slot)
{
    const struct pdu *pdu = &s->slot[slot];
    if (q->total == 0) {
        q->head = slot;
    } else {
        s->slot[q->tail].next = slot;
        s->slot[q->tail].next_octets_lle = queue_info(pdu->octets, pdu->lle);
    }
    q->tail = slot;
    q->total += total_of(pdu->octets);
}

// Adds to the totals of all nodes above the queue; `step` may be negative, modulo 2^64.
static inline void queue_count(struct sched *s, struct tree_ms *m, uint32_t class, uint64_t step)
{
    struct tree_bvc *c = &s->bvc[m->bvc];
    m->total += step;
    c->total += step;
    c->of_class[class].total += step;
    s->nse[c->nse].total[class] += step;
    s->rule[class].total += step;
    s->total += step;
    if (__builtin_expect(ms_stands(m), 0))
        standing_count(s, m->bvc, class, step, 0);
}

// Appends the N-PDU in the first free slot to its queue.
static inline void queue_push(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                              uint32_t flow, uint32_t next_free)
{
    uint32_t slot = s->slot_free;
    const struct pdu *pdu = &s->slot[slot];
    s->slot_free = next_free;
    if (p->state & PFC_BY_FLOW) {
        sched_queue_append_to_flow(s, pfc, p, flow, slot);
    } else {
        if (p->queue.total == 0)
            p->head_info = queue_info(pdu->octets, pdu->lle);
        queue_append(s, &p->queue, slot);
    }
    bool begins = p->queue.total == total_of(pdu->octets);
    queue_count(s, m, p->traffic_class, total_of(pdu->octets));
    overflow_grown(s, pfc, m, p, begins);
}

static inline void queue_free(struct sched *s, uint32_t slot)
{
    s->slot[slot].next = s->slot_free;
    s->slot_free = slot;
}

// Removes an unlinked slot from all counts, and frees it.
static inline void queue_forget(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                struct tree_pfc *p, struct tree_queue *q, uint32_t slot)
{
    struct pdu *pdu = &s->slot[slot];
    uint64_t step = total_of(pdu->octets);
    q->total -= step;
    if (q != &p->queue)
        p->queue.total -= step;
    queue_count(s, m, p->traffic_class, -step);
    queue_free(s, slot);
    overflow_shrunk(s, pfc, m, p);
    if (p->queue.total == 0)
        sched_pfc_ends(s, pfc);
}

// Drops the head of a queue, or, with `behind`, the N-PDU behind a half-sent head.
void sched_queue_drop(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_queue *q,
                      bool behind, enum drop_reason reason);

// Removes the head.
static inline void queue_pop(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    bool by_flow = p->state & PFC_BY_FLOW;
    struct tree_queue *q = by_flow ? &queue_flow(s, pfc, p->flow)->queue : &p->queue;
    uint32_t slot = q->head;
    const struct pdu *pdu = &s->slot[slot];
    uint32_t lle = pdu->lle;
    q->head = pdu->next;
    p->head_info = pdu->next_octets_lle;
    p->sent_octets = 0;
    queue_forget(s, pfc, m, p, q, slot);
    if (ms_lle_open(m, lle) == tree_pfc_slot(pfc) + 1)
        sched_queue_close_lle(s, pfc, m, lle);
}

#endif
