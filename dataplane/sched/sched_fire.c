// Handles ids from the wheel, in passes over a batch, so that each pass finds in the cache what the
// previous one prefetched. An MS with no competitor in its cell skips the rings: if its PDU
// conforms at every level, the PDU goes at once; otherwise the MS joins its ring. So the common
// case, a cell below its rate with MSs limited by their own buckets, costs no turn.
#include "dataplane/sched/sched_queue.h"
#include "dataplane/sched/sched_round.h"

#define FIRE_IDS 64u

// The output of a batch.
struct firing {
    struct sched_grant *grants;
    uint32_t n, taken;
    uint64_t now_ns;
};

static uint32_t own_next_slot(struct sched *s, uint32_t ms, struct tree_ms *m, uint64_t now_ns)
{
    if (!ms_is_simple(m))
        return sched_ms_next_slot(s, ms, m, now_ns);
    if (!ms_competing(m))
        return TREE_NONE;
    uint32_t slot = (uint32_t)__builtin_ctz(ms_competing(m));
    return pfc_may_send(s, tree_pfc_id(ms, slot), m, tree_pfc_of(m, slot)) ? slot : TREE_NONE;
}

static bool conforms_everywhere(struct sched *s, struct round *r, uint64_t now_ns)
{
    return round_conforms_pfc(s, r, now_ns) && round_conforms_ms(s, r, now_ns) &&
           round_conforms_bvc(r, now_ns) && round_conforms_nse(s, r, now_ns);
}

// True if a PDU of the MS went; afterwards the MS waits, or its PFCs are in their rings.
static bool send_at_once(struct sched *s, uint32_t ms, struct tree_ms *m, struct firing *f)
{
    struct round r; // not cleared, which would cost more than the rest of this function
    r.bvc = m->bvc;
    r.c = &s->bvc[m->bvc];
    r.nse = r.c->nse;
    r.n = &s->nse[r.nse];
    if (f->taken == f->n || s->drop_count == SCHED_DROPS || !round_way_is_free(r.c, r.n))
        return false;
    uint32_t slot = own_next_slot(s, ms, m, f->now_ns);
    if (slot == TREE_NONE)
        return false;
    round_hold(s, &r, ms, slot);
    r.turn = r.p->traffic_class;
    r.late = false;
    if (!conforms_everywhere(s, &r, f->now_ns) ||
        !sched_round_send(s, &r, f->now_ns, &f->grants[f->taken]))
        return false;
    f->taken++;
    if (r.c->state & BVC_READY) // a PFC that waited for the LLE has joined a ring
        sched_bvc_refresh(s, r.bvc);
    if (m->backlog && !ms_is_simple(m))
        sched_ms_update(s, ms, f->now_ns);
    else if (m->backlog && !(m->state & GATE_WAITS))
        sched_ms_ready(s, ms, m);
    return true;
}

// The wheel may bring an MS or a PFC back early, and its bucket may have new values.
static void fire_ms(struct sched *s, uint32_t ms, struct tree_ms *m, struct firing *f)
{
    if (f->taken < f->n && sched_fast_fired(s, ms, m, f->now_ns, &f->grants[f->taken])) {
        f->taken++;
        return;
    }
    m->state = (uint8_t)((m->state & ~GATE_WAITS) | MS_LIMITED);
    if (!send_at_once(s, ms, m, f) && !(m->state & GATE_WAITS))
        sched_ms_settle(s, ms, m, f->now_ns);
}

// PFCs with a shared bucket were waiting for their first PDU; at any turn of theirs that PDU goes.
static void fire_shared(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                        struct firing *f)
{
    sched_share_free(s, ms, m, slot);
    if (sched_share_settle(s, ms, m, slot, f->now_ns))
        return;
    if (m->state & GATE_WAITS)
        sched_ms_update(s, ms, f->now_ns);
    else if (!ms_is_held(m) && !send_at_once(s, ms, m, f) && !(m->state & GATE_WAITS))
        sched_share_joins(s, ms, m);
}

static void fire_pfc(struct sched *s, uint32_t pfc, struct tree_pfc *p, struct firing *f)
{
    uint32_t ms = tree_pfc_ms(pfc);
    struct tree_ms *m = tree_ms(s, ms);
    if (pfc_is_shared(p)) {
        fire_shared(s, ms, m, tree_pfc_slot(pfc), f);
        return;
    }
    uint64_t at_ns = sched_pfc_conforms_at(s, pfc, m, p, f->now_ns);
    if (at_ns > f->now_ns) {
        sched_pfc_wait(s, pfc, p, at_ns);
        return;
    }
    sched_pfc_is_free(s, pfc, p);
    if (m->state & GATE_WAITS) // it may be first in the MS's order now
        sched_ms_update(s, ms, f->now_ns);
    else if (!ms_is_held(m) && !send_at_once(s, ms, m, f) && !(m->state & GATE_WAITS))
        sched_pfc_joins(s, pfc, m, p);
}

// The MS and the PFC of an id; NULL for cells and NSEs, which are few and in the cache.
struct fired {
    struct tree_ms *m;
    struct tree_pfc *p;
    struct gate gate; // of the id's node, whatever its kind
    uint32_t pfc;
};

static inline struct fired fired_of(const struct sched *s, uint32_t id)
{
    uint32_t at = id & TREE_ID_MASK, kind = id >> TREE_KIND_SHIFT;
    if (kind > TREE_PFC)
        return (struct fired){NULL, NULL, tree_gate(s, id), TREE_NONE};
    uint32_t pfc = kind == TREE_MS ? tree_pfc_id(at, 0) : at;
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    struct tree_pfc *p = tree_pfc_of(m, tree_pfc_slot(pfc));
    return (struct fired){m, p, kind == TREE_MS ? gate_of(m) : gate_of(p), pfc};
}

// A node that another id of the batch has made ready, or wait again, stays as it is.
static inline void fire_one(struct sched *s, uint32_t id, struct fired node, struct firing *f)
{
    uint32_t at = id & TREE_ID_MASK;
    if (!(*node.gate.state & GATE_WAITS) || *node.gate.wheel_ref != WHEEL_NO_REF)
        return;
    switch ((enum tree_kind)(id >> TREE_KIND_SHIFT)) {
    case TREE_MS:
        fire_ms(s, at, node.m, f);
        break;
    case TREE_PFC:
        fire_pfc(s, at, node.p, f);
        break;
    case TREE_BVC:
        gate_unwait(&s->wheel, node.gate);
        sched_bvc_refresh(s, at);
        break;
    case TREE_NSE:
        gate_unwait(&s->wheel, node.gate);
        sched_nse_refresh(s, at);
        break;
    }
}

static SCHED_INLINE void prefetch_node(struct fired node)
{
    if (!node.m)
        return;
    tree_prefetch(node.m, node.p);
}

// Voids its ref, and prefetches what its turn will need. True if it has several PFCs or flows.
static inline bool touch_node(const struct sched *s, struct fired node)
{
    struct tree_ms *m = node.m;
    *node.gate.wheel_ref = WHEEL_NO_REF;
    if (!m)
        return false;
    __builtin_prefetch(&s->bvc[m->bvc], 1);
    if (node.p->state & PFC_BY_FLOW)
        queue_prefetch_lists(s, node.pfc, node.p->flow);
    else
        __builtin_prefetch(&s->slot[node.p->queue.head], 1);
    if (node.p->asked)
        __builtin_prefetch(tree_vars(s, SCHED_SCOPE_PFC, tree_pfc_index(s, node.pfc)), 1);
    if (ms_is_simple(m))
        return node.p->state & PFC_BY_FLOW;
    for (uint32_t slots = m->backlog; slots; slots &= slots - 1) {
        const struct tree_pfc *other = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        __builtin_prefetch(other, 1);
        __builtin_prefetch((const uint8_t *)(other + 1) - 1, 1);
    }
    return true;
}

// Each backlogged PFC may be the one that goes.
static SCHED_INLINE void prefetch_heads(const struct sched *s, struct fired node)
{
    struct tree_ms *m = node.m;
    for (uint32_t slots = m ? m->backlog : 0; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        if (p->state & PFC_BY_FLOW)
            queue_prefetch_flow(s, tree_pfc_id(tree_pfc_ms(node.pfc), slot), p->flow, true);
        else
            __builtin_prefetch(&s->slot[p->queue.head]);
    }
}

// Prefetches the nodes of the next batch, chunk by chunk, while this batch is processed.
static SCHED_INLINE uint32_t prefetch_chunk(const struct sched *s, uint32_t chunk)
{
    const struct wheel_chunk *c = &s->wheel.chunk[chunk];
    for (uint32_t i = 0; i < WHEEL_CHUNK_IDS; i++)
        prefetch_node(fired_of(s, c->id[i]));
    if (c->next != WHEEL_NO_CHUNK)
        __builtin_prefetch(&s->wheel.chunk[c->next]);
    return c->next;
}

uint32_t sched_fire(struct sched *s, uint32_t ids, bool exact, struct sched_grant *grants,
                    uint32_t n, uint32_t *taken, uint64_t now_ns)
{
    uint32_t id[FIRE_IDS];
    struct fired node[FIRE_IDS];
    struct firing f = {grants, n, *taken, now_ns};
    uint32_t fired =
        sched_wheel_take(&s->wheel, now_ns, exact, id, ids < FIRE_IDS ? ids : FIRE_IDS);
    uint32_t ahead = sched_wheel_first_chunk(&s->wheel), gone = 0;
    if (ahead != WHEEL_NO_CHUNK)
        __builtin_prefetch(&s->wheel.chunk[ahead]);
    for (uint32_t i = 0; i < fired; i++) {
        node[i] = fired_of(s, id[i]);
        prefetch_node(node[i]);
    }
    bool several = false;
    for (uint32_t i = 0; i < fired; i++)
        several |= touch_node(s, node[i]);
    for (uint32_t i = 0; several && i < fired; i++)
        prefetch_heads(s, node[i]);
    for (uint32_t i = 0; i < fired; i++) {
        if (++gone == WHEEL_CHUNK_IDS && ahead != WHEEL_NO_CHUNK) {
            ahead = prefetch_chunk(s, ahead);
            gone = 0;
        }
        fire_one(s, id[i], node[i], &f);
    }
    *taken = f.taken;
    return fired;
}
