// The usual round in one straight line: the PDU is a whole N-PDU, of the only queue of its MS,
// first in the only ring of a cell that takes turns, and the next N-PDU of the queue may go as
// well; or the wheel brings the MS back, with no competitor in its cell. Only the buckets decide.
// With queues by flow it is the PFC's only N-PDU, so no flow is next. Functions with `by_flow` are
// compiled for both, so that a PFC without flows has none of their branches. Every other case is
// left to the full round, so this is only faster (`in_full` of the configuration disables it).
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_ring.h"
#include "dataplane/sched/sched_round.h"

// The MS has one queue; no N-PDU is half sent or waited for, and nothing holds it.
static inline bool is_alone(const struct round *r)
{
    return (r->p->state & ~(PFC_TURN | PFC_BY_FLOW)) == PFC_IN_RING && !r->p->sent_octets &&
           !(r->m->state & ~MS_USUAL) && r->m->backlog == 1u << r->slot &&
           r->p->place != RING_CREDIT;
}

// The rest of its turn, or of a turn that would begin now.
static inline int32_t turn(const struct sched *s, const struct round *r)
{
    const struct tree_pfc *p = r->p;
    int32_t quantum = (int32_t)turn_octets(s, r->c);
    if (ring_turn_goes_on(p, &r->c->of_class[r->turn]))
        return p->deficit;
    return p->deficit > 0 ? quantum : p->deficit + quantum;
}

// Another PFC of the MS has had a part of its turn.
static inline bool shares_turn(const struct round *r)
{
    return r->m->slots & (r->m->slots - 1) &&
           sched_ring_mate_has_turn(r->m, r->p, &r->c->of_class[r->turn]);
}

// Cells that take turns: the header of the cell after the next one, and the next one's class, whose
// header came one turn ago. A cell in this ring has an active class.
static SCHED_INLINE void prefetch_turns(const struct sched *s, const struct tree_bvc *c)
{
    const struct tree_bvc *next = &s->bvc[c->next];
    __builtin_prefetch(&s->bvc[next->next], 1);
    __builtin_prefetch(&next->of_class[__builtin_ctz(next->active)], 1);
}

static inline bool find(struct sched *s, struct round *r)
{
    r->nse = s->nse_ready;
    r->n = &s->nse[r->nse];
    r->bvc = r->n->first;
    r->c = &s->bvc[r->bvc];
    uint32_t active = r->c->active;
    if (active & (active - 1) || r->c->late || r->c->ready_ring != READY_TURNS ||
        ready_by_time(r->n))
        return false;
    prefetch_turns(s, r->c);
    r->turn = (uint32_t)__builtin_ctz(active);
    r->late = false;
    r->pfc = r->c->of_class[r->turn].head;
    r->ms = tree_pfc_ms(r->pfc);
    r->slot = tree_pfc_slot(r->pfc);
    r->m = tree_ms(s, r->ms);
    r->p = tree_pfc_of(r->m, r->slot);
    return is_alone(r) && turn(s, r) > 0 && !shares_turn(r);
}

// The PDU that would go is a whole N-PDU.
static SCHED_INLINE bool is_whole(struct sched *s, struct round *r, bool by_flow)
{
    if (by_flow) {
        if (total_packets(r->p->queue.total) != 1)
            return false;
        sched_queue_choose_flow(s, r->pfc, r->p);
    }
    r->piece = pdu_first_piece(s, r->m, r->p->head_info);
    return r->piece.last;
}

static inline bool conforms(struct sched *s, struct round *r, uint64_t now_ns)
{
    return round_conforms(&r->p->bucket, r->piece.llc_octets, now_ns, &r->level_pfc) &&
           round_conforms_ms(s, r, now_ns) && round_conforms_bvc(r, now_ns) &&
           round_conforms_nse(s, r, now_ns);
}

// As has_expired; for an MS that was never frozen real time is its own clock.
static inline bool expires(const struct round *r, const struct tree_rule *rule,
                           const struct pdu *pdu, uint64_t now_ns)
{
    return r->sojourn_ns > rule->deadline_ns ||
           (r->m->away_ns && pdu_stay(pdu, now_ns) > rule->stay_most);
}

// Neither its lifetime nor its AQM drops it.
static SCHED_INLINE bool passes(const struct sched *s, const struct round *r, const struct pdu *pdu,
                                uint64_t now_ns, bool by_flow)
{
    const struct tree_rule *rule = &s->rule[r->turn];
    if (expires(r, rule, pdu, now_ns))
        return false;
    return by_flow ? aqm_of_flow_rests(s, rule, r->pfc, r->p, r->p->flow, r->sojourn_ns)
                   : aqm_rests(rule, r->p, r->sojourn_ns);
}

// No bucket delays the next PDU.
static inline bool next_conforms(const struct sched *s, const struct round *r, uint16_t info)
{
    uint32_t octets = pdu_first_piece(s, r->m, info).llc_octets;
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    return bucket_conforms(r->level_pfc + units, bucket_terms(&r->p->bucket), octets) &&
           bucket_conforms(r->level_ms + units, ms_terms(s, r->m), octets);
}

// Removes the head from its queue and all counts.
static SCHED_INLINE void pop(struct sched *s, struct round *r, const struct pdu *pdu, bool by_flow)
{
    struct tree_pfc *p = r->p;
    uint64_t step = total_of(pdu->octets);
    if (by_flow) {
        struct tree_flow *f = queue_flow(s, r->pfc, p->flow);
        f->deficit -= pdu->octets;
        f->queue.total = 0;
    } else {
        p->queue.head = pdu->next;
    }
    p->head_info = pdu->next_octets_lle;
    p->queue.total -= step;
    queue_count(s, r->m, r->turn, -step);
    queue_free(s, (uint32_t)(pdu - s->slot));
    overflow_shrunk(s, r->pfc, r->m, p);
}

static SCHED_INLINE void send(struct sched *s, struct round *r, const struct pdu *pdu,
                              uint64_t now_ns, struct sched_grant *g, bool by_flow)
{
    round_grant(r, pdu, round_lifetime_left(&s->rule[r->turn], r->sojourn_ns), g);
    round_charge_all(s, r, now_ns);
    round_tags(s, r);
    pop(s, r, pdu, by_flow);
}

// Its last N-PDU has gone.
static inline void is_empty(struct sched *s, struct round *r)
{
    bvc_backlog(s, r->c, r->turn, false);
    r->m->backlog = 0;
    s->backlogged[r->ms / 64] &= ~(1ULL << r->ms % 64);
}

// ---- From the rings ----

// Its turn goes on until it is overdrawn.
static inline void take_turn(const struct sched *s, struct round *r)
{
    r->p->deficit = turn(s, r) - (int32_t)r->piece.llc_octets;
    r->p->state |= PFC_TURN;
    r->p->odd_turn = r->c->of_class[r->turn].round & 1;
}

// The head is the only one of its place, and stays there: sched_bvc_ring_yield would change
// nothing.
static inline bool keeps_place(const struct sched *s, const struct round *r)
{
    const struct tree_class *k = &r->c->of_class[r->turn];
    return r->p->place == ring_sparse_place(s, r->p) && k->last[r->p->place] == r->pfc;
}

// The PFC stays in its ring, or leaves it.
static inline void go_on(struct sched *s, struct round *r)
{
    struct tree_pfc *p = r->p;
    if (!p->queue.total) {
        bvc_ring_unlink(s, r->pfc, p, r->c);
        is_empty(s, r);
    } else if (p->deficit <= 0) {
        p->state = PFC_IN_RING;
        ring_pass(&r->c->of_class[r->turn], p);
    } else if (ring_has_front(&r->c->of_class[r->turn]) && !keeps_place(s, r)) {
        sched_bvc_ring_yield(s, r->pfc, p, r->c);
    }
}

static SCHED_INLINE bool turn_round(struct sched *s, struct round *r, uint64_t now_ns,
                                    struct sched_grant *g, bool by_flow)
{
    if (!is_whole(s, r, by_flow) || !conforms(s, r, now_ns))
        return false;
    struct pdu *pdu = queue_head_of(s, r->pfc, r->p, by_flow);
    if (total_packets(r->p->queue.total) != 1 && !next_conforms(s, r, pdu->next_octets_lle))
        return false;
    r->sojourn_ns = pdu_sojourn_ns(pdu, now_ns - r->m->away_ns);
    if (!passes(s, r, pdu, now_ns, by_flow))
        return false;
    send(s, r, pdu, now_ns, g, by_flow);
    take_turn(s, r);
    go_on(s, r);
    if (r->c->active)
        bvc_has_had_turn(r->n, r->c);
    else if (r->c->next != r->bvc)
        bvc_leave_turns(s, r->n, r->c);
    else
        sched_bvc_refresh(s, r->bvc);
    round_passes_turn(s, r);
    return true;
}

static SCHED_INLINE bool fast_round(struct sched *s, uint64_t now_ns, struct sched_grant *g)
{
    struct round r;
    if (!find(s, &r))
        return false;
    return r.p->state & PFC_BY_FLOW ? turn_round(s, &r, now_ns, g, true)
                                    : turn_round(s, &r, now_ns, g, false);
}

uint32_t sched_fast_rounds(struct sched *s, uint64_t now_ns, struct sched_grant *grants, uint32_t n)
{
    uint32_t done = 0;
    while (done < n && s->nse_ready != TREE_NONE && fast_round(s, now_ns, &grants[done]))
        done++;
    return done;
}

// ---- From the wheel ----

static inline bool find_fired(struct sched *s, struct round *r, uint32_t ms, struct tree_ms *m)
{
    uint32_t backlog = m->backlog;
    if (m->state & ~(MS_USUAL | GATE_WAITS) || !backlog || backlog & (backlog - 1) ||
        s->config.in_full || s->drop_count == SCHED_DROPS)
        return false;
    r->ms = ms;
    r->m = m;
    r->slot = (uint32_t)__builtin_ctz(backlog);
    r->p = tree_pfc_of(m, r->slot);
    r->pfc = tree_pfc_id(ms, r->slot);
    r->bvc = m->bvc;
    r->c = &s->bvc[r->bvc];
    r->nse = r->c->nse;
    r->n = &s->nse[r->nse];
    r->turn = r->p->traffic_class;
    r->late = false;
    return !(r->p->state & ~PFC_BY_FLOW) && !r->p->sent_octets && round_way_is_free(r->c, r->n);
}

// The MS waits for its next PDU, or joins its ring.
static inline void wait_on(struct sched *s, struct round *r, uint64_t now_ns)
{
    struct tree_piece piece = pdu_first_piece(s, r->m, r->p->head_info);
    uint32_t octets = pfc_bucket_octets(s, r->m, r->p, r->slot, &piece);
    uint64_t pfc_ns = bucket_conforms_at(r->level_pfc, bucket_terms(&r->p->bucket), octets, now_ns);
    uint64_t ms_ns = bucket_conforms_at(r->level_ms, ms_terms(s, r->m), piece.llc_octets, now_ns);
    if (pfc_ns <= now_ns && ms_ns <= now_ns)
        sched_ms_ready(s, r->ms, r->m);
    else if (pfc_ns >= ms_ns)
        sched_pfc_wait(s, r->pfc, r->p, pfc_ns);
    else
        ms_wait(s, r->ms, r->m, ms_ns);
}

static SCHED_INLINE bool fired(struct sched *s, struct round *r, uint64_t now_ns,
                               struct sched_grant *g, bool by_flow)
{
    if (!is_whole(s, r, by_flow) || !conforms(s, r, now_ns))
        return false;
    struct pdu *pdu = queue_head_of(s, r->pfc, r->p, by_flow);
    r->sojourn_ns = pdu_sojourn_ns(pdu, now_ns - r->m->away_ns);
    if (!passes(s, r, pdu, now_ns, by_flow))
        return false;
    r->m->state &= (uint8_t)~GATE_WAITS;
    send(s, r, pdu, now_ns, g, by_flow);
    if (r->p->queue.total)
        wait_on(s, r, now_ns);
    else
        is_empty(s, r);
    return true;
}

bool sched_fast_fired(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns,
                      struct sched_grant *g)
{
    struct round r;
    if (!find_fired(s, &r, ms, m))
        return false;
    return r.p->state & PFC_BY_FLOW ? fired(s, &r, now_ns, g, true)
                                    : fired(s, &r, now_ns, g, false);
}
