// An MS moves to another worker's scheduler: its queue with order, age and AQM state, its clock,
// and the progress of a half-sent N-PDU. As within one scheduler (sched_ms_move) its buckets begin
// empty, on the new cell's defaults, and its PFCs have no values. Left out: the deficits of flows
// and the AQM state of a flow's queue, which begin again.
#include <string.h>

#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_change.h"
#include "dataplane/sched/sched_queue.h"

static uint8_t *vars_of(const struct sched *s, uint32_t ms, uint32_t slot)
{
    return tree_vars(s, SCHED_SCOPE_PFC, tree_pfc_index(s, tree_pfc_id(ms, slot)));
}

// With flow queues `flow_hash` is one that finds the flow's number, has its tag, and says whether
// flows share the queue.
#define HASH_SHARED 0x8000u
static uint32_t hash_of(const struct tree_flow *f, uint32_t flow)
{
    uint32_t low = flow | (f->shared ? HASH_SHARED : 0);
    return (f->tag ^ low) << 16 | low;
}

static void hand_over(struct sched *s, uint32_t ms, uint32_t slot, sched_leave_fn *leave,
                      void *self)
{
    uint32_t pfc = tree_pfc_id(ms, slot);
    struct tree_pfc *p = tree_pfc(s, pfc);
    while (p->queue.total) {
        queue_choose(s, pfc, p);
        struct pdu pdu = *queue_head(s, pfc, p);
        if (p->state & PFC_BY_FLOW)
            pdu.flow_hash = hash_of(queue_flow(s, pfc, p->flow), p->flow);
        queue_pop(s, pfc, tree_ms(s, ms), p);
        leave(self, slot, &pdu);
    }
}

int sched_ms_leave(struct sched *s, uint32_t ms, struct sched_baggage *b, sched_leave_fn *leave,
                   void *self, uint64_t now_ns)
{
    int fault = sched_change_ms(s, ms, true);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    b->away_ns = m->away_ns;
    b->clock_ns = tree_ms_clock(m, now_ns);
    b->stands = m->state & (GATE_BLOCKED | GATE_STOPPED);
    b->slots = m->slots;
    memcpy(b->n201_u, m->n201_u, sizeof b->n201_u);
    b->lles = s->mate[ms].lles;
    for (uint32_t slot = 0; slot < s->config.pfcs_an_ms; slot++) {
        if (!(b->slots & 1u << slot))
            continue;
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        struct sched_baggage_pfc *to = &b->pfc[slot];
        to->traffic_class = p->traffic_class;
        to->leader = (uint8_t)pfc_leader(p, slot);
        to->sent_octets = p->sent_octets;
        to->n201_u = p->n201_u;
        memcpy(to->aqm_vars, vars_of(s, ms, slot), s->vars_octets[SCHED_SCOPE_PFC]);
        hand_over(s, ms, slot, leave, self);
    }
    sched_ms_update(s, ms, now_ns);
    return sched_ms_remove(s, ms, DROP_removed, now_ns); // finds nothing to drop
}

int sched_ms_arrive(struct sched *s, uint32_t ms, uint32_t bvc, const struct sched_baggage *b,
                    uint64_t now_ns)
{
    int fault = sched_ms_add(s, ms, bvc, b->n201_u[0], now_ns);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    uint32_t was = sched_sizes_n201_u(s, ms);
    memcpy(m->n201_u, b->n201_u, sizeof b->n201_u);
    sched_sizes_ms_changes(s, ms, was);
    sched_ms_lles(s, ms, b->lles, now_ns);
    m->away_ns = b->away_ns;
    m->state |= b->stands;
    sched_change_standing(s, ms, GATE_STOPPED, false, now_ns);
    // The new worker's time may be slightly behind; the MS's own clock must not go back, or an
    // N-PDU just queued would have an endless age.
    if (!ms_stands(m) && tree_before(tree_ms_clock(m, now_ns), b->clock_ns))
        m->away_ns = now_ns - b->clock_ns;
    for (uint32_t slot = 0; slot < s->config.pfcs_an_ms && !fault; slot++) {
        if (!(b->slots & 1u << slot))
            continue;
        fault = sched_pfc_add(s, ms, slot, b->pfc[slot].traffic_class);
        memcpy(vars_of(s, ms, slot), b->pfc[slot].aqm_vars, s->vars_octets[SCHED_SCOPE_PFC]);
        struct tree_pfc *p = tree_pfc_of(m, slot);
        if (s->vars_octets[SCHED_SCOPE_PFC]) // else no AQM there has vars
            aqm_was_asked(s, tree_pfc_id(ms, slot), p, 0, vars_of(s, ms, slot));
    }
    for (uint32_t slot = 0; slot < s->config.pfcs_an_ms && !fault; slot++)
        if (b->slots & 1u << slot && b->pfc[slot].leader != slot)
            fault = sched_pfc_share(s, ms, slot, b->pfc[slot].leader, now_ns);
    return fault;
}

enum drop_reason sched_ms_arrive_npdu(struct sched *s, uint32_t ms, uint32_t slot,
                                      const struct pdu *pdu, const struct sched_baggage *b,
                                      uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t pfc = tree_pfc_id(ms, slot);
    uint32_t flow = p->state & PFC_BY_FLOW ? pdu->flow_hash & (s->config.flows_a_pfc - 1) : 0;
    if (total_packets(s->total) >= s->config.limit.packets)
        return DROP_queue_full;
    bool begins = p->queue.total == 0;
    uint32_t next_free = s->slot[s->slot_free].next;
    s->slot[s->slot_free] = *pdu;
    queue_push(s, pfc, m, p, flow, next_free);
    if (p->state & PFC_BY_FLOW && pdu->flow_hash & HASH_SHARED)
        queue_flow(s, pfc, flow)->shared = true;
    if (!begins)
        return DROP_NONE;
    queue_choose(s, pfc, p);
    if (b->pfc[slot].sent_octets) { // it was half sent, and goes on
        uint32_t lle = p->head_info >> 14, octets = total_octets(p->queue.total);
        p->sent_octets = b->pfc[slot].sent_octets;
        p->n201_u = b->pfc[slot].n201_u;
        p->head_info = queue_info(octets - p->sent_octets, lle);
        ms_lle_set(m, lle, slot + 1);
    }
    overflow_begun(s, pfc, m, p);
    sched_pfc_begins(s, pfc, m, p, now_ns);
    return DROP_NONE;
}
