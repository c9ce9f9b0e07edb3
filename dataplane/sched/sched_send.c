// A PDU that conforms at every level: AQM and lifetime judge it (before its first piece only), all
// levels are charged and the grant is filled. Then, while their lines are in the cache, its PFC and
// its MS are tested for the next PDU: they can send, or wait until a known time.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_ring.h"
#include "dataplane/sched/sched_round.h"

// Accounts for turns within the class; a PFC in no ring takes no turns. A turn ends only behind a
// whole N-PDU (S12). A PFC that was held in the middle of an N-PDU has no turn left after it. True:
// the turn goes on, behind the N-PDUs of those in front.
static bool turn_account(struct sched *s, struct round *r, uint32_t npdu_octets)
{
    struct tree_pfc *p = r->p;
    if (!(p->state & PFC_IN_RING))
        return false;
    const struct tree_class *k = &r->c->of_class[p->traffic_class];
    int32_t least = -credit_octets(s) - (int32_t)npdu_octets;
    p->deficit -= (int32_t)r->piece.llc_octets;
    if (p->deficit < least)
        p->deficit = least;
    bool turn = p->state & PFC_TURN, head = k->head == r->pfc;
    if (!r->piece.last) {
        if (!p->sent_octets)
            sched_bvc_ring_first(s, r->pfc, p, r->bvc);
        return false;
    }
    if (total_packets(p->queue.total) == 1) // it leaves its ring
        return false;
    if (p->place == RING_CREDIT && !turn) // see sched_bvc_ring_settle
        return false;
    if (turn || (head && !p->sent_octets) ? p->deficit <= 0 : p->sent_octets != 0) {
        p->state &= (uint8_t)~PFC_TURN;
        sched_bvc_ring_last(s, r->pfc, p, r->c);
        return false;
    }
    return ring_has_front(k) && (head || p->sent_octets || p->place != RING_REST);
}

// For a piece that is not the last: the rest is the head now.
static void begin_or_continue(struct sched *s, struct round *r, struct pdu *pdu)
{
    bool begins = r->p->sent_octets == 0;
    if (begins)
        r->p->n201_u = r->m->n201_u[pdu->lle];
    pdu->mark = 0;
    r->p->sent_octets = (uint16_t)(r->p->sent_octets + r->piece.octets);
    r->p->head_info = queue_info(pdu->octets - (uint32_t)r->p->sent_octets, pdu->lle);
    ms_lle_set(r->m, pdu->lle, r->slot + 1);
    if (begins)
        overflow_begun(s, r->pfc, r->m, r->p);
}

static void finish(struct sched *s, struct round *r, uint32_t npdu_octets)
{
    if (r->p->state & PFC_BY_FLOW)
        sched_queue_charge(s, r->pfc, r->p->flow, npdu_octets);
    queue_pop(s, r->pfc, r->m, r->p);
}

// The PFCs of a shared bucket have been tested together.
static uint64_t look_ahead_pfc(const struct sched *s, const struct round *r,
                               const struct tree_piece *piece, uint64_t now_ns)
{
    if (pfc_is_shared(r->p))
        return now_ns;
    uint32_t octets = pfc_bucket_octets(s, r->m, r->p, r->slot, piece);
    return bucket_conforms_at(r->level_pfc, bucket_terms(&r->p->bucket), octets, now_ns);
}

// A PFC or MS that cannot send its next PDU now begins to wait at once, not when a round meets it.
static void look_ahead(struct sched *s, struct round *r, uint64_t now_ns)
{
    struct tree_pfc *p = r->p;
    if (pfc_is_shared(p))
        sched_share_settle(s, r->ms, r->m, r->slot, now_ns);
    if (!pfc_may_send(s, r->pfc, r->m, p)) // empty, its LLE is kept, or it waits
        return;
    struct tree_piece piece = pfc_piece(s, r->m, p);
    uint64_t at_ns = look_ahead_pfc(s, r, &piece, now_ns);
    if (!ms_is_simple(r->m)) {
        if (at_ns > now_ns)
            sched_pfc_wait(s, r->pfc, p, at_ns);
        return;
    }
    uint64_t ms_at_ns =
        bucket_conforms_at(r->level_ms, ms_terms(s, r->m), piece.llc_octets, now_ns);
    if (at_ns <= now_ns && ms_at_ns <= now_ns)
        return;
    if (p->state & PFC_IN_RING)
        bvc_ring_unlink(s, r->pfc, p, r->c);
    if (at_ns >= ms_at_ns)
        sched_pfc_wait(s, r->pfc, p, at_ns);
    else
        ms_wait(s, r->ms, r->m, ms_at_ns);
}

bool sched_round_send(struct sched *s, struct round *r, uint64_t now_ns, struct sched_grant *g)
{
    struct pdu *pdu = queue_head(s, r->pfc, r->p);
    r->sojourn_ns = pdu_sojourn_ns(pdu, tree_ms_clock(r->m, now_ns));
    if (r->p->sent_octets) {
        if (begun_has_expired(&s->rule[r->p->traffic_class], r->m, pdu, r->sojourn_ns, now_ns)) {
            sched_drop_begun(s, r->pfc, r->p);
            sched_ms_heads_change(s, r->ms, now_ns);
            return false;
        }
    } else {
        enum drop_reason reason = aqm_ask_out(s, r, pdu, now_ns);
        if (reason != DROP_NONE) {
            uint32_t lle = pdu->lle;
            sched_drop_head(s, r->pfc, reason);
            ms_lle_is_left(s, r->ms, lle, now_ns);
            return false;
        }
    }
    uint64_t lifetime_ns = round_lifetime_left(&s->rule[r->p->traffic_class], r->sojourn_ns);
    round_grant(r, pdu, lifetime_ns, g);
    round_charge_all(s, r, now_ns);
    round_tags(s, r);
    bool yields = turn_account(s, r, pdu->octets);
    r->m->state &= (uint8_t)~MS_LIMITED;
    if (pfc_is_shared(r->p))
        sched_share_limit(r->m, r->p, r->slot, false);
    if (r->piece.last)
        finish(s, r, pdu->octets);
    else
        begin_or_continue(s, r, pdu);
    if (yields)
        sched_bvc_ring_yield(s, r->pfc, r->p, r->c);
    else if (r->piece.last && r->p->state & PFC_IN_RING && r->p->state & PFC_BY_FLOW)
        sched_bvc_ring_settle(s, r->pfc, r->p, r->bvc);
    look_ahead(s, r, now_ns);
    if (g->last)
        ms_lle_is_left(s, r->ms, g->lle, now_ns);
    return true;
}
