// Calls of an AQM: inline, as every packet passes them. See sched_aqm.c.
#ifndef SLUICE_SCHED_SCHED_AQM_H
#define SLUICE_SCHED_SCHED_AQM_H

#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_round.h"

uint32_t sched_aqm_share_again(const struct aqm_view *view);
uint32_t sched_aqm_ahead(const struct aqm_view *view);
bool sched_aqm_is_late(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                       uint32_t octets);
uint8_t *sched_aqm_look_wide(struct sched *s, const struct tree_ms *m, uint32_t class, bool nse,
                             struct aqm_view *view, uint64_t *total);

// Fills in the view of the queue that the AQM watches, and returns the AQM's vars for it.
static inline uint8_t *aqm_look(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                struct tree_pfc *p, uint32_t flow, struct aqm_view *view)
{
    uint32_t class = p->traffic_class;
    enum sched_scope scope = (enum sched_scope)s->rule[class].scope;
    uint64_t total = p->queue.total;
    uint8_t *vars;
    view->owner = s;
    view->owner_id = pfc;
    view->owner_flows = 1;
    if (scope <= SCHED_SCOPE_BVC) {
        vars = sched_aqm_look_wide(s, m, class, scope == SCHED_SCOPE_NSE, view, &total);
        view->ahead_of = sched_aqm_ahead;
    } else {
        vars = tree_vars(s, SCHED_SCOPE_PFC, tree_pfc_index(s, pfc));
        if (scope == SCHED_SCOPE_FLOW) {
            vars = tree_vars(s, SCHED_SCOPE_FLOW, queue_flow_index(s, pfc, flow));
            total = queue_flow(s, pfc, flow)->queue.total;
            view->owner_flows = queue_flows_with(s, pfc, flow);
        }
        if (p->share_uses) {
            p->share_uses--;
            view->share_octets_per_s = p->share_octets_per_s / view->owner_flows;
        }
        if (!view->share_octets_per_s) // or it is less than an octet for each flow
            view->share_of = sched_aqm_share_again;
    }
    view->queue_pdus = total_packets(total);
    view->queue_octets =
        total_octets(total) < UINT32_MAX ? (uint32_t)total_octets(total) : UINT32_MAX;
    return vars;
}

// The AQM is calm (aqm.h), so it is not called. This counts as a use of the cached share.
static inline bool aqm_rests(const struct tree_rule *rule, struct tree_pfc *p, uint64_t sojourn_ns)
{
    uint32_t share = p->share_uses ? p->share_octets_per_s : 0;
    if (!aqm_is_calm(&rule->calm, p->stirred, sojourn_ns, share))
        return false;
    p->share_uses -= p->share_uses != 0;
    p->asked = false;
    return true;
}

// The same of a flow's.
static inline bool aqm_of_flow_rests(const struct sched *s, const struct tree_rule *rule,
                                     uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                                     uint64_t sojourn_ns)
{
    if (rule->scope != SCHED_SCOPE_FLOW)
        return aqm_rests(rule, p, sojourn_ns);
    struct tree_flow *f = queue_flow(s, pfc, flow);
    uint32_t share = p->share_uses ? p->share_octets_per_s / queue_flows_with(s, pfc, flow) : 0;
    if (!aqm_is_calm(&rule->calm, f->stirred, sojourn_ns, share))
        return false;
    p->share_uses -= p->share_uses != 0;
    f->asked = false;
    return true;
}

// After a call, or an arrival from another worker: the vars may have changed.
static inline void aqm_was_asked(const struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                 uint32_t flow, const uint8_t *vars)
{
    uint32_t scope = s->rule[p->traffic_class].scope;
    if (scope == SCHED_SCOPE_FLOW) {
        queue_flow(s, pfc, flow)->stirred = aqm_is_stirred(vars);
        queue_flow(s, pfc, flow)->asked = true;
    } else if (scope == SCHED_SCOPE_PFC) {
        p->stirred = aqm_is_stirred(vars);
        p->asked = true;
    }
}

// A drop behind a drop or a mark of its flow: a coin leaves it out. A window of two packets is
// often what TCP sends again and one more, and the last of a queue is not dropped: so an AQM that
// is due once a round trip drops the same data each time it comes. With ECN, too, for what is sent
// again is not ECT (RFC 3168 6.1.5). The hole at the receiver stays, and all that gets past it is
// for nothing. Any fixed rhythm falls in with the round trips of some window; a coin with none.
static inline bool aqm_spares(struct sched *s, struct tree_flow *f)
{
    bool spares = f->signalled && rng_next(&s->rng) >> 63;
    f->signalled = !spares;
    return spares;
}

// True if the N-PDU is to be dropped; else a mark is set in it. f: see aqm_flow.
static inline bool aqm_obey(struct sched *s, enum aqm_verdict verdict, struct pdu *pdu,
                            struct tree_flow *f)
{
    if (verdict == AQM_PASS)
        return false;
    if (verdict != AQM_STALE && (verdict == AQM_DROP || !pdu->ect))
        return !f || !aqm_spares(s, f);
    if (f)
        f->signalled = true;
    pdu->mark = verdict == AQM_MARK;
    return verdict == AQM_STALE;
}

// The flow whose queue the AQM watches; NULL: it watches more than a flow, and has no such rhythm.
static inline struct tree_flow *aqm_flow(const struct sched *s, uint32_t pfc,
                                         const struct tree_pfc *p, uint32_t flow)
{
    return s->rule[p->traffic_class].scope == SCHED_SCOPE_FLOW ? queue_flow(s, pfc, flow) : NULL;
}

// The clock of the AQM of one MS's queue is the MS's, so its timers stop while the MS is frozen.
static inline uint64_t aqm_clock(const struct sched *s, const struct tree_ms *m,
                                 const struct tree_pfc *p, uint64_t now_ns)
{
    return s->rule[p->traffic_class].scope >= SCHED_SCOPE_PFC ? tree_ms_clock(m, now_ns) : now_ns;
}

// What an AQM that watches more than this flow would drop for what others have queued, though it
// delays them by little. An N-PDU of at most a quantum whose flow has nothing queued: an MS has at
// most `flows_a_pfc` of them in a packet flow, whatever it sends. And the first two N-PDUs of an
// MS, of an AQM that watches many: without them an MS whose connections have all been dropped from
// has nothing to send until their time-outs, however much of its share is left.
#define FEW_PDUS 2
static inline bool delays_others_little(const struct sched *s, uint32_t pfc,
                                        const struct tree_pfc *p, uint32_t flow, uint32_t octets)
{
    enum sched_scope scope = (enum sched_scope)s->rule[p->traffic_class].scope;
    if (!(p->state & PFC_BY_FLOW) || scope == SCHED_SCOPE_FLOW)
        return false;
    return (scope <= SCHED_SCOPE_BVC && total_packets(p->queue.total) < FEW_PDUS) ||
           (octets <= s->config.flow_quantum_octets && !queue_flow(s, pfc, flow)->queue.total);
}

// Its turn would come late in its lifetime: see sched_aqm.c. What is alone in its queue is not
// late.
static inline bool aqm_is_late(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                               uint32_t octets)
{
    return s->rule[p->traffic_class].late_ms && p->state & PFC_BY_FLOW &&
           queue_flow(s, pfc, flow)->queue.total && sched_aqm_is_late(s, pfc, p, flow, octets);
}

static inline enum drop_reason aqm_ask_in(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                          struct tree_pfc *p, struct pdu *pdu, uint32_t flow,
                                          uint64_t now_ns)
{
    const struct tree_rule *rule = &s->rule[p->traffic_class];
    const struct aqm *aqm = rule->aqm;
    if (!rule->asks_in || (p->queue.total && !rule->asks_in_busy) ||
        aqm_of_flow_rests(s, rule, pfc, p, flow, 0))
        return DROP_NONE;
    struct aqm_view view = {.now_ns = aqm_clock(s, m, p, now_ns),
                            .pdu_octets = pdu->octets,
                            .ect = pdu->ect,
                            .rng = &s->rng,
                            .pdu_word = &pdu->aqm_word};
    uint8_t *vars = aqm_look(s, pfc, m, p, flow, &view);
    enum aqm_verdict verdict = aqm->ops->enqueue(aqm->config, vars, &view);
    aqm_was_asked(s, pfc, p, flow, vars);
    if (verdict == AQM_PASS)
        return DROP_NONE;
    struct tree_flow *f = aqm_flow(s, pfc, p, flow);
    if (!aqm_obey(s, verdict, pdu, f))
        return DROP_NONE;
    if (!delays_others_little(s, pfc, p, flow, pdu->octets))
        return DROP_aqm_in;
    pdu->mark = pdu->ect && aqm->marks;
    return DROP_NONE;
}

// An N-PDU of that queue will be dropped at a full limit.
static inline void aqm_tell_full(struct sched *s, uint32_t pfc, struct tree_ms *m,
                                 struct tree_pfc *p, uint32_t flow, struct pdu *pdu,
                                 uint64_t now_ns)
{
    const struct tree_rule *rule = &s->rule[p->traffic_class];
    const struct aqm *aqm = rule->aqm;
    if (!aqm->ops->full)
        return;
    struct aqm_view view = {.now_ns = aqm_clock(s, m, p, now_ns),
                            .sojourn_ns = pdu_sojourn_ns(pdu, tree_ms_clock(m, now_ns)),
                            .pdu_octets = pdu->octets,
                            .ect = pdu->ect,
                            .rng = &s->rng,
                            .pdu_word = &pdu->aqm_word};
    uint8_t *vars = aqm_look(s, pfc, m, p, flow, &view);
    aqm->ops->full(aqm->config, vars, &view);
    aqm_was_asked(s, pfc, p, flow, vars);
}

// By the clock of its MS, or by its stay in real time.
static inline bool has_expired(const struct tree_rule *rule, const struct pdu *pdu,
                               uint64_t sojourn_ns, uint64_t now_ns)
{
    return sojourn_ns > rule->deadline_ns || pdu_stay(pdu, now_ns) > rule->stay_most;
}

// A half-sent one goes on while anything of its lifetime is left; of an MS that stands, while it
// has not stayed for too long.
static inline bool begun_has_expired(const struct tree_rule *rule, const struct tree_ms *m,
                                     const struct pdu *pdu, uint64_t sojourn_ns, uint64_t now_ns)
{
    return sojourn_ns >= rule->lifetime_ns ||
           (ms_stands(m) && pdu_stay(pdu, now_ns) > rule->stay_most);
}

static inline enum drop_reason aqm_ask_out(struct sched *s, const struct round *r, struct pdu *pdu,
                                           uint64_t now_ns)
{
    const struct tree_rule *rule = &s->rule[r->p->traffic_class];
    if (has_expired(rule, pdu, r->sojourn_ns, now_ns))
        return DROP_expired;
    if (aqm_of_flow_rests(s, rule, r->pfc, r->p, r->p->flow, r->sojourn_ns) ||
        !rule->aqm->ops->dequeue)
        return DROP_NONE;
    struct aqm_view view = {.now_ns = aqm_clock(s, r->m, r->p, now_ns),
                            .sojourn_ns = r->sojourn_ns,
                            .pdu_octets = pdu->octets,
                            .ect = pdu->ect,
                            .rng = &s->rng,
                            .pdu_word = &pdu->aqm_word};
    uint8_t *vars = aqm_look(s, r->pfc, r->m, r->p, r->p->flow, &view);
    enum aqm_verdict verdict = rule->aqm->ops->dequeue(rule->aqm->config, vars, &view);
    aqm_was_asked(s, r->pfc, r->p, r->p->flow, vars);
    struct tree_flow *f = aqm_flow(s, r->pfc, r->p, r->p->flow);
    return aqm_obey(s, verdict, pdu, f) ? DROP_aqm_out : DROP_NONE;
}

#endif
