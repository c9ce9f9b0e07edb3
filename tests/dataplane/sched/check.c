// Walks the whole structure and names the invariant that does not hold. Slow and plain
// on purpose; it recounts everything and trusts no counter.
#include "tests/dataplane/sched/check.h"

#include "dataplane/sched/sched_overflow.h"
#include "dataplane/sched/sched_ring.h"

// Sums of the walk.
struct sums {
    uint64_t total;                  // queued
    uint32_t waiting;                // nodes in the wheel
    uint32_t reserved_mss, reserved; // MSs; cells and NSEs
};

#define MUST(what, text) \
    do {                 \
        if (!(what))     \
            return text; \
    } while (0)

static const char *check_queue(const struct sched *s, const struct tree_queue *q)
{
    uint32_t slot = q->head, packets = total_packets(q->total);
    uint64_t total = 0;
    for (uint32_t i = 0; i < packets; i++) {
        const struct pdu *pdu = &s->slot[slot];
        bool is_last = i + 1 == packets;
        MUST(slot < s->slots, "a queue leads out of the slots");
        MUST(is_last == (slot == q->tail), "a queue's tail is not its last");
        MUST(is_last || pdu->next_octets_lle ==
                            queue_info(s->slot[pdu->next].octets, s->slot[pdu->next].lle),
             "a slot does not know the one behind it");
        total += total_of(pdu->octets);
        slot = pdu->next;
    }
    MUST(total == q->total, "a queue's total");
    return NULL;
}

static const char *check_flows(const struct sched *s, uint32_t pfc, const struct tree_pfc *p)
{
    uint64_t total = 0;
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++) {
        const struct tree_flow *f = queue_flow(s, pfc, flow);
        const char *fault = check_queue(s, &f->queue);
        if (fault)
            return fault;
        MUST(!f->queue.total || f->list, "a flow with a backlog is in no list");
        total += f->queue.total;
    }
    MUST(total == p->queue.total, "a PFC's sum of its flows");
    return NULL;
}

// PFCs that share a bucket: one of them leads, and they wait together, by one entry in the wheel.
static const char *check_shared(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    uint32_t leader = p->state & PFC_SHARES ? p->bucket.max_octets : slot, members = 0, refs = 0;
    MUST(leader < SCHED_SLOTS && m->slots & 1u << leader, "a bucket's leader is not there");
    const struct tree_pfc *l = tree_pfc_of(m, leader);
    MUST((l->state & PFC_SHARED) == PFC_LEADS, "a bucket's leader");
    MUST(!(p->state & PFC_SHARES) || p->bucket.rate == BUCKET_UNLIMITED, "a sharer's own bucket");
    for (uint32_t other = 0; other < SCHED_SLOTS; other++) {
        const struct tree_pfc *q = tree_pfc_of(m, other);
        if (!(m->slots & 1u << other) ||
            (other != leader && !(q->state & PFC_SHARES && q->bucket.max_octets == leader)))
            continue;
        members++;
        refs += q->wheel_ref != WHEEL_NO_REF;
        MUST((q->state & GATE_STOPPED) == (p->state & GATE_STOPPED), "sharers stop as one");
        MUST(!q->queue.total || !p->queue.total ||
                 (q->state & GATE_WAITS) == (p->state & GATE_WAITS),
             "sharers wait as one");
    }
    MUST(members > 1, "a bucket is shared by one");
    MUST(!(p->state & GATE_WAITS) || refs == 1, "sharers wait by one entry");
    MUST(p->queue.total || p->wheel_ref == WHEEL_NO_REF, "an empty sharer's ref");
    MUST(p->state & GATE_WAITS || p->wheel_ref == WHEEL_NO_REF, "a sharer's ref");
    return NULL;
}

static const char *check_pfc(const struct sched *s, uint32_t pfc, struct sums *sums)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    uint32_t slot = tree_pfc_slot(pfc);
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    const char *fault = p->state & PFC_BY_FLOW ? check_flows(s, pfc, p) : check_queue(s, &p->queue);
    if (fault)
        return fault;
    MUST(!!p->queue.total == !!(m->backlog & 1u << slot), "an MS's mask of backlogs");
    MUST(p->queue.total || !(p->state & (PFC_IN_RING | GATE_WAITS)), "an empty PFC is active");
    MUST(!(p->state & PFC_IN_RING) || !(p->state & GATE_WAITS), "a waiting PFC is in a ring");
    fault = p->state & PFC_SHARED ? check_shared(m, p, slot) : NULL;
    if (fault)
        return fault;
    MUST(p->state & (PFC_SHARED | GATE_WAITS) || p->wheel_ref == WHEEL_NO_REF, "a PFC's ref");
    MUST(p->state & PFC_SHARED || !(p->state & GATE_WAITS) || p->wheel_ref != WHEEL_NO_REF,
         "a PFC waits without a ref");
    MUST(!!(p->state & (GATE_WAITS | GATE_STOPPED)) == !!(m->blocked & 1u << slot),
         "an MS's mask of blocked PFCs");
    MUST(!p->sent_octets || p->queue.total, "an empty PFC is half sent");
    MUST(!p->stirred || (s->vars_octets[SCHED_SCOPE_PFC] &&
                         aqm_is_stirred(tree_vars(s, SCHED_SCOPE_PFC, tree_pfc_index(s, pfc)))),
         "a PFC's AQM is not as stirred as said");
    bool held = ms_is_held(m) || m->state & GATE_WAITS || p->state & (GATE_WAITS | GATE_STOPPED) ||
                pfc_lle_is_held(m, p, slot) || p->state & PFC_BY_FLOW;
    MUST(held || !p->queue.total || p->state & PFC_IN_RING, "a PFC that may send is forgotten");
    sums->total += p->queue.total;
    sums->waiting += p->wheel_ref != WHEEL_NO_REF;
    return NULL;
}

// The default rate is 0, or was 0 and the visit after its change has not reached the MS.
static bool waits_for_change(const struct sched *s, const struct tree_ms *m)
{
    return !(m->state & MS_OWN) &&
           (s->bvc_rest[m->bvc].defaults.terms.rate == 0 || s->bvc[m->bvc].state & BVC_DUE);
}

static bool last_is_signalling(struct tree_ms *m)
{
    bool data = false;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1)
        data |= !pfc_signals(tree_pfc_of(m, (uint32_t)__builtin_ctz(slots)));
    return data && m->slots >> m->last & 1 && pfc_signals(tree_pfc_of(m, m->last));
}

static const char *check_ms(const struct sched *s, uint32_t ms, struct sums *sums)
{
    struct tree_ms *m = tree_ms(s, ms);
    uint64_t before = sums->total;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        const char *fault = check_pfc(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)), sums);
        if (fault)
            return fault;
    }
    MUST(sums->total - before == m->total, "an MS's total");
    MUST(!(m->backlog & ~m->slots), "a backlog in a PFC that is not there");
    MUST(!last_is_signalling(m), "data's virtual time is that of signalling");
    MUST(m->state & GATE_WAITS || m->wheel_ref == WHEEL_NO_REF, "an MS's ref");
    MUST(!(m->state & GATE_WAITS) || m->wheel_ref != WHEEL_NO_REF || waits_for_change(s, m),
         "an MS waits for nothing");
    MUST(s->bvc[m->bvc].state & BVC_RESETS || !roll_is_stale(s, ms, m), "an MS has missed a reset");
    MUST(m->backlog || !(m->state & GATE_WAITS), "an empty MS waits");
    MUST(!(m->state & GATE_WAITS) || !ms_is_held(m), "a held MS waits");
    MUST(!!m->backlog == (s->backlogged[ms / 64] >> ms % 64 & 1), "the mask of MSs");
    for (int lle = 0; lle < SCHED_LLES; lle++)
        MUST(!ms_lle_open(m, (uint32_t)lle) ||
                 tree_pfc_of(m, ms_lle_open(m, (uint32_t)lle) - 1)->sent_octets,
             "an LLE is kept by nobody");
    sums->waiting += m->wheel_ref != WHEEL_NO_REF;
    sums->reserved_mss += !!(m->state & GATE_RESERVED);
    return NULL;
}

// Its PFCs; an impossible number if its order is wrong: those that have begun an N-PDU (S12), then
// small sparse ones (S13), then those on credit, then large sparse ones, then the rest. `last` are
// the last of the first two, three and four kinds, which the ring's marks, the last of each place,
// have to tell; all may be unset while the head alone has begun.
static uint32_t kind_of(const struct tree_pfc *p)
{
    return p->sent_octets ? 0 : p->place + 1u;
}

static bool is_last(const struct sched *s, uint32_t head, uint32_t last, uint32_t counted)
{
    return last == counted || (last == TREE_NONE && counted == head && !kind_of(tree_pfc(s, head)));
}

static uint32_t ring_count(const struct sched *s, const struct tree_class *k)
{
    uint32_t n = 0, pfc = k->head, kind = 0, last[RING_PLACES] = {TREE_NONE, TREE_NONE, TREE_NONE};
    bool ends = false;
    if (k->head == TREE_NONE)
        return 0;
    do {
        const struct tree_pfc *p = tree_pfc(s, pfc);
        if (tree_pfc(s, p->next)->prev != pfc || !(p->state & PFC_IN_RING) || kind_of(p) < kind)
            return UINT32_MAX;
        kind = kind_of(p);
        for (uint32_t place = 0; place < RING_PLACES; place++)
            last[place] = kind <= place + 1 ? pfc : last[place];
        ends |= k->round_end == pfc;
        pfc = p->next;
    } while (pfc != k->head && ++n < UINT32_MAX - 1);
    uint32_t up_to = TREE_NONE;
    for (uint32_t place = 0; place < RING_PLACES; place++) {
        up_to = k->last[place] == TREE_NONE ? up_to : k->last[place];
        ends &= is_last(s, k->head, up_to, last[place]);
    }
    return ends ? n + 1 : UINT32_MAX;
}

// Counts of a cell's PFCs in a class.
struct members {
    uint32_t in_ring, backlogged, standing_pfcs;
    uint64_t total, standing;
};

static struct members members_of(const struct sched *s, uint32_t bvc, uint32_t class)
{
    struct members sum = {0};
    for (uint32_t ms = 0; ms < s->config.mss; ms++) {
        struct tree_ms *m = tree_ms(s, ms);
        for (uint32_t slots = m->slots; m->bvc == bvc && slots; slots &= slots - 1) {
            const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
            if (p->traffic_class != class)
                continue;
            sum.in_ring += !!(p->state & PFC_IN_RING);
            sum.backlogged += p->queue.total > 0;
            sum.total += p->queue.total;
            if (m->state & (GATE_BLOCKED | GATE_STOPPED)) {
                sum.standing += p->queue.total;
                sum.standing_pfcs += p->queue.total > 0;
            }
        }
    }
    return sum;
}

static const char *check_sizes(const struct tree_sizes *z, uint32_t mss)
{
    uint32_t sum = 0;
    for (uint32_t step = 0; step < TREE_SIZES; step++) {
        sum += z->mss[step];
        MUST((z->mss[step] != 0) == (z->some >> step & 1), "a cell's steps of N201-U");
    }
    MUST(sum == mss, "a cell's MSs by N201-U");
    return NULL;
}

static const char *check_roll(const struct sched *s, uint32_t bvc)
{
    const struct tree_bvc_rest *c = &s->bvc_rest[bvc];
    uint32_t mss = 0, n = 0, ms = c->roll;
    for (uint32_t i = 0; i < s->config.mss; i++)
        mss += tree_ms(s, i)->state && tree_ms(s, i)->bvc == bvc;
    MUST(mss == c->mss, "a cell's MSs");
    for (; ms != TREE_NONE && n < mss && (n == 0 || ms != c->roll); n++, ms = s->mate[ms].next)
        MUST(tree_ms(s, ms)->state && tree_ms(s, ms)->bvc == bvc &&
                 s->mate[s->mate[ms].next].prev == ms,
             "a cell's roll");
    MUST(n == mss && ms == c->roll, "a cell's roll is not all of its MSs");
    MUST(s->bvc[bvc].state & BVC_DUE || !(s->bvc[bvc].state & BVC_RESETS),
         "a cell stands for ever");
    return NULL;
}

static const char *check_bvc(const struct sched *s, uint32_t bvc, struct sums *sums)
{
    const struct tree_bvc *c = &s->bvc[bvc];
    uint64_t total = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        const struct tree_class *k = &c->of_class[class];
        struct members sum = members_of(s, bvc, class);
        MUST(ring_count(s, k) == sum.in_ring, "a class's ring");
        MUST((k->head != TREE_NONE) == (c->active >> class & 1), "a cell's active classes");
        MUST(k->backlogged == sum.backlogged, "a class's backlog");
        MUST(k->total == sum.total, "a class's total");
        MUST(k->standing == sum.standing, "what stands of a class");
        MUST(k->standing_pfcs == sum.standing_pfcs, "a class's PFCs that stand");
        MUST(!!sum.backlogged == (c->backlogged >> class & 1), "a cell's classes with a backlog");
        total += sum.total;
    }
    const char *fault = check_roll(s, bvc);
    if (fault)
        return fault;
    MUST(total == c->total, "a cell's total");
    MUST(!!(c->state & GATE_WAITS) == (s->bvc_rest[bvc].wheel_ref != WHEEL_NO_REF), "a cell's ref");
    bool ready = c->active && !(c->state & (GATE_WAITS | BVC_SHUT));
    MUST(ready == !!(c->state & BVC_READY), "a cell's readiness");
    bool strict = c->active >> CLASS_SIGNALLING & 1;
    MUST(!ready || strict == (c->ready_ring == READY_STRICT),
         "a cell with signalling in the wrong ring");
    sums->waiting += !!(c->state & GATE_WAITS);
    sums->reserved += !!(c->state & GATE_RESERVED);
    return s->sizes ? check_sizes(&s->sizes[bvc], s->bvc_rest[bvc].mss) : NULL;
}

// Counts the cells of a ring of ready cells; an impossible number if one does not belong there.
static uint32_t turns_count(const struct sched *s, const struct tree_nse *n, enum ready_ring ring)
{
    uint32_t count = 0, first = n->ring[ring];
    if (first == TREE_NONE)
        return 0;
    for (uint32_t bvc = first; count == 0 || bvc != first; bvc = s->bvc[bvc].next) {
        const struct tree_bvc *c = &s->bvc[bvc];
        if (count++ == s->config.bvcs || !(c->state & BVC_READY) || c->ready_ring != ring ||
            &s->nse[c->nse] != n || s->bvc[c->next].prev != bvc)
            return UINT32_MAX / 4;
    }
    return count;
}

// Counts the cells of a heap; an impossible number if the heap is out of order. Finds each node by
// its number, through the families from the root.
static uint32_t heap_place(const struct sched *s, const struct tree_nse *n, uint32_t node)
{
    if (node == 0)
        return n->heap_root;
    uint32_t parent = heap_place(s, n, (node - 1) / HEAP_FAMILY);
    uint32_t family = s->family[parent / HEAP_FAMILY].child[parent % HEAP_FAMILY];
    return family * HEAP_FAMILY + (node - 1) % HEAP_FAMILY;
}

static uint32_t heap_count(const struct sched *s, const struct tree_nse *n)
{
    for (uint32_t node = 0; node < n->timed; node++) {
        uint32_t at = heap_place(s, n, node);
        uint32_t parent = heap_place(s, n, node ? (node - 1) / HEAP_FAMILY : 0);
        if (at / HEAP_FAMILY >= sched_heap_families(s->config.nses, s->config.bvcs))
            return UINT32_MAX / 4;
        uint64_t key = s->family[at / HEAP_FAMILY].key[at % HEAP_FAMILY];
        uint32_t bvc = s->family[at / HEAP_FAMILY].bvc[at % HEAP_FAMILY];
        const struct tree_bvc *c = &s->bvc[bvc];
        if (bvc >= s->config.bvcs || s->heap_at[bvc] != at || !(c->state & BVC_READY) ||
            c->ready_ring != READY_TIMED || &s->nse[c->nse] != n || key != sched_bvc_key(c) ||
            tree_before(key, s->family[parent / HEAP_FAMILY].key[parent % HEAP_FAMILY]) ||
            (node + 1 == n->timed && at != n->heap_last))
            return UINT32_MAX / 4;
    }
    return n->timed;
}

// Signalling first; by virtual time the least key, where all cells of the ring have turns_key.
static bool is_first(const struct sched *s, const struct tree_nse *n)
{
    if (n->first == TREE_NONE)
        return !n->timed && n->ring[READY_STRICT] == TREE_NONE && n->ring[READY_TURNS] == TREE_NONE;
    const struct tree_bvc *c = &s->bvc[n->first];
    uint64_t key = sched_bvc_key(c);
    if (c->ready_ring == READY_TURNS)
        key = n->turns_key;
    if (c->ready_ring == READY_STRICT || n->ring[READY_STRICT] != TREE_NONE)
        return n->ring[READY_STRICT] == n->first;
    if (!ready_by_time(n))
        return n->timed == 0 || c->ready_ring == READY_TIMED;
    return (n->ring[READY_TURNS] == TREE_NONE || !tree_before(n->turns_key, key)) &&
           (!n->timed || !tree_before(s->family[n->heap_root / HEAP_FAMILY].key[0], key));
}

static const char *check_nse(const struct sched *s, uint32_t nse, struct sums *sums)
{
    const struct tree_nse *n = &s->nse[nse];
    uint32_t ready = 0, bvcs = 0, backlogged[CLASS_COUNT] = {0};
    uint64_t standing[CLASS_COUNT] = {0};
    for (uint32_t bvc = 0; bvc < s->config.bvcs; bvc++) {
        const struct tree_bvc *c = &s->bvc[bvc];
        if (!c->state || c->nse != nse)
            continue;
        bvcs++;
        ready += !!(c->state & BVC_READY);
        for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
            backlogged[class] += c->backlogged >> class & 1;
            standing[class] += c->of_class[class].standing;
        }
    }
    MUST(bvcs == n->bvcs, "an NSE's cells");
    uint32_t in_rings = turns_count(s, n, READY_STRICT) + turns_count(s, n, READY_TURNS);
    MUST(ready == in_rings + heap_count(s, n), "an NSE's ready cells");
    MUST(is_first(s, n), "an NSE's first cell");
    MUST(!ready_by_time(n) || n->bucket.rate != BUCKET_UNLIMITED, "a pipe without a CIR is full");
    MUST(!(n->state & GATE_WAITS) || ready_by_time(n), "a pipe waits and is not full");
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        MUST(backlogged[class] == n->bvcs_backlogged[class], "an NSE's cells with a backlog");
        MUST(standing[class] == n->standing[class], "what stands of an NSE's class");
    }
    MUST(!!(n->state & GATE_WAITS) == (n->wheel_ref != WHEEL_NO_REF), "an NSE's ref");
    bool is_ready = ready && !(n->state & (GATE_WAITS | GATE_SHUT));
    MUST(is_ready == !!(n->state & NSE_READY), "an NSE's readiness");
    MUST(!is_ready || s->nse_ready != TREE_NONE, "no NSE has the turn");
    sums->waiting += !!(n->state & GATE_WAITS);
    sums->reserved += !!(n->state & GATE_RESERVED);
    return NULL;
}

static uint32_t free_slots(const struct sched *s)
{
    uint32_t n = 0;
    for (uint32_t slot = s->slot_free; slot < s->slots; slot = s->slot[slot].next)
        n++;
    return n;
}

static bool due_is_ring(const struct sched *s)
{
    uint32_t due = 0, n = 0, bvc = s->bvcs_due;
    for (uint32_t i = 0; i < s->config.bvcs; i++)
        due += s->bvc[i].state && s->bvc[i].state & BVC_DUE;
    for (; bvc != TREE_NONE && n < due && (n == 0 || bvc != s->bvcs_due);
         n++, bvc = s->bvc_rest[bvc].due_next)
        if (!(s->bvc[bvc].state & BVC_DUE) ||
            s->bvc_rest[s->bvc_rest[bvc].due_next].due_prev != bvc)
            return false;
    return n == due && bvc == s->bvcs_due;
}

const char *sched_check(const struct sched *s)
{
    struct sums sums = {0};
    const char *fault = NULL;
    for (uint32_t ms = 0; ms < s->config.mss && !fault; ms++)
        fault = tree_ms(s, ms)->state ? check_ms(s, ms, &sums) : NULL;
    for (uint32_t bvc = 0; bvc < s->config.bvcs && !fault; bvc++)
        fault = s->bvc[bvc].state ? check_bvc(s, bvc, &sums) : NULL;
    for (uint32_t nse = 0; nse < s->config.nses && !fault; nse++)
        fault = s->nse[nse].state ? check_nse(s, nse, &sums) : NULL;
    if (fault)
        return fault;
    MUST(due_is_ring(s), "the cells that are due");
    MUST(sums.total == s->total, "the total of all");
    MUST(sums.waiting == s->wheel.entries, "who is in the wheel");
    MUST(sums.reserved_mss == s->reserved_mss, "the MSs that LLC frames wait for");
    MUST(sums.reserved <= s->reserved, "cells and NSEs that are kept for LLC frames");
    MUST(free_slots(s) == s->slots - total_packets(s->total), "free slots");
    return sched_check_overflow(s);
}
