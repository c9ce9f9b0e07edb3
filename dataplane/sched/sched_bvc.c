// A cell's classes and the order of cells in an NSE. Between classes: start-time fair queueing
// (Goyal, Vin, Cheng 1996): each class has a start tag S, S += octets / weight, at waking S =
// max(S, v(b)), v(b) being the last start tag served; the class with the least S goes next,
// signalling before all. Between cells of a pipe the key is O(b) + min S; a cell that its own
// bucket delayed gets O(b) = max(O(b), v(pipe) - min S - a few PDUs), so it banks no credit; the
// clock v(b) of an empty cell follows the pipe's. This makes (cell, class) pairs share by weighted
// max-min (S3). While a pipe is not full its cells take turns (sched_ready.c), and offsets mean
// nothing. Invariant: a cell is in its NSE's ring or heap of ready cells if and only if CELL_READY.
#include "dataplane/sched/sched_ring.h"

// The credit of a cell for the time in which its own bucket delayed it. Without credit, a cell
// whose rate equals its share of the pipe would lose the wait for its turn each time.
#define CLAIM_PDUS 4

#define REWEIGHED 16u // cells a call

// The next class among `active`, which is not empty.
static uint32_t next_of(const struct tree_bvc *c, uint32_t active)
{
    uint32_t best = (uint32_t)__builtin_ctz(active);
    if (best == CLASS_SIGNALLING)
        return best;
    for (active &= active - 1; active; active &= active - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(active);
        if (tree_before(c->of_class[class].tag, c->of_class[best].tag))
            best = class;
    }
    return best;
}

uint32_t sched_bvc_next_class(const struct tree_bvc *c)
{
    uint32_t late = c->active & c->late;
    return late && !(c->active & 1u << CLASS_SIGNALLING) ? (uint32_t)__builtin_ctz(late)
                                                         : next_of(c, c->active);
}

uint64_t sched_bvc_key(const struct tree_bvc *c)
{
    return c->offset + c->of_class[next_of(c, c->active)].tag;
}

void sched_bvc_late_settle(struct sched *s, struct tree_bvc *c)
{
    for (uint32_t late = c->late; late; late &= late - 1) {
        uint32_t head = c->of_class[__builtin_ctz(late)].head;
        if (head == TREE_NONE || !tree_pfc(s, head)->sent_octets)
            c->late &= (uint8_t) ~(late & -late);
    }
}

void sched_bvc_is_late(struct sched *s, uint32_t bvc, uint32_t class)
{
    struct tree_bvc *c = &s->bvc[bvc];
    if (class == CLASS_SIGNALLING || c->late & 1u << class)
        return;
    c->late |= (uint8_t)(1u << class);
    sched_bvc_head_changes(s, class, bvc);
}

void sched_nse_refresh(struct sched *s, uint32_t nse)
{
    struct tree_nse *n = &s->nse[nse];
    bool ready = n->first != TREE_NONE && !(n->state & (GATE_WAITS | GATE_SHUT));
    if (ready == !!(n->state & NSE_READY))
        return;
    n->state ^= NSE_READY;
    if (!ready) {
        s->nse[n->prev].next = n->next;
        s->nse[n->next].prev = n->prev;
        if (s->nse_ready == nse)
            s->nse_ready = n->next == nse ? TREE_NONE : n->next;
        return;
    }
    if (s->nse_ready == TREE_NONE)
        s->nse_ready = n->next = n->prev = nse;
    struct tree_nse *turn = &s->nse[s->nse_ready];
    n->next = s->nse_ready;
    n->prev = turn->prev;
    s->nse[turn->prev].next = nse;
    turn->prev = nse;
}

void sched_bvc_starts_at(struct tree_bvc *c, uint64_t key)
{
    uint32_t data = c->active & ~(1u << CLASS_SIGNALLING);
    if (!data)
        return;
    c->offset = key - c->of_class[next_of(c, data)].tag;
    c->untimed = false;
}

void sched_bvc_comes_back(const struct sched *s, struct tree_bvc *c, const struct tree_nse *n)
{
    uint32_t data = c->active & ~(1u << CLASS_SIGNALLING);
    if (!data)
        return;
    if (c->untimed) {
        sched_bvc_starts_at(c, n->virtual);
        return;
    }
    uint32_t class = next_of(c, data);
    uint64_t tag =
        c->of_class[class].tag + tree_tag(s, class, CLAIM_PDUS * s->config.pdu_octets_max);
    if (tree_before(c->offset + tag, n->virtual))
        c->offset = n->virtual - tag;
}

static void refresh(struct sched *s, uint32_t bvc, bool served)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    struct tree_nse *n = &s->nse[c->nse];
    bool was = c->state & BVC_READY;
    bool ready = c->active && !(c->state & (GATE_WAITS | BVC_SHUT));
    if (was && ready)
        sched_ready_renew(s, n, bvc, served);
    else if (ready)
        sched_ready_add(s, n, bvc);
    else if (was)
        sched_ready_remove(s, n, bvc);
    sched_nse_refresh(s, c->nse);
}

void sched_bvc_refresh(struct sched *s, uint32_t bvc)
{
    refresh(s, bvc, false);
}

// The common case, a cell by turns that stays ready, only passes the turn on.
void sched_bvc_served(struct sched *s, uint32_t bvc)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    struct tree_nse *n = &s->nse[c->nse];
    bool stays = (c->state & (BVC_READY | GATE_WAITS | BVC_SHUT)) == BVC_READY &&
                 c->ready_ring == READY_TURNS && c->active && !(c->active & 1u << CLASS_SIGNALLING);
    if (stays && n->first == bvc && !ready_by_time(n))
        bvc_has_had_turn(n, c);
    else
        refresh(s, bvc, true);
}

// The first PDU in the cell's order has changed, and may be smaller than the one that the cell
// waits for, or the pipe, if the cell is its first.
static void order_changes(struct sched *s, struct tree_bvc *c, uint32_t bvc)
{
    struct tree_nse *n = &s->nse[c->nse];
    gate_unwait(&s->wheel, bvc_gate(s, bvc));
    if (n->first == bvc)
        gate_unwait(&s->wheel, gate_of(n));
    sched_bvc_refresh(s, bvc);
    sched_nse_refresh(s, c->nse);
}

void sched_bvc_head_changes(struct sched *s, uint32_t class, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    if (sched_bvc_next_class(c) == class)
        order_changes(s, c, bvc);
}

static void class_wakes(struct sched *s, uint32_t class, struct tree_bvc *c, uint32_t bvc)
{
    if (class != CLASS_SIGNALLING)
        bvc_class_wakes(c, &s->nse[c->nse], class);
    c->active |= (uint8_t)(1u << class);
    if (sched_bvc_next_class(c) == class) {
        order_changes(s, c, bvc);
        return;
    }
    sched_bvc_refresh(s, bvc);
    sched_nse_refresh(s, c->nse);
}

// At the head, so that among several PFCs that have begun, the one whose turn it is comes last.
static void link_first(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    struct tree_class *k = &c->of_class[p->traffic_class];
    uint32_t last = tree_pfc(s, k->head)->sent_octets ? k->head : pfc;
    if (k->last[RING_SMALL] == TREE_NONE)
        k->last[RING_SMALL] = last;
    ring_link_before(s, pfc, p, k->head);
    k->head = pfc;
    sched_bvc_head_changes(s, p->traffic_class, bvc);
}

void sched_bvc_ring_add(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    struct tree_class *k = &c->of_class[p->traffic_class];
    p->state |= PFC_IN_RING;
    if (ring_owes(s, p))
        sched_ring_pay(s, tree_ms(s, tree_pfc_ms(pfc)), p, k);
    if (k->head == TREE_NONE) {
        ring_begin(s, pfc, p, k);
        class_wakes(s, p->traffic_class, c, bvc);
    } else if (p->sent_octets) {
        link_first(s, pfc, p, bvc);
    } else if (ring_join(s, pfc, tree_ms(s, tree_pfc_ms(pfc)), p, k)) {
        sched_bvc_head_changes(s, p->traffic_class, bvc);
    }
}

void sched_bvc_ring_first(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc)
{
    struct tree_class *k = &s->bvc[bvc].of_class[p->traffic_class];
    if (k->head == pfc)
        return;
    ring_unlink(s, pfc, p, k);
    link_first(s, pfc, p, bvc);
}

void sched_bvc_ring_last(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_bvc *c)
{
    struct tree_class *k = &c->of_class[p->traffic_class];
    if (k->head == pfc) {
        ring_pass(k, p);
        return;
    }
    ring_unlink(s, pfc, p, k);
    ring_link_before(s, pfc, p, k->head);
    p->place = RING_REST;
}

// The place of its next N-PDU, of one in the ring.
static enum ring_place place_of(struct sched *s, uint32_t pfc, struct tree_pfc *p,
                                const struct tree_class *k)
{
    queue_choose(s, pfc, p);
    if (p->place == RING_SMALL || p->place == RING_LARGE)
        return ring_sparse_place(s, p);
    return ring_has_credit(s, pfc, tree_ms(s, tree_pfc_ms(pfc)), p, k) ? RING_CREDIT : RING_REST;
}

void sched_bvc_ring_yield(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_bvc *c)
{
    struct tree_class *k = &c->of_class[p->traffic_class];
    enum ring_place place = place_of(s, pfc, p, k);
    ring_front_leave(k, pfc, p);
    if (!ring_has_front(k)) { // of others
        p->place = (uint8_t)place & 3;
        ring_is_last(k, pfc, place);
        return;
    }
    ring_leave_place(s, pfc, p, k);
    ring_put_in(s, pfc, p, k, place);
}

// From credit to the rest: it has its turn now; or it is the last of this round; or it had its
// turn.
static void ring_put_back(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct tree_class *k)
{
    bool comes = p->odd_turn != (k->round & 1), ends = ring_is_rest(tree_pfc(s, k->round_end));
    if (p->state & PFC_TURN || (comes && !ends)) {
        ring_put_in(s, pfc, p, k, RING_REST);
        return;
    }
    ring_link_before(s, pfc, p, comes ? tree_pfc(s, k->round_end)->next : k->head);
    p->place = RING_REST;
    if (comes)
        k->round_end = pfc;
}

void sched_bvc_ring_settle(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc)
{
    struct tree_class *k = &s->bvc[bvc].of_class[p->traffic_class];
    enum ring_place place = place_of(s, pfc, p, k);
    if (place == p->place && place != RING_CREDIT)
        return;
    if (k->round_end == pfc && k->head != pfc && ring_is_rest(tree_pfc(s, p->prev)))
        k->round_end = p->prev;
    ring_front_leave(k, pfc, p);
    ring_leave_place(s, pfc, p, k);
    if (place == RING_REST)
        ring_put_back(s, pfc, p, k);
    else if (ring_put_in(s, pfc, p, k, place))
        sched_bvc_head_changes(s, p->traffic_class, bvc);
}

bool sched_ring_mate_has_turn(struct tree_ms *m, const struct tree_pfc *p,
                              const struct tree_class *k)
{
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        const struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (q != p && q->traffic_class == p->traffic_class && ring_has_turn(q, k))
            return true;
    }
    return false;
}

// While other PFCs are left in its class the cell's readiness and order stay.
void sched_bvc_ring_remove(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t bvc)
{
    struct tree_bvc *c = &s->bvc[bvc];
    bvc_ring_unlink(s, pfc, p, c);
    if (c->of_class[p->traffic_class].head == TREE_NONE || s->nse[c->nse].state & GATE_WAITS)
        sched_bvc_refresh(s, bvc);
}

void sched_bvc_wait(struct sched *s, uint32_t bvc, uint64_t at_ns)
{
    gate_wait(&s->wheel, bvc_gate(s, bvc), tree_id(TREE_BVC, bvc), at_ns);
    sched_bvc_refresh(s, bvc);
}

void sched_bvc_look_again(struct sched *s, uint32_t bvc)
{
    uint32_t nse = s->bvc[bvc].nse;
    frames_look_again(s);
    if (gate_unwait(&s->wheel, bvc_gate(s, bvc)))
        sched_bvc_refresh(s, bvc);
    if (gate_unwait(&s->wheel, gate_of(&s->nse[nse])))
        sched_nse_refresh(s, nse);
}

// Limits the tags' lead to one PDU; while weights stay the lead never exceeds that.
static void reweigh(struct sched *s, struct tree_bvc *c, uint32_t bvc)
{
    for (uint32_t class = CLASS_SIGNALLING + 1; class < CLASS_COUNT; class ++) {
        uint64_t most = c->virtual + tree_tag(s, class, s->config.pdu_octets_max);
        if (tree_before(most, c->of_class[class].tag))
            c->of_class[class].tag = most;
    }
    if (c->state & BVC_READY && c->ready_ring == READY_TIMED) {
        sched_bvc_comes_back(s, c, &s->nse[c->nse]);
        sched_bvc_refresh(s, bvc);
    }
}

void sched_bvcs_reweigh(struct sched *s)
{
    for (uint32_t i = 0; i < REWEIGHED && s->reweigh_bvc < s->config.bvcs; i++) {
        uint32_t bvc = s->reweigh_bvc++;
        if (s->bvc[bvc].state)
            reweigh(s, &s->bvc[bvc], bvc);
    }
}

void sched_nse_wait(struct sched *s, uint32_t nse, uint64_t at_ns)
{
    struct tree_nse *n = &s->nse[nse];
    uint32_t first = n->first;
    sched_ready_in_time(s, n);
    n->full_ns = at_ns + n->full_span_ns;
    if (n->first != first) // by virtual time another PDU is first: test that one
        return;
    gate_wait(&s->wheel, gate_of(n), tree_id(TREE_NSE, nse), at_ns);
    sched_nse_refresh(s, nse);
}

void sched_tree_moved(void *owner, uint32_t id, uint32_t ref)
{
    *tree_gate(owner, id).wheel_ref = ref;
}
