// PFCs of an MS that share one bucket: a packet flow with contexts of several classes. One PFC
// leads: the bucket is in its node. While the bucket passes their PDUs, each PFC takes the turns of
// its own class in the cell. After a refusal they are limited, until the next PDU has gone: at any
// turn of theirs the first PDU in their own order goes, and if the bucket refuses it they wait
// together, out of their rings, by one entry in the wheel. So the bucket is shared by the weights
// of the classes, independent of PDU sizes, and no smaller PDU takes the room that a larger one
// waits for. Their order is that of start tags (sched_tags.c), but a half-sent N-PDU, and the first
// of signalling by its tag, goes before an N-PDU begins; among these, the one that the bucket
// passes first. And an N-PDU begins only if the bucket has room for it and for the rest of every
// half-sent one. So S12 holds: a half-sent N-PDU waits for the bucket alone, not for another PFC's
// share of it.
#include "dataplane/sched/sched_parts.h"

uint32_t sched_share_members(struct tree_ms *m, uint32_t slot)
{
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t leader = pfc_leader(p, slot), members = 1u << leader | 1u << slot;
    if (!pfc_is_shared(p))
        return members;
    for (uint32_t slots = m->slots & ~members; slots; slots &= slots - 1) {
        const struct tree_pfc *q = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (q->state & PFC_SHARES && q->bucket.max_octets == leader)
            members |= slots & -slots;
    }
    return members;
}

// A PFC of the bucket, in their own order.
struct contender {
    const struct tree_pfc *p;
    uint32_t slot;
    bool urgent;    // half sent, or signalling while no signalling is half sent: see goes_before
    uint64_t at_ns; // when the bucket passes its next PDU
};

static bool begins_signalling(const struct contender *c)
{
    return pfc_signals(c->p) && !c->p->sent_octets;
}

// Among urgent PDUs the first to conform goes first, so none takes a half-sent one's room. But of
// two that begin signalling, the larger would starve by that.
static bool goes_before(const struct contender *a, const struct contender *b)
{
    if (a->urgent != b->urgent)
        return a->urgent;
    if (a->urgent && a->at_ns != b->at_ns && !(begins_signalling(a) && begins_signalling(b)))
        return a->at_ns < b->at_ns;
    return pfc_own_first(a->p, b->p);
}

static bool signalling_has_begun(struct tree_ms *m, uint32_t members)
{
    for (uint32_t slots = members; slots; slots &= slots - 1) {
        const struct tree_pfc *p = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (p->sent_octets && pfc_signals(p))
            return true;
    }
    return false;
}

// If a PFC of another bucket keeps its LLE, that PFC's PDU goes in its place, and is tested at its
// own bucket; a PFC of the same bucket is in the order itself. False: it does not contend now.
static bool contends(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                     uint64_t now_ns, struct contender *c)
{
    struct tree_pfc *p = tree_pfc_of(m, slot);
    if (!pfc_may_send(s, tree_pfc_id(ms, slot), m, p))
        return false;
    uint32_t keeper = pfc_stand_in(m, p, slot);
    bool kept = keeper != slot;
    uint32_t members = sched_share_members(m, slot);
    if (kept && members >> keeper & 1)
        return false;
    c->p = p;
    c->slot = slot;
    c->urgent = p->sent_octets || (!kept && pfc_signals(p) && !signalling_has_begun(m, members));
    c->at_ns = kept ? now_ns : sched_pfc_conforms_at(s, tree_pfc_id(ms, slot), m, p, now_ns);
    return true;
}

// False: none of the PFCs may send. Who begins signalling is compared apart, by tag; the first of
// these with the first of the rest, by time. In one pass two such rules could go in a circle.
static bool first_of(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                     uint64_t now_ns, struct contender *first)
{
    struct contender best[2];
    bool found[2] = {false, false};
    for (uint32_t slots = sched_share_members(m, slot) & ms_competing(m); slots;
         slots &= slots - 1) {
        struct contender c;
        if (!contends(s, ms, m, (uint32_t)__builtin_ctz(slots), now_ns, &c))
            continue;
        bool apart = begins_signalling(&c);
        if (!found[apart] || goes_before(&c, &best[apart]))
            best[apart] = c;
        found[apart] = true;
    }
    if (!found[0] && !found[1])
        return false;
    *first = best[found[1] && (!found[0] || goes_before(&best[1], &best[0]))];
    return true;
}

void sched_share_limit(struct tree_ms *m, struct tree_pfc *p, uint32_t slot, bool limited)
{
    struct tree_pfc *leader = tree_pfc_of(m, pfc_leader(p, slot));
    leader->state = (uint8_t)(limited ? leader->state | PFC_LIMITED : leader->state & ~PFC_LIMITED);
}

// An N-PDU that begins leaves the bucket room for every half-sent one, so none of them is held.
static bool room_for_all(const struct sched *s, struct tree_ms *m, uint32_t slot, uint64_t now_ns)
{
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    const struct bucket *b = pfc_bucket_read(m, p);
    struct tree_piece piece = pfc_piece(s, m, p);
    uint64_t octets = pfc_bucket_octets(s, m, p, slot, &piece);
    bool begun = false;
    for (uint32_t slots = sched_share_members(m, slot) & ~(1u << slot); slots; slots &= slots - 1) {
        const struct tree_pfc *other = tree_pfc_of(m, (uint32_t)__builtin_ctz(slots));
        if (!other->sent_octets)
            continue;
        octets += sched_pfc_rest_octets(s, m, other);
        begun = true;
    }
    uint64_t level = begun ? bucket_level(b, now_ns) : 0;
    return !begun || level + octets * BUCKET_UNITS_AN_OCTET <=
                         (uint64_t)b->max_octets * BUCKET_UNITS_AN_OCTET;
}

static uint32_t stand_in(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                         uint64_t now_ns)
{
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    struct contender first;
    if (!pfc_is_shared(p) || pfc_bucket_read(m, p)->rate == BUCKET_UNLIMITED)
        return slot;
    if (!share_is_limited(m, p, slot) && (p->sent_octets || room_for_all(s, m, slot, now_ns)))
        return slot;
    return first_of(s, ms, m, slot, now_ns, &first) ? first.slot : slot;
}

// If a PFC of another bucket keeps the LLE of their first, that PFC is half sent, and so is the
// first in the order of that bucket's PFCs.
uint32_t sched_share_goes(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                          uint64_t now_ns)
{
    uint32_t first = stand_in(s, ms, m, slot, now_ns);
    uint32_t goes = pfc_stand_in(m, tree_pfc_of(m, first), first);
    return goes == first ? first : stand_in(s, ms, m, goes, now_ns);
}

bool sched_share_some_waits(struct tree_ms *m, uint32_t slot)
{
    for (uint32_t slots = sched_share_members(m, slot) & m->blocked; slots; slots &= slots - 1)
        if (tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->state & GATE_WAITS)
            return true;
    return false;
}

void sched_share_wait(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                      uint64_t at_ns)
{
    for (uint32_t slots = sched_share_members(m, slot) & ms_competing(m); slots;
         slots &= slots - 1) {
        uint32_t pfc = tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots));
        struct tree_pfc *p = tree_pfc(s, pfc);
        if (p->state & PFC_IN_RING)
            sched_bvc_ring_remove(s, pfc, p, m->bvc);
        p->state |= GATE_WAITS;
        m->blocked |= (uint8_t)(slots & -slots);
    }
    struct tree_pfc *p = tree_pfc_of(m, slot);
    gate_wait(&s->wheel, gate_of(p), tree_id(TREE_PFC, tree_pfc_id(ms, slot)), at_ns);
    sched_share_limit(m, p, slot, true);
}

bool sched_share_settle(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                        uint64_t now_ns)
{
    struct contender first;
    if (pfc_bucket(m, tree_pfc_of(m, slot))->rate == BUCKET_UNLIMITED ||
        !first_of(s, ms, m, slot, now_ns, &first) || first.at_ns <= now_ns)
        return false;
    sched_share_wait(s, ms, m, first.slot, first.at_ns);
    return true;
}

void sched_share_free(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    uint32_t wake = 0, members = sched_share_members(m, slot), others = ms_competing(m) & ~members;
    for (uint32_t slots = members & m->blocked; slots; slots &= slots - 1) {
        struct tree_pfc *p = tree_pfc(s, tree_pfc_id(ms, (uint32_t)__builtin_ctz(slots)));
        if (gate_unwait(&s->wheel, gate_of(p)))
            wake |= slots & -slots;
    }
    m->blocked &= (uint8_t)~wake;
    if (wake && others) // credit for what other PFCs sent meanwhile; among themselves they keep
                        // their distances
        sched_ms_forget_credit(s, m, members & m->backlog, others);
}

// Hands the wheel's entry to another waiting member, due at once, to find the new first.
static void entry_passes(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t members)
{
    uint32_t heir = TREE_NONE;
    for (uint32_t slots = members & m->blocked; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        if (tree_pfc_of(m, slot)->wheel_ref != WHEEL_NO_REF)
            return;
        if (tree_pfc_of(m, slot)->state & GATE_WAITS)
            heir = slot;
    }
    if (heir != TREE_NONE)
        gate_wait(&s->wheel, gate_of(tree_pfc_of(m, heir)),
                  tree_id(TREE_PFC, tree_pfc_id(ms, heir)), 0);
}

void sched_share_left(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot)
{
    if (!gate_unwait(&s->wheel, gate_of(tree_pfc_of(m, slot))))
        return;
    m->blocked &= (uint8_t) ~(1u << slot);
    entry_passes(s, ms, m, sched_share_members(m, slot) & ~(1u << slot));
}

void sched_share_joins(struct sched *s, uint32_t ms, struct tree_ms *m)
{
    sched_ms_ready(s, ms, m);
    sched_bvc_look_again(s, m->bvc);
}

void sched_share_look_again(struct sched *s, uint32_t ms, struct tree_ms *m, uint32_t slot,
                            uint64_t now_ns)
{
    sched_share_free(s, ms, m, slot);
    if (sched_share_settle(s, ms, m, slot, now_ns))
        return;
    if (m->state & GATE_WAITS)
        sched_ms_update(s, ms, now_ns);
    else if (!ms_is_held(m))
        sched_share_joins(s, ms, m);
}
