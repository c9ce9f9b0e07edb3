// A PDU that conforms at every level is judged (before its first piece alone), charged at every
// level and handed out; then its PFC and its MS are told, while their lines are at hand, whether
// they can send the next one now or wait, and until when.
#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_round.h"

static inline void charge(struct round *r, uint64_t now_ns)
{
    uint64_t units = r->piece.llc_octets * BUCKET_UNITS_AN_OCTET;
    round_charge_at(pfc_bucket(r->m, r->p), &r->level_pfc, units, now_ns);
    round_charge(r, now_ns);
}

// The clocks of the cell and its pipe follow the class whose turn it is, even if what goes in its
// place is of another, which may be far ahead.
static void clocks_follow(const struct round *r)
{
    const struct tree_class *k = &r->c->of_class[r->turn];
    if (r->turn == CLASS_SIGNALLING)
        return;
    if (ready_by_time(r->n))
        cell_passes(r->c, r->n, k);
    if (tree_before(r->c->virtual, k->tag))
        r->c->virtual = k->tag;
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
    clocks_follow(r);
    uint64_t step = tree_tag(s, class, r->piece.llc_octets);
    k->tag += step;
    r->p->tag += step;
    r->m->last = (uint8_t)r->slot;
    if (ready_by_time(r->n))
        return;
    r->c->offset -= step; // no virtual time there: it earns no place and owes none
    r->c->untimed = true;
}

// Turns within the class; a PFC that stands in no ring has no one to take turns with. A turn ends
// behind a whole N-PDU alone (S12). Who was held in the middle of one has no turn left after it.
static void turn_account(struct sched *s, struct round *r, uint32_t npdu_octets)
{
    struct tree_pfc *p = r->p;
    if (!(p->state & PFC_IN_RING))
        return;
    int32_t least = -(int32_t)(s->config.pdu_octets_max + npdu_octets);
    p->deficit -= (int32_t)r->piece.llc_octets;
    if (p->deficit < least)
        p->deficit = least;
    bool turn = p->state & PFC_TURN, head = r->c->of_class[p->traffic_class].head == r->pfc;
    if (!r->piece.last) {
        if (!p->sent_octets)
            cell_ring_first(s, r->pfc, p, r->cell);
    } else if (turn || (head && !p->sent_octets) ? p->deficit <= 0 : p->sent_octets != 0) {
        p->state &= (uint8_t)~PFC_TURN;
        cell_ring_last(s, r->pfc, p, r->c);
    }
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
static void begin_or_continue(struct sched *s, struct round *r, const struct pdu *pdu)
{
    bool begins = r->p->sent_octets == 0;
    if (begins)
        r->p->n201_u = r->m->n201_u[pdu->lle];
    r->p->sent_octets = (uint16_t)(r->p->sent_octets + r->piece.octets);
    r->p->head_info = queue_info(pdu->octets - (uint32_t)r->p->sent_octets, pdu->lle);
    ms_lle_set(r->m, pdu->lle, r->slot + 1);
    if (begins)
        room_begun(s, r->pfc, r->m, r->p);
}

static void finish(struct sched *s, struct round *r, uint32_t npdu_octets)
{
    if (r->p->state & PFC_BY_FLOW)
        queue_flow(s, r->pfc, r->p->flow)->deficit -= (int32_t)npdu_octets;
    queue_pop(s, r->pfc, r->m, r->p);
}

// Those that share a bucket have been looked at together.
static uint64_t look_ahead_pfc(const struct sched *s, const struct round *r,
                               const struct tree_piece *piece, uint64_t now_ns)
{
    if (pfc_is_shared(r->p))
        return now_ns;
    uint32_t octets = pfc_bucket_octets(s, r->m, r->p, r->slot, piece);
    return bucket_conforms_at(r->level_pfc, bucket_terms(&r->p->bucket), octets, now_ns);
}

// Who cannot send its next PDU now is told so at once, not when it is met again.
static void look_ahead(struct sched *s, struct round *r, uint64_t now_ns)
{
    struct tree_pfc *p = r->p;
    if (pfc_is_shared(p))
        share_settle(s, r->ms, r->m, r->slot, now_ns);
    if (!pfc_may_send(s, r->pfc, r->m, p)) // empty, its LLE is kept, or it waits
        return;
    struct tree_piece piece = pfc_piece(s, r->m, p);
    uint64_t at_ns = look_ahead_pfc(s, r, &piece, now_ns);
    if (!ms_is_simple(r->m)) {
        if (at_ns > now_ns)
            pfc_wait(s, r->pfc, p, at_ns);
        return;
    }
    uint64_t ms_at_ns =
        bucket_conforms_at(r->level_ms, ms_terms(s, r->m), piece.llc_octets, now_ns);
    if (at_ns <= now_ns && ms_at_ns <= now_ns)
        return;
    if (p->state & PFC_IN_RING)
        cell_ring_unlink(s, r->pfc, p, r->c);
    if (at_ns >= ms_at_ns)
        pfc_wait(s, r->pfc, p, at_ns);
    else
        ms_wait(s, r->ms, r->m, ms_at_ns);
}

bool round_send(struct sched *s, struct round *r, uint64_t now_ns, struct sched_grant *g)
{
    struct pdu *pdu = queue_head(s, r->pfc, r->p);
    r->sojourn_ns = pdu_sojourn_ns(pdu, tree_ms_clock(r->m, now_ns));
    if (r->p->sent_octets == 0) {
        enum drop_reason reason = aqm_ask_out(s, r, pdu, now_ns);
        if (reason != DROP_NONE) {
            uint32_t lle = pdu->lle;
            drop_head(s, r->pfc, reason);
            ms_lle_is_left(s, r->ms, lle, now_ns);
            return false;
        }
    }
    grant_fill(s, r, pdu, g);
    charge(r, now_ns);
    tags_account(s, r);
    turn_account(s, r, pdu->octets);
    r->m->state &= (uint8_t)~MS_LIMITED;
    if (pfc_is_shared(r->p))
        share_limit(r->m, r->p, r->slot, false);
    if (r->piece.last)
        finish(s, r, pdu->octets);
    else
        begin_or_continue(s, r, pdu);
    look_ahead(s, r, now_ns);
    if (g->last)
        ms_lle_is_left(s, r->ms, g->lle, now_ns);
    return true;
}

// ---- The usual case in one straight line: an MS with one N-PDU, which is whole in one PDU ----

// Nobody has a say in it but the buckets of packet flow, MS and cell: the PDU is first in the only
// ring of a cell by turns, at a pipe without a bucket; of its MS nothing else is queued, begun,
// waited for or owed.
static bool whole_find(struct sched *s, struct round *r)
{
    r->nse = s->nse_ready;
    r->n = &s->nse[r->nse];
    r->cell = r->n->first;
    r->c = &s->cell[r->cell];
    uint32_t active = r->c->active;
    if (active & (active - 1) || r->c->place != READY_TURNS || ready_by_time(r->n) ||
        r->n->bucket.rate != BUCKET_UNLIMITED)
        return false;
    r->turn = (uint32_t)__builtin_ctz(active);
    r->pfc = r->c->of_class[r->turn].head;
    r->ms = tree_pfc_ms(r->pfc);
    r->slot = tree_pfc_slot(r->pfc);
    r->m = tree_ms(s, r->ms);
    r->p = tree_pfc_of(r->m, r->slot);
    if (r->p->state != PFC_IN_RING || r->p->sent_octets || r->p->deficit < 0 ||
        total_packets(r->p->queue.total) != 1)
        return false;
    if (r->m->state & ~(MS_EXISTS | MS_OWN | MS_PLACED) || r->m->backlog != 1u << r->slot)
        return false;
    r->piece = pfc_piece(s, r->m, r->p);
    return r->piece.last;
}

static void whole_leaves(struct sched *s, struct round *r, uint32_t slot, uint32_t octets)
{
    struct tree_pfc *p = r->p;
    p->queue.total = 0;
    queue_count(s, r->m, p->traffic_class, -total_of(octets));
    queue_free(s, slot);
    room_shrunk(s, r->pfc, r->m, p);
    cell_ring_unlink(s, r->pfc, p, r->c);
    cell_backlog(s, r->cell, p->traffic_class, false);
    r->m->backlog = 0;
    s->backlogged[r->ms / 64] &= ~(1ULL << r->ms % 64);
}

bool round_whole(struct sched *s, uint64_t now_ns, struct sched_grant *g)
{
    struct round r;
    if (!whole_find(s, &r) ||
        !round_conforms(&r.p->bucket, r.piece.llc_octets, now_ns, &r.level_pfc) ||
        !round_conforms_ms(&r, now_ns) || !round_conforms_cell(&r, now_ns))
        return false;
    uint32_t slot = r.p->queue.head;
    struct pdu *pdu = &s->slot[slot];
    const struct tree_rule *rule = &s->rule[r.turn];
    r.sojourn_ns = pdu_sojourn_ns(pdu, tree_ms_clock(r.m, now_ns));
    if (has_expired(rule, pdu, r.sojourn_ns, now_ns) || !aqm_rests(rule, r.p, r.sojourn_ns))
        return false;
    grant_fill(s, &r, pdu, g);
    charge(&r, now_ns);
    tags_account(s, &r);
    whole_leaves(s, &r, slot, pdu->octets);
    if (r.c->active)
        cell_has_had_turn(r.n, r.c);
    else
        cell_refresh(s, r.cell);
    round_passes_turn(s, &r);
    return true;
}
