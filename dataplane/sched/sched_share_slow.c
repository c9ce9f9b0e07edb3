// See sched.h: PFCs begin and end to share a bucket. If a member leaves, the others may have
// another PDU to wait for; they find out when the wheel is next read.
#include "dataplane/sched/sched_change.h"

// Moves the bucket, its state and its followers to another slot.
static void lead_passes(struct sched *s, uint32_t ms, uint32_t from, uint32_t followers)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *old = tree_pfc_of(m, from);
    uint32_t to = (uint32_t)__builtin_ctz(followers);
    struct tree_pfc *heir = tree_pfc_of(m, to);
    heir->bucket = old->bucket;
    heir->state = (uint8_t)((heir->state & ~PFC_SHARES) | (old->state & PFC_LIMITED));
    followers &= followers - 1;
    if (followers)
        heir->state |= PFC_LEADS;
    for (; followers; followers &= followers - 1)
        tree_pfc_of(m, (uint32_t)__builtin_ctz(followers))->bucket.max_octets = to;
    sched_sizes_pfc_passes(s, ms, from, to);
}

void sched_share_part(struct sched *s, uint32_t ms, uint32_t slot)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    if (!pfc_is_shared(p))
        return;
    uint32_t others = sched_share_members(m, slot) & ~(1u << slot), leader = pfc_leader(p, slot);
    sched_share_left(s, ms, m, slot);
    if (p->state & PFC_LEADS)
        lead_passes(s, ms, slot, others);
    else if (!(others & (others - 1)))
        tree_pfc_of(m, leader)->state &= (uint8_t) ~(PFC_LEADS | PFC_LIMITED);
    p->bucket = (struct bucket){.rate = BUCKET_UNLIMITED};
    p->state &= (uint8_t) ~(PFC_SHARED | PFC_LIMITED);
}

// The new member stops, sends or waits as the others.
static void join(struct sched *s, uint32_t ms, uint32_t slot, uint32_t leader, uint64_t now_ns)
{
    struct tree_ms *m = tree_ms(s, ms);
    uint32_t pfc = tree_pfc_id(ms, slot);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    bool stopped = tree_pfc_of(m, leader)->state & GATE_STOPPED;
    sched_share_free(s, ms, m, leader);
    p->state = (uint8_t)(stopped ? p->state | GATE_STOPPED : p->state & ~GATE_STOPPED);
    m->blocked &= (uint8_t) ~(1u << slot);
    if (stopped)
        m->blocked |= (uint8_t)(1u << slot);
    if (stopped && p->state & PFC_IN_RING)
        sched_bvc_ring_remove(s, pfc, p, m->bvc);
    sched_share_settle(s, ms, m, slot, now_ns);
    sched_ms_update(s, ms, now_ns);
}

int sched_pfc_share(struct sched *s, uint32_t ms, uint32_t slot, uint32_t with, uint64_t now_ns)
{
    int fault = sched_change_pfc(s, ms, slot);
    if (!fault)
        fault = slot == with ? -SCHED_BAD_ID : sched_change_pfc(s, ms, with);
    if (fault)
        return fault;
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t leader = pfc_leader(tree_pfc_of(m, with), with);
    if (leader == pfc_leader(p, slot))
        return 0;
    sched_roll_refresh(s, ms, now_ns);
    sched_share_part(s, ms, slot);
    sched_pfc_unwait(s, tree_pfc_id(ms, slot), p);
    p->bucket = (struct bucket){.rate = BUCKET_UNLIMITED, .max_octets = leader};
    p->state |= PFC_SHARES;
    tree_pfc_of(m, leader)->state |= PFC_LEADS;
    p->share_uses = 0;
    join(s, ms, slot, leader, now_ns);
    return 0;
}
