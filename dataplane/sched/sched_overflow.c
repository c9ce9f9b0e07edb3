// Room at a full limit (S11). If an arriving N-PDU meets a full limit of its MS, its cell, its NSE
// or of all, the queue that is largest for its share loses its first N-PDU that is not half sent.
// The queue is found level by level: NSEs equal, cells equal, classes by weight (signalling last),
// MSs equal, PFCs by weight, then the longest flow; in packets or octets, whichever limit is full.
// The arriving N-PDU counts in its own queue. If the largest queue has nothing else to drop, the
// arriving N-PDU is refused.
//
// So a queue below its max-min share loses nothing, whichever queues fill the room, stopped or not:
// all queues together exceed the limit, so on each level the largest is above its water-filling
// share, independently of the others. The dropped N-PDU is the oldest of a queue that waits too
// long anyway.
//
// Ranks find the largest (sched_candidates.c), in octets to one step at each of three levels. The
// work of a call is bounded.
#include "dataplane/sched/sched_overflow.h"

#include "dataplane/sched/sched_aqm.h"
#include "dataplane/sched/sched_queue.h"

#define VICTIMS_A_CALL         16u
#define CANDIDATES_A_CALL      16u  // ranked while a limit fills up
#define CANDIDATES_A_FULL_CALL 256u // ranked once it is full

static uint64_t exact_size(enum overflow_unit unit, uint64_t total)
{
    return unit == IN_PACKETS ? total_packets(total) : total_octets(total);
}

static uint64_t size_with(const struct overflow *r, uint64_t total)
{
    return exact_size(r->unit, total + total_of(r->octets));
}

// ---- The largest of a few ----

struct most {
    uint32_t id; // TREE_NONE: none yet
    uint64_t size, weight;
    bool own; // it is the arriving N-PDU's; where others are as large, they lose an N-PDU first
};
#define MOST_NONE ((struct most){.id = TREE_NONE})

// By weight; signalling, which has none, after all others.
static bool is_larger(const struct most *a, const struct most *b)
{
    if (!a->weight || !b->weight)
        return a->weight || (!b->weight && a->size > b->size);
    return a->size * b->weight > b->size * a->weight;
}

static void most_consider(struct most *m, struct most other)
{
    if (m->id == TREE_NONE || is_larger(&other, m) || (m->own && !is_larger(m, &other)))
        *m = other;
}

// ---- Within an MS ----

static bool has_one(const struct tree_queue *q, bool begun)
{
    return total_packets(q->total) > begun;
}

// The flow with the longest queue that has an N-PDU to drop; with `own` the arriving one counts.
static uint32_t longest_flow(const struct sched *s, const struct overflow *r, uint32_t pfc,
                             bool own)
{
    const struct tree_pfc *p = tree_pfc(s, pfc);
    struct most m = MOST_NONE;
    for (uint32_t flow = 0; flow < s->config.flows_a_pfc; flow++) {
        const struct tree_queue *q = &queue_flow(s, pfc, flow)->queue;
        bool wanted = own && flow == r->flow;
        uint64_t size = wanted ? size_with(r, q->total) : exact_size(r->unit, q->total);
        if (wanted || has_one(q, p->sent_octets && flow == p->flow))
            most_consider(&m, (struct most){flow, size, 1, wanted});
    }
    return m.id;
}

static bool pfc_gives(struct sched *s, const struct overflow *r, uint32_t ms, uint32_t slot,
                      bool own)
{
    uint32_t pfc = tree_pfc_id(ms, slot), flow = 0;
    struct tree_ms *m = tree_ms(s, ms);
    struct tree_pfc *p = tree_pfc_of(m, slot);
    struct tree_queue *q = &p->queue;
    if (p->state & PFC_BY_FLOW) {
        flow = longest_flow(s, r, pfc, own);
        q = &queue_flow(s, pfc, flow)->queue;
    }
    bool behind = p->sent_octets && (!(p->state & PFC_BY_FLOW) || flow == p->flow);
    if (!has_one(q, behind))
        return false;
    aqm_tell_full(s, pfc, m, p, flow, &s->slot[behind ? s->slot[q->head].next : q->head],
                  r->now_ns);
    sched_queue_drop(s, pfc, p, q, behind, r->full);
    queue_choose(s, pfc, p);
    if (!behind) // the new head may be smaller, or of an LLE that is free
        sched_ms_heads_change(s, ms, r->now_ns);
    return true;
}

// Drops from the largest PFC by weight among these classes with an N-PDU to drop; signalling last.
static bool ms_gives(struct sched *s, const struct overflow *r, uint32_t ms, uint32_t classes,
                     bool own)
{
    struct tree_ms *m = tree_ms(s, ms);
    struct most most = MOST_NONE;
    for (uint32_t slots = m->slots; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(slots);
        const struct tree_pfc *p = tree_pfc_of(m, slot);
        uint32_t class = p->traffic_class;
        bool wanted = own && slot == r->slot;
        uint64_t total = p->queue.total;
        uint64_t size = wanted ? size_with(r, total) : exact_size(r->unit, total);
        if (classes >> class & 1 && (wanted || has_one(&p->queue, p->sent_octets)))
            most_consider(&most,
                          (struct most){slot, size, s->config.of_class[class].weight, wanted});
    }
    return most.id != TREE_NONE && pfc_gives(s, r, ms, most.id, own && most.own);
}

// ---- By the ranks ----

static uint64_t total_of_entry(const struct sched *s, uint32_t entry)
{
    if (entry < s->config.nses)
        return sched_overflow_nse_total(&s->nse[entry]);
    if (entry < sched_overflow_entry_of_candidate(s, 0))
        return s->bvc[entry - s->config.nses].total;
    uint32_t pfc = sched_overflow_pfc_of_entry(s, entry);
    return sched_overflow_sum(tree_ms(s, tree_pfc_ms(pfc)), tree_pfc(s, pfc)->traffic_class).total;
}

static uint32_t largest(const struct sched *s, const struct overflow *r, const uint32_t *top)
{
    return rank_first(&s->rank[r->unit], top[r->unit]);
}

// RANK_NONE: the largest is `own`, with the arriving N-PDU.
static uint32_t largest_but(const struct sched *s, const struct overflow *r, const uint32_t *top,
                            uint32_t own, uint64_t own_total)
{
    uint32_t entry = largest(s, r, top);
    bool is_own = entry == own || entry == RANK_NONE ||
                  exact_size(r->unit, total_of_entry(s, entry)) < size_with(r, own_total);
    return is_own ? RANK_NONE : entry;
}

// `own`: the arriving N-PDU is of that class.
static bool class_gives(struct sched *s, const struct overflow *r, struct tree_class *k,
                        uint32_t class, bool own)
{
    uint32_t entry, ms = r->ms;
    if (own) {
        struct tree_ms *m = tree_ms(s, ms);
        entry = largest_but(s, r, k->rank_top, sched_overflow_entry_of_ms(s, ms, m, class),
                            sched_overflow_sum(m, class).total);
    } else {
        entry = largest(s, r, k->rank_top);
    }
    if (entry != RANK_NONE)
        ms = tree_pfc_ms(sched_overflow_pfc_of_entry(s, entry));
    return ms_gives(s, r, ms, 1u << class, own && entry == RANK_NONE);
}

static bool bvc_gives(struct sched *s, const struct overflow *r, uint32_t bvc, bool own)
{
    struct tree_bvc *c = &s->bvc[bvc];
    uint32_t own_class =
        own ? tree_pfc_of(tree_ms(s, r->ms), r->slot)->traffic_class : (uint32_t)CLASS_COUNT;
    uint32_t classes = s->bvc_rest[bvc].giving[r->unit] | (own ? 1u << own_class : 0);
    struct most m = MOST_NONE;
    for (; classes; classes &= classes - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(classes);
        uint64_t total = c->of_class[class].total;
        bool wanted = class == own_class;
        uint64_t size = wanted ? size_with(r, total) : exact_size(r->unit, total);
        most_consider(&m, (struct most){class, size, s->config.of_class[class].weight, wanted});
    }
    return m.id != TREE_NONE && class_gives(s, r, &c->of_class[m.id], m.id, m.own);
}

static bool nse_gives(struct sched *s, const struct overflow *r, uint32_t nse, bool own)
{
    uint32_t bvc = tree_ms(s, r->ms)->bvc, entry;
    const uint32_t *top = s->nse[nse].rank_top;
    entry = own ? largest_but(s, r, top, sched_overflow_entry_of_bvc(s, bvc), s->bvc[bvc].total)
                : largest(s, r, top);
    if (entry != RANK_NONE)
        return bvc_gives(s, r, entry - sched_overflow_entry_of_bvc(s, 0), false);
    return own && bvc_gives(s, r, bvc, true);
}

// ---- Which limit ----

static bool is_full(struct overflow *r, const struct sched_limit *limit, uint64_t total,
                    enum drop_reason reason)
{
    if (!overflow_is_full(total, limit, r->octets))
        return false;
    r->full = reason;
    r->unit = total_packets(total) >= limit->packets ? IN_PACKETS : IN_OCTETS;
    return true;
}

// The first full limit; a drop for it may make room at the next.
static bool some_limit_is_full(const struct sched *s, struct overflow *r)
{
    const struct sched_config *config = &s->config;
    const struct tree_ms *m = tree_ms(s, r->ms);
    const struct tree_bvc *c = &s->bvc[m->bvc];
    return is_full(r, &config->ms_limit, m->total, DROP_ms_full) ||
           is_full(r, &config->bvc_limit, c->total, DROP_bvc_full) ||
           // an NSE has no more than all have
           (overflow_is_full(s->total, &config->nse_limit, r->octets) &&
            is_full(r, &config->nse_limit, sched_overflow_nse_total(&s->nse[c->nse]),
                    DROP_nse_full)) ||
           is_full(r, &config->limit, s->total, DROP_queue_full);
}

static bool give(struct sched *s, const struct overflow *r)
{
    uint32_t bvc = tree_ms(s, r->ms)->bvc, nse = s->bvc[bvc].nse, entry;
    switch (r->full) {
    case DROP_ms_full:
        return ms_gives(s, r, r->ms, (1u << CLASS_COUNT) - 1, true);
    case DROP_bvc_full:
        return bvc_gives(s, r, bvc, true);
    case DROP_nse_full:
        return nse_gives(s, r, nse, true);
    default:
        entry = largest_but(s, r, s->rank_top, nse, sched_overflow_nse_total(&s->nse[nse]));
        return entry == RANK_NONE ? nse_gives(s, r, nse, true) : nse_gives(s, r, entry, false);
    }
}

enum drop_reason sched_overflow_make(struct sched *s, struct overflow *r)
{
    uint32_t bvc = tree_ms(s, r->ms)->bvc;
    bool refuses = s->config.tail_drop;
    bool ranked = refuses || sched_overflow_keep(s, bvc, r->octets, CANDIDATES_A_CALL);
    for (uint32_t victims = 0; victims < VICTIMS_A_CALL; victims++) {
        if (!some_limit_is_full(s, r))
            break;
        if (refuses || r->octets > s->least_octets) // beyond the smallest limit an N-PDU never
                                                    // fits, so nothing is dropped for it
            return r->full;
        if (!ranked)
            sched_overflow_keep(s, bvc, r->octets, CANDIDATES_A_FULL_CALL);
        ranked = true;
        if (s->drop_count == SCHED_DROPS)
            break;
        if (give(s, r))
            continue;
        if (victims == 0)
            return r->full;
        break;
    }
    return s->slot_free == s->slots ? DROP_queue_full : DROP_NONE;
}
