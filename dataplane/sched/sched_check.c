// For tests: walks the whole structure and says which invariant does not hold. Slow and plain on
// purpose; it counts everything anew and believes no counter.
#include "dataplane/sched/sched_parts.h"

// What the walk adds up.
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

// Those that share a bucket: one of them leads, and they wait as one, by one entry in the wheel.
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
        MUST((q->state & PFC_STOPPED) == (p->state & PFC_STOPPED), "sharers stop as one");
        MUST(!q->queue.total || !p->queue.total || (q->state & PFC_WAITS) == (p->state & PFC_WAITS),
             "sharers wait as one");
    }
    MUST(members > 1, "a bucket is shared by one");
    MUST(!(p->state & PFC_WAITS) || refs == 1, "sharers wait by one entry");
    MUST(p->queue.total || p->wheel_ref == WHEEL_NO_REF, "an empty sharer's ref");
    MUST(p->state & PFC_WAITS || p->wheel_ref == WHEEL_NO_REF, "a sharer's ref");
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
    MUST(p->queue.total || !(p->state & (PFC_IN_RING | PFC_WAITS)), "an empty PFC is active");
    MUST(!(p->state & PFC_IN_RING) || !(p->state & PFC_WAITS), "a waiting PFC is in a ring");
    fault = p->state & PFC_SHARED ? check_shared(m, p, slot) : NULL;
    if (fault)
        return fault;
    MUST(p->state & (PFC_SHARED | PFC_WAITS) || p->wheel_ref == WHEEL_NO_REF, "a PFC's ref");
    MUST(p->state & PFC_SHARED || !(p->state & PFC_WAITS) || p->wheel_ref != WHEEL_NO_REF,
         "a PFC waits without a ref");
    MUST(!!(p->state & (PFC_WAITS | PFC_STOPPED)) == !!(m->blocked & 1u << slot),
         "an MS's mask of blocked PFCs");
    MUST(!p->sent_octets || p->queue.total, "an empty PFC is half sent");
    bool held = ms_is_held(m) || m->state & MS_WAITS || p->state & (PFC_WAITS | PFC_STOPPED) ||
                pfc_lle_is_held(m, p, slot) || p->state & PFC_BY_FLOW;
    MUST(held || !p->queue.total || p->state & PFC_IN_RING, "a PFC that may send is forgotten");
    sums->total += p->queue.total;
    sums->waiting += p->wheel_ref != WHEEL_NO_REF;
    return NULL;
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
    MUST(!!(m->state & MS_WAITS) == (m->wheel_ref != WHEEL_NO_REF), "an MS's ref");
    MUST(m->backlog || !(m->state & MS_WAITS), "an empty MS waits");
    MUST(!(m->state & MS_WAITS) || !ms_is_held(m), "a held MS waits");
    MUST(!!m->backlog == (s->backlogged[ms / 64] >> ms % 64 & 1), "the mask of MSs");
    for (int lle = 0; lle < SCHED_LLES; lle++)
        MUST(!ms_lle_open(m, (uint32_t)lle) ||
                 tree_pfc_of(m, ms_lle_open(m, (uint32_t)lle) - 1)->sent_octets,
             "an LLE is kept by nobody");
    sums->waiting += !!(m->state & MS_WAITS);
    sums->reserved_mss += !!(m->state & MS_RESERVED);
    return NULL;
}

static uint32_t ring_count(const struct sched *s, uint32_t head)
{
    uint32_t n = 0, pfc = head;
    bool begun = true; // those that have begun an N-PDU stand first (S12)
    if (head == TREE_NONE)
        return 0;
    do {
        const struct tree_pfc *p = tree_pfc(s, pfc);
        if (tree_pfc(s, p->next)->prev != pfc || !(p->state & PFC_IN_RING) ||
            (p->sent_octets && !begun))
            return UINT32_MAX;
        begun = p->sent_octets;
        pfc = p->next;
    } while (pfc != head && ++n < UINT32_MAX - 1);
    return n + 1;
}

// The PFCs of a class of a cell, by what they are in.
struct members {
    uint32_t in_ring, backlogged;
    uint64_t total;
};

static struct members members_of(const struct sched *s, uint32_t cell, uint32_t class)
{
    struct members sum = {0};
    for (uint32_t ms = 0; ms < s->config.mss; ms++) {
        struct tree_ms *m = tree_ms(s, ms);
        for (uint32_t slots = m->slots; m->cell == cell && slots; slots &= slots - 1) {
            const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
            if (p->traffic_class != class)
                continue;
            sum.in_ring += !!(p->state & PFC_IN_RING);
            sum.backlogged += p->queue.total > 0;
            sum.total += p->queue.total;
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

static const char *check_cell(const struct sched *s, uint32_t cell, struct sums *sums)
{
    const struct tree_cell *c = &s->cell[cell];
    uint32_t weights = 0;
    uint64_t total = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++) {
        const struct tree_class *k = &c->of_class[class];
        struct members sum = members_of(s, cell, class);
        MUST(ring_count(s, k->head) == sum.in_ring, "a class's ring");
        MUST((k->head != TREE_NONE) == (c->active >> class & 1), "a cell's active classes");
        MUST(k->backlogged == sum.backlogged, "a class's backlog");
        MUST(k->total == sum.total, "a class's total");
        weights += sum.backlogged ? s->config.of_class[class].weight : 0;
        total += sum.total;
    }
    MUST(weights == c->weights, "a cell's weights");
    MUST(total == c->total, "a cell's total");
    MUST(!!(c->state & CELL_WAITS) == (c->wheel_ref != WHEEL_NO_REF), "a cell's ref");
    bool ready = c->active && !(c->state & (CELL_WAITS | CELL_STANDS));
    MUST(ready == !!(c->state & CELL_READY), "a cell's readiness");
    if (ready && !c->strict && ready_by_time(&s->nse[c->nse]))
        MUST(c->key == c->offset + c->of_class[cell_next_class(c)].tag, "a cell's key");
    sums->waiting += !!(c->state & CELL_WAITS);
    sums->reserved += !!(c->state & CELL_RESERVED);
    return s->sizes ? check_sizes(&s->sizes[cell], c->mss) : NULL;
}

static uint32_t turns_count(const struct sched *s, uint32_t first)
{
    uint32_t n = 0, cell = first;
    while (cell != TREE_NONE && n <= s->config.bvcs && (n++ == 0 || cell != first))
        cell = s->cell[cell].next;
    return cell == first && n ? n - 1 : n;
}

// Cells in a heap, or a number that cannot be if it is not in order: node by node, by its number.
static uint32_t heap_count(const struct sched *s, const struct tree_nse *n)
{
    for (uint32_t i = 1; i <= n->ready_cells; i++) {
        uint32_t cell = n->first, parent = TREE_NONE;
        for (int bit = 30 - __builtin_clz(i); bit >= 0; bit--) {
            parent = cell;
            cell = s->cell[cell].child[i >> bit & 1];
        }
        if (cell >= s->config.bvcs || s->cell[cell].parent != parent)
            return UINT32_MAX;
        const struct tree_cell *c = &s->cell[cell],
                               *p = &s->cell[parent == TREE_NONE ? cell : parent];
        if ((c->strict && !p->strict) || (c->strict == p->strict && tree_before(c->key, p->key)))
            return UINT32_MAX;
    }
    return n->ready_cells;
}

static const char *check_nse(const struct sched *s, uint32_t nse, struct sums *sums)
{
    const struct tree_nse *n = &s->nse[nse];
    uint32_t ready = 0, weights = 0, cells = 0;
    for (uint32_t cell = 0; cell < s->config.bvcs; cell++) {
        const struct tree_cell *c = &s->cell[cell];
        if (!c->state || c->nse != nse)
            continue;
        cells++;
        ready += !!(c->state & CELL_READY);
        weights += c->weights;
    }
    MUST(cells == n->cells, "an NSE's cells");
    uint32_t found = ready_by_time(n) ? heap_count(s, n) : turns_count(s, n->first);
    MUST(ready == found, "an NSE's ready cells");
    MUST(weights == n->weights, "an NSE's weights");
    MUST(!!(n->state & NSE_WAITS) == (n->wheel_ref != WHEEL_NO_REF), "an NSE's ref");
    bool is_ready = ready && !(n->state & (NSE_WAITS | NSE_STANDS));
    MUST(is_ready == !!(n->state & NSE_READY), "an NSE's readiness");
    MUST(!is_ready || s->nse_ready != TREE_NONE, "no NSE has the turn");
    sums->waiting += !!(n->state & NSE_WAITS);
    sums->reserved += !!(n->state & NSE_RESERVED);
    return NULL;
}

static uint32_t free_slots(const struct sched *s)
{
    uint32_t n = 0;
    for (uint32_t slot = s->slot_free; slot < s->slots; slot = s->slot[slot].next)
        n++;
    return n;
}

const char *sched_check(const struct sched *s)
{
    struct sums sums = {0};
    const char *fault = NULL;
    for (uint32_t ms = 0; ms < s->config.mss && !fault; ms++)
        fault = tree_ms(s, ms)->state ? check_ms(s, ms, &sums) : NULL;
    for (uint32_t cell = 0; cell < s->config.bvcs && !fault; cell++)
        fault = s->cell[cell].state ? check_cell(s, cell, &sums) : NULL;
    for (uint32_t nse = 0; nse < s->config.nses && !fault; nse++)
        fault = s->nse[nse].state ? check_nse(s, nse, &sums) : NULL;
    if (fault)
        return fault;
    MUST(sums.total == s->total, "the total of all");
    MUST(sums.waiting == s->wheel.entries, "who is in the wheel");
    MUST(sums.reserved_mss == s->reserved_mss, "the MSs that LLC frames wait for");
    MUST(sums.reserved <= s->reserved, "cells and NSEs that are kept for LLC frames");
    MUST(free_slots(s) == s->slots - total_packets(s->total), "free slots");
    return NULL;
}
