// See sched.h: one N-PDU, for a reader that knows its queue and its buffer (dataplane/trace). It
// changes nothing, and no packet's way leads through here.
#include "dataplane/sched/sched_round.h"

const char *const sched_holder_names[SCHED_HOLDERS] = {
#define SCHED_HOLDER(name, text) #name,
#include "dataplane/sched/sched_holder.def"
#undef SCHED_HOLDER
};

const char *const sched_holder_texts[SCHED_HOLDERS] = {
#define SCHED_HOLDER(name, text) text,
#include "dataplane/sched/sched_holder.def"
#undef SCHED_HOLDER
};

static uint32_t flow_of(const struct sched *s, uint32_t pfc, const struct tree_pfc *p,
                        uint32_t flow_hash)
{
    return p->state & PFC_BY_FLOW ? sched_queue_flow_of(s, pfc, flow_hash) : 0;
}

static const struct tree_queue *queue_of(const struct sched *s, uint32_t pfc,
                                         const struct tree_pfc *p, uint32_t flow)
{
    return p->state & PFC_BY_FLOW ? &queue_flow(s, pfc, flow)->queue : &p->queue;
}

struct sched_tail sched_tail(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash)
{
    if (ms >= s->config.mss || slot >= s->config.pfcs_an_ms ||
        !(tree_ms(s, ms)->slots & 1u << slot))
        return (struct sched_tail){.mark = false};
    const struct tree_pfc *p = tree_pfc_of(tree_ms(s, ms), slot);
    uint32_t flow = flow_of(s, tree_pfc_id(ms, slot), p, flow_hash);
    const struct tree_queue *q = queue_of(s, tree_pfc_id(ms, slot), p, flow);
    const struct aqm_ops *aqm = s->rule[p->traffic_class].aqm->ops;
    return (struct sched_tail){.queued = {total_packets(q->total), total_octets(q->total)},
                               .flow = flow,
                               .by_flow = p->state & PFC_BY_FLOW,
                               .mark = q->total && s->slot[q->tail].mark,
                               .asks_in = aqm->enqueue,
                               .asks_out = aqm->dequeue};
}

// What holds the head of that queue of the PFC.
static enum sched_holder holder(const struct round *r, uint32_t flow)
{
    const struct tree_ms *m = r->m;
    const struct tree_pfc *p = r->p;
    if (p->state & PFC_BY_FLOW && p->flow != flow)
        return SCHED_HELD_BY_flow;
    if (m->state & GATE_BLOCKED)
        return SCHED_HELD_BY_frozen;
    if (m->state & GATE_RESERVED || r->c->state & GATE_RESERVED || r->n->state & GATE_RESERVED)
        return SCHED_HELD_BY_frame;
    if (r->c->state & GATE_BLOCKED || r->n->state & GATE_BLOCKED)
        return SCHED_HELD_BY_blocked;
    if (p->state & (GATE_WAITS | GATE_STOPPED))
        return SCHED_HELD_BY_pfc;
    if (pfc_stand_in(m, p, r->slot) != r->slot)
        return SCHED_HELD_BY_lle;
    if (m->state & (GATE_WAITS | GATE_STOPPED))
        return SCHED_HELD_BY_ms;
    if (r->c->state & (GATE_WAITS | BVC_SHUT))
        return SCHED_HELD_BY_bvc;
    if (r->n->state & (GATE_WAITS | GATE_SHUT))
        return SCHED_HELD_BY_nse;
    return SCHED_HELD_BY_turn;
}

struct sched_hold sched_hold(const struct sched *s, uint32_t ms, uint32_t slot, uint32_t flow_hash,
                             const void *buffer, uint64_t now_ns)
{
    struct round r = {.ms = ms, .slot = slot, .pfc = tree_pfc_id(ms, slot), .m = tree_ms(s, ms)};
    r.p = tree_pfc_of(r.m, slot);
    r.bvc = r.m->bvc;
    r.c = &s->bvc[r.bvc];
    r.nse = r.c->nse;
    r.n = &s->nse[r.nse];
    uint32_t flow = flow_of(s, r.pfc, r.p, flow_hash);
    const struct tree_queue *q = queue_of(s, r.pfc, r.p, flow);
    if (!q->total || s->slot[q->head].buffer != buffer)
        return (struct sched_hold){.by = SCHED_HELD_BY_queue};
    struct sched_hold h = {.by = holder(&r, flow)};
    r.piece = pfc_piece(s, r.m, r.p);
    h.octets = r.piece.llc_octets;
    switch (h.by) {
    case SCHED_HELD_BY_pfc:
        h.bucket = sched_pfc_bucket(s, ms, slot, now_ns);
        h.octets = round_pfc_octets(s, &r);
        break;
    case SCHED_HELD_BY_ms:
        h.bucket = sched_ms_bucket(s, ms, now_ns);
        break;
    case SCHED_HELD_BY_bvc:
        h.bucket = sched_bvc_bucket(s, r.bvc, now_ns);
        break;
    case SCHED_HELD_BY_nse:
        h.bucket = sched_nse_bucket(s, r.nse, now_ns);
        h.octets = round_pipe_octets(s, &r);
        break;
    default:
        return (struct sched_hold){.by = h.by};
    }
    h.until_ns = bucket_conforms_at(h.bucket.level, h.bucket.terms, h.octets, now_ns);
    return h;
}
