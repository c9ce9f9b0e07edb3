// PFCs of an MS that share one bucket: a packet flow whose contexts are of several classes. One of
// them leads: the bucket is in its node. While the bucket passes what comes, each of them takes its
// own class's turns in the cell. Once it has refused a PDU they are limited, until the next one
// goes: at any turn of theirs the first in their own order goes, and if the bucket refuses that one
// they wait as one, out of their rings, by one entry in the wheel. So the bucket is shared by the
// weights of the classes, whatever the sizes of their PDUs, and no smaller PDU takes the room that
// a larger one waits for. Their order is that of start tags (sched_ms.c), but an N-PDU that has
// begun goes on first: others may wait for its LLE.
#include "dataplane/sched/sched_parts.h"

uint32_t share_members(struct tree_ms *m, uint32_t slot)
{
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t leader = pfc_leader(p, slot), members = 1u << leader | 1u << slot;
    if (!(p->state & PFC_SHARED))
        return members;
    for (uint32_t slots = m->slots & ~members; slots; slots &= slots - 1) {
        const struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (q->state & PFC_SHARES && q->bucket.max_octets == leader)
            members |= slots & -slots;
    }
    return members;
}

static bool goes_before(const struct tree_pfc *a, const struct tree_pfc *b)
{
    bool a_begun = a->sent_octets != 0, b_begun = b->sent_octets != 0;
    return a_begun != b_begun ? a_begun : pfc_own_first(a, b);
}

uint32_t share_first(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    const struct tree_pfc *best = NULL;
    uint32_t first = TREE_NONE;
    for (uint32_t slots = share_members(m, slot) & ms_competing(m); slots; slots &= slots - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(slots);
        struct tree_pfc *p = tree_pfc_of(m, other);
        if (pfc_may_send(s, tree_pfc_id(ms, other), m, p) && (!best || goes_before(p, best))) {
            best = p;
            first = other;
        }
    }
    return first;
}

bool share_is_limited(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    return p->state & PFC_SHARED && tree_pfc_of(m, pfc_leader(p, slot))->state & PFC_LIMITED;
}

void share_limit(struct tree_ms *m, struct tree_pfc *p, uint32_t slot, bool limited)
{
    struct tree_pfc *leader = tree_pfc_of(m, pfc_leader(p, slot));
    leader->state = (uint8_t)(limited ? leader->state | PFC_LIMITED : leader->state & ~PFC_LIMITED);
}

uint32_t share_stand_in(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    if (!share_is_limited(m, tree_pfc_of(m, slot), slot))
        return slot;
    uint32_t first = share_first(s, ms, m, slot);
    return first == TREE_NONE ? slot : first;
}

bool share_waits(struct tree_ms *m, const struct tree_pfc *p, uint32_t slot)
{
    if (!(p->state & PFC_SHARED))
        return false;
    for (uint32_t slots = share_members(m, slot) & m->blocked; slots; slots &= slots - 1)
        if (tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->state & PFC_WAITS)
            return true;
    return false;
}

void share_wait(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot, uint64_t at_ns)
{
    for (uint32_t slots = share_members(m, slot) & ms_competing(m); slots; slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        struct tree_pfc *p = tree_pfc(s, pfc);
        if (p->state & PFC_IN_RING)
            cell_ring_remove(s, pfc, p, m->cell);
        p->state |= PFC_WAITS;
        m->blocked |= (uint8_t)(slots & -slots);
    }
    tree_pfc_of(m, slot)->wheel_ref =
        wheel_add(&s->wheel, tree_id(TREE_PFC, tree_pfc_id(ms, slot)), at_ns);
}

// Where the first one's turn is another's, that one's bucket is asked when it comes.
bool share_settle(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot, uint64_t now_ns)
{
    uint32_t first = share_first(s, ms, m, slot);
    if (first == TREE_NONE)
        return false;
    struct tree_pfc *p = tree_pfc_of(m, first);
    if (pfc_stand_in(m, p, first) != first)
        return false;
    uint64_t at_ns = pfc_conforms_at(s, tree_pfc_id(ms, first), m, p, now_ns);
    if (at_ns > now_ns)
        share_wait(s, ms, m, first, at_ns);
    return at_ns > now_ns;
}

static void out_of_wheel(struct sched *s, struct tree_pfc *p)
{
    if (p->wheel_ref != WHEEL_NO_REF)
        wheel_remove(&s->wheel, p->wheel_ref);
    p->wheel_ref = WHEEL_NO_REF;
}

void share_free(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    uint32_t wake = 0, others = ms_competing(m);
    for (uint32_t slots = share_members(m, slot) & m->blocked; slots; slots &= slots - 1) {
        struct tree_pfc *p = tree_pfc(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)));
        if (!(p->state & PFC_WAITS))
            continue;
        wake |= slots & -slots;
        p->state &= (uint8_t)~PFC_WAITS;
        out_of_wheel(s, p);
    }
    m->blocked &= (uint8_t)~wake;
    if (others) // those that sent meanwhile; among themselves they keep their claims
        ms_forget_credit(m, wake, others);
}

// The wheel's entry passes to one that waits: at once, to see which is first now.
static void entry_passes(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t members)
{
    struct tree_pfc *heir = NULL;
    uint32_t at = 0;
    for (uint32_t slots = members & m->blocked; slots; slots &= slots - 1) {
        struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (p->wheel_ref != WHEEL_NO_REF)
            return;
        if (p->state & PFC_WAITS) {
            heir = p;
            at = (uint32_t)__builtin_ctz(slots);
        }
    }
    if (heir)
        heir->wheel_ref = wheel_add(&s->wheel, tree_id(TREE_PFC, tree_pfc_id(ms, at)), 0);
}

void share_left(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    struct tree_pfc *p = tree_pfc_of(m, slot);
    if (!(p->state & PFC_WAITS))
        return;
    out_of_wheel(s, p);
    p->state &= (uint8_t)~PFC_WAITS;
    m->blocked &= (uint8_t) ~(1u << slot);
    entry_passes(s, ms, m, share_members(m, slot) & ~(1u << slot));
}

void share_joins(struct sched *s, uint32_t ms, struct tree_ms *m)
{
    ms_ready(s, ms, m);
    cell_look_again(s, m->cell);
}

void share_look_again(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                      uint64_t now_ns)
{
    share_free(s, ms, m, slot);
    if (share_settle(s, ms, m, slot, now_ns))
        return;
    if (m->state & MS_WAITS)
        ms_update(s, ms, now_ns);
    else if (!ms_is_held(m))
        share_joins(s, ms, m);
}
