// The view that an AQM gets of its queue, by the scope of the class. An N-PDU is judged once at
// arrival and once before its first piece goes; the second time its lifetime is judged, too, which
// always drops: expiry is no sign of congestion (RFC 3168).
#include "dataplane/sched/sched_aqm.h"

#include "dataplane/sched/sched_queue.h"

#define SHARE_USES 32 // judgements with one cached share

// rate * part / whole in octets a second; the whole is never 0. A stop (rate 0) says nothing about
// the future rate, so it is ignored; else every threshold in time would become 0 meanwhile.
static uint64_t part_of(uint32_t rate, uint64_t part, uint64_t whole)
{
    if (rate == BUCKET_UNLIMITED || rate == 0)
        return UINT32_MAX;
    return rate * part * BUCKET_RATE_BIT_PER_S / OCTETS_IN_BITS / whole;
}

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t at_least_1(uint64_t n)
{
    return n ? n : 1;
}

// The sum of the weights of these slots' PFCs with a backlog, or about to begin one (p).
static uint32_t weights_in(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p,
                           uint32_t among)
{
    uint32_t sum = p->queue.total ? 0 : s->config.of_class[p->traffic_class].weight;
    for (uint32_t slots = m->backlog & among; slots; slots &= slots - 1)
        sum += s->config.of_class[tree_pfc_of(m, (uint32_t)__builtin_ctz(slots))->traffic_class]
                   .weight;
    return sum;
}

// A class's weight, and the sums of weights in its cell and in its pipe, of the classes with a
// backlog and this one. Signalling goes first and shares with no class.
struct weights {
    uint64_t own, bvc, pipe;
};

static uint64_t bvc_weights(const struct sched *s, const struct tree_bvc *c)
{
    uint64_t sum = 0;
    for (uint32_t classes = c->backlogged; classes; classes &= classes - 1)
        sum += s->config.of_class[__builtin_ctz(classes)].weight;
    return sum;
}

static uint64_t pipe_weights(const struct sched *s, const struct tree_nse *n)
{
    uint64_t sum = 0;
    for (uint32_t class = 0; class < CLASS_COUNT; class ++)
        sum += (uint64_t)n->bvcs_backlogged[class] * s->config.of_class[class].weight;
    return sum;
}

static struct weights weights_of(const struct sched *s, const struct tree_bvc *c, uint32_t class)
{
    if (class == CLASS_SIGNALLING)
        return (struct weights){1, 1, 1};
    uint64_t own = s->config.of_class[class].weight;
    uint64_t more = c->of_class[class].backlogged ? 0 : own;
    return (struct weights){own, bvc_weights(s, c) + more, pipe_weights(s, &s->nse[c->nse]) + more};
}

// The share of a PFC in its own bucket: R, or, in a shared bucket, R by weight among the PFCs with
// a backlog.
static uint64_t share_of_flow(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p)
{
    uint32_t rate = pfc_bucket_read(m, p)->rate, slot = (uint32_t)(p - tree_pfc_of(m, 0));
    if (!pfc_is_shared(p) || p->traffic_class == CLASS_SIGNALLING)
        return part_of(rate, 1, 1);
    uint64_t in_flow = weights_in(s, m, p, sched_share_members(m, slot));
    return part_of(rate, s->config.of_class[p->traffic_class].weight, in_flow);
}

// The rate that the PFC can expect: the least, over its levels, of R times its weighted share among
// the backlogged nodes of that level.
static uint32_t share_of(const struct sched *s, struct tree_ms *m, const struct tree_pfc *p)
{
    const struct tree_bvc *c = &s->bvc[m->bvc];
    uint32_t class = p->traffic_class;
    struct weights w = weights_of(s, c, class);
    uint64_t sharers = c->of_class[class].backlogged + (p->queue.total ? 0 : 1);
    uint64_t in_ms = class == CLASS_SIGNALLING ? 1 : weights_in(s, m, p, m->slots);
    uint64_t share = share_of_flow(s, m, p);
    share = least_of(share, part_of(ms_terms(s, m).rate, w.own, in_ms));
    share = least_of(share, part_of(c->bucket.rate, w.own, w.bvc * sharers));
    share = least_of(share, part_of(s->nse[c->nse].bucket.rate, w.own, w.pipe * sharers));
    return (uint32_t)at_least_1(least_of(share, UINT32_MAX));
}

uint32_t sched_aqm_share_again(const struct aqm_view *view)
{
    const struct sched *s = view->owner;
    struct tree_pfc *p = tree_pfc(s, view->owner_id);
    p->share_octets_per_s = share_of(s, tree_ms(s, tree_pfc_ms(view->owner_id)), p);
    p->share_uses = SHARE_USES;
    return (uint32_t)at_least_1(p->share_octets_per_s / view->owner_flows);
}

uint32_t sched_flow_share(const struct sched *s, uint32_t ms, uint32_t slot)
{
    struct tree_ms *m = tree_ms(s, ms);
    const struct tree_pfc *p = tree_pfc_of(m, slot);
    uint32_t pfc = tree_pfc_id(ms, slot), flows = 0;
    if (p->state & PFC_BY_FLOW)
        flows = (uint32_t)__builtin_popcountll(queue_flows(s, pfc)->used);
    return (uint32_t)at_least_1(share_of(s, m, p) / at_least_1(flows));
}

// The share of a class in a cell or an NSE: of all its PFCs there.
static uint32_t share_of_class(const struct sched *s, const struct tree_bvc *c, uint32_t class,
                               bool all_bvcs)
{
    const struct tree_nse *n = &s->nse[c->nse];
    struct weights w = weights_of(s, c, class);
    uint64_t begins = c->of_class[class].backlogged ? 0 : 1;
    uint64_t bvcs = all_bvcs ? n->bvcs_backlogged[class] + begins : 1;
    uint64_t share = bvcs * part_of(c->bucket.rate, w.own, w.bvc);
    share = least_of(share, part_of(n->bucket.rate, bvcs * w.own, w.pipe));
    return (uint32_t)at_least_1(least_of(share, UINT32_MAX));
}

// An MS that stands takes no turn.
uint32_t sched_aqm_ahead(const struct aqm_view *view)
{
    const struct sched *s = view->owner;
    const struct tree_ms *m = tree_ms(s, tree_pfc_ms(view->owner_id));
    const struct tree_pfc *p = tree_pfc(s, view->owner_id);
    const struct tree_class *k = &s->bvc[m->bvc].of_class[p->traffic_class];
    uint64_t others = k->backlogged - k->standing_pfcs - (p->queue.total && !ms_stands(m));
    uint64_t own = total_packets(p->queue.total);
    return (uint32_t)least_of((own + 1) * (others + 1) - 1, UINT32_MAX);
}

// This flow, and those that have more queued than goes on credit.
static uint32_t flows_with_much(const struct sched *s, uint32_t pfc, uint32_t flow)
{
    uint32_t n = 1;
    for (uint64_t left = queue_flows(s, pfc)->used & ~(1ULL << flow); left; left &= left - 1) {
        const struct tree_flow *f = queue_flow(s, pfc, (uint32_t)__builtin_ctzll(left));
        n += total_octets(f->queue.total) > s->config.flow_quantum_octets;
    }
    return n;
}

#define LATE_PDUS 4
// That share sends fewer than four of the largest N-PDUs in time, and fewer octets than these.
static bool takes_too_long(const struct sched *s, const struct tree_pfc *p, uint64_t octets,
                           uint64_t share_octets_per_s)
{
    uint64_t in_time =
        share_octets_per_s * s->rule[p->traffic_class].late_ms / (S_IN_NS / MS_IN_NS);
    return in_time < LATE_PDUS * s->config.pdu_octets_max && octets > in_time;
}

// Where a flow's share sends fewer than four of the largest N-PDUs in time, no AQM has a queue to
// signal by. If what the flow has queued takes longer, TCP hears of the loss at once, not after the
// lifetime. By a cached share, with each flow counted, nothing is refused: the share may have grown
// since.
bool sched_aqm_is_late(struct sched *s, uint32_t pfc, struct tree_pfc *p, uint32_t flow,
                       uint32_t octets)
{
    uint64_t left = total_octets(queue_flow(s, pfc, flow)->queue.total) + octets;
    if (flow == p->flow)
        left -= p->sent_octets;
    if (left <= s->config.flow_quantum_octets)
        return false;
    uint32_t flows = queue_flows_with(s, pfc, flow);
    if (p->share_uses && !takes_too_long(s, p, left, p->share_octets_per_s / flows)) {
        p->share_uses--;
        return false;
    }
    struct aqm_view view = {
        .owner = s, .owner_id = pfc, .owner_flows = flows_with_much(s, pfc, flow)};
    return takes_too_long(s, p, left, sched_aqm_share_again(&view));
}

uint8_t *sched_aqm_look_wide(struct sched *s, const struct tree_ms *m, uint32_t class, bool nse,
                             struct aqm_view *view, uint64_t *total)
{
    const struct tree_bvc *c = &s->bvc[m->bvc];
    *total = nse ? s->nse[c->nse].total[class] - s->nse[c->nse].standing[class]
                 : c->of_class[class].total - c->of_class[class].standing;
    view->share_octets_per_s = share_of_class(s, c, class, nse);
    size_t at = (size_t)(nse ? c->nse : m->bvc) * CLASS_COUNT + class;
    return tree_vars(s, nse ? SCHED_SCOPE_NSE : SCHED_SCOPE_BVC, at);
}

void sched_list_drop(struct sched *s, const struct tree_pfc *p, const struct pdu *pdu,
                     enum drop_reason reason)
{
    s->drop[s->drop_count++] = (struct sched_drop){.buffer = pdu->buffer,
                                                   .octets = pdu->octets,
                                                   .traffic_class = p->traffic_class,
                                                   .reason = (uint8_t)reason,
                                                   .traced = pdu->traced};
}

// What is behind it has not begun, so the PFC has no place before others of its ring that have
// (S12).
void sched_drop_begun(struct sched *s, uint32_t pfc, struct tree_pfc *p)
{
    if (p->state & PFC_IN_RING)
        sched_bvc_ring_remove(s, pfc, p, tree_ms(s, tree_pfc_ms(pfc))->bvc);
    sched_drop_head(s, pfc, DROP_expired);
}

void sched_drop_head(struct sched *s, uint32_t pfc, enum drop_reason reason)
{
    struct tree_ms *m = tree_ms(s, tree_pfc_ms(pfc));
    struct tree_pfc *p = tree_pfc_of(m, tree_pfc_slot(pfc));
    sched_list_drop(s, p, queue_head(s, pfc, p), reason);
    queue_pop(s, pfc, m, p);
}
