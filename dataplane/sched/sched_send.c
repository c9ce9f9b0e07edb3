// A PDU that conforms at every level is judged (before its first piece alone), charged at every
// level and handed out; then its PFC and its MS are told, while their lines are at hand, whether
// they can send the next one now or wait, and until when.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_round.h"

static inline void charge(const struct sched *s, struct round *r, uint64_t now_ns)
{
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    round_charge_at(&r->p->bucket, &r->level_pfc, units, now_ns);
    round_charge(s, r, now_ns);
}

// Start tags. A class whose ring is empty wakes with this PDU.
static void tags_account(const struct sched *s, struct round *r)
{
    uint32_t class = r->p->traffic_class;
    struct tree_class *k = &r->c->of_class[class];
    if (class == CLASS_SIGNALLING)
        return;
    if (k->head == TREE_NONE)
        cell_class_wakes(r->c, r->n, class);
    if (ready_by_time(r->n))
        cell_passes(r->c, r->n, k);
    if (tree_before(r->c->virtual, k->tag))
        r->c->virtual = k->tag;
    uint64_t step = tree_tag(s, class, r->piece.llc_octets);
    k->tag += step;
    r->p->tag += step;
    r->m->last = (uint8_t)r->slot;
    if (ready_by_time(r->n))
        return;
    r->c->offset -= step; // no virtual time there: it earns no place and owes none
    r->c->state |= CELL_UNTIMED;
}

// Turns within the class; a PFC that stands in no ring has no one to take turns with.
static void turn_account(const struct sched *s, struct round *r)
{
    struct tree_pfc *p = r->p;
    struct tree_class *k = &r->c->of_class[p->traffic_class];
    if (!(p->state & PFC_IN_RING))
        return;
    int32_t least = -(int32_t)s->config.pdu_octets_max;
    p->deficit -= (int32_t)r->piece.llc_octets;
    if (p->deficit < least)
        p->deficit = least;
    if (p->deficit > 0 || k->head != r->pfc)
        return;
    p->state &= (uint8_t)~PFC_TURN;
    k->head = p->next;
}

static void grant_fill(const struct sched *s, const struct round *r, const struct pdu *pdu,
                       struct sched_grant *g)
{
    g->buffer = pdu->buffer;
    g->lifetime_ns = round_lifetime_left(&s->rule[r->p->traffic_class], r->sojourn_ns);
    g->sojourn_ns = r->sojourn_ns;
    g->ms = r->ms;
    g->context = pdu->context;
    g->npdu_octets = pdu->octets;
    g->offset = r->p->sent_octets;
    g->octets = (uint16_t)r->piece.octets;
    g->slot = (uint8_t)r->slot;
    g->lle = pdu->lle;
    g->traffic_class = r->p->traffic_class;
    g->last = r->piece.last;
    g->mark = pdu->mark && r->p->sent_octets == 0;
}

// A piece that is not the last: the rest is the head now.
static void begin_or_continue(struct round *r, const struct pdu *pdu)
{
    if (r->p->sent_octets == 0)
        r->p->n201_u = r->m->n201_u[pdu->lle];
    r->p->sent_octets = (uint16_t)(r->p->sent_octets + r->piece.octets);
    r->p->head_info = queue_info(pdu->octets - (uint32_t)r->p->sent_octets, pdu->lle);
    ms_lle_set(r->m, pdu->lle, r->slot + 1);
}

static void finish(struct sched *s, struct round *r, uint32_t npdu_octets)
{
    if (r->p->state & PFC_BY_FLOW)
        queue_flow(s, r->pfc, r->p->flow)->deficit -= (int32_t)npdu_octets;
    queue_pop(s, r->pfc, r->m, r->p);
}

// Who cannot send its next PDU now is told so at once, not when it is met again.
static void look_ahead(struct sched *s, struct round *r, uint64_t now_ns)
{
    struct tree_pfc *p = r->p;
    if (!pfc_may_send(s, r->pfc, r->m, p)) // empty, or its LLE is kept
        return;
    uint32_t octets = pfc_piece(s, r->m, p).llc_octets;
    uint64_t at_ns = bucket_conforms_at(r->level_pfc, bucket_terms(&p->bucket), octets, now_ns);
    if (!ms_is_simple(r->m)) {
        if (at_ns > now_ns)
            pfc_wait(s, r->pfc, p, at_ns);
        return;
    }
    uint64_t ms_at_ns = bucket_conforms_at(r->level_ms, ms_terms(s, r->m), octets, now_ns);
    if (at_ns <= now_ns && ms_at_ns <= now_ns)
        return;
    if (p->state & PFC_IN_RING)
        cell_ring_unlink(s, r->pfc, p, r->c);
    if (at_ns >= ms_at_ns)
        pfc_wait(s, r->pfc, p, at_ns);
    else
        ms_wait(s, r->ms, r->m, ms_at_ns, now_ns);
}

bool round_send(struct sched *s, struct round *r, uint64_t now_ns, struct sched_grant *g)
{
    struct pdu *pdu = queue_head(s, r->pfc, r->p);
    r->sojourn_ns = tree_ms_clock(r->m, now_ns) - pdu->arrived_ns;
    if (r->p->sent_octets == 0) {
        enum drop_reason reason = aqm_ask_out(s, r, pdu, now_ns);
        if (reason != DROP_NONE) {
            drop_head(s, r->pfc, reason);
            return false;
        }
    }
    grant_fill(s, r, pdu, g);
    charge(s, r, now_ns);
    tags_account(s, r);
    turn_account(s, r);
    r->m->state &= (uint8_t)~MS_LIMITED;
    if (r->piece.last)
        finish(s, r, pdu->octets);
    else
        begin_or_continue(r, pdu);
    look_ahead(s, r, now_ns);
    return true;
}
