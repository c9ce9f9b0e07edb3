// An N-PDU comes: limits, then the AQM, then its queue. What is refused stays the caller's. Room is
// made before the AQM is asked: an N-PDU that it drops then leaves the room to the next.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

void sched_prefetch(const struct sched *s, uint32_t ms, uint32_t slot)
{
    if (ms >= s->config.mss || slot >= s->config.pfcs_an_ms)
        return;
    const struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    __builtin_prefetch(tree_ms(s, ms), 1);
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p->aqm_vars, 1);
}

void sched_prefetch_tail(const struct sched *s, uint32_t ms, uint32_t slot)
{
    if (ms >= s->config.mss || slot >= s->config.pfcs_an_ms)
        return;
    const struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    if (p->queue.total && !(p->state & PFC_BY_FLOW))
        __builtin_prefetch(&s->slot[p->queue.tail], 1);
}

// A class's own limit is the published studies' buffer: tail drop. The others may make room, and
// get ready for it while they are not quite full.
static inline enum drop_reason limits_refuse(struct sched *s, uint32_t ms, uint32_t slot,
                                             uint32_t flow, uint32_t octets, uint64_t now_ns)
{
    const struct tree_ms *m = tree_ms(s, ms);
    const struct tree_rule *rule = &s->rule[tree_pfc(s, tree_pfc_id(ms, slot))->traffic_class];
    if (total_packets(rule->total) >= rule->packets_max ||
        total_octets(rule->total) + octets > rule->octets_max)
        return DROP_class_full;
    if (!room_is_full(m->total, &s->config.ms_limit, octets) &&
        !room_is_full(s->cell[m->cell].total, &s->bvc_high, octets) &&
        !room_is_full(s->total, &s->high, octets))
        return DROP_NONE;
    struct room r = {.ms = ms, .slot = slot, .flow = flow, .octets = octets, .now_ns = now_ns};
    return room_make(s, &r);
}

static bool pfc_exists(const struct sched *s, uint32_t ms, uint32_t slot)
{
    return ms < s->config.mss && slot < s->config.pfcs_an_ms && tree_ms(s, ms)->slots & 1u << slot;
}

enum drop_reason sched_put(struct sched *s, uint32_t ms, uint32_t slot, const struct pdu *pdu,
                           uint64_t now_ns)
{
    if (!pfc_exists(s, ms, slot) || pdu->octets == 0)
        return DROP_no_queue;
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t flow = p->state & PFC_BY_FLOW ? pdu->flow_hash & (s->config.flows_a_pfc - 1) : 0;
    enum drop_reason reason = limits_refuse(s, ms, slot, flow, pdu->octets, now_ns);
    if (reason != DROP_NONE)
        return reason;
    uint32_t pfc = tree_pfc_id(ms, slot);
    // Written where it will stay: copying it once more would wait for these very stores.
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
    if (begins) {
        pfc_begins(s, pfc, m, p, now_ns);
    } else if (p->state & PFC_BY_FLOW && !p->sent_octets && flow != p->flow) {
        uint8_t was = p->flow;
        queue_choose_flow(s, pfc, p);
        if (p->flow != was) // a new flow goes first now: nobody may wait for another's head
            ms_heads_change(s, ms, now_ns);
    }
    return DROP_NONE;
}
