// See world.h: S12. Between the first and the last piece of an N-PDU none of its class and cell
// begins, unless what is half sent is held: its MS stands or has an LLC frame waiting, or the next
// piece, or what may be first in the order of its MS, is refused by the bucket of its packet flow
// or of its MS. Who conforms since this very instant alone may still be in the wheel, so it counts
// as held until everything at an instant has been done once.
#include "tests/dataplane/sched/world_inside.h"

// Also when all was done the last time, or when the bucket was last looked at, if that was later.
static bool conformed(const struct world *w, const struct world_bucket *b, uint32_t octets)
{
    uint64_t at_ns = b->replay.at_ns > w->settled_ns ? b->replay.at_ns : w->settled_ns;
    return world_conforms(b, octets, at_ns < w->now_ns ? at_ns : w->now_ns);
}

// That N-PDU may be the PFC's next, its packet flow's bucket passes its LLC PDU and its MS's does
// not.
static bool ms_refuses(const struct world *w, const struct world_pfc *p, uint32_t id)
{
    const struct world_npdu *n = &w->npdu[id];
    uint32_t started = w->ms[p->ms].started[n->lle], octets;
    world_piece(w, n, &octets);
    return (started == WORLD_NONE || started == id) &&
           world_pfc_conforms(w, p, octets, w->now_ns) &&
           !conformed(w, &w->ms[p->ms].bucket, octets);
}

// With queues by flow any of its N-PDUs may be next, if none has begun.
static bool pfc_waits_for_ms(const struct world *w, const struct world_pfc *p)
{
    bool by_flow = w->config.of_class[p->traffic_class].flow_queues, waits = false;
    for (uint32_t i = p->head; i != WORLD_NONE; i = by_flow ? w->npdu[i].next : WORLD_NONE) {
        if (w->npdu[i].sent)
            return ms_refuses(w, p, i);
        waits = waits || ms_refuses(w, p, i);
    }
    return waits;
}

// Whatever is first in its order conforms.
static bool ms_lets_go(const struct world *w, uint32_t ms)
{
    const struct world_ms *m = &w->ms[ms];
    if (m->stands || m->frames)
        return false;
    for (uint32_t i = 0; i < w->pfcs; i++)
        if (w->pfc[i].exists && w->pfc[i].ms == ms && pfc_waits_for_ms(w, &w->pfc[i]))
            return false;
    return true;
}

static bool is_held(const struct world *w, uint32_t id)
{
    const struct world_pfc *p = &w->pfc[w->npdu[id].pfc];
    uint32_t octets;
    world_piece(w, &w->npdu[id], &octets);
    const struct world_bucket *b = world_pfc_bucket(w, p);
    return (b && !conformed(w, b, octets)) || !ms_lets_go(w, p->ms);
}

void world_judge_begins(const struct world *w, uint32_t id)
{
    const struct world_pfc *p = &w->pfc[w->npdu[id].pfc];
    for (uint32_t ms = 0; ms < w->mss; ms++)
        for (uint32_t lle = 0; lle < SCHED_LLES; lle++) {
            uint32_t other = w->ms[ms].started[lle];
            if (!w->ms[ms].exists || w->ms[ms].cell != w->ms[p->ms].cell || other == WORLD_NONE ||
                w->pfc[w->npdu[other].pfc].traffic_class != p->traffic_class)
                continue;
            if (!is_held(w, other))
                fail_msg("at %llu ns an N-PDU of PFC %u begins, though one of PFC %u has %u of %u "
                         "octets sent and is not held",
                         (unsigned long long)w->now_ns, w->npdu[id].pfc, w->npdu[other].pfc,
                         w->npdu[other].sent, w->npdu[other].octets);
        }
}
