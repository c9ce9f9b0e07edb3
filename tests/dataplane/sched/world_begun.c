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

// The most octets that its next LLC PDU may have; 0: none that may go. With queues by flow any of
// them may be next.
static uint32_t next_octets(const struct world *w, const struct world_pfc *p)
{
    bool by_flow = w->config.of_class[p->traffic_class].flow_queues;
    uint32_t most = 0, octets;
    for (uint32_t i = p->head; i != WORLD_NONE; i = w->npdu[i].next) {
        uint32_t started = w->ms[p->ms].started[w->npdu[i].lle];
        world_piece(w, &w->npdu[i], &octets);
        if (w->npdu[i].sent)
            return octets;
        if ((started == WORLD_NONE || started == i) && octets > most)
            most = octets;
        if (!by_flow)
            break;
    }
    return most;
}

// Whatever is first in its order conforms.
static bool ms_lets_go(const struct world *w, uint32_t ms)
{
    const struct world_ms *m = &w->ms[ms];
    if (m->stands || m->frames)
        return false;
    for (uint32_t i = 0; i < w->pfcs; i++) {
        const struct world_pfc *p = &w->pfc[i];
        uint32_t octets = p->exists && p->ms == ms ? next_octets(w, p) : 0;
        if (octets && world_pfc_conforms(w, p, octets, w->now_ns) &&
            !conformed(w, &m->bucket, octets))
            return false;
    }
    return true;
}

// So does whatever may be first among the contexts that share its bucket.
static bool flow_lets_go(const struct world *w, uint32_t id)
{
    const struct world_npdu *n = &w->npdu[id];
    const struct world_bucket *b = world_pfc_bucket(w, &w->pfc[n->pfc]);
    uint32_t octets, needs, lender = world_pfc_lender(w, n->pfc);
    world_piece(w, n, &octets);
    if (!b)
        return true;
    for (uint32_t i = 0; i < w->pfcs; i++) {
        if (i == n->pfc || world_pfc_lender(w, i) != lender ||
            !world_goes_for(w, i, &octets, &needs))
            continue;
        bool by_flow = w->config.of_class[w->pfc[i].traffic_class].flow_queues;
        if (!conformed(w, b, by_flow ? w->config.pdu_octets_max : needs))
            return false;
    }
    world_piece(w, n, &octets);
    return conformed(w, b, octets);
}

static bool is_held(const struct world *w, uint32_t id)
{
    return !flow_lets_go(w, id) || !ms_lets_go(w, w->pfc[w->npdu[id].pfc].ms);
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
