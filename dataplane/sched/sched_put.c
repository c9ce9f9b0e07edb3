// Takes an arriving N-PDU: is it late, the limits, then the AQM, then its queue. A refused N-PDU
// stays the caller's. Room is made before the AQM is called: if the AQM drops the N-PDU, the next
// one gets the room.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_ring.h"

void sched_prefetch(const struct sched *s, uint32_t ms, uint32_t slot)
{
    if (ms < s->config.mss && slot < s->config.pfcs_an_ms)
        tree_prefetch(tree_ms(s, ms), tree_pfc_of(tree_ms(s, ms), slot));
}

void sched_prefetch_flow(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash)
{
    if (ms < s->config.mss && slot < s->config.pfcs_an_ms && s->config.flows_a_pfc)
        queue_prefetch_lists(s, tree_pfc_id(ms, slot), flow_hash & (s->config.flows_a_pfc - 1));
}

void sched_prefetch_tail(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash)
{
    if (ms >= s->config.mss || slot >= s->config.pfcs_an_ms)
        return;
    const struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    uint32_t pfc = tree_pfc_id(ms, slot);
    if (p->state & PFC_BY_FLOW)
        queue_prefetch_flow(s, pfc, sched_queue_flow_of(s, pfc, flow_hash), false);
    else if (p->queue.total)
        __builtin_prefetch(&s->slot[p->queue.tail], 1);
}

// A class's own limit is a tail-drop buffer, as in published studies. At the other limits queues
// may be dropped from, and their ranks begin before they are full.
static inline enum drop_reason limits_refuse(struct sched *s, uint32_t ms, uint32_t slot,
                                             uint32_t flow, uint32_t octets, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    const struct tree_rule *rule = &s->rule[tree_pfc_of(m, slot)->traffic_class];
    uint64_t more = total_of(octets);
    if (total_is_full(rule->total, more, rule->limit))
        return DROP_class_full;
    if (!total_is_full(m->total, more, s->ms_total) &&
        !total_is_full(s->bvc[m->bvc].total, more, s->bvc_high_total) &&
        !total_is_full(s->total, more, s->high_total))
        return DROP_NONE;
    struct overflow r = {.ms = ms, .slot = slot, .flow = flow, .octets = octets, .now_ns = now_ns};
    return sched_overflow_make(s, &r);
}

static bool pfc_exists(const struct sched *s, uint32_t ms, uint32_t slot)
{
    return ms < s->config.mss && slot < s->config.pfcs_an_ms && tree_ms(s, ms)->slots & 1u << slot;
}

// The usual case of an empty queue: its MS has nothing else queued, is held by nothing, owes no
// turn, and sent last; the cell is ready and stays so, or joins other cells that take turns.
static inline bool joins_others(const struct sched *s, const struct tree_ms *m,
                                const struct tree_pfc *p, uint32_t slot)
{
    if (m->backlog | (p->state & ~PFC_BY_FLOW) | (m->state & ~MS_USUAL) | ring_owes(s, p) ||
        m->last != slot || s->config.in_full)
        return false;
    const struct tree_bvc *c = &s->bvc[m->bvc];
    if (c->of_class[p->traffic_class].head != TREE_NONE)
        return true;
    return p->traffic_class != CLASS_SIGNALLING && bvc_joins_turns(&s->nse[c->nse], c);
}

static inline void join_class(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    uint32_t bvc = m->bvc, class = p->traffic_class;
    struct tree_bvc *c = &s->bvc[bvc];
    struct tree_nse *n = &s->nse[c->nse];
    struct tree_class *k = &c->of_class[class];
    if (k->head != TREE_NONE) {
        if (ring_join(s, pfc, m, p, k) && (c->state & GATE_WAITS || n->state & GATE_WAITS))
            sched_bvc_head_changes(s, class, bvc);
        return;
    }
    ring_begin(s, pfc, p, k);
    bvc_class_wakes(c, n, class);
    c->active = (uint8_t)(1u << class);
    bvc_join_turns(s, n, bvc, c);
}

// The effect of sched_pfc_begins in that case.
static inline void join_others(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    uint32_t ms = tree_pfc_ms(pfc);
    bvc_backlog(s, &s->bvc[m->bvc], p->traffic_class, true);
    s->backlogged[ms / 64] |= 1ULL << ms % 64;
    p->share_uses = 0;
    queue_choose(s, pfc, p);
    p->state |= PFC_IN_RING;
    join_class(s, pfc, m, p);
    m->backlog = (uint8_t)(1u << tree_pfc_slot(pfc));
}

enum drop_reason sched_put(struct sched *s, uint32_t ms, uint32_t slot, const struct pdu *pdu,
                           uint64_t now_ns)
{
    if (!pfc_exists(s, ms, slot) || pdu->octets == 0)
        return DROP_no_queue;
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t pfc = tree_pfc_id(ms, slot);
    uint32_t flow = p->state & PFC_BY_FLOW ? sched_queue_flow_of(s, pfc, pdu->flow_hash) : 0;
    if (aqm_is_late(s, pfc, p, flow, pdu->octets))
        return DROP_late;
    enum drop_reason reason = limits_refuse(s, ms, slot, flow, pdu->octets, now_ns);
    if (reason != DROP_NONE)
        return reason;
    // Written to its slot at once: a copy would have to wait for these stores.
    struct pdu *queued = &s->slot[s->slot_free];
    uint32_t next_free = queued->next;
    *queued = *pdu;
    pdu_stamp(queued, tree_ms_clock(m, now_ns), now_ns);
    queued->mark = 0;
    reason = aqm_ask_in(s, pfc, m, p, queued, flow, now_ns);
    if (reason != DROP_NONE) {
        queued->next = next_free;
        return reason;
    }
    bool begins = p->queue.total == 0;
    queue_push(s, pfc, m, p, flow, next_free);
    if (begins && joins_others(s, m, p, slot)) {
        join_others(s, pfc, m, p);
    } else if (begins) {
        sched_pfc_begins(s, pfc, m, p, now_ns);
    } else if (p->state & PFC_BY_FLOW && !p->sent_octets && flow != p->flow) {
        uint8_t was = p->flow;
        sched_queue_choose_flow(s, pfc, p);
        if (p->flow != was) { // a new head: an MS or cell that waits for the old one looks again
            if (p->state & PFC_IN_RING)
                sched_bvc_ring_settle(s, pfc, p, m->bvc);
            sched_ms_heads_change(s, ms, now_ns);
        }
    }
    return DROP_NONE;
}
