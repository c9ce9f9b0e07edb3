// The next LLC PDUs. Each round takes the NSE whose turn it is, its first ready cell, the cell's
// first class, the class's first PFC, and tests that PDU at every level. A level that refuses sends
// its node to the wheel until the PDU conforms there, and the round ends; if all levels pass, the
// PDU goes (sched_send.c). So a round sends, drops, makes a node wait, passes a turn on, or removes
// a PFC that may not send from its ring. Rounds and ids from the wheel are bounded a call (S9).
#include "dataplane/sched/sched_ring.h"
#include "dataplane/sched/sched_round.h"

#define ROUNDS_A_PDU  8u
#define ROUNDS_AT_ALL 64u
#define IDS_A_PDU     4u // from the wheel
#define IDS_AT_ALL    64u

// PFCs of one class in an MS share one quantum, so that the MS counts once (S4): those that
// compete, and those that have had their part of it in this round.
static int32_t quantum(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                       const struct tree_class *k)
{
    uint32_t sharers = 1;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        const struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        sharers += q != p && q->traffic_class == p->traffic_class &&
                   (ms_competing(m) & slots & -slots || ring_has_turn(q, k));
    }
    return (int32_t)(turn_octets(s, &s->bvc[m->bvc]) / sharers);
}

void sched_ring_pay(const struct sched *s, struct tree_ms *m, struct tree_pfc *p,
                    const struct tree_class *k)
{
    uint32_t away = k->round - p->next, owing = 1;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        const struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (q == p || q->traffic_class != p->traffic_class)
            continue;
        uint32_t of_mate = q->state & PFC_IN_RING ? 0 : k->round - q->next;
        away = of_mate < away ? of_mate : away;
        owing += ring_owes(s, q);
    }
    if (away < 2)
        return;
    int64_t paid = (int64_t)(away - 1) * (turn_octets(s, &s->bvc[m->bvc]) / owing);
    p->deficit =
        away >= RING_ROUNDS_TO_FORGET || p->deficit + paid > 0 ? 0 : (int32_t)(p->deficit + paid);
}

// The PFC's turn of this round begins; false: what it has overdrawn takes all of it.
static bool turn_begins(struct sched *s, struct tree_ms *m, struct tree_pfc *p,
                        const struct tree_class *k)
{
    int32_t q =
        m->slots & (m->slots - 1) ? quantum(s, m, p, k) : (int32_t)turn_octets(s, &s->bvc[m->bvc]);
    p->deficit = p->deficit > 0 ? q : p->deficit + q;
    p->odd_turn = k->round & 1;
    return p->deficit > 0;
}

// Deficit round robin whose turns may overdraw: true if it is this PFC's turn.
static bool has_turn(struct sched *s, struct round *r)
{
    struct tree_pfc *p = r->p;
    struct tree_class *k = &r->c->of_class[p->traffic_class];
    if (p->sent_octets) // a half-sent N-PDU goes on (S12)
        return true;
    if (p->place == RING_CREDIT) {
        if (ring_has_credit(s, r->pfc, r->m, p, k))
            return true;
        sched_bvc_ring_settle(s, r->pfc, p, r->bvc);
        return false;
    }
    if (ring_turn_goes_on(p, k))
        return true;
    if (!turn_begins(s, r->m, p, k)) {
        p->state &= (uint8_t)~PFC_TURN;
        ring_pass(k, p);
        sched_bvc_ring_settle(s, r->pfc, p, r->bvc);
        return false;
    }
    p->state |= PFC_TURN;
    return true;
}

// Removes a PFC that may not send from its ring.
static inline bool head_may_send(struct sched *s, uint32_t pfc, uint32_t bvc)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    struct tree_pfc *p = tree_pfc_of(m, tree_pfc_slot(pfc));
    if (!ms_is_held(m) && !(m->state & GATE_WAITS) && pfc_may_send(s, pfc, m, p))
        return true;
    const struct tree_class *k = &s->bvc[bvc].of_class[p->traffic_class];
    if (m->state & GATE_WAITS && !ms_is_simple(m) && !p->sent_octets && p->place != RING_CREDIT &&
        !ring_turn_goes_on(p, k))
        turn_begins(s, m, p, k);
    sched_bvc_ring_remove(s, pfc, p, bvc);
    return false;
}

// The PFC that goes before an N-PDU begins out of its class's order: one that has begun (S12).
static uint32_t class_begun(const struct sched *s, const struct round *r)
{
    uint32_t head = r->c->of_class[r->p->traffic_class].head;
    if (r->p->sent_octets || head == TREE_NONE || head == r->pfc)
        return TREE_NONE;
    return tree_pfc(s, head)->sent_octets ? head : TREE_NONE;
}

// If a PFC has to go before this N-PDU begins, takes that PFC instead.
static bool find_before(struct sched *s, struct round *r, uint64_t now_ns)
{
    uint32_t before = class_begun(s, r);
    if (before == TREE_NONE)
        return true;
    if (!head_may_send(s, before, r->bvc))
        return false;
    uint32_t ms = tree_pfc_ms(before);
    round_hold(s, r, ms, pfc_goes(s, ms, tree_ms(s, ms), tree_pfc_slot(before), now_ns));
    r->stands_in = true;
    return true;
}

// The PDU that goes at this PFC's turn: the one that keeps its LLE, or the first of the PFCs with a
// shared bucket that limits them.
static bool find_in_place(struct sched *s, struct round *r, uint64_t now_ns)
{
    uint32_t goes = pfc_goes(s, r->ms, r->m, r->slot, now_ns);
    if (goes == r->slot)
        return true;
    round_hold(s, r, r->ms, goes);
    return find_before(s, r, now_ns);
}

// At another class's turn no N-PDU begins of one whose MS has overdrawn its turns in its class:
// else an MS whose bucket delays it between PDUs would have what its neighbours are to have (S4).
static bool is_overdrawn(const struct sched *s, const struct round *r, uint32_t slot)
{
    const struct tree_pfc *p = tree_pfc_of(r->m, slot);
    return slot != r->slot && p->traffic_class != r->turn && !p->sent_octets &&
           p->traffic_class != CLASS_SIGNALLING && p->deficit <= -credit_octets(s);
}

// An MS that its own bucket delayed keeps its own order: takes the first PDU of that order.
static bool find_in_ms(struct sched *s, struct round *r, uint64_t now_ns)
{
    uint32_t slot = sched_ms_next_slot(s, r->ms, r->m, now_ns);
    if (slot == TREE_NONE)
        return false;
    if (is_overdrawn(s, r, slot))
        return find_in_place(s, r, now_ns);
    round_hold(s, r, r->ms, slot);
    return find_before(s, r, now_ns);
}

// Finds the first PDU in the order; false if the round has ended otherwise.
static bool find(struct sched *s, struct round *r, uint64_t now_ns)
{
    r->nse = s->nse_ready;
    r->n = &s->nse[r->nse];
    r->bvc = r->n->first;
    r->c = &s->bvc[r->bvc];
    if (r->c->late)
        sched_bvc_late_settle(s, r->c);
    r->turn = sched_bvc_next_class(r->c);
    r->late = r->c->late >> r->turn & 1;
    r->stands_in = false;
    uint32_t pfc = r->c->of_class[r->turn].head;
    if (!head_may_send(s, pfc, r->bvc))
        return false;
    round_hold(s, r, tree_pfc_ms(pfc), tree_pfc_slot(pfc));
    if (!has_turn(s, r))
        return false;
    if (r->m->state & MS_LIMITED && !ms_is_simple(r->m))
        return find_in_ms(s, r, now_ns);
    return find_in_place(s, r, now_ns);
}

// The MS's bucket refuses: the MS waits for the first PDU of its own order, or sends that one now.
static void ms_refused(struct sched *s, struct round *r, uint64_t now_ns)
{
    r->m->state |= MS_LIMITED;
    uint32_t slot = r->stands_in ? r->slot : sched_ms_next_slot(s, r->ms, r->m, now_ns);
    if (slot == TREE_NONE) // the shared bucket refuses the first PDU of its PFCs
        return;
    if (is_overdrawn(s, r, slot))
        slot = r->slot;
    struct tree_piece piece = pfc_piece(s, r->m, tree_pfc_of(r->m, slot));
    uint64_t at_ns = bucket_conforms_at(r->level_ms, ms_terms(s, r->m), piece.llc_octets, now_ns);
    if (at_ns > now_ns)
        ms_wait(s, r->ms, r->m, at_ns);
}

// True if the PDU conforms at every level; else the refusing level's node waits.
static bool conforms(struct sched *s, struct round *r, uint64_t now_ns)
{
    if (!round_conforms_pfc(s, r, now_ns))
        sched_pfc_refused(s, r->pfc, r->m, r->p,
                          bucket_conforms_at(r->level_pfc, bucket_terms(pfc_bucket(r->m, r->p)),
                                             round_pfc_octets(s, r), now_ns),
                          now_ns);
    else if (!round_conforms_ms(s, r, now_ns))
        ms_refused(s, r, now_ns);
    else if (!round_conforms_bvc(r, now_ns))
        sched_bvc_wait(s, r->bvc,
                       bucket_conforms_at(r->level_bvc, bucket_terms(&r->c->bucket),
                                          r->piece.llc_octets, now_ns));
    else if (!round_conforms_nse(s, r, now_ns))
        sched_nse_wait(
            s, r->nse,
            bucket_conforms_at(r->level_nse, bucket_terms(&r->n->bucket), r->pipe_octets, now_ns));
    else
        return true;
    return false;
}

// One round. True if a grant was filled.
static bool round_once(struct sched *s, uint64_t now_ns, struct sched_grant *g)
{
    struct round r;
    if (!find(s, &r, now_ns) || !conforms(s, &r, now_ns) || !sched_round_send(s, &r, now_ns, g))
        return false;
    sched_bvc_served(s, r.bvc);
    round_passes_turn(s, &r);
    return true;
}

// All usual rounds, and the one behind them in full. Returns the number of rounds.
static uint32_t take_ready(struct sched *s, struct sched_grant *grants, uint32_t n, uint32_t rounds,
                           uint32_t *taken, uint64_t now_ns)
{
    uint32_t most = n - *taken < rounds ? n - *taken : rounds;
    uint32_t fast = s->config.in_full ? 0 : sched_fast_rounds(s, now_ns, &grants[*taken], most);
    *taken += fast;
    if (fast == most || s->nse_ready == TREE_NONE)
        return fast;
    *taken += round_once(s, now_ns, &grants[*taken]);
    return fast + 1;
}

uint32_t sched_take(struct sched *s, struct sched_grant *grants, uint32_t n, uint64_t now_ns)
{
    uint32_t taken = 0, rounds = n * ROUNDS_A_PDU + ROUNDS_AT_ALL;
    uint32_t ids = n * IDS_A_PDU + IDS_AT_ALL;
    // PFCs in the rings get at least half of the grants.
    uint32_t at_once = s->nse_ready == TREE_NONE ? n : n / 2;
    sched_bvcs_reweigh(s);
    sched_expire(s, now_ns);
    if (sched_roll_work(s, now_ns))
        return 0;
    sched_fire(s, n, false, grants, at_once, &taken, now_ns);
    while (taken < n && rounds && s->drop_count < SCHED_DROPS) {
        if (s->nse_ready != TREE_NONE) {
            rounds -= take_ready(s, grants, n, rounds, &taken, now_ns);
            continue;
        }
        rounds--;
        uint32_t want = n - taken < ids ? n - taken : ids;
        uint32_t fired = sched_fire(s, want, false, grants, n, &taken, now_ns);
        // The wheel's running slot is only read if nothing else can be sent.
        if (!fired && !taken && !s->config.coarse)
            fired = sched_fire(s, want, true, grants, n, &taken, now_ns);
        if (!fired)
            break;
        ids -= fired;
    }
    return taken;
}

uint64_t sched_next_ns(struct sched *s, uint64_t now_ns)
{
    if (s->nse_ready != TREE_NONE || s->bvcs_due != TREE_NONE || s->reweigh_bvc < s->config.bvcs)
        return now_ns;
    uint64_t wheel_ns =
        s->config.coarse ? sched_wheel_next_slot_ns(&s->wheel) : sched_wheel_next_ns(&s->wheel);
    uint64_t expiry_ns = sched_expiry_ns(s, now_ns);
    uint64_t next_ns = wheel_ns < expiry_ns ? wheel_ns : expiry_ns;
    return next_ns < s->frames_at_ns ? next_ns : s->frames_at_ns;
}

uint32_t sched_dropped(struct sched *s, const struct sched_drop **drops)
{
    uint32_t n = s->drop_count;
    *drops = s->drop;
    s->drop_count = 0;
    return n;
}
