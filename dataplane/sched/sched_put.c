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

static inline bool is_full(uint64_t total, uint32_t packets_max, uint64_t octets_max,
                           uint32_t octets)
{
    return total_packets(total) >= packets_max || total_octets(total) + octets > octets_max;
}

static inline bool limit_is_met(const struct sched_limit *limit, uint64_t total, uint32_t octets)
{
    return is_full(total, limit->packets, limit->octets, octets);
}

// A class's own limit is the published studies' buffer: tail drop. The others may make room.
static inline enum drop_reason limits_refuse(struct sched *s, uint32_t ms, struct tree_ms *m,
                                             uint32_t class, uint32_t octets, uint64_t now_ns)
{
    const struct tree_rule *rule = &s->rule[class];
    if (is_full(rule->total, rule->packets_max, rule->octets_max, octets))
        return DROP_class_full;
    if (limit_is_met(&s->config.ms_limit, m->total, octets) ||
        limit_is_met(&s->config.bvc_limit, s->cell[m->cell].total, octets) ||
        limit_is_met(&s->watched, s->total, octets))
        return room_make(s, ms, m, octets, now_ns);
    return DROP_NONE;
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
    enum drop_reason reason = limits_refuse(s, ms, m, p->traffic_class, pdu->octets, now_ns);
    if (reason != DROP_NONE)
        return reason;
    uint32_t pfc = tree_pfc_id(ms, slot);
    uint32_t flow = p->state & PFC_BY_FLOW ? pdu->flow_hash & (s->config.flows_a_pfc - 1) : 0;
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
