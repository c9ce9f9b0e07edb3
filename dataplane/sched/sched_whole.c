// The usual round in one straight line: the PDU is an N-PDU whole, of the only queue of its MS, and
// first in the only ring of a cell by turns; what is behind it in its queue may go as well. Nobody
// has a say in it but the buckets. Whatever is different is left to the round in full, so this is
// nothing but quicker (`in_full` of the configuration does without it).
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_ring.h"
#include "dataplane/sched/sched_round.h"

// The MS has one queue; no N-PDU is begun or waited for, and nothing holds it.
static inline bool is_alone(const struct round *r)
{
    return (r->p->state & ~PFC_TURN) == PFC_IN_RING && !r->p->sent_octets &&
           !(r->m->state & ~MS_USUAL) && r->m->backlog == 1u << r->slot;
}

// What its turn has left, or would have if it began now.
static inline int32_t turn(const struct sched *s, const struct tree_pfc *p)
{
    int32_t quantum = (int32_t)s->config.pdu_octets_max;
    if (p->state & PFC_TURN)
        return p->deficit;
    return p->deficit > 0 ? quantum : p->deficit + quantum;
}

static inline bool find(const struct sched *s, struct round *r)
{
    r->nse = s->nse_ready;
    r->n = &s->nse[r->nse];
    r->cell = r->n->first;
    r->c = &s->cell[r->cell];
    uint32_t active = r->c->active;
    if (active & (active - 1) || r->c->place != READY_TURNS || ready_by_time(r->n))
        return false;
    r->turn = (uint32_t)__builtin_ctz(active);
    r->pfc = r->c->of_class[r->turn].head;
    r->ms = tree_pfc_ms(r->pfc);
    r->slot = tree_pfc_slot(r->pfc);
    r->m = tree_ms(s, r->ms);
    r->p = tree_pfc_of(r->m, r->slot);
    if (!is_alone(r) || turn(s, r->p) <= 0)
        return false;
    r->piece = pfc_piece(s, r->m, r->p);
    return r->piece.last;
}

static inline bool conforms(struct sched *s, struct round *r, uint64_t now_ns)
{
    return round_conforms(&r->p->bucket, r->piece.llc_octets, now_ns, &r->level_pfc) &&
           round_conforms_ms(r, now_ns) && round_conforms_cell(r, now_ns) &&
           round_conforms_nse(s, r, now_ns);
}

// As has_expired; the real time of an MS that was never frozen is its clock's.
static inline bool expires(const struct round *r, const struct tree_rule *rule,
                           const struct pdu *pdu, uint64_t now_ns)
{
    return r->sojourn_ns > rule->deadline_ns ||
           (r->m->away_ns && pdu_stay(pdu, now_ns) > rule->stay_most);
}

// Nobody makes the next one wait.
static inline bool next_conforms(const struct sched *s, const struct round *r, uint16_t info)
{
    uint32_t octets = pdu_first_piece(s, r->m, info).llc_octets;
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    return bucket_conforms(r->level_pfc + units, bucket_terms(&r->p->bucket), octets) &&
           bucket_conforms(r->level_ms + units, ms_terms(s, r->m), octets);
}

// Its turn goes on until it has overdrawn.
static inline void take_turn(const struct sched *s, struct round *r)
{
    r->p->deficit = turn(s, r->p) - (int32_t)r->piece.llc_octets;
    r->p->state |= PFC_TURN;
}

static inline void stay(struct round *r, uint32_t next, uint16_t info)
{
    struct tree_pfc *p = r->p;
    p->queue.head = next;
    p->head_info = info;
    if (p->deficit > 0)
        return;
    p->state = PFC_IN_RING;
    r->c->of_class[r->turn].head = p->next;
}

static inline void leave(struct sched *s, struct round *r)
{
    struct tree_pfc *p = r->p;
    if (p->deficit > 0)
        p->deficit = 0;
    cell_ring_unlink(s, r->pfc, p, r->c);
    cell_backlog(s, r->c, r->turn, false);
    r->m->backlog = 0;
    s->backlogged[r->ms / 64] &= ~(1ULL << r->ms % 64);
}

// The head is out of its queue and of all counts.
static inline void pop(struct sched *s, struct round *r, struct pdu *pdu)
{
    struct tree_pfc *p = r->p;
    uint32_t slot = p->queue.head, next = pdu->next;
    uint64_t step = total_of(pdu->octets);
    uint16_t info = pdu->next_octets_lle;
    p->queue.total -= step;
    queue_count(s, r->m, r->turn, -step);
    queue_free(s, slot);
    room_shrunk(s, r->pfc, r->m, p);
    take_turn(s, r);
    if (p->queue.total)
        stay(r, next, info);
    else
        leave(s, r);
}

static SCHED_INLINE bool round_whole(struct sched *s, uint64_t now_ns, struct sched_grant *g)
{
    struct round r;
    if (!find(s, &r) || !conforms(s, &r, now_ns))
        return false;
    const struct tree_rule *rule = &s->rule[r.turn];
    struct pdu *pdu = &s->slot[r.p->queue.head];
    if (total_packets(r.p->queue.total) != 1 && !next_conforms(s, &r, pdu->next_octets_lle))
        return false;
    r.sojourn_ns = pdu_sojourn_ns(pdu, now_ns - r.m->away_ns);
    if (expires(&r, rule, pdu, now_ns) || !aqm_rests(rule, r.p, r.sojourn_ns))
        return false;
    round_grant(&r, pdu, round_lifetime_left(rule, r.sojourn_ns), g);
    round_charge_all(&r, now_ns);
    round_tags(s, &r);
    pop(s, &r, pdu);
    if (r.c->active)
        cell_has_had_turn(r.n, r.c);
    else if (r.c->next != r.cell)
        cell_leave_turns(s, r.n, r.c);
    else
        cell_refresh(s, r.cell);
    round_passes_turn(s, &r);
    return true;
}

uint32_t rounds_whole(struct sched *s, uint64_t now_ns, struct sched_grant *grants, uint32_t n)
{
    uint32_t done = 0;
    while (done < n && s->nse_ready != TREE_NONE && round_whole(s, now_ns, &grants[done]))
        done++;
    return done;
}
