// An MS and its PFCs: the MS's own order, and the waits of MS and PFCs. Within an MS the order is
// that of start tags as in a cell (signalling first, then the least tag), so an MS that its own
// bucket limits shares its rate by the weights of its classes, independently of the cell
// (sched_tags.c). A PFC that its own bucket refuses is out of this order and delays no other PFC
// (S5). A half-sent N-PDU is finished before another one of its LLE begins, as SNDCP's receiver
// requires.
#include "dataplane/sched/sched_ring.h"

static bool lle_is_wanted(struct tree_ms *m, uint32_t lle, uint32_t slot)
{
    for (uint32_t others = m->backlog & ~(1u << slot); others; others &= others - 1) {
        const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(others));
        if (p->head_info >> 14 == lle && !(p->state & GATE_STOPPED))
            return true;
    }
    return false;
}

uint32_t sched_pfc_rest_octets(const struct sched *s, const struct tree_ms *m,
                               const struct tree_pfc *p)
{
    struct tree_piece next = pfc_piece(s, m, p);
    uint32_t left = (p->head_info & QUEUE_INFO_OCTETS) - next.octets;
    uint32_t header = s->config.next_header_octets;
    uint32_t n201_u = p->sent_octets ? p->n201_u : m->n201_u[p->head_info >> 14];
    uint32_t room = n201_u + s->config.llc_octets - header;
    return next.llc_octets + left + (left + room - 1) / room * header;
}

// While other PFCs want the LLE, an N-PDU that its own bucket could pass whole later, but not now,
// does not begin: half sent, it would make them wait for that bucket.
uint32_t sched_pfc_whole_octets(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                                uint32_t slot)
{
    uint32_t whole = sched_pfc_rest_octets(s, m, p);
    if (whole > pfc_bucket_read(m, p)->max_octets || !lle_is_wanted(m, p->head_info >> 14, slot))
        return pfc_piece(s, m, p).llc_octets;
    return whole;
}

uint64_t sched_pfc_conforms_at(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                               uint64_t now_ns)
{
    queue_choose(s, pfc, p);
    struct tree_piece piece = pfc_piece(s, m, p);
    uint32_t octets = pfc_bucket_octets(s, m, p, tree_pfc_slot(pfc), &piece);
    const struct bucket *b = pfc_bucket(m, p);
    return bucket_conforms_at(bucket_level(b, now_ns), bucket_terms(b), octets, now_ns);
}

void sched_pfc_refused(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                       uint64_t at_ns, uint64_t now_ns)
{
    if (!pfc_is_shared(p)) {
        sched_pfc_wait(s, pfc, p, at_ns);
        return;
    }
    sched_share_limit(m, p, tree_pfc_slot(pfc), true);
    sched_share_settle(s, tree_pfc_ms(pfc), m, tree_pfc_slot(pfc), now_ns);
}

// Whether the PFC may send and its own bucket passes its PDU; if the bucket refuses, the PFC waits.
static bool pfc_conforms(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                         uint64_t now_ns)
{
    if (!pfc_may_send(s, pfc, m, p))
        return false;
    uint64_t at_ns = sched_pfc_conforms_at(s, pfc, m, p, now_ns);
    if (__builtin_expect(at_ns <= now_ns, 1))
        return true;
    sched_pfc_refused(s, pfc, m, p, at_ns, now_ns);
    return false;
}

// The same for the PFC whose PDU goes at that slot's turn.
static bool slot_conforms(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                          uint64_t now_ns)
{
    struct tree_pfc *p = tree_pfc_of(m, slot);
    if (!pfc_may_send(s, tree_pfc_id(ms, slot), m, p))
        return false;
    uint32_t goes = pfc_goes(s, ms, m, slot, now_ns);
    if (pfc_conforms(s, tree_pfc_id(ms, goes), m, tree_pfc_of(m, goes), now_ns))
        return true;
    if (pfc_lle_is_held(m, p, slot)) // since this test
        m->lle_waiters |= (uint8_t)(1u << slot);
    return false;
}

// The PDU that goes at this slot's turn in the MS's own order: the one that keeps its LLE, or the
// first of the sharing PFCs; instead of a beginning N-PDU, a half-sent one of its class (S12).
static uint32_t goes_first(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                           uint64_t now_ns)
{
    uint32_t goes = pfc_goes(s, ms, m, slot, now_ns);
    const struct tree_pfc *p = tree_pfc_of(m, goes);
    if (p->sent_octets)
        return goes;
    for (uint32_t slots = ms_competing(m); slots; slots &= slots - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(slots);
        struct tree_pfc *q = tree_pfc_of(m, other);
        if (q->sent_octets && q->traffic_class == p->traffic_class &&
            pfc_conforms(s, tree_pfc_id(ms, other), m, q, now_ns))
            return other;
    }
    return goes;
}

// As in its cell (sched_bvc_is_late).
static bool is_late(const struct sched *s, uint32_t pfc, const struct tree_ms *m,
                    const struct tree_pfc *p, uint64_t now_ns)
{
    return p->sent_octets && pdu_sojourn_ns(queue_head(s, pfc, p), tree_ms_clock(m, now_ns)) >
                                 s->rule[p->traffic_class].deadline_ns;
}

static uint32_t least_slot(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns)
{
    const struct tree_pfc *best = NULL;
    uint32_t best_slot = TREE_NONE;
    bool best_late = false;
    for (uint32_t slots = ms_competing(m); slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        struct tree_pfc *p = tree_pfc_of(m, slot);
        if (!slot_conforms(s, ms, m, slot, now_ns))
            continue;
        bool late = is_late(s, tree_pfc_id(ms, slot), m, p, now_ns);
        if (!best ||
            (late != best_late && pfc_signals(p) == pfc_signals(best) ? late
                                                                      : pfc_own_first(p, best))) {
            best = p;
            best_slot = slot;
            best_late = late;
        }
    }
    return best_slot;
}

// A refused PFC makes the PFCs that share its bucket wait, even one found earlier in this search.
// If it keeps an LLE, the PFC at whose turn it was refused is no longer the first of its own
// bucket, so PFCs of that bucket passed over for it may go. So the search is repeated until it
// blocks none.
uint32_t sched_ms_next_slot(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns)
{
    if (s->reweighed)
        sched_ms_limit_debts(s, m);
    uint32_t slot, blocked;
    do {
        blocked = m->blocked;
        slot = least_slot(s, ms, m, now_ns);
    } while (m->blocked != blocked);
    return slot == TREE_NONE ? TREE_NONE : goes_first(s, ms, m, slot, now_ns);
}

void sched_ms_ready(struct sched *s, uint32_t ms, struct tree_ms *m)
{
    for (uint32_t slots = ms_competing(m); slots; slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        struct tree_pfc *p = tree_pfc(s, pfc);
        if (!(p->state & PFC_IN_RING) && pfc_may_send(s, pfc, m, p))
            sched_bvc_ring_add(s, pfc, p, m->bvc);
    }
}

void sched_ms_settle(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns)
{
    if (ms_is_held(m) || !m->backlog)
        return;
    uint32_t slot = sched_ms_next_slot(s, ms, m, now_ns);
    if (slot == TREE_NONE)
        return;
    struct tree_piece piece = pfc_piece(s, m, tree_pfc_of(m, slot));
    uint64_t at_ns =
        bucket_conforms_at(ms_level(s, m, now_ns), ms_terms(s, m), piece.llc_octets, now_ns);
    if (at_ns > now_ns)
        ms_wait(s, ms, m, at_ns);
    else
        sched_ms_ready(s, ms, m);
}

void sched_ms_update(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    gate_unwait(&s->wheel, gate_of(m));
    sched_bvc_look_again(s, m->bvc);
    sched_ms_settle(s, ms, m, now_ns);
}

void sched_pfc_wait(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint64_t at_ns)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    if (p->state & PFC_IN_RING)
        sched_bvc_ring_remove(s, pfc, p, m->bvc);
    m->blocked |= (uint8_t)(1u << tree_pfc_slot(pfc));
    gate_wait(&s->wheel, gate_of(p), tree_id(TREE_PFC, pfc), at_ns);
}

void sched_pfc_is_free(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    p->state &= (uint8_t)~GATE_WAITS;
    m->blocked &= (uint8_t) ~(1u << tree_pfc_slot(pfc));
    pfc_forget_credit(s, m, p, tree_pfc_slot(pfc));
}

void sched_pfc_unwait(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    if (pfc_is_shared(p)) {
        uint32_t ms = tree_pfc_ms(pfc);
        sched_share_free(s, ms, tree_ms(s, ms), tree_pfc_slot(pfc));
        return;
    }
    if (gate_unwait(&s->wheel, gate_of(p)))
        sched_pfc_is_free(s, pfc, p);
}

// Another PFC's N-PDU may have to be passed whole from now on, so the cell may wait for a PDU that
// cannot go.
static bool makes_whole(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    for (uint32_t others = ms_competing(m) & ~(1u << slot); others; others &= others - 1) {
        struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(others));
        if (q->head_info >> 14 == p->head_info >> 14 && !q->sent_octets &&
            pfc_bucket(m, q)->rate != BUCKET_UNLIMITED)
            return true;
    }
    return false;
}

void sched_pfc_joins(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p)
{
    if (!(p->state & (PFC_IN_RING | GATE_WAITS)) && pfc_may_send(s, pfc, m, p))
        sched_bvc_ring_add(s, pfc, p, m->bvc);
    if (m->lle_waiters) // PFCs whose LLE its half-sent N-PDU keeps
        sched_ms_ready(s, tree_pfc_ms(pfc), m);
    uint32_t slot = tree_pfc_slot(pfc);
    if (m->state & MS_LIMITED || share_is_limited(m, p, slot) || // it may be first now
        makes_whole(m, p, slot))
        sched_bvc_look_again(s, m->bvc);
}

void sched_pfc_begins(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                      uint64_t now_ns)
{
    uint32_t ms = tree_pfc_ms(pfc), slot = tree_pfc_slot(pfc);
    pfc_forget_credit(s, m, p, slot);
    m->backlog |= (uint8_t)(1u << slot);
    s->backlogged[ms / 64] |= 1ULL << ms % 64;
    p->share_uses = 0;
    bvc_backlog(s, &s->bvc[m->bvc], p->traffic_class, true);
    if (ms_stands(m))
        standing_count(s, m->bvc, p->traffic_class, 0, 1);
    if (share_waits(m, p, slot)) {
        sched_share_look_again(s, ms, m, slot, now_ns);
        return;
    }
    if (ms_is_held(m))
        return;
    if (m->state & GATE_WAITS) // it may be first in the MS's order now, and smaller
        sched_ms_update(s, ms, now_ns);
    else
        sched_pfc_joins(s, pfc, m, p);
}

void sched_pfc_ends(struct sched *s, uint32_t pfc)
{
    uint32_t ms = tree_pfc_ms(pfc), slot = tree_pfc_slot(pfc);
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    if (pfc_is_shared(p))
        sched_share_left(s, ms, m, slot);
    else
        sched_pfc_unwait(s, pfc, p);
    if (p->state & PFC_IN_RING)
        sched_bvc_ring_remove(s, pfc, p, m->bvc);
    bvc_backlog(s, &s->bvc[m->bvc], p->traffic_class, false);
    if (ms_stands(m))
        standing_count(s, m->bvc, p->traffic_class, 0, UINT32_MAX);
    m->backlog &= (uint8_t) ~(1u << slot);
    m->lle_waiters &= m->backlog;
    if (m->backlog)
        return;
    m->state &= (uint8_t)~MS_LIMITED;
    s->backlogged[ms / 64] &= ~(1ULL << ms % 64);
}

void sched_ms_heads_change(struct sched *s, uint32_t ms, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->blocked; slots; slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        sched_pfc_unwait(s, pfc, tree_pfc(s, pfc));
    }
    sched_ms_update(s, ms, now_ns);
}

static void pfc_look_again(struct sched *s, uint32_t pfc, struct tree_ms *m, struct tree_pfc *p,
                           uint64_t now_ns)
{
    if (pfc_is_shared(p)) {
        sched_share_look_again(s, tree_pfc_ms(pfc), m, tree_pfc_slot(pfc), now_ns);
        return;
    }
    sched_pfc_unwait(s, pfc, p);
    uint64_t at_ns = sched_pfc_conforms_at(s, pfc, m, p, now_ns);
    if (at_ns > now_ns)
        sched_pfc_wait(s, pfc, p, at_ns);
    else if (m->state & GATE_WAITS)
        sched_ms_update(s, tree_pfc_ms(pfc), now_ns);
    else if (!ms_is_held(m))
        sched_pfc_joins(s, pfc, m, p);
}

void sched_ms_blocked_look_again(struct sched *s, uint32_t ms, uint32_t lle, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    for (uint32_t slots = m->blocked & m->backlog; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        struct tree_pfc *p = tree_pfc_of(m, slot);
        if (p->state & GATE_WAITS && p->head_info >> 14 == lle && !lle_is_wanted(m, lle, slot))
            pfc_look_again(s, tree_pfc_id(ms, slot), m, p, now_ns);
    }
}
